#include "device/cc2538/uart.h"

#include "device/cc2538/sys_ctrl.h"

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCRH = 0x2c,
    CTL = 0x30,
    IFLS = 0x34,
    IM = 0x38,
    RIS = 0x3c,
    MIS = 0x40,
    ICR = 0x44,
    DMACTL = 0x48,
    PP = 0xfc0,
    CC = 0xfc8
};
enum { ROLE_DR, ROLE_RSR, ROLE_FR, ROLE_LCRH, ROLE_CTL, ROLE_IM, ROLE_ICR, ROLE_DMACTL };
enum { EVENT_TX, EVENT_RX, EVENT_TIMEOUT };
enum { FIFO = 16, QUEUE = 256 /* a power of two */, TIMEOUT_BITS = 32 };

/* Bits. */
enum { FR_TXFE = 0x80, FR_RXFF = 0x40, FR_TXFF = 0x20, FR_RXFE = 0x10, FR_BUSY = 8 };
enum { LCRH_FEN = 0x10, LCRH_STP2 = 8, LCRH_PEN = 2 };
enum { CTL_RXE = 0x200, CTL_TXE = 0x100, CTL_LBE = 0x80, CTL_HSE = 0x20, CTL_EOT = 0x10, CTL_UARTEN = 1 };
enum { INT_OVERRUN = 0x400, INT_FRAMING = 0x80, INT_PARITY = 0x100, INT_BREAK = 0x200 };
enum { INT_TIMEOUT = 0x40, INT_TX = 0x20, INT_RX = 0x10 };
enum { DR_OVERRUN = 0x800, DR_BREAK = 0x400, DR_PARITY = 0x200, DR_FRAMING = 0x100 };

struct uart {
    uint16_t head, waiting;    /* of what comes on the line */
    uint8_t tx_head, tx_count; /* without the frame on its way */
    uint8_t rx_head, rx_count;
    uint8_t sending;
    uint8_t byte; /* on its way */
    uint8_t tx[FIFO];
    uint16_t rx[FIFO], queue[QUEUE];
};

static unsigned uart_room(const struct node *n, const struct device *d)
{
    return block32_get(n, d, LCRH) & LCRH_FEN ? FIFO : 1;
}

static bool uart_on(const struct node *n, const struct device *d, uint32_t way)
{
    return (block32_get(n, d, CTL) & (CTL_UARTEN | way)) == (CTL_UARTEN | way);
}

/* Ticks of a bit times `bits`. */
static uint64_t uart_bits(const struct node *n, const struct device *d, unsigned bits)
{
    double divisor = (block32_get(n, d, IBRD) & 0xffff) + (block32_get(n, d, FBRD) & 0x3f) / 64.0;
    double over = block32_get(n, d, CTL) & CTL_HSE ? 8 : 16, hz = cc2538_io_hz(n);
    if ((block32_get(n, d, CC) & 7) == 1)
        hz = (double)n->machine->hz * (double)CLOCK_ONE / (double)n->state->clocks[CLOCK_IO].period;
    uint64_t ticks = node_ticks(n, bits * over * (divisor < 1 ? 1 : divisor) / hz);
    return ticks ? ticks : 1;
}

static uint64_t uart_frame(const struct node *n, const struct device *d)
{
    uint32_t line = block32_get(n, d, LCRH);
    unsigned bits = 1 + 5 + (line >> 5 & 3) + (line & LCRH_PEN ? 1 : 0) + (line & LCRH_STP2 ? 2 : 1);
    return uart_bits(n, d, bits);
}

/* ---- interrupts ---- */

static void uart_ask(struct node *n, const struct device *d)
{
    uint32_t asks = block32_get(n, d, RIS) & block32_get(n, d, IM);
    block32_set(n, d, MIS, asks);
    node_irq(n, block32_of(d)->line, asks);
}

static void uart_flag(struct node *n, const struct device *d, uint32_t bits, bool on)
{
    uint32_t flags = block32_get(n, d, RIS);
    block32_set(n, d, RIS, on ? flags | bits : flags & ~bits);
    uart_ask(n, d);
}

/* Frames in the FIFO from which on the receiver asks; up to which the transmitter does. */
static unsigned uart_level(const struct node *n, const struct device *d, unsigned shift)
{
    static const uint8_t eighths[8] = {1, 2, 4, 6, 7, 7, 7, 7};
    return uart_room(n, d) == 1 ? 1 : eighths[block32_get(n, d, IFLS) >> shift & 7] * FIFO / 8;
}

static unsigned uart_tx_level(const struct node *n, const struct device *d)
{
    if (block32_get(n, d, CTL) & CTL_EOT || uart_room(n, d) == 1)
        return 0;
    return uart_level(n, d, 0);
}

/* ---- sending ---- */

static void uart_next(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    if (u->sending || !u->tx_count || !uart_on(n, d, CTL_TXE))
        return;
    u->byte = u->tx[u->tx_head];
    u->tx_head = (u->tx_head + 1) % FIFO;
    u->tx_count--;
    u->sending = 1;
    event_in(n, d, EVENT_TX, CLOCK_TICK, uart_frame(n, d));
    if (!(block32_get(n, d, CTL) & CTL_EOT) && u->tx_count == uart_tx_level(n, d))
        uart_flag(n, d, INT_TX, true);
}

static void uart_put(struct node *n, const struct device *d, uint8_t byte)
{
    struct uart *u = device_state(n, d);
    if (u->tx_count == uart_room(n, d))
        return; /* lost, as on the chip */
    u->tx[(u->tx_head + u->tx_count++) % FIFO] = byte;
    if (u->tx_count > uart_tx_level(n, d))
        uart_flag(n, d, INT_TX, false);
    uart_next(n, d);
}

/* ---- receiving ---- */

static void uart_arrives(struct node *n, const struct device *d, unsigned frame)
{
    struct uart *u = device_state(n, d);
    unsigned room = uart_room(n, d);
    uint16_t word = (uint16_t)((frame & 0xff) | (frame & SERIAL_FRAMING_ERROR ? DR_FRAMING : 0) |
                               (frame & SERIAL_PARITY_ERROR ? DR_PARITY : 0) | (frame & SERIAL_BREAK ? DR_BREAK : 0));
    if (!uart_on(n, d, CTL_RXE))
        return;
    if (u->rx_count == room) {
        u->rx[(u->rx_head + u->rx_count - 1) % FIFO] |= DR_OVERRUN;
        uart_flag(n, d, INT_OVERRUN, true);
        return;
    }
    u->rx[(u->rx_head + u->rx_count++) % FIFO] = word;
    if (word & (DR_FRAMING | DR_PARITY | DR_BREAK))
        uart_flag(n, d, (uint32_t)(word >> 1) & (INT_FRAMING | INT_PARITY | INT_BREAK), true);
    if (u->rx_count >= uart_level(n, d, 3))
        uart_flag(n, d, INT_RX, true);
    event_in(n, d, EVENT_TIMEOUT, CLOCK_TICK, uart_bits(n, d, TIMEOUT_BITS));
}

static void uart_take(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    if (!u->rx_count)
        return;
    uint16_t word = u->rx[u->rx_head];
    u->rx_head = (u->rx_head + 1) % FIFO;
    u->rx_count--;
    block32_set(n, d, DR, word);
    block32_set(n, d, RSR, word >> 8 & 15);
    if (u->rx_count < uart_level(n, d, 3))
        uart_flag(n, d, INT_RX, false);
    if (!u->rx_count) {
        event_cancel(n, d, EVENT_TIMEOUT);
        uart_flag(n, d, INT_TIMEOUT, false);
    }
}

static void uart_line(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    unsigned frame = u->queue[u->head];
    u->head = (u->head + 1) % QUEUE;
    u->waiting--;
    if (u->waiting)
        event_in(n, d, EVENT_RX, CLOCK_TICK, uart_frame(n, d));
    uart_arrives(n, d, frame);
}

static bool uart_serial(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    struct uart *u = device_state(n, d);
    (void)role;
    if (u->waiting == QUEUE || (frame & SERIAL_WAIT && !uart_on(n, d, CTL_RXE)))
        return false;
    u->queue[(u->head + u->waiting++) % QUEUE] = (uint16_t)(frame & ~(unsigned)SERIAL_WAIT);
    if (u->waiting == 1)
        event_in(n, d, EVENT_RX, CLOCK_TICK, uart_frame(n, d));
    return true;
}

static void uart_event(struct node *n, const struct device *d, unsigned event)
{
    const struct cc2538_uart *c = d->config;
    struct uart *u = device_state(n, d);
    if (event == EVENT_RX) {
        uart_line(n, d);
    } else if (event == EVENT_TIMEOUT) {
        uart_flag(n, d, INT_TIMEOUT, u->rx_count > 0);
    } else {
        u->sending = 0;
        if (block32_get(n, d, CTL) & CTL_LBE)
            uart_arrives(n, d, u->byte);
        else
            serial_send(n, c->serial, u->byte);
        uart_next(n, d);
        if (!u->sending && block32_get(n, d, CTL) & CTL_EOT)
            uart_flag(n, d, INT_TX, true);
    }
}

/* ---- registers ---- */

static void uart_connect(const struct device *d, struct wiring *w)
{
    const struct cc2538_uart *c = d->config;
    block32_told(w, d, DR, ROLE_DR, WIRE_READ | WIRE_WRITE);
    block32_told(w, d, RSR, ROLE_RSR, WIRE_WRITE);
    block32_told(w, d, FR, ROLE_FR, WIRE_READ);
    block32_plain(w, d, IBRD, 0xffff);
    block32_plain(w, d, FBRD, 0x3f);
    block32_told(w, d, LCRH, ROLE_LCRH, WIRE_STORE);
    block32_told(w, d, CTL, ROLE_CTL, WIRE_STORE);
    block32_plain(w, d, IFLS, 0x3f);
    block32_told(w, d, IM, ROLE_IM, WIRE_STORE);
    block32_plain(w, d, RIS, 0);
    block32_plain(w, d, MIS, 0);
    block32_told(w, d, ICR, ROLE_ICR, WIRE_WRITE);
    block32_told(w, d, DMACTL, ROLE_DMACTL, WIRE_STORE);
    block32_plain(w, d, 0x20, 0xff);
    block32_plain(w, d, 0xa4, 0x80ff);
    block32_plain(w, d, 0xa8, 0xff);
    block32_plain(w, d, PP, 0);
    block32_plain(w, d, CC, 7);
    wire_interrupt(w, d, block32_of(d)->line, 0);
    wire_serial(w, d, c->serial, 0);
}

static void uart_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct uart *u = device_state(n, d), before = *u;
    *u = (struct uart){0};
    if (cause != RESET_POWER_ON) { /* the line goes on without us */
        memcpy(u->queue, before.queue, sizeof u->queue);
        u->head = before.head;
        u->waiting = before.waiting;
        if (u->waiting)
            event_in(n, d, EVENT_RX, CLOCK_TICK, uart_frame(n, d));
    }
    block32_set(n, d, CTL, CTL_RXE | CTL_TXE);
    block32_set(n, d, IFLS, 0x12);
    block32_set(n, d, PP, 3);
}

static void uart_read(struct node *n, const struct device *d, unsigned role)
{
    const struct uart *u = device_state(n, d);
    unsigned room = uart_room(n, d);
    if (role == ROLE_DR) {
        uart_take(n, d);
        return;
    }
    block32_set(n, d, FR,
                (u->tx_count ? 0 : FR_TXFE) | (u->tx_count == room ? FR_TXFF : 0) | (u->rx_count ? 0 : FR_RXFE) |
                    (u->rx_count == room ? FR_RXFF : 0) | (u->sending || u->tx_count ? FR_BUSY : 0));
}

static void uart_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct uart *u = device_state(n, d);
    switch (role) {
    case ROLE_DR: uart_put(n, d, (uint8_t)value); break;
    case ROLE_RSR: block32_set(n, d, RSR, 0); break;
    case ROLE_LCRH:
        if ((value ^ old) & LCRH_FEN)
            u->tx_count = u->rx_count = 0;
        break;
    case ROLE_CTL: uart_next(n, d); break;
    case ROLE_IM: uart_ask(n, d); break;
    case ROLE_ICR: uart_flag(n, d, value, false); break;
    case ROLE_DMACTL:
        if (value & 3)
            node_unspecified(n, d, 0);
        break;
    default: break;
    }
}

static const char *const uart_unspecified[] = {
    "the UART is asked to request transfers of the uDMA, which Motet does not have: it never does",
};

const struct device_type cc2538_uart = {
    .name = "uart",
    .state_size = sizeof(struct uart),
    .events = 3,
    .connect = uart_connect,
    .reset = uart_reset,
    .event = uart_event,
    .serial = uart_serial,
    .read = uart_read,
    .write = uart_write,
    .unspecified = uart_unspecified,
};
