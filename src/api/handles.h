/* Handles: the public names of the library's own structs. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

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
    struct motet_fault fault;
    bool faulted;
};

struct motet_snapshot {
    struct snapshot *snapshot;
};

#endif
