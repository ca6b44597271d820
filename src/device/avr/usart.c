#include "device/avr/usart.h"

#include "device/avr/power_reduction.h"
#include "device/avr/usart_internal.h"
#include "node/pins.h"

enum {
    ROLE_UDR,
    ROLE_UCSRA,
    ROLE_UCSRB,
    ROLE_UCSRC,
    ROLE_UBRRL,
    ROLE_UBRRH,
    ROLE_POWER,
    ROLE_XCK,
    ROLE_LINE,
};

enum { IRQ_RX, IRQ_UDRE, IRQ_TX };

static void usart_connect(const struct device *d, struct wiring *w)
{
    const struct usart_config *c = d->config;
    wire_register(w, d, c->udr, ROLE_UDR, WIRE_WRITE | WIRE_READ, 0xff);
    wire_register(w, d, c->ucsra, ROLE_UCSRA, WIRE_WRITE, 0xff);
    wire_register(w, d, c->ucsrb, ROLE_UCSRB, WIRE_WRITE, 0xff);
    wire_register(w, d, c->ucsrc, ROLE_UCSRC, WIRE_WRITE, 0xff);
    wire_register(w, d, c->ubrrl, ROLE_UBRRL, WIRE_WRITE, 0xff);
    wire_register(w, d, c->ubrrh, ROLE_UBRRH, WIRE_WRITE, 0x0f);
    power_reduction_wire(w, d, c->power_reduction, ROLE_POWER);
    avr_interrupt_wire(w, d, &c->rx, IRQ_RX);
    avr_interrupt_wire(w, d, &c->udre, IRQ_UDRE);
    avr_interrupt_wire(w, d, &c->tx, IRQ_TX);
    wire_pin(w, d, c->xck, ROLE_XCK);
    wire_serial(w, d, c->line, ROLE_LINE);
    if (c->spi_bus)
        wire_spi_bus(w, d, c->spi_bus);
}

static void usart_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    /* The line goes on without us: what is queued still comes, but for the frame that was passing. */
    struct usart_queue queue = s->queue;
    bool passing = s->rx_phase != USART_RX_IDLE;
    *s = (struct usart){.queue = queue, .io_period = CLOCK_ONE, .tx_left = NEVER};
    s->tick_base = node_cycle(n, CLOCK_IO);
    n->data[c->ucsra] = 1u << USART_UDRE;
    n->data[c->ucsrc] = 3u << USART_UCSZ;
    pin_set_override(n, c->rxd, PIN_NO_OVERRIDE);
    pin_set_override(n, c->txd, PIN_NO_OVERRIDE);
    pin_set_override(n, c->xck, PIN_NO_OVERRIDE);
    if (passing)
        usart_line_passed(n, d);
}

static void usart_event(struct node *n, const struct device *d, unsigned event)
{
    switch (event) {
    case USART_EVENT_TX: usart_tx_done(n, d); break;
    case USART_EVENT_RX: usart_rx_event(n, d); break;
    case USART_EVENT_PINS: usart_pins_event(n, d); break;
    }
}

/* ---- registers ---- */

static void usart_read(struct node *n, const struct device *d, unsigned role)
{
    const struct usart_config *c = d->config;
    if (role == ROLE_UDR && !bits_get(n, c->power_reduction))
        usart_rx_read(n, d);
}

static void write_ucsra(struct node *n, const struct device *d, unsigned value)
{
    const struct usart_config *c = d->config;
    const uint8_t stored = 1u << USART_U2X | 1u << USART_MPCM;
    n->data[c->ucsra] = (uint8_t)((n->data[c->ucsra] & ~stored) | (value & stored));
    avr_interrupt_flag_written(n, &c->tx, value);
    usart_baud_changed(n, d);
}

static void write_ucsrb(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct usart_config *c = d->config;
    n->data[c->ucsrb] = (uint8_t)((value & ~(1u << USART_RXB8)) | (old & 1u << USART_RXB8));
    avr_interrupt_update(n, &c->rx);
    avr_interrupt_update(n, &c->udre);
    avr_interrupt_update(n, &c->tx);
    if ((value ^ old) & 1u << USART_RXEN)
        usart_rx_enable(n, d, value & 1u << USART_RXEN);
    if ((value ^ old) & 1u << USART_TXEN)
        usart_tx_enable(n, d);
}

static void write_ubrr(struct node *n, const struct device *d, unsigned ubrr, bool reload)
{
    struct usart *s = device_state(n, d);
    usart_baud_set(n, s, ubrr, reload);
    usart_baud_changed(n, d);
}

/* The clock of the module stops or goes on (PRUSART): so does what the transmitter sends; frames on the line pass. */
static void clock_stops(struct node *n, const struct device *d, bool stopped)
{
    struct usart *s = device_state(n, d);
    power_reduction_event(n, d, USART_EVENT_TX, CLOCK_IO, stopped, &s->tx_left);
    event_cancel(n, d, USART_EVENT_PINS);
    if (stopped)
        s->rx_heard = 0;
    else if (event_pending(n, d, USART_EVENT_TX))
        s->tx_end = event_cycle(n, d, USART_EVENT_TX);
}

static void usart_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (role == ROLE_POWER) {
        bool stopped = bits_get(n, c->power_reduction);
        if (stopped != (bool)(old & bits_mask(c->power_reduction)))
            clock_stops(n, d, stopped);
        return;
    }
    if (bits_get(n, c->power_reduction))
        return;
    switch (role) {
    case ROLE_UDR: usart_tx_write(n, d, value); break;
    case ROLE_UCSRA: write_ucsra(n, d, value); break;
    case ROLE_UCSRB: write_ucsrb(n, d, value, old); break;
    case ROLE_UCSRC:
        n->data[c->ucsrc] = (uint8_t)(c->master_spi ? value : value & 0x7f);
        usart_baud_changed(n, d);
        usart_rx_mode_changed(n, d);
        usart_pins_idle(n, d);
        break;
    case ROLE_UBRRL:
        n->data[c->ubrrl] = (uint8_t)value;
        write_ubrr(n, d, (n->data[c->ubrrh] & 0xfu) << 8 | value, true);
        break;
    case ROLE_UBRRH:
        n->data[c->ubrrh] = value & 0xf;
        write_ubrr(n, d, (value & 0xfu) << 8 | (s->ubrr & 0xff), false);
        break;
    }
}

static void usart_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    const struct usart_config *c = d->config;
    if (irq == IRQ_TX)
        avr_interrupt_acknowledge(n, &c->tx);
}

/* XCK, of interest to a synchronous slave only. */
static void usart_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    (void)role;
    const struct usart_config *c = d->config;
    if (!usart_is_slave(n, c) || bits_get(n, c->power_reduction))
        return;
    bool changes = level != (bool)(n->data[c->ucsrc] & 1u << USART_UCPOL); /* else this edge samples */
    if (changes)
        usart_tx_edge(n, d);
    else
        usart_rx_edge(n, d);
}

static bool usart_serial(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    (void)role;
    return usart_line_offer(n, d, frame);
}

static void usart_canonical(struct node *n, const struct device *d)
{
    enum { PHASES = 16 }; /* a multiple of every divider */
    struct usart *s = device_state(n, d);
    uint64_t now = node_cycle(n, CLOCK_IO), length = s->ubrr + 1u;
    uint64_t ticks = now > s->tick_base ? (now - s->tick_base) / length : 0;
    s->tick_base += ticks * length;
    s->phase = (uint8_t)((s->phase + ticks) % PHASES);
    if (!s->tx_busy)
        s->tx_end = 0;
}

const struct device_type usart_type = {
    .name = "usart",
    .state_size = sizeof(struct usart),
    .events = USART_EVENTS,
    .connect = usart_connect,
    .reset = usart_reset,
    .event = usart_event,
    .read = usart_read,
    .write = usart_write,
    .acknowledge = usart_acknowledge,
    .input = usart_input,
    .serial = usart_serial,
    .canonical = usart_canonical,
};
