#include "check/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MINIMISE_SLACK UINT64_C(500000000) /* nanoseconds: so much later the violation may come */

struct minimiser {
    struct world *world;
    const struct search_options *o;
    const struct minimise_options *m;
    struct trace best;
    struct violation violation;
    struct minimise_work *work;
};

static bool minimise_stops(const struct minimiser *m)
{
    return m->m->stop && m->m->stop(m->m->context);
}

/* What was chosen after the violation has no part in it. */
static void minimise_accept(struct minimiser *m, const struct violation *v, const struct trace *taken)
{
    m->violation = *v;
    m->best.count = 0;
    for (size_t i = 0; i < taken->count; i++)
        if (taken->list[i].at <= v->at)
            trace_add(&m->best, &taken->list[i]);
}

/* Whether these choices still lead to the violation; then they are the best so far, without those that had no effect.
 */
static bool minimise_try(struct minimiser *m, const struct trace *t)
{
    struct trace taken = {.list = NULL};
    uint64_t end = m->o->steady + m->o->length, until = m->violation.at + MINIMISE_SLACK;
    m->work->runs++;
    struct violation v = search_replay(m->world, m->o, t, until < end ? until : end, &taken);
    bool same = violation_same(&v, &m->violation);
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

static void minimise_drop_all(struct minimiser *m)
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
    w.lost *= factor, w.damaged *= factor, w.held *= factor * 0.2, w.preempt *= factor;
    w.busy *= factor, w.reset *= factor, w.power *= factor, w.death *= factor;
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

static void minimise_rewalk_all(struct minimiser *m)
{
    for (unsigned round = 0; round < m->m->rewalks && m->best.count > 1 && !minimise_stops(m); round++)
        minimise_rewalk(m, (size_t)(search_seed(m->o, ~(uint64_t)round) >> 33) % m->best.count, round);
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

void minimise(struct world *w, const struct search_options *o, const struct minimise_options *options, struct trace *t,
              struct violation *v, struct minimise_work *work)
{
    struct minimiser m = {w, o, options, {.list = NULL}, *v, work};
    *work = (struct minimise_work){.before = t->count};
    minimise_accept(&m, v, t);
    minimise_drop_all(&m);
    minimise_rewalk_all(&m);
    minimise_amounts(&m);
    trace_free(t);
    *t = m.best;
    *v = m.violation;
}
