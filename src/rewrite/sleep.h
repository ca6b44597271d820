/* Sleep, and other inline assembly: before the CPU sleeps the recorder does its work.
 *
 * Invariant: nothing comes between what enables interrupts and what sleeps, so no wake-up is missed; assembly that
 * reads what changes is refused.
 */
#ifndef REWRITE_SLEEP_H
#define REWRITE_SLEEP_H

#include "rewrite/pass.h"

bool sleep_visit_assembly(struct pass *p, int node);
bool sleep_visit_call(struct pass *p, int node); /* of what a compiler has built in */

/* For a firmware that logs an interface and records nothing: only the logger's work is put before sleep. */
void sleep_visit_for_log(struct pass *p, int node);

#endif
