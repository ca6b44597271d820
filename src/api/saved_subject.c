#include "api/saved_subject.h"

#include <stdlib.h>

#include "base/memory.h"
#include "network/network.h"

struct saved_subject {
    struct saved_nodes *saved;
    struct subject inner;
};

struct saved_subject_state {
    void (*release)(void *snapshot);
    uint64_t (*done)(const void *snapshot, uint32_t node);
    void (*pack)(const void *snapshot, struct pack *p);
    void *inner;
    uint64_t time;
    size_t next;
};

static void saved_subject_position(const void *context, struct position *p)
{
    const struct saved_subject *r = context;
    r->inner.position(r->inner.context, p);
}

static uint64_t now_of(const struct saved_subject *r)
{
    struct position p = {.inputs = 0};
    saved_subject_position(r, &p);
    return p.now;
}

/* Does what is due. */
static void saved_subject_act(struct saved_subject *r)
{
    struct motet_error ignored = {""};
    r->saved->time = saved_nodes_due(r->saved);
    r->inner.yield(r->inner.context);
    saved_nodes_act(r->saved, &ignored); /* invalid inputs are reported by motet_saved_run_verify */
}

static void tell_cuts(struct saved_subject *r)
{
    const struct saved_inputs *j = &r->saved->inputs;
    for (size_t i = r->saved->next; i < j->count; i++)
        r->inner.expect(r->inner.context, j->entries[i].at);
}

static struct meeting saved_subject_advance(void *context, const struct reach *reach)
{
    struct saved_subject *r = context;
    for (;;) {
        uint64_t due = saved_nodes_due(r->saved);
        struct reach part = *reach;
        if (due != UINT64_MAX && now_of(r) >= due) {
            saved_subject_act(r);
            continue;
        }
        bool before_it = due != UINT64_MAX && (part.tick > due || (part.tick == due && part.ready));
        if (before_it) {
            part.tick = due;
            part.ready = false;
        }
        struct meeting m = r->inner.advance(r->inner.context, &part);
        bool acts = due != UINT64_MAX && now_of(r) >= due;
        if (acts)
            saved_subject_act(r);
        if (m.what != MET_NOTHING || !before_it || !acts)
            return m;
    }
}

static bool saved_subject_at_stop(const void *context)
{
    const struct saved_subject *r = context;
    return r->inner.at_stop(r->inner.context);
}

static bool saved_subject_takes(const void *context, uint32_t node)
{
    const struct saved_subject *r = context;
    return r->inner.takes(r->inner.context, node);
}

static void saved_subject_expect(void *context, uint64_t tick)
{
    struct saved_subject *r = context;
    r->inner.expect(r->inner.context, tick);
}

static void saved_subject_yield(void *context)
{
    struct saved_subject *r = context;
    r->inner.yield(r->inner.context);
}

static void saved_subject_heed(void *context)
{
    struct saved_subject *r = context;
    r->inner.heed(r->inner.context);
}

static void saved_subject_look(const void *context, uint32_t node, struct subject_node *l)
{
    const struct saved_subject *r = context;
    r->inner.look(r->inner.context, node, l);
}

/* ---- state ---- */

static struct saved_subject_state *saved_subject_state_of(const struct saved_subject *r, void *inner, uint64_t time,
                                                          size_t next)
{
    struct saved_subject_state *s = memory_bytes(sizeof *s);
    *s = (struct saved_subject_state){r->inner.release, r->inner.done, r->inner.pack, inner, time, next};
    return s;
}

static void *saved_subject_take(const void *context)
{
    const struct saved_subject *r = context;
    return saved_subject_state_of(r, r->inner.take(r->inner.context), r->saved->time, r->saved->next);
}

static void saved_subject_restore(void *context, const void *snapshot)
{
    struct saved_subject *r = context;
    const struct saved_subject_state *s = snapshot;
    r->inner.restore(r->inner.context, s->inner);
    saved_nodes_moved(r->saved, s->time, s->next);
}

static void saved_subject_give(void *context, const struct input *i)
{
    struct saved_subject *r = context;
    if (i->kind == INPUT_STATE)
        saved_subject_restore(r, i->state);
    else
        r->inner.give(r->inner.context, i);
}

static void saved_subject_release(void *snapshot)
{
    struct saved_subject_state *s = snapshot;
    s->release(s->inner);
    free(s);
}

static uint64_t saved_subject_done(const void *snapshot, uint32_t node)
{
    const struct saved_subject_state *s = snapshot;
    return s->done(s->inner, node);
}

static size_t saved_subject_cost(const void *context)
{
    const struct saved_subject *r = context;
    return r->inner.cost(r->inner.context);
}

static struct digest saved_subject_digest(const void *context)
{
    const struct saved_subject *r = context;
    return r->inner.digest(r->inner.context);
}

static void saved_subject_pack_state(const void *snapshot, struct pack *p)
{
    const struct saved_subject_state *s = snapshot;
    pack_number(p, s->time, 8);
    pack_number(p, s->next, 8);
    s->pack(s->inner, p);
}

static void *unpack_state(const void *context, struct unpack *u)
{
    const struct saved_subject *r = context;
    uint64_t time = unpack_number(u, 8);
    size_t next = (size_t)unpack_number(u, 8);
    void *inner = r->inner.unpack(r->inner.context, u);
    return inner ? saved_subject_state_of(r, inner, time, next) : NULL;
}

static void saved_subject_forget(void *context)
{
    const struct saved_subject *r = context;
    r->inner.forget(r->inner.context);
}

static void saved_subject_end(void *context)
{
    struct saved_subject *r = context;
    r->inner.end(r->inner.context);
    free(r);
}

/* ---- the moments of a saved run ---- */

struct lender {
    motet_saved_run *run;
    struct saved_subject *subject;
};

static void *lend(void *context, size_t moment)
{
    const struct lender *l = context;
    const struct saved_moment *m = &l->run->moments[moment];
    struct network_snapshot *network = saved_run_state(l->run, moment);
    if (!network)
        return NULL;
    void *state = subject_state_of_network(&l->subject->inner, network, m->time);
    return saved_subject_state_of(l->subject, state, m->time, m->entries);
}

struct subject subject_of_saved_run(motet_saved_run *r)
{
    struct subject s = subject_of_saved_nodes(&r->saved);
    for (size_t i = 0; i < r->moment_count && !r->reason; i++)
        s.expect(s.context, r->moments[i].time);
    return s;
}

void saved_run_lend(motet_saved_run *r, struct timeline *t, void *subject)
{
    r->lender = memory_resize(r->lender, 1, sizeof *r->lender);
    *r->lender = (struct lender){r, subject};
    for (size_t i = 0; i < r->moment_count && !r->reason; i++) {
        const struct saved_moment *m = &r->moments[i];
        struct position at = {.now = m->time, .phase = PHASE_WAITING};
        const struct saved_inputs *j = &r->saved.inputs;
        bool unfinished = m->entries < j->count && j->entries[m->entries].at <= m->time; /* more was done just then */
        if (m->size && !unfinished)
            timeline_adopt(t, at, lend, r->lender, i);
    }
}

struct subject subject_of_saved_nodes(struct saved_nodes *s)
{
    struct saved_subject *r = memory_new(sizeof *r);
    r->saved = s;
    r->inner = subject_of_network(network_of(s->network));
    tell_cuts(r);
    return (struct subject){
        .context = r,
        .nodes = r->inner.nodes,
        .hz = r->inner.hz,
        .position = saved_subject_position,
        .advance = saved_subject_advance,
        .at_stop = saved_subject_at_stop,
        .give = saved_subject_give,
        .takes = saved_subject_takes,
        .expect = saved_subject_expect,
        .yield = saved_subject_yield,
        .heed = saved_subject_heed,
        .forget = saved_subject_forget,
        .look = saved_subject_look,
        .take = saved_subject_take,
        .restore = saved_subject_restore,
        .release = saved_subject_release,
        .done = saved_subject_done,
        .cost = saved_subject_cost,
        .digest = saved_subject_digest,
        .pack = saved_subject_pack_state,
        .unpack = unpack_state,
        .end = saved_subject_end,
    };
}
