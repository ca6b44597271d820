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

uint64_t waveform_run(struct waveform *w, uint64_t clocks, uint8_t flags, uint8_t outputs)
{
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
