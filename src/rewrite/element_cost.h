/* What elements in assembly cost, in cycles at most: counted on their text, by the tables of the instruction sets'
 * manuals.
 *
 * Invariant: the count is of the longest of three ways: the event is logged, it has no room, or a handler has come in
 * between. The function itself, the firmware's clock and the code that finds a buffer are not in it.
 */
#ifndef REWRITE_ELEMENT_COST_H
#define REWRITE_ELEMENT_COST_H

#include "rewrite/elements.h"

/* For each buffer, and for each byte of it: motet_put of target/interface/elements_*.h takes 75 + 8n on an AVR, 67 + 7n
 * on an MSP430. */
enum { ELEMENT_BUFFER = 75, ELEMENT_BYTE = 8 };

struct element_cost {
    unsigned logged; /* the event and that of the return are */
    unsigned most;   /* at most, whatever happens */
};
void element_cost(const struct element *e, struct element_cost *c);

#endif
