/* The nodes of a saved run, made again from its inputs, and moved along them.
 *
 * Invariant: nodes that stand at a time have received every input up to and including that time, and nothing else. So
 * they are in the state of the original nodes at that time.
 */
#ifndef API_SAVED_NODES_H
#define API_SAVED_NODES_H

#include "api/handles.h"
#include "api/saved_moments.h"
#include "base/error.h"
#include "timeline/saved_inputs.h"

/* Where parts from outside are now, if not where they were. */
struct saved_parts {
    const char *const *paths;
    size_t count;
};

struct saved_nodes {
    struct saved_inputs inputs;
    struct saved_parts parts; /* the caller's */
    motet_machine **machines;
    size_t machine_count;
    motet_network *network;
    size_t nodes;
    struct saved_analog {
        const struct saved_nodes *saved;
        uint32_t node, life;
    } * analog;
    uint64_t time; /* where it stands */
    size_t next;   /* the input to be applied next */
    size_t begun;  /* inputs that made the nodes */
};

/* A firmware's file, for machines: its bytes and name by number. */
typedef const uint8_t *saved_firmware(void *context, size_t number, const char **name, size_t *size);

/* Makes the nodes as they were at the beginning. `s` has inputs and paths of parts and is otherwise zero. */
bool saved_nodes_begin(struct saved_nodes *s, unsigned threads, saved_firmware *file, void *context,
                       struct motet_error *e);
void saved_nodes_free(struct saved_nodes *s);

/* Runs to a time, and to an input if that is due by then. */
bool saved_nodes_go(struct saved_nodes *s, uint64_t time, size_t entries, struct motet_error *e);

/* Applies the inputs that are due now, for callers that run the nodes themselves. */
bool saved_nodes_act(struct saved_nodes *s, struct motet_error *e);
uint64_t saved_nodes_due(const struct saved_nodes *s); /* when the next input is due; UINT64_MAX: never */

/* To be called after the nodes were put into another state, in which so many inputs were applied. */
void saved_nodes_moved(struct saved_nodes *s, uint64_t time, size_t entries);
struct digest saved_nodes_digest(const struct saved_nodes *s);

#endif
