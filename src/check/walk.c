#include "check/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/decibel.h"
#include "base/memory.h"
#include "node/machine.h"

/* ---- drawing ---- */

static uint64_t walk_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t walk_join(uint64_t hash, uint64_t value)
{
    return walk_mix(hash + UINT64_C(0x9e3779b97f4a7c15) + value * UINT64_C(0xd1342543de82ef95));
}

static uint64_t walk_draw(uint64_t seed, const struct choice *c)
{
    uint64_t hash = walk_join(walk_join(seed, c->source), (uint64_t)c->node << 32 | c->other);
    return walk_join(hash, c->ordinal);
}

static double walk_share(uint64_t draw) /* in [0, 1) */
{
    return (double)(draw >> 11) * 0x1p-53;
}

/* 1 to limit. */
static uint32_t walk_up_to(uint64_t draw, uint32_t limit)
{
    return 1 + (uint32_t)(walk_share(walk_mix(draw + 1)) * limit);
}

static double weights_factor(uint64_t *seed)
{
    static const double factors[] = {0, 0.25, 1, 1, 1, 2, 4};
    *seed = walk_join(*seed, 1);
    return factors[*seed % (sizeof factors / sizeof *factors)];
}

static double weights_probability(double p)
{
    return p < 0.5 ? p : 0.5;
}

/* For what must happen at some time: nodes that start anew or lose many frames try everything again, and so come out of
 * what they are caught in; deaths last. */
static void weights_soothe(struct weights *w)
{
    w->reset = w->power = 0;
    w->lost /= 10;
    w->damaged /= 10;
    w->busy /= 10;
    w->death *= 4;
}

/* In some walks channels are busy more rarely, but for longer: long enough that a protocol wants to send again. Nodes
 * that start anew forget what waits to be sent, so that is rarer as well. */
static void weights_prolong(struct weights *w, uint64_t draw)
{
    static const struct {
        uint32_t longer;
        double rarer;
    } kinds[] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {4, 2}, {32, 4}, {128, 16}};
    size_t kind = draw % (sizeof kinds / sizeof *kinds);
    w->busy_for = w->busy_for <= UINT32_MAX / kinds[kind].longer ? w->busy_for * kinds[kind].longer : UINT32_MAX;
    w->busy /= kinds[kind].rarer;
    w->reset /= kinds[kind].rarer;
    w->power /= kinds[kind].rarer;
}

struct weights weights_stalled(const struct weights *w)
{
    const uint32_t longer = 64;
    struct weights s = *w;
    s.busy *= 0.3;
    s.busy_for = w->busy_for <= UINT32_MAX / longer ? w->busy_for * longer : UINT32_MAX;
    s.faint = w->faint > 0;
    s.lost = weights_probability(4 * w->lost);
    s.power /= 4;
    s.damaged = s.held = s.preempt = s.sensed = s.serial = s.reset = s.death = s.foreign = 0;
    return s;
}

struct weights weights_mixed(const struct weights *w, uint64_t seed)
{
    struct weights m = *w;
    m.lost = weights_probability(w->lost * weights_factor(&seed));
    m.damaged = weights_probability(w->damaged * weights_factor(&seed));
    m.held = weights_probability(w->held * weights_factor(&seed));
    m.busy *= weights_factor(&seed);
    m.reset *= weights_factor(&seed);
    m.power *= weights_factor(&seed);
    m.death *= weights_factor(&seed);
    m.preempt = weights_probability(w->preempt * weights_factor(&seed));
    m.sensed = weights_probability(w->sensed * weights_factor(&seed));
    m.serial = weights_probability(w->serial * weights_factor(&seed));
    uint64_t apart = walk_join(seed, 5);
    m.foreign *= weights_factor(&apart);
    weights_prolong(&m, walk_join(seed, 4) >> 8);
    if (w->calm && walk_join(seed, 3) % 2)
        weights_soothe(&m);
    return m;
}

static struct weights weights_uniform(const struct weights *w)
{
    struct weights u = *w;
    double frame = 1.0 / (1 + (w->lost > 0) + (w->damaged > 0));
    u.lost = w->lost > 0 ? frame : 0;
    u.damaged = w->damaged > 0 ? frame : 0;
    u.held = w->held > 0 ? 0.5 : 0;
    u.preempt = w->preempt > 0 ? 0.5 : 0;
    u.sensed = w->sensed > 0 ? 0.5 : 0;
    u.serial = w->serial > 0 ? 0.5 : 0;
    return u;
}

struct weights weights_of(const struct weights *w, enum walk_kind kind, uint64_t seed, uint64_t end)
{
    enum { DEEPEST = 5 };
    struct weights m = *w;
    switch (kind) {
    case WALK_MIXED: return weights_mixed(w, seed);
    case WALK_WEIGHTED: return m;
    case WALK_UNIFORM: return weights_uniform(w);
    case WALK_PCT: break;
    }
    m.changes = 1 + (unsigned)(walk_join(seed, 4) % DEEPEST);
    m.end = end;
    return m;
}

void walk_draw_delays(const struct network *n, const struct weights *w, uint64_t seed, struct trace *t)
{
    for (uint32_t i = 0; w->late && i < network_count(n); i++) {
        struct choice c = {.source = CHOICE_BOOT, .node = network_node(n, i)->id};
        c.outcome = walk_up_to(walk_draw(seed, &c), w->late);
        trace_add(t, &c);
    }
}

/* `c` is what is sent as meant. When it comes earlier, the choice has that time: so much of the run is as ever. */
static struct choice walk_draw_serial(const struct weights *w, uint64_t from, uint64_t draw, struct choice c)
{
    uint32_t bytes = c.outcome, by = walk_up_to(draw, w->shift);
    uint64_t earliest = from + 1000;
    switch (walk_mix(draw + 3) % (w->shift ? 4 : 2)) {
    case 0: c.outcome = SENT_NEVER; break;
    case 1: c.outcome = SENT_DAMAGED + (uint32_t)(walk_mix(draw + 4) % bytes); break;
    case 2: c.outcome = SENT_LATE + by; break;
    default:
        by = c.at - earliest >= UINT64_C(1000) * by ? by : (uint32_t)((c.at - earliest) / 1000);
        c.outcome = by ? SENT_EARLY + by : 0;
        c.at -= UINT64_C(1000) * by;
    }
    return c;
}

void walk_draw_serials(const struct weights *w, uint64_t from, uint64_t seed, struct trace *t)
{
    for (size_t i = 0; i < w->serial_count; i++) {
        uint64_t draw = walk_draw(seed, &w->serials[i]);
        if (w->serials[i].at <= from + 1000 || walk_share(draw) >= w->serial)
            continue;
        struct choice c = walk_draw_serial(w, from, draw, w->serials[i]);
        if (c.outcome && (!w->calm || c.at < w->calm))
            trace_add(t, &c);
    }
}

/* ---- traces ---- */

void trace_add(struct trace *t, const struct choice *c)
{
    t->list = memory_grow(t->list, &t->room, t->count, sizeof *t->list);
    t->list[t->count++] = *c;
}

void trace_copy(struct trace *to, const struct choice *list, size_t count)
{
    to->count = 0;
    for (size_t i = 0; i < count; i++)
        trace_add(to, &list[i]);
}

void trace_free(struct trace *t)
{
    free(t->list);
    *t = (struct trace){.list = NULL};
}

/* ---- what happens at times of its own ---- */

enum { WALK_FOREIGN = 1000000 }; /* foreign frames that there are */

/* One source of it for one node, or CHOICE_ALL: times are drawn one after the other. */
struct stream {
    enum choice_source source;
    uint32_t node;
    double rate; /* times a second */
    uint64_t next, seed;
};

/* A point from which on the next occasion of a source on a node goes otherwise. */
struct change {
    enum choice_source source;
    uint32_t node;
    uint64_t at;
    bool over;
};

struct walk {
    struct driver driver;
    struct network *network;
    struct weights weights;
    uint64_t seed, from, asked;
    struct choices table; /* the plan's choices that are asked for */
    struct choice *timed; /* and those with times of their own, in order */
    size_t timed_count, timed_next;
    struct stream *streams;
    size_t stream_count, stream_room;
    struct change changes[WALK_CHANGES]; /* of those that are asked for; the others are among the timed ones */
    unsigned change_count;
    struct trace trace;
    struct trace *noted; /* all that was asked, or NULL */
};

/* What a weight is for a node. */
static double walk_weight(const struct walk *w, uint32_t node, double weight)
{
    const double less = 0.3;
    return w->weights.favours && w->weights.favoured != node ? weight * less : weight;
}

static void stream_advance(struct stream *s)
{
    s->seed = walk_join(s->seed, 2);
    double gap = -decibel_of(1 - walk_share(s->seed)) * 0.23025850929940457 / s->rate; /* exponential; ln 10 / 10 */
    s->next += 1000 * (uint64_t)(gap < 1e6 ? gap * 1e6 : 1e12);                        /* whole microseconds */
}

static void walk_add_stream(struct walk *w, enum choice_source source, uint32_t node, double rate)
{
    struct stream s = {.source = source, .node = node, .rate = rate, .next = w->from};
    bool all = node == CHOICE_ALL;
    struct choice name = {.source = source, .node = all ? network_node(w->network, 0)->id : node, .ordinal = all};
    if (rate <= 0 || w->from == NEVER)
        return;
    s.seed = walk_draw(w->seed, &name);
    stream_advance(&s);
    w->streams = memory_grow(w->streams, &w->stream_room, w->stream_count, sizeof *w->streams);
    w->streams[w->stream_count++] = s;
}

static void walk_add_streams(struct walk *w)
{
    if (w->weights.changes)
        return;
    uint32_t count = network_count(w->network);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = network_node(w->network, i)->id;
        walk_add_stream(w, CHOICE_BUSY, id, walk_weight(w, id, w->weights.busy));
        walk_add_stream(w, CHOICE_RESET, id, walk_weight(w, id, w->weights.reset));
        walk_add_stream(w, CHOICE_POWER, id, walk_weight(w, id, w->weights.power));
        walk_add_stream(w, CHOICE_DEATH, id, walk_weight(w, id, w->weights.death));
        walk_add_stream(w, CHOICE_FOREIGN, id, walk_weight(w, id, w->weights.foreign));
    }
    if (count > 1)
        walk_add_stream(w, CHOICE_BUSY, CHOICE_ALL, w->weights.busy);
}

/* Whether choices are drawn at a time. */
static bool walk_is_lively(const struct walk *w, uint64_t at)
{
    return at >= w->from && (!w->weights.calm || at < w->weights.calm);
}

static struct stream *walk_first_stream(const struct walk *w)
{
    struct stream *first = NULL;
    for (size_t i = 0; i < w->stream_count; i++)
        if (walk_is_lively(w, w->streams[i].next) && (!first || w->streams[i].next < first->next))
            first = &w->streams[i];
    return first;
}

static uint64_t walk_next(void *context)
{
    const struct walk *w = context;
    const struct stream *s = walk_first_stream(w);
    uint64_t planned = w->timed_next < w->timed_count ? w->timed[w->timed_next].at : NEVER;
    return s && s->next < planned ? s->next : planned;
}

static void walk_draw_busy(const struct walk *w, uint64_t draw, struct choice *c)
{
    c->other = walk_share(walk_mix(draw + 2)) < w->weights.faint ? BUSY_FAINT : BUSY_LOUD;
    c->outcome = walk_up_to(draw, w->weights.busy_for);
}

static const struct choice *walk_draw_timed(struct walk *w, struct stream *s)
{
    struct choice c = {.source = s->source, .node = s->node, .ordinal = s->next, .outcome = 1, .at = s->next};
    if (s->source == CHOICE_BUSY)
        walk_draw_busy(w, s->seed, &c);
    if (s->source == CHOICE_FOREIGN)
        c.outcome = walk_up_to(s->seed, WALK_FOREIGN);
    trace_add(&w->trace, &c);
    stream_advance(s);
    return &w->trace.list[w->trace.count - 1];
}

static const struct choice *walk_take(void *context)
{
    struct walk *w = context;
    struct stream *s = walk_first_stream(w);
    uint64_t planned = w->timed_next < w->timed_count ? w->timed[w->timed_next].at : NEVER;
    if (s && s->next < planned)
        return walk_draw_timed(w, s);
    trace_add(&w->trace, &w->timed[w->timed_next++]);
    return &w->trace.list[w->trace.count - 1];
}

/* ---- what is asked ---- */

static uint32_t walk_draw_site(const struct walk *w, const struct choice *c, uint64_t draw)
{
    uint32_t address;
    size_t count = w->weights.sites ? sites_count(w->weights.sites, c->node, c->other) : 0;
    if (!count || walk_share(draw) >= walk_weight(w, c->node, w->weights.preempt))
        return 0;
    return sites_at(w->weights.sites, c->node, c->other, walk_mix(draw + 2) % count, &address) ? address + 1 : 0;
}

static const struct device *walk_device(const struct network *n, uint32_t node, uint32_t line)
{
    uint32_t number;
    if (line >= MACHINE_LINES || !network_find(n, node, &number))
        return NULL;
    return network_node(n, number)->machine->lines[line].device;
}

bool walk_is_of_timer(const struct network *n, uint32_t node, uint32_t line)
{
    const struct device *d = walk_device(n, node, line);
    return d && strncmp(d->name, "timer", strlen("timer")) == 0;
}

uint32_t walk_hold_limit(const struct network *n, const struct weights *w, uint32_t node, uint32_t line, bool *own)
{
    const struct device *d = w->limit_count ? walk_device(n, node, line) : NULL;
    size_t i = w->limit_count;
    while (d && i > 0 && strcmp(w->limits[i - 1].device, d->name) != 0)
        i--;
    bool has = d && i > 0;
    if (own)
        *own = has;
    return has ? w->limits[i - 1].microseconds : w->hold;
}

static uint32_t walk_draw_hold(const struct walk *w, const struct choice *c, uint64_t draw)
{
    if (walk_share(draw) >= walk_weight(w, c->node, w->weights.held))
        return 0;
    uint32_t limit = walk_hold_limit(w->network, &w->weights, c->node, c->other, NULL);
    return limit ? walk_up_to(draw, limit) : 0;
}

static uint32_t walk_draw_sensor(const struct walk *w, const struct choice *c, uint64_t draw)
{
    if (walk_share(draw) >= walk_weight(w, c->node, w->weights.sensed))
        return 0;
    for (size_t i = 0; i < w->weights.sensor_count; i++) {
        const struct sensor_values *s = &w->weights.sensors[i];
        if ((s->node == c->node || s->node == CHOICE_ALL) && s->line == c->other && s->count)
            return 1 + (uint32_t)s->microvolts[walk_mix(draw + 2) % s->count];
    }
    return 0;
}

/* The weights of a source at its change point: it departs from the default. */
static struct weights walk_certain(const struct weights *w)
{
    struct weights c = *w;
    double both = w->lost + w->damaged;
    c.lost = both > 0 ? w->lost / both : 0;
    c.damaged = both > 0 ? w->damaged / both : 0;
    c.held = w->held > 0;
    c.preempt = w->preempt > 0;
    c.sensed = w->sensed > 0;
    c.favours = false;
    return c;
}

/* Whether a change point is for this choice. It is over then. */
static bool walk_meets_change(struct walk *w, const struct choice *c)
{
    for (unsigned i = 0; i < w->change_count; i++) {
        struct change *is = &w->changes[i];
        if (is->over || is->source != c->source || is->node != c->node || c->at < is->at)
            continue;
        return is->over = true;
    }
    return false;
}

static uint32_t walk_draw_asked(struct walk *w, const struct choice *c)
{
    uint64_t draw = walk_draw(w->seed, c);
    if (w->weights.changes && !walk_meets_change(w, c))
        return 0;
    if (c->source == CHOICE_PREEMPT)
        return walk_draw_site(w, c, draw);
    if (c->source == CHOICE_SENSOR)
        return walk_draw_sensor(w, c, draw);
    if (c->source == CHOICE_HOLD)
        return walk_draw_hold(w, c, draw);
    double share = walk_share(draw), lost = walk_weight(w, c->node, w->weights.lost);
    if (share < lost)
        return FRAME_LOST;
    return share < lost + walk_weight(w, c->node, w->weights.damaged) ? FRAME_DAMAGED : FRAME_DELIVERED;
}

static uint64_t walk_time(const struct walk *w, const struct choice *c)
{
    uint32_t number;
    if (c->source == CHOICE_FRAME || !network_find(w->network, c->node, &number))
        return c->at;
    return network_time(w->network, number, c->at);
}

static uint32_t walk_choose(void *context, const struct choice *asked)
{
    struct walk *w = context;
    struct choice c = *asked;
    const struct choice *planned = choices_find(&w->table, asked);
    w->asked++;
    c.at = walk_time(w, asked);
    if (w->noted) {
        c.outcome = 0;
        trace_add(w->noted, &c);
    }
    c.outcome = planned ? planned->outcome : walk_is_lively(w, c.at) ? walk_draw_asked(w, &c) : 0;
    if (!c.outcome || c.outcome >= asked->outcome)
        return 0;
    trace_add(&w->trace, &c);
    return c.outcome;
}

/* ---- life ---- */

static int walk_by_time(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : choices_compare(x, y);
}

static void walk_take_plan(struct walk *w, const struct trace *plan)
{
    w->timed = memory_array(plan->count + WALK_CHANGES, sizeof *w->timed);
    for (size_t i = 0; i < plan->count; i++) {
        const struct choice *c = &plan->list[i];
        if (choice_is_asked(c->source))
            choices_set(&w->table, c);
        else if (c->source != CHOICE_BOOT)
            w->timed[w->timed_count++] = *c;
        else
            trace_add(&w->trace, c);
    }
}

/* One of the sources that have a weight; false: none has. */
static bool walk_draw_source(const struct weights *w, uint64_t draw, enum choice_source *source)
{
    const struct {
        enum choice_source source;
        bool there;
    } all[] = {{CHOICE_FRAME, w->lost > 0 || w->damaged > 0},
               {CHOICE_HOLD, w->held > 0 && w->hold},
               {CHOICE_BUSY, w->busy > 0 && w->busy_for},
               {CHOICE_RESET, w->reset > 0},
               {CHOICE_POWER, w->power > 0},
               {CHOICE_DEATH, w->death > 0},
               {CHOICE_PREEMPT, w->preempt > 0 && w->sites},
               {CHOICE_SENSOR, w->sensed > 0 && w->sensor_count},
               {CHOICE_FOREIGN, w->foreign > 0}};
    unsigned count = sizeof all / sizeof *all - !(w->foreign > 0); /* so that without it all else is drawn as ever */
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (unsigned)(draw + i) % count;
        *source = all[at].source;
        if (all[at].there)
            return true;
    }
    return false;
}

static void walk_add_change(struct walk *w, uint64_t draw)
{
    uint64_t end = w->weights.calm && w->weights.calm < w->weights.end ? w->weights.calm : w->weights.end;
    enum choice_source source;
    if (w->from >= end || !walk_draw_source(&w->weights, walk_mix(draw + 1), &source))
        return;
    uint64_t at = w->from + 1000 * (uint64_t)(walk_share(draw) * (double)((end - w->from) / 1000));
    uint32_t number = (uint32_t)(walk_mix(draw + 2) % network_count(w->network));
    struct choice c = {.source = source, .node = network_node(w->network, number)->id, .ordinal = at, .at = at};
    if (choice_is_asked(source)) {
        w->changes[w->change_count++] = (struct change){source, c.node, at, false};
        return;
    }
    c.outcome = source == CHOICE_FOREIGN ? walk_up_to(draw, WALK_FOREIGN) : 1;
    if (source == CHOICE_BUSY)
        walk_draw_busy(w, draw, &c);
    w->timed[w->timed_count++] = c;
}

static void walk_add_changes(struct walk *w)
{
    unsigned count = w->weights.changes < WALK_CHANGES ? w->weights.changes : WALK_CHANGES;
    for (unsigned i = 0; i < count && w->from != NEVER; i++)
        walk_add_change(w, walk_join(w->seed, 16 + i));
}

struct walk *walk_new(struct network *n, const struct weights *weights, uint64_t seed, const struct trace *plan,
                      uint64_t from)
{
    struct walk *w = memory_new(sizeof *w);
    w->driver = (struct driver){{w, walk_choose, weights->sites != NULL}, walk_next, walk_take};
    w->network = n;
    w->weights = weights->changes ? walk_certain(weights) : *weights;
    w->seed = seed;
    w->from = from;
    walk_take_plan(w, plan ? plan : &(struct trace){.list = NULL});
    walk_add_changes(w);
    qsort(w->timed, w->timed_count, sizeof *w->timed, walk_by_time);
    walk_add_streams(w);
    return w;
}

void walk_free(struct walk *w)
{
    if (!w)
        return;
    choices_free(&w->table);
    trace_free(&w->trace);
    free(w->timed);
    free(w->streams);
    free(w);
}

const struct driver *walk_driver(const struct walk *w)
{
    return &w->driver;
}

struct trace *walk_trace(struct walk *w)
{
    return &w->trace;
}

uint64_t walk_asked(const struct walk *w)
{
    return w->asked;
}

void walk_skip(struct walk *w, uint64_t now)
{
    while (w->timed_next < w->timed_count && w->timed[w->timed_next].at <= now)
        w->timed_next++;
}

void walk_note(struct walk *w, struct trace *asked)
{
    w->noted = asked;
}
