/* Native replay: a log's run as a program of this computer (docs/native-replay.md). */
#ifndef MOTET_NATIVE_H
#define MOTET_NATIVE_H

#include "motet/error.h"
#include "motet/log.h"
#include "motet/network.h"

#include "motet/base/begin.h"

struct motet_native {
    const char *output;         /* the program to write */
    const char *sanitize;       /* "address", "undefined" or both, with a comma; NULL: none */
    bool any_order;             /* it is made although results may depend on the order of operands */
    const char *keep;           /* folder for what is in between; NULL: it is not kept */
    uint32_t number, nodes, id; /* of several programs that keep the order of a plan (motet_merge_plan): which one, from
                                   0; how many; its node. 0 nodes: it is alone */
};

/* Most programs that keep an order together. Each is started with MOTET_TOGETHER in its environment: a file that is not
 * there before. */
enum { MOTET_NATIVE_NODES = 256 };

/* Replays the one node of the network, which must not have begun, to its end, and writes a program that does the same
 * natively. False with a sentence if the log has no start of the firmware, or what the program is made of is missing.
 */
bool motet_native_replay(motet_network *n, const struct motet_native *o, struct motet_error *e);

#include "motet/base/end.h"

#endif
