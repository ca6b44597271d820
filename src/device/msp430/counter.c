#include "device/msp430/counter.h"

static uint16_t counter_top_of(const struct counter *c)
{
    return c->mode == COUNTER_CONTINUOUS || c->latch[0] > c->max ? c->max : c->latch[0];
}

bool counter_halted(const struct counter *c)
{
    return c->mode == COUNTER_STOP || (c->mode != COUNTER_CONTINUOUS && c->latch[0] == 0 && c->count == 0);
}

uint64_t counter_rises(const struct counter *c)
{
    uint16_t top = counter_top_of(c);
    bool up = c->mode == COUNTER_UP || c->mode == COUNTER_CONTINUOUS;
    return up && !c->written && c->count < top ? (uint64_t)(top - c->count) : 0;
}

static bool rises(const struct counter *c)
{
    return c->mode != COUNTER_UP_DOWN || !c->down;
}

/* ---- latches ---- */

static void load_group(struct counter *c, unsigned group)
{
    for (unsigned i = 0; i < c->blocks; i++)
        if (group >> i & 1)
            c->latch[i] = c->compare[i];
    c->written &= (uint8_t)~group;
}

static unsigned group_of(const struct counter *c, unsigned block)
{
    return c->group[block] ? c->group[block] : 1u << block;
}

/* "All TBCCRx registers of the group must be updated" before their latches are loaded (12.2.4). */
static bool counter_complete(const struct counter *c, unsigned block)
{
    unsigned group = group_of(c, block);
    return (c->written & group) == group;
}

static void load_latches(struct counter *c, bool at_top)
{
    for (unsigned i = 0; i < c->blocks; i++) {
        if (!(c->written >> i & 1) || !counter_complete(c, i))
            continue;
        bool own = c->latch[c->controller[i]] == c->count && (c->controller[i] || at_top);
        bool due = c->load[i] == LOAD_AT_LATCH  ? own
                   : c->load[i] == LOAD_AT_ENDS ? c->count == 0 || (c->mode == COUNTER_UP_DOWN && at_top)
                                                : c->count == 0;
        if (due)
            load_group(c, group_of(c, i));
    }
}

void counter_load_changed(struct counter *c)
{
    /* Halted at zero by latch 0: no clock would ever bring the event. */
    bool stuck = counter_halted(c) && c->mode != COUNTER_STOP;
    for (unsigned i = 0; i < c->blocks; i++) {
        if (c->load[i] == LOAD_AT_ONCE)
            load_group(c, 1u << i);
        else if (stuck && c->load[i] != LOAD_AT_LATCH && counter_complete(c, i))
            load_group(c, group_of(c, i));
    }
}

void counter_set_compare(struct counter *c, unsigned block, uint16_t value)
{
    c->compare[block] = value;
    c->written |= (uint8_t)(1u << block);
    counter_load_changed(c);
}

void counter_capture(struct counter *c, unsigned block)
{
    uint8_t bit = (uint8_t)(1u << block);
    c->overrun |= c->unread & bit;
    c->unread |= bit;
    c->flags |= bit;
    c->compare[block] = c->count;
    if (!c->latches)
        c->latch[block] = c->count;
}

/* ---- one clock that matters ---- */

/* What the modes 2, 3, 6 and 7 do at EQU0 comes, in up mode, with the roll from TACCR0 to zero: reset/set is high for
 * TACCRx of TACCR0 + 1 clocks (the example of 11.2.5, and TI's PWM examples, count so; measured in E2E 62817). The
 * table says "counts to TACCR0", which holds in the other modes. Where both actions fall on one clock, the block's own
 * has the last word in up mode: so TACCRx = 0 gives no clock, as the line through all other values says. */
static bool counter_own_first(const struct counter *c)
{
    return c->mode == COUNTER_UP;
}

/* Table 11-2, output modes. */
static void move_output(struct counter *c, unsigned block, bool equal, bool equal_0)
{
    enum { NOTHING, SET, RESET, TOGGLE };
    static const uint8_t at_own[8] = {NOTHING, SET, TOGGLE, SET, TOGGLE, RESET, TOGGLE, RESET};
    static const uint8_t at_top[8] = {NOTHING, NOTHING, RESET, RESET, NOTHING, NOTHING, SET, SET};
    uint8_t mode = c->output_mode[block], bit = (uint8_t)(1u << block);
    uint8_t own = equal ? at_own[mode] : NOTHING, top = equal_0 ? at_top[mode] : NOTHING;
    uint8_t action = counter_own_first(c) ? (own ? own : top) : (top ? top : own);
    switch (action) {
    case SET: c->outputs |= bit; break;
    case RESET: c->outputs &= (uint8_t)~bit; break;
    case TOGGLE: c->outputs ^= bit; break;
    default: break;
    }
}

static void counter_arrive(struct counter *c, bool upward, bool wrapped, bool rolled)
{
    bool equal_0 = c->latch[0] == c->count && (c->mode != COUNTER_UP_DOWN || upward);
    unsigned equal = equal_0;
    for (unsigned i = 1; i < c->blocks; i++)
        equal |= (unsigned)(c->latch[i] == c->count) << i;
    equal &= ~c->captures;
    for (unsigned i = 0; i < c->blocks; i++)
        move_output(c, i, equal >> i & 1, c->mode == COUNTER_UP ? rolled : equal_0);
    c->flags |= (uint8_t)(equal | (wrapped ? COUNTER_OVERFLOW : 0));
    c->sampled = (uint8_t)((c->sampled & ~equal) | (c->inputs & equal));
    if (c->written)
        load_latches(c, equal_0);
    for (unsigned i = 0; c->sampling >> i; i++)
        if (c->sampling >> i & 1)
            counter_capture(c, i);
    c->sampling = 0;
}

/* Moves by `clocks`, which do not go beyond the next count that matters; says whether that was a return to zero. */
static bool counter_move(struct counter *c, uint32_t clocks)
{
    uint16_t top = counter_top_of(c);
    if (c->mode == COUNTER_UP_DOWN && !c->down && c->count >= top)
        c->down = 1;
    if (!rises(c)) {
        c->count = (uint16_t)(c->count - clocks);
        c->down = c->count != 0;
        return c->count == 0;
    }
    bool wraps = c->count >= top;
    c->count = wraps ? 0 : (uint16_t)(c->count + clocks);
    return wraps;
}

/* Clocks to the next count that matters. */
static uint32_t counter_distance(const struct counter *c)
{
    uint16_t top = counter_top_of(c);
    bool turns = c->count >= top;
    if (c->sampling || (rises(c) && turns))
        return 1;
    uint32_t nearest = rises(c) ? (uint32_t)(top - c->count) : c->count;
    for (unsigned i = 0; i < c->blocks; i++) {
        uint32_t away = rises(c) ? (uint32_t)c->latch[i] - c->count : (uint32_t)c->count - c->latch[i];
        if (away && away < nearest) /* passed: wraps to a large number */
            nearest = away;
    }
    return nearest;
}

static uint32_t counter_period(const struct counter *c)
{
    return c->mode == COUNTER_UP_DOWN ? 2u * counter_top_of(c) : counter_top_of(c) + 1u;
}

/* After a few rounds all latches are loaded and all flags set that ever will be; what an output does in two rounds
 * more, it does in any even number. */
enum { STEADY_ROUNDS = 4 };

uint64_t counter_run(struct counter *c, uint64_t clocks, uint8_t flags, uint8_t outputs)
{
    uint64_t left = clocks;
    unsigned rounds = 0;
    while (left && !counter_halted(c)) {
        uint32_t step = counter_distance(c);
        if (step > left) {
            counter_move(c, (uint32_t)left);
            return clocks;
        }
        uint8_t old_flags = c->flags, old_outputs = c->outputs;
        bool upward = rises(c) && !(c->mode == COUNTER_UP_DOWN && c->count >= counter_top_of(c));
        bool rolled = c->count == c->latch[0];
        bool wrapped = counter_move(c, step);
        counter_arrive(c, upward, wrapped, wrapped && rolled);
        left -= step;
        if ((c->flags & ~old_flags & flags) || ((c->outputs ^ old_outputs) & outputs))
            return clocks - left;
        if (wrapped && ++rounds == STEADY_ROUNDS && !counter_halted(c)) {
            if (clocks == UINT64_MAX)
                return UINT64_MAX;
            left %= 2u * counter_period(c);
        }
    }
    return clocks;
}
