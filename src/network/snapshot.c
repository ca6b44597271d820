/* A network's state as data: its nodes, what is under way between them, and the medium. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pack.h"
#include "network/internal.h"
#include "node/canonical.h"
#include "node/taps.h"

struct member_state {
    struct snapshot *node; /* shared with other snapshots; its time is the next field */
    uint64_t now;          /* ticks */
    struct clock clock;
    bool alive, exited;
    uint64_t order;
    struct air_message *on_air; /* while sending, else NULL */
    struct medium_listener *listeners;
    uint32_t listener_count;
    struct sent_message *outgoing;
    size_t outgoing_count;
};

struct network_snapshot {
    const struct network *network;
    uint64_t now, window_end;
    bool open;
    struct medium *medium;
    struct sent_message *queue;
    size_t message_count;
    uint32_t count;
    struct member_state members[];
};

static void *snapshot_copy(const void *bytes, size_t size)
{
    return size ? memory_copy(bytes, size) : NULL;
}

/* The node as it is now, but for its time. */
static struct snapshot *snapshot_node(struct member *m)
{
    if (!m->last || m->node->changed) {
        snapshot_free(m->last);
        m->last = snapshot_take(m->node);
        m->node->changed = false;
    }
    return snapshot_share(m->last);
}

struct network_snapshot *network_snapshot(struct network *n)
{
    struct network_snapshot *s = memory_bytes(sizeof *s + n->count * sizeof s->members[0]);
    s->network = n;
    s->now = n->now;
    s->open = n->open;
    s->window_end = n->window_end;
    s->medium = medium_share(n->medium);
    s->queue = snapshot_copy(n->queue.list, n->queue.count * sizeof *s->queue);
    s->message_count = n->queue.count;
    s->count = n->count;
    for (uint32_t i = 0; i < n->count; i++) {
        struct member *m = n->members[i];
        s->members[i] = (struct member_state){
            .node = snapshot_node(m),
            .now = m->node->state->now,
            .clock = m->clock,
            .alive = m->alive,
            .exited = m->exited,
            .order = m->order,
            .on_air = m->sending ? memory_copy(&m->on_air, sizeof m->on_air) : NULL,
            .listeners = snapshot_copy(m->listeners, m->listener_count * sizeof *m->listeners),
            .listener_count = m->listener_count,
            .outgoing = snapshot_copy(m->outgoing, m->outgoing_count * sizeof *m->outgoing),
            .outgoing_count = m->outgoing_count,
        };
    }
    return s;
}

/* Whether the node is what it was then, but for its time. */
static bool snapshot_is_of(const struct member_state *s, const struct member *m)
{
    return m->last == s->node && !m->node->changed;
}

static void restore_node(struct member *m, const struct member_state *s)
{
    struct node *node = m->node;
    if (snapshot_is_of(s, m)) {
        node->cut = false;
        taps_restored(node);
    } else {
        snapshot_restore(node, s->node);
        snapshot_free(m->last);
        m->last = snapshot_share(s->node);
    }
    node->time = node->state->now = s->now;
    node->changed = false;
}

static void restore_member(struct member *m, const struct member_state *s)
{
    restore_node(m, s);
    m->clock = s->clock;
    m->alive = s->alive;
    m->exited = s->exited;
    m->left_out = false;
    m->sending = s->on_air != NULL;
    m->order = s->order;
    if (s->on_air)
        m->on_air = *s->on_air;
    if (m->listener_room < s->listener_count) {
        free(m->listeners);
        m->listeners = memory_copy(s->listeners, s->listener_count * sizeof *s->listeners);
        m->listener_room = s->listener_count;
    } else if (s->listener_count) {
        memcpy(m->listeners, s->listeners, s->listener_count * sizeof *s->listeners);
    }
    m->listener_count = s->listener_count;
    if (m->outgoing_room < s->outgoing_count) {
        free(m->outgoing);
        m->outgoing = memory_copy(s->outgoing, s->outgoing_count * sizeof *s->outgoing);
        m->outgoing_room = s->outgoing_count;
    } else if (s->outgoing_count) {
        memcpy(m->outgoing, s->outgoing, s->outgoing_count * sizeof *s->outgoing);
    }
    m->outgoing_count = s->outgoing_count;
}

void network_restore(struct network *n, const struct network_snapshot *s)
{
    assert(s->network == n && s->count == n->count);
    n->now = s->now;
    n->open = s->open;
    n->ready = false;
    n->window_end = s->window_end;
    struct medium *before = n->medium;
    n->medium = medium_share(s->medium);
    medium_free(before);
    n->queue.count = 0;
    for (size_t i = 0; i < s->message_count; i++)
        message_queue_push(&n->queue, &s->queue[i]);
    for (uint32_t i = 0; i < n->count; i++) {
        struct member *m = n->members[i];
        bool same = snapshot_is_of(&s->members[i], m) && m->node->state->sleeping && !m->left_out;
        restore_member(m, &s->members[i]);
        if (!same) /* what sleeps has the same to do next */
            exchange_reschedule(n, m);
    }
}

void network_snapshot_free(struct network_snapshot *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->count; i++) {
        snapshot_free(s->members[i].node);
        free(s->members[i].on_air);
        free(s->members[i].listeners);
        free(s->members[i].outgoing);
    }
    medium_free(s->medium);
    free(s->queue);
    free(s);
}

uint64_t network_snapshot_instructions(const struct network_snapshot *s, uint32_t number)
{
    return snapshot_state(s->members[number].node)->instructions;
}

/* ---- as bytes: field by field, since structs have holes ---- */

static void message_pack(struct pack *p, const struct air_message *m)
{
    pack_count(p, m->kind);
    pack_count(p, m->modulation);
    pack_count(p, m->sender);
    pack_count(p, m->transmission);
    pack_count(p, m->tick);
    pack_real(p, m->begun);
    pack_real(p, m->hertz);
    pack_real(p, m->bit_rate);
    pack_real(p, (double)m->dbm);
    pack_count(p, m->first);
    pack_count(p, m->count);
    pack_bytes(p, m->bytes, m->kind == AIR_BYTES ? m->count : 0);
}

static void message_unpack(struct unpack *u, struct air_message *m)
{
    *m = (struct air_message){.kind = (enum air_kind)unpack_below(u, AIR_END + 1)};
    m->modulation = (enum air_modulation)unpack_below(u, AIR_FSK_MANCHESTER + 1);
    m->sender = (uint32_t)unpack_below(u, UINT64_C(1) << 32);
    m->transmission = (uint32_t)unpack_below(u, UINT64_C(1) << 32);
    m->tick = unpack_count(u);
    m->begun = unpack_real(u);
    m->hertz = unpack_real(u);
    m->bit_rate = unpack_real(u);
    m->dbm = (float)unpack_real(u);
    m->first = (uint16_t)unpack_below(u, UINT16_MAX + 1);
    m->count = (uint16_t)unpack_below(u, UINT16_MAX + 1);
    if (m->kind != AIR_BYTES)
        return;
    u->failed |= m->count > AIR_BYTES_MAX;
    const uint8_t *bytes = unpack_bytes(u, m->count);
    if (bytes)
        memcpy(m->bytes, bytes, m->count);
}

static void messages_pack(struct pack *p, const struct sent_message *list, size_t count)
{
    pack_count(p, count);
    for (size_t i = 0; i < count; i++) {
        pack_count(p, list[i].when);
        pack_count(p, list[i].order);
        pack_count(p, list[i].from);
        message_pack(p, &list[i].message);
    }
}

static struct sent_message *messages_unpack(const struct network *n, struct unpack *u, size_t *count)
{
    *count = (size_t)unpack_below(u, unpack_left(u) + 1);
    struct sent_message *list = memory_array(*count + 1, sizeof *list);
    for (size_t i = 0; i < *count && !u->failed; i++) {
        list[i].when = unpack_count(u);
        list[i].order = unpack_count(u);
        list[i].from = (uint32_t)unpack_below(u, n->count);
        message_unpack(u, &list[i].message);
    }
    return list;
}

static void member_pack(struct pack *p, const struct member_state *m)
{
    pack_number(p, m->clock.period, 8);
    pack_number(p, m->clock.base_tick, 8);
    pack_number(p, m->clock.base_cycle, 8);
    pack_count(p, (uint64_t)m->alive | (uint64_t)m->exited << 1 | (uint64_t)(m->on_air != NULL) << 2);
    pack_count(p, m->order);
    if (m->on_air)
        message_pack(p, m->on_air);
    pack_count(p, m->listener_count);
    for (uint32_t i = 0; i < m->listener_count; i++) {
        pack_count(p, m->listeners[i].node);
        pack_real(p, (double)m->listeners[i].gain);
    }
    messages_pack(p, m->outgoing, m->outgoing_count);
}

void network_snapshot_pack(const struct network_snapshot *s, struct pack *p)
{
    pack_number(p, s->now, 8);
    pack_number(p, s->window_end, 8);
    pack_number(p, s->open, 1);
    medium_pack(s->medium, p);
    pack_count(p, s->count);
    for (uint32_t i = 0; i < s->count; i++) /* first, so that they are at the same places in the next snapshot */
        snapshot_pack(s->members[i].node, s->members[i].now, p);
    for (uint32_t i = 0; i < s->count; i++)
        member_pack(p, &s->members[i]);
    messages_pack(p, s->queue, s->message_count);
}

static void member_unpack(const struct network *n, uint32_t number, struct unpack *u, struct member_state *m)
{
    m->clock = n->members[number]->clock;
    m->clock.period = unpack_number(u, 8);
    m->clock.base_tick = unpack_number(u, 8);
    m->clock.base_cycle = unpack_number(u, 8);
    uint64_t flags = unpack_below(u, 8);
    m->alive = flags & 1, m->exited = flags >> 1 & 1;
    m->order = unpack_count(u);
    if (flags >> 2) {
        m->on_air = memory_new(sizeof *m->on_air);
        message_unpack(u, m->on_air);
    }
    m->listener_count = (uint32_t)unpack_below(u, n->count + 1);
    m->listeners = memory_array(m->listener_count + 1, sizeof *m->listeners);
    for (uint32_t i = 0; i < m->listener_count; i++) {
        m->listeners[i].node = (uint32_t)unpack_below(u, n->count);
        m->listeners[i].gain = (float)unpack_real(u);
    }
    m->outgoing = messages_unpack(n, u, &m->outgoing_count);
}

struct network_snapshot *network_snapshot_unpack(struct network *n, struct unpack *u)
{
    struct network_snapshot *s = memory_with_array(sizeof *s, n->count, sizeof s->members[0]);
    s->network = n;
    s->now = unpack_number(u, 8);
    s->window_end = unpack_number(u, 8);
    s->open = unpack_number(u, 1) != 0;
    s->medium = medium_unpack(u);
    u->failed |= unpack_count(u) != n->count;
    s->count = n->count;
    for (uint32_t i = 0; i < n->count && !u->failed; i++) {
        s->members[i].node = snapshot_unpack(n->members[i]->node->machine, u);
        u->failed |= !s->members[i].node;
        if (!u->failed)
            s->members[i].now = snapshot_state(s->members[i].node)->now;
    }
    for (uint32_t i = 0; i < n->count && !u->failed; i++)
        member_unpack(n, i, u, &s->members[i]);
    s->queue = messages_unpack(n, u, &s->message_count);
    if (!u->failed)
        return s;
    network_snapshot_free(s);
    return NULL;
}

/* ---- digests: field by field, since structs have holes ---- */

static struct digest message_digest(const struct air_message *m)
{
    uint64_t numbers[] = {m->kind, m->modulation, m->sender, m->transmission, m->tick, m->first, m->count};
    double powers[] = {m->hertz, m->bit_rate, m->dbm};
    struct digest d = digest_join(digest_of(numbers, sizeof numbers), digest_of(powers, sizeof powers));
    return digest_join(d, digest_of(m->bytes, m->kind == AIR_BYTES ? m->count : 0));
}

static struct digest sent_message_digest(const struct sent_message *s)
{
    uint64_t numbers[] = {s->when, s->order, s->from};
    return digest_join(digest_of(numbers, sizeof numbers), message_digest(&s->message));
}

static struct digest member_node_digest(const struct member *m)
{
    const struct node *node = m->node;
    return m->last && !node->changed ? snapshot_digest(m->last, node->state->now) : node_digest(node);
}

static struct digest member_digest(const struct member *m)
{
    uint64_t numbers[] = {m->clock.period, m->clock.base_tick, m->alive, m->sending, m->order};
    struct digest d = digest_join(member_node_digest(m), digest_of(numbers, sizeof numbers));
    for (size_t i = 0; i < m->outgoing_count; i++)
        d = digest_join(d, sent_message_digest(&m->outgoing[i]));
    if (!m->sending)
        return d;
    d = digest_join(d, message_digest(&m->on_air));
    return digest_join(d, digest_of(m->listeners, m->listener_count * sizeof *m->listeners));
}

static int by_order(const void *a, const void *b)
{
    return message_before(a, b) ? -1 : message_before(b, a);
}

struct digest network_digest(const struct network *n)
{
    struct digest d = medium_digest(n->medium);
    for (uint32_t i = 0; i < n->count; i++)
        d = digest_join(d, member_digest(n->members[i]));
    struct sent_message *sorted = memory_copy(n->queue.list, n->queue.count * sizeof *sorted);
    if (n->queue.count)
        qsort(sorted, n->queue.count, sizeof *sorted, by_order);
    for (size_t i = 0; i < n->queue.count; i++)
        d = digest_join(d, sent_message_digest(&sorted[i]));
    free(sorted);
    if (n->open)
        d = digest_join(d, digest_of(&n->window_end, sizeof n->window_end));
    return d;
}

/* ---- canonical forms ---- */

static bool canonical_quiet(const struct network *n)
{
    bool quiet = !n->queue.count && !n->open;
    for (uint32_t i = 0; i < n->count; i++)
        quiet = quiet && !n->members[i]->sending && !n->members[i]->outgoing_count;
    return quiet;
}

bool network_canonical(struct network *n, struct digest *d)
{
    if (!canonical_quiet(n))
        return false;
    *d = medium_digest(n->medium);
    for (uint32_t i = 0; i < n->count; i++) {
        struct member *m = n->members[i];
        uint64_t numbers[] = {m->clock.period, m->clock.base_tick, m->clock.base_cycle, m->alive, m->exited};
        node_canonical(m->node);
        *d = digest_join(*d, digest_join(node_canonical_digest(m->node), digest_of(numbers, sizeof numbers)));
    }
    return true;
}
