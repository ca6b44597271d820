/* Steps: the count of loop rounds and function entries that makes the position of an interrupt unique.
 *
 * Invariant: between two visits of an address where an interrupt can come there is a step or an event, if the address
 * is not in code that loops without counting (loops.h).
 */
#ifndef REWRITE_STEPS_H
#define REWRITE_STEPS_H

#include "rewrite/pass.h"

/* What a rewritten file needs for it. */
const char *steps_declaration(const struct pass *p);

void steps_visit_loop(struct pass *p, int node);
void steps_visit_label(struct pass *p, int node);
void steps_visit_call(struct pass *p, int node); /* of what comes compiled */

/* Functions get their steps in the assembly (entry_steps.h), but those that call themselves; in some none is needed. */
void steps_visit_function(struct pass *p, int node, int body);
void steps_note_none(struct pass *p, int function);

#endif
