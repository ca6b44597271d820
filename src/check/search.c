#include "check/search.h"

#include <stdlib.h>

uint64_t search_seed(const struct search_options *o, uint64_t walk)
{
    return (o->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ walk * UINT64_C(0xd1342543de82ef95);
}

/* Not where something must happen at some time: that takes a quiet time. The first walks find what is easy to find, and
 * what they find has shorter stories. */
static bool search_is_stalled(const struct search_options *o, uint64_t number)
{
    bool one = number >= SEARCH_LATER && number % SEARCH_STALLED == SEARCH_STALLED - 2;
    return one && o->kind == WALK_MIXED && o->weights.busy > 0 && o->weights.busy_for && !o->weights.calm;
}

/* Not where something must happen at some time: that has times of its own. Where nodes wait for long, soon after they
 * were switched on: they have more to say then. */
uint64_t search_begin(const struct search_options *o, uint64_t walk)
{
    enum { HALVINGS = 5, STALLED_HALVINGS = 3 };
    uint64_t draw = search_seed(o, walk) >> 24;
    if (!o->early || o->weights.calm)
        return o->steady;
    if (search_is_stalled(o, walk))
        return o->steady >> (2 + draw % STALLED_HALVINGS);
    return draw % SEARCH_EARLY ? o->steady : o->steady >> (1 + draw / SEARCH_EARLY % HALVINGS);
}

static void search_delays(const struct search_options *o, const struct network *n, uint64_t walk, struct trace *t)
{
    uint64_t variant = walk % SEARCH_VARIANTS;
    if (variant)
        walk_draw_delays(n, &o->weights, search_seed(o, UINT64_MAX - variant), t);
}

/* What a walk is made of: its choices before it begins, and how it chooses. */
struct search_plan {
    uint64_t number, seed;
    uint64_t begin, end; /* nanoseconds */
    struct trace before; /* delays, and how inputs come */
    struct weights weights;
};

/* In stretches, so that a walk that cannot be the result any more ends soon. */
static struct violation search_run_walk(struct crew *c, struct world *w, const struct walk *walk,
                                        const struct search_plan *p)
{
    enum { STRETCH = 1000000000 };
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    for (uint64_t at = p->begin; at < p->end && v.kind == VIOLATION_NONE && crew_goes_on(c, p->number);) {
        uint64_t left = p->end - at, to = at + (left < STRETCH ? left : STRETCH);
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

static struct violation search_walk_on(struct crew *c, struct world *w, const struct search_plan *p, struct trace *t)
{
    struct violation v;
    struct walk *walk = walk_new(world_network(w), &p->weights, p->seed, &p->before, p->begin);
    if (world_settle(w, p->before.list, p->before.count, p->begin, &v))
        v = search_run_walk(c, w, walk, p);
    trace_copy(t, walk_trace(walk)->list, walk_trace(walk)->count);
    walk_free(walk);
    return v;
}

/* ---- guided walks ---- */

enum { GUIDE_STALE = 4 };            /* stretches without anything new after which it goes back */
#define GUIDE_STRETCH NETWORK_SECOND /* between two looks at what was reached */

/* A guided walk: where it last reached something new, and the way there. */
struct guided {
    const struct search_options *o;
    const struct search_plan *plan;
    struct world *world;
    struct reach *reach;
    struct moment *best;
    struct trace way;     /* to the best */
    struct trace plan_on; /* the same, and the inputs that come later */
    struct walk *walk;
    unsigned returns; /* how often it went back */
};

/* From the best on with other choices. */
static void guided_go_back(struct guided *g)
{
    uint64_t seed = search_seed(g->o, g->plan->number ^ (uint64_t)++g->returns << 48);
    struct weights weights = weights_of(&g->o->weights, g->o->kind, seed, g->o->steady + g->o->length);
    weights.sites = g->plan->weights.sites;
    world_back(g->world, g->best);
    walk_free(g->walk);
    uint64_t now = network_now(world_network(g->world));
    trace_copy(&g->plan_on, g->way.list, g->way.count);
    for (size_t i = 0; i < g->plan->before.count; i++)
        if (g->plan->before.list[i].source == CHOICE_SERIAL && g->plan->before.list[i].at > now)
            trace_add(&g->plan_on, &g->plan->before.list[i]);
    g->walk = walk_new(world_network(g->world), &weights, seed, &g->plan_on, now);
    trace_copy(walk_trace(g->walk), g->way.list, g->way.count);
    walk_skip(g->walk, now);
}

static void guided_keep(struct guided *g)
{
    moment_free(g->best);
    g->best = world_keep(g->world);
    trace_copy(&g->way, walk_trace(g->walk)->list, walk_trace(g->walk)->count);
}

static struct violation guided_go(struct guided *g, struct crew *c)
{
    struct network *n = world_network(g->world);
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    uint64_t end = g->o->steady + g->o->length, spent = 0;
    unsigned stale = 0;
    while (spent < g->o->length && v.kind == VIOLATION_NONE && crew_goes_on(c, g->plan->number)) {
        uint64_t now = network_now(n), asked = walk_asked(g->walk);
        uint64_t to = now + GUIDE_STRETCH < end ? now + GUIDE_STRETCH : end;
        v = world_run(g->world, walk_driver(g->walk), to);
        crew_add(c, network_now(n) - now, walk_asked(g->walk) - asked);
        spent += to - now;
        bool fresh = reach_took(g->reach);
        stale = fresh ? 0 : stale + 1;
        if (fresh && to < end)
            guided_keep(g);
        if ((stale == GUIDE_STALE || to >= end) && v.kind == VIOLATION_NONE && spent < g->o->length) {
            guided_go_back(g);
            stale = 0;
        }
    }
    return v;
}

static struct violation search_walk_guided(const struct search_options *o, struct crew *c, struct world *w,
                                           const struct search_plan *p, struct trace *t)
{
    struct violation v;
    struct guided g = {.o = o, .plan = p, .world = w, .reach = reach_of(o->reach, w)};
    g.walk = walk_new(world_network(w), &p->weights, p->seed, &p->before, o->steady);
    if (world_settle(w, p->before.list, p->before.count, o->steady, &v)) {
        reach_begin(g.reach);
        guided_keep(&g);
        v = guided_go(&g, c);
    }
    trace_copy(t, walk_trace(g.walk)->list, walk_trace(g.walk)->count);
    walk_free(g.walk);
    moment_free(g.best);
    trace_free(&g.way);
    trace_free(&g.plan_on);
    return v;
}

/* Not where something must happen at some time: that takes a quiet time, and nothing new is reached in it. Nor by a
 * firmware without symbols, of whose code nothing is known. */
static bool search_is_guided(const struct search_options *o, uint64_t number)
{
    bool one = number % SEARCH_GUIDED == SEARCH_GUIDED - 1;
    return one && search_begin(o, number) == o->steady && !search_is_stalled(o, number) && o->reach &&
           o->kind == WALK_MIXED && !o->weights.calm && shared_reach_share(o->reach) >= 0;
}

/* ---- walks ---- */

static struct violation search_walk(void *context, struct crew *c, struct world *w, uint64_t number, struct trace *t)
{
    const struct search_options *o = context;
    struct search_plan p = {.number = number, .seed = search_seed(o, number)};
    if (o->reach && number >= SEARCH_GUIDED - 1) /* what the first walks find does not wait for the plain run */
        reach_of(o->reach, w);
    p.begin = search_begin(o, number);
    p.end = p.begin + o->length;
    bool stalled = search_is_stalled(o, number);
    p.weights = stalled ? weights_stalled(&o->weights) : weights_of(&o->weights, o->kind, p.seed, p.end);
    struct lookout *lookout = search_aim(o, w, number, &p.weights);
    search_delays(o, world_network(w), number, &p.before);
    walk_draw_serials(&p.weights, p.begin, p.seed, &p.before);
    struct violation v = search_is_guided(o, number) ? search_walk_guided(o, c, w, &p, t) : search_walk_on(c, w, &p, t);
    lookout_end(lookout);
    trace_free(&p.before);
    return v;
}

/* Adds the share of code to what is asked for by `stop`. */
struct search_asked {
    const struct search_options *o;
    search_stop *stop;
    void *context;
};

static bool search_asks(void *context, const struct search_progress *p)
{
    const struct search_asked *a = context;
    struct search_progress more = *p;
    more.reached = shared_reach_share(a->o->reach);
    return a->stop(a->context, &more);
}

bool search_run(const struct search_options *o, const struct subjects *s, search_stop *stop, void *context,
                struct search_result *r, struct motet_error *e)
{
    struct crew_job job = {
        .context = (void *)(uintptr_t)o, .first = o->first, .count = o->walks, .ranks = o->ranks, .one = search_walk};
    struct search_asked asked = {o, stop, context};
    bool asks = stop && o->reach;
    bool good = crew_run(&job, o->workers, s, asks ? search_asks : stop, asks ? &asked : context, r, e);
    r->done.reached = o->reach ? shared_reach_share(o->reach) : -1;
    return good;
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
