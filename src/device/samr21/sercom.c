#include "device/samr21/sercom.h"

#include <string.h>

#include "device/samr21/clocks.h"
#include "device/samr21/registers.h"

enum { CTRLA = 0, CTRLB = 4, BAUD = 0xc, RXPL = 0xe, INTENCLR = 0x14, INTENSET = 0x16, INTFLAG = 0x18 };
enum { STATUS = 0x1a, SYNCBUSY = 0x1c, ADDR = 0x24, DATA = 0x28, DBGCTRL = 0x30 };
enum { ROLE_CTRLA, ROLE_INTENCLR = 4, ROLE_INTENSET, ROLE_INTFLAG, ROLE_DATA };
enum { EVENT_OUT, EVENT_IN, EVENTS };
enum { SWRST = 1, ENABLE = 2, USART = 1, SPI_MASTER = 3 };
enum { TXEN = 1 << 16, RXEN = 1 << 17, SBMODE = 1 << 6 };
enum { DRE = 1, TXC = 2, RXC = 4, ERROR_FLAG = 0x80, BUFOVF = 4 };
enum { QUEUE = 256 /* a power of two */, BUFFER = 2 };

struct sercom {
    uint16_t head, waiting; /* of what comes on the line */
    uint8_t sending, byte;  /* on its way out */
    uint8_t full, next;     /* DATA holds a byte that follows it */
    uint8_t got, in[BUFFER];
    uint16_t queue[QUEUE];
};

static const struct samr21_sercom *samr21_sercom_of(const struct device *d)
{
    return d->config;
}

static uint32_t samr21_sercom_get(const struct node *n, const struct device *d, uint32_t offset, unsigned bytes)
{
    return samr21_get(n, samr21_sercom_of(d)->base + offset, bytes);
}

static unsigned samr21_sercom_mode(const struct node *n, const struct device *d)
{
    uint32_t control = samr21_sercom_get(n, d, CTRLA, 4);
    return control & ENABLE ? control >> 2 & 7 : 7;
}

static void samr21_sercom_connect(const struct device *d, struct wiring *w)
{
    const struct samr21_sercom *c = samr21_sercom_of(d);
    samr21_told(w, d, c->base + CTRLA, 4, ROLE_CTRLA, WIRE_STORE);
    samr21_plain(w, d, c->base + CTRLB, 4);
    samr21_plain(w, d, c->base + BAUD, 3);
    samr21_told(w, d, c->base + INTENCLR, 1, ROLE_INTENCLR, WIRE_WRITE);
    samr21_told(w, d, c->base + INTENSET, 1, ROLE_INTENSET, WIRE_WRITE);
    samr21_told(w, d, c->base + INTFLAG, 1, ROLE_INTFLAG, WIRE_WRITE);
    samr21_plain(w, d, c->base + STATUS, 2);
    samr21_fixed(w, d, c->base + SYNCBUSY, 4);
    samr21_plain(w, d, c->base + ADDR, 4);
    samr21_told(w, d, c->base + DATA, 1, ROLE_DATA, WIRE_READ | WIRE_WRITE);
    samr21_plain(w, d, c->base + DATA + 1, 1);
    samr21_plain(w, d, c->base + DBGCTRL, 1);
    wire_interrupt(w, d, c->line, 0);
    wire_serial(w, d, c->number, 0);
    wire_spi_bus(w, d, c->number);
}

/* ---- flags ---- */

static void samr21_sercom_ask(struct node *n, const struct device *d)
{
    uint32_t asks = samr21_sercom_get(n, d, INTFLAG, 1) & samr21_sercom_get(n, d, INTENSET, 1);
    node_irq(n, samr21_sercom_of(d)->line, asks);
}

static void samr21_sercom_flag(struct node *n, const struct device *d, uint32_t flags, bool on)
{
    uint32_t now = samr21_sercom_get(n, d, INTFLAG, 1);
    samr21_set(n, samr21_sercom_of(d)->base + INTFLAG, 1, on ? now | flags : now & ~flags);
    samr21_sercom_ask(n, d);
}

static void samr21_sercom_enable(struct node *n, const struct device *d, uint32_t enabled)
{
    samr21_set(n, samr21_sercom_of(d)->base + INTENSET, 1, enabled);
    samr21_set(n, samr21_sercom_of(d)->base + INTENCLR, 1, enabled);
    samr21_sercom_ask(n, d);
}

static void samr21_sercom_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct sercom *s = device_state(n, d), before = *s;
    const struct samr21_sercom *c = samr21_sercom_of(d);
    *s = (struct sercom){0};
    if (cause != RESET_POWER_ON) { /* the line goes on without us */
        s->head = before.head;
        s->waiting = before.waiting;
        memcpy(s->queue, before.queue, sizeof s->queue);
    }
    for (uint32_t offset = 0; offset < DBGCTRL; offset++)
        samr21_set(n, c->base + offset, 1, 0);
    event_cancel(n, d, EVENT_OUT);
}

/* ---- time ---- */

/* Bits a second of a USART, by its kind of sampling (26.6.2.3), or of an SPI; at least one. */
static double samr21_sercom_rate(const struct node *n, const struct device *d)
{
    static const uint8_t samples[8] = {16, 16, 8, 8, 3, 3, 3, 3};
    double hz = samr21_clock_hz(n, samr21_sercom_of(d)->clock), rate;
    uint32_t control = samr21_sercom_get(n, d, CTRLA, 4), baud = samr21_sercom_get(n, d, BAUD, 2);
    unsigned sampling = control >> 13 & 7;
    if ((control >> 2 & 7) == SPI_MASTER) {
        rate = hz / (2.0 * ((baud & 0xff) + 1));
    } else if (sampling == 1 || sampling == 3) {
        double divisor = (baud & 0x1fff) + (baud >> 13) / 8.0;
        rate = hz / samples[sampling] / (divisor < 1 ? 1 : divisor);
    } else {
        rate = hz / samples[sampling] * (1 - baud / 65536.0);
    }
    return rate < 1 ? 1 : rate;
}

static uint64_t samr21_sercom_frame(const struct node *n, const struct device *d)
{
    bool usart = (samr21_sercom_get(n, d, CTRLA, 4) >> 2 & 7) == USART;
    bool parity = samr21_sercom_get(n, d, CTRLA, 4) >> 24 & 1;
    bool two = samr21_sercom_get(n, d, CTRLB, 4) & SBMODE;
    unsigned bits = usart ? 10u + parity + two : 8u;
    uint64_t ticks = node_ticks(n, bits / samr21_sercom_rate(n, d));
    return ticks ? ticks : 1;
}

/* ---- data ---- */

static void samr21_sercom_arrives(struct node *n, const struct device *d, uint8_t byte)
{
    struct sercom *s = device_state(n, d);
    uint32_t status = samr21_sercom_of(d)->base + STATUS;
    if (s->got == BUFFER) {
        samr21_set(n, status, 2, samr21_get(n, status, 2) | BUFOVF);
        samr21_sercom_flag(n, d, ERROR_FLAG, true);
        return;
    }
    s->in[s->got++] = byte;
    samr21_sercom_flag(n, d, RXC, true);
}

static void samr21_sercom_begin(struct node *n, const struct device *d, uint8_t byte)
{
    struct sercom *s = device_state(n, d);
    s->byte = byte;
    s->sending = 1;
    event_in(n, d, EVENT_OUT, CLOCK_TICK, samr21_sercom_frame(n, d));
}

static void samr21_sercom_put(struct node *n, const struct device *d, uint8_t byte)
{
    struct sercom *s = device_state(n, d);
    unsigned mode = samr21_sercom_mode(n, d);
    if ((mode != SPI_MASTER && mode != USART) || (mode == USART && !(samr21_sercom_get(n, d, CTRLB, 4) & TXEN)))
        return;
    samr21_sercom_flag(n, d, TXC, false);
    if (!s->sending) {
        samr21_sercom_begin(n, d, byte);
    } else {
        s->next = byte;
        s->full = 1;
        samr21_sercom_flag(n, d, DRE, false);
    }
}

static void samr21_sercom_sent(struct node *n, const struct device *d)
{
    struct sercom *s = device_state(n, d);
    const struct samr21_sercom *c = samr21_sercom_of(d);
    uint8_t byte = s->byte;
    s->sending = 0;
    if (s->full) {
        s->full = 0;
        samr21_sercom_begin(n, d, s->next);
        samr21_sercom_flag(n, d, DRE, true);
    } else {
        samr21_sercom_flag(n, d, TXC, true);
    }
    if (samr21_sercom_mode(n, d) != SPI_MASTER) {
        serial_send(n, c->number, byte);
        return;
    }
    uint8_t answer = spi_exchange(n, c->number, byte);
    if (samr21_sercom_get(n, d, CTRLB, 4) & RXEN)
        samr21_sercom_arrives(n, d, answer);
}

static void samr21_sercom_line(struct node *n, const struct device *d)
{
    struct sercom *s = device_state(n, d);
    uint16_t frame = s->queue[s->head];
    s->head = (s->head + 1) % QUEUE;
    s->waiting--;
    if (s->waiting)
        event_in(n, d, EVENT_IN, CLOCK_TICK, samr21_sercom_frame(n, d));
    if (samr21_sercom_mode(n, d) == USART && samr21_sercom_get(n, d, CTRLB, 4) & RXEN)
        samr21_sercom_arrives(n, d, (uint8_t)frame);
}

static bool samr21_sercom_serial(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    struct sercom *s = device_state(n, d);
    bool on = samr21_sercom_mode(n, d) == USART && samr21_sercom_get(n, d, CTRLB, 4) & RXEN;
    (void)role;
    if (s->waiting == QUEUE || (frame & SERIAL_WAIT && !on))
        return false;
    s->queue[(s->head + s->waiting++) % QUEUE] = (uint16_t)(frame & SERIAL_DATA);
    if (s->waiting == 1)
        event_in(n, d, EVENT_IN, CLOCK_TICK, samr21_sercom_frame(n, d));
    return true;
}

static void samr21_sercom_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_OUT)
        samr21_sercom_sent(n, d);
    else
        samr21_sercom_line(n, d);
}

/* ---- registers ---- */

static void samr21_sercom_control(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    unsigned mode = value >> 2 & 7;
    if (value & SWRST) {
        samr21_sercom_reset(n, d, RESET_SOFTWARE);
        samr21_sercom_ask(n, d);
        return;
    }
    if (!(value & ENABLE) || old & ENABLE)
        return;
    if (mode != USART && mode != SPI_MASTER)
        node_unspecified(n, d, 0);
    samr21_sercom_flag(n, d, DRE, true);
}

static void samr21_sercom_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t enabled = samr21_sercom_get(n, d, INTENSET, 1);
    switch (role) {
    case ROLE_CTRLA: samr21_sercom_control(n, d, value, old); break;
    case ROLE_INTENCLR: samr21_sercom_enable(n, d, enabled & ~value); break;
    case ROLE_INTENSET: samr21_sercom_enable(n, d, enabled | value); break;
    case ROLE_INTFLAG: samr21_sercom_flag(n, d, value & ~(uint32_t)(DRE | RXC), false); break;
    case ROLE_DATA: samr21_sercom_put(n, d, (uint8_t)value); break;
    default: break;
    }
}

static void samr21_sercom_read(struct node *n, const struct device *d, unsigned role)
{
    struct sercom *s = device_state(n, d);
    (void)role;
    if (!s->got)
        return;
    samr21_set(n, samr21_sercom_of(d)->base + DATA, 1, s->in[0]);
    s->got--;
    memmove(s->in, s->in + 1, s->got);
    if (!s->got)
        samr21_sercom_flag(n, d, RXC, false);
}

static const char *const samr21_sercom_unspecified[] = {
    "a SERCOM is switched on in a mode that Motet does not have: only a USART with its own clock and an SPI master are",
};

const struct device_type samr21_sercom = {
    .name = "sercom",
    .state_size = sizeof(struct sercom),
    .events = EVENTS,
    .connect = samr21_sercom_connect,
    .reset = samr21_sercom_reset,
    .event = samr21_sercom_event,
    .serial = samr21_sercom_serial,
    .read = samr21_sercom_read,
    .write = samr21_sercom_write,
    .unspecified = samr21_sercom_unspecified,
};
