/* Polls through functions: `while (!Spi__isInterruptPending());`, where that function, or one that it calls, only gives
 * what a register has.
 *
 * nesC makes such functions for every interface. Invariant: a loop is changed only if it polls (poll.h) with the
 * functions' values in the place of their calls; then these are there, and the functions are as before for others.
 */
#ifndef REWRITE_FORWARDS_H
#define REWRITE_FORWARDS_H

#include "rewrite/pass.h"

/* Before anything is visited. */
void forwards_find(struct pass *p);

#endif
