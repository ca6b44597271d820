#include "route.h"

#include <stddef.h>

#include "board.h"
#include "bytes.h"
#include "radio.h"
#include "trickle.h"

#define TYPE_BEACON   0x30 /* below 0x40, no 6LoWPAN to sniffers (RFC 4944, 5.1) */
#define SWITCH_MARGIN 15
#define DISTRESS      100 /* a neighbour's cost that far above ours */
#define FLAG_PULL     1   /* tell me your costs */

static bool is_root;
static uint16_t parent = LINK_NOBODY, cost = ROUTE_NO_COST;
static void (*found_route)(void);

/* ---- beacons ---- */

static uint8_t beacon[6], beacon_sequence;
static struct radio_packet beacon_packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_BEACON, .data = beacon, .length = sizeof beacon};

static void send_beacon(void)
{
    route_update();
    if (beacon_packet.busy)
        return;
    beacon[0] = cost == ROUTE_NO_COST ? FLAG_PULL : 0;
    bytes_put16(beacon + 1, parent);
    bytes_put16(beacon + 3, cost);
    beacon[5] = ++beacon_sequence;
    radio_send(&beacon_packet);
}

static struct trickle beacons = {.say = send_beacon, .shortest = 128, .longest = 512UL * 1024};

void route_trouble(void)
{
    trickle_reset(&beacons);
}

/* ---- the parent ---- */

/* What the way by this neighbour costs; ROUTE_NO_COST if there is none. */
static uint16_t cost_by(const struct link *l)
{
    if (l == NULL || l->address == LINK_NOBODY || l->etx == 0 || l->cost == ROUTE_NO_COST || l->parent == node_id)
        return ROUTE_NO_COST;
    return l->cost > ROUTE_NO_COST - 1 - l->etx ? ROUTE_NO_COST : l->cost + l->etx;
}

void route_update(void)
{
    if (is_root)
        return;
    const struct link *best = NULL;
    for (uint8_t i = 0; i < LINK_COUNT; i++)
        if (cost_by(&links[i]) < cost_by(best))
            best = &links[i];
    uint16_t now = parent == LINK_NOBODY ? ROUTE_NO_COST : cost_by(link_find(parent));
    bool had = cost != ROUTE_NO_COST;
    if (best && (now == ROUTE_NO_COST || cost_by(best) + SWITCH_MARGIN <= now)) {
        parent = best->address;
        now = cost_by(best);
    }
    cost = now;
    if (cost == ROUTE_NO_COST)
        parent = LINK_NOBODY;
    if (had != (cost != ROUTE_NO_COST)) {
        route_trouble();
        if (!had)
            found_route();
    }
}

uint16_t route_parent(void)
{
    return parent;
}

uint16_t route_cost(void)
{
    return cost;
}

static void beacon_received(const struct radio_message *m)
{
    if (m->length != sizeof beacon)
        return;
    struct link *l = link_heard(m->from, m->data[5]);
    if (l) {
        l->parent = bytes_get16(m->data + 1);
        l->cost = bytes_get16(m->data + 3);
    }
    if (m->data[0] & FLAG_PULL)
        route_trouble();
#ifndef BUG_PARTITION
    else if (cost < ROUTE_NO_COST - DISTRESS && bytes_get16(m->data + 3) > cost + DISTRESS)
        route_trouble();
#endif
    route_update();
}

static struct radio_listener listener = {.received = beacon_received, .type = TYPE_BEACON};

void route_start(bool root, void (*found)(void))
{
    is_root = root;
    cost = root ? 0 : ROUTE_NO_COST;
    found_route = found;
    link_init();
    radio_listen(&listener);
    /* In low-power listening a beacon takes the air for a whole interval. */
    while (beacons.shortest < 8UL * radio_interval_ms())
        beacons.shortest *= 2;
    trickle_start(&beacons);
}
