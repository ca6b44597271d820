/* Characters on a serial line (SLAU049, chapter 13). */
#include "device/msp430/usart_internal.h"

enum phase { LINE_IDLE, LINE_BITS, LINE_STOP };
enum { IDLE_BITS = 10, ADDRESS_IDLE_BITS = 11 };

/* ---- formats and times ---- */

static unsigned data_bits(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_CHAR ? 8 : 7;
}

static bool has_address_bit(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_MM;
}

static unsigned bits_before_stop(const struct node *n, const struct msp430_usart *c)
{
    return 1 + data_bits(n, c) + has_address_bit(n, c) + (usart_get(n, c, USART_CTL) & USART_PENA ? 1 : 0);
}

static unsigned stop_bits(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_SPB ? 2 : 1;
}

/* Cycles of BRCLK in the first bits of a character: bit i lasts one more where UxMCTL has its bit i modulo 8 set. */
static uint64_t cycles_in(const struct node *n, const struct msp430_usart *c, unsigned bits)
{
    unsigned modulation = usart_get(n, c, USART_MCTL);
    uint64_t cycles = (uint64_t)bits * usart_br(n, c);
    cycles += bits / 8 * (unsigned)__builtin_popcount(modulation);
    return cycles + (unsigned)__builtin_popcount(modulation & ((1u << bits % 8) - 1));
}

/* ---- transmitter ---- */

/* An address is marked by its address bit, or by an idle line before it that is sent in place of one character: TXWAKE
 * (13.2.3). */
unsigned uart_shape(struct node *n, const struct device *d, uint64_t *cycles)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned bits = data_bits(n, c), data = usart_get(n, c, USART_TXBUF) & ((1u << bits) - 1);
    bool wake = usart_get(n, c, USART_TCTL) & USART_TXWAKE;
    usart_set(n, c, USART_TCTL, usart_get(n, c, USART_TCTL) & ~(unsigned)USART_TXWAKE);
    s->tx_idling = wake && !has_address_bit(n, c);
    *cycles = cycles_in(n, c, s->tx_idling ? ADDRESS_IDLE_BITS : bits_before_stop(n, c) + stop_bits(n, c));
    return data | (wake && has_address_bit(n, c) ? 1u << bits : 0);
}

static void usart_uart_hear(struct node *n, const struct device *d, unsigned frame, bool after_idle);

void uart_sent(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->tx_idling) {
        s->tx_idling = 0;
        return;
    }
    serial_send(n, c->line, s->tx_shift);
    if (usart_get(n, c, USART_CTL) & USART_LISTEN && usart_enabled(n, c, c->rx))
        usart_uart_hear(n, d, s->tx_shift, false);
}

/* ---- receiver ---- */

static unsigned errors_of(const struct node *n, const struct msp430_usart *c, unsigned frame)
{
    unsigned errors = 0;
    if (frame & SERIAL_BREAK)
        errors |= USART_BRK | USART_FE;
    if (frame & SERIAL_FRAMING_ERROR)
        errors |= USART_FE;
    if (frame & SERIAL_PARITY_ERROR && usart_get(n, c, USART_CTL) & USART_PENA)
        errors |= USART_PE;
    return errors ? errors | USART_RXERR : 0;
}

/* A character with errors is dropped unless URXEIE is set, one that is no address if URXWIE is set (13.2.4). */
static void usart_uart_hear(struct node *n, const struct device *d, unsigned frame, bool after_idle)
{
    const struct msp430_usart *c = d->config;
    unsigned bits = data_bits(n, c), rctl = usart_get(n, c, USART_RCTL), errors = errors_of(n, c, frame);
    bool address = has_address_bit(n, c) ? frame >> bits & 1 : after_idle;
    if ((errors && !(rctl & USART_URXEIE)) || (!address && rctl & USART_URXWIE))
        return;
    usart_set(n, c, USART_RCTL, (rctl & ~(unsigned)USART_RXWAKE) | errors | (address ? USART_RXWAKE : 0u));
    usart_receive(n, d, (uint8_t)(frame & SERIAL_BREAK ? 0 : frame & ((1u << bits) - 1)));
}

/* ---- the line ---- */

static uint64_t usart_uart_line_tick(const struct node *n, const struct device *d, uint64_t cycle)
{
    const struct usart *s = device_state(n, d);
    unsigned clock = usart_clock(n, d->config);
    if (n->state->clocks[clock].period)
        return clock_tick_of(&n->state->clocks[clock], cycle);
    uint64_t cycles = cycle - node_cycle(n, clock);
    return node_now(n) + (uint64_t)(((unsigned __int128)cycles * s->period) >> 32);
}

static bool usart_uart_listens(const struct node *n, const struct msp430_usart *c)
{
    return usart_runs(n, c, USART_MODE_UART) && usart_enabled(n, c, c->rx);
}

/* The start edge; with URXSE it also asks for an interrupt, which is what can wake BRCLK (13.2.8). */
static void start_edge(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool awake = n->state->clocks[usart_clock(n, c)].period, edge = usart_get(n, c, USART_TCTL) & USART_URXSE;
    s->rx_heard = usart_uart_listens(n, c) && (awake || edge) && !(usart_get(n, c, USART_CTL) & USART_LISTEN);
    pin_drive(n, c->urxd, PIN_HIGH); /* until the first character nothing is connected */
    pin_drive(n, c->urxd, PIN_LOW);
    if (s->rx_heard && edge) {
        s->rx_started = 1;
        usart_update(n, d);
    }
}

static void usart_uart_frame_begins(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned clock = usart_clock(n, c), before = bits_before_stop(n, c);
    uint64_t period = n->state->clocks[clock].period, now = node_cycle(n, clock);
    if (period)
        s->period = period;
    s->rx_phase = LINE_BITS;
    s->rx_address =
        node_now(n) - s->rx_end >= usart_uart_line_tick(n, d, now + cycles_in(n, c, IDLE_BITS)) - node_now(n);
    /* Decided by the majority of three samples around the middle of the bit, the last one a cycle past it. */
    uint64_t middle = (cycles_in(n, c, before + 1) - cycles_in(n, c, before)) / 2 + 1;
    s->rx_expected = now + 1 + cycles_in(n, c, before) + middle;
    s->rx_end = usart_uart_line_tick(n, d, now + cycles_in(n, c, before + stop_bits(n, c)));
    event_at(n, d, USART_EVENT_RX, CLOCK_TICK, usart_uart_line_tick(n, d, s->rx_expected));
    start_edge(n, d);
}

void uart_line_passed(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    s->queue.frames[s->queue.first] = 0;
    s->queue.first = (s->queue.first + 1) % USART_QUEUE;
    s->queue.count--;
    s->rx_phase = LINE_IDLE;
    pin_drive(n, c->urxd, PIN_HIGH);
    if (s->queue.count)
        usart_uart_frame_begins(n, d);
}

bool uart_line_offer(struct node *n, const struct device *d, unsigned frame)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if ((frame & SERIAL_WAIT && !usart_uart_listens(n, c)) || s->queue.count == USART_QUEUE)
        return false;
    unsigned last = (s->queue.first + s->queue.count++) % USART_QUEUE;
    s->queue.frames[last] = (uint16_t)(frame & ~(unsigned)SERIAL_WAIT);
    if (s->rx_phase == LINE_IDLE)
        usart_uart_frame_begins(n, d);
    return true;
}

void uart_line_event(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->rx_phase == LINE_STOP) {
        uart_line_passed(n, d);
        return;
    }
    unsigned frame = s->queue.frames[s->queue.first];
    s->rx_phase = LINE_STOP;
    if (!(frame & (SERIAL_FRAMING_ERROR | SERIAL_BREAK)))
        pin_drive(n, c->urxd, PIN_HIGH);
    /* A clock that stood still for half a bit or more cost the receiver the character. */
    uint64_t tolerance = usart_br(n, c) / 2;
    if (s->rx_heard && usart_uart_listens(n, c) && node_cycle(n, usart_clock(n, c)) + tolerance >= s->rx_expected)
        usart_uart_hear(n, d, frame, s->rx_address);
    event_at(n, d, USART_EVENT_RX, CLOCK_TICK, s->rx_end);
}
