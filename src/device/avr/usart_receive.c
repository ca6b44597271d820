/* The receiver of a USART, and the line that leads to it ("Data Reception - The USART Receiver"). */
#include "device/avr/usart_internal.h"

#include "node/pins.h"

/* ---- the receive buffer ---- */

/* A frame in the buffer carries the overrun that came before it. */
enum { FRAME_OVERRUN = 0x1000 };

static void show_head(struct node *n, const struct usart_config *c, const struct usart *s)
{
    unsigned head = s->rx_count ? s->rx_buffer[0] : 0, flags = 0;
    bool spi = usart_mode(n, c) == USART_MASTER_SPI; /* has no error flags */
    if (head & SERIAL_FRAMING_ERROR)
        flags |= 1u << USART_FE;
    if (head & SERIAL_PARITY_ERROR)
        flags |= 1u << USART_UPE;
    if ((head & FRAME_OVERRUN || s->rx_overrun) && !spi)
        flags |= 1u << USART_DOR;
    const uint8_t mask = 1u << USART_FE | 1u << USART_UPE | 1u << USART_DOR;
    n->data[c->ucsra] = (uint8_t)((n->data[c->ucsra] & ~mask) | flags);
    n->data[c->ucsrb] = (uint8_t)((n->data[c->ucsrb] & ~(1u << USART_RXB8)) | (head >> 8 & 1u) << USART_RXB8);
    avr_interrupt_flag(n, &c->rx, s->rx_count > 0);
}

static void move_to_buffer(struct usart *s, unsigned frame)
{
    s->rx_buffer[s->rx_count++] = (uint16_t)(frame | (s->rx_overrun ? FRAME_OVERRUN : 0));
    s->rx_overrun = 0;
}

void usart_rx_deliver(struct node *n, const struct device *d, unsigned frame)
{
    struct usart *s = device_state(n, d);
    if (s->rx_count < 2) {
        move_to_buffer(s, frame);
    } else {
        s->rx_overrun |= s->rx_waiting; /* without start bits (master SPI) a frame is lost only here */
        s->rx_shift = (uint16_t)frame;
        s->rx_waiting = 1;
    }
    show_head(n, d->config, s);
}

/* UDR is about to be read. An empty buffer gives what it gave last. */
void usart_rx_read(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (!s->rx_count)
        return;
    n->data[c->udr] = (uint8_t)s->rx_buffer[0];
    s->rx_buffer[0] = s->rx_buffer[1];
    s->rx_buffer[--s->rx_count] = 0;
    if (s->rx_waiting) {
        s->rx_waiting = 0;
        move_to_buffer(s, s->rx_shift);
    }
    show_head(n, c, s);
}

/* Switching off is immediate and empties the buffer. */
void usart_rx_enable(struct node *n, const struct device *d, bool on)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (!on) {
        s->rx_heard = s->rx_waiting = s->rx_overrun = 0;
        s->rx_count = 0;
        s->rx_buffer[0] = s->rx_buffer[1] = s->rx_shift = 0;
        show_head(n, c, s);
    }
    pin_set_override(n, c->rxd, on ? PIN_INPUT : PIN_NO_OVERRIDE);
}

/* ---- the line ---- */

/* A start bit. What waited in the shift register gives way to the new frame: Data OverRun. */
static void hear_start(struct node *n, const struct usart_config *c, struct usart *s)
{
    if (!s->rx_waiting)
        return;
    s->rx_waiting = 0;
    s->rx_overrun = 1;
    show_head(n, c, s);
}

static uint64_t usart_receive_line_tick(const struct node *n, const struct usart *s, uint64_t cycle)
{
    const struct clock *io = &n->state->clocks[CLOCK_IO];
    if (io->period)
        return clock_tick_of(io, cycle);
    uint64_t cycles = cycle - node_cycle(n, CLOCK_IO);
    return node_now(n) + (uint64_t)(((unsigned __int128)cycles * s->io_period) >> 32);
}

/* The first frame of the queue begins: when is its (first) stop bit sampled, and when is it over? */
static void time_frame(struct node *n, const struct device *d, struct usart *s)
{
    const struct usart_config *c = d->config;
    struct usart_format f = usart_format(n, c);
    uint64_t now = node_cycle(n, CLOCK_IO), bit = usart_bit_cycles(n, d);
    uint64_t before_stop = (1u + f.data + f.parity) * bit;
    if (usart_mode(n, c) == USART_ASYNCHRONOUS) {
        /* The bit is decided with samples 8, 9, 10 of 16, or 4, 5, 6 of 8; sample 1 is the first to see the start. */
        unsigned last = usart_divider(n, c) == 16 ? 9 : 5;
        s->rx_expected = usart_next_tick(n, d) + before_stop + last * (s->ubrr + 1u);
    } else {
        now = usart_next_bit(n, d);
        s->rx_expected = now + before_stop + bit / 2;
    }
    s->rx_end = usart_receive_line_tick(n, s, now + before_stop + f.stop * bit);
    event_at(n, d, USART_EVENT_RX, CLOCK_TICK, usart_receive_line_tick(n, s, s->rx_expected));
}

static void usart_receive_frame_begins(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    uint64_t period = n->state->clocks[CLOCK_IO].period;
    if (period)
        s->io_period = period;
    s->rx_phase = USART_RX_BITS;
    s->rx_heard = period && n->data[c->ucsrb] & 1u << USART_RXEN && !bits_get(n, c->power_reduction) &&
                  usart_mode(n, c) != USART_MASTER_SPI;
    pin_drive(n, c->rxd, PIN_HIGH); /* until the first frame nothing is connected */
    pin_drive(n, c->rxd, PIN_LOW);
    if (s->rx_heard)
        hear_start(n, c, s);
    if (s->rx_heard && usart_is_slave(n, c)) {
        struct usart_format f = usart_format(n, c);
        s->rx_edges = (uint8_t)(2 + f.data + f.parity);
    } else {
        time_frame(n, d, s);
    }
}

void usart_line_passed(struct node *n, const struct device *d)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    s->queue.frames[s->queue.first] = 0;
    s->queue.first = (s->queue.first + 1) % USART_QUEUE;
    s->queue.count--;
    s->rx_phase = USART_RX_IDLE;
    pin_drive(n, c->rxd, PIN_HIGH);
    if (s->queue.count)
        usart_receive_frame_begins(n, d);
}

bool usart_line_offer(struct node *n, const struct device *d, unsigned frame)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    if (frame & SERIAL_WAIT && !(n->data[c->ucsrb] & 1u << USART_RXEN))
        return false;
    if (s->queue.count == USART_QUEUE)
        return false;
    unsigned last = (s->queue.first + s->queue.count++) % USART_QUEUE;
    s->queue.frames[last] = (uint16_t)(frame & ~(unsigned)SERIAL_WAIT);
    if (s->rx_phase == USART_RX_IDLE)
        usart_receive_frame_begins(n, d);
    return true;
}

/* What the receiver makes of a frame: 0x10000 if it is none of its business. */
static unsigned usart_receive_receive(struct node *n, const struct usart_config *c, unsigned frame)
{
    enum { IGNORED = 0x10000 };
    struct usart_format f = usart_format(n, c);
    unsigned data = frame & ((1u << f.data) - 1), flags = frame & SERIAL_FRAMING_ERROR;
    if (frame & SERIAL_BREAK) {
        data = 0;
        flags = SERIAL_FRAMING_ERROR | (usart_parity(n, c, 0) ? SERIAL_PARITY_ERROR : 0);
    }
    if (n->data[c->ucsra] & 1u << USART_MPCM) {
        /* An address frame has its ninth bit, or with fewer bits its first stop bit, set. */
        bool address = f.data == 9 ? data >> 8 & 1 : !(flags & SERIAL_FRAMING_ERROR);
        if (!address)
            return IGNORED;
    }
    flags |= frame & SERIAL_PARITY_ERROR;
    if (!f.parity)
        flags &= ~(unsigned)SERIAL_PARITY_ERROR;
    return data | flags;
}

static void frame_arrives(struct node *n, const struct device *d, bool heard)
{
    const struct usart_config *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned frame = s->queue.frames[s->queue.first];
    s->rx_phase = USART_RX_STOP;
    if (!(frame & (SERIAL_FRAMING_ERROR | SERIAL_BREAK)))
        pin_drive(n, c->rxd, PIN_HIGH);
    unsigned received = usart_receive_receive(n, c, frame);
    if (heard && received <= UINT16_MAX)
        usart_rx_deliver(n, d, received);
}

void usart_rx_event(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    if (s->rx_phase == USART_RX_STOP) {
        usart_line_passed(n, d);
        return;
    }
    /* A clock that stood still (sleep) for half a bit or more cost the receiver the frame. */
    uint64_t tolerance = usart_bit_cycles(n, d) / 2;
    frame_arrives(n, d, s->rx_heard && node_cycle(n, CLOCK_IO) + tolerance >= s->rx_expected);
    event_at(n, d, USART_EVENT_RX, CLOCK_TICK, s->rx_end);
}

/* Synchronous slave: the edge of XCK on which data is sampled. */
void usart_rx_edge(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    if (!s->rx_edges || --s->rx_edges)
        return;
    if (s->rx_phase == USART_RX_BITS) {
        frame_arrives(n, d, s->rx_heard);
        s->rx_edges = (uint8_t)(usart_format(n, d->config).stop - 1);
    }
    if (!s->rx_edges)
        usart_line_passed(n, d);
}

/* No longer a slave: the frame that waited for a clock from outside passes by itself, and is lost. */
void usart_rx_mode_changed(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    if (!s->rx_edges || usart_is_slave(n, d->config))
        return;
    s->rx_edges = s->rx_heard = 0;
    s->rx_phase = USART_RX_BITS;
    time_frame(n, d, s);
}
