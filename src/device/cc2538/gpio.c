#include "device/cc2538/gpio.h"

#include "node/pins.h"

enum {
    DIR = 0x400,
    IS = 0x404,
    IBE = 0x408,
    IEV = 0x40c,
    IE = 0x410,
    RIS = 0x414,
    MIS = 0x418,
    IC = 0x41c,
    AFSEL = 0x420,
    OUT = 0x424, /* reserved on the chip: here lies what the port would drive */
};
enum { ROLE_DIR, ROLE_IS, ROLE_IBE, ROLE_IEV, ROLE_IE, ROLE_IC };
enum { PINS = 8, OVER = 0x80, PULL_UP = 4, IOC_INPUTS = 0x100, IOC_END = 0x17c };

static unsigned gpio_pin(const struct device *d, unsigned bit)
{
    return ((const struct cc2538_gpio *)d->config)->first + bit;
}

static uint32_t gpio_levels(const struct node *n, const struct device *d)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < PINS; i++)
        v |= (uint32_t)pin_level(n, gpio_pin(d, i)) << i;
    return v;
}

static void gpio_apply(struct node *n, unsigned pin, uint32_t base)
{
    unsigned bit = pin % PINS;
    pin_set_port(n, pin, register32_get(n, base + DIR) >> bit & 1, register32_get(n, base + OUT) >> bit & 1,
                 register32_get(n, CC2538_IOC + OVER + 4 * pin) & PULL_UP);
}

/* ---- interrupts ---- */

static void gpio_ask(struct node *n, const struct device *d)
{
    uint32_t level = block32_get(n, d, IS), high = block32_get(n, d, IEV), pins = gpio_levels(n, d);
    uint32_t flags = (block32_get(n, d, RIS) & ~level) | (level & ~(pins ^ high));
    uint32_t asks = flags & block32_get(n, d, IE);
    block32_set(n, d, RIS, flags);
    block32_set(n, d, MIS, asks);
    node_irq(n, block32_of(d)->line, asks);
}

static void gpio_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    uint32_t bit = 1u << role;
    bool wanted = block32_get(n, d, IBE) & bit || !(block32_get(n, d, IEV) & bit) == !level;
    if (!(block32_get(n, d, IS) & bit) && wanted)
        block32_set(n, d, RIS, block32_get(n, d, RIS) | bit);
    gpio_ask(n, d);
}

/* ---- the port's registers ---- */

static void gpio_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {AFSEL, 0x520, 0x524, 0x700, 0x704, 0x708, 0x710, 0x718, 0x71c, 0x720};
    for (unsigned i = 0; i <= ROLE_IE; i++)
        block32_told(w, d, DIR + 4 * i, ROLE_DIR + i, WIRE_STORE);
    block32_plain(w, d, RIS, 0);
    block32_plain(w, d, MIS, 0);
    block32_told(w, d, IC, ROLE_IC, WIRE_WRITE);
    block32_plain(w, d, OUT, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        block32_plain(w, d, plain[i], 0xffffffff);
    for (unsigned i = 0; i < PINS; i++)
        wire_pin(w, d, gpio_pin(d, i), i);
    wire_interrupt(w, d, block32_of(d)->line, 0);
}

static void gpio_apply_all(struct node *n, const struct device *d)
{
    for (unsigned i = 0; i < PINS; i++)
        gpio_apply(n, gpio_pin(d, i), block32_of(d)->base);
}

static void gpio_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    gpio_apply_all(n, d);
}

static void gpio_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role == ROLE_DIR)
        gpio_apply_all(n, d);
    if (role == ROLE_IC)
        block32_set(n, d, RIS, block32_get(n, d, RIS) & ~value);
    gpio_ask(n, d);
}

const struct device_type cc2538_gpio = {
    .name = "gpio",
    .port = true,
    .connect = gpio_connect,
    .reset = gpio_reset,
    .write = gpio_write,
    .input = gpio_input,
};

/* ---- data: the address chooses the pins ---- */

static void gpio_data_connect(const struct device *d, struct wiring *w)
{
    for (unsigned mask = 0; mask < 256; mask++)
        block32_told(w, d, 4 * mask, mask, WIRE_WRITE | WIRE_READ);
}

static void gpio_data_read(struct node *n, const struct device *d, unsigned role)
{
    block32_set(n, d, 4 * role, gpio_levels(n, d) & role);
}

static void gpio_data_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t before = block32_get(n, d, OUT), after = (before & ~role) | (value & role);
    (void)old;
    block32_set(n, d, OUT, after);
    for (uint32_t changed = before ^ after; changed; changed &= changed - 1)
        gpio_apply(n, gpio_pin(d, (unsigned)__builtin_ctz(changed)), block32_of(d)->base);
}

const struct device_type cc2538_gpio_data = {
    .name = "gpio data",
    .connect = gpio_data_connect,
    .read = gpio_data_read,
    .write = gpio_data_write,
};

/* ---- pads ---- */

static void ioc_connect(const struct device *d, struct wiring *w)
{
    for (uint32_t offset = 0; offset < OVER; offset += 4)
        block32_plain(w, d, offset, 0x1f);
    for (unsigned pin = 0; pin < 4 * PINS; pin++)
        block32_told(w, d, OVER + 4 * pin, pin, WIRE_STORE);
    for (uint32_t offset = IOC_INPUTS; offset < IOC_END; offset += 4)
        block32_plain(w, d, offset, 0x1f);
}

static void ioc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    for (unsigned pin = 0; pin < 4 * PINS; pin++)
        block32_set(n, d, OVER + 4 * pin, PULL_UP);
}

static void ioc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)d;
    if ((value ^ old) & PULL_UP)
        gpio_apply(n, role, 0x400d9000u + 0x1000u * (role / PINS));
}

const struct device_type cc2538_ioc = {
    .name = "ioc",
    .connect = ioc_connect,
    .reset = ioc_reset,
    .write = ioc_write,
};
