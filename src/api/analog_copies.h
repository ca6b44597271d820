/* Analog inputs of a network, given to the nodes of a copy of it.
 *
 * A source of voltages counts in ticks of its own node. In a copy the same node may be switched on later, or lose
 * power, so its ticks are others. Invariant: at each moment of the network's time a copy reads what the original would.
 */
#ifndef API_ANALOG_COPIES_H
#define API_ANALOG_COPIES_H

#include "motet/network.h"

struct analog_copies;

/* Nodes without a source keep what they have. Both networks must outlive it. */
struct analog_copies *analog_copies_new(const motet_network *from, motet_network *to);
void analog_copies_free(struct analog_copies *c);

#endif
