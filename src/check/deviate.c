#include "check/deviate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define DEVIATE_MS     UINT64_C(1000000)
#define DEVIATE_BEFORE DEVIATE_MS /* so long before an occasion a run is continued from: it has not been asked then */

/* ---- occasions ---- */

static int deviate_by_time(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    int order = choices_compare(x, y);
    return order ? order : x->outcome < y->outcome ? -1 : x->outcome > y->outcome;
}

/* An occasion, unless the last deviation comes after it or is another outcome of it. */
static void deviate_put(struct trace *to, const struct choice *after, const struct choice *c)
{
    if (c->outcome && (!after || (deviate_by_time(c, after) > 0 && choices_compare(c, after) != 0)))
        trace_add(to, c);
}

static void deviate_add(struct trace *to, const struct choice *after, enum choice_source source, uint32_t node,
                        uint64_t at, uint32_t outcome)
{
    struct choice c = {.source = source, .node = node, .ordinal = at, .outcome = outcome, .at = at};
    deviate_put(to, after, &c);
}

/* A frame: lost, damaged, and, once for all its receivers, not sent when it was meant to be. */
static void deviate_frame(const struct search_options *o, const struct choice *c, bool first,
                          const struct choice *after, struct trace *to)
{
    struct choice d = *c;
    uint64_t before = 5 * DEVIATE_MS;
    if (first && c->at > o->steady + before)
        deviate_add(to, after, CHOICE_BUSY, c->other, c->at - before, o->weights.busy > 0 ? o->weights.busy_for : 0);
    d.outcome = o->weights.lost > 0 ? FRAME_LOST : 0;
    deviate_put(to, after, &d);
    d.outcome = o->weights.damaged > 0 ? FRAME_DAMAGED : 0;
    deviate_put(to, after, &d);
}

/* The next interrupt of another line of the node, if it is near. */
static void deviate_hold(const struct network *n, const struct search_options *o, const struct trace *asked,
                         size_t number, const struct choice *after, struct trace *to)
{
    const struct choice *c = &asked->list[number];
    uint32_t limit = walk_hold_limit(n, &o->weights, c->node, c->other, NULL);
    uint64_t until = c->at + limit * UINT64_C(1000);
    for (size_t i = number + 1; i < asked->count && asked->list[i].at <= until; i++) {
        const struct choice *next = &asked->list[i];
        if (next->source != CHOICE_HOLD || next->node != c->node || next->other == c->other)
            continue;
        struct choice d = *c;
        d.outcome = (uint32_t)((next->at - c->at) / 1000) + 2;
        if (d.outcome <= limit && o->weights.held > 0)
            deviate_put(to, after, &d);
        return;
    }
}

static void deviate_preempt(const struct search_options *o, const struct choice *c, const struct choice *after,
                            struct trace *to)
{
    struct choice d = *c;
    uint32_t address;
    for (size_t i = 0; o->weights.sites && sites_at(o->weights.sites, c->node, c->other, i, &address); i++) {
        d.outcome = address + 1;
        deviate_put(to, after, &d);
    }
}

static void deviate_times(const struct search_options *o, uint32_t node, const struct choice *after, struct trace *to)
{
    const struct weights *w = &o->weights;
    uint64_t step = 250 * DEVIATE_MS, lively = w->calm ? w->calm - o->steady : o->length;
    for (uint64_t k = 0; k * step < lively; k++) {
        uint64_t at = o->steady + k * step;
        deviate_add(to, after, CHOICE_RESET, node, at, w->reset > 0);
        deviate_add(to, after, CHOICE_POWER, node, at, w->power > 0);
        deviate_add(to, after, CHOICE_DEATH, node, at, w->death > 0 && k % 20 == 0);
    }
    for (uint32_t late = 100000; late <= w->late; late += 100000) {
        struct choice c = {.source = CHOICE_BOOT, .node = node, .outcome = late};
        deviate_put(to, after, &c);
    }
}

static void deviate_sensor(const struct search_options *o, const struct choice *c, const struct choice *after,
                           struct trace *to)
{
    struct choice d = *c;
    for (size_t i = 0; i < o->weights.sensor_count && o->weights.sensed > 0; i++) {
        const struct sensor_values *s = &o->weights.sensors[i];
        if ((s->node != c->node && s->node != CHOICE_ALL) || s->line != c->other)
            continue;
        for (size_t k = 0; k < s->count; k++) {
            d.outcome = 1 + (uint32_t)s->microvolts[k];
            deviate_put(to, after, &d);
        }
    }
}

/* What the host sends never comes, has a wrong byte in its middle, or comes as early or late as it may. */
static void deviate_serials(const struct search_options *o, const struct choice *after, struct trace *to)
{
    const struct weights *w = &o->weights;
    uint64_t end = w->calm ? w->calm : o->steady + o->length, by = UINT64_C(1000) * w->shift;
    for (size_t i = 0; i < w->serial_count && w->serial > 0; i++) {
        struct choice c = w->serials[i];
        uint32_t bytes = c.outcome;
        if (c.at <= o->steady || c.at >= end)
            continue;
        c.outcome = SENT_NEVER;
        deviate_put(to, after, &c);
        c.outcome = SENT_DAMAGED + bytes / 2;
        deviate_put(to, after, &c);
        c.outcome = w->shift ? SENT_LATE + w->shift : 0;
        deviate_put(to, after, &c);
        c.outcome = w->shift && c.at > o->steady + by ? SENT_EARLY + w->shift : 0;
        c.at -= c.outcome ? by : 0;
        deviate_put(to, after, &c);
    }
}

void deviate_occasions(const struct network *n, const struct search_options *o, const struct trace *asked,
                       const struct choice *after, struct trace *occasions)
{
    struct trace sorted = {.list = NULL};
    trace_copy(&sorted, asked->list, asked->count);
    if (sorted.count)
        qsort(sorted.list, sorted.count, sizeof *sorted.list, deviate_by_time);
    for (size_t i = 0; i < sorted.count; i++) {
        const struct choice *c = &sorted.list[i], *before = i ? c - 1 : NULL;
        bool first =
            !before || before->source != CHOICE_FRAME || before->other != c->other || before->ordinal != c->ordinal;
        if (o->weights.calm && c->at >= o->weights.calm)
            break;
        if (c->source == CHOICE_FRAME)
            deviate_frame(o, c, first, after, occasions);
        else if (c->source == CHOICE_HOLD)
            deviate_hold(n, o, &sorted, i, after, occasions);
        else if (c->source == CHOICE_SENSOR)
            deviate_sensor(o, c, after, occasions);
        else
            deviate_preempt(o, c, after, occasions);
    }
    for (uint32_t i = 0; i < network_count(n); i++)
        deviate_times(o, network_node(n, i)->id, after, occasions);
    deviate_serials(o, after, occasions);
    if (occasions->count)
        qsort(occasions->list, occasions->count, sizeof *occasions->list, deviate_by_time);
    trace_free(&sorted);
}

/* ---- runs ---- */

struct deviation {
    const struct search_options *o;
    struct crew *crew;
    struct world *world;
    uint64_t number; /* of the item */
    struct trace *found;
};

static const struct violation deviate_none = {VIOLATION_NONE, 0, 0, 0, 0};

/* A plan, from where the world stands. In a steady state nothing of it is done yet; later everything up to now is. */
static struct walk *deviate_walk(const struct deviation *d, const struct trace *plan)
{
    struct network *n = world_network(d->world);
    struct walk *walk = walk_new(n, &d->o->weights, 0, plan, NEVER);
    if (network_now(n) > d->o->steady)
        walk_skip(walk, network_now(n));
    return walk;
}

/* From where the world stands to the end; everything that is asked goes into `asked`, which may be NULL. */
static struct violation deviate_to_end(const struct deviation *d, const struct trace *plan, struct trace *asked)
{
    const struct search_options *o = d->o;
    struct network *n = world_network(d->world);
    uint64_t from = network_now(n);
    struct walk *walk = deviate_walk(d, plan);
    walk_note(walk, asked);
    struct violation v = world_run(d->world, walk_driver(walk), o->steady + o->length);
    crew_add(d->crew, network_now(n) - from, walk_asked(walk));
    walk_free(walk);
    return v;
}

static struct violation deviate_below(const struct deviation *d, const struct trace *plan, unsigned depth);

/* The run of a plan, from where the world stands, or those with so many more deviations after it. */
static struct violation deviate_explore(const struct deviation *d, const struct trace *plan, unsigned depth)
{
    if (depth)
        return deviate_below(d, plan, depth);
    struct violation v = deviate_to_end(d, plan, NULL);
    if (v.kind != VIOLATION_NONE)
        trace_copy(d->found, plan->list, plan->count);
    return v;
}

static struct violation deviate_child(const struct deviation *d, const struct trace *plan, const struct choice *c,
                                      unsigned depth)
{
    struct trace longer = {.list = NULL};
    struct violation v;
    trace_copy(&longer, plan->list, plan->count);
    trace_add(&longer, c);
    if (c->source == CHOICE_SERIAL)
        world_alter(d->world, longer.list, longer.count);
    bool good = c->source != CHOICE_BOOT || world_settle(d->world, longer.list, longer.count, d->o->steady, &v);
    if (good)
        v = deviate_explore(d, &longer, depth);
    else
        trace_copy(d->found, longer.list, longer.count);
    trace_free(&longer);
    return v;
}

/* All with exactly so many deviations more: the occasions of this run one after the other, each from shortly before it.
 * The run itself was tried with fewer deviations. */
static struct violation deviate_below(const struct deviation *d, const struct trace *plan, unsigned depth)
{
    struct trace asked = {.list = NULL}, occasions = {.list = NULL};
    struct moment *here = world_keep(d->world);
    struct network *n = world_network(d->world);
    struct violation v = deviate_to_end(d, plan, &asked);
    if (v.kind != VIOLATION_NONE) /* with fewer deviations; reported then */
        v = deviate_none;
    deviate_occasions(n, d->o, &asked, &plan->list[plan->count - 1], &occasions);
    world_back(d->world, here);
    struct walk *walk = deviate_walk(d, plan);
    for (size_t i = 0; i < occasions.count && v.kind == VIOLATION_NONE && crew_goes_on(d->crew, d->number); i++) {
        const struct choice *c = &occasions.list[i];
        uint64_t until = c->at > DEVIATE_BEFORE ? c->at - DEVIATE_BEFORE : 0;
        if (until > network_now(n)) {
            world_run(d->world, walk_driver(walk), until);
            moment_free(here);
            here = world_keep(d->world);
        }
        v = deviate_child(d, plan, c, depth - 1);
        world_alter(d->world, plan->list, plan->count);
        world_back(d->world, here);
    }
    walk_free(walk);
    moment_free(here);
    trace_free(&asked);
    trace_free(&occasions);
    return v;
}

/* ---- items: an occasion of the plain run each ---- */

struct deviate_context {
    const struct search_options *o;
    unsigned depth;         /* deviations after the first */
    struct trace occasions; /* of the plain run */
};

static struct violation deviate_one(void *context, struct crew *crew, struct world *w, uint64_t number, struct trace *t)
{
    const struct deviate_context *c = context;
    const struct choice *first = &c->occasions.list[number];
    struct deviation d = {c->o, crew, w, number, t};
    struct trace plan = {.list = NULL};
    struct violation v;
    if (!world_settle(w, NULL, 0, c->o->steady, &v))
        return deviate_none; /* the plain run itself fails, which was reported */
    struct walk *walk = deviate_walk(&d, &plan);
    if (first->at > c->o->steady + DEVIATE_BEFORE)
        world_run(w, walk_driver(walk), first->at - DEVIATE_BEFORE);
    walk_free(walk);
    return deviate_child(&d, &plan, first, c->depth);
}

/* No deviation at all, and the occasions for one. */
static struct violation deviate_plain(void *context, struct crew *crew, struct world *w, uint64_t number,
                                      struct trace *t)
{
    struct deviate_context *c = context;
    struct deviation d = {c->o, crew, w, number, t};
    struct trace plan = {.list = NULL}, asked = {.list = NULL};
    struct violation v;
    if (world_settle(w, NULL, 0, c->o->steady, &v))
        v = deviate_to_end(&d, &plan, &asked);
    deviate_occasions(world_network(w), c->o, &asked, NULL, &c->occasions);
    trace_free(&asked);
    return v;
}

bool deviate_run(const struct search_options *o, unsigned first, unsigned limit, const struct subjects *s,
                 search_stop *stop, void *context, struct search_result *r, unsigned *tried, struct motet_error *e)
{
    struct deviate_context c = {.o = o};
    struct crew_job plain = {.context = &c, .count = 1, .one = deviate_plain};
    struct search_progress done = {0, 0, 0, -1};
    bool good = crew_run(&plain, 1, s, stop, context, r, e);
    for (*tried = first ? first - 1 : 0; good && !r->found && !r->stopped && *tried < limit; ++*tried) {
        done.items += r->done.items, done.nanoseconds += r->done.nanoseconds, done.asked += r->done.asked;
        c.depth = *tried;
        struct crew_job job = {.context = &c, .count = c.occasions.count, .one = deviate_one};
        job.ranks = o->ranks;
        job.round = *tried;
        job.first = first && *tried == first - 1 ? o->first : 0;
        good = crew_run(&job, o->workers, s, stop, context, r, e);
        if (r->found || r->stopped)
            break;
    }
    r->done.items += done.items, r->done.nanoseconds += done.nanoseconds, r->done.asked += done.asked;
    trace_free(&c.occasions);
    return good;
}
