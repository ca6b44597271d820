/* Calls: which functions of a file are used, from how many places, and which run with interrupts off.
 *
 * Invariant: what is not seen (other files, pointers) is taken to use everything that is not static, and to let
 * interrupts in.
 */
#ifndef REWRITE_CALLS_H
#define REWRITE_CALLS_H

#include "rewrite/pass.h"

/* Fills used, calls and masked of the pass. Handlers are known. */
void calls_count(struct pass *p);

#endif
