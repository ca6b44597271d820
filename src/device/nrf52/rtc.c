#include "device/nrf52/rtc.h"

#include "device/nrf52/clock.h"
#include "node/clock.h"

enum { START, STOP, CLEAR, TRIGOVRFLW };
enum { TICK, OVRFLW, COMPARE = 16 };
enum { EVTEN = 0x340, EVTENSET = 0x344, EVTENCLR = 0x348, COUNTER = 0x504, PRESCALER = 0x508, CC = 0x540 };
enum { ROLE_CC = NRF52_OWN, ROLE_COUNTER = NRF52_OWN + 8, ROLE_EVTEN, ROLE_EVTENSET, ROLE_EVTENCLR };
enum { EVENT_OVERFLOW = 4, EVENT_TICK, EVENTS };
#define RTC_MASK 0xffffffu

struct rtc {
    uint64_t since; /* cycle at which the counter was zero, or would have been */
    uint32_t count; /* while it stands still */
    uint32_t divisor;
    uint8_t running;
};

static const struct nrf52_rtc *nrf52_rtc_of(const struct device *d)
{
    return d->config;
}

static void nrf52_rtc_connect(const struct device *d, struct wiring *w)
{
    uint32_t compares = (1u << nrf52_rtc_of(d)->compares) - 1;
    nrf52_block_wire(w, d, 0xf, 3 | compares << COMPARE, 0);
    nrf52_told(w, d, EVTEN, ROLE_EVTEN, WIRE_STORE);
    nrf52_told(w, d, EVTENSET, ROLE_EVTENSET, WIRE_WRITE);
    nrf52_told(w, d, EVTENCLR, ROLE_EVTENCLR, WIRE_WRITE);
    nrf52_told(w, d, COUNTER, ROLE_COUNTER, WIRE_READ);
    nrf52_plain(w, d, PRESCALER, 0xfff);
    for (unsigned i = 0; i < nrf52_rtc_of(d)->compares; i++)
        nrf52_told(w, d, CC + 4 * i, ROLE_CC + i, WIRE_STORE);
}

static void nrf52_rtc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    *(struct rtc *)device_state(n, d) = (struct rtc){.divisor = 1};
}

static uint64_t nrf52_rtc_whole(const struct node *n, const struct rtc *r)
{
    return r->running ? (node_cycle(n, NRF52_CLOCK_32K) - r->since) / r->divisor : r->count;
}

/* Whether an event is worth an event of the node: it interrupts, or goes to the interconnect. */
static bool nrf52_rtc_matters(const struct node *n, const struct device *d, unsigned event)
{
    return (nrf52_get(n, d, EVTEN) | nrf52_get(n, d, NRF52_INTEN)) >> event & 1;
}

/* When the counter next has a value: after now. */
static void nrf52_rtc_at(struct node *n, const struct device *d, unsigned event, uint32_t value)
{
    struct rtc *r = device_state(n, d);
    uint64_t count = nrf52_rtc_whole(n, r), ahead = (value - (uint32_t)count) & RTC_MASK;
    event_at(n, d, event, NRF52_CLOCK_32K, r->since + (count + (ahead ? ahead : RTC_MASK + 1u)) * r->divisor);
}

static void nrf52_rtc_schedule(struct node *n, const struct device *d)
{
    struct rtc *r = device_state(n, d);
    for (unsigned i = 0; i < nrf52_rtc_of(d)->compares; i++) {
        if (r->running && nrf52_rtc_matters(n, d, COMPARE + i))
            nrf52_rtc_at(n, d, i, nrf52_get(n, d, CC + 4 * i) & RTC_MASK);
        else
            event_cancel(n, d, i);
    }
    if (r->running && nrf52_rtc_matters(n, d, OVRFLW))
        nrf52_rtc_at(n, d, EVENT_OVERFLOW, 0);
    else
        event_cancel(n, d, EVENT_OVERFLOW);
    if (r->running && nrf52_rtc_matters(n, d, TICK))
        nrf52_rtc_at(n, d, EVENT_TICK, (uint32_t)nrf52_rtc_whole(n, r) + 1);
    else
        event_cancel(n, d, EVENT_TICK);
}

static void nrf52_rtc_event(struct node *n, const struct device *d, unsigned event)
{
    unsigned happens = event == EVENT_OVERFLOW ? OVRFLW : event == EVENT_TICK ? TICK : COMPARE + event;
    nrf52_rtc_schedule(n, d);
    nrf52_happens(n, d, happens);
}

static void nrf52_rtc_set(struct node *n, const struct device *d, uint32_t count)
{
    struct rtc *r = device_state(n, d);
    r->count = count;
    r->since = node_cycle(n, NRF52_CLOCK_32K) - (uint64_t)count * r->divisor;
    nrf52_rtc_schedule(n, d);
}

static void nrf52_rtc_run(struct node *n, const struct device *d, bool run)
{
    struct rtc *r = device_state(n, d);
    if (r->running == run)
        return;
    uint32_t count = (uint32_t)nrf52_rtc_whole(n, r) & RTC_MASK;
    r->running = run;
    if (run)
        r->divisor = nrf52_get(n, d, PRESCALER) + 1;
    nrf52_rtc_set(n, d, count);
}

static void nrf52_rtc_route(struct node *n, const struct device *d, uint32_t enabled)
{
    nrf52_set(n, d, EVTEN, enabled);
    nrf52_set(n, d, EVTENSET, enabled);
    nrf52_set(n, d, EVTENCLR, enabled);
    nrf52_rtc_schedule(n, d);
}

static void nrf52_rtc_task(struct node *n, const struct device *d, unsigned task)
{
    switch (task) {
    case START: nrf52_rtc_run(n, d, true); break;
    case STOP: nrf52_rtc_run(n, d, false); break;
    case CLEAR: nrf52_rtc_set(n, d, 0); break;
    default: nrf52_rtc_set(n, d, 0xfffff0); break;
    }
}

static void nrf52_rtc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    uint32_t routed = nrf52_get(n, d, EVTENSET);
    if (nrf52_block_write(n, d, role, value)) {
        if (role >= NRF52_ROLE_INTEN)
            nrf52_rtc_schedule(n, d);
        return;
    }
    switch (role) {
    case ROLE_EVTEN: nrf52_rtc_route(n, d, value); break;
    case ROLE_EVTENSET: nrf52_rtc_route(n, d, routed | value); break;
    case ROLE_EVTENCLR: nrf52_rtc_route(n, d, routed & ~value); break;
    default:
        if (role >= ROLE_CC)
            nrf52_rtc_schedule(n, d);
        else if (value & 1)
            nrf52_rtc_task(n, d, role);
        break;
    }
}

static void nrf52_rtc_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    nrf52_set(n, d, COUNTER, (uint32_t)nrf52_rtc_whole(n, device_state(n, d)) & RTC_MASK);
}

const struct device_type nrf52_rtc = {
    .name = "rtc",
    .state_size = sizeof(struct rtc),
    .events = EVENTS,
    .connect = nrf52_rtc_connect,
    .reset = nrf52_rtc_reset,
    .event = nrf52_rtc_event,
    .read = nrf52_rtc_read,
    .write = nrf52_rtc_write,
};
