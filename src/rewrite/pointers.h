/* Pointers to registers that could not be followed, and functions that read but are not called by name: refused.
 *
 * Invariant: after the checks, a pointer that the source makes of the number of a register that changes by itself is
 * volatile wherever it goes, so each read through it is recorded (reads.h).
 */
#ifndef REWRITE_POINTERS_H
#define REWRITE_POINTERS_H

#include "rewrite/pass.h"

/* `uint8_t *p = (uint8_t *)0x52`: the number of a register becomes a pointer that is not volatile. */
bool pointers_visit_cast(struct pass *p, int node);

/* A function that reads EEPROM, named otherwise than to call it. */
bool pointers_visit_reference(struct pass *p, int node);

/* The same two outside of functions. */
bool pointers_check_file(struct pass *p);

#endif
