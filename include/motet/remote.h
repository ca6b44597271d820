/* Replay of a component on a real node, over its serial line (docs/interface-logs.md). */
#ifndef MOTET_REMOTE_H
#define MOTET_REMOTE_H

#include "motet/error.h"
#include "motet/network.h"

#include "motet/base/begin.h"

struct motet_remote {
    const char *firmware; /* that the node has, of motet cc --replay-interface */
    int line;             /* a descriptor, which is read and written */
    unsigned patience;    /* how long to wait for an answer, in milliseconds */
};

struct motet_remote_end {
    uint64_t calls, compared; /* calls out; values and bytes that were as in the log */
    bool differs;             /* the node, or already the simulated chip, deviates from the log */
    char how[1024];
};

/* Replays the interface log of the network's one node, which must not have begun, on the simulated chip, and then on
 * the node. False with a sentence if that is not possible. */
bool motet_remote_replay(motet_network *n, const struct motet_remote *o, struct motet_remote_end *end,
                         struct motet_error *e);

#include "motet/base/end.h"

#endif
