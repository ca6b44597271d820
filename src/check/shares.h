/* Shares: how the ranks of a search divide its items.
 *
 * Rank 0 gives each rank, itself too, ranges of items in ascending order, as the rank asks for more. It keeps a book of
 * what was given. A range that is completed is struck out. When a rank has said nothing for a few seconds, what it was
 * given goes to the others; if it was only slow, some items are done twice. Invariant: the search is over when each
 * item below the lowest that failed was completed by a rank. So the result is that of a single process.
 */
#ifndef CHECK_SHARES_H
#define CHECK_SHARES_H

#include "check/crew.h"

struct shares;

struct shares *shares_begin(struct crew *c, const struct ranks *r);

/* Exchanges messages with the other ranks, several times a second. False: the search is over. */
bool shares_turn(struct shares *s);

/* The result as all ranks have it; without the trace but at rank 0. */
void shares_end(struct shares *s, struct search_result *r);

#endif
