/* Handles: the public names of the library's own structs. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "api/frames.h"
#include "motet/motet.h"
#include "node/machine.h"
#include "node/node.h"

struct motet_machine {
    struct machine *machine;
    struct replay *replay; /* the log that stands in for its devices, or NULL */
};

struct motet_node {
    struct node *node;
    const motet_machine *machine;
    struct motet_observer observer;
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

struct board;
struct chip;

/* The board or chip by name, or, where none is given, what the firmware says it was built for. */
bool machine_choose(const struct image *image, const char *name, const struct board **board, const struct chip **chip,
                    struct error *e);

/* A handle for a node that is there already. */
motet_node *node_handle(const motet_machine *m, struct node *node);
void node_handle_free(motet_node *n); /* without the node */

/* Something was done to the node from outside. */
void node_touched(motet_node *n);

/* The node's fault observer, from its first instruction on; the context is the motet_node. */
void fault_record(void *context, const struct node *node, const struct fault *f);

#endif
