/* Reads: values that come into the program are passed through the recorder, however they come: registers by name,
 * address, pointer and structure, library calls that copy them, memory that hardware filled or that outlived a reset.
 *
 * Invariant: of what is read only bits that matter are recorded (live.h); where it cannot be recorded it is refused.
 */
#ifndef REWRITE_READS_H
#define REWRITE_READS_H

#include "rewrite/pass.h"
#include "rewrite/poll.h"

/* Before anything is visited: loops whose reads need no recording, or only once. */
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
bool reads_check_initial(struct pass *p); /* nothing is read outside of functions */
bool reads_check_kept(struct pass *p);    /* variables in .noinit are where they can be recorded */

bool reads_visit_register(struct pass *p, int node, const struct place *at);
bool reads_visit_call(struct pass *p, int node);

/* Whether what is written to the register may have one of the bits. */
bool reads_may_write(const struct pass *p, int node, uint16_t bits);

/* What is read through a pointer of which only the run knows where it leads. */
bool reads_leads_anywhere(const struct pass *p, int node);
void reads_visit_pointer(struct pass *p, int node);

/* At the beginning of main, or of a sketch: what .noinit holds. */
bool reads_is_beginning(const struct pass *p, int function);
void reads_record_kept(struct pass *p, uint32_t at);

/* After all: declarations of variables at fixed addresses, whose names were replaced. */
void reads_leave_out_addresses(struct pass *p);

#endif
