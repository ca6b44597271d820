#include "device/nrf52/timer.h"

#include "device/nrf52/clock.h"
#include "node/clock.h"

enum { START, STOP, COUNT, CLEAR, SHUTDOWN, CAPTURE = 16, COMPARE = 16 };
enum { MODE = 0x504, BITMODE = 0x508, PRESCALER = 0x510, CC = 0x540, COMPARES = 6 };
enum { ROLE_CC = NRF52_OWN };

struct timer {
    uint64_t since; /* cycle at which the counter was zero, or would have been */
    uint32_t count; /* of one that does not count time now */
    uint8_t running;
};

static const struct nrf52_timer *nrf52_timer_of(const struct device *d)
{
    return d->config;
}

static void nrf52_timer_connect(const struct device *d, struct wiring *w)
{
    uint32_t compares = (1u << nrf52_timer_of(d)->compares) - 1;
    nrf52_block_wire(w, d, 0x1f | compares << CAPTURE, compares << COMPARE, compares | compares << 8);
    nrf52_plain(w, d, MODE, 3);
    nrf52_plain(w, d, BITMODE, 3);
    nrf52_plain(w, d, PRESCALER, 15);
    for (unsigned i = 0; i < nrf52_timer_of(d)->compares; i++)
        nrf52_told(w, d, CC + 4 * i, ROLE_CC + i, WIRE_STORE);
}

static void nrf52_timer_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    *(struct timer *)device_state(n, d) = (struct timer){0};
    nrf52_set(n, d, PRESCALER, 4);
}

static bool nrf52_timer_counts_time(const struct node *n, const struct device *d)
{
    const struct timer *t = device_state(n, d);
    return t->running && nrf52_get(n, d, MODE) == 0;
}

static uint32_t nrf52_timer_mask(const struct node *n, const struct device *d)
{
    static const uint32_t masks[4] = {0xffff, 0xff, 0xffffff, 0xffffffff};
    return masks[nrf52_get(n, d, BITMODE) & 3];
}

static unsigned nrf52_timer_shift(const struct node *n, const struct device *d)
{
    unsigned shift = nrf52_get(n, d, PRESCALER) & 15;
    return shift > 9 ? 9 : shift;
}

static uint32_t nrf52_timer_now(const struct node *n, const struct device *d)
{
    const struct timer *t = device_state(n, d);
    if (!nrf52_timer_counts_time(n, d))
        return t->count;
    uint64_t cycles = node_cycle(n, NRF52_CLOCK_16M) - t->since;
    return (uint32_t)(cycles >> nrf52_timer_shift(n, d)) & nrf52_timer_mask(n, d);
}

/* The next time the counter equals a compare register: later than now, also if it does now. */
static void nrf52_timer_schedule(struct node *n, const struct device *d, unsigned i)
{
    struct timer *t = device_state(n, d);
    if (!nrf52_timer_counts_time(n, d)) {
        event_cancel(n, d, i);
        return;
    }
    unsigned shift = nrf52_timer_shift(n, d);
    uint32_t mask = nrf52_timer_mask(n, d), cc = nrf52_get(n, d, CC + 4 * i) & mask;
    uint64_t period = (uint64_t)mask + 1, count = (node_cycle(n, NRF52_CLOCK_16M) - t->since) >> shift;
    uint64_t ahead = (cc - (uint32_t)count) & mask;
    event_at(n, d, i, NRF52_CLOCK_16M, t->since + ((count + (ahead ? ahead : period)) << shift));
}

static void nrf52_timer_schedule_all(struct node *n, const struct device *d)
{
    for (unsigned i = 0; i < nrf52_timer_of(d)->compares; i++)
        nrf52_timer_schedule(n, d, i);
}

static void nrf52_timer_set(struct node *n, const struct device *d, uint32_t count)
{
    struct timer *t = device_state(n, d);
    t->count = count;
    t->since = node_cycle(n, NRF52_CLOCK_16M) - ((uint64_t)count << nrf52_timer_shift(n, d));
    nrf52_timer_schedule_all(n, d);
}

static void nrf52_timer_run(struct node *n, const struct device *d, bool run)
{
    struct timer *t = device_state(n, d);
    if (t->running == run)
        return;
    uint32_t count = nrf52_timer_now(n, d);
    t->running = run;
    nrf52_timer_set(n, d, count);
}

static void nrf52_timer_matches(struct node *n, const struct device *d, unsigned i)
{
    uint32_t shorts = nrf52_get(n, d, NRF52_SHORTS);
    nrf52_happens(n, d, COMPARE + i);
    if (shorts >> i & 1)
        nrf52_timer_set(n, d, 0);
    if (shorts >> (8 + i) & 1)
        nrf52_timer_run(n, d, false);
}

static void nrf52_timer_event(struct node *n, const struct device *d, unsigned i)
{
    nrf52_timer_schedule(n, d, i);
    nrf52_timer_matches(n, d, i);
}

static void nrf52_timer_count(struct node *n, const struct device *d)
{
    struct timer *t = device_state(n, d);
    if (!t->running || nrf52_get(n, d, MODE) == 0)
        return;
    t->count = (t->count + 1) & nrf52_timer_mask(n, d);
    uint32_t count = t->count;
    for (unsigned i = 0; i < nrf52_timer_of(d)->compares; i++)
        if ((nrf52_get(n, d, CC + 4 * i) & nrf52_timer_mask(n, d)) == count)
            nrf52_timer_matches(n, d, i);
}

static void nrf52_timer_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role >= ROLE_CC) {
        nrf52_timer_schedule(n, d, role - ROLE_CC);
        return;
    }
    if (!(value & 1))
        return;
    switch (role) {
    case START: nrf52_timer_run(n, d, true); break;
    case STOP: nrf52_timer_run(n, d, false); break;
    case COUNT: nrf52_timer_count(n, d); break;
    case CLEAR: nrf52_timer_set(n, d, 0); break;
    case SHUTDOWN:
        nrf52_timer_run(n, d, false);
        nrf52_timer_set(n, d, 0);
        break;
    default:
        nrf52_set(n, d, CC + 4 * (role - CAPTURE), nrf52_timer_now(n, d));
        nrf52_timer_schedule(n, d, role - CAPTURE);
        break;
    }
}

const struct device_type nrf52_timer = {
    .name = "timer",
    .state_size = sizeof(struct timer),
    .events = COMPARES,
    .connect = nrf52_timer_connect,
    .reset = nrf52_timer_reset,
    .event = nrf52_timer_event,
    .write = nrf52_timer_write,
};
