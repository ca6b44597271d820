#include "check/outcomes.h"

/* The voltages that a conversion may find beside what is there; NULL: no others. */
static const struct sensor_values *outcomes_voltages(const struct weights *w, const struct choice *c)
{
    for (size_t i = 0; w->sensed > 0 && i < w->sensor_count; i++)
        if ((w->sensors[i].node == c->node || w->sensors[i].node == CHOICE_ALL) && w->sensors[i].line == c->other)
            return &w->sensors[i];
    return NULL;
}

static void outcomes_find_timed(struct outcomes *o, unsigned also)
{
    const struct weights *w = o->weights;
    const struct {
        enum choice_source source;
        bool has_weight;
    } timed[] = {{CHOICE_BUSY, w->busy > 0 && w->busy_for},
                 {CHOICE_RESET, w->reset > 0},
                 {CHOICE_POWER, w->power > 0},
                 {CHOICE_DEATH, w->death > 0}};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (also >> timed[i].source & 1 && timed[i].has_weight)
            o->timed[o->timed_count++] = timed[i].source;
}

void outcomes_find(struct outcomes *o, const struct weights *w, unsigned also)
{
    *o = (struct outcomes){.weights = w};
    o->frames[o->frame_count++] = FRAME_DELIVERED;
    if (w->lost > 0)
        o->frames[o->frame_count++] = FRAME_LOST;
    if (w->damaged > 0)
        o->frames[o->frame_count++] = FRAME_DAMAGED;
    outcomes_find_timed(o, also);
    o->holds = also >> CHOICE_HOLD & 1 && w->held > 0;
    o->serials = also >> CHOICE_SERIAL & 1 && w->serial > 0 && w->serial_count;
    const unsigned counts[] = {1 + o->timed_count, o->holds ? 2 : 1, o->serials ? OUTCOMES_OF_SERIAL : 1};
    o->most = o->frame_count;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        o->most = o->most > counts[i] ? o->most : counts[i];
    for (size_t i = 0; w->sensed > 0 && i < w->sensor_count; i++)
        o->most = o->most > 1 + w->sensors[i].count ? o->most : 1 + (unsigned)w->sensors[i].count;
}

/* How long an interrupt is held, in microseconds; 0: not at all. Those of timers are left alone unless they have a
 * limit of their own: they keep clocks, and there are many. */
static uint32_t outcomes_hold(const struct outcomes *o, const struct network *n, const struct choice *c)
{
    bool own, timer = walk_is_of_timer(n, c->node, c->other);
    uint32_t limit = walk_hold_limit(n, o->weights, c->node, c->other, &own);
    return o->holds && (own || !timer) ? limit : 0;
}

unsigned outcomes_count(const struct outcomes *o, const struct network *n, const struct choice *c)
{
    const struct sensor_values *v = c->source == CHOICE_SENSOR ? outcomes_voltages(o->weights, c) : NULL;
    if (c->source == CHOICE_FRAME)
        return o->frame_count;
    if (c->source == CHOICE_HOLD)
        return outcomes_hold(o, n, c) ? 2 : 1;
    return v ? 1 + (unsigned)v->count : 1;
}

uint32_t outcomes_at(const struct outcomes *o, const struct network *n, const struct choice *c, unsigned number)
{
    if (c->source == CHOICE_FRAME)
        return o->frames[number];
    if (c->source == CHOICE_HOLD)
        return number ? outcomes_hold(o, n, c) : 0;
    return number ? 1 + (uint32_t)outcomes_voltages(o->weights, c)->microvolts[number - 1] : 0;
}

unsigned outcomes_timed_count(const struct outcomes *o)
{
    return 1 + o->timed_count;
}

struct choice outcomes_timed(const struct outcomes *o, uint32_t node, uint64_t at, unsigned number)
{
    struct choice c = {.source = CHOICE_SOURCES, .node = node, .ordinal = at, .outcome = 1, .at = at};
    if (number)
        c.source = o->timed[number - 1];
    if (c.source == CHOICE_BUSY)
        c.outcome = o->weights->busy_for;
    return c;
}

uint32_t outcomes_of_serial(const struct choice *c, unsigned number)
{
    const uint32_t outcomes[OUTCOMES_OF_SERIAL] = {SENT_AS_MEANT, SENT_NEVER, SENT_DAMAGED + c->outcome / 2};
    return outcomes[number];
}
