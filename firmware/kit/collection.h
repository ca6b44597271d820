/* Collection: data from every node goes hop by hop to the root, along the tree of least expected transmissions (ETX).
 *
 * Each node announces its cost, the expected transmissions to the root in tenths, in beacons: often while something is
 * wrong (every 128 ms), more and more rarely while all is well (up to every 512 s), as Trickle does it (RFC 6206). The
 * parent is the neighbour with the least sum of its cost and the link's. Data is acknowledged and retransmitted at each
 * hop, and carries the cost of the hop before: where that is not more than one's own there is a loop, the beacons
 * start anew, and the next packet waits a little for the routes to settle. Invariant: a node that has a parent has a
 * cost; a root has cost 0 and no parent.
 */
#ifndef KIT_COLLECTION_H
#define KIT_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#ifndef COLLECTION_DATA_MAX
#define COLLECTION_DATA_MAX 28 /* an application with less to say saves this much RAM in 24 buffers */
#endif

/* Needs radio_start() before. `received` is called at the root, once for each packet but for rare duplicates. */
void collection_start(bool root, void (*received)(uint16_t origin, const uint8_t *data, uint8_t length));

/* Copies the data and sends it on its way. False if the queue is full or it is too long. */
bool collection_send(const uint8_t *data, uint8_t length);

#endif
