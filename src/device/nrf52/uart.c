#include "device/nrf52/uart.h"

#include <string.h>

enum { STARTRX, STOPRX, STARTTX, STOPTX, FLUSHRX = 11 };
enum {
    CTS,
    NCTS,
    RXDRDY,
    ENDRX = 4,
    TXDRDY = 7,
    ENDTX,
    ERROR_EVENT,
    RXTO = 17,
    RXSTARTED = 19,
    TXSTARTED,
    TXSTOPPED = 22
};
enum {
    ERRORSRC = 0x480,
    ENABLE = 0x500,
    RXD = 0x518,
    TXD = 0x51c,
    BAUDRATE = 0x524,
    RX_PTR = 0x534,
    RX_MAX = 0x538,
    RX_AMOUNT = 0x53c,
    TX_PTR = 0x544,
    TX_MAX = 0x548,
    TX_AMOUNT = 0x54c,
    CONFIG = 0x56c
};
enum { ROLE_RXD = NRF52_OWN, ROLE_TXD, ROLE_ERRORSRC };
enum { EVENT_TX, EVENT_RX };
enum { BY_BYTES = 4, BY_DMA = 8, QUEUE = 256 /* a power of two */, FIFO = 6 };

struct uart {
    uint16_t head, count; /* of what waits on the line */
    uint8_t sending, receiving, transmitting;
    uint8_t byte;       /* on its way out */
    uint32_t sent, got; /* of a transfer by DMA */
    uint8_t fifo_count, fifo[FIFO];
    uint16_t queue[QUEUE];
};

static void nrf52_uart_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {ENABLE, 0x508,  0x50c,  0x510,  0x514, BAUDRATE,
                                     RX_PTR, RX_MAX, TX_PTR, TX_MAX, CONFIG};
    const struct nrf52_uart *c = d->config;
    nrf52_block_wire(w, d, 0xf | 1u << FLUSHRX,
                     0x3 | 1u << RXDRDY | 1u << ENDRX | 7u << TXDRDY | 1u << RXTO | 1u << RXSTARTED | 1u << TXSTARTED |
                         1u << TXSTOPPED,
                     0x78);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        nrf52_plain(w, d, plain[i], 0xffffffff);
    nrf52_plain(w, d, RX_AMOUNT, 0);
    nrf52_plain(w, d, TX_AMOUNT, 0);
    nrf52_told(w, d, ERRORSRC, ROLE_ERRORSRC, WIRE_WRITE);
    nrf52_told(w, d, RXD, ROLE_RXD, WIRE_READ);
    nrf52_told(w, d, TXD, ROLE_TXD, WIRE_WRITE);
    wire_serial(w, d, c->serial, 0);
}

static void nrf52_uart_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct uart *u = device_state(n, d), before = *u;
    *u = (struct uart){0};
    if (cause != RESET_POWER_ON) { /* the line goes on without us */
        memcpy(u->queue, before.queue, sizeof u->queue);
        u->head = before.head;
        u->count = before.count;
    }
    nrf52_set(n, d, BAUDRATE, 0x04000000);
    for (uint32_t offset = 0x508; offset <= 0x514; offset += 4)
        nrf52_set(n, d, offset, 0xffffffff);
}

/* A frame of ten bits, eleven with parity; BAUDRATE is the rate times 2^32 / 16 MHz. */
static uint64_t nrf52_uart_frame(const struct node *n, const struct device *d)
{
    double rate = nrf52_get(n, d, BAUDRATE) * 16e6 / 4294967296.0;
    unsigned bits = nrf52_get(n, d, CONFIG) & 0xe ? 11 : 10;
    uint64_t ticks = node_ticks(n, bits / (rate < 300 ? 300 : rate));
    return ticks ? ticks : 1;
}

static bool nrf52_uart_by_dma(const struct node *n, const struct device *d)
{
    return (nrf52_get(n, d, ENABLE) & 15) == BY_DMA;
}

static bool nrf52_uart_on(const struct node *n, const struct device *d)
{
    uint32_t enable = nrf52_get(n, d, ENABLE) & 15;
    return enable == BY_BYTES || enable == BY_DMA;
}

/* ---- sending ---- */

static void nrf52_uart_send(struct node *n, const struct device *d, uint8_t byte)
{
    struct uart *u = device_state(n, d);
    u->byte = byte;
    u->sending = 1;
    event_in(n, d, EVENT_TX, CLOCK_TICK, nrf52_uart_frame(n, d));
}

static void nrf52_uart_stop_sending(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    u->transmitting = 0;
    if (nrf52_uart_by_dma(n, d))
        nrf52_happens(n, d, TXSTOPPED);
}

static void nrf52_uart_next(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    if (u->sent < nrf52_get(n, d, TX_MAX)) {
        nrf52_uart_send(n, d, nrf52_dma_fetch(n, nrf52_get(n, d, TX_PTR) + u->sent));
        return;
    }
    nrf52_set(n, d, TX_AMOUNT, u->sent);
    nrf52_happens(n, d, ENDTX);
}

static void nrf52_uart_sent(struct node *n, const struct device *d)
{
    const struct nrf52_uart *c = d->config;
    struct uart *u = device_state(n, d);
    u->sending = 0;
    serial_send(n, c->serial, u->byte);
    nrf52_happens(n, d, TXDRDY);
    if (!nrf52_uart_by_dma(n, d) || !u->transmitting)
        return;
    u->sent++;
    nrf52_uart_next(n, d);
}

static void nrf52_uart_start_sending(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    u->transmitting = 1;
    if (!nrf52_uart_by_dma(n, d) || !nrf52_uart_on(n, d))
        return;
    u->sent = 0;
    nrf52_happens(n, d, TXSTARTED);
    if (!u->sending)
        nrf52_uart_next(n, d);
}

/* ---- receiving ---- */

static void nrf52_uart_start_receiving(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    u->receiving = 1;
    u->got = 0;
    if (nrf52_uart_by_dma(n, d))
        nrf52_happens(n, d, RXSTARTED);
}

static void nrf52_uart_end_receiving(struct node *n, const struct device *d, bool stopped)
{
    struct uart *u = device_state(n, d);
    nrf52_set(n, d, RX_AMOUNT, u->got);
    if (nrf52_uart_by_dma(n, d))
        nrf52_happens(n, d, ENDRX);
    u->receiving = 0;
    if (stopped)
        nrf52_happens(n, d, RXTO);
    else if (nrf52_get(n, d, NRF52_SHORTS) & 1u << 5) /* ENDRX_STARTRX */
        nrf52_uart_start_receiving(n, d);
}

static void nrf52_uart_keep(struct node *n, const struct device *d, uint8_t byte)
{
    struct uart *u = device_state(n, d);
    if (u->fifo_count == FIFO) {
        nrf52_set(n, d, ERRORSRC, nrf52_get(n, d, ERRORSRC) | 1);
        nrf52_happens(n, d, ERROR_EVENT);
        return;
    }
    u->fifo[u->fifo_count++] = byte;
    if (u->fifo_count == 1) {
        nrf52_set(n, d, RXD, byte);
        nrf52_happens(n, d, RXDRDY);
    }
}

/* Without a buffer for DMA bytes stay in the FIFO, from which the UART's register RXD takes them as well: OpenThread
 * receives so. */
static void nrf52_uart_arrives(struct node *n, const struct device *d, uint8_t byte)
{
    struct uart *u = device_state(n, d);
    uint32_t to = nrf52_get(n, d, RX_PTR) + u->got, max = nrf52_get(n, d, RX_MAX);
    if (!u->receiving)
        return;
    if (!nrf52_uart_by_dma(n, d) || u->got >= max) {
        nrf52_uart_keep(n, d, byte);
        return;
    }
    nrf52_dma_store(n, to, byte);
    u->got++;
    nrf52_happens(n, d, RXDRDY);
    if (u->got == max)
        nrf52_uart_end_receiving(n, d, false);
}

static void nrf52_uart_line(struct node *n, const struct device *d)
{
    struct uart *u = device_state(n, d);
    uint16_t frame = u->queue[u->head];
    u->head = (u->head + 1) % QUEUE;
    u->count--;
    if (u->count)
        event_in(n, d, EVENT_RX, CLOCK_TICK, nrf52_uart_frame(n, d));
    if (nrf52_uart_on(n, d))
        nrf52_uart_arrives(n, d, (uint8_t)frame);
}

static bool nrf52_uart_serial(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    struct uart *u = device_state(n, d);
    (void)role;
    if (u->count == QUEUE || (frame & SERIAL_WAIT && !(nrf52_uart_on(n, d) && u->receiving)))
        return false;
    u->queue[(u->head + u->count++) % QUEUE] = (uint16_t)(frame & SERIAL_DATA);
    if (u->count == 1)
        event_in(n, d, EVENT_RX, CLOCK_TICK, nrf52_uart_frame(n, d));
    return true;
}

static void nrf52_uart_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_TX)
        nrf52_uart_sent(n, d);
    else
        nrf52_uart_line(n, d);
}

/* ---- registers ---- */

static void nrf52_uart_read(struct node *n, const struct device *d, unsigned role)
{
    struct uart *u = device_state(n, d);
    (void)role;
    if (!u->fifo_count)
        return;
    nrf52_set(n, d, RXD, u->fifo[0]);
    u->fifo_count--;
    memmove(u->fifo, u->fifo + 1, u->fifo_count);
    if (u->fifo_count)
        nrf52_happens(n, d, RXDRDY);
}

static void nrf52_uart_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct uart *u = device_state(n, d);
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role == ROLE_TXD) {
        if (u->transmitting && nrf52_uart_on(n, d))
            nrf52_uart_send(n, d, (uint8_t)value);
        return;
    }
    if (role == ROLE_ERRORSRC) {
        nrf52_set(n, d, ERRORSRC, nrf52_get(n, d, ERRORSRC) & ~value);
        return;
    }
    if (!(value & 1))
        return;
    switch (role) {
    case STARTRX: nrf52_uart_start_receiving(n, d); break;
    case STOPRX: nrf52_uart_end_receiving(n, d, true); break;
    case STARTTX: nrf52_uart_start_sending(n, d); break;
    case STOPTX: nrf52_uart_stop_sending(n, d); break;
    default: break;
    }
}

const struct device_type nrf52_uart = {
    .name = "uart",
    .state_size = sizeof(struct uart),
    .events = 2,
    .connect = nrf52_uart_connect,
    .reset = nrf52_uart_reset,
    .event = nrf52_uart_event,
    .serial = nrf52_uart_serial,
    .read = nrf52_uart_read,
    .write = nrf52_uart_write,
};
