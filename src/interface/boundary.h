/* The boundary of a component in a firmware: which code is inside, and what each function that crosses it logs.
 *
 * A component is named by pieces: a file (`route.c`), a directory (`kit/`), a function, or a glob of function names
 * (`CtpForwardingEngineP.*`, where a point stands for nesC's separator). Code without a source of its own, which
 * compilers and C libraries bring (memcpy, divisions), is part of its caller. The recorder of a firmware that records
 * itself is on neither side: it changes nothing of the application. Invariant: everything here is worked out
 * once from the firmware and never changes; tables of the header and `functions` go in parallel.
 */
#ifndef INTERFACE_BOUNDARY_H
#define INTERFACE_BOUNDARY_H

#include "interface/describe.h"
#include "interface/expression.h"
#include "interface/log.h"
#include "node/machine.h"
#include "node/node.h"

enum boundary_side { BOUNDARY_OUTSIDE, BOUNDARY_INSIDE, BOUNDARY_EITHER, BOUNDARY_RECORDER };

struct boundary_function {
    uint32_t address, end; /* where the next function begins */
    enum boundary_side side;
    bool crosses;                /* some instruction leads to it over the boundary, or its address is taken */
    bool opaque;                 /* its parameters are not where the calling convention has them */
    struct expression_call call; /* its type and the names of its parameters */
    const char *names[INTERFACE_VALUES_MAX];
    struct debug_call_place places[INTERFACE_VALUES_MAX], result;
};

struct boundary {
    const struct machine *machine;
    struct interface_header header; /* functions and variables, firmware, target, build; the rest is of a log */
    struct boundary_function *functions;
    char *target;
    char **warnings; /* what the log will not have, as sentences */
    size_t warning_count, warning_room;
    char **texts; /* expressions made here */
    size_t text_count, text_room;
};

/* Without descriptions (NULL) functions have no buffers. NULL with a sentence: a piece that names nothing, a buffer
 * without a size, a description that does not fit. */
struct boundary *boundary_new(const struct machine *m, const char *const *pieces, size_t count,
                              const struct descriptions *d, struct motet_error *e);
/* The same, of pieces that are separated by commas, as logs have them; without descriptions. */
struct boundary *boundary_of(const struct machine *m, const char *target, struct motet_error *e);
void boundary_free(struct boundary *b); /* NULL is allowed */

/* What ties a log to its firmware: section .motet.build, or a digest of the file where there is none. */
uint64_t boundary_build(const struct image *i);

/* Which side an address of code is on. */
enum boundary_side boundary_side(const struct boundary *b, uint32_t address);

/* The bytes of a value of a call, at its function's first instruction or after its return. */
void boundary_value(const struct node *n, const struct debug_call_place *p, uint32_t size, uint8_t *to);

/* The number of the function that begins at an address; UINT32_MAX if none does. */
uint32_t boundary_entry(const struct boundary *b, uint32_t address);

#endif
