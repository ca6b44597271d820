/* Checks: what the public interface offers of searches over choices (src/check). */
#include "motet/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/counterexample.h"
#include "api/ranks.h"
#include "api/saved_run.h"
#include "api/serial_inputs.h"
#include "base/memory.h"
#include "check/critical.h"
#include "check/deviate.h"
#include "check/exhaust.h"
#include "check/minimise.h"

enum { CHECK_REWALKS = 100 }; /* suffixes walked anew to make a counterexample shorter */
enum { CHECK_RECHECK = 50 };  /* of so many matched states one is explored all the same */

struct motet_check {
    motet_network *network;
    struct search_options options;
    const struct motet_property_maker *maker; /* of properties, or NULL */
    uint64_t patience, stuck;
    struct saved_inputs inputs; /* of the plain run, for machines whose interrupts can be held */
    struct search_result result;
    bool as_found, unguided;
    bool ranked; /* the search is shared with other ranks: */
    struct ranks ranks;
    bool preempt;
    struct shared_sites *shared; /* or NULL: interrupts come nowhere else */
    const struct sites *sites;   /* those for which all nodes look out, or NULL */
    struct sensor_values *sensors;
    size_t sensor_count, sensor_room;
    struct hold_limit *limits;
    size_t limit_count, limit_room;
    struct trace serials; /* what the host sends */
    unsigned deviations, begin, tried;
    uint64_t walked_from; /* nanosecond: where the walk began that has found the error, or another search */
    struct minimise_work work;
    struct critical critical;
    struct exhaust_options exhaust; /* a depth of 0: no such search */
    struct exhaust_work states;
    struct outcome_of_run outcome; /* of the counterexample */
};

/* ---- options ---- */

void motet_check_defaults(struct motet_check_options *o)
{
    *o = (struct motet_check_options){
        .walks = 500,
        .steady = 29 * MOTET_SECOND,
        .early = true,
        .length = 30 * MOTET_SECOND,
        .patience = 60 * MOTET_SECOND,
        .stuck = 10 * MOTET_SECOND,
        .memory = UINT64_C(2) << 30,
        .weights = {.lost = 0.1,
                    .damaged = 0.05,
                    .held = 0.02,
                    .hold = 200000,
                    .busy = 1,
                    .faint = 0.5,
                    .busy_for = 80000000,
                    .reset = 0.1,
                    .power = 0.2,
                    .death = 0.005,
                    .preempt = 0.05,
                    .late = MOTET_SECOND,
                    .serial = 0.1,
                    .shift = 20000000,
                    .sensed = 0.1},
    };
}

static bool check_is_share(double p)
{
    return p >= 0 && p <= 1;
}

static bool check_is_rate(double r)
{
    return r >= 0 && r <= 1e5;
}

static bool check_weights(const struct motet_weights *m, struct weights *w, struct motet_error *e)
{
    if (!check_is_share(m->lost) || !check_is_share(m->damaged) || !check_is_share(m->held) ||
        !check_is_share(m->preempt) || !check_is_share(m->serial) || !check_is_share(m->sensed) ||
        !check_is_share(m->faint))
        return error_set(e, "a probability lies between 0 and 1");
    if (!check_is_rate(m->busy) || !check_is_rate(m->reset) || !check_is_rate(m->power) || !check_is_rate(m->death) ||
        !check_is_rate(m->foreign))
        return error_set(e, "a rate lies between 0 and 100000 a second");
    if (m->shift > 100 * MOTET_SECOND)
        return error_set(e, "what a host sends comes at most 100 s earlier or later");
    if (m->hold > MOTET_SECOND || m->busy_for > 100 * MOTET_SECOND || m->late > 1000 * MOTET_SECOND)
        return error_set(e, "an interrupt is held at most a second, a channel busy for 100 s, a node 1000 s late");
    *w = (struct weights){.lost = m->lost,
                          .damaged = m->damaged,
                          .held = m->held,
                          .hold = (uint32_t)(m->hold / 1000),
                          .busy = m->busy_for >= 1000 ? m->busy : 0,
                          .faint = m->faint,
                          .busy_for = (uint32_t)(m->busy_for / 1000),
                          .reset = m->reset,
                          .power = m->power,
                          .death = m->death,
                          .foreign = m->foreign,
                          .preempt = m->preempt,
                          .late = (uint32_t)(m->late / 1000),
                          .serial = m->serial,
                          .shift = (uint32_t)(m->shift / 1000),
                          .sensed = m->sensed};
    return true;
}

static const unsigned check_also = 1 << MOTET_CHOICE_BUSY | 1 << MOTET_CHOICE_RESET | 1 << MOTET_CHOICE_POWER |
                                   1 << MOTET_CHOICE_DEATH | 1 << MOTET_CHOICE_HOLD | 1 << MOTET_CHOICE_SERIAL;

static bool check_options(const struct motet_check_options *m, struct search_options *o, struct motet_error *e)
{
    const uint64_t year = UINT64_C(366) * 86400 * MOTET_SECOND;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (m->steady > year || m->length > year || !m->length)
        return error_set(e, "a walk lasts some time, and not more than a year");
    if (m->deviations > 8)
        return error_set(e, "%u deviations are too many; give up to 8", m->deviations);
    if (m->depth && m->deviations)
        return error_set(e, "a search to a depth counts no deviations; give one of the two");
    if (m->depth > 10000)
        return error_set(e, "a depth of %u is too much; give up to 10000", m->depth);
    if (m->also & ~check_also)
        return error_set(e, "a search to a depth does not try all of these choices");
    if (m->also && !m->depth)
        return error_set(e, "choices beside frames are named for a search to a depth; give a depth");
    if (m->depth && m->length > 100000 * MOTET_SECOND)
        return error_set(e, "a search to a depth goes on for 100000 s at most");
    if ((unsigned)m->walk > MOTET_WALK_PCT)
        return error_set(e, "there is no kind of walk %u", (unsigned)m->walk);
    if (m->workers > 1024)
        return error_set(e, "%u workers are too many; give up to 1024", m->workers);
    *o = (struct search_options){.seed = m->seed, .walks = m->walks, .steady = m->steady, .length = m->length};
    o->early = m->early && !m->deviations && !m->depth;
    o->kind = (enum walk_kind)m->walk;
    o->workers = m->workers ? m->workers : processors > 0 ? (unsigned)processors : 1;
    return check_weights(&m->weights, &o->weights, e);
}

/* ---- life ---- */

motet_check *motet_check_new(motet_network *n, const struct motet_check_options *o, struct motet_error *e)
{
    struct search_options options;
    struct save_inputs *notes = *network_save_inputs(n);
    if (!check_options(o, &options, e))
        return NULL;
    if (!motet_network_count(n)) {
        error_set(e, "there are no nodes to check");
        return NULL;
    }
    if (!notes || motet_network_now(n)) {
        error_set(e, "a network that has run cannot be checked; check it before");
        return NULL;
    }
    notes->wanted = true;
    motet_check *c = memory_new(sizeof *c);
    c->network = n;
    c->options = options;
    c->as_found = o->as_found;
    c->unguided = o->unguided;
    c->ranked = o->ranks;
    c->deviations = o->deviations;
    c->preempt = o->preempt;
    c->exhaust =
        (struct exhaust_options){o->depth, EXHAUST_STEP, !o->no_matching, (size_t)o->memory, o->also, CHECK_RECHECK};
    c->patience = o->patience;
    c->stuck = o->stuck;
    return c;
}

void motet_check_properties(motet_check *c, const struct motet_property_maker *m)
{
    c->maker = m;
}

void motet_check_free(motet_check *c)
{
    if (!c)
        return;
    saved_inputs_free(&c->inputs);
    search_result_free(&c->result);
    free(c->outcome.words);
    chronicle_free(c->outcome.chronicle);
    trace_free(&c->work.left_out);
    shared_sites_free(c->shared);
    for (size_t i = 0; i < c->sensor_count; i++)
        free(c->sensors[i].microvolts);
    free(c->sensors);
    for (size_t i = 0; i < c->limit_count; i++)
        free((char *)(uintptr_t)c->limits[i].device);
    free(c->limits);
    trace_free(&c->serials);
    free(c);
}

void motet_check_go_on(motet_check *c, unsigned begin, uint64_t first)
{
    c->begin = begin;
    c->options.first = first;
}

/* ---- sensors and interrupts by name ---- */

bool motet_check_sense(motet_check *c, uint32_t node, unsigned line, const int32_t *microvolts, size_t count,
                       struct motet_error *e)
{
    if (node != MOTET_ALL_NODES && !motet_network_node(c->network, node))
        return error_set(e, "there is no node %" PRIu32 " whose analog inputs could be chosen", node);
    if (line >= MACHINE_CHANNELS)
        return error_set(e, "there is no analog line %u", line);
    for (size_t i = 0; i < count; i++)
        if (microvolts[i] < 0)
            return error_set(e, "a voltage is not below 0");
    struct sensor_values s = {.node = node, .line = line, .count = count};
    s.microvolts = memory_array(count + 1, sizeof *s.microvolts);
    if (count)
        memcpy(s.microvolts, microvolts, count * sizeof *microvolts);
    c->sensors = memory_grow(c->sensors, &c->sensor_room, c->sensor_count, sizeof *c->sensors);
    c->sensors[c->sensor_count++] = s;
    c->options.weights.sensors = c->sensors;
    c->options.weights.sensor_count = c->sensor_count;
    return true;
}

/* Whether a node has an interrupt of such a device. */
static bool check_has_device(const motet_check *c, const char *name)
{
    for (size_t i = 0; i < motet_network_count(c->network); i++) {
        const struct machine *m = motet_network_at(c->network, i)->node->machine;
        for (unsigned line = 0; line < MACHINE_LINES; line++)
            if (m->lines[line].device && strcmp(m->lines[line].device->name, name) == 0)
                return true;
    }
    return false;
}

bool motet_check_hold(motet_check *c, const char *device, uint64_t nanoseconds, struct motet_error *e)
{
    const uint64_t clock = MOTET_SECOND / 1000;
    if (!check_has_device(c, device))
        return error_set(e, "no node has interrupts of a device '%s'", device);
    if (nanoseconds > MOTET_SECOND)
        return error_set(e, "an interrupt is held at most a second");
    if (strncmp(device, "timer", strlen("timer")) == 0 && nanoseconds > clock)
        return error_set(e, "an interrupt of %s held longer than 1 ms lets a clock that is kept by it lose time",
                         device);
    c->limits = memory_grow(c->limits, &c->limit_room, c->limit_count, sizeof *c->limits);
    c->limits[c->limit_count++] = (struct hold_limit){memory_format("%s", device), (uint32_t)(nanoseconds / 1000)};
    c->options.weights.limits = c->limits;
    c->options.weights.limit_count = c->limit_count;
    return true;
}

/* ---- searching ---- */

static bool check_take_inputs(motet_check *c, struct motet_error *e)
{
    saved_inputs_free(&c->inputs);
    if (!saved_inputs_copy(&(*network_save_inputs(c->network))->inputs, UINT64_MAX, &c->inputs))
        return error_set(e, "the inputs cannot be copied");
    for (size_t i = 0; i < c->inputs.count; i++)
        if (c->inputs.entries[i].kind == SAVED_MACHINE)
            c->inputs.entries[i].node = 1;
    c->serials.count = 0;
    serial_inputs_list(&c->inputs, &c->serials);
    c->options.weights.serials = c->serials.list;
    c->options.weights.serial_count = c->serials.count;
    return true;
}

static struct judge_options check_judging(const motet_check *c)
{
    return (struct judge_options){c->maker, c->options.steady, c->patience, c->stuck};
}

static bool check_make_subject(void *context, struct check_subject *s, struct motet_error *e)
{
    motet_check *c = context;
    struct judged_nodes *j = memory_new(sizeof *j);
    struct judge_options how = check_judging(c);
    if (saved_inputs_copy(&c->inputs, UINT64_MAX, &j->nodes.inputs) &&
        saved_nodes_begin(&j->nodes, 1, save_inputs_firmware, *network_save_inputs(c->network), e) &&
        judge_new(j->nodes.network, &how, &j->judge, e)) {
        *s = subject_of_check(j);
        j->analog = analog_copies_new(c->network, j->nodes.network);
        s->stuck = c->stuck;
        if (c->sites)
            j->lookout = sites_look_out(c->sites, s->network);
        return true;
    }
    judged_nodes_free(j);
    return false;
}

static void check_release_subject(void *context, struct check_subject *s)
{
    (void)context;
    judged_nodes_free(s->context);
}

/* After what has no bound of its own could have gone wrong, nothing disturbs the network until it must have come. */
static bool check_add_calm(motet_check *c, struct search_options *o, struct motet_error *e)
{
    struct check_subject s;
    *o = c->options;
    if (!c->maker)
        return true;
    if (!check_make_subject(c, &s, e))
        return false;
    uint64_t patience = judge_patience(((const struct judged_nodes *)s.context)->judge);
    check_release_subject(c, &s);
    if (patience) {
        o->weights.calm = o->steady + o->length;
        o->length += patience + NETWORK_SECOND;
    }
    return true;
}

struct check_stop {
    motet_check_stop *stop;
    void *context;
};

static struct motet_check_progress check_progress(const struct search_progress *p)
{
    return (struct motet_check_progress){p->items, p->nanoseconds, p->asked, p->reached};
}

static bool check_stops(void *context, const struct search_progress *p)
{
    const struct check_stop *s = context;
    struct motet_check_progress is = check_progress(p);
    return s->stop(s->context, &is);
}

/* The environment first departs from the plain run: what comes before is the steady state. Nodes are switched on
 * before. */
static uint64_t check_first_departure(const motet_check *c)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < c->result.trace.count; i++)
        if (c->result.trace.list[i].source != CHOICE_BOOT && c->result.trace.list[i].at < first)
            first = c->result.trace.list[i].at;
    return first == UINT64_MAX || first < c->walked_from ? c->walked_from : first;
}

/* What the run is of which the counterexample consists. */
static void check_add_choices(const motet_check *c, struct saved_inputs *to)
{
    struct trace all = {.list = NULL};
    trace_copy(&all, c->work.left_out.list, c->work.left_out.count);
    for (size_t i = 0; i < c->result.trace.count; i++)
        trace_add(&all, &c->result.trace.list[i]);
    counterexample_inputs(to, &all);
    trace_free(&all);
}

/* Executes the counterexample by the way that a saved run of it will take. */
static bool check_conclude(motet_check *c, const char *path, const char *const *about, struct motet_error *e)
{
    struct saved_inputs j = {.entries = NULL};
    struct outcome_of_run o;
    if (!saved_inputs_copy(&c->inputs, UINT64_MAX, &j)) /* what comes later may be meant to come earlier */
        return error_set(e, "the inputs cannot be copied");
    check_add_choices(c, &j);
    struct execution_options how = {.until = c->result.violation.at + COUNTEREXAMPLE_AFTER,
                                    .judging = check_judging(c),
                                    .begins = c->walked_from,
                                    .departs = check_first_departure(c),
                                    .analog = c->network,
                                    .choices = path ? NULL : &c->result.trace,
                                    .path = path,
                                    .about = about};
    bool good = counterexample_execute(&j, save_inputs_firmware, *network_save_inputs(c->network), &how, &o, e);
    saved_inputs_free(&j);
    if (!good)
        return false;
    free(c->outcome.words);
    if (!o.chronicle) { /* it was told before */
        o.chronicle = c->outcome.chronicle;
        c->outcome.chronicle = NULL;
    }
    chronicle_free(c->outcome.chronicle);
    c->outcome = o;
    if (violation_same(&o.violation, &c->result.violation) && o.violation.at == c->result.violation.at)
        return true;
    return error_set(e, "executed again, the counterexample leads elsewhere: an error of Motet, please report it");
}

static bool check_stops_minimising(void *context)
{
    const struct check_stop *s = context;
    return s->stop && s->stop(s->context, NULL);
}

/* Of something that must happen at some time: the choice after which it does so no more. */
static void check_find_critical(motet_check *c, struct world *w, const struct search_options *o, uint64_t patience,
                                struct check_stop *stop)
{
    struct critical is;
    critical_find(w, o, patience, check_stops_minimising, stop, &c->result.trace, &c->result.violation, &is);
    is.probes += c->critical.probes;
    c->critical = is;
}

static bool check_minimise(motet_check *c, const struct search_options *o, struct check_stop *stop,
                           struct motet_error *e)
{
    struct check_subject subject;
    struct minimise_options options = {.rewalks = CHECK_REWALKS, .stop = check_stops_minimising, .context = stop};
    trace_free(&c->work.left_out);
    c->work = (struct minimise_work){.before = c->result.trace.count};
    if (!check_make_subject(c, &subject, e))
        return false;
    const struct judge *judge = ((const struct judged_nodes *)subject.context)->judge;
    bool is_property = c->result.violation.kind == VIOLATION_PROPERTY;
    uint64_t patience = is_property ? judge_patience_of(judge, c->result.violation.detail) : 0;
    struct world *w = world_new(&subject);
    c->critical = (struct critical){.found = false};
    if (patience && !c->as_found) {
        options.rewalks = 0; /* each would take as long as the property's patience */
        check_find_critical(c, w, o, patience, stop);
    }
    if (!c->as_found && !c->deviations) {
        minimise(w, o, &options, &c->result.trace, &c->result.violation, &c->work);
        if (patience)
            check_find_critical(c, w, o, patience, stop);
    }
    world_free(w);
    check_release_subject(c, &subject);
    return true;
}

/* Sites are what the plain run shows up to the steady state and a little further. With `preempt` all searches need
 * them; else some walks, which learn them when it comes to that. */
static bool check_prepare_sites(motet_check *c, struct search_options *o, struct motet_error *e)
{
    struct check_subject subject;
    bool some = o->weights.preempt > 0 && o->weights.hold;
    if (!c->preempt && !some)
        return true;
    if (!c->shared)
        c->shared = shared_sites_new(o->steady + MOTET_SECOND);
    c->sites = NULL;
    if (!c->preempt) {
        o->aims = c->shared;
        return true;
    }
    if (!check_make_subject(c, &subject, e))
        return false;
    struct world *w = world_new(&subject);
    c->sites = o->weights.sites = shared_sites_learnt(c->shared, w);
    world_free(w);
    check_release_subject(c, &subject);
    return true;
}

/* A counterexample with interrupts at sites is executed again with nodes that look out for them. */
static void check_keep_sites(motet_check *c, struct search_options *o)
{
    for (size_t i = 0; o->aims && i < c->result.trace.count; i++)
        if (c->result.trace.list[i].source == CHOICE_PREEMPT)
            c->sites = o->weights.sites = shared_sites_learnt(c->shared, NULL);
}

bool motet_check_until(motet_check *c, uint64_t *until, struct motet_error *e)
{
    struct search_options o;
    if (!check_take_inputs(c, e) || !check_add_calm(c, &o, e))
        return false;
    *until = o.steady + o.length;
    return true;
}

static bool check_search(motet_check *c, const struct search_options *o, search_stop *stop, struct check_stop *asked,
                         struct motet_error *e)
{
    struct subjects subjects = {c, check_make_subject, check_release_subject};
    if (c->exhaust.depth)
        return exhaust_run(o, &c->exhaust, &subjects, stop, asked, &c->result, &c->states, e);
    if (c->deviations)
        return deviate_run(o, c->begin, c->deviations, &subjects, stop, asked, &c->result, &c->tried, e);
    return search_run(o, &subjects, stop, asked, &c->result, e);
}

/* The other ranks leave when the search is over; rank 0 has its result. */
static bool check_search_with_ranks(motet_check *c, struct search_options *o, search_stop *stop,
                                    struct check_stop *asked, struct motet_error *e)
{
    if (!ranks_join(&c->ranks, e))
        return false;
    o->ranks = &c->ranks;
    bool good = check_search(c, o, stop, asked, e);
    o->ranks = NULL;
    ranks_leave(good && !c->result.lost);
    if (good && c->ranks.rank && c->result.lost && c->result.stopped && !c->result.next)
        return error_set(e, "rank %u has heard nothing of rank 0 for a minute, and gave up", c->ranks.rank);
    return good;
}

bool motet_check_run(motet_check *c, motet_check_stop *stop, void *context, struct motet_error *e)
{
    struct check_stop asked = {stop, context};
    struct search_options options;
    if (!check_take_inputs(c, e) || !check_add_calm(c, &options, e) || !check_prepare_sites(c, &options, e))
        return false;
    search_result_free(&c->result);
    search_stop *stops = stop ? check_stops : NULL;
    bool walks = !c->deviations && !c->exhaust.depth && !c->unguided;
    options.reach = walks ? shared_reach_new(options.steady) : NULL;
    bool good = c->ranked ? check_search_with_ranks(c, &options, stops, &asked, e)
                          : check_search(c, &options, stops, &asked, e);
    shared_reach_free(options.reach);
    options.reach = NULL;
    check_keep_sites(c, &options);
    if (good && c->result.found && options.early)
        options.steady = search_begin(&options, c->result.item);
    c->walked_from = options.steady;
    if (!good || !c->result.found || c->ranks.rank)
        return good;
    return check_minimise(c, &options, &asked, e) && check_conclude(c, NULL, NULL, e);
}

/* ---- results ---- */

_Static_assert((int)MOTET_WALK_PCT == (int)WALK_PCT, "public and internal kinds of walks agree");
_Static_assert((int)MOTET_VIOLATION_UNREAD == (int)VIOLATION_UNREAD, "public and internal violations agree");

void motet_check_result(const motet_check *c, struct motet_check_result *r)
{
    const struct search_result *s = &c->result;
    *r = (struct motet_check_result){
        .stopped = s->stopped, .deviations = c->tried, .next = s->next, .done = check_progress(&s->done)};
    r->rank = c->ranks.rank;
    r->lost = s->lost;
    r->states.stretches = c->states.runs;
    r->states.matched = c->states.seen.merged;
    r->states.again = c->states.rechecked;
    r->states.wrong = c->states.wrong;
    r->states.matching = c->states.matched;
    r->states.bits = c->states.seen.bits;
    r->states.missed = c->states.seen.missed;
    if (!s->found || r->rank)
        return;
    r->violation = (enum motet_violation)s->violation.kind;
    r->node = s->violation.node;
    r->at = s->violation.at;
    r->walk = s->item;
    r->begin = c->walked_from;
    r->choices = s->trace.count;
    r->found = c->work.before;
    r->runs = c->work.runs;
    r->probes = c->critical.probes;
    r->critical = c->critical.found ? c->critical.choice : SIZE_MAX;
    r->left_out = c->work.left_out.count;
    r->plain_at = c->result.trace.count ? c->work.plain : 0;
    r->events = c->outcome.events;
    r->since_steady = c->outcome.since_steady;
    r->words = c->outcome.words;
}

bool motet_check_choice(const motet_check *c, size_t number, struct motet_choice *choice)
{
    if (number >= c->result.trace.count)
        return false;
    const struct choice *is = &c->result.trace.list[number];
    *choice = (struct motet_choice){
        (enum motet_choice_source)is->source, is->node, is->other, is->ordinal, is->outcome, is->at};
    return true;
}

bool motet_check_left_out(const motet_check *c, size_t number, uint32_t *node)
{
    if (!c->result.found || number >= c->work.left_out.count)
        return false;
    *node = c->work.left_out.list[number].node;
    return true;
}

bool motet_check_event(const motet_check *c, size_t number, struct motet_check_event *e)
{
    return chronicle_event(c->outcome.chronicle, number, e);
}

bool motet_check_save(motet_check *c, const char *path, const char *const *about, struct motet_error *e)
{
    if (!c->result.found)
        return error_set(e, "%s: nothing was found that could be saved", path);
    return check_conclude(c, path, about, e);
}

/* Not the number of walks, workers or what was tried before: they change neither a walk nor a deviation. */
void motet_check_digest(const motet_check *c, char text[MOTET_DIGEST_TEXT])
{
    const struct save_inputs *notes = *network_save_inputs(c->network);
    const struct weights *w = &c->options.weights;
    const double weights[] = {w->lost,  w->damaged, w->held,   w->busy,   w->reset,   w->power,
                              w->death, w->preempt, w->serial, w->sensed, w->foreign, w->faint};
    const uint64_t numbers[] = {
        c->options.seed, c->options.kind, c->options.steady, c->options.early, c->options.length,
        w->hold,         w->busy_for,     w->late,           w->shift,         c->deviations != 0,
        c->preempt,      c->unguided,     c->patience,       c->stuck,         c->maker ? c->maker->identity : 0};
    struct pack p = {.bytes = NULL};
    saved_inputs_pack(&notes->inputs, &p);
    for (size_t i = 0; i < notes->machine_count; i++) {
        size_t size;
        const void *bytes = image_file(notes->machines[i]->machine->image, &size);
        pack_digest(&p, digest_of(bytes, size));
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        pack_real(&p, weights[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pack_number(&p, numbers[i], 8);
    for (size_t i = 0; i < c->sensor_count; i++) {
        pack_number(&p, (uint64_t)c->sensors[i].node << 32 | c->sensors[i].line, 8);
        for (size_t k = 0; k < c->sensors[i].count; k++)
            pack_number(&p, (uint32_t)c->sensors[i].microvolts[k], 4);
    }
    for (size_t i = 0; i < c->limit_count; i++) {
        pack_bytes(&p, c->limits[i].device, strlen(c->limits[i].device) + 1);
        pack_number(&p, c->limits[i].microseconds, 4);
    }
    digest_print(digest_of(p.bytes, p.count), text);
    pack_free(&p);
}
