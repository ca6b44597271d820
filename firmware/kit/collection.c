/* Packets wait in a queue, their own and those to be forwarded; the first of them is sent to the parent until it is
 * acknowledged. A packet is: hops so far, cost of the last hop (2), origin (2), the origin's number, data. */
#include "collection.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "bytes.h"
#include "radio.h"
#include "random.h"
#include "route.h"
#include "timer.h"

#define TYPE_DATA    0x31 /* below 0x40, no 6LoWPAN to sniffers (RFC 4944, 5.1) */
#define HEADER       6
#define QUEUE_MAX    16
#define ATTEMPTS_MAX 30
#define HOPS_MAX     32
#define SEEN_MAX     8
#define LOOP_PAUSE   112 /* ms; as long as in CTP */

struct entry {
    uint8_t length, attempts;
    uint8_t bytes[HEADER + COLLECTION_DATA_MAX];
};

static struct entry queue[QUEUE_MAX];
static uint8_t head, count;
static bool is_root, paused;
static bool looped; /* a packet has come from where ours go: routes need time to settle */
static uint8_t own_sequence;
static void (*deliver)(uint16_t origin, const uint8_t *data, uint8_t length);

/* How a packet is recognised when it comes again: origin, number and hops. */
static struct seen {
    uint16_t origin;
    uint8_t sequence, hops;
} seen[SEEN_MAX];
static uint8_t seen_next;

static void sent(struct radio_packet *p, bool arrived);
static struct radio_packet packet = {.sent = sent, .type = TYPE_DATA, .acknowledge = true};

static void pump(void);

static void resume(struct timer *t)
{
    (void)t;
    paused = false;
    pump();
}

static struct timer pause_timer = {.fired = resume};

/* The air is left to others for a while: to the parent, which forwards what it got, or to the node that was in the
 * way. */
static void pause(uint16_t ms)
{
    paused = true;
    timer_once(&pause_timer, TICKS_OF_MS(ms + random_next() % ms));
}

static void pump(void)
{
    if (count == 0 || paused || packet.busy || route_parent() == LINK_NOBODY)
        return;
    struct entry *e = &queue[head];
    bytes_put16(e->bytes + 1, route_cost());
    packet.to = route_parent();
    packet.data = e->bytes;
    packet.length = e->length;
    e->attempts++;
    radio_send(&packet);
}

static void sent(struct radio_packet *p, bool arrived)
{
    struct link *l = link_find(p->to);
    if (l)
        link_result(l, arrived);
    if (arrived || queue[head].attempts == ATTEMPTS_MAX) {
        head = (head + 1) % QUEUE_MAX;
        count--;
    }
    if (!arrived)
        route_update();
    if (arrived && radio_interval_ms())
        pump(); /* while the parent is awake */
    else
        pause(looped ? LOOP_PAUSE : arrived ? 8 : 20 + radio_interval_ms() / 2);
    looped = false;
}

static bool enqueue(const uint8_t *bytes, uint8_t length)
{
    if (count == QUEUE_MAX)
        return false;
    struct entry *e = &queue[(head + count++) % QUEUE_MAX];
    memcpy(e->bytes, bytes, length);
    e->length = length;
    e->attempts = 0;
    pump();
    return true;
}

static bool seen_before(const uint8_t *bytes)
{
    struct seen s = {.origin = bytes_get16(bytes + 3), .sequence = bytes[5], .hops = bytes[0]};
    for (uint8_t i = 0; i < SEEN_MAX; i++)
#ifdef BUG_SEQUENCE_WRAP
        if (seen[i].origin == s.origin && seen[i].sequence >= s.sequence && seen[i].hops == s.hops)
#else
        if (seen[i].origin == s.origin && seen[i].sequence == s.sequence && seen[i].hops == s.hops)
#endif
            return true;
    seen[seen_next] = s;
    seen_next = (seen_next + 1) % SEEN_MAX;
    return false;
}

static void received(const struct radio_message *m)
{
    if (m->to != node_id || m->length < HEADER || m->length > HEADER + COLLECTION_DATA_MAX || seen_before(m->data))
        return;
    if (is_root) {
        deliver(bytes_get16(m->data + 3), m->data + HEADER, m->length - HEADER);
        return;
    }
    if (bytes_get16(m->data + 1) <= route_cost()) {
        looped = true;
        route_update();
        route_trouble();
    }
    if (m->data[0] == HOPS_MAX)
        return;
    uint8_t bytes[HEADER + COLLECTION_DATA_MAX];
    memcpy(bytes, m->data, m->length);
    bytes[0]++;
    enqueue(bytes, m->length);
}

static struct radio_listener listener = {.received = received, .type = TYPE_DATA};

bool collection_send(const uint8_t *data, uint8_t length)
{
    if (length > COLLECTION_DATA_MAX)
        return false;
    if (is_root) {
        deliver(node_id, data, length);
        return true;
    }
    uint8_t bytes[HEADER + COLLECTION_DATA_MAX] = {0};
    bytes_put16(bytes + 3, node_id);
    bytes[5] = ++own_sequence;
    memcpy(bytes + HEADER, data, length);
    return enqueue(bytes, HEADER + length);
}

void collection_start(bool root, void (*application)(uint16_t origin, const uint8_t *data, uint8_t length))
{
    is_root = root;
    deliver = application;
    for (uint8_t i = 0; i < SEEN_MAX; i++)
        seen[i].origin = LINK_NOBODY;
    radio_listen(&listener);
    route_start(root, pump);
}
