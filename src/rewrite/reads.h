/* Reads: values that come into the program are passed through the recorder, however they come: registers by name,
 * address, pointer and structure, and memory that outlived a reset. Loops that only wait for a value are in
 * reads_loops.h, calls of the library in reads_calls.h.
 *
 * Invariant: of what is read only bits that matter are recorded (live.h); where it cannot be recorded it is refused.
 */
#ifndef REWRITE_READS_H
#define REWRITE_READS_H

#include "rewrite/pass.h"

bool reads_check_initial(struct pass *p); /* nothing is read outside of functions */
bool reads_check_kept(struct pass *p);    /* variables in .noinit are where they can be recorded */

bool reads_visit_register(struct pass *p, int node, const struct place *at);

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
