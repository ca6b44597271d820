/* Component replay: a node that executes one component again, fed from an interface log.
 *
 * Only code inside the boundary is executed, with all devices off. Calls in come from the log: parameters, buffers, the
 * stack pointer. Where code inside calls out, parameters and buffers are compared with the log, and result and buffers
 * are taken from it. What it reads of others is put into memory before the instruction that reads it. The log stands in
 * the machine as a device whose state is the position in the log, so that snapshots, timelines and debuggers work on
 * such a node as on any other. Invariant: everything the component sends out is as in the log, up to the event at which
 * the replay ends; at the first deviation both sides are known.
 */
#ifndef INTERFACE_REPLAY_H
#define INTERFACE_REPLAY_H

#include "interface/boundary.h"
#include "interface/log.h"
#include "node/device.h"

struct component_replay;

/* Takes over the open reader, whether it succeeds or not. False unless the firmware is the one that was logged. */
struct component_replay *component_replay_new(struct interface_reader *log, const struct image *image,
                                              struct motet_error *e);

/* Sees what a replay does, for a program that is to do the same elsewhere (moves.h). An event comes when it is taken,
 * one that is compared when that is done. */
struct component_listener {
    void *context;
    void (*event)(void *context, const struct interface_event *e);
    /* A byte of the node's memory that others had changed, before it is compared. */
    void (*changed)(void *context, uint32_t address, const uint8_t *memory);
};
void component_replay_listen(struct component_replay *r, struct component_listener l);

const struct interface_header *component_replay_header(const struct component_replay *r);
bool component_replay_is_of_node(const struct component_replay *r); /* the node made the log itself */

/* The function of a call or return. */
const struct boundary_function *component_replay_function(const struct component_replay *r,
                                                          const struct interface_event *e);

/* When the machine with its device is there: finds the component in the firmware. */
bool component_replay_connect(struct component_replay *r, const struct machine *m, struct motet_error *e);
void component_replay_free(struct component_replay *r); /* after its machine; NULL is allowed */

/* For machine_options.log. */
const struct chip_device *component_replay_device(const struct component_replay *r);

/* How far a node is, and how it ended in a sentence. */
struct component_replay_status {
    uint64_t events, interrupts;
    bool ended, deviates;
};
void component_replay_status(const struct node *n, struct component_replay_status *s);
char *component_replay_explain(const struct node *n, char *text, size_t size);

#endif
