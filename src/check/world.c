#include "check/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/taps.h"

enum { STEADY_STATES = 24 }; /* kept, by the delays that led there */

struct moment {
    struct network_snapshot *network;
    struct properties_state *properties; /* or NULL */
    void *vigil;                         /* or NULL */
    uint64_t now;
    size_t given;
};

struct steady {
    struct moment *moment;
    struct choices delays;
    uint64_t until;
    struct violation violation;
};

struct world {
    struct check_subject subject;
    struct moment *start;
    struct steady steady[STEADY_STATES];
    unsigned oldest;
    struct motet_tap **hooks; /* by node */
    struct choices absent;    /* nodes that are left out */
    struct violation found;   /* by a hook, in this run */
    struct vigil *vigil;      /* or NULL */
    void *attached;           /* or NULL */
    void (*release)(void *attached);
};

bool violation_same(const struct violation *a, const struct violation *b)
{
    return a->kind == b->kind && a->detail == b->detail && a->pc == b->pc;
}

/* ---- moments ---- */

struct moment *world_keep(struct world *w)
{
    struct moment *m = memory_new(sizeof *m);
    m->network = network_snapshot(w->subject.network);
    m->now = network_now(w->subject.network);
    m->given = w->subject.given(w->subject.context);
    m->properties = w->subject.properties ? properties_keep(w->subject.properties) : NULL;
    m->vigil = w->vigil ? vigil_keep(w->vigil) : NULL;
    return m;
}

void world_back(struct world *w, const struct moment *m)
{
    network_restore(w->subject.network, m->network);
    w->subject.moved(w->subject.context, m->now, m->given);
    if (m->properties)
        properties_back(w->subject.properties, m->properties);
    if (m->vigil)
        vigil_back(w->vigil, m->vigil);
}

void moment_free(struct moment *m)
{
    if (!m)
        return;
    network_snapshot_free(m->network);
    properties_state_free(m->properties);
    free(m->vigil);
    free(m);
}

/* ---- what went wrong ---- */

static void world_found(struct world *w, const struct violation *v)
{
    if (w->found.kind == VIOLATION_NONE || v->at < w->found.at)
        w->found = *v;
}

/* A watchdog may be how a firmware restarts itself on purpose; it is reported all the same. */
static void world_was_reset(void *context, const motet_node *handle, const struct motet_happened *h)
{
    struct world *w = context;
    uint32_t number;
    (void)handle;
    if (strcmp(h->reset, "watchdog") != 0)
        return;
    for (number = 0; number < network_count(w->subject.network); number++)
        if (network_node(w->subject.network, number)->handle == handle)
            break;
    struct node *n = network_node(w->subject.network, number);
    struct violation v = {
        .kind = VIOLATION_WATCHDOG, .node = n->id, .at = network_time(w->subject.network, number, h->tick)};
    world_found(w, &v);
    n->cut = n->stopped = n->asked = true;
}

static void world_look_at(struct world *w, uint32_t number)
{
    const struct node *n = network_node(w->subject.network, number);
    struct violation v = {.node = n->id};
    if (n->state->exit == NODE_EXIT_FAULT)
        v = (struct violation){VIOLATION_FAULT, n->id, n->fault.tick, n->fault.kind, n->fault.pc};
    else if (n->state->exit == NODE_EXIT_FIRMWARE && n->state->exit_status)
        v = (struct violation){VIOLATION_STATUS, n->id, n->state->now, n->state->exit_status, 0};
    if (v.kind == VIOLATION_NONE)
        return;
    v.at = network_time(w->subject.network, number, v.at);
    world_found(w, &v);
}

static void world_look(struct world *w)
{
    for (uint32_t i = 0; i < network_count(w->subject.network); i++)
        world_look_at(w, i);
}

void violation_of_property(const struct network *n, const struct property_found *f, struct violation *v)
{
    *v = (struct violation){
        .kind = VIOLATION_PROPERTY, .node = network_node(n, f->node)->id, .at = f->at, .detail = (uint32_t)f->property};
}

struct violation violation_of_vigil(const struct network *n, enum vigil_finding found, uint32_t node)
{
    static const enum violation_kind kinds[] = {VIOLATION_NONE, VIOLATION_AWAKE, VIOLATION_UNREAD};
    if (found == VIGIL_NOTHING)
        return (struct violation){VIOLATION_NONE, 0, 0, 0, 0};
    return (struct violation){.kind = kinds[found], .node = network_node(n, node)->id, .at = network_now(n)};
}

static void world_keep_vigil(struct world *w)
{
    uint32_t node = 0;
    if (!w->vigil)
        return;
    struct violation v = violation_of_vigil(w->subject.network, vigil_look(w->vigil, &node), node);
    if (v.kind != VIOLATION_NONE)
        world_found(w, &v);
}

static void world_judge(struct world *w)
{
    struct property_found f;
    struct violation v;
    if (!w->subject.properties)
        return;
    properties_judge(w->subject.properties);
    if (!properties_found(w->subject.properties, &f))
        return;
    violation_of_property(w->subject.network, &f, &v);
    world_found(w, &v);
}

/* ---- life ---- */

struct world *world_new(const struct check_subject *s)
{
    struct world *w = memory_new(sizeof *w);
    w->subject = *s;
    w->vigil = s->stuck ? vigil_new(s->network, s->stuck) : NULL;
    w->start = world_keep(w);
    w->hooks = memory_array(network_count(s->network), sizeof *w->hooks);
    for (uint32_t i = 0; i < network_count(s->network); i++)
        w->hooks[i] = tap_hook(network_node(s->network, i), MOTET_ON(RESET), world_was_reset, w);
    return w;
}

void world_free(struct world *w)
{
    if (!w)
        return;
    if (w->attached)
        w->release(w->attached);
    for (uint32_t i = 0; i < network_count(w->subject.network); i++)
        tap_remove(w->hooks[i]);
    for (unsigned i = 0; i < STEADY_STATES; i++) {
        moment_free(w->steady[i].moment);
        choices_free(&w->steady[i].delays);
    }
    moment_free(w->start);
    choices_free(&w->absent);
    vigil_free(w->vigil);
    free(w->hooks);
    free(w);
}

struct network *world_network(const struct world *w)
{
    return w->subject.network;
}

struct properties *world_properties(const struct world *w)
{
    return w->subject.properties;
}

void world_attach(struct world *w, void *what, void (*release)(void *what))
{
    w->attached = what;
    w->release = release;
}

void *world_attached(const struct world *w)
{
    return w->attached;
}

/* ---- running ---- */

bool world_leaves_out(const struct world *w, uint32_t node)
{
    return choices_find(&w->absent, &(struct choice){.source = CHOICE_BOOT, .node = node}) != NULL;
}

static uint64_t world_next(const struct world *w, const struct driver *d, uint64_t until)
{
    uint64_t due = w->subject.due(w->subject.context), next = d->next ? d->next(d->chooser.context) : NEVER;
    next = next < due ? next : due;
    next = w->vigil && vigil_next(w->vigil) < next ? vigil_next(w->vigil) : next;
    return next < until ? next : until;
}

static void world_act(struct world *w, const struct driver *d)
{
    struct network *n = w->subject.network;
    if (w->subject.due(w->subject.context) <= network_now(n))
        w->subject.act(w->subject.context);
    while (d->next && d->next(d->chooser.context) <= network_now(n)) {
        const struct choice *c = d->take(d->chooser.context);
        if (!world_leaves_out(w, c->node))
            network_do(n, c);
    }
}

struct violation world_run(struct world *w, const struct driver *d, uint64_t until)
{
    struct network *n = w->subject.network;
    w->found = (struct violation){VIOLATION_NONE, 0, 0, 0, 0};
    network_choose(n, d->chooser.choose ? &d->chooser : NULL);
    world_act(w, d);
    while (network_now(n) < until && w->found.kind == VIOLATION_NONE) {
        uint64_t next = world_next(w, d, until);
        while (network_now(n) < next && w->found.kind == VIOLATION_NONE) {
            if (network_run(n, next) == NETWORK_ENDED)
                world_look(w);
            world_judge(w);
        }
        world_keep_vigil(w);
        if (w->found.kind == VIOLATION_NONE)
            world_act(w, d);
    }
    network_choose(n, NULL);
    return w->found;
}

/* ---- steady states ---- */

void world_leave_out(struct world *w, const struct choice *nodes, size_t count)
{
    choices_free(&w->absent);
    for (size_t i = 0; i < count; i++)
        choices_set(&w->absent, &nodes[i]);
}

static struct choices world_delays(const struct world *w, const struct choice *choices, size_t count)
{
    struct choices delays = {.list = NULL};
    for (size_t i = 0; i < count; i++)
        if (choices[i].source == CHOICE_BOOT && choices[i].outcome)
            choices_set(&delays, &choices[i]);
    for (size_t i = 0; i < w->absent.count; i++)
        choices_set(&delays, &w->absent.list[i]);
    return delays;
}

static bool world_same_delays(const struct choices *a, const struct choices *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = choices_compare(&a->list[i], &b->list[i]) == 0 && a->list[i].outcome == b->list[i].outcome;
    return same;
}

static struct steady *world_find_steady(struct world *w, const struct choices *delays, uint64_t until)
{
    for (unsigned i = 0; i < STEADY_STATES; i++)
        if (w->steady[i].moment && w->steady[i].until == until && world_same_delays(&w->steady[i].delays, delays))
            return &w->steady[i];
    return NULL;
}

static struct steady *world_make_steady(struct world *w, const struct choices *delays, uint64_t until)
{
    struct steady *s = &w->steady[w->oldest++ % STEADY_STATES];
    moment_free(s->moment);
    choices_free(&s->delays);
    world_back(w, w->start);
    for (size_t i = 0; i < delays->count; i++)
        network_do(w->subject.network, &delays->list[i]);
    s->violation = world_run(w, &(struct driver){.next = NULL}, until);
    s->moment = world_keep(w);
    s->until = until;
    s->delays = *delays;
    return s;
}

void world_alter(struct world *w, const struct choice *choices, size_t count)
{
    if (w->subject.alter)
        w->subject.alter(w->subject.context, choices, count);
}

bool world_settle(struct world *w, const struct choice *choices, size_t count, uint64_t until, struct violation *v)
{
    struct choices delays = world_delays(w, choices, count);
    const struct steady *s = world_find_steady(w, &delays, until);
    world_alter(w, choices, count);
    if (s) {
        choices_free(&delays);
        world_back(w, s->moment);
    } else {
        s = world_make_steady(w, &delays, until);
    }
    *v = s->violation;
    return v->kind == VIOLATION_NONE;
}
