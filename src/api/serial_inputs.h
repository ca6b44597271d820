/* What a host sends to nodes, as choices of a check (CHOICE_SERIAL): it comes as meant, never, damaged, early or late.
 *
 * A choice is named by the number of the input among the inputs of the plain run. Invariant: inputs before the earliest
 * time of such a choice keep their places, so a run that has come so far goes on with the altered list.
 */
#ifndef API_SERIAL_INPUTS_H
#define API_SERIAL_INPUTS_H

#include "check/walk.h"
#include "timeline/saved_inputs.h"

/* For each send of a run the choice that it comes as meant, with the number of its bytes as outcome. */
void serial_inputs_list(const struct saved_inputs *j, struct trace *t);

/* Whether there is such a choice among them. */
bool serial_inputs_change(const struct choice *list, size_t count);

/* Replaces the list of inputs by `from` (which may be the same) with the changes that choices make. The readings beside
 * it stay. */
void serial_inputs_alter(struct saved_inputs *j, const struct saved_inputs *from, const struct choice *list,
                         size_t count);

#endif
