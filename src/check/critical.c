#include "check/critical.h"

#define CRITICAL_LIVELY (10 * NETWORK_SECOND) /* how long probes make choices */
#define CRITICAL_SLACK  (NETWORK_SECOND / 2)

struct search_for_critical {
    struct world *world;
    const struct search_options *o;
    uint64_t patience;
    const struct trace *trace;
    const struct violation *violation;
    struct critical *result;
};

static uint64_t critical_time(const struct search_for_critical *s, size_t count)
{
    uint64_t at = s->o->steady;
    for (size_t i = 0; i < count; i++)
        at = s->trace->list[i].at > at ? s->trace->list[i].at : at;
    return at;
}

/* Whether a probe from the state after so many choices ends in the violation. */
static bool critical_probe(const struct search_for_critical *s, size_t count, unsigned probe, struct violation *v)
{
    struct trace plan = {.list = NULL};
    uint64_t from = critical_time(s, count) + 1, lively = probe ? CRITICAL_LIVELY : 0;
    struct weights few = {
        .lost = 0.05, .damaged = 0.02, .held = 0.02, .hold = s->o->weights.hold, .sites = s->o->weights.sites};
    trace_copy(&plan, s->trace->list, count);
    few.calm = from + lively;
    struct walk *walk =
        walk_new(world_network(s->world), &few, search_seed(s->o, UINT64_MAX / 2 - probe), &plan, probe ? from : NEVER);
    s->result->probes++;
    if (world_settle(s->world, plan.list, plan.count, s->o->steady, v))
        *v = world_run(s->world, walk_driver(walk), from + lively + s->patience + CRITICAL_SLACK);
    walk_free(walk);
    trace_free(&plan);
    return violation_same(v, s->violation);
}

static bool critical_is_dead(const struct search_for_critical *s, size_t count)
{
    struct violation v;
    for (unsigned i = 0; i < CRITICAL_PROBES; i++)
        if (!critical_probe(s, count, i, &v))
            return false;
    return true;
}

void critical_find(struct world *w, const struct search_options *o, uint64_t patience, bool (*stop)(void *context),
                   void *context, struct trace *t, struct violation *v, struct critical *c)
{
    struct search_for_critical s = {w, o, patience, t, v, c};
    struct violation last;
    size_t first = 0, low, high = t->count;
    *c = (struct critical){.found = false};
    while (first < t->count && t->list[first].source == CHOICE_BOOT)
        first++;
    low = first; /* dead states are those with `high` choices or more; delays come before all others */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stop && stop(context))
            return;
        if (critical_is_dead(&s, middle))
            high = middle;
        else
            low = middle + 1;
    }
    if (!critical_probe(&s, high, 0, &last)) /* a state that is dead by most of its futures, but not by this one */
        return;
    t->count = high;
    *v = last;
    c->found = high > first;
    c->choice = high - 1;
}
