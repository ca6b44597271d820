/* Messages on their way: from the outgoing queue of the sender, through the network's queue, to the incoming queues of
 * the nodes that hear it. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/internal.h"
#include "node/taps.h"

/* Most nodes send no more in a window than a beginning and its preamble, or the last bytes and the end. */
static void exchange_enqueue(struct member *from, const struct sent_message *s)
{
    if (!from->outgoing_room)
        from->outgoing = memory_array(from->outgoing_room = 2, sizeof *from->outgoing);
    from->outgoing = memory_grow(from->outgoing, &from->outgoing_room, from->outgoing_count, sizeof *from->outgoing);
    from->outgoing[from->outgoing_count++] = *s;
}

/* Called by a node's radio, in the thread that runs the node: adds to the node's outgoing queue. */
void exchange_send(void *context, struct node *n, const struct air_message *m)
{
    struct member *from = context;
    struct sent_message s = {
        .when = clock_tick_of(&from->clock, m->tick), .order = from->order++, .from = from->number, .message = *m};
    (void)n;
    if (network_is_sole(from->network))
        sole_say(from->network, &s);
    else
        exchange_enqueue(from, &s);
}

void exchange_collect(struct network *n, struct member *m)
{
    for (size_t k = 0; k < m->outgoing_count; k++) {
        assert(m->outgoing[k].when >= n->window_end + EARLY); /* or a radio has not kept to AIR_AHEAD */
        message_queue_push(&n->queue, &m->outgoing[k]);
    }
    m->outgoing_count = 0;
}

uint64_t member_next(const struct member *m)
{
    return clock_tick_of(&m->clock, m->alive ? node_next(m->node) : NEVER);
}

void exchange_reschedule(struct network *n, struct member *m)
{
    schedule_set(&n->schedule, m->number, m->left_out ? NEVER : member_next(m));
}

/* ---- incoming queues ---- */

/* The first tick of the node that begins at the time or after it. */
static uint64_t tick_from(const struct member *m, uint64_t when)
{
    uint64_t tick = clock_cycle_at(&m->clock, when);
    return clock_tick_of(&m->clock, tick) < when ? tick + 1 : tick;
}

static uint32_t exchange_add_due(struct network *n, uint64_t when, const struct air_message *m)
{
    n->due = memory_grow(n->due, &n->due_room, n->due_count, sizeof *n->due);
    n->due[n->due_count] = (struct sent_message){.when = when, .message = *m};
    return (uint32_t)n->due_count++;
}

static void exchange_put_incoming(struct network *n, struct member *to, uint32_t which, float dbm)
{
    if (to->left_out)
        return;
    if (!to->incoming_count)
        schedule_set(&n->schedule, to->number, n->now);
    to->incoming = memory_grow(to->incoming, &to->incoming_room, to->incoming_count, sizeof *to->incoming);
    to->incoming[to->incoming_count++] = (struct heard_message){which, dbm};
}

void exchange_interfere(struct network *n, struct member *to, const struct interference *i)
{
    struct air_message m = {.kind = AIR_BEGIN,
                            .modulation = AIR_OQPSK_250K,
                            .sender = AIR_FOREIGN,
                            .transmission = (uint32_t)(i->from / 1000),
                            .hertz = i->hertz,
                            .bit_rate = 250000};
    exchange_put_incoming(n, to, exchange_add_due(n, i->from, &m), i->dbm);
    m.kind = AIR_END;
    exchange_put_incoming(n, to, exchange_add_due(n, i->to, &m), i->dbm);
}

void exchange_foreign(struct network *n, struct member *to, uint64_t from, const uint8_t *bytes, size_t count,
                      float dbm)
{
    const uint64_t byte = 32000; /* nanoseconds */
    struct air_message m = {.kind = AIR_BEGIN,
                            .modulation = AIR_OQPSK_250K,
                            .sender = AIR_FOREIGN,
                            .transmission = (uint32_t)(from / 1000) ^ UINT32_C(1) << 31, /* not one of interference */
                            .bit_rate = 250000};
    exchange_put_incoming(n, to, exchange_add_due(n, from, &m), dbm);
    m.kind = AIR_BYTES;
    m.count = (uint16_t)(count < AIR_BYTES_MAX ? count : AIR_BYTES_MAX);
    memcpy(m.bytes, bytes, m.count);
    exchange_put_incoming(n, to, exchange_add_due(n, from, &m), dbm);
    m.kind = AIR_END;
    m.count = 0;
    exchange_put_incoming(n, to, exchange_add_due(n, from + count * byte, &m), dbm);
}

/* ---- listeners ---- */

static void exchange_listen(struct member *from, uint32_t node, float dbm)
{
    from->listeners = memory_grow(from->listeners, &from->listener_room, from->listener_count, sizeof *from->listeners);
    from->listeners[from->listener_count++] = (struct medium_listener){node, dbm};
}

static enum frame_outcome exchange_outcome(struct network *n, const struct member *from, const struct member *to,
                                           const struct sent_message *s)
{
    if (medium_loses(n->medium, from->number, to->number, s->when))
        return FRAME_LOST;
    if (!n->chooser)
        return FRAME_DELIVERED;
    struct choice c = {CHOICE_FRAME, to->node->id, from->node->id, s->order, FRAME_OUTCOMES, s->when};
    enum frame_outcome outcome = (enum frame_outcome)choose(n->chooser, &c);
    if (outcome != FRAME_DELIVERED)
        n->disturbed = s->when;
    return outcome;
}

/* A burst of interference over bytes that lie in the contents of most frames, so that only the check sequence shows it:
 * after preamble, delimiter and addresses. */
static void exchange_damage(struct network *n, struct member *to, const struct sent_message *s, float dbm)
{
    const struct air_message *m = &s->message;
    unsigned first = m->modulation == AIR_OQPSK_250K ? 17 : 24, count = 3;
    double byte = 8e9 / m->bit_rate;
    uint64_t begin = air_began(m, s->when, 1e9);
    struct interference i = {begin + (uint64_t)(first * byte), begin + (uint64_t)((first + count) * byte), m->hertz,
                             dbm + 20};
    exchange_interfere(n, to, &i);
}

/* A transmission begins: its listeners and their powers are fixed for all of it. */
static void exchange_begin(struct network *n, struct member *from, const struct sent_message *s)
{
    const struct medium_listener *near;
    size_t count = medium_listeners(n->medium, from->number, &near);
    float cut_off = (float)medium_options(n->medium)->cut_off;
    from->sending = true;
    from->on_air = s->message;
    from->listener_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct member *to = n->members[near[i].node];
        float dbm = s->message.dbm + near[i].gain;
        if (dbm < cut_off || !to->alive || to->node->state->exit || to->clock.base_tick > s->when)
            continue;
        enum frame_outcome outcome = exchange_outcome(n, from, to, s);
        if (outcome == FRAME_LOST)
            radio_events_lost(to->node, &s->message, (double)dbm);
        else
            exchange_listen(from, near[i].node, dbm);
        if (outcome == FRAME_DAMAGED)
            exchange_damage(n, to, s, dbm);
    }
    if (n->observer.heard)
        n->observer.heard(n->observer.context, from->number, from->listeners, from->listener_count);
}

static void carry(struct network *n, struct member *from, uint64_t when, const struct air_message *m)
{
    n->work.messages++;
    if (n->observer.sent)
        n->observer.sent(n->observer.context, from->number, when, m);
    if (!from->listener_count)
        return;
    uint32_t which = exchange_add_due(n, when, m);
    for (uint32_t i = 0; i < from->listener_count; i++) {
        struct member *to = n->members[from->listeners[i].node];
        exchange_put_incoming(n, to, which, from->listeners[i].gain);
    }
    n->work.heard += from->listener_count;
}

void exchange_take_in(struct member *m)
{
    const struct network *n = m->network;
    if (!m->incoming_count)
        return;
    member_run(m, n->now); /* a sleeping node may lag: nothing happened to it */
    for (size_t i = 0; i < m->incoming_count; i++) {
        const struct sent_message *s = &n->due[m->incoming[i].which];
        struct air_message message;
        memcpy(&message, &s->message, offsetof(struct air_message, bytes) + s->message.count);
        message.tick = tick_from(m, s->when);
        message.dbm = m->incoming[i].dbm;
        air_hear(m->node, &message);
    }
    m->incoming_count = 0;
}

/* Delivers the end of a transmission whose sender did not send one. */
static void cut_short(struct network *n, struct member *from, uint64_t when)
{
    struct air_message end = from->on_air;
    end.kind = AIR_END;
    end.first = end.count = 0;
    carry(n, from, when, &end);
    from->sending = false;
    from->listener_count = 0;
}

static void exchange_hand_over_one(struct network *n, struct sent_message *s)
{
    struct member *from = n->members[s->from];
    if (s->message.kind == AIR_BEGIN) {
        if (from->sending)
            cut_short(n, from, s->when);
        exchange_begin(n, from, s);
    }
    if (!from->sending || from->on_air.transmission != s->message.transmission)
        return;
    carry(n, from, s->when, &s->message);
    if (s->message.kind == AIR_END)
        from->sending = false;
}

void exchange_hand_over(struct network *n, uint64_t before)
{
    struct sent_message s;
    n->due_count = 0;
    while (n->queue.count && n->queue.list[0].when < before) {
        message_queue_pop(&n->queue, &s);
        exchange_hand_over_one(n, &s);
    }
}

void exchange_end_sending(struct network *n, struct member *m)
{
    message_queue_remove_sender(&n->queue, m->number);
    if (!m->sending)
        return;
    n->due_count = 0;
    cut_short(n, m, n->now);
    for (uint32_t i = 0; i < n->count; i++)
        if (n->members[i]->incoming_count) {
            exchange_take_in(n->members[i]);
            exchange_reschedule(n, n->members[i]);
        }
}

void exchange_forget(struct network *n, uint32_t number)
{
    for (uint32_t i = 0; i < n->count; i++) {
        struct member *m = n->members[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < m->listener_count; k++)
            if (m->listeners[k].node != number)
                m->listeners[kept++] = m->listeners[k];
        m->listener_count = kept;
    }
}
