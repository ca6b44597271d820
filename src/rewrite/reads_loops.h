/* Loops whose reads need no recording, or only once: those that poll a flag, wait for a comparison, or read a counter
 * until it is the same twice.
 *
 * Invariant: nothing that the rounds of such a loop read is live after it, but what is recorded where it ends.
 */
#ifndef REWRITE_READS_LOOPS_H
#define REWRITE_READS_LOOPS_H

#include "rewrite/pass.h"
#include "rewrite/poll.h"

/* Before anything is visited. */
void reads_find_polls(struct pass *p);
void reads_find_waits(struct pass *p);
bool reads_find_steady(struct pass *p);
bool reads_is_poll(struct pass *p, int read, uint32_t live, uint32_t changing, struct poll *poll);
/* Where variables are kept in memory (-O0) a polling loop becomes a function of its own, which replay does not execute:
 * what was read last is in the function's frame, and nowhere else. */
bool reads_polls_apart(const struct pass *p);
void reads_poll_apart(struct pass *p, const struct poll *poll, const struct place *at, unsigned size, uint32_t live);
/* The end of a polling loop's mark: in replay motet_v is made what leaves the loop, or what stays in it; the flags
 * that the read left are forgotten, if asked for. To be freed.
 */
char *reads_mark_text(struct pass *p, unsigned leave, unsigned stay, unsigned size, bool forgets);
/* The type of an integer variable of up to four bytes; what a call leaves in registers and flags is made the same. */
const char *reads_type(const struct tree_node *n);
const char *reads_clear(const struct pass *p);

/* The read of a loop that polls is marked for replay, which leaves the loop. */
void reads_mark_poll(struct pass *p, int node, const struct poll *poll, uint32_t live);

#endif
