/* The transmitter of a USART, and the pins it drives ("Data Transmission - The USART Transmitter", "USART in SPI
 * mode"). */
#include "device/avr/usart_internal.h"

#include "device/bit_order.h"
#include "node/machine.h"
#include "node/pins.h"

/* ---- pins ---- */

static bool part_listens(const struct node *n, unsigned pin)
{
    if (pin == PIN_NONE)
        return false;
    struct wire_run run = n->machine->pins[pin];
    for (unsigned i = 0; i < run.count; i++)
        if (n->machine->wires[run.first + i].device->part)
            return true;
    return false;
}

static void drive_clock(struct node *n, const struct usart_config *c, bool high)
{
    pin_set_override(n, c->xck, high ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
}

void usart_pins_idle(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    enum usart_mode mode = usart_mode(n, c);
    if (!event_pending(n, d, USART_EVENT_PINS))
        pin_set_override(n, c->txd, s->tx_on ? PIN_OUTPUT_HIGH : PIN_NO_OVERRIDE);
    if (mode == USART_SYNCHRONOUS || mode == USART_MASTER_SPI)
        drive_clock(n, c, n->data[c->ucsrc] & 1u << USART_UCPOL);
    else
        pin_set_override(n, c->xck, PIN_NO_OVERRIDE);
}

/* Steps are halves of a bit where there is a clock to show, else bits. */
static unsigned steps_in_bit(const struct node *n, const struct usart_config *c)
{
    return usart_mode(n, c) == USART_ASYNCHRONOUS ? 1 : 2;
}

static void pins_begin(struct node *n, const struct device *d, uint64_t start)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    s->tx_step = 0;
    if (part_listens(n, c->txd) || part_listens(n, c->xck))
        event_at(n, d, USART_EVENT_PINS, CLOCK_IO, start);
}

void usart_pins_event(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned steps = steps_in_bit(n, c), step = s->tx_step++;
    bool bit = s->tx_wire >> step / steps & 1;
    pin_set_override(n, c->txd, bit ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW);
    if (steps == 2) {
        /* Synchronous: data changes on the first edge, as with UCPHA set. */
        bool spi = usart_mode(n, c) == USART_MASTER_SPI, phase = n->data[c->ucsrc] & 1u << USART_UCSZ;
        bool first_half = step % 2 == 0, active = first_half == (!spi || phase);
        drive_clock(n, c, active != (bool)(n->data[c->ucsrc] & 1u << USART_UCPOL));
    }
    if (s->tx_step < s->tx_bits * steps)
        event_at(n, d, USART_EVENT_PINS, CLOCK_IO,
                 s->tx_end - s->tx_bit_cycles / steps * (s->tx_bits * steps - s->tx_step));
}

/* ---- frames ---- */

/* What goes over the wire: start bit, data with the least significant bit first, parity, stop bits. */
static void shape_frame(struct node *n, const struct usart_config *c, struct usart *s)
{
    struct usart_format f = usart_format(n, c);
    unsigned data = s->tx_buffer & ((1u << f.data) - 1);
    s->tx_shift = (uint16_t)data;
    if (usart_mode(n, c) == USART_MASTER_SPI) {
        s->tx_bits = 8;
        s->tx_wire = bit_order_reversed(usart_spi_order(n, c, (uint8_t)data));
        return;
    }
    unsigned wire = data << 1, at = 1u + f.data;
    if (f.parity)
        wire |= usart_parity(n, c, data) << at++;
    for (unsigned i = 0; i < f.stop; i++)
        wire |= 1u << at++;
    s->tx_bits = (uint8_t)at;
    s->tx_wire = (uint16_t)wire;
}

/* Moves the buffer to the idle shift register; the frame begins at the given cycle. */
static void load_shift(struct node *n, const struct device *d, uint64_t start)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    shape_frame(n, c, s);
    s->tx_full = 0;
    s->tx_busy = 1;
    avr_interrupt_flag(n, &c->udre, true);
    if (usart_is_slave(n, c)) {
        s->tx_edges = (uint8_t)(s->tx_bits + 1);
        return;
    }
    s->tx_bit_cycles = usart_bit_cycles(n, d);
    s->tx_end = start + s->tx_bits * s->tx_bit_cycles;
    event_at(n, d, USART_EVENT_TX, CLOCK_IO, s->tx_end);
    pins_begin(n, d, start);
}

/* "The shift register is loaded with new data if it is in idle state"; the start bit comes with the next bit clock. */
void usart_tx_write(struct node *n, const struct device *d, unsigned value)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (!bits_get(n, c->udre.flag))
        return;
    s->tx_buffer = (uint16_t)(value | (n->data[c->ucsrb] >> USART_TXB8 & 1u) << 8);
    s->tx_full = 1;
    avr_interrupt_flag(n, &c->udre, false);
    if (s->tx_on && !s->tx_busy)
        load_shift(n, d, usart_next_bit(n, d));
}

/* Switching off takes effect when all that was written has been sent. */
void usart_tx_enable(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    bool enabled = n->data[c->ucsrb] & 1u << USART_TXEN;
    if (enabled || !s->tx_busy)
        s->tx_on = enabled;
    usart_pins_idle(n, d);
    if (s->tx_on && s->tx_full && !s->tx_busy)
        load_shift(n, d, usart_next_bit(n, d));
}

static void usart_transmit_hand_over(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (usart_mode(n, c) != USART_MASTER_SPI) {
        serial_send(n, c->line, s->tx_shift);
        return;
    }
    uint8_t answer = spi_exchange(n, c->spi_bus, usart_spi_order(n, c, (uint8_t)s->tx_shift));
    bool alone = n->machine->spi[c->spi_bus].count == 0;
    if (alone && !pin_level(n, c->rxd))
        answer = 0;
    if (n->data[c->ucsrb] & 1u << USART_RXEN)
        usart_rx_deliver(n, d, usart_spi_order(n, c, answer));
}

void usart_tx_done(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    s->tx_busy = 0;
    usart_transmit_hand_over(n, d);
    if (s->tx_full) {
        load_shift(n, d, s->tx_end);
        return;
    }
    avr_interrupt_flag(n, &c->tx, true);
    s->tx_on = n->data[c->ucsrb] >> USART_TXEN & 1;
    usart_pins_idle(n, d);
}

/* Synchronous slave: the edge of XCK on which data changes. */
void usart_tx_edge(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (!s->tx_edges)
        return;
    if (--s->tx_edges == 0) {
        usart_tx_done(n, d);
        if (!s->tx_edges)
            return;
        s->tx_edges--; /* this edge also begins the next frame */
    }
    bool bit = s->tx_wire >> (s->tx_bits - s->tx_edges) & 1;
    pin_set_override(n, c->txd, bit ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW);
}

/* The bit length or the mode changed: the frame going out has as many bits to go as before. */
void usart_baud_changed(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    uint64_t length = usart_bit_cycles(n, d), now = node_cycle(n, CLOCK_IO), bits;
    if (!s->tx_busy || usart_is_slave(n, c))
        return;
    if (s->tx_edges)
        bits = s->tx_edges;
    else if (length == s->tx_bit_cycles || s->tx_end <= now)
        return;
    else
        bits = (s->tx_end - now + s->tx_bit_cycles - 1) / s->tx_bit_cycles;
    s->tx_edges = 0;
    s->tx_bit_cycles = length;
    s->tx_end = usart_next_bit(n, d) + (bits - 1) * length;
    event_at(n, d, USART_EVENT_TX, CLOCK_IO, s->tx_end);
    event_cancel(n, d, USART_EVENT_PINS);
}
