#include "check/exhaust.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/outcomes.h"
#include "node/events.h"
#include "node/machine.h"
#include "node/uses.h"

enum { EXHAUST_SHARES = 8 };       /* items for each worker, at least */
enum { EXHAUST_RANK_WORKERS = 8 }; /* that a rank is taken to have, so that all ranks count the same items */

/* Figures that ranks add up. */
enum { EXHAUST_RUNS, EXHAUST_RECHECKED, EXHAUST_WRONG, EXHAUST_STATES, EXHAUST_MERGED, EXHAUST_BITS, EXHAUST_MISSED };
#define EXHAUST_CERTAIN 1e15 /* a probability of 1, as a figure */

/* What all workers share. */
struct exhaust {
    const struct search_options *o;
    const struct exhaust_options *x;
    struct outcomes outcomes;
    unsigned prefix;   /* an item is a way that so many first choices go */
    struct seen *seen; /* NULL: nothing is matched */
    size_t arenas;     /* bytes of the memories of all nodes */
    size_t bytes;      /* and of the properties' views after them */
    atomic_uint_fast64_t runs, matches, rechecked, wrong;
};

/* One of its choices: the number of its outcome, and how many there are. */
struct planned {
    unsigned outcome, count;
};

/* A stretch from one instant to the next: its choices, the first of them planned. */
struct stretch {
    struct planned *plan;
    size_t planned, asked, room;
};

/* A worker's way through the tree. */
struct way {
    struct exhaust *all;
    struct crew *crew;
    struct world *world;
    uint64_t number;      /* of the item */
    struct trace *trace;  /* what was chosen so far, other than the default */
    size_t made;          /* choices on the way to the state it stands at */
    struct stretch *now;  /* under way */
    uint32_t asked_nodes; /* of those to which something may happen at the instant, so many were asked */
    struct choice timed;  /* what happens to the last of them; source CHOICE_SOURCES: nothing does */
    bool rechecking;      /* it is in the futures of a state that was matched, and explored all the same */
    bool nowhere;         /* a choice has not so many outcomes as the item's number asks for */
    struct driver driver;
};

/* A state on the way. */
struct station {
    struct moment *moment;
    bool comparable; /* `state` says what it is */
    struct seen_state state;
    uint8_t *memories;
    uint8_t *reads;          /* of all futures so far; a bit for each byte of the memories */
    uint8_t *read, *written; /* of the stretch under way, by first access */
    bool known;              /* the reads are */
};

static const struct violation exhaust_none = {VIOLATION_NONE, 0, 0, 0, 0};

/* ---- choices ---- */

/* The outcome that a choice has first: one of the first choices goes the item's way. */
static unsigned exhaust_first(const struct way *w, size_t choice)
{
    uint64_t rest = w->number;
    if (choice >= w->all->prefix)
        return 0;
    for (size_t i = choice + 1; i < w->all->prefix; i++)
        rest /= w->all->outcomes.most;
    return (unsigned)(rest % w->all->outcomes.most);
}

static uint64_t exhaust_time(const struct way *w, const struct choice *c)
{
    uint32_t number;
    struct network *n = world_network(w->world);
    if (c->source == CHOICE_FRAME || !network_find(n, c->node, &number))
        return c->at;
    return network_time(n, number, c->at);
}

/* Which outcome a choice has that has so many: the plan's, or if that ends here the first. */
static unsigned exhaust_ask(struct way *w, unsigned count)
{
    struct stretch *s = w->now;
    if (s->asked == s->planned) {
        unsigned first = exhaust_first(w, w->made + s->asked);
        w->nowhere = w->nowhere || first >= count;
        s->plan = memory_grow(s->plan, &s->room, s->planned, sizeof *s->plan);
        s->plan[s->planned++] = (struct planned){first < count ? first : 0, count};
    }
    return s->plan[s->asked++].outcome;
}

static bool exhaust_is_lively(const struct way *w, uint64_t at)
{
    uint64_t calm = w->all->o->weights.calm;
    return !calm || at < calm;
}

static uint32_t exhaust_choose(void *context, const struct choice *asked)
{
    struct way *w = context;
    const struct network *n = world_network(w->world);
    struct choice c = *asked;
    unsigned count = outcomes_count(&w->all->outcomes, n, asked);
    c.at = exhaust_time(w, asked);
    if (count < 2 || !exhaust_is_lively(w, c.at))
        return 0;
    c.outcome = outcomes_at(&w->all->outcomes, n, asked, exhaust_ask(w, count));
    if (c.outcome)
        trace_add(w->trace, &c);
    return c.outcome;
}

/* At the beginning of a stretch something may happen to each node that has power, one after the other. */
static uint64_t exhaust_next(void *context)
{
    struct way *w = context;
    struct network *n = world_network(w->world);
    uint64_t now = network_now(n);
    unsigned count = outcomes_timed_count(&w->all->outcomes);
    while (w->timed.source == CHOICE_SOURCES && w->asked_nodes < network_count(n) && count > 1) {
        uint32_t number = w->asked_nodes++;
        if (network_powered(n, number) && exhaust_is_lively(w, now))
            w->timed = outcomes_timed(&w->all->outcomes, network_node(n, number)->id, now, exhaust_ask(w, count));
    }
    return w->timed.source == CHOICE_SOURCES ? NEVER : now;
}

static const struct choice *exhaust_take(void *context)
{
    struct way *w = context;
    trace_add(w->trace, &w->timed);
    w->timed.source = CHOICE_SOURCES;
    return &w->trace->list[w->trace->count - 1];
}

/* What the host sends in the stretch comes as meant, or otherwise. */
static void exhaust_ask_serials(struct way *w, uint64_t now, uint64_t next)
{
    const struct weights *weights = &w->all->o->weights;
    for (size_t i = 0; w->all->outcomes.serials && i < weights->serial_count; i++) {
        struct choice c = weights->serials[i];
        if (c.at <= now || c.at > next || !exhaust_is_lively(w, c.at))
            continue;
        c.outcome = outcomes_of_serial(&c, exhaust_ask(w, OUTCOMES_OF_SERIAL));
        if (c.outcome)
            trace_add(w->trace, &c);
    }
    if (w->all->outcomes.serials)
        world_alter(w->world, w->trace->list, w->trace->count);
}

/* The next way through the same stretch, in the order of enumeration; false: that was the last. */
static bool exhaust_advance(const struct way *w, struct stretch *s)
{
    for (s->planned = s->asked; s->planned; s->planned--) {
        size_t last = s->planned - 1, choice = w->made + last;
        bool open = choice >= w->all->prefix && choice < w->all->x->depth;
        if (open && s->plan[last].outcome + 1 < s->plan[last].count) {
            s->plan[last].outcome++;
            return true;
        }
    }
    return false;
}

/* ---- stations ---- */

/* Bits of a set of the bytes of a node's arena. */
static size_t exhaust_set_size(const struct node *n)
{
    return (n->machine->arena_size + 7) / 8;
}

static void exhaust_copy_memories(const struct network *n, uint8_t *to)
{
    for (uint32_t i = 0; i < network_count(n); i++) {
        const struct node *node = network_node(n, i);
        events_settle(node);
        memcpy(to, node->arena, node->machine->arena_size);
        to += 8 * exhaust_set_size(node);
    }
}

/* What properties will be judged by belongs to the state. */
static bool station_add_form(const struct way *w, struct station *s)
{
    const struct properties *p = world_properties(w->world);
    struct digest d;
    if (!p)
        return true;
    properties_copy_views(p, s->memories + w->all->arenas);
    if (!properties_form(p, &d))
        return false;
    s->state.form = digest_join(s->state.form, d);
    return true;
}

/* A view of properties that counts was copied from variables at some time: these count as well. */
static void exhaust_add_sources(const struct way *w, uint8_t *reads)
{
    const struct properties *p = world_properties(w->world);
    struct network *n = world_network(w->world);
    size_t at = 0;
    for (uint32_t i = 0; p && i < network_count(n); i++) {
        properties_add_sources(p, reads + w->all->arenas / 8, i, reads + at);
        at += exhaust_set_size(network_node(n, i));
    }
}

/* What properties have read in the futures of the station, or ever. */
static void station_add_judged(const struct way *w, struct station *s)
{
    const struct properties *p = world_properties(w->world);
    if (!w->all->seen || !p)
        return;
    properties_add_reads(p, s->reads + w->all->arenas / 8);
    exhaust_add_sources(w, s->reads);
}

static void station_open(struct way *w, struct station *s)
{
    struct network *n = world_network(w->world);
    size_t size = w->all->bytes / 8;
    *s = (struct station){.moment = world_keep(w->world), .known = true};
    if (!w->all->seen)
        return;
    s->reads = memory_new(3 * size + w->all->bytes);
    s->read = s->reads + size;
    s->written = s->read + size;
    s->memories = s->written + size;
    exhaust_copy_memories(n, s->memories);
    s->state.instant = (size_t)((network_now(n) - w->all->o->steady) / w->all->x->step);
    s->state.memories = s->memories;
    bool quiet = network_canonical(n, &s->state.form);
    s->comparable = quiet && station_add_form(w, s);
    if (quiet)
        world_back(w->world, s->moment);
}

static void station_close(struct station *s)
{
    moment_free(s->moment);
    free(s->reads);
}

static void station_begin_stretch(const struct way *w)
{
    struct network *n = world_network(w->world);
    for (uint32_t i = 0; w->all->seen && i < network_count(n); i++)
        uses_begin(network_node(n, i));
}

/* What the stretch just executed has read and written first. */
static void station_end_stretch(const struct way *w, struct station *s)
{
    struct network *n = world_network(w->world);
    size_t at = 0;
    for (uint32_t i = 0; s->read && s->written && i < network_count(n); i++) {
        const struct uses *u = network_node(n, i)->uses;
        memcpy(s->read + at, u->read, u->size);
        memcpy(s->written + at, u->written, u->size);
        s->known = s->known && !u->blind;
        at += u->size;
    }
}

/* Takes in what the futures after the stretch read. */
static void station_add_reads(const struct way *w, struct station *s, const uint8_t *later, bool known)
{
    s->known = s->known && known;
    for (size_t i = 0; s->known && s->read && i < w->all->bytes / 8; i++)
        s->reads[i] |= (uint8_t)(s->read[i] | (later[i] & ~s->written[i]));
}

/* ---- the tree ---- */

static struct violation exhaust_from(struct way *w, uint8_t *reads, bool *known);

/* A stretch by its plan, and all that comes after it. */
static struct violation exhaust_stretch(struct way *w, struct station *s, struct stretch *x)
{
    uint64_t end = w->all->o->steady + w->all->o->length, now = network_now(world_network(w->world));
    uint64_t next = now + w->all->x->step < end ? now + w->all->x->step : end;
    bool known = false;
    w->now = x;
    x->asked = 0;
    w->asked_nodes = 0;
    exhaust_ask_serials(w, now, next);
    station_begin_stretch(w);
    struct violation v = world_run(w->world, &w->driver, next);
    crew_add(w->crew, network_now(world_network(w->world)) - now, x->asked);
    atomic_fetch_add(&w->all->runs, 1);
    station_end_stretch(w, s);
    if (w->nowhere)
        return exhaust_none;
    if (v.kind != VIOLATION_NONE)
        return v;
    uint8_t *later = memory_new(w->all->bytes / 8);
    w->made += x->asked;
    v = exhaust_from(w, later, &known);
    w->made -= x->asked;
    station_add_reads(w, s, later, known);
    free(later);
    return v;
}

/* All ways from a station. False: the search was ended from outside. */
static bool exhaust_ways(struct way *w, struct station *s, struct violation *v)
{
    struct stretch x = {.plan = NULL};
    size_t chosen = w->trace->count;
    bool more = true;
    while (more && !w->nowhere && crew_goes_on(w->crew, w->number)) {
        w->trace->count = chosen;
        *v = exhaust_stretch(w, s, &x);
        if (v->kind != VIOLATION_NONE)
            break;
        more = exhaust_advance(w, &x);
        if (more)
            world_back(w->world, s->moment);
    }
    free(x.plan);
    return !more;
}

/* Whether a matched state is explored all the same. */
static bool exhaust_rechecks(const struct way *w)
{
    return w->all->x->recheck && atomic_fetch_add(&w->all->matches, 1) % w->all->x->recheck == 0;
}

/* A matched state was explored: it must have read no more than the one it was taken for, and gone no other way. Only
 * what was executed for it counts. What properties read is left aside: they may have read more elsewhere. */
static void exhaust_compare(const struct way *w, const struct station *s, const uint8_t *reads, bool other)
{
    size_t arenas = w->all->arenas / 8, size = w->all->bytes / 8;
    uint8_t *judged = memory_new(size);
    bool differs = other;
    memcpy(judged + arenas, s->reads + arenas, size - arenas);
    exhaust_add_sources(w, judged);
    for (size_t i = 0; i < arenas; i++)
        differs = differs || s->reads[i] & ~reads[i] & ~judged[i];
    free(judged);
    atomic_fetch_add(&w->all->rechecked, 1);
    atomic_fetch_add(&w->all->wrong, differs);
}

/* All ways from a station that was matched, or that is new. */
static bool exhaust_explore(struct way *w, struct station *s, bool matched, struct violation *v)
{
    bool before = w->rechecking;
    w->rechecking = before || matched;
    bool all = exhaust_ways(w, s, v) && v->kind == VIOLATION_NONE;
    w->rechecking = before;
    station_add_judged(w, s);
    return all;
}

/* Explores all futures of where the world stands. What they read becomes `reads`, which is empty, if that is known. In
 * the futures of a matched state that is only what was executed: a state that was explored deeper has read more. */
static struct violation exhaust_from(struct way *w, uint8_t *reads, bool *known)
{
    unsigned depth = w->made < w->all->x->depth ? w->all->x->depth - (unsigned)w->made : 0;
    struct violation v = exhaust_none;
    struct station s;
    *known = true;
    if (network_now(world_network(w->world)) >= w->all->o->steady + w->all->o->length)
        return v;
    station_open(w, &s);
    bool matched = s.comparable && seen_has(w->all->seen, &s.state, depth, reads);
    if (!matched || exhaust_rechecks(w)) {
        bool all = exhaust_explore(w, &s, matched, &v);
        *known = all && s.known;
        if (matched)
            exhaust_compare(w, &s, reads, v.kind != VIOLATION_NONE || (all && !s.known));
        else if (*known && s.comparable && w->made >= w->all->prefix && !w->rechecking)
            seen_add(w->all->seen, &s.state, depth, s.reads);
        if (w->rechecking)
            memset(reads, 0, w->all->bytes / 8);
        for (size_t i = 0; *known && w->all->seen && i < w->all->bytes / 8; i++)
            reads[i] |= s.reads[i];
    } else if (w->rechecking) {
        memset(reads, 0, w->all->bytes / 8);
    }
    station_close(&s);
    return v;
}

/* ---- items: the ways that the first few choices go ---- */

static struct violation exhaust_one(void *context, struct crew *crew, struct world *world, uint64_t number,
                                    struct trace *t)
{
    struct exhaust *all = context;
    struct way w = {.all = all, .crew = crew, .world = world, .number = number, .trace = t};
    w.timed.source = CHOICE_SOURCES;
    struct network *n = world_network(world);
    struct violation v;
    bool known;
    w.driver = (struct driver){.chooser = {&w, exhaust_choose, false}, .next = exhaust_next, .take = exhaust_take};
    if (!world_settle(world, NULL, 0, all->o->steady, &v))
        return v;
    uint8_t *reads = memory_new(all->bytes / 8);
    v = exhaust_from(&w, reads, &known);
    free(reads);
    for (uint32_t i = 0; i < network_count(n); i++)
        uses_end(network_node(n, i));
    return v;
}

/* ---- the search ---- */

/* So many first choices that there are enough items; returns how many. One worker needs one item. */
static uint64_t exhaust_find_prefix(struct exhaust *x, unsigned workers)
{
    uint64_t items = 1;
    while (workers > 1 && x->outcomes.most > 1 && x->prefix < x->x->depth && items < EXHAUST_SHARES * workers) {
        x->prefix++;
        items *= x->outcomes.most;
    }
    return items;
}

/* One subject tells how large a state is. */
static bool exhaust_prepare(struct exhaust *x, const struct subjects *s, struct motet_error *e)
{
    struct check_subject subject;
    if (!s->make(s->context, &subject, e))
        return false;
    for (uint32_t i = 0; i < network_count(subject.network); i++)
        x->arenas += 8 * exhaust_set_size(network_node(subject.network, i));
    x->bytes = x->arenas + (subject.properties ? properties_views_size(subject.properties) : 0);
    if (x->x->matching)
        x->seen = seen_new((size_t)(x->o->length / x->x->step) + 1, x->bytes, x->x->memory);
    s->release(s->context, &subject);
    return true;
}

static void exhaust_figures(void *context, uint64_t figures[CREW_FIGURES])
{
    const struct exhaust *x = context;
    struct seen_work seen = {.bits = false};
    if (x->seen)
        seen = seen_work(x->seen);
    figures[EXHAUST_RUNS] = atomic_load(&x->runs);
    figures[EXHAUST_RECHECKED] = atomic_load(&x->rechecked);
    figures[EXHAUST_WRONG] = atomic_load(&x->wrong);
    figures[EXHAUST_STATES] = seen.states;
    figures[EXHAUST_MERGED] = seen.merged;
    figures[EXHAUST_BITS] = seen.bits;
    figures[EXHAUST_MISSED] = (uint64_t)(seen.missed * EXHAUST_CERTAIN);
}

/* Each rank has its own states; the probabilities that one missed something are added. */
static struct exhaust_work exhaust_work_of(const uint64_t figures[CREW_FIGURES], bool matched)
{
    double missed = (double)figures[EXHAUST_MISSED] / EXHAUST_CERTAIN;
    return (struct exhaust_work){.runs = figures[EXHAUST_RUNS],
                                 .matched = matched,
                                 .rechecked = figures[EXHAUST_RECHECKED],
                                 .wrong = figures[EXHAUST_WRONG],
                                 .seen = {.states = figures[EXHAUST_STATES],
                                          .merged = figures[EXHAUST_MERGED],
                                          .bits = figures[EXHAUST_BITS] != 0,
                                          .missed = missed < 1 ? missed : 1}};
}

bool exhaust_run(const struct search_options *o, const struct exhaust_options *how, const struct subjects *s,
                 search_stop *stop, void *context, struct search_result *r, struct exhaust_work *work,
                 struct motet_error *e)
{
    struct exhaust x = {.o = o, .x = how};
    *work = (struct exhaust_work){.runs = 0};
    outcomes_find(&x.outcomes, &o->weights, how->also);
    if (!exhaust_prepare(&x, s, e))
        return false;
    unsigned workers = o->ranks ? EXHAUST_RANK_WORKERS * o->ranks->count : o->workers;
    struct crew_job job = {.context = &x,
                           .count = exhaust_find_prefix(&x, workers),
                           .ranks = o->ranks,
                           .one = exhaust_one,
                           .figures = exhaust_figures};
    bool good = crew_run(&job, o->workers, s, stop, context, r, e);
    if (good)
        *work = exhaust_work_of(r->figures, x.seen != NULL);
    seen_free(x.seen);
    return good;
}
