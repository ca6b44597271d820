/* Loops that do not count each of their rounds. In a short loop a step is much of the round. So the round is written
 * several times over, one after the other, and only the first of them counts: which of them an address is in tells the
 * others apart. Neither the recorder nor replay knows of it, and a log takes no more.
 *
 * Invariant: every way from a round to the next leads from one copy to the next copy, and from the last to the first;
 * so each way round that counted before still counts.
 */
#ifndef REWRITE_ROUNDS_H
#define REWRITE_ROUNDS_H

#include "rewrite/listing.h"

/* How many lines from this one on are a step in place (steps.c); 0: it begins none. */
size_t rounds_step(const struct listing *l, size_t line);

/* A line that always counts, or is an event. */
bool rounds_counts(const char *line);

/* In a file of assembly, as the compiler wrote it with a section for each function. */
bool rounds_copy(const char *path, bool avr, struct motet_error *e);

#endif
