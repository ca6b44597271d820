/* Handles: the public names of the library's own structs. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "api/save_inputs.h"
#include "debug/frames.h"
#include "motet/motet.h"
#include "node/machine.h"
#include "node/node.h"

struct motet_machine {
    struct machine *machine;
    struct part_list *parts;            /* from outside, or NULL */
    struct replay *replay;              /* the log that stands in for its devices, or NULL */
    struct component_replay *component; /* the interface log that does, or NULL */
    const struct log *log;              /* and where in it the replay begins */
    size_t part;
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
    motet_network *network; /* it belongs to, */
    uint32_t number;        /* and its number there */
    struct save_inputs_analog analog;
};

/* The node as it is at this very moment, also in callbacks. */
static inline const struct node *node_seen(const motet_node *n)
{
    if (__builtin_expect(n->node->glance.slice != NULL, 0))
        node_show(n->node);
    return n->node;
}

struct board;
struct chip;

/* The board or chip by name, or, where none is given, what the firmware says it was built for. */
bool machine_choose(const struct image *image, const char *name, const struct board **board, const struct chip **chip,
                    struct motet_error *e);

/* A machine with its handle. Takes over image and parts whether it succeeds or not. */
struct part_list;
motet_machine *machine_make(struct image *image, const struct board *board, const struct chip *chip,
                            const struct machine_options *options, struct part_list *parts, struct motet_error *e);

/* A handle for a node that is there already. */
motet_node *node_handle(const motet_machine *m, struct node *node);
void node_handle_free(motet_node *n); /* without the node */

/* Something will be done to the node from outside, and was. */
void node_before_input(motet_node *n);
void node_touched(motet_node *n);

/* Gives a memory all its bytes, for a node that has not run yet. */
bool node_store_fill(motet_node *n, enum motet_store which, const uint8_t *bytes, size_t size, struct motet_error *e);

/* Notes an input of a node, while the run may be saved. */
void node_note(motet_node *n, struct saved_input e);
void node_listen(motet_node *n, struct save_inputs *c); /* to what is read from its analog inputs; NULL: no longer */

/* network.c, for saved runs. */
struct network;
struct network *network_of(const motet_network *n);
struct save_inputs **network_save_inputs(motet_network *n);

/* The choices of a network that differ from the default; it answers from them from now on. */
struct choices;
struct choices *network_choices(motet_network *n);

/* choice.c */
struct motet_choice;
struct choice choice_of(const struct motet_choice *c);

/* A second listener of motet_network_listen; NULL: none. Current transmissions are left out. */
void network_overhear(motet_network *n, motet_radio *told, void *context);

/* The node's fault_keeper, from its first instruction on. */
void fault_record(motet_node *n, const struct node *node, const struct fault *f);

#endif
