#include "device/cc2538/sleep_timer.h"

#include "device/cc2538/sys_ctrl.h"

enum { WDCTL = 0x00, ST0 = 0x40, STLOAD = 0x50, STCC = 0x54, STCV3 = 0x68 };
enum { ROLE_WDCTL, ROLE_ST0, ROLE_ST1, ROLE_ST2, ROLE_ST3, ROLE_STLOAD, ROLE_STCC };
enum { EVENT_WATCHDOG /* the first: node_watchdog_runs */, EVENT_COMPARE };
enum { CLEAR_FIRST = 0xa, CLEAR_SECOND = 0x5, ENABLE = 8, TIMER_MODE = 4 };

struct sleep_timer {
    uint64_t zero;   /* cycle of 32 kHz at which the count was 0 */
    uint64_t loaded; /* in which the compare value was written */
    uint8_t next[4]; /* of the compare value, lowest first */
    uint8_t watchdog, clearing;
};

static uint64_t sleep_timer_cycle(const struct node *n)
{
    return node_cycle(n, CC2538_CLOCK_64K) / 2;
}

static void sleep_timer_connect(const struct device *d, struct wiring *w)
{
    block32_told(w, d, WDCTL, ROLE_WDCTL, WIRE_WRITE);
    block32_told(w, d, ST0, ROLE_ST0, WIRE_WRITE | WIRE_READ);
    for (unsigned i = 1; i < 4; i++)
        block32_told(w, d, ST0 + 4 * i, ROLE_ST0 + i, WIRE_WRITE);
    block32_told(w, d, STLOAD, ROLE_STLOAD, WIRE_READ);
    block32_told(w, d, STCC, ROLE_STCC, WIRE_STORE);
    for (uint32_t offset = STCC + 4; offset <= STCV3; offset += 4)
        block32_plain(w, d, offset, offset == STCC + 4 ? 1 : 0);
    cc2538_wire_interrupt(w, d, CC2538_SLEEP_TIMER);
    wire_instruction(w, d, INSTRUCTION_WATCHDOG_RESET);
}

static void sleep_timer_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct sleep_timer *s = device_state(n, d);
    (void)cause;
    *s = (struct sleep_timer){.zero = sleep_timer_cycle(n)};
    block32_set(n, d, STCC, 0x38);
}

static void sleep_timer_restart_watchdog(struct node *n, const struct device *d)
{
    static const uint16_t intervals[4] = {32768, 8192, 512, 64};
    unsigned interval = intervals[block32_get(n, d, WDCTL) & 3];
    event_in(n, d, EVENT_WATCHDOG, CC2538_CLOCK_64K, 2 * interval);
}

static void sleep_timer_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_WATCHDOG) {
        node_request_reset(n, RESET_WATCHDOG);
        return;
    }
    event_in(n, d, EVENT_COMPARE, CC2538_CLOCK_64K, UINT64_C(2) << 32);
    cc2538_interrupt(n, CC2538_SLEEP_TIMER, true);
    cc2538_interrupt(n, CC2538_SLEEP_TIMER, false);
}

static void sleep_timer_compare(struct node *n, const struct device *d)
{
    struct sleep_timer *s = device_state(n, d);
    uint64_t cycle = sleep_timer_cycle(n);
    uint32_t now = (uint32_t)(cycle - s->zero), to = 0;
    for (unsigned i = 0; i < 4; i++)
        to |= (uint32_t)s->next[i] << 8 * i;
    uint64_t wait = to == now ? UINT64_C(1) << 32 : (uint32_t)(to - now);
    s->loaded = cycle;
    event_at(n, d, EVENT_COMPARE, CC2538_CLOCK_64K, 2 * (cycle + wait));
}

/* Once it runs, the watchdog cannot be stopped, and its interval stays. */
static void sleep_timer_write_watchdog(struct node *n, const struct device *d, uint32_t value)
{
    struct sleep_timer *s = device_state(n, d);
    unsigned clear = value >> 4 & 15;
    if (s->watchdog) {
        if (clear == CLEAR_SECOND && s->clearing)
            sleep_timer_restart_watchdog(n, d);
        s->clearing = clear == CLEAR_FIRST;
        return;
    }
    block32_set(n, d, WDCTL, value & 15);
    if (!(value & ENABLE))
        return;
    if (value & TIMER_MODE)
        node_unspecified(n, d, 0);
    s->watchdog = 1;
    sleep_timer_restart_watchdog(n, d);
}

static void sleep_timer_read(struct node *n, const struct device *d, unsigned role)
{
    const struct sleep_timer *s = device_state(n, d);
    uint64_t cycle = sleep_timer_cycle(n);
    if (role == ROLE_STLOAD) {
        block32_set(n, d, STLOAD, cycle != s->loaded);
        return;
    }
    for (unsigned i = 0; role == ROLE_ST0 && i < 4; i++)
        block32_set(n, d, ST0 + 4 * i, (uint32_t)(cycle - s->zero) >> 8 * i & 0xff);
}

static void sleep_timer_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct sleep_timer *s = device_state(n, d);
    (void)old;
    if (role == ROLE_WDCTL) {
        sleep_timer_write_watchdog(n, d, value);
    } else if (role == ROLE_STCC) {
        if ((value & 0x38) != 0x38)
            node_unspecified(n, d, 1);
    } else {
        s->next[role - ROLE_ST0] = (uint8_t)value;
        if (role == ROLE_ST0)
            sleep_timer_compare(n, d);
    }
}

static const char *const sleep_timer_unspecified[] = {
    "the watchdog is started in its timer mode, which the CC2538 does not have: it resets the chip",
    "the sleep timer is asked to capture at a pin, which Motet does not have: STCS stays 0",
};

const struct device_type cc2538_sleep_timer = {
    .name = "sleep timer",
    .state_size = sizeof(struct sleep_timer),
    .events = 2,
    .connect = sleep_timer_connect,
    .reset = sleep_timer_reset,
    .event = sleep_timer_event,
    .read = sleep_timer_read,
    .write = sleep_timer_write,
    .unspecified = sleep_timer_unspecified,
};
