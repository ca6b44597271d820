#include "device/avr/spi.h"

#include "device/avr/power_reduction.h"
#include "device/bit_order.h"
#include "node/machine.h"
#include "node/pins.h"

enum { ROLE_SPCR, ROLE_SPSR, ROLE_SPDR, ROLE_POWER, ROLE_SS, ROLE_BUS };
enum { EVENT_DONE, EVENTS };

struct spi {
    uint64_t left;   /* while the device's clock is stopped: cycles to the end of the transfer */
    uint8_t shift;   /* as written, or as received when nothing was written since */
    uint8_t seen;    /* flags of SPSR that were read as set: the next access to SPDR clears them */
    uint8_t busy;    /* master: a byte is being transferred */
    uint8_t out_bit; /* what the output pin was left at */
};

static void spi_connect(const struct device *d, struct wiring *w)
{
    const struct spi_config *c = d->config;
    wire_register(w, d, c->spcr, ROLE_SPCR, WIRE_WRITE, 0xff);
    wire_register(w, d, c->spsr, ROLE_SPSR, WIRE_WRITE | WIRE_READ, 0xff);
    wire_reads_matter(w, d, c->spsr, 1u << SPI_SPIF | 1u << SPI_WCOL);
    wire_register(w, d, c->spdr, ROLE_SPDR, WIRE_WRITE | WIRE_READ, 0xff);
    power_reduction_wire(w, d, c->power_reduction, ROLE_POWER);
    avr_interrupt_wire(w, d, &c->interrupt, 0);
    wire_pin(w, d, c->ss, ROLE_SS);
    wire_spi(w, d, c->bus, ROLE_BUS);
}

static bool avr_spi_control(const struct node *n, const struct spi_config *c, enum spi_spcr bit)
{
    return n->data[c->spcr] >> bit & 1;
}

static bool selected_as_slave(const struct node *n, const struct spi_config *c)
{
    return avr_spi_control(n, c, SPI_SPE) && !avr_spi_control(n, c, SPI_MSTR) && !pin_level(n, c->ss);
}

/* Which pins are ours, and in which direction ("SPI Pin Overrides"): the inputs of each mode are forced, the outputs
 * take their value from us and their direction from the port. A slave that is not selected drives nothing. */
static void avr_spi_claim_pins(struct node *n, const struct device *d)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    bool on = avr_spi_control(n, c, SPI_SPE), master = avr_spi_control(n, c, SPI_MSTR);
    enum pin_override out = s->out_bit ? PIN_VALUE_HIGH : PIN_VALUE_LOW;
    enum pin_override in = PIN_INPUT, idle = avr_spi_control(n, c, SPI_CPOL) ? PIN_VALUE_HIGH : PIN_VALUE_LOW;
    pin_set_override(n, c->mosi, !on ? PIN_NO_OVERRIDE : master ? out : in);
    pin_set_override(n, c->sck, !on ? PIN_NO_OVERRIDE : master ? idle : in);
    pin_set_override(n, c->ss, on && !master ? in : PIN_NO_OVERRIDE);
    pin_set_override(n, c->miso, !on ? PIN_NO_OVERRIDE : selected_as_slave(n, c) ? out : in);
}

static void spi_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct spi *s = device_state(n, d);
    *s = (struct spi){.left = NEVER, .out_bit = 1};
    avr_spi_claim_pins(n, d);
}

static void avr_spi_set_flag(struct node *n, const struct spi_config *c)
{
    avr_interrupt_flag(n, &c->interrupt, true);
}

/* A master whose SS is an input at a low level yields to another master ("SS Pin Functionality"). */
static void yield_to_other_master(struct node *n, const struct device *d)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    if (!avr_spi_control(n, c, SPI_SPE) || !avr_spi_control(n, c, SPI_MSTR) || pin_is_output(n, c->ss) ||
        pin_level(n, c->ss))
        return;
    n->data[c->spcr] &= (uint8_t) ~(1u << SPI_MSTR);
    s->busy = 0;
    event_cancel(n, d, EVENT_DONE);
    avr_spi_set_flag(n, c);
}

static uint8_t on_wire(const struct node *n, const struct spi_config *c, uint8_t byte)
{
    return avr_spi_control(n, c, SPI_DORD) ? bit_order_reversed(byte) : byte;
}

static void avr_spi_received(struct node *n, const struct spi_config *c, struct spi *s, uint8_t wire)
{
    s->shift = on_wire(n, c, wire);
    n->data[c->spdr] = s->shift;
    avr_spi_set_flag(n, c);
}

/* ---- master ---- */

/* SCK is the I/O clock over 4, 16, 64, 128, or half of that with SPI2X. */
static unsigned clock_divider(const struct node *n, const struct spi_config *c)
{
    static const uint8_t dividers[4] = {4, 16, 64, 128};
    unsigned divider = dividers[n->data[c->spcr] & 3];
    return n->data[c->spsr] & 1u << SPI_SPI2X ? divider / 2 : divider;
}

static void avr_spi_transfer(struct node *n, const struct device *d)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    s->busy = 1;
    event_in(n, d, EVENT_DONE, CLOCK_IO, 8u * clock_divider(n, c));
}

/* Where no part is on the bus, what comes in is the level of the pin. */
static uint8_t avr_spi_exchange(struct node *n, const struct spi_config *c, uint8_t sent)
{
    uint8_t answer = spi_exchange(n, c->bus, sent);
    bool alone = n->machine->spi[c->bus].count == 1;
    return !alone || pin_level(n, c->miso) ? answer : 0;
}

static void spi_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    uint8_t sent = on_wire(n, c, s->shift);
    if (s->out_bit != (sent & 1)) {
        s->out_bit = sent & 1;
        avr_spi_claim_pins(n, d);
    }
    uint8_t answer = avr_spi_exchange(n, c, sent);
    s->busy = 0;
    avr_spi_received(n, c, s, answer);
}

/* ---- slave ---- */

static bool takes_part_as_slave(const struct node *n, const struct spi_config *c)
{
    return selected_as_slave(n, c) && !bits_get(n, c->power_reduction);
}

static uint8_t spi_next(const struct node *n, const struct device *d)
{
    const struct spi_config *c = d->config;
    const struct spi *s = device_state(n, d);
    return takes_part_as_slave(n, c) ? on_wire(n, c, s->shift) : 0xff;
}

static uint8_t spi_exchanged(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    if (!takes_part_as_slave(n, c))
        return 0xff;
    uint8_t answer = spi_next(n, d);
    s->out_bit = answer & 1;
    avr_spi_claim_pins(n, d);
    avr_spi_received(n, c, s, byte);
    return answer;
}

static void spi_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    (void)role, (void)level;
    const struct spi_config *c = d->config;
    if (!avr_spi_control(n, c, SPI_SPE) || bits_get(n, c->power_reduction))
        return;
    yield_to_other_master(n, d);
    avr_spi_claim_pins(n, d);
}

/* ---- registers ---- */

static void access_data(struct node *n, const struct spi_config *c, struct spi *s)
{
    if (!s->seen)
        return;
    n->data[c->spsr] &= (uint8_t)~s->seen;
    s->seen = 0;
    avr_interrupt_update(n, &c->interrupt);
}

static void spi_read(struct node *n, const struct device *d, unsigned role)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    if (bits_get(n, c->power_reduction))
        return;
    if (role == ROLE_SPSR)
        s->seen |= n->data[c->spsr] & (1u << SPI_SPIF | 1u << SPI_WCOL);
    else
        access_data(n, c, s);
}

/* SPSR changes by events and accesses to SPDR only. */
static bool spi_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *s)
{
    (void)n, (void)d, (void)s;
    return role == ROLE_SPSR;
}

static void write_data(struct node *n, const struct device *d, unsigned value)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    access_data(n, c, s);
    if (s->busy) {
        n->data[c->spsr] |= 1u << SPI_WCOL;
        return;
    }
    yield_to_other_master(n, d);
    s->shift = (uint8_t)value;
    if (avr_spi_control(n, c, SPI_SPE) && avr_spi_control(n, c, SPI_MSTR))
        avr_spi_transfer(n, d);
}

static void avr_spi_write_control(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    const unsigned master = 1u << SPI_SPE | 1u << SPI_MSTR;
    n->data[c->spcr] = (uint8_t)value;
    if ((value & master) != master && s->busy) {
        s->busy = 0;
        event_cancel(n, d, EVENT_DONE);
    }
    avr_interrupt_update(n, &c->interrupt);
    if (!((value | old) & 1u << SPI_SPE))
        return;
    avr_spi_claim_pins(n, d);
    yield_to_other_master(n, d);
    avr_spi_claim_pins(n, d);
}

static void spi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    if (role == ROLE_POWER) {
        bool stopped = bits_get(n, c->power_reduction);
        if (stopped != (bool)(old & bits_mask(c->power_reduction)))
            power_reduction_event(n, d, EVENT_DONE, CLOCK_IO, stopped, &s->left);
        return;
    }
    if (bits_get(n, c->power_reduction))
        return;
    switch (role) {
    case ROLE_SPCR: avr_spi_write_control(n, d, value, old); break;
    case ROLE_SPSR: n->data[c->spsr] = (uint8_t)((old & ~(1u << SPI_SPI2X)) | (value & 1u << SPI_SPI2X)); break;
    case ROLE_SPDR: write_data(n, d, value); break;
    }
}

static void spi_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)irq;
    const struct spi_config *c = d->config;
    struct spi *s = device_state(n, d);
    s->seen &= (uint8_t) ~(1u << SPI_SPIF);
    avr_interrupt_acknowledge(n, &c->interrupt);
}

const struct device_type spi_type = {
    .name = "spi",
    .state_size = sizeof(struct spi),
    .events = EVENTS,
    .connect = spi_connect,
    .reset = spi_reset,
    .event = spi_event,
    .read = spi_read,
    .outlook = spi_outlook,
    .write = spi_write,
    .acknowledge = spi_acknowledge,
    .input = spi_input,
    .spi = spi_exchanged,
    .spi_next = spi_next,
};
