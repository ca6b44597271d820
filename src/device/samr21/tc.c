#include "device/samr21/tc.h"

#include "device/samr21/clocks.h"
#include "device/samr21/registers.h"
#include "node/machine.h"

enum { CTRLA = 0, READREQ = 2, CTRLBCLR = 4, CTRLBSET = 5, CTRLC = 6, DBGCTRL = 8, EVCTRL = 10, INTENCLR = 12 };
enum { INTENSET = 13, INTFLAG = 14, STATUS = 15, COUNT = 16, PER = 20, CC = 24 };
enum { ROLE_CTRLA, ROLE_CTRLBCLR = 2, ROLE_CTRLBSET, ROLE_CTRLC, ROLE_EVCTRL, ROLE_INTENCLR = 8, ROLE_INTENSET };
enum { ROLE_INTFLAG = 10, ROLE_COUNT = 16, ROLE_CC = 20 };
enum { SWRST = 1, ENABLE = 2, BITS_16 = 0, BITS_32 = 2, TO_CC0 = 1 };
enum { OVF = 1, MC0 = 0x10, MATCHES = 2, EVENT_OVERFLOW = MATCHES, EVENTS };
enum { DOWN = 1, ONE_SHOT = 4, RETRIGGER = 0x40, STOP = 0x80, COMMAND = 0xc0, STOPPED = 8 };

struct tc {
    uint64_t since;  /* the tick */
    uint32_t count;  /* while it stands still */
    uint32_t period; /* ticks of one count; 0: it stands still */
    uint8_t stopped; /* by a command */
};

static const struct samr21_tc *samr21_tc_of(const struct device *d)
{
    return d->config;
}

static uint32_t samr21_tc_get(const struct node *n, const struct device *d, uint32_t offset, unsigned bytes)
{
    return samr21_get(n, samr21_tc_of(d)->base + offset, bytes);
}

static unsigned samr21_tc_width(const struct node *n, const struct device *d)
{
    return (samr21_tc_get(n, d, CTRLA, 2) >> 2 & 3) == BITS_32 ? 4 : 2;
}

static void samr21_tc_connect(const struct device *d, struct wiring *w)
{
    const struct samr21_tc *c = samr21_tc_of(d);
    samr21_told(w, d, c->base + CTRLA, 2, ROLE_CTRLA, WIRE_STORE);
    samr21_plain(w, d, c->base + READREQ, 2);
    samr21_told(w, d, c->base + CTRLBCLR, 1, ROLE_CTRLBCLR, WIRE_WRITE);
    samr21_told(w, d, c->base + CTRLBSET, 1, ROLE_CTRLBSET, WIRE_WRITE);
    samr21_told(w, d, c->base + CTRLC, 1, ROLE_CTRLC, WIRE_STORE);
    samr21_plain(w, d, c->base + DBGCTRL, 1);
    samr21_told(w, d, c->base + EVCTRL, 2, ROLE_EVCTRL, WIRE_STORE);
    samr21_told(w, d, c->base + INTENCLR, 1, ROLE_INTENCLR, WIRE_WRITE);
    samr21_told(w, d, c->base + INTENSET, 1, ROLE_INTENSET, WIRE_WRITE);
    samr21_told(w, d, c->base + INTFLAG, 1, ROLE_INTFLAG, WIRE_WRITE);
    samr21_fixed(w, d, c->base + STATUS, 1);
    samr21_told(w, d, c->base + COUNT, 4, ROLE_COUNT, WIRE_STORE | WIRE_READ);
    samr21_plain(w, d, c->base + PER, 4);
    samr21_told(w, d, c->base + CC, 8, ROLE_CC, WIRE_STORE);
    wire_interrupt(w, d, c->line, 0);
}

/* ---- counting ---- */

/* The value at which it begins again. */
static uint32_t samr21_tc_top(const struct node *n, const struct device *d)
{
    uint32_t all = samr21_tc_width(n, d) == 4 ? 0xffffffff : 0xffff;
    bool to_cc0 = (samr21_tc_get(n, d, CTRLA, 2) >> 5 & 3) == TO_CC0;
    return to_cc0 ? samr21_tc_get(n, d, CC, samr21_tc_width(n, d)) : all;
}

static uint32_t samr21_tc_now(const struct node *n, const struct device *d)
{
    const struct tc *s = device_state(n, d);
    if (!s->period)
        return s->count;
    return (uint32_t)((node_now(n) - s->since) / s->period % ((uint64_t)samr21_tc_top(n, d) + 1));
}

static void samr21_tc_ask(struct node *n, const struct device *d)
{
    node_irq(n, samr21_tc_of(d)->line, samr21_tc_get(n, d, INTFLAG, 1) & samr21_tc_get(n, d, INTENSET, 1));
}

/* The next tick at which the counter comes to a value, after now. */
static void samr21_tc_at(struct node *n, const struct device *d, unsigned event, uint32_t value)
{
    const struct tc *s = device_state(n, d);
    uint64_t turn = (uint64_t)samr21_tc_top(n, d) + 1, count = (node_now(n) - s->since) / s->period;
    uint64_t ahead = (value + turn - count % turn) % turn;
    if (value >= turn)
        event_cancel(n, d, event);
    else
        event_at(n, d, event, CLOCK_TICK, s->since + (count + (ahead ? ahead : turn)) * s->period);
}

static void samr21_tc_schedule(struct node *n, const struct device *d)
{
    const struct tc *s = device_state(n, d);
    unsigned width = samr21_tc_width(n, d);
    for (unsigned i = 0; i < EVENTS; i++)
        if (!s->period)
            event_cancel(n, d, i);
        else
            samr21_tc_at(n, d, i, i < MATCHES ? samr21_tc_get(n, d, CC + width * i, width) : 0);
}

static void samr21_tc_set(struct node *n, const struct device *d, uint32_t count)
{
    struct tc *s = device_state(n, d);
    s->count = count;
    s->since = node_now(n) - (uint64_t)count * s->period;
    samr21_tc_schedule(n, d);
}

/* As its registers say: whether it counts, and how fast. A clock that is changed later is noticed when it is enabled.
 */
static void samr21_tc_apply(struct node *n, const struct device *d)
{
    static const uint16_t divisors[8] = {1, 2, 4, 8, 16, 64, 256, 1024};
    struct tc *s = device_state(n, d);
    uint32_t control = samr21_tc_get(n, d, CTRLA, 2), count = samr21_tc_now(n, d);
    double hz = samr21_clock_hz(n, samr21_tc_of(d)->clock) / divisors[control >> 8 & 7];
    s->period = control & ENABLE && !s->stopped && hz > 0 ? (uint32_t)((double)n->machine->hz / hz) : 0;
    samr21_set(n, samr21_tc_of(d)->base + STATUS, 1, s->stopped ? STOPPED : 0);
    samr21_tc_set(n, d, count);
}

static void samr21_tc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    *(struct tc *)device_state(n, d) = (struct tc){.stopped = 0};
    for (uint32_t offset = 0; offset < 32; offset++)
        samr21_set(n, samr21_tc_of(d)->base + offset, 1, 0);
    for (unsigned i = 0; i < EVENTS; i++)
        event_cancel(n, d, i);
}

static void samr21_tc_event(struct node *n, const struct device *d, unsigned event)
{
    uint32_t flags = samr21_tc_of(d)->base + INTFLAG;
    samr21_set(n, flags, 1, samr21_get(n, flags, 1) | (event == EVENT_OVERFLOW ? OVF : (uint32_t)MC0 << event));
    samr21_tc_schedule(n, d);
    samr21_tc_ask(n, d);
}

/* ---- registers ---- */

static void samr21_tc_control(struct node *n, const struct device *d, unsigned byte, unsigned value, unsigned old)
{
    struct tc *s = device_state(n, d);
    unsigned mode = value >> 2 & 3;
    if (byte == 0 && value & SWRST) {
        samr21_tc_reset(n, d, RESET_SOFTWARE);
        samr21_tc_ask(n, d);
        return;
    }
    if (byte == 0 && value & ENABLE && ((mode != BITS_16 && mode != BITS_32) || (value >> 5 & 3) > TO_CC0))
        node_unspecified(n, d, 0);
    if (byte == 0 && value & ENABLE && !(old & ENABLE))
        s->stopped = 0;
    samr21_tc_apply(n, d);
}

static void samr21_tc_command(struct node *n, const struct device *d, unsigned value)
{
    struct tc *s = device_state(n, d);
    if (value & (DOWN | ONE_SHOT))
        node_unspecified(n, d, 0);
    if ((value & COMMAND) == STOP)
        s->stopped = 1;
    if ((value & COMMAND) == RETRIGGER)
        s->stopped = 0;
    samr21_tc_apply(n, d);
    if ((value & COMMAND) == RETRIGGER)
        samr21_tc_set(n, d, 0);
}

static void samr21_tc_enable(struct node *n, const struct device *d, uint32_t enabled)
{
    samr21_set(n, samr21_tc_of(d)->base + INTENCLR, 1, enabled);
    samr21_set(n, samr21_tc_of(d)->base + INTENSET, 1, enabled);
    samr21_tc_ask(n, d);
}

static void samr21_tc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t enabled = samr21_tc_get(n, d, INTENSET, 1), flags = samr21_tc_get(n, d, INTFLAG, 1);
    switch (role) {
    case ROLE_CTRLA:
    case ROLE_CTRLA + 1: samr21_tc_control(n, d, role - ROLE_CTRLA, value, old); break;
    case ROLE_CTRLBCLR: break; /* what it clears is never set here */
    case ROLE_CTRLBSET: samr21_tc_command(n, d, value); break;
    case ROLE_CTRLC:
    case ROLE_EVCTRL:
    case ROLE_EVCTRL + 1:
        if (value & (role == ROLE_CTRLC ? 0x33 : 0xff))
            node_unspecified(n, d, 0);
        break;
    case ROLE_INTENCLR: samr21_tc_enable(n, d, enabled & ~value); break;
    case ROLE_INTENSET: samr21_tc_enable(n, d, enabled | value); break;
    case ROLE_INTFLAG:
        samr21_set(n, samr21_tc_of(d)->base + INTFLAG, 1, flags & ~value);
        samr21_tc_ask(n, d);
        break;
    default:
        if (role >= ROLE_CC)
            samr21_tc_schedule(n, d);
        else
            samr21_tc_set(n, d, samr21_tc_get(n, d, COUNT, samr21_tc_width(n, d)));
        break;
    }
}

/* Its first byte brings all of them up to date; the others are read after it. */
static void samr21_tc_read(struct node *n, const struct device *d, unsigned role)
{
    if (role == ROLE_COUNT)
        samr21_set(n, samr21_tc_of(d)->base + COUNT, 4, samr21_tc_now(n, d));
}

static const char *const samr21_tc_unspecified[] = {
    "a timer is used in a way that Motet does not have on this chip: it counts up with 16 or 32 bits, and compares",
};

const struct device_type samr21_tc = {
    .name = "tc",
    .state_size = sizeof(struct tc),
    .events = EVENTS,
    .connect = samr21_tc_connect,
    .reset = samr21_tc_reset,
    .event = samr21_tc_event,
    .read = samr21_tc_read,
    .write = samr21_tc_write,
    .unspecified = samr21_tc_unspecified,
};
