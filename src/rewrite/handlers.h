/* Handlers of interrupts: each gets a stub before it that tells the recorder.
 *
 * Invariant: no instruction of the handler lies before its stub, so that registers and stack are as they were.
 */
#ifndef REWRITE_HANDLERS_H
#define REWRITE_HANDLERS_H

#include "rewrite/pass.h"

void handlers_find(struct pass *p);
void handlers_add_stub(struct pass *p, const struct handler *h);

/* Where nothing is recorded: what clang leaves out of msp430-gcc's attribute `wakeup`. */
void handlers_wake(struct pass *p);

#endif
