#include "device/cc2538/rf_internal.h"

/* The command strobe processor (SWRU319C, 23.14). A byte written to RFST is a strobe to be executed at once, or the
 * next instruction of a program of up to 24. A program executes without taking time up to a wait; conditions that a
 * program polls are looked at once a symbol. */

enum {
    ISSTART = 0xe1,
    ISSTOP = 0xe2,
    ISCLEAR = 0xff,
    WAIT = 0x80,
    RPT = 0xa0,
    WEVENT1 = 0xb8,
    WEVENT2 = 0xb9,
    INT = 0xba,
    LABEL = 0xbb,
    WAITX = 0xbc,
    RANDXY = 0xbd,
    SETCMP1 = 0xbe,
    INCX = 0xc0,
    DECX = 0xc3,
    INCMAXY = 0xc8,
    STROBE = 0xd0,
    SSTOP = 0xd2,
    IMMEDIATE = 0xe0,
    STEPS = 64, /* without a wait: then the program looks again a symbol later */
};

static bool rf_csp_condition(const struct node *n, const struct device *d, unsigned instruction)
{
    const struct rf *s = device_state(n, d);
    bool v = false;
    switch (instruction & 7) {
    case 0: v = rf_clear(n, d); break;
    case 1: v = s->sfd; break;
    case 2: v = block32_get(n, d, RF_CSPCTRL) & 1; break;
    case 3: v = true; break;
    case 4: v = block32_get(n, d, RF_CSPX) == 0; break;
    case 5: v = block32_get(n, d, RF_CSPY) == 0; break;
    case 6: v = block32_get(n, d, RF_CSPZ) == 0; break;
    default: v = rf_rssi_valid(n, s); break;
    }
    return instruction & 8 ? !v : v;
}

static void rf_csp_stop(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->csp_running = s->csp_waits = 0;
    event_cancel(n, d, RF_EVENT_CSP);
    rf_flag(n, d, RF_RFIRQF1, IRQ1_CSP_STOP);
}

static void rf_csp_wait(struct node *n, const struct device *d, unsigned overflows)
{
    struct rf *s = device_state(n, d);
    uint64_t at = rf_mac_overflows(n, d, overflows);
    s->csp_waits = 1;
    if (at == NEVER)
        event_cancel(n, d, RF_EVENT_CSP);
    else
        event_at(n, d, RF_EVENT_CSP, CLOCK_TICK, at);
}

static void rf_csp_again(struct node *n, const struct device *d)
{
    event_in(n, d, RF_EVENT_CSP, CLOCK_TICK, earshot_symbols(n, 1));
}

static void rf_csp_count(struct node *n, const struct device *d, unsigned instruction)
{
    unsigned which = (instruction - INCX) % 3, by = instruction >= DECX ? 0xff : 1;
    uint32_t offset = RF_CSPX + 4 * which;
    block32_set(n, d, offset, (block32_get(n, d, offset) + by) & 0xff);
}

/* X becomes a random number of as many bits as Y says. */
static void rf_csp_random(struct node *n, const struct device *d)
{
    unsigned bits = block32_get(n, d, RF_CSPY) & 7;
    block32_set(n, d, RF_CSPX, node_random(n) & ((1u << bits) - 1));
}

static void rf_csp_increment_y(struct node *n, const struct device *d, unsigned most)
{
    uint32_t y = block32_get(n, d, RF_CSPY);
    block32_set(n, d, RF_CSPY, y < most ? y + 1 : most);
}

/* One instruction of the program; false if it waits or has ended. */
static bool rf_csp_step(struct node *n, const struct device *d, unsigned i)
{
    struct rf *s = device_state(n, d);
    unsigned here = s->csp_next++;
    if (i < WAIT) { /* SKIP */
        if (!rf_csp_condition(n, d, i))
            return true;
        s->csp_next = (uint8_t)(here + (i >> 4 & 7) + (i & 0x70 ? 1 : 0));
        if (!(i & 0x70))
            rf_csp_again(n, d);
        return i & 0x70;
    }
    if (i < RPT || i == WAITX) {
        rf_csp_wait(n, d, i == WAITX ? block32_get(n, d, RF_CSPX) : i & 31 ? i & 31 : 32);
        return false;
    }
    if (i < RPT + 16) {
        s->csp_next = rf_csp_condition(n, d, i) ? s->csp_label : s->csp_next;
        return true;
    }
    if (i >= INCX && i < INCX + 6)
        rf_csp_count(n, d, i);
    else if (i >= INCMAXY && i < INCMAXY + 8)
        rf_csp_increment_y(n, d, i & 7);
    else if (i == LABEL)
        s->csp_label = s->csp_next;
    else if (i == RANDXY)
        rf_csp_random(n, d);
    else if (i == INT)
        rf_flag(n, d, RF_RFIRQF1, IRQ1_CSP_MANINT);
    else if (i == SSTOP)
        rf_csp_stop(n, d);
    else if (i == WEVENT1 || i == WEVENT2 || i == SETCMP1)
        node_unspecified(n, d, 0);
    else if (i > STROBE && i < IMMEDIATE)
        rf_strobe(n, d, i & 15);
    return s->csp_running;
}

void rf_csp_go(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    rf_catch_up(n, d);
    if (s->csp_waits) {
        s->csp_waits = 0;
        rf_flag(n, d, RF_RFIRQF1, IRQ1_CSP_WAIT);
    }
    for (unsigned step = 0; s->csp_running; step++) {
        if (s->csp_next >= s->csp_end || s->csp_next >= RF_PROGRAM) {
            rf_csp_stop(n, d);
            return;
        }
        if (step == STEPS) {
            rf_csp_again(n, d);
            return;
        }
        if (!rf_csp_step(n, d, block32_get(n, d, RF_CSPPROG + 4 * s->csp_next)))
            return;
    }
}

void rf_csp_write(struct node *n, const struct device *d, uint8_t instruction)
{
    struct rf *s = device_state(n, d);
    if (instruction == ISCLEAR) {
        s->csp_running = s->csp_waits = s->csp_next = s->csp_end = s->csp_label = 0;
        event_cancel(n, d, RF_EVENT_CSP);
    } else if (instruction == ISSTART) {
        s->csp_running = 1;
        s->csp_next = s->csp_label = 0;
        rf_csp_go(n, d);
    } else if (instruction == ISSTOP) {
        rf_csp_stop(n, d);
    } else if (instruction >= IMMEDIATE) {
        rf_strobe(n, d, instruction & 15);
    } else if (s->csp_end < RF_PROGRAM) {
        block32_set(n, d, RF_CSPPROG + 4 * s->csp_end++, instruction);
    }
}
