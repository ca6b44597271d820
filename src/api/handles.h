/* Handles: the public names of the library's own structs. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "api/frames.h"
#include "motet/motet.h"
#include "node/machine.h"
#include "node/node.h"

struct motet_machine {
    struct machine *machine;
};

struct motet_node {
    struct node *node;
    const motet_machine *machine;
    struct motet_observer observer;
    motet_tap *observes; /* what serves it, or NULL */
    bool faulted;
    struct motet_fault fault; /* the last one, and how it came there */
    struct call_frame *chain; /* of a fault that ended the run, else NULL */
    size_t chain_count;
    motet_network *network; /* NULL: alone */
    uint32_t number;        /* in the network */
};

struct motet_snapshot {
    struct snapshot *snapshot;
};

/* The node as it is at this very moment, also in callbacks. */
static inline const struct node *node_seen(const motet_node *n)
{
    if (__builtin_expect(n->node->glance.slice != NULL, 0))
        node_show(n->node);
    return n->node;
}

/* A handle for a node that is there already. */
motet_node *node_handle(const motet_machine *m, struct node *node);
void node_handle_free(motet_node *n); /* without the node */

/* Something was done to the node from outside. */
void node_touched(motet_node *n);

struct network;
struct network *network_of(const motet_network *n);

/* The node's fault_keeper, from its first instruction on. */
void fault_record(motet_node *n, const struct node *node, const struct fault *f);

#endif
