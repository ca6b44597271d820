#include "api/retold.h"

#include <stdlib.h>

#include "network/network.h"
#include "node/node.h"

struct retold {
    struct story *story;
    struct subject inner;
};

struct retold_state {
    void (*release)(void *snapshot);
    uint64_t (*done)(const void *snapshot, uint32_t node);
    void (*pack)(const void *snapshot, struct pack *p);
    void *inner;
    uint64_t time;
    size_t next;
};

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static void retold_position(const void *context, struct position *p)
{
    const struct retold *r = context;
    r->inner.position(r->inner.context, p);
}

static uint64_t now_of(const struct retold *r)
{
    struct position p = {.inputs = 0};
    retold_position(r, &p);
    return p.now;
}

/* Does what is due. A node alone is settled again behind it. */
static void retold_act(struct retold *r)
{
    struct error ignored = {""};
    r->story->time = story_due(r->story);
    if (r->inner.yield)
        r->inner.yield(r->inner.context);
    story_act(r->story, &ignored); /* what makes no sense is told by motet_recording_verify */
    if (r->story->node)
        node_settle(r->story->node->node, r->story->node->node->state->now);
}

static void tell_cuts(struct retold *r)
{
    const struct journal *j = &r->story->journal;
    for (size_t i = r->story->next; i < j->count && r->inner.expect; i++)
        r->inner.expect(r->inner.context, j->entries[i].at);
}

static struct meeting retold_advance(void *context, const struct reach *reach)
{
    struct retold *r = context;
    for (;;) {
        uint64_t due = story_due(r->story);
        struct reach part = *reach;
        if (due != UINT64_MAX && now_of(r) >= due) {
            retold_act(r);
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
            retold_act(r);
        if (m.what != MET_NOTHING || !before_it || !acts)
            return m;
    }
}

static bool retold_at_stop(const void *context)
{
    const struct retold *r = context;
    return r->inner.at_stop(r->inner.context);
}

static bool retold_takes(const void *context, uint32_t node)
{
    const struct retold *r = context;
    return r->inner.takes(r->inner.context, node);
}

static void retold_expect(void *context, uint64_t tick)
{
    struct retold *r = context;
    if (r->inner.expect)
        r->inner.expect(r->inner.context, tick);
}

static void retold_yield(void *context)
{
    struct retold *r = context;
    r->inner.yield(r->inner.context);
}

static void retold_heed(void *context)
{
    struct retold *r = context;
    r->inner.heed(r->inner.context);
}

static void retold_look(const void *context, uint32_t node, struct subject_node *l)
{
    const struct retold *r = context;
    r->inner.look(r->inner.context, node, l);
}

/* ---- state ---- */

static struct retold_state *retold_state_of(const struct retold *r, void *inner, uint64_t time, size_t next)
{
    struct retold_state *s = must(malloc(sizeof *s));
    *s = (struct retold_state){r->inner.release, r->inner.done, r->inner.pack, inner, time, next};
    return s;
}

static void *retold_take(const void *context)
{
    const struct retold *r = context;
    return retold_state_of(r, r->inner.take(r->inner.context), r->story->time, r->story->next);
}

static void retold_restore(void *context, const void *snapshot)
{
    struct retold *r = context;
    const struct retold_state *s = snapshot;
    r->inner.restore(r->inner.context, s->inner);
    story_moved(r->story, s->time, s->next);
}

static void retold_give(void *context, const struct input *i)
{
    struct retold *r = context;
    if (i->kind == INPUT_STATE)
        retold_restore(r, i->state);
    else
        r->inner.give(r->inner.context, i);
}

static void retold_release(void *snapshot)
{
    struct retold_state *s = snapshot;
    s->release(s->inner);
    free(s);
}

static uint64_t retold_done(const void *snapshot, uint32_t node)
{
    const struct retold_state *s = snapshot;
    return s->done(s->inner, node);
}

static size_t retold_cost(const void *context)
{
    const struct retold *r = context;
    return r->inner.cost(r->inner.context);
}

static struct digest retold_digest(const void *context)
{
    const struct retold *r = context;
    return r->inner.digest(r->inner.context);
}

static void retold_pack_state(const void *snapshot, struct pack *p)
{
    const struct retold_state *s = snapshot;
    pack_number(p, s->time, 8);
    pack_number(p, s->next, 8);
    s->pack(s->inner, p);
}

static void *unpack_state(const void *context, struct unpack *u)
{
    const struct retold *r = context;
    uint64_t time = unpack_number(u, 8);
    size_t next = (size_t)unpack_number(u, 8);
    void *inner = r->inner.unpack(r->inner.context, u);
    return inner ? retold_state_of(r, inner, time, next) : NULL;
}

static void retold_forget(void *context)
{
    const struct retold *r = context;
    r->inner.forget(r->inner.context);
}

static void retold_end(void *context)
{
    struct retold *r = context;
    if (r->inner.end)
        r->inner.end(r->inner.context);
    free(r);
}

/* ---- the marks of a recording ---- */

struct lender {
    motet_recording *recording;
    struct retold *retold;
};

static void *lend(void *context, size_t mark)
{
    const struct lender *l = context;
    const struct mark *m = &l->recording->marks[mark];
    void *state = recording_state(l->recording, mark);
    if (state && l->recording->story.network)
        state = subject_state_of_network(&l->retold->inner, state, m->time);
    return state ? retold_state_of(l->retold, state, m->time, m->entries) : NULL;
}

struct subject subject_of_recording(motet_recording *r)
{
    struct subject s = subject_of_story(&r->story);
    for (size_t i = 0; i < r->mark_count && s.expect && !r->reason; i++)
        s.expect(s.context, r->marks[i].time);
    return s;
}

void recording_lend(motet_recording *r, struct timeline *t, void *retold)
{
    bool network = r->story.network != NULL;
    r->lender = must(realloc(r->lender, sizeof *r->lender));
    *r->lender = (struct lender){r, retold};
    for (size_t i = 0; i < r->mark_count && !r->reason; i++) {
        const struct mark *m = &r->marks[i];
        struct position at = {.now = network ? m->time : m->now,
                              .phase = network ? PHASE_WAITING : (enum phase)m->phase,
                              .instructions = network ? 0 : m->instructions};
        const struct journal *j = &r->story.journal;
        bool unfinished = m->entries < j->count && j->entries[m->entries].at <= m->time; /* more was done just then */
        if (m->size && !unfinished)
            timeline_adopt(t, at, lend, r->lender, i);
    }
}

struct subject subject_of_story(struct story *s)
{
    struct retold *r = must(calloc(1, sizeof *r));
    r->story = s;
    r->inner = s->network ? subject_of_network(network_of(s->network)) : subject_of_node(s->node->node);
    tell_cuts(r);
    return (struct subject){
        .context = r,
        .nodes = r->inner.nodes,
        .hz = r->inner.hz,
        .position = retold_position,
        .advance = retold_advance,
        .at_stop = retold_at_stop,
        .give = retold_give,
        .takes = retold_takes,
        .expect = r->inner.expect ? retold_expect : NULL,
        .yield = r->inner.yield ? retold_yield : NULL,
        .heed = r->inner.heed ? retold_heed : NULL,
        .forget = r->inner.forget ? retold_forget : NULL,
        .look = retold_look,
        .take = retold_take,
        .restore = retold_restore,
        .release = retold_release,
        .done = retold_done,
        .cost = retold_cost,
        .digest = retold_digest,
        .pack = retold_pack_state,
        .unpack = unpack_state,
        .end = retold_end,
    };
}
