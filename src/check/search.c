#include "check/search.h"

#include <stdlib.h>

uint64_t search_seed(const struct search_options *o, uint64_t walk)
{
    return (o->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ walk * UINT64_C(0xd1342543de82ef95);
}

static void search_delays(const struct search_options *o, const struct network *n, uint64_t walk, struct trace *t)
{
    uint64_t variant = walk % SEARCH_VARIANTS;
    if (variant)
        walk_draw_delays(n, &o->weights, search_seed(o, UINT64_MAX - variant), t);
}

/* In stretches, so that a walk that cannot be the result any more ends soon. */
static struct violation search_run_walk(const struct search_options *o, struct crew *c, struct world *w,
                                        const struct walk *walk, uint64_t number)
{
    enum { STRETCH = 1000000000 };
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    for (uint64_t at = o->steady; at < o->steady + o->length && v.kind == VIOLATION_NONE && crew_goes_on(c, number);) {
        uint64_t left = o->steady + o->length - at, to = at + (left < STRETCH ? left : STRETCH);
        uint64_t asked = walk_asked(walk);
        v = world_run(w, walk_driver(walk), to);
        crew_add(c, network_now(world_network(w)) - at, walk_asked(walk) - asked);
        at = to;
    }
    return v;
}

/* Sites are learnt only when a walk needs them: what the first walks find does not wait for it. */
static struct lookout *search_aim(const struct search_options *o, struct world *w, uint64_t number, struct weights *to)
{
    if (!o->aims || number % SEARCH_AIMED != SEARCH_AIMED - 1)
        return NULL;
    to->sites = shared_sites_learnt(o->aims, w);
    return sites_look_out(to->sites, world_network(w));
}

static struct violation search_walk(void *context, struct crew *c, struct world *w, uint64_t number, struct trace *t)
{
    const struct search_options *o = context;
    struct violation v;
    struct trace delays = {.list = NULL};
    uint64_t seed = search_seed(o, number);
    struct weights weights = weights_of(&o->weights, o->kind, seed, o->steady + o->length);
    struct lookout *lookout = search_aim(o, w, number, &weights);
    search_delays(o, world_network(w), number, &delays);
    walk_draw_serials(&weights, o->steady, seed, &delays);
    struct walk *walk = walk_new(world_network(w), &weights, seed, &delays, o->steady);
    if (world_settle(w, delays.list, delays.count, o->steady, &v))
        v = search_run_walk(o, c, w, walk, number);
    trace_copy(t, walk_trace(walk)->list, walk_trace(walk)->count);
    walk_free(walk);
    lookout_end(lookout);
    trace_free(&delays);
    return v;
}

bool search_run(const struct search_options *o, const struct subjects *s, search_stop *stop, void *context,
                struct search_result *r, struct motet_error *e)
{
    struct crew_job job = {
        .context = (void *)(uintptr_t)o, .first = o->first, .count = o->walks, .ranks = o->ranks, .one = search_walk};
    return crew_run(&job, o->workers, s, stop, context, r, e);
}

struct violation search_replay(struct world *w, const struct search_options *o, const struct trace *t, uint64_t until,
                               struct trace *taken)
{
    struct violation v;
    struct walk *walk = walk_new(world_network(w), &o->weights, 0, t, NEVER);
    if (world_settle(w, t->list, t->count, o->steady, &v))
        v = world_run(w, walk_driver(walk), until);
    if (taken)
        trace_copy(taken, walk_trace(walk)->list, walk_trace(walk)->count);
    walk_free(walk);
    return v;
}
