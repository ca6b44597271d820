/* Outcomes: what an exhaustive search tries of each choice, the default first.
 *
 * Frames and conversions are always tried, as far as they have a weight. Other sources are tried if the search was
 * asked for them: an interrupt comes at once, or as late as it may; at an instant a node is left alone, or one of the
 * sources with times of their own happens to it; what the host sends comes as meant, never, or with its middle byte
 * damaged.
 *
 * Invariant: the outcomes of a choice are a function of the search's options and of the choice's name.
 */
#ifndef CHECK_OUTCOMES_H
#define CHECK_OUTCOMES_H

#include "check/walk.h"

enum { OUTCOMES_OF_SERIAL = 3 };

struct outcomes {
    const struct weights *weights;
    enum frame_outcome frames[FRAME_OUTCOMES];
    unsigned frame_count;
    enum choice_source timed[CHOICE_SOURCES]; /* that happen at instants */
    unsigned timed_count;
    bool holds, serials; /* are tried */
    unsigned most;       /* outcomes of any choice */
};

/* `also` has a bit 1 << source for each source beside frames and conversions. */
void outcomes_find(struct outcomes *o, const struct weights *w, unsigned also);

/* Of something that is asked for while nodes run: how many outcomes it has, and one of them. */
unsigned outcomes_count(const struct outcomes *o, const struct network *n, const struct choice *c);
uint32_t outcomes_at(const struct outcomes *o, const struct network *n, const struct choice *c, unsigned number);

/* What may happen to a node at an instant. Number 0 is nothing, which has the source CHOICE_SOURCES. */
unsigned outcomes_timed_count(const struct outcomes *o);
struct choice outcomes_timed(const struct outcomes *o, uint32_t node, uint64_t at, unsigned number);

/* Of what the host sends at once; the choice's outcome is how many bytes that are. */
uint32_t outcomes_of_serial(const struct choice *c, unsigned number);

#endif
