/* Cost: what tracing the functions up to a level would add to the firmware, estimated before it is built.
 *
 * Invariant: the figures are sums over what is instrumented: entries and returns, references that an interrupt can come
 * between, registers read, and cells that are written outside of the traced functions and read inside.
 */
#ifndef SLICE_COST_H
#define SLICE_COST_H

#include "slice/levels.h"

struct cost {
    int functions;  /* traced, up to the level */
    int references; /* counted, since a traced handler touches the same cell */
    int registers;  /* reads of registers that are logged */
    int cells;      /* written outside and read inside */
    int table;      /* their bytes */
    int code;       /* bytes of code for all that, without the tracer itself */
};

enum {
    COST_ENTRY = 8,      /* a call of the tracer at the entry, and one at each return */
    COST_REFERENCE = 16, /* an atomic count beside an access */
    COST_REGISTER = 10,  /* a call of the tracer with the value read */
    COST_CELL = 4,       /* an entry of the table: address and size */
    COST_TRACER = 1024,  /* the tracer, its ring not counted */
};

void cost_of(struct cost *c, const struct depend *d, const struct levels *l, int level);

#endif
