/* Dissemination: one value that every node comes to have, after the last change on any node.
 *
 * A value has a version. Nodes send theirs by Trickle, keep silent while others send the same, and send soon when
 * another differs. Invariant: a node's version never goes back (versions are compared by their difference, so they may
 * overflow). Of two changes made at the same time on two nodes one wins, the same everywhere.
 */
#ifndef KIT_DISSEMINATE_H
#define KIT_DISSEMINATE_H

#include <stdint.h>

/* Needs radio_start() before. `changed` is called when a newer value has come. */
void disseminate_start(void (*changed)(uint32_t value));

/* Gives all nodes a new value. */
void disseminate_change(uint32_t value);

#endif
