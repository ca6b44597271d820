/* Remote: a component that a node on a serial line executes again (target/interface/replayer.c).
 *
 * The node has a firmware of motet cc --replay-interface, made of the sources of the one that was logged. Its variables
 * and functions have other addresses, by the same names. Moves (moves.h) are sent to the node one by one; what its
 * component gives to others is compared. Invariant: at the first difference both sides are known, and nothing more is
 * sent.
 */
#ifndef INTERFACE_REMOTE_H
#define INTERFACE_REMOTE_H

#include "interface/moves.h"

struct remote_end {
    uint64_t calls, compared; /* calls out; values and bytes that were as in the log */
    uint64_t event;           /* the last */
    bool differs;
    char how[600]; /* in a sentence, if it differs */
};

/* `line` is a descriptor that is read and written; `patience` is how long to wait for an answer, in milliseconds. False
 * with a sentence if the node does not answer, or has another firmware. */
bool remote_replay(struct moves *m, const struct image *firmware, int line, unsigned patience, struct remote_end *end,
                   struct motet_error *e);

#endif
