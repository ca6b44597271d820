/* Calls of library functions that bring values into the program: from registers that they copy, from the EEPROM, from
 * memory that hardware filled (motet_filled), and the way back of longjmp.
 *
 * Invariant: each byte goes through the recorder before it is in the program's memory.
 */
#ifndef REWRITE_READS_CALLS_H
#define REWRITE_READS_CALLS_H

#include "rewrite/pass.h"

bool reads_visit_call(struct pass *p, int node);

/* memcpy and its like. */
bool reads_is_copy(const struct tree_node *call);

#endif
