/* Motet: the interface of a component: what crosses its boundary, logged on a simulated node at no cost.
 *
 * A component is some of a firmware's code: files, a directory, functions, a glob of names. An interface log
 * (docs/interface-log-format.md) holds the calls into and out of it, with parameters, results and the bytes that
 * pointers lead to. Invariant: looking changes nothing; a run that is logged has the digest of one that is not.
 */
#ifndef MOTET_INTERFACE_H
#define MOTET_INTERFACE_H

#include <stdio.h>

#include "motet/base/happening.h"
#include "motet/error.h"
#include "motet/node.h"

#include "motet/base/begin.h"

typedef struct motet_interface motet_interface;

struct motet_interface_options {
    const char *const *pieces; /* "route.c", "kit/", "route_update", "CtpRoutingEngineP.*" */
    size_t piece_count;
    const char *const *descriptions; /* paths of interface files; those that Motet brings come after them */
    size_t description_count;
};

/* NULL with a sentence: a piece that names nothing, a buffer without a size, a description that does not fit. */
motet_interface *motet_interface_new(const motet_machine *m, const struct motet_interface_options *o,
                                     struct motet_error *e);
void motet_interface_free(motet_interface *x); /* after its logs; NULL is allowed */

/* What a log of it will not have, as sentences; NULL past the last. */
const char *motet_interface_warning(const motet_interface *x, size_t number);

/* Either: code that compilers and libraries bring, and that is part of its caller. Of the recorder: an entry of it that
 * code inside calls leaves everything as it was, and is not logged. */
enum motet_side { MOTET_OUTSIDE, MOTET_INSIDE, MOTET_EITHER_SIDE, MOTET_OF_RECORDER };
enum motet_side motet_interface_side(const motet_interface *x, uint32_t code_address);

/* The component's own variables, by number; false past the last. */
struct motet_interface_variable {
    const char *name, *file;
    uint32_t line, address, size; /* data address */
};
bool motet_interface_variable(const motet_interface *x, size_t number, struct motet_interface_variable *v);

/* ---- a log of one node ---- */

typedef struct motet_interface_log motet_interface_log;
motet_interface_log *motet_interface_log_new(const motet_interface *x, const motet_node *n, FILE *out);

/* At the first instruction of a function that was called over the boundary, or after its return. */
struct motet_crossing {
    uint32_t function;  /* code address */
    bool in, is_return; /* in: a call from outside to inside */
    bool interrupts;    /* the call came from a handler that interrupts code inside, */
    uint64_t position;  /* so many instructions inside after the event before, */
    uint32_t pc;        /* before this instruction */
};
void motet_interface_log_cross(motet_interface_log *l, const motet_node *n, const struct motet_crossing *c);

/* After an access to data by code inside, so many instructions inside after the event before. True if it was logged. */
bool motet_interface_log_access(motet_interface_log *l, const motet_node *n, uint64_t position,
                                const struct motet_access *a);

/* From now on, each time control leaves the component its state is logged too: replays are checked against it. */
void motet_interface_log_states(motet_interface_log *l);
/* The log's first beginning is that logging was switched on, not a start. Off: what comes is left out. */
void motet_interface_log_on(motet_interface_log *l);
void motet_interface_log_off(motet_interface_log *l, const motet_node *n);
void motet_interface_log_reset(motet_interface_log *l, const motet_node *n);
bool motet_interface_log_end(motet_interface_log *l); /* frees it; false if not all could be written */

/* Events of an interface log as lines of text, lines of JSON, or the elements of a JSON list; false with a sentence if
 * it cannot be read. */
enum motet_interface_form { MOTET_INTERFACE_TEXT, MOTET_INTERFACE_JSON_LINES, MOTET_INTERFACE_JSON_LIST };
bool motet_interface_print(const char *name, const void *bytes, size_t size, enum motet_interface_form form, FILE *out,
                           struct motet_error *e);

bool motet_interface_print_file(const char *path, enum motet_interface_form form, FILE *out, struct motet_error *e);

/* ---- logs that nodes write themselves (motet cc --log-interface) ---- */

struct motet_interface_collected {
    uint64_t pages, bytes;     /* whole pages, and what they hold */
    uint64_t missing;          /* pages that were lost between them */
    uint64_t events;           /* of the interface log */
    uint64_t lost, interrupts; /* events without room; handlers that interrupted the component */
    uint64_t starts;           /* of the node */
};

/* Whether a firmware logs an interface. */
bool motet_interface_is_logged(const char *firmware);

/* Makes an interface log of what a node with this id wrote: the contents of its flash memory, or what came over its
 * serial port. `target` is, of a firmware with several components, the pieces or the number of the one that the log is
 * made of; NULL: the only one. */
bool motet_interface_collect(const char *firmware, const struct motet_options *o, const char *path, uint32_t id,
                             const char *target, const char *output, struct motet_interface_collected *c,
                             struct motet_error *e);

#include "motet/base/end.h"

#endif
