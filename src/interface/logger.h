/* Logs a component of a simulated node: turns what crosses its boundary into events, and what it reads into closure.
 *
 * A log is closed if a replay needs nothing else. The logger keeps what a replay would have in each byte of RAM (the
 * shadow): the snapshot, what code inside has written, and what events brought in. A read inside of a byte that a
 * replay would not have, or has with another value, becomes a read event, as does each read of a device's register. So
 * objects whose address has escaped, foreign variables and constants are in the log when they are read and only then.
 */
#ifndef INTERFACE_LOGGER_H
#define INTERFACE_LOGGER_H

#include "interface/boundary.h"
#include "motet/base/happening.h"
#include "node/node.h"

/* A call over the boundary that is under way. */
struct logger_frame {
    uint32_t function;
    uint64_t parameters[INTERFACE_VALUES_MAX];
};

struct logger {
    const struct boundary *boundary;
    struct interface_header header;
    struct interface_writer writer;
    bool begun;
    enum interface_reason reason; /* of the next beginning */
    uint8_t *known;               /* a byte for each of RAM: whether a replay has it, */
    uint8_t *shadow;              /* and its value there */
    bool states;                  /* each time control leaves the component, its state is logged, to check replays */
    uint8_t *bytes;               /* of the event under way */
    size_t byte_count, byte_room;
    struct logger_frame *frames;
    size_t frame_count, frame_room;
};

/* A crossing of the boundary, at the function's first instruction or after its return. */
struct logger_crossing {
    uint32_t function; /* number in the boundary's table */
    bool in, is_return;
    bool interrupts; /* see interface_event */
    uint64_t position;
    uint32_t pc;
};

/* `id` and `origin` go into the header. */
void logger_begin(struct logger *l, const struct boundary *b, uint32_t id, uint64_t hertz, uint64_t origin, FILE *out);
void logger_cross(struct logger *l, const struct node *n, uint64_t tick, const struct logger_crossing *c);

/* An access by code inside, after it; so many instructions inside came between the last event and the one that makes
 * it. True if it was logged. */
bool logger_access(struct logger *l, uint64_t tick, uint64_t position, const struct motet_access *a);
void logger_reset(struct logger *l, uint64_t tick);
void logger_off(struct logger *l, uint64_t tick); /* the next crossing begins anew */
bool logger_end(struct logger *l);                /* false if not all could be written */

#endif
