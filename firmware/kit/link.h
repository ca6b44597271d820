/* The neighbours, and how many transmissions a packet takes to each of them (ETX), in tenths.
 *
 * The first estimate comes from the numbers of a neighbour's beacons, after LINK_WINDOW of them (in
 * low-power listening after one); then each further
 * window of beacons, and each window of packets sent to it, is worked in. Invariant: an entry with etx 0 has no
 * estimate yet; what goes above LINK_ETX_MAX is forgotten and must be heard anew.
 */
#ifndef KIT_LINK_H
#define KIT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#define LINK_COUNT   10
#define LINK_WINDOW  3
#define LINK_ETX_MAX 50
#define LINK_NOBODY  0xffff

struct link {
    uint16_t address; /* LINK_NOBODY: a free entry */
    uint16_t etx;
    uint16_t parent, cost; /* the contents of its last beacon */
    uint8_t sequence, received, missed;
    uint8_t tries, successes, failures; /* packets sent to it; failures: without a success in between */
};

extern struct link links[LINK_COUNT];

void link_init(void);
struct link *link_find(uint16_t address);

/* A beacon with this number has come. NULL if there is no room for the neighbour. */
struct link *link_heard(uint16_t address, uint8_t sequence);

/* A packet to it was acknowledged, or not. */
void link_result(struct link *l, bool success);

#endif
