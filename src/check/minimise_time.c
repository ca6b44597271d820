#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/minimiser.h"
#include "node/machine.h"

/* ---- the plain run ---- */

void plain_run_make(struct minimiser *m, uint64_t length, uint64_t step, struct plain_run *p)
{
    struct violation v;
    p->moments = memory_array((size_t)(length / step) + 1, sizeof *p->moments);
    p->step = step;
    if (!world_settle(m->world, p->delays.list, p->delays.count, m->o->steady, &v))
        return;
    for (uint64_t at = 0; at < length && v.kind == VIOLATION_NONE; at += step) {
        p->moments[p->count++] = world_keep(m->world);
        uint64_t next = at + step < length ? at + step : length;
        v = world_run(m->world, &(struct driver){.next = NULL}, m->o->steady + next);
        p->end = v.kind == VIOLATION_NONE ? m->o->steady + next : v.at;
    }
    p->fails = violation_same(&v, &m->violation);
}

void plain_run_free(struct plain_run *p)
{
    for (size_t i = 0; i < p->count; i++)
        moment_free(p->moments[i]);
    free(p->moments);
    trace_free(&p->delays);
}

/* ---- from the first choice to the violation ---- */

enum { SPAN_CHOICES = 3 };                          /* more are not taken for a shorter time */
enum { SPAN_DEATHS = 10 };                          /* so much more often: a node that is dead does nothing */
enum { SPAN_HELD = 8 };                             /* interrupts are held more often in half of the walks */
enum { SPAN_SHORTER = 6 };                          /* walks last up to so much shorter than the best */
enum { SPAN_VARIANTS = 4 };                         /* of the plain run, if it has the violation itself */
enum { SPAN_EVENTS = 20, SPAN_PLAIN_EVENTS = 200 }; /* no more are few enough; without a choice it is plain anyway */
enum { SPAN_TRIES = 2500 };                         /* of each variant */
enum { SPAN_MOMENTS = 256 };                        /* of the plain run that are kept */
enum { SPAN_DEARER = 8 };                           /* so many shorter ways with too many choices are enough */
#define SPAN_SPENT  (4000 * NETWORK_SECOND)         /* simulated, for one node */
#define SPAN_WITHIN (8 * NETWORK_SECOND)            /* from the steady state: what begins later takes long to execute */
#define SPAN_BRIEF  (NETWORK_SECOND / 10)
#define SPAN_ENOUGH (NETWORK_SECOND / 200)

static uint64_t span_of(const struct minimiser *m)
{
    uint64_t first = NEVER;
    for (size_t i = 0; i < m->best.count; i++)
        if (m->best.list[i].source != CHOICE_BOOT && m->best.list[i].at < first)
            first = m->best.list[i].at;
    first = first == NEVER || first < m->o->steady ? m->o->steady : first;
    return m->violation.at > first ? m->violation.at - first : 0;
}

/* What has a rate comes up once or twice in the span, on all nodes together. */
static struct weights span_weights(const struct minimiser *m, uint64_t seed, uint64_t span)
{
    struct weights w = weights_mixed(&m->o->weights, seed);
    double often = (double)NETWORK_SECOND / (double)span;
    double factor = often > 1 ? often : 1;
    w.busy *= factor, w.reset *= factor, w.power *= factor, w.foreign *= factor;
    w.death *= SPAN_DEATHS * factor;
    if (seed >> 41 & 1)
        w.held = w.held * SPAN_HELD < 0.5 ? w.held * SPAN_HELD : 0.5;
    if (w.busy_for > span / 2000)
        w.busy_for = (uint32_t)(span / 2000) + 1;
    w.favours = seed >> 40 & 1;
    w.favoured = m->violation.node;
    return w;
}

/* Another way that was found: it counts if it takes clearly less time, once no choice of it can be left out without
 * making it late. */
static bool span_consider(struct minimiser *m, const struct violation *v, const struct trace *t, uint64_t from,
                          uint64_t until)
{
    struct minimiser other = *m;
    other.earliest = from;
    other.slack = until - v->at;
    size_t most = m->best.count > SPAN_CHOICES ? m->best.count : SPAN_CHOICES;
    other.best = (struct trace){.list = NULL};
    minimise_accept(&other, v, t);
    minimise_drop_all(&other);
    bool good =
        other.best.count && other.best.count <= most && 10 * span_of(&other) < 9 * span_of(m) && !minimise_stops(m);
    struct trace worse = good ? m->best : other.best;
    if (good) {
        m->best = other.best;
        m->violation = other.violation;
    }
    trace_free(&worse);
    return good;
}

/* Moments of the plain run from which walks begin. One that has the violation itself is left alone for some time before
 * that: what makes it only a little sooner tells nothing. */
static uint64_t span_end(const struct minimiser *m, const struct plain_run *p)
{
    return p->fails ? m->o->steady + (p->end - m->o->steady) / 4 * 3 : p->end;
}

/* A walk from some moment of the plain run, for less time than the violation takes now. Adds what it has simulated. */
static bool span_walk(struct minimiser *m, const struct plain_run *p, uint64_t seed, uint64_t *spent)
{
    uint64_t span = span_of(m) * 9 / 10 / (1 + seed % SPAN_SHORTER), end = span_end(m, p);
    uint64_t begin = (seed >> 8) % (end - m->o->steady);
    uint64_t from = m->o->steady + begin, until = p->fails && from + span > end ? end : from + span;
    struct weights weights = span_weights(m, seed, span);
    struct walk *walk = walk_new(world_network(m->world), &weights, seed, &p->delays, from);
    world_back(m->world, p->moments[begin / p->step]);
    m->work->runs++;
    struct violation v = world_run(m->world, walk_driver(walk), until);
    *spent += begin % p->step + until - from;
    bool found = violation_same(&v, &m->violation) && v.at >= from;
    bool better = found && span_consider(m, &v, walk_trace(walk), from, until);
    walk_free(walk);
    return better || !found;
}

static uint32_t span_nodes(const struct minimiser *m)
{
    const struct network *n = world_network(m->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < network_count(n); i++)
        count += !world_leaves_out(m->world, network_node(n, i)->id);
    return count ? count : 1;
}

/* In other variants of the plain run one node is switched on later, each time another one. */
static void span_delay(const struct minimiser *m, unsigned variant, struct plain_run *p)
{
    const struct network *n = world_network(m->world);
    uint64_t draw = search_seed(m->o, UINT64_C(1) << 45 | variant) >> 24;
    struct choice c = {.source = CHOICE_BOOT};
    c.outcome = m->o->weights.late ? 1 + (uint32_t)(draw % m->o->weights.late) : 0;
    for (uint32_t i = network_count(n), left = variant % span_nodes(m); i-- > 0;) {
        c.node = network_node(n, i)->id;
        if (!world_leaves_out(m->world, c.node) && left-- == 0)
            break;
    }
    if (variant && c.outcome)
        trace_add(&p->delays, &c);
}

/* Walks from a variant of the plain run; returns whether that has the violation itself. */
static bool span_walk_variant(struct minimiser *m, unsigned variant)
{
    struct plain_run p = {.count = 0};
    uint64_t window = m->o->length < SPAN_WITHIN ? m->o->length : SPAN_WITHIN, spent = 0;
    uint64_t budget = SPAN_SPENT / SPAN_VARIANTS / span_nodes(m);
    unsigned dearer = 0;
    span_delay(m, variant, &p);
    plain_run_make(m, window, window / SPAN_MOMENTS + 1, &p);
    bool fails = p.fails;
    bool room = p.count && span_end(m, &p) > m->o->steady;
    for (unsigned i = 0; room && i < SPAN_TRIES && spent < budget && dearer < SPAN_DEARER && !minimise_stops(m); i++) {
        dearer += !span_walk(m, &p, search_seed(m->o, UINT64_C(1) << 44 | (uint64_t)variant << 20 | i), &spent);
        room = span_of(m) > SPAN_ENOUGH;
    }
    if (fails && !variant)
        m->work->plain = p.end;
    plain_run_free(&p);
    return fails;
}

/* A timer's interrupt may keep a clock, and tells nothing. */
static bool span_counts(const struct minimiser *m, const struct choice *c)
{
    bool held = c->source == CHOICE_HOLD && c->other < MACHINE_LINES;
    return held ? !walk_is_of_timer(world_network(m->world), c->node, c->other) : c->source == CHOICE_FRAME;
}

/* How much happens in the span: frames, and interrupts that are posted. */
static size_t span_events(struct minimiser *m)
{
    struct trace asked = {.list = NULL};
    struct violation v;
    size_t count = 0;
    uint64_t from = m->violation.at - span_of(m);
    struct walk *walk = walk_new(world_network(m->world), &m->o->weights, 0, &m->best, NEVER);
    walk_note(walk, &asked);
    if (world_settle(m->world, m->best.list, m->best.count, m->o->steady, &v))
        world_run(m->world, walk_driver(walk), m->violation.at);
    for (size_t i = 0; i < asked.count; i++)
        count += asked.list[i].at >= from && span_counts(m, &asked.list[i]);
    walk_free(walk);
    trace_free(&asked);
    return count;
}

void minimise_span(struct minimiser *m)
{
    size_t enough = m->best.count ? SPAN_EVENTS : SPAN_PLAIN_EVENTS;
    bool brief = !m->best.count || span_of(m) <= SPAN_BRIEF; /* in little time there are few tasks, too */
    if (!m->m->rewalks || m->violation.at <= m->o->steady || (brief && span_events(m) <= enough))
        return;
    for (unsigned i = 0; i < SPAN_VARIANTS && span_of(m) > SPAN_ENOUGH; i++)
        if (!span_walk_variant(m, i) && !i)
            break;
    if (m->work->plain && m->best.count) { /* with fewer choices it comes as well, but at another time */
        m->slack = span_of(m) / 10;
        m->earliest = m->violation.at - span_of(m);
    }
}

/* ---- soon after the steady state ---- */

enum { HASTEN_ROUNDS = 60 };
#define HASTEN_STEP UINT64_C(50000000) /* nanoseconds at least between two times that are tried */

/* All but delays have times of their own: the first of these. */
static bool hasten_first(const struct minimiser *m, uint64_t *first)
{
    *first = NEVER;
    for (size_t i = 0; i < m->best.count; i++) {
        const struct choice *c = &m->best.list[i];
        if (choice_is_asked(c->source) || c->source == CHOICE_SERIAL)
            return false;
        if (c->source != CHOICE_BOOT && c->at < *first)
            *first = c->at;
    }
    return *first != NEVER;
}

/* Channels are busy for as long as usual, at least: that is made less later. `node`: it happens there; or NULL. */
static bool hasten_try(struct minimiser *m, uint64_t by, const uint32_t *node)
{
    struct trace t = {.list = NULL}, taken = {.list = NULL};
    struct minimiser other = *m;
    trace_copy(&t, m->best.list, m->best.count);
    for (size_t i = 0; i < t.count; i++) {
        struct choice *c = &t.list[i];
        if (c->source != CHOICE_BOOT)
            c->at = c->ordinal = c->at - by;
        if (c->source != CHOICE_BOOT && node)
            c->node = *node;
        if (c->source == CHOICE_BUSY && c->outcome < m->o->weights.busy_for)
            c->outcome = m->o->weights.busy_for;
    }
    m->work->runs++;
    struct violation v = search_replay(m->world, m->o, &t, m->violation.at - by + m->slack, &taken);
    bool good = violation_same(&v, &m->violation) && v.at < m->violation.at;
    if (good) {
        other.best = (struct trace){.list = NULL};
        minimise_accept(&other, &v, &taken);
        good = 10 * span_of(&other) <= 11 * span_of(m);
        trace_free(&other.best);
    }
    if (good)
        minimise_accept(m, &v, &taken);
    trace_free(&taken);
    trace_free(&t);
    return good;
}

/* At that time; a choice that is alone also on the other nodes. */
static bool hasten_to(struct minimiser *m, uint64_t by)
{
    const struct network *n = world_network(m->world);
    bool good = by && hasten_try(m, by, NULL);
    for (uint32_t i = 0; !good && m->best.count == 1 && i < network_count(n) && !minimise_stops(m); i++) {
        uint32_t id = network_node(n, i)->id;
        good = id != m->best.list[0].node && !world_leaves_out(m->world, id) && hasten_try(m, by, &id);
    }
    return good;
}

void minimise_hasten(struct minimiser *m)
{
    uint64_t first;
    if (!m->m->rewalks || !hasten_first(m, &first) || first < m->o->steady)
        return;
    uint64_t span = first - m->o->steady,
             step = span / HASTEN_ROUNDS > HASTEN_STEP ? span / HASTEN_ROUNDS : HASTEN_STEP;
    for (uint64_t at = 0; at <= span && !minimise_stops(m); at += step)
        if (hasten_to(m, span - at))
            return;
}
