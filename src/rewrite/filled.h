/* Objects that DMA fills: `DMA0DA = (unsigned)received;`, as Contiki receives from a serial port.
 *
 * Each element that the program reads of such an object is recorded as it is read, as of a register. Invariant: of
 * every channel that is known, all that hardware can write lies in objects of this file of which nothing is read
 * unrecorded; replay takes their bytes to be unknown for ever (section .motet.filled).
 */
#ifndef REWRITE_FILLED_H
#define REWRITE_FILLED_H

#include "rewrite/pass.h"

/* Before anything is visited: which objects that are, if the file does not say itself where they are complete
 * (motet_filled). */
void filled_find(struct pass *p);

/* Whether all that the channel whose control this register is may write is known. If not, why: part of a sentence. */
bool filled_is_known(const struct pass *p, const struct place *control, const char **why);

/* Whether the node is an element of such an object, or the whole of a small one; `at` is what is recorded of it. */
bool filled_is_read(const struct pass *p, int node, struct place *at);

/* A name of such an object; refused where elements may be reached that are not seen here. */
bool filled_visit_reference(struct pass *p, int node);
bool filled_check_file(struct pass *p); /* the names outside of functions */

/* After all: tells replay where they lie. */
void filled_add_map(struct pass *p);

#endif
