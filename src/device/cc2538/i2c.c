#include "device/cc2538/i2c.h"

#include "node/clock.h"

enum { SA = 0x00, CTRL = 0x04, DR = 0x08, TPR = 0x0c, IMR = 0x10, RIS = 0x14, MIS = 0x18, ICR = 0x1c, CR = 0x20 };
enum { ROLE_CTRL, ROLE_IMR, ROLE_ICR, ROLE_SRI2C };
#define SRI2C 0x400d2044u /* of the system control: reset of this module */
enum { RUN = 1, START = 2, STOP = 4, ACK = 8 };
enum { BUSY = 1, ERROR_BIT = 2, ADRACK = 4, DATACK = 8, ARBLST = 0x10, IDLE = 0x20, BUSBSY = 0x40 };

struct i2c {
    uint8_t command, held; /* the bus is ours */
};

static void i2c_connect(const struct device *d, struct wiring *w)
{
    const struct cc2538_i2c *c = d->config;
    block32_plain(w, d, SA, 0xff);
    block32_told(w, d, CTRL, ROLE_CTRL, WIRE_WRITE);
    block32_plain(w, d, DR, 0xff);
    block32_plain(w, d, TPR, 0x7f);
    block32_told(w, d, IMR, ROLE_IMR, WIRE_STORE);
    block32_plain(w, d, RIS, 0);
    block32_plain(w, d, MIS, 0);
    block32_told(w, d, ICR, ROLE_ICR, WIRE_WRITE);
    block32_plain(w, d, CR, 0x31);
    wire_register(w, d, SRI2C, ROLE_SRI2C, WIRE_LONG | WIRE_STORE, 1);
    wire_interrupt(w, d, block32_of(d)->line, 0);
    wire_twi(w, d, c->bus, 0);
}

static void i2c_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct i2c *s = device_state(n, d);
    (void)cause;
    *s = (struct i2c){0};
    block32_set(n, d, CTRL, IDLE);
    block32_set(n, d, TPR, 1);
}

static void i2c_ask(struct node *n, const struct device *d)
{
    uint32_t asks = block32_get(n, d, RIS) & block32_get(n, d, IMR) & 1;
    block32_set(n, d, MIS, asks);
    node_irq(n, block32_of(d)->line, asks);
}

/* The status after a byte: errors of this command alone. */
static uint32_t i2c_exchange(struct node *n, const struct device *d)
{
    const struct cc2538_i2c *c = d->config;
    struct i2c *s = device_state(n, d);
    uint32_t address = block32_get(n, d, SA);
    if (s->command & START) {
        s->held = 1;
        if (!(twi_signal(n, c->bus, TWI_START, (uint8_t)address) & TWI_ACKNOWLEDGE))
            return ERROR_BIT | ADRACK;
    }
    if (address & 1) {
        block32_set(n, d, DR, twi_signal(n, c->bus, s->command & ACK ? TWI_READ : TWI_READ_NACKED, 0) & 0xff);
        return 0;
    }
    bool taken = twi_signal(n, c->bus, TWI_WRITE, (uint8_t)block32_get(n, d, DR)) & TWI_ACKNOWLEDGE;
    return taken ? 0 : ERROR_BIT | DATACK;
}

static void i2c_event(struct node *n, const struct device *d, unsigned event)
{
    const struct cc2538_i2c *c = d->config;
    struct i2c *s = device_state(n, d);
    uint32_t status = s->command & RUN ? i2c_exchange(n, d) : 0;
    (void)event;
    if (s->command & STOP) {
        twi_signal(n, c->bus, TWI_STOP, 0);
        s->held = 0;
    }
    block32_set(n, d, CTRL, status | (s->held ? BUSBSY : IDLE));
    block32_set(n, d, RIS, 1);
    i2c_ask(n, d);
}

/* The module's own reset: what is under way is broken off, and the bus is let go. */
static void i2c_forget(struct node *n, const struct device *d)
{
    const struct cc2538_i2c *c = d->config;
    const struct i2c *s = device_state(n, d);
    event_cancel(n, d, 0);
    if (s->held)
        twi_signal(n, c->bus, TWI_STOP, 0);
    for (uint32_t offset = SA; offset <= CR; offset += 4)
        block32_set(n, d, offset, 0);
    i2c_reset(n, d, RESET_SOFTWARE);
    i2c_ask(n, d);
}

static void i2c_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct i2c *s = device_state(n, d);
    if (role == ROLE_SRI2C) {
        if ((value | old) & 1)
            i2c_forget(n, d);
    } else if (register32_get(n, SRI2C) & 1) {
        return;
    } else if (role == ROLE_CTRL) {
        unsigned bits = (value & RUN ? 9 : 0) + (value & START ? 10 : 0) + (value & STOP ? 1 : 0);
        uint64_t cycles = (uint64_t)bits * 20 * (1 + (block32_get(n, d, TPR) & 0x7f));
        if (!(value & (RUN | STOP)))
            return;
        s->command = (uint8_t)(value & 15);
        block32_set(n, d, CTRL, BUSY | BUSBSY);
        event_in(n, d, 0, CLOCK_IO, cycles);
    } else {
        if (role == ROLE_ICR && value & 1)
            block32_set(n, d, RIS, 0);
        i2c_ask(n, d);
    }
}

/* Nothing on the bus is for it: it is no slave. */
static unsigned i2c_twi(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    (void)n, (void)d, (void)role, (void)byte;
    return event == TWI_READ || event == TWI_READ_NACKED ? 0xff : 0;
}

const struct device_type cc2538_i2c = {
    .name = "i2c",
    .state_size = sizeof(struct i2c),
    .events = 1,
    .connect = i2c_connect,
    .reset = i2c_reset,
    .event = i2c_event,
    .write = i2c_write,
    .twi = i2c_twi,
};
