#include "check/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/aim.h"
#include "check/minimiser.h"

enum { MINIMISE_LONG = 6 }; /* with more choices than this, other walks are tried */

bool minimise_stops(const struct minimiser *m)
{
    return m->m->stop && m->m->stop(m->m->context);
}

/* What was chosen after the violation has no part in it, nor what was chosen for nodes that are left out. */
void minimise_accept(struct minimiser *m, const struct violation *v, const struct trace *taken)
{
    m->violation = *v;
    m->best.count = 0;
    for (size_t i = 0; i < taken->count; i++)
        if (taken->list[i].at <= v->at && !world_leaves_out(m->world, taken->list[i].node))
            trace_add(&m->best, &taken->list[i]);
}

bool minimise_try(struct minimiser *m, const struct trace *t)
{
    struct trace taken = {.list = NULL};
    uint64_t end = m->o->steady + m->o->length, until = m->violation.at + m->slack;
    m->work->runs++;
    struct violation v = search_replay(m->world, m->o, t, until < end ? until : end, &taken);
    bool same = violation_same(&v, &m->violation) && v.at >= m->earliest;
    if (same)
        minimise_accept(m, &v, &taken);
    trace_free(&taken);
    return same;
}

/* ---- dropping ---- */

static bool minimise_try_without(struct minimiser *m, size_t first, size_t count)
{
    struct trace t = {.list = NULL};
    for (size_t i = 0; i < m->best.count; i++)
        if (i < first || i >= first + count)
            trace_add(&t, &m->best.list[i]);
    bool good = minimise_try(m, &t);
    trace_free(&t);
    return good;
}

static void minimise_drop_source(struct minimiser *m, enum choice_source source)
{
    struct trace t = {.list = NULL};
    for (size_t i = 0; i < m->best.count; i++)
        if (m->best.list[i].source != source)
            trace_add(&t, &m->best.list[i]);
    if (t.count < m->best.count)
        minimise_try(m, &t);
    trace_free(&t);
}

/* One round: leaves out pieces of that size, the later ones first, since most of what happened early is forgotten. */
static bool minimise_drop_pieces(struct minimiser *m, size_t piece)
{
    bool dropped = false;
    for (size_t end = m->best.count; end > 0 && !minimise_stops(m);) {
        size_t first = end > piece ? end - piece : 0;
        dropped |= minimise_try_without(m, first, end - first);
        end = first < m->best.count ? first : m->best.count;
    }
    return dropped;
}

/* What is left cannot be made smaller by leaving out one choice. */
static void minimise_drop(struct minimiser *m)
{
    for (size_t piece = (m->best.count + 1) / 2; piece && !minimise_stops(m);) {
        bool dropped = minimise_drop_pieces(m, piece);
        size_t half = (m->best.count + 1) / 2;
        if (!dropped)
            piece = piece > 1 ? (piece + 1) / 2 : 0;
        piece = piece < half ? piece : half;
    }
}

void minimise_drop_all(struct minimiser *m)
{
    for (unsigned source = 0; source < CHOICE_SOURCES && !minimise_stops(m); source++)
        minimise_drop_source(m, (enum choice_source)source);
    minimise_drop(m);
}

/* ---- other suffixes ---- */

/* Few choices, most of them on the node that failed. */
static struct weights minimise_weights(const struct minimiser *m, unsigned round)
{
    static const double factors[] = {0.5, 0.2, 1, 0.1};
    double factor = factors[round % (sizeof factors / sizeof *factors)];
    struct weights w = weights_mixed(&m->o->weights, search_seed(m->o, round) + 1);
    w.lost *= factor, w.damaged *= factor, w.held *= factor * 0.2, w.preempt *= factor, w.sensed *= factor;
    w.busy *= factor, w.reset *= factor, w.power *= factor, w.death *= factor, w.foreign *= factor;
    w.favours = round % 2;
    w.favoured = m->violation.node;
    return w;
}

/* Another way that was found: it counts if it is shorter once it is minimised itself. */
static void minimise_consider(struct minimiser *m, const struct violation *v, const struct trace *t)
{
    struct minimiser other = *m;
    other.best = (struct trace){.list = NULL};
    minimise_accept(&other, v, t);
    minimise_drop_all(&other);
    if (other.best.count < m->best.count && !minimise_stops(m)) {
        struct trace worse = m->best;
        m->best = other.best;
        m->violation = other.violation;
        other.best = worse;
    }
    trace_free(&other.best);
}

/* The first choices of the best, then others that are drawn. */
static void minimise_rewalk(struct minimiser *m, size_t prefix, unsigned round)
{
    struct trace plan = {.list = NULL};
    struct violation v;
    uint64_t from = prefix < m->best.count ? m->best.list[prefix].at : m->violation.at;
    from = from > m->o->steady ? from : m->o->steady;
    trace_copy(&plan, m->best.list, prefix);
    struct weights weights = minimise_weights(m, round);
    struct walk *walk =
        walk_new(world_network(m->world), &weights, search_seed(m->o, UINT64_C(1) << 40 | round), &plan, from);
    m->work->runs++;
    if (world_settle(m->world, plan.list, plan.count, m->o->steady, &v))
        v = world_run(m->world, walk_driver(walk), m->violation.at);
    if (violation_same(&v, &m->violation))
        minimise_consider(m, &v, walk_trace(walk));
    walk_free(walk);
    trace_free(&plan);
}

/* Walks of their own: another failing one may be far shorter. */
static void minimise_other_walks(struct minimiser *m)
{
    struct violation v;
    for (unsigned round = 0; round < m->m->rewalks && m->best.count > MINIMISE_LONG && !minimise_stops(m); round++) {
        uint64_t seed = search_seed(m->o, UINT64_C(1) << 41 | round);
        struct weights weights = weights_mixed(&m->o->weights, seed);
        struct walk *walk = walk_new(world_network(m->world), &weights, seed, NULL, m->o->steady);
        m->work->runs++;
        if (world_settle(m->world, NULL, 0, m->o->steady, &v))
            v = world_run(m->world, walk_driver(walk), m->o->steady + m->o->length);
        if (violation_same(&v, &m->violation))
            minimise_consider(m, &v, walk_trace(walk));
        walk_free(walk);
    }
}

static void minimise_rewalk_all(struct minimiser *m)
{
    for (unsigned round = 0; round < m->m->rewalks && m->best.count > 1 && !minimise_stops(m); round++)
        minimise_rewalk(m, (size_t)(search_seed(m->o, ~(uint64_t)round) >> 33) % m->best.count, round);
}

/* ---- the end of it, at another time ---- */

enum { TRANSPLANT_MOST = 4, TRANSPLANT_ROUNDS = 400, TRANSPLANT_ENOUGH = 3 };
#define TRANSPLANT_SPAN  UINT64_C(2000000000) /* nanoseconds before the violation from which choices are taken */
#define TRANSPLANT_AFTER UINT64_C(1500000000) /* nanoseconds that the violation may take after the last choice */
#define TRANSPLANT_STEP  UINT64_C(1000000000) /* between moments of the plain run that are kept */

/* The last choices with times of their own, the last one first. */
static size_t transplant_take(const struct minimiser *m, struct choice last[TRANSPLANT_MOST])
{
    size_t count = 0;
    for (size_t i = m->best.count; i-- > 0 && count < TRANSPLANT_MOST;) {
        const struct choice *c = &m->best.list[i];
        bool timed = !choice_is_asked(c->source) && c->source != CHOICE_BOOT && c->source != CHOICE_SERIAL;
        if (timed && c->at + TRANSPLANT_SPAN >= m->violation.at)
            last[count++] = *c;
    }
    return count;
}

/* The last choices, the first of them at another time of the plain run and the others as long after it as they were,
 * or up to a tenth of a second later; channels are busy for as long as they may be. */
static bool transplant_try(struct minimiser *m, const struct plain_run *p, const struct choice *last, size_t count,
                           uint64_t draw)
{
    struct trace plan = {.list = NULL};
    const uint64_t ms = 1000000;
    uint64_t until = 0;
    size_t step = (size_t)(draw % p->count);
    uint64_t at = m->o->steady + step * TRANSPLANT_STEP + (1 + (draw >> 16) % 998) * ms;
    for (size_t i = count; i-- > 0;) {
        struct choice c = last[i];
        uint64_t later = i + 1 < count ? (search_seed(m->o, draw + i) >> 40) % 101 * ms : 0;
        c.at = c.ordinal = at + (last[i].at - last[count - 1].at) + later;
        if (c.source == CHOICE_BUSY)
            c.outcome = c.outcome > m->o->weights.busy_for ? c.outcome : m->o->weights.busy_for;
        until = c.at + TRANSPLANT_AFTER;
        trace_add(&plan, &c);
    }
    struct walk *walk = walk_new(world_network(m->world), &m->o->weights, 0, &plan, NEVER);
    uint64_t end = m->o->steady + m->o->length;
    world_back(m->world, p->moments[step]);
    m->work->runs++;
    struct violation v = world_run(m->world, walk_driver(walk), until < end ? until : end);
    bool good = violation_same(&v, &m->violation);
    if (good)
        minimise_accept(m, &v, walk_trace(walk));
    walk_free(walk);
    trace_free(&plan);
    return good;
}

/* A long way that cannot be shortened is often needed only for its end to come at the right moment. */
static void minimise_transplant(struct minimiser *m, const struct plain_run *p)
{
    struct choice last[TRANSPLANT_MOST];
    size_t most = transplant_take(m, last);
    bool found = p->count == 0;
    for (size_t count = 1; count <= most && !found; count++)
        for (unsigned round = 0; round < TRANSPLANT_ROUNDS && !found && !minimise_stops(m); round++)
            found = transplant_try(m, p, last, count, search_seed(m->o, (uint64_t)count << 32 | round) >> 8);
}

/* ---- short walks ---- */

enum { SHORT_ROUNDS = 1600 };             /* for one node; with more of them each takes longer, and there are fewer */
#define SHORT_LENGTH UINT64_C(4000000000) /* nanoseconds; so few choices come up that what is found is short */

static void minimise_walk_shortly(struct minimiser *m, const struct plain_run *p, unsigned round)
{
    uint64_t seed = search_seed(m->o, UINT64_C(1) << 42 | round);
    size_t step = (size_t)((seed >> 20) % p->count);
    uint64_t from = m->o->steady + step * TRANSPLANT_STEP, end = m->o->steady + m->o->length;
    struct weights weights = weights_mixed(&m->o->weights, seed);
    weights.held = weights.preempt = 0; /* rarely the reason, and many */
    weights.favours = round % 2;
    weights.favoured = m->violation.node;
    struct walk *walk = walk_new(world_network(m->world), &weights, seed, NULL, from);
    world_back(m->world, p->moments[step]);
    m->work->runs++;
    struct violation v = world_run(m->world, walk_driver(walk), from + SHORT_LENGTH < end ? from + SHORT_LENGTH : end);
    if (violation_same(&v, &m->violation))
        minimise_consider(m, &v, walk_trace(walk));
    walk_free(walk);
}

static void minimise_walk_briefly(struct minimiser *m, const struct plain_run *p)
{
    unsigned rounds = p->count && m->m->rewalks ? SHORT_ROUNDS / network_count(world_network(m->world)) : 0;
    for (unsigned round = 0; round < rounds && m->best.count > TRANSPLANT_ENOUGH && !minimise_stops(m); round++)
        minimise_walk_shortly(m, p, round);
}

/* What begins in the middle of the plain run needs none of the choices before. */
static void minimise_from_plain(struct minimiser *m)
{
    struct plain_run p = {.count = 0};
    if (m->best.count <= TRANSPLANT_ENOUGH)
        return;
    plain_run_make(m, m->o->length, TRANSPLANT_STEP, &p);
    minimise_transplant(m, &p);
    minimise_walk_briefly(m, &p);
    plain_run_free(&p);
}

/* ---- one alone ---- */

enum { LONE_TIMES = 8, LONE_RUNS = 100, LONE_LONGER = 16 };
#define LONE_STEP  UINT64_C(450000000)  /* nanoseconds between the times that are tried */
#define LONE_AFTER UINT64_C(1500000000) /* nanoseconds that the violation may take after it */

/* One choice like that on a node; a channel is busy for longer than usual. */
static bool lone_try(struct minimiser *m, const struct choice *like, uint32_t node, uint64_t at)
{
    struct trace t = {.list = NULL}, taken = {.list = NULL};
    struct choice c = {
        .source = like->source, .node = node, .other = like->other, .ordinal = at, .outcome = 1, .at = at};
    uint64_t end = m->o->steady + m->o->length, until = at + LONE_AFTER;
    if (world_leaves_out(m->world, node))
        return false;
    if (c.source == CHOICE_BUSY) {
        c.outcome =
            m->o->weights.busy_for < UINT32_MAX / LONE_LONGER ? LONE_LONGER * m->o->weights.busy_for : UINT32_MAX;
        until += UINT64_C(1000) * c.outcome;
    }
    trace_add(&t, &c);
    m->work->runs++;
    struct violation v = search_replay(m->world, m->o, &t, until < end ? until : end, &taken);
    bool good = violation_same(&v, &m->violation);
    if (good)
        minimise_accept(m, &v, &taken);
    trace_free(&taken);
    trace_free(&t);
    return good;
}

static bool lone_has(const struct minimiser *m, const struct choice *like)
{
    for (size_t i = 0; i < m->best.count; i++)
        if (m->best.list[i].source == like->source &&
            (like->source != CHOICE_BUSY || m->best.list[i].other == like->other))
            return true;
    return false;
}

/* Of many choices with times of their own, one alone may do: soon after the steady state, on any node. */
static void minimise_lone(struct minimiser *m)
{
    static const struct choice likes[] = {{.source = CHOICE_BUSY, .other = BUSY_LOUD},
                                          {.source = CHOICE_BUSY, .other = BUSY_FAINT},
                                          {.source = CHOICE_POWER},
                                          {.source = CHOICE_RESET}};
    const struct network *n = world_network(m->world);
    unsigned runs = 0;
    for (size_t s = 0; s < sizeof likes / sizeof *likes; s++)
        for (unsigned i = 0; m->m->rewalks && lone_has(m, &likes[s]) && i < LONE_TIMES; i++)
            for (uint32_t k = 0; k < network_count(n) && runs < LONE_RUNS && !minimise_stops(m); k++, runs++)
                if (m->best.count < 2 ||
                    lone_try(m, &likes[s], network_node(n, k)->id, m->o->steady + (i + 1) * LONE_STEP))
                    return;
}

/* ---- one interrupt at its site ---- */

enum { AIM_LIKE = 3, AIM_STARTS = 6, AIM_TRIES = 30, AIM_ALL = 1500 };
#define AIM_STEP UINT64_C(700000000)   /* nanoseconds between the times at which a node starts anew */
#define AIM_SPAN UINT64_C(10000000000) /* nanoseconds of a run in which occasions are looked for */

/* One occasion after another, with the choices that lead there. */
static bool aim_try(struct minimiser *m, const struct trace *before, const struct choice *like, uint32_t node)
{
    struct trace occasions = {.list = NULL};
    uint64_t end = m->o->steady + m->o->length, until = m->o->steady + AIM_SPAN < end ? m->o->steady + AIM_SPAN : end;
    uint64_t takes = m->violation.at - like->at + MINIMISE_SLACK;
    bool good = false;
    aim_find(m->world, m->o, before, like, node, until, &occasions);
    for (size_t i = 0; i < occasions.count && i < AIM_TRIES && !good && !minimise_stops(m); i++) {
        struct trace t = {.list = NULL}, taken = {.list = NULL};
        trace_copy(&t, before->list, before->count);
        trace_add(&t, &occasions.list[i]);
        m->work->runs++;
        struct violation v = search_replay(m->world, m->o, &t, occasions.list[i].at + takes, &taken);
        good = violation_same(&v, &m->violation);
        if (good)
            minimise_accept(m, &v, &taken);
        trace_free(&taken);
        trace_free(&t);
    }
    trace_free(&occasions);
    return good;
}

/* In the plain run, and in those in which one node starts anew, so that its clock has another phase. */
static bool aim_all(struct minimiser *m, const struct choice *like)
{
    const struct network *n = world_network(m->world);
    uint64_t limit = m->work->runs + AIM_ALL;
    for (uint32_t start = 0; start <= AIM_STARTS * network_count(n); start++) {
        struct trace before = {.list = NULL};
        bool good = false;
        if (start) {
            uint64_t at = m->o->steady + (1 + (start - 1) / network_count(n)) * AIM_STEP;
            struct choice c = {.source = CHOICE_POWER, .ordinal = at, .outcome = 1, .at = at};
            c.node = network_node(n, (start - 1) % network_count(n))->id;
            trace_add(&before, &c);
        }
        for (uint32_t i = 0; i < network_count(n) && !good && m->work->runs < limit && !minimise_stops(m); i++)
            good = aim_try(m, &before, like, network_node(n, i)->id);
        trace_free(&before);
        if (good)
            return true;
    }
    return false;
}

/* Many choices may only have brought about the moment at which one interrupt came where it should not: one of the last
 * is tried at the same place at all moments of other runs. */
static void minimise_aim(struct minimiser *m)
{
    struct choice likes[AIM_LIKE];
    unsigned count = 0;
    for (size_t i = m->best.count; m->m->rewalks && m->best.count > MINIMISE_LONG && i-- > 0 && count < AIM_LIKE;)
        if (m->best.list[i].source == CHOICE_PREEMPT)
            likes[count++] = m->best.list[i];
    for (unsigned i = 0; i < count && !minimise_stops(m); i++)
        if (aim_all(m, &likes[i]))
            return;
}

/* ---- amounts ---- */

static void minimise_amount(struct minimiser *m, size_t number)
{
    enum choice_source source = m->best.list[number].source;
    bool is_amount = source == CHOICE_HOLD || source == CHOICE_BUSY || source == CHOICE_BOOT;
    while (is_amount && number < m->best.count && m->best.list[number].outcome > 1 && !minimise_stops(m)) {
        struct trace t = {.list = NULL};
        trace_copy(&t, m->best.list, m->best.count);
        t.list[number].outcome /= 2;
        bool good = minimise_try(m, &t);
        trace_free(&t);
        if (!good)
            break;
    }
}

static void minimise_amounts(struct minimiser *m)
{
    for (size_t i = 0; i < m->best.count; i++)
        minimise_amount(m, i);
    minimise_drop(m);
}

static void minimise_list_left_out(const struct minimiser *m)
{
    const struct network *n = world_network(m->world);
    for (uint32_t i = 0; i < network_count(n); i++) {
        struct choice c = {.source = CHOICE_BOOT, .node = network_node(n, i)->id, .outcome = CHOICE_LEFT_OUT};
        if (world_leaves_out(m->world, c.node))
            trace_add(&m->work->left_out, &c);
    }
}

void minimise(struct world *w, const struct search_options *o, const struct minimise_options *options, struct trace *t,
              struct violation *v, struct minimise_work *work)
{
    struct minimiser m = {w, o, options, {.list = NULL}, *v, 0, MINIMISE_SLACK, work};
    *work = (struct minimise_work){.before = t->count};
    minimise_accept(&m, v, t);
    minimise_nodes(&m);
    minimise_drop_all(&m);
    minimise_lone(&m);
    minimise_aim(&m);
    minimise_from_plain(&m);
    minimise_other_walks(&m);
    minimise_rewalk_all(&m);
    minimise_span(&m);
    minimise_hasten(&m);
    minimise_amounts(&m);
    minimise_list_left_out(&m);
    trace_free(t);
    *t = m.best;
    *v = m.violation;
}
