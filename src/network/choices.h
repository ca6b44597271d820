/* Choices of a network as data: a table of those that differ from the default, and doing those with times of their own.
 *
 * Invariant: a table answers the same however often it is asked, so a run with a table is executed again exactly.
 */
#ifndef NETWORK_CHOICES_H
#define NETWORK_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

#include "network/network.h"
#include "node/choice.h"

struct choices {
    struct choice *list; /* in the order of their names */
    size_t count, room;
};

void choices_free(struct choices *c);

/* The order of names: source, node, other, ordinal. 0: they are the same choice. */
int choices_compare(const struct choice *a, const struct choice *b);

/* Sets an outcome; a choice of that name that is there already is replaced. */
void choices_set(struct choices *c, const struct choice *one);

/* The choice of that name; NULL: it has the default. */
const struct choice *choices_find(const struct choices *c, const struct choice *name);

/* Answers from a table, the default for all that is not in it. The context is the table. */
uint32_t choices_answer(void *table, const struct choice *c);

/* What the source is called: "frame", "hold", ... */
const char *choice_source_name(enum choice_source s);
bool choice_source_named(const char *name, enum choice_source *s);

/* The bytes of a foreign frame, from the preamble on; returns how many there are. */
enum { CHOICE_FOREIGN_BYTES = 128 };
size_t choice_foreign_frame(uint32_t outcome, uint8_t bytes[CHOICE_FOREIGN_BYTES]);

/* Whether a chooser is asked while nodes run; else it is done by network_do at its time. */
static inline bool choice_is_asked(enum choice_source s)
{
    return s == CHOICE_FRAME || s == CHOICE_HOLD || s == CHOICE_PREEMPT || s == CHOICE_SENSOR;
}

/* Does a choice that is not asked for, now. CHOICE_BOOT is for a node that has not been switched on yet. CHOICE_SERIAL
 * is a change of the inputs, of which only its time is noted here. False if there is no such node. */
bool network_do(struct network *n, const struct choice *c);

#endif
