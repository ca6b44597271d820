/* The firmware's own clock. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "motet/log.h"
#include "motet/watch.h"

struct motet_replay_clock {
    const motet_node *node;
    char *expression;
    double hz;
    unsigned bits;
    uint64_t last, count; /* as read; with the turns it has made */
    uint64_t tick;        /* of the node, when it was written */
    bool changed;         /* since it was looked at */
    uint64_t ticks_hz;
    uint64_t reported; /* nanoseconds: the latest that was returned */
};

/* A word of it was written; the others may follow. */
static void replay_clock_written(void *context, const motet_node *n, const struct motet_access *a)
{
    motet_replay_clock *c = context;
    (void)a;
    c->tick = motet_node_now(n);
    c->changed = true;
}

/* Its value now. A value below the last one, as while it is written in pieces, is ignored. */
static void replay_clock_look(motet_replay_clock *c)
{
    struct motet_value v;
    struct motet_error ignored;
    if (!c->changed || !motet_node_value(c->node, c->expression, &v, &ignored))
        return;
    uint64_t mask = c->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << c->bits) - 1;
    uint64_t now = (uint64_t)v.number & mask, step = (now - c->last) & mask;
    if (step > mask / 2)
        return;
    c->count += step;
    c->last = now;
    c->changed = false;
}

/* Often enough for those that come round within minutes. */
static void replay_clock_slept(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)n, (void)h;
    replay_clock_look(context);
}

static bool replay_clock_follow(motet_replay_clock *c, motet_node *n, struct motet_error *e)
{
    struct motet_value v;
    if (!motet_node_value(n, c->expression, &v, e))
        return false;
    if (v.kind != MOTET_VALUE_INTEGER || v.size < 2)
        return error_set(e, "%.100s cannot be a clock: it is not an integer of 16 bits or more", c->expression);
    c->bits = v.bits ? v.bits : 8 * v.size;
    motet_hook(n, MOTET_ON(SLEEP), replay_clock_slept, c);
    return motet_watch_named(n, c->expression, MOTET_WRITE | MOTET_AFTER, replay_clock_written, c, e) != NULL;
}

motet_replay_clock *motet_replay_clock_new(motet_node *n, const char *text, struct motet_error *e)
{
    const char *slash = strrchr(text, '/');
    char *end = NULL;
    double hz = slash ? strtod(slash + 1, &end) : 0;
    if (!slash || slash == text || *end || !(hz > 0 && hz < 1e12)) {
        error_set(e, "'%.100s' is not EXPRESSION/HZ, such as ticks/32768", text);
        return NULL;
    }
    motet_replay_clock *c = memory_new(sizeof *c);
    c->expression = memory_new((size_t)(slash - text) + 1);
    memcpy(c->expression, text, (size_t)(slash - text));
    c->node = n;
    c->changed = true; /* a replay may begin in the middle of a life */
    c->hz = hz;
    c->ticks_hz = motet_machine_hz(motet_node_machine(n));
    if (replay_clock_follow(c, n, e))
        return c;
    motet_replay_clock_free(c);
    return NULL;
}

void motet_replay_clock_free(motet_replay_clock *c)
{
    if (!c)
        return;
    free(c->expression);
    free(c);
}

uint64_t motet_replay_clock_time(motet_replay_clock *c, uint64_t tick)
{
    replay_clock_look(c);
    double since = tick > c->tick ? (double)(tick - c->tick) / (double)c->ticks_hz : 0;
    uint64_t time = (uint64_t)(((double)c->count / c->hz + since) * (double)MOTET_SECOND);
    c->reported = time > c->reported ? time : c->reported;
    return c->reported;
}
