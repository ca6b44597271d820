/* A network as a subject.
 *
 * At a position every node has done exactly what begins before it and nothing else; the one whose instruction comes
 * next is ready for it. Windows (network/network.h) are those of a run without stops: stopping inside one leaves it
 * open. Nodes do not know of each other inside a window, so those that may meet something are run ahead, alone; the
 * earliest of what they meet is where all others are then brought, and those that went too far are put back and run
 * again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/stops.h"
#include "timeline/subject.h"

struct network_subject {
    struct network *network;
    uint32_t count;
    struct position here;
    bool unseen;    /* the stop at the next instruction, if it has one: something else was met first */
    uint64_t *cuts; /* when others act on the network, ascending */
    size_t cut_count, cut_room;
    struct message_history *history; /* by all nodes, up to `known`: everything up to there was executed */
    uint64_t known, since;           /* since: where the present run began */
    bool full;                       /* no more is kept */
    bool searches;                   /* the present run is a search, */
    uint64_t known_until;            /* up to here of what is known already; or 0 */
    bool *exited;                    /* by node, when advance was called */
    uint32_t *armed, *led;           /* nodes: those that may meet something; the rest of those that are to run */
    struct meeting *met;             /* by place in `armed` */
    uint64_t *began;                 /* likewise: when the instruction begins at which it was met */
    size_t armed_count, led_count;
    uint64_t tick;   /* where nodes are being run to: this, */
    uint32_t before; /* and for nodes with lower numbers after it */
    const struct reach *reach;
};

struct subject_state {
    struct network_snapshot *network;
    uint32_t count;
    struct position here;
    bool unseen;
};

static struct node *subject_node_of(const struct network_subject *x, uint32_t i)
{
    return network_node(x->network, i);
}

static uint64_t subject_time_of(const struct network_subject *x, uint32_t i)
{
    return network_time(x->network, i, subject_node_of(x, i)->state->now);
}

/* The tick to which a node runs so that it has done everything before the common position. */
static uint64_t bound(const struct network_subject *x, uint32_t i)
{
    return network_tick(x->network, i, x->tick + (i < x->before));
}

static bool has_power(const struct network_subject *x, uint32_t i)
{
    return network_tick(x->network, i, 0) != NEVER;
}

/* ---- running nodes inside a window ---- */

static void subject_follow(struct network_subject *x, uint32_t i)
{
    struct node *n = subject_node_of(x, i);
    uint64_t until = bound(x, i);
    if (until != NEVER) {
        subject_node_arm(n, UINT64_MAX, true);
        node_run(n, until);
    }
}

static void follow_item(void *context, size_t item)
{
    struct network_subject *x = context;
    subject_follow(x, x->led[item]);
}

static uint64_t subject_wanted(const struct network_subject *x, uint32_t i)
{
    return i == x->reach->node ? x->reach->instructions : UINT64_MAX;
}

/* A node that may meet something goes ahead. What is met by an instruction that touches something is put at the
 * beginning of that instruction. */
static void lead_item(void *context, size_t item)
{
    struct network_subject *x = context;
    uint32_t i = x->armed[item];
    struct node *n = subject_node_of(x, i);
    bool passes = x->here.phase == PHASE_READY && x->here.node == i && !x->unseen;
    uint64_t until = bound(x, i), goal = subject_wanted(x, i);
    struct meeting *m = &x->met[item];
    subject_node_arm(n, passes ? n->state->instructions : UINT64_MAX, x->reach->blind);
    if (x->reach->search) {
        subject_node_search(n, i, until, x->reach->search);
        *m = (struct meeting){.what = MET_NOTHING};
        return;
    }
    network_keep(x->network, i);
    *m = subject_node_run(n, goal, until);
    if (m->what == MET_WATCH) {
        network_back(x->network, i);
        subject_node_arm(n, UINT64_MAX, true);
        subject_node_run(n, m->instructions, until);
        if (n->state->now >= until) /* an interrupt's entry at the very end */
            m->what = MET_NOTHING;
    } else if (m->what == MET_NOTHING && n->state->instructions >= goal && !n->state->exit && n->state->now < until) {
        m->what = MET_GOAL;
        m->instructions = n->state->instructions;
    }
    m->node = i;
    x->began[item] = m->what == MET_NOTHING ? REACH_NEVER : subject_time_of(x, i);
}

static bool may_meet(const struct network_subject *x, uint32_t i)
{
    const struct stops *s = subject_node_of(x, i)->stops;
    return subject_wanted(x, i) != UINT64_MAX || (!x->reach->blind && s && (s->at_count || s->watch_count));
}

static void sort_out(struct network_subject *x)
{
    uint32_t *numbers = x->led;
    size_t active = network_active(x->network, numbers);
    x->armed_count = x->led_count = 0;
    for (size_t k = 0; k < active; k++) {
        uint32_t i = numbers[k];
        if (!has_power(x, i))
            continue;
        if (may_meet(x, i))
            x->armed[x->armed_count++] = i;
        else
            x->led[x->led_count++] = i;
    }
}

static void subject_share(struct network_subject *x, size_t items, void (*work)(void *context, size_t item))
{
    enum { ENOUGH = 4 };
    if (items >= ENOUGH)
        network_share(x->network, items, work, x);
    else
        for (size_t i = 0; i < items; i++)
            work(x, i);
}

/* Runs the nodes that have something to do to the place; a meeting before it becomes the place. */
static bool subject_run_nodes(struct network_subject *x, struct meeting *m)
{
    sort_out(x);
    subject_share(x, x->armed_count, lead_item);
    size_t first = SIZE_MAX;
    for (size_t k = 0; k < x->armed_count; k++) /* ascending nodes: of those at one time the first */
        if (x->met[k].what != MET_NOTHING && (first == SIZE_MAX || x->began[k] < x->began[first]))
            first = k;
    if (first != SIZE_MAX) {
        *m = x->met[first];
        x->tick = x->began[first];
        x->before = m->node;
        for (size_t k = 0; k < x->armed_count; k++)
            if (k != first) {
                network_back(x->network, x->armed[k]);
                x->led[x->led_count++] = x->armed[k];
            }
    }
    subject_share(x, x->led_count, follow_item);
    return first != SIZE_MAX;
}

/* ---- without nodes that cannot meet anything ----
 *
 * A search is about what some nodes meet. If everything has been executed once, the messages of the others are known,
 * and they are not run again. Their states then belong to no position: the search restores a snapshot afterwards. */

enum {
    HISTORY_LIMIT = 32 << 20
}; /* bytes, beside the budget of snapshots; what comes later is searched with all nodes */

static uint64_t window_or_here(const struct network_subject *x)
{
    return network_is_open(x->network) ? network_now(x->network) : x->here.now;
}

static bool learns(const struct network_subject *x, uint64_t tick)
{
    return !x->searches && !x->full && x->since <= x->known && tick > x->known;
}

static void known_until(struct network_subject *x, uint64_t tick)
{
    if (learns(x, tick))
        x->known = tick;
}

static void close_window(struct network_subject *x)
{
    uint64_t end = network_window_end(x->network);
    if (learns(x, end))
        message_history_add(x->history, x->network);
    known_until(x, end);
    x->full |= message_history_size(x->history) >= HISTORY_LIMIT;
    network_close(x->network);
}

static void subject_forget(void *context)
{
    struct network_subject *x = context;
    uint64_t now = window_or_here(x);
    if (x->known > now)
        x->known = now;
    message_history_forget(x->history, x->known);
}

/* The first cut at the time or after it. They are sorted; a saved run has many. */
static uint64_t cut_from(const struct network_subject *x, uint64_t time)
{
    size_t low = 0, high = x->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->cuts[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->cut_count ? x->cuts[low] : REACH_NEVER;
}

static void leave_out(struct network_subject *x, const struct position *until)
{
    if (!until || until->phase == PHASE_ENDED || until->now > x->known || cut_from(x, x->here.now) <= until->now)
        return;
    if (until->phase == PHASE_READY && !may_meet(x, until->node))
        return;
    x->known_until = until->now;
    for (uint32_t i = 0; i < x->count; i++)
        if (!may_meet(x, i) && has_power(x, i))
            network_leave_out(x->network, i, x->history, until->now + 1);
}

/* ---- positions ---- */

/* Brings all nodes here: sleeping nodes lag. */
static void gather(struct network_subject *x)
{
    x->tick = x->here.now;
    x->before = x->here.phase == PHASE_READY ? x->here.node : 0;
    for (uint32_t i = 0; i < x->count; i++)
        if ((i != x->here.node || x->here.phase != PHASE_READY) && !network_left_out(x->network, i))
            subject_follow(x, i);
}

static void subject_wait_at(struct network_subject *x, uint64_t tick)
{
    x->here = (struct position){.now = tick, .phase = PHASE_WAITING};
    gather(x);
    if (network_is_open(x->network) && tick == network_window_end(x->network))
        close_window(x);
}

static void ready_at(struct network_subject *x, uint64_t tick, uint32_t node)
{
    x->here = (struct position){
        .now = tick, .phase = PHASE_READY, .node = node, .instructions = subject_node_of(x, node)->state->instructions};
    gather(x);
}

/* A sole node goes on through all that comes before its next instruction, an interrupt's entry included. */
static void sole_settle(struct network_subject *x)
{
    struct node *n = subject_node_of(x, 0);
    subject_node_arm(n, UINT64_MAX, true);
    bool ready = node_settle(n, n->state->now);
    uint64_t now = subject_time_of(x, 0);
    now = now > x->here.now ? now : x->here.now;
    if (ready)
        ready_at(x, now, 0);
    else if (n->state->exit)
        x->here = (struct position){.now = now, .phase = PHASE_ENDED};
    else
        subject_wait_at(x, now + 1);
}

/* Something was done at a tick: to the next instruction that begins at it, or after it. */
static void subject_settle(struct network_subject *x, uint64_t tick)
{
    if (network_is_sole(x->network)) {
        sole_settle(x);
        return;
    }
    for (;;) {
        uint32_t best = UINT32_MAX;
        uint64_t least = tick + 1;
        for (uint32_t i = 0; i < x->count; i++) {
            uint64_t t = subject_time_of(x, i);
            if (t < least && !network_left_out(x->network, i) && has_power(x, i) &&
                !subject_node_of(x, i)->state->exit) {
                least = t;
                best = i;
            }
        }
        if (best == UINT32_MAX || !network_is_open(x->network)) {
            subject_wait_at(x, tick + 1);
            return;
        }
        subject_node_arm(subject_node_of(x, best), UINT64_MAX, true);
        if (node_ready(subject_node_of(x, best), network_tick(x->network, best, least + 1))) {
            ready_at(x, least, best);
            return;
        }
    }
}

/* ---- going ---- */

static bool someone_exited(const struct network_subject *x, struct meeting *m)
{
    for (uint32_t i = 0; i < x->count; i++)
        if (subject_node_of(x, i)->state->exit && !x->exited[i]) {
            *m = (struct meeting){
                .what = MET_EXIT, .node = i, .instructions = subject_node_of(x, i)->state->instructions};
            return true;
        }
    return false;
}

/* The place is reached by all: as a meeting, or as what was asked for. */
static struct meeting stop_at_meeting(struct network_subject *x, struct meeting m)
{
    uint64_t tick = x->tick;
    ready_at(x, tick, m.node);
    x->unseen = false;
    if (m.what == MET_GOAL)
        m.what = MET_NOTHING;
    if (m.what != MET_WATCH)
        return m;
    struct node *n = subject_node_of(x, m.node);
    subject_node_arm(n, UINT64_MAX, true);
    subject_node_run(n, m.instructions + 1, n->state->now + 1);
    subject_settle(x, tick);
    x->unseen = x->here.phase == PHASE_READY && x->here.node != m.node;
    return m;
}

static void subject_arrive(struct network_subject *x)
{
    const struct reach *r = x->reach;
    uint64_t tick = x->tick;
    x->unseen = false;
    if (!r->ready) {
        subject_wait_at(x, tick);
    } else {
        subject_node_arm(subject_node_of(x, r->before), UINT64_MAX, true);
        if (node_ready(subject_node_of(x, r->before), network_tick(x->network, r->before, tick + 1)))
            ready_at(x, tick, r->before);
        else
            subject_settle(x, tick);
    }
}

/* To the end of the open window, or as far as is asked for in it. True if that was all. */
static bool subject_go_on(struct network_subject *x, struct meeting *m)
{
    const struct reach *r = x->reach;
    uint64_t end = network_window_end(x->network);
    bool inside = r->tick < end;
    *m = (struct meeting){.what = MET_NOTHING};
    x->tick = inside ? r->tick : end;
    x->before = inside && r->ready ? r->before : 0;
    if (subject_run_nodes(x, m)) {
        *m = stop_at_meeting(x, *m);
        return true;
    }
    if (inside) {
        subject_arrive(x);
    } else {
        close_window(x);
        x->here = (struct position){.now = end, .phase = PHASE_WAITING};
        x->unseen = false;
    }
    return (!r->blind && someone_exited(x, m)) || inside;
}

/* ---- a network of one: no other node has to be brought along, and its window has no end ---- */

/* Where the node stands after it was run for a reach. */
static void sole_stand(struct network_subject *x, struct meeting m)
{
    const struct reach *r = x->reach;
    struct node *n = subject_node_of(x, 0);
    const struct node_state *s = n->state;
    bool goal = s->instructions >= subject_wanted(x, 0) && s->now < bound(x, 0);
    x->unseen = false;
    if (m.what == MET_NOTHING && !goal && r->ready) { /* a nanosecond may have two ticks */
        subject_node_arm(n, UINT64_MAX, true);
        node_ready(n, network_tick(x->network, 0, r->tick + 1));
    }
    if (m.what != MET_NOTHING || goal || s->exit || r->ready)
        sole_settle(x);
    else
        subject_wait_at(x, r->tick);
}

static struct meeting sole_advance(struct network_subject *x)
{
    const struct reach *r = x->reach;
    struct node *n = subject_node_of(x, 0);
    struct meeting m = {.what = MET_NOTHING};
    bool over = network_next(x->network) == NEVER && cut_from(x, x->here.now + 1) == REACH_NEVER;
    bool passes = x->here.phase == PHASE_READY && !x->unseen;
    if (x->here.now > r->tick || (x->here.now == r->tick && !r->ready))
        return m;
    if (over) {
        x->here.phase = PHASE_ENDED;
        return m;
    }
    x->tick = r->tick;
    x->before = 0;
    uint64_t until = bound(x, 0);
    if (until != NEVER) {
        subject_node_arm(n, passes ? n->state->instructions : UINT64_MAX, r->blind);
        if (r->search)
            subject_node_search(n, 0, until, r->search);
        else
            m = subject_node_run(n, subject_wanted(x, 0), until);
    }
    sole_stand(x, m);
    network_cut(x->network, x->here.now);
    return m;
}

static struct meeting subject_advance(void *context, const struct reach *r)
{
    struct network_subject *x = context;
    struct meeting m = {.what = MET_NOTHING};
    x->reach = r;
    if (network_is_sole(x->network))
        return sole_advance(x);
    if (r->search && !x->searches)
        leave_out(x, r->search->until);
    x->searches = r->search != NULL;
    for (uint32_t i = 0; i < x->count; i++)
        x->exited[i] = subject_node_of(x, i)->state->exit != NODE_RUNNING;
    while (x->here.now < r->tick || (x->here.now == r->tick && r->ready)) {
        if (!network_is_open(x->network)) {
            uint64_t cut = cut_from(x, x->here.now + 1);
            uint64_t limit = r->tick == REACH_NEVER ? REACH_NEVER : r->tick + r->ready;
            if (!network_open(x->network, limit < cut ? limit : cut, cut)) {
                bool over = network_next(x->network) == NEVER && cut == REACH_NEVER;
                subject_wait_at(x, over ? x->here.now : r->tick < cut ? r->tick : cut);
                x->here.phase = over ? PHASE_ENDED : PHASE_WAITING;
                break;
            }
            if (x->known_until)
                network_lengthen(x->network, x->history, x->known_until);
        }
        if (subject_go_on(x, &m))
            break;
    }
    gather(x);
    known_until(x, window_or_here(x));
    return m;
}

static void subject_position(const void *context, struct position *p)
{
    const struct network_subject *x = context;
    size_t inputs = p->inputs;
    *p = x->here;
    p->inputs = inputs;
}

static bool subject_at_stop(const void *context)
{
    const struct network_subject *x = context;
    if (x->here.phase != PHASE_READY)
        return false;
    const struct node *n = subject_node_of(x, x->here.node);
    return stops_has(n, n->machine->chip->isa->pc(n));
}

static void subject_heed(void *context)
{
    ((struct network_subject *)context)->unseen = true;
}

static void subject_look(const void *context, uint32_t node, struct subject_node *l)
{
    const struct network_subject *x = context;
    const struct node_state *s = subject_node_of(x, node)->state;
    bool begun = network_time(x->network, node, 0) <= x->here.now;
    *l = (struct subject_node){s->instructions, s->sleeping || s->halt_at || s->stall || !begun,
                               s->exit || !has_power(x, node)};
}

/* ---- inputs ---- */

static bool subject_takes(const void *context, uint32_t node)
{
    const struct network_subject *x = context;
    return node < x->count && has_power(x, node) && network_time(x->network, node, 0) <= x->here.now &&
           !subject_node_of(x, node)->state->exit;
}

static void subject_restore(void *context, const void *snapshot);

static void subject_give(void *context, const struct input *i)
{
    struct network_subject *x = context;
    if (i->kind == INPUT_STATE) {
        subject_restore(x, i->state);
        return;
    }
    subject_node_give(subject_node_of(x, i->node), i);
    network_touched(x->network, i->node);
    if (x->here.phase == PHASE_READY)
        subject_settle(x, x->here.now);
}

static void subject_expect(void *context, uint64_t tick)
{
    struct network_subject *x = context;
    size_t at = x->cut_count;
    while (at > 0 && x->cuts[at - 1] > tick)
        at--;
    if (at > 0 && x->cuts[at - 1] == tick)
        return;
    x->cuts = memory_grow(x->cuts, &x->cut_room, x->cut_count, sizeof *x->cuts);
    memmove(x->cuts + at + 1, x->cuts + at, (x->cut_count - at) * sizeof *x->cuts);
    x->cuts[at] = tick;
    x->cut_count++;
}

static void subject_yield(void *context)
{
    struct network_subject *x = context;
    network_cut(x->network, x->here.now);
}

/* ---- state ---- */

static void *subject_take(const void *context)
{
    const struct network_subject *x = context;
    struct subject_state *s = memory_bytes(sizeof *s);
    *s = (struct subject_state){network_snapshot(x->network), x->count, x->here, x->unseen};
    return s;
}

static void subject_restore(void *context, const void *snapshot)
{
    struct network_subject *x = context;
    const struct subject_state *s = snapshot;
    network_restore(x->network, s->network);
    x->here = s->here;
    x->unseen = s->unseen;
    x->since = window_or_here(x);
    x->searches = false;
    x->known_until = 0;
    for (uint32_t i = 0; i < x->count; i++)
        subject_node_of(x, i)->stopped = false;
}

static void subject_release(void *snapshot)
{
    struct subject_state *s = snapshot;
    network_snapshot_free(s->network);
    free(s);
}

static uint64_t subject_done(const void *snapshot, uint32_t node)
{
    const struct subject_state *s = snapshot;
    return network_snapshot_instructions(s->network, node);
}

static size_t subject_cost(const void *context)
{
    const struct network_subject *x = context;
    size_t sum = 1024;
    for (uint32_t i = 0; i < x->count; i++) {
        const struct machine *m = subject_node_of(x, i)->machine;
        sum += m->arena_size + 256 * (2 + m->pages_count);
    }
    return sum;
}

static struct digest subject_digest(const void *context)
{
    return network_digest(((const struct network_subject *)context)->network);
}

static void subject_pack(const void *snapshot, struct pack *p)
{
    const struct subject_state *s = snapshot;
    pack_number(p, s->here.now, 8);
    pack_number(p, s->here.phase, 1);
    pack_number(p, s->here.node, 4);
    pack_number(p, s->here.instructions, 8);
    pack_number(p, s->unseen, 1);
    network_snapshot_pack(s->network, p);
}

static void *subject_unpack(const void *context, struct unpack *u)
{
    const struct network_subject *x = context;
    struct subject_state *s = memory_new(sizeof *s);
    s->count = x->count;
    s->here.now = unpack_number(u, 8);
    s->here.phase = (enum phase)unpack_number(u, 1);
    s->here.node = (uint32_t)unpack_number(u, 4);
    s->here.instructions = unpack_number(u, 8);
    s->unseen = unpack_number(u, 1) != 0;
    s->network = network_snapshot_unpack(x->network, u);
    if (s->network)
        return s;
    free(s);
    return NULL;
}

void *subject_state_of_network(const struct subject *subject, struct network_snapshot *state, uint64_t now)
{
    const struct network_subject *x = subject->context;
    struct subject_state *s = memory_new(sizeof *s);
    *s = (struct subject_state){state, x->count, {.now = now, .phase = PHASE_WAITING}, false};
    return s;
}

static void subject_end(void *context)
{
    struct network_subject *x = context;
    for (uint32_t i = 0; i < x->count; i++)
        subject_node_arm(subject_node_of(x, i), UINT64_MAX, false);
    message_history_free(x->history);
    free(x->cuts);
    free(x->exited);
    free(x->armed);
    free(x->led);
    free(x->met);
    free(x->began);
    free(x);
}

struct subject subject_of_network(struct network *n)
{
    struct network_subject *x = memory_new(sizeof *x);
    x->network = n;
    x->count = network_count(n);
    x->here = (struct position){.now = network_now(n), .phase = PHASE_WAITING};
    x->known = x->since = x->here.now;
    x->history = message_history_new();
    x->exited = memory_array(x->count + 1, sizeof *x->exited);
    x->armed = memory_array(x->count + 1, sizeof *x->armed);
    x->led = memory_array(2 * (size_t)x->count + 1, sizeof *x->led);
    x->met = memory_array(x->count + 1, sizeof *x->met);
    x->began = memory_array(x->count + 1, sizeof *x->began);
    return (struct subject){
        .context = x,
        .nodes = x->count,
        .hz = NETWORK_SECOND,
        .position = subject_position,
        .advance = subject_advance,
        .at_stop = subject_at_stop,
        .heed = subject_heed,
        .look = subject_look,
        .give = subject_give,
        .takes = subject_takes,
        .expect = subject_expect,
        .yield = subject_yield,
        .forget = subject_forget,
        .take = subject_take,
        .restore = subject_restore,
        .release = subject_release,
        .done = subject_done,
        .cost = subject_cost,
        .digest = subject_digest,
        .pack = subject_pack,
        .unpack = subject_unpack,
        .end = subject_end,
    };
}
