#include "device/cc2538/rf_internal.h"
#include "device/cc2538/sys_ctrl.h"

/* The MAC timer (SWRU319C, chapter 22): a counter of 32 MHz with a period, a counter of its overflows, two compare
 * values each, and the time of the last start delimiter. MTMSEL chooses which of them MTM and MTMOVF show. */

enum { TIMER, CAPTURE, PERIOD, COMPARE1, COMPARE2 };
enum { RUN = 1, SYNC = 2, STATE = 4, LATCH_MODE = 8 };
enum { FLAG_PERIOD, FLAG_COMPARE1, FLAG_COMPARE2, FLAG_OVF_PERIOD, FLAG_OVF_COMPARE1, FLAG_OVF_COMPARE2, FLAGS };

/* All overflows together, in cycles of 32 MHz, since both counters were 0. */
static uint64_t rf_mac_total(const struct node *n, const struct rf *s)
{
    return s->mac_running ? node_now(n) - s->mac_since : s->mac_since;
}

static uint64_t rf_mac_period(const struct rf *s)
{
    return s->mac_value[PERIOD] ? s->mac_value[PERIOD] : 0x10000u;
}

static uint64_t rf_mac_overflow_period(const struct rf *s)
{
    return s->mac_overflow[PERIOD] ? s->mac_overflow[PERIOD] : 0x1000000u;
}

static void rf_mac_ask(struct node *n, const struct device *d)
{
    cc2538_interrupt(n, CC2538_MAC_TIMER, block32_get(n, d, RF_MTIRQF) & block32_get(n, d, RF_MTIRQM));
}

/* The total, from the given one on, at which a flag is set. */
static uint64_t rf_mac_due(const struct rf *s, unsigned flag, uint64_t total)
{
    uint64_t period = rf_mac_period(s), round = period, at = 0;
    if (flag == FLAG_COMPARE1 || flag == FLAG_COMPARE2) {
        at = s->mac_value[COMPARE1 + flag - FLAG_COMPARE1];
        if (at >= period)
            return NEVER;
    } else if (flag >= FLAG_OVF_PERIOD) {
        round = period * rf_mac_overflow_period(s);
        at = flag == FLAG_OVF_PERIOD ? 0 : period * s->mac_overflow[COMPARE1 + flag - FLAG_OVF_COMPARE1];
        if (at >= round)
            return NEVER;
    }
    return total + (at + round - total % round) % round;
}

/* Flags are set in time while one of them may interrupt. */
static void rf_mac_plan(struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    uint32_t wanted = block32_get(n, d, RF_MTIRQM);
    uint64_t next = NEVER, total = rf_mac_total(n, s);
    for (unsigned flag = 0; s->mac_running && flag < FLAGS; flag++) {
        uint64_t due = wanted >> flag & 1 ? rf_mac_due(s, flag, total + 1) : NEVER;
        next = due < next ? due : next;
    }
    if (next == NEVER)
        event_cancel(n, d, RF_EVENT_MAC);
    else
        event_at(n, d, RF_EVENT_MAC, CLOCK_TICK, s->mac_since + next);
}

void rf_mac_event(struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    uint64_t total = rf_mac_total(n, s);
    for (unsigned flag = 0; flag < FLAGS; flag++)
        if (rf_mac_due(s, flag, total) == total)
            block32_set(n, d, RF_MTIRQF, block32_get(n, d, RF_MTIRQF) | 1u << flag);
    rf_mac_plan(n, d);
    rf_mac_ask(n, d);
}

uint64_t rf_mac_overflows(const struct node *n, const struct device *d, unsigned count)
{
    const struct rf *s = device_state(n, d);
    uint64_t period = rf_mac_period(s), total = rf_mac_total(n, s);
    if (!s->mac_running)
        return NEVER;
    return count ? s->mac_since + (total / period + count) * period : node_now(n);
}

void rf_mac_capture(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    uint64_t total = rf_mac_total(n, s), period = rf_mac_period(s);
    s->mac_value[CAPTURE] = (uint16_t)(total % period);
    s->mac_overflow[CAPTURE] = (uint32_t)(total / period % rf_mac_overflow_period(s));
}

/* ---- registers ---- */

static unsigned rf_mac_selected(const struct node *n, const struct device *d, unsigned shift)
{
    unsigned v = block32_get(n, d, RF_MTMSEL) >> shift & 7;
    return v < RF_MAC_VALUES ? v : CAPTURE;
}

/* Reading MTM0 latches all of the timer, so that its parts belong together; without LATCH_MODE overflows are latched
 * by MTMOVF0. */
static void rf_mac_latch(struct node *n, const struct device *d, uint32_t offset)
{
    struct rf *s = device_state(n, d);
    uint64_t total = rf_mac_total(n, s), period = rf_mac_period(s);
    bool together = block32_get(n, d, RF_MTCTRL) & LATCH_MODE;
    if (offset == RF_MTM0)
        s->mac_latched = (uint16_t)(total % period);
    if (together ? offset == RF_MTM0 : offset == RF_MTMOVF0)
        s->mac_latched_overflow = (uint32_t)(total / period % rf_mac_overflow_period(s));
}

void rf_mac_read(struct node *n, const struct device *d, uint32_t offset)
{
    struct rf *s = device_state(n, d);
    unsigned low = rf_mac_selected(n, d, 0), high = rf_mac_selected(n, d, 4);
    if (offset == RF_MTCTRL) {
        uint32_t control = block32_get(n, d, RF_MTCTRL) & ~(uint32_t)STATE;
        block32_set(n, d, RF_MTCTRL, control | (s->mac_running ? STATE : 0));
        return;
    }
    if (offset < RF_MTM0)
        return;
    rf_mac_latch(n, d, offset);
    uint32_t value = low == TIMER ? s->mac_latched : s->mac_value[low];
    uint32_t overflow = high == TIMER ? s->mac_latched_overflow : s->mac_overflow[high];
    switch (offset) {
    case RF_MTM0: value &= 0xff; break;
    case RF_MTM1: value >>= 8; break;
    case RF_MTMOVF0: value = overflow & 0xff; break;
    case RF_MTMOVF1: value = overflow >> 8 & 0xff; break;
    default: value = overflow >> 16 & 0xff; break;
    }
    block32_set(n, d, offset, value);
}

static void rf_mac_set_total(struct node *n, struct rf *s, uint64_t total)
{
    s->mac_since = s->mac_running ? node_now(n) - total : total;
}

/* The timer starts and stops at once; with SYNC, at the next edge of 32 kHz. */
static void rf_mac_control(struct node *n, const struct device *d, uint32_t value)
{
    struct rf *s = device_state(n, d);
    uint64_t total = rf_mac_total(n, s);
    bool run = value & RUN;
    block32_set(n, d, RF_MTCTRL, value & (RUN | SYNC | LATCH_MODE));
    if (run == s->mac_running)
        return;
    s->mac_running = run;
    rf_mac_set_total(n, s, total);
}

static void rf_mac_set(struct node *n, const struct device *d, uint32_t offset, uint8_t byte)
{
    struct rf *s = device_state(n, d);
    bool low = offset == RF_MTM0 || offset == RF_MTM1;
    unsigned which = rf_mac_selected(n, d, low ? 0 : 4);
    unsigned shift = offset == RF_MTM1 || offset == RF_MTMOVF1 ? 8 : offset == RF_MTMOVF2 ? 16 : 0;
    uint64_t total = rf_mac_total(n, s), period = rf_mac_period(s);
    uint32_t value = low ? s->mac_value[which] : s->mac_overflow[which], overflow = (uint32_t)(total / period);
    if (which == TIMER)
        value = low ? (uint32_t)(total % period) : overflow;
    value = (value & ~(0xffu << shift)) | (uint32_t)byte << shift;
    if (low)
        s->mac_value[which] = (uint16_t)value;
    else
        s->mac_overflow[which] = value & 0xffffff;
    if (which == TIMER)
        rf_mac_set_total(n, s, low ? (uint64_t)overflow * period + value : (uint64_t)value * period + total % period);
    else if (which == PERIOD && low)
        rf_mac_set_total(n, s, (uint64_t)overflow * rf_mac_period(s) + total % period);
}

void rf_mac_write(struct node *n, const struct device *d, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case RF_MTCTRL: rf_mac_control(n, d, value); break;
    case RF_MTIRQM: block32_set(n, d, RF_MTIRQM, value & 0x3f); break;
    case RF_MTIRQF: block32_set(n, d, RF_MTIRQF, block32_get(n, d, RF_MTIRQF) & value); break;
    case RF_MTMSEL: block32_set(n, d, RF_MTMSEL, value & 0x77); break;
    default: rf_mac_set(n, d, offset, (uint8_t)value); break;
    }
    rf_mac_plan(n, d);
    rf_mac_ask(n, d);
}
