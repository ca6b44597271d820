#include "device/samr21/port.h"

#include "device/samr21/registers.h"
#include "node/pins.h"

enum { DIR = 0, OUT = 0x10, CLR = 4, SET = 8, TGL = 12, IN = 0x20, CTRL = 0x24, WRCONFIG = 0x28, PMUX = 0x30 };
enum { PINCFG = 0x40, PINS = 32, PINCFG_INEN = 2, PINCFG_PULLEN = 4 };
enum { ROLE_DIR = 0, ROLE_OUT = 16, ROLE_IN = 32, ROLE_WRCONFIG = 36, ROLE_PINCFG = 64 };

static const struct samr21_port *samr21_port_of(const struct device *d)
{
    return d->config;
}

static uint32_t samr21_port_get(const struct node *n, const struct device *d, uint32_t offset)
{
    return samr21_get(n, samr21_port_of(d)->base + offset, 4);
}

/* DIR and OUT have the same four registers: the value, and to clear, set and toggle bits of it. OUTCLR and OUTSET have
 * the order of DIRCLR and DIRSET. */
static void samr21_port_connect(const struct device *d, struct wiring *w)
{
    const struct samr21_port *c = samr21_port_of(d);
    samr21_told(w, d, c->base + DIR, 16, ROLE_DIR, WIRE_WRITE);
    samr21_told(w, d, c->base + OUT, 16, ROLE_OUT, WIRE_WRITE);
    samr21_told(w, d, c->base + IN, 4, ROLE_IN, WIRE_READ);
    samr21_plain(w, d, c->base + CTRL, 4);
    samr21_told(w, d, c->base + WRCONFIG, 4, ROLE_WRCONFIG, WIRE_STORE);
    samr21_plain(w, d, c->base + PMUX, 16);
    samr21_told(w, d, c->base + PINCFG, PINS, ROLE_PINCFG, WIRE_STORE);
    for (unsigned i = 0; i < PINS; i++)
        wire_pin(w, d, c->first + i, i);
}

static void samr21_port_apply(struct node *n, const struct device *d, unsigned i)
{
    const struct samr21_port *c = samr21_port_of(d);
    bool out = samr21_port_get(n, d, DIR) >> i & 1, high = samr21_port_get(n, d, OUT) >> i & 1;
    uint32_t configuration = samr21_get(n, c->base + PINCFG + i, 1);
    pin_set_port(n, c->first + i, out, high, !out && high && configuration & PINCFG_PULLEN);
}

static void samr21_port_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    for (unsigned i = 0; i < PINS; i++)
        samr21_port_apply(n, d, i);
}

/* One byte of one of the four registers of DIR or OUT. */
static void samr21_port_change(struct node *n, const struct device *d, uint32_t which, unsigned role, uint32_t value)
{
    uint32_t base = samr21_port_of(d)->base + which, now = samr21_get(n, base, 4), shift = 8 * (role & 3);
    uint32_t bits = value << shift, next;
    switch (role & 12) {
    case CLR: next = now & ~bits; break;
    case SET: next = now | bits; break;
    case TGL: next = now ^ bits; break;
    default: next = (now & ~(0xffu << shift)) | bits; break;
    }
    for (unsigned i = 0; i < 4; i++) /* all of them read as the value */
        samr21_set(n, base + 4 * i, 4, next);
    for (uint32_t changed = now ^ next; changed; changed &= changed - 1)
        samr21_port_apply(n, d, (unsigned)__builtin_ctz(changed));
}

/* WRCONFIG sets PINCFG, and PMUX, of several pins of one half. */
static void samr21_port_configure(struct node *n, const struct device *d)
{
    uint32_t base = samr21_port_of(d)->base, w = samr21_get(n, base + WRCONFIG, 4);
    for (unsigned i = 0; i < 16; i++) {
        unsigned pin = i + (w >> 31) * 16;
        if (!(w >> i & 1))
            continue;
        if (w >> 30 & 1)
            samr21_set(n, base + PINCFG + pin, 1, w >> 16 & 0x47);
        if (w >> 28 & 1) {
            uint32_t both = samr21_get(n, base + PMUX + pin / 2, 1), mux = w >> 24 & 15;
            samr21_set(n, base + PMUX + pin / 2, 1, pin & 1 ? (both & 15) | mux << 4 : (both & 0xf0) | mux);
        }
        samr21_port_apply(n, d, pin);
    }
    samr21_set(n, base + WRCONFIG, 4, 0);
}

static void samr21_port_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role >= ROLE_PINCFG)
        samr21_port_apply(n, d, role - ROLE_PINCFG);
    else if (role == ROLE_WRCONFIG + 3)
        samr21_port_configure(n, d);
    else if (role < ROLE_OUT)
        samr21_port_change(n, d, DIR, role, value);
    else if (role < ROLE_IN)
        samr21_port_change(n, d, OUT, role - ROLE_OUT, value);
}

/* A pin whose input buffer is off reads as zero. */
static void samr21_port_read(struct node *n, const struct device *d, unsigned role)
{
    const struct samr21_port *c = samr21_port_of(d);
    uint32_t in = 0;
    for (unsigned i = 8 * (role - ROLE_IN); i < 8 * (role - ROLE_IN) + 8; i++)
        if (samr21_get(n, c->base + PINCFG + i, 1) & PINCFG_INEN)
            in |= (uint32_t)pin_level(n, c->first + i) << (i & 7);
    samr21_set(n, c->base + IN + role - ROLE_IN, 1, in);
}

/* Levels are read when the firmware asks. */
static void samr21_port_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    (void)n, (void)d, (void)role, (void)level;
}

const struct device_type samr21_port = {
    .name = "port",
    .port = true,
    .connect = samr21_port_connect,
    .reset = samr21_port_reset,
    .read = samr21_port_read,
    .write = samr21_port_write,
    .input = samr21_port_input,
};
