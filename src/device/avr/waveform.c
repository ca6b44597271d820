#include "device/avr/waveform.h"

#include <string.h>

/* Compared and hashed as bytes. */
_Static_assert(sizeof(struct waveform) == 32, "struct waveform has no padding");

void waveform_set_compare(struct waveform *w, unsigned channel, uint16_t value)
{
    w->buffer[channel] = value;
    if (!waveform_buffered(w) || (w->plain >> channel & 1))
        w->compare[channel] = value;
}

static void waveform_load(struct waveform *w)
{
    memcpy(w->compare, w->buffer, sizeof w->compare);
}

void waveform_set_mode(struct waveform *w, struct waveform_mode mode)
{
    w->mode = mode;
    if (!waveform_buffered(w))
        waveform_load(w);
    if (mode.kind < WAVEFORM_PHASE)
        w->down = 0;
}

static void waveform_set_output(struct waveform *w, unsigned channel, bool high)
{
    w->outputs = (uint8_t)((w->outputs & ~(1u << channel)) | ((unsigned)high << channel));
}

static void waveform_act(struct waveform *w, unsigned channel)
{
    switch ((enum waveform_action)w->action[channel]) {
    case WAVEFORM_DISCONNECTED: break;
    case WAVEFORM_TOGGLES: w->outputs ^= (uint8_t)(1u << channel); break;
    case WAVEFORM_CLEARS: waveform_set_output(w, channel, false); break;
    case WAVEFORM_SETS: waveform_set_output(w, channel, true); break;
    }
}

void waveform_force(struct waveform *w, unsigned channel)
{
    if (w->mode.kind < WAVEFORM_FAST || (w->plain >> channel & 1))
        waveform_act(w, channel);
}

/* ---- one clock ---- */

static unsigned matches(const struct waveform *w)
{
    unsigned hit = 0;
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        hit |= (unsigned)(w->count == w->compare[i]) << i;
    return w->blocked ? 0 : hit & ~w->disabled;
}

static uint16_t waveform_top_of(const struct waveform *w)
{
    switch ((enum waveform_top)w->mode.top_from) {
    case WAVEFORM_TOP_COMPARE: return w->compare[0];
    case WAVEFORM_TOP_CAPTURE: return w->capture;
    case WAVEFORM_TOP_FIXED: break;
    }
    return w->mode.top;
}

/* "Do not write the TCNTn equal to TOP in PWM modes with variable TOP values. The compare match for the TOP will be
 * ignored and the counter will continue to 0xFFFF." */
static bool at_top(const struct waveform *w, unsigned hit)
{
    switch ((enum waveform_top)w->mode.top_from) {
    case WAVEFORM_TOP_COMPARE: return hit & 1;
    case WAVEFORM_TOP_CAPTURE: return w->count == w->capture && !w->blocked;
    case WAVEFORM_TOP_FIXED: break;
    }
    return w->count == w->mode.top;
}

/* The output with which fast PWM begins a period. */
static bool waveform_begins_high(const struct waveform *w, unsigned channel)
{
    bool constant = (w->constant >> channel & 1) && w->buffer[channel] == 0;
    return (w->action[channel] == WAVEFORM_CLEARS) != constant;
}

static void step_single_slope(struct waveform *w, unsigned hit, bool top)
{
    bool fast = w->mode.kind == WAVEFORM_FAST, max = w->count == w->max, to_bottom = top || max;
    if (fast ? top : max)
        w->flags |= WAVEFORM_OVERFLOW;
    w->count = to_bottom ? 0 : (uint16_t)(w->count + 1);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++) {
        if (fast && to_bottom && w->action[i] >= WAVEFORM_CLEARS && !(w->plain >> i & 1))
            waveform_set_output(w, i, waveform_begins_high(w, i)); /* a match at TOP is ignored */
        else if (hit & (1u << i))
            waveform_act(w, i);
    }
    if (fast && to_bottom)
        waveform_load(w);
}

/* The output a dual-slope mode gives a channel at the clock that takes the count from `from`. */
static void dual_slope_output(struct waveform *w, unsigned channel, uint16_t from, bool hit, bool top)
{
    bool inverted = w->action[channel] == WAVEFORM_SETS;
    if (top)
        waveform_set_output(w, channel, (w->compare[channel] == from) != inverted);
    else if (hit)
        waveform_set_output(w, channel, w->down != inverted);
}

static void step_dual_slope(struct waveform *w, unsigned hit, bool top)
{
    uint16_t from = w->count;
    bool bottom = from == 0, loads = w->mode.kind == WAVEFORM_PHASE ? top : bottom;
    if (bottom)
        w->flags |= WAVEFORM_OVERFLOW;
    w->down = bottom ? 0 : top ? 1 : w->down;
    if (top && bottom)
        ;
    else if (w->down)
        w->count--;
    else
        w->count = from == w->max ? 0 : (uint16_t)(from + 1);
    if (loads)
        waveform_load(w);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++) {
        bool channel_hit = hit & (1u << i);
        if ((w->action[i] == WAVEFORM_TOGGLES || (w->plain >> i & 1)) && channel_hit)
            waveform_act(w, i);
        else if (!(w->plain >> i & 1) && w->action[i] >= WAVEFORM_CLEARS)
            dual_slope_output(w, i, from, loads ? w->compare[i] == from : channel_hit, top);
    }
}

void waveform_step(struct waveform *w)
{
    unsigned hit = matches(w);
    bool top = at_top(w, hit);
    w->blocked = 0;
    w->flags |= (uint8_t)(hit * WAVEFORM_MATCH);
    if (top && w->mode.top_from == WAVEFORM_TOP_CAPTURE)
        w->flags |= WAVEFORM_CAPTURED;
    if (w->mode.kind < WAVEFORM_PHASE)
        step_single_slope(w, hit, top);
    else
        step_dual_slope(w, hit, top);
}

/* ---- many clocks ---- */

/* How many clocks do nothing but count from here. */
static uint64_t quiet(const struct waveform *w)
{
    if (w->blocked || (w->mode.kind >= WAVEFORM_PHASE && w->count == 0))
        return 0;
    unsigned at = w->count, nearest = w->down ? at : w->max - at, top = waveform_top_of(w);
    unsigned ahead = w->down ? at - top : top - at; /* huge if it was passed */
    if (ahead < nearest)
        nearest = ahead;
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++) {
        bool idle = (w->flags & (WAVEFORM_MATCH << i)) && w->action[i] == WAVEFORM_DISCONNECTED;
        if (idle || (w->disabled & (1u << i)))
            continue;
        ahead = w->down ? at - w->compare[i] : w->compare[i] - at;
        if (ahead < nearest)
            nearest = ahead;
    }
    return nearest;
}

uint64_t waveform_counts(const struct waveform *w)
{
    unsigned top = waveform_top_of(w);
    if (w->blocked || w->mode.kind >= WAVEFORM_PHASE)
        return 0;
    return (top >= w->count && top < w->max ? top : w->max) - w->count;
}

static void waveform_count(struct waveform *w, uint64_t clocks)
{
    w->count = (uint16_t)(w->down ? w->count - clocks : w->count + clocks);
}

/* ---- the plain counters, in closed form ---- */

/* In the modes that only count up, without a match that is held off: the way of the counter, from where it is to `end`,
 * and then again and again from 0 to `top`. */
struct waveform_way {
    unsigned at, end, top;
};

/* False if the counter goes another way. */
static bool waveform_counts_up(const struct waveform *w, struct waveform_way *way)
{
    bool held_off = w->blocked || (w->mode.top_from == WAVEFORM_TOP_COMPARE && (w->disabled & 1));
    if (w->mode.kind >= WAVEFORM_FAST || held_off || w->count > w->max)
        return false;
    unsigned top = waveform_top_of(w);
    *way = (struct waveform_way){w->count, w->count <= top && top < w->max ? top : w->max, top < w->max ? top : w->max};
    return true;
}

/* The clock that takes the counter from a value on; UINT64_MAX if it never has it. */
static uint64_t waveform_leaves(const struct waveform_way *way, unsigned value)
{
    if (value >= way->at && value <= way->end)
        return value - way->at + 1;
    return value <= way->top ? (uint64_t)(way->end - way->at) + value + 2 : UINT64_MAX;
}

/* The value from which a clock sets a flag, by the flag's number. False if none does. */
static inline bool waveform_flag_from(const struct waveform *w, unsigned flag, unsigned *value)
{
    if (flag == 0) {
        *value = w->max;
        return true;
    }
    if (flag <= WAVEFORM_CHANNELS) {
        *value = w->compare[flag - 1];
        return !(w->disabled >> (flag - 1) & 1);
    }
    *value = w->capture;
    return w->mode.top_from == WAVEFORM_TOP_CAPTURE;
}

enum { WAVEFORM_ALL_FLAGS = (WAVEFORM_CAPTURED << 1) - 1 };

/* Where no output is connected. */
static bool waveform_run_up(struct waveform *w, uint64_t clocks)
{
    struct waveform_way way;
    if ((w->action[0] | w->action[1] | w->action[2]) != WAVEFORM_DISCONNECTED || !waveform_counts_up(w, &way))
        return false;
    for (unsigned down = ~w->flags & WAVEFORM_ALL_FLAGS, value; down; down &= down - 1) {
        unsigned flag = (unsigned)__builtin_ctz(down);
        if (waveform_flag_from(w, flag, &value) && waveform_leaves(&way, value) <= clocks)
            w->flags |= (uint8_t)(1u << flag);
    }
    uint64_t straight = way.end - way.at;
    if (clocks > straight) {
        uint64_t rest = clocks - straight - 1;
        w->count = (uint16_t)(rest <= way.top ? rest : rest % (way.top + 1u));
    } else {
        w->count = (uint16_t)(way.at + clocks);
    }
    return true;
}

uint64_t waveform_until(const struct waveform *w, uint8_t flags, uint8_t outputs)
{
    struct waveform_way way;
    flags &= (uint8_t)~w->flags;
    if (outputs || !waveform_counts_up(w, &way)) {
        struct waveform ahead = *w;
        return waveform_run(&ahead, UINT64_MAX, flags, outputs);
    }
    uint64_t first = UINT64_MAX;
    for (unsigned left = flags & WAVEFORM_ALL_FLAGS, value; left; left &= left - 1) {
        uint64_t clocks = UINT64_MAX;
        if (waveform_flag_from(w, (unsigned)__builtin_ctz(left), &value))
            clocks = waveform_leaves(&way, value);
        first = clocks < first ? clocks : first;
    }
    return first;
}

uint64_t waveform_run(struct waveform *w, uint64_t clocks, uint8_t flags, uint8_t outputs)
{
    if (!flags && !outputs && waveform_run_up(w, clocks))
        return clocks;
    /* Brent's cycle search over the states in which the counter passes 0: once one comes again, whole periods are
     * skipped. Flags stay up and buffers are loaded once, so that is soon. */
    struct waveform anchor;
    uint64_t anchor_left = 0, left = clocks;
    unsigned passes = 0, next_anchor = 1;
    while (left) {
        uint64_t still = quiet(w);
        if (still >= left) {
            waveform_count(w, left);
            break;
        }
        waveform_count(w, still);
        left -= still + 1;
        struct waveform before = *w;
        waveform_step(w);
        if ((w->flags & ~before.flags & flags) || ((w->outputs ^ before.outputs) & outputs))
            return clocks - left;
        if (before.count != 0 && w->count != 0)
            continue;
        if (passes && memcmp(&anchor, w, sizeof anchor) == 0) {
            if (flags || outputs)
                return UINT64_MAX;
            left %= anchor_left - left;
            passes = 0, next_anchor = 1;
        } else if (++passes == next_anchor) {
            anchor = *w;
            anchor_left = left;
            next_anchor *= 2;
        }
    }
    return clocks;
}
