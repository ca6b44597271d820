#include "device/nrf52/gpio.h"

#include "node/pins.h"

enum {
    OUT = 0x504,
    OUTSET = 0x508,
    OUTCLR = 0x50c,
    IN = 0x510,
    DIR = 0x514,
    DIRSET = 0x518,
    DIRCLR = 0x51c,
    LATCH = 0x520,
    DETECTMODE = 0x524,
    PIN_CNF = 0x700
};
enum { ROLE_OUT, ROLE_OUTSET, ROLE_OUTCLR, ROLE_IN, ROLE_DIR, ROLE_DIRSET, ROLE_DIRCLR, ROLE_CNF = 32 };

static const struct nrf52_gpio *nrf52_gpio_of(const struct device *d)
{
    return d->config;
}

static void nrf52_gpio_connect(const struct device *d, struct wiring *w)
{
    static const struct {
        uint16_t offset;
        uint8_t role, mode;
    } registers[] = {
        {OUT, ROLE_OUT, WIRE_STORE}, {OUTSET, ROLE_OUTSET, WIRE_WRITE}, {OUTCLR, ROLE_OUTCLR, WIRE_WRITE},
        {DIR, ROLE_DIR, WIRE_STORE}, {DIRSET, ROLE_DIRSET, WIRE_WRITE}, {DIRCLR, ROLE_DIRCLR, WIRE_WRITE},
        {IN, ROLE_IN, WIRE_READ},
    };
    const struct nrf52_gpio *c = nrf52_gpio_of(d);
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        nrf52_told(w, d, registers[i].offset, registers[i].role, registers[i].mode);
    nrf52_plain(w, d, LATCH, 0);
    nrf52_plain(w, d, DETECTMODE, 1);
    for (unsigned i = 0; i < c->count; i++) {
        nrf52_told(w, d, PIN_CNF + 4 * i, ROLE_CNF + i, WIRE_STORE);
        wire_pin(w, d, c->first + i, i);
    }
}

/* What the registers say of a pin. PIN_CNF: bit 0 direction, bits 2 and 3 pull (1 down, 3 up). */
static void nrf52_gpio_apply(struct node *n, const struct device *d, unsigned i)
{
    const struct nrf52_gpio *c = nrf52_gpio_of(d);
    uint32_t cnf = nrf52_get(n, d, PIN_CNF + 4 * i);
    pin_set_port(n, c->first + i, cnf & 1, nrf52_get(n, d, OUT) >> i & 1, (cnf >> 2 & 3) == 3);
}

static void nrf52_gpio_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    for (unsigned i = 0; i < nrf52_gpio_of(d)->count; i++) {
        nrf52_set(n, d, PIN_CNF + 4 * i, 2);
        nrf52_gpio_apply(n, d, i);
    }
}

static void nrf52_gpio_set_out(struct node *n, const struct device *d, uint32_t out)
{
    uint32_t changed = out ^ nrf52_get(n, d, OUTSET);
    nrf52_set(n, d, OUT, out);
    nrf52_set(n, d, OUTSET, out);
    nrf52_set(n, d, OUTCLR, out);
    for (; changed; changed &= changed - 1)
        if ((unsigned)__builtin_ctz(changed) < nrf52_gpio_of(d)->count)
            nrf52_gpio_apply(n, d, (unsigned)__builtin_ctz(changed));
}

static void nrf52_gpio_set_dir(struct node *n, const struct device *d, uint32_t dir)
{
    nrf52_set(n, d, DIR, dir);
    nrf52_set(n, d, DIRSET, dir);
    nrf52_set(n, d, DIRCLR, dir);
    for (unsigned i = 0; i < nrf52_gpio_of(d)->count; i++) {
        uint32_t cnf = nrf52_get(n, d, PIN_CNF + 4 * i), now = (cnf & ~1u) | (dir >> i & 1);
        nrf52_set(n, d, PIN_CNF + 4 * i, now);
        if (now != cnf)
            nrf52_gpio_apply(n, d, i);
    }
}

static void nrf52_gpio_configure(struct node *n, const struct device *d, unsigned i)
{
    uint32_t dir = nrf52_get(n, d, DIR), bit = 1u << i;
    dir = nrf52_get(n, d, PIN_CNF + 4 * i) & 1 ? dir | bit : dir & ~bit;
    nrf52_set(n, d, DIR, dir);
    nrf52_set(n, d, DIRSET, dir);
    nrf52_set(n, d, DIRCLR, dir);
    nrf52_gpio_apply(n, d, i);
}

static void nrf52_gpio_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t out = nrf52_get(n, d, OUTSET), dir = nrf52_get(n, d, DIRSET);
    (void)old;
    switch (role) {
    case ROLE_OUT: nrf52_gpio_set_out(n, d, value); break;
    case ROLE_OUTSET: nrf52_gpio_set_out(n, d, out | value); break;
    case ROLE_OUTCLR: nrf52_gpio_set_out(n, d, out & ~value); break;
    case ROLE_DIR: nrf52_gpio_set_dir(n, d, value); break;
    case ROLE_DIRSET: nrf52_gpio_set_dir(n, d, dir | value); break;
    case ROLE_DIRCLR: nrf52_gpio_set_dir(n, d, dir & ~value); break;
    default: nrf52_gpio_configure(n, d, role - ROLE_CNF); break;
    }
}

/* An input buffer that is not connected (PIN_CNF bit 1) reads as zero. */
static void nrf52_gpio_read(struct node *n, const struct device *d, unsigned role)
{
    const struct nrf52_gpio *c = nrf52_gpio_of(d);
    (void)role;
    uint32_t in = 0;
    for (unsigned i = 0; i < c->count; i++)
        if (!(nrf52_get(n, d, PIN_CNF + 4 * i) & 2))
            in |= (uint32_t)pin_level(n, c->first + i) << i;
    nrf52_set(n, d, IN, in);
}

/* Levels are read when the firmware asks; what watches them is GPIOTE. */
static void nrf52_gpio_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    (void)n, (void)d, (void)role, (void)level;
}

const struct device_type nrf52_gpio = {
    .name = "gpio",
    .port = true,
    .connect = nrf52_gpio_connect,
    .reset = nrf52_gpio_reset,
    .read = nrf52_gpio_read,
    .write = nrf52_gpio_write,
    .input = nrf52_gpio_input,
};
