#include "link.h"

#include <stddef.h>
#include <string.h>

#include "radio.h"

#define PACKET_WINDOW 5

struct link links[LINK_COUNT];

static void clear(struct link *l)
{
    memset(l, 0, sizeof *l);
    l->address = l->parent = LINK_NOBODY;
    l->cost = LINK_NOBODY;
}

void link_init(void)
{
    for (uint8_t i = 0; i < LINK_COUNT; i++)
        clear(&links[i]);
}

struct link *link_find(uint16_t address)
{
    for (uint8_t i = 0; i < LINK_COUNT; i++)
        if (links[i].address == address)
            return &links[i];
    return NULL;
}

static void estimate(struct link *l, uint16_t etx)
{
    l->etx = l->etx ? (3 * l->etx + etx + 2) / 4 : etx;
    if (l->etx > LINK_ETX_MAX)
        clear(l);
}

/* A free entry, or else that of a neighbour without a good estimate. */
static struct link *room(void)
{
    struct link *worst = link_find(LINK_NOBODY);
    for (uint8_t i = 0; i < LINK_COUNT && !worst; i++)
        if (links[i].etx == 0 || links[i].etx > LINK_ETX_MAX / 2)
            worst = &links[i];
    return worst;
}

struct link *link_heard(uint16_t address, uint8_t sequence)
{
    struct link *l = link_find(address);
    uint8_t gap = l ? (uint8_t)(sequence - l->sequence - 1) : 0;
    if (!l) {
        l = room();
        if (!l)
            return NULL;
        clear(l);
        l->address = address;
    } else if (gap > 20) { /* it has started anew, or was out of reach for long */
        l->received = l->missed = gap = 0;
    }
    l->sequence = sequence;
    l->received++;
    l->missed += gap;
#ifdef BUG_LINK_GAP
    if (gap >= LINK_WINDOW) {
#else
    if (l->received + l->missed >= (radio_interval_ms() ? 1 : LINK_WINDOW)) { /* beacons are dear in low power */
#endif
        uint16_t etx = 10 * (uint16_t)(l->received + l->missed) / l->received;
        l->received = l->missed = 0;
        estimate(l, etx);
    }
    return l->address == address ? l : NULL;
}

void link_result(struct link *l, bool success)
{
#ifdef BUG_LINK_REPAIR
    l->tries += success;
#else
    l->tries++;
#endif
    l->successes += success;
    l->failures = success ? 0 : l->failures + (l->failures < 255);
    if (l->tries < PACKET_WINDOW)
        return;
    uint16_t etx = l->successes ? 10 * (uint16_t)l->tries / l->successes : 10 * (uint16_t)l->failures;
    l->tries = l->successes = 0;
    estimate(l, etx);
}
