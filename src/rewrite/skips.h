/* Inline assembly of AVR that tests a bit of a device's register: SBIC and SBIS, as TinyOS's driver of the AT45DB reads
 * its data pin.
 *
 * The bit is read by the recorder, and the instruction after it is skipped by what that gives. Invariant: the statement
 * keeps every register and flag that SBIC and SBIS keep, but r0, which compilers use only within a statement. What may
 * depend on the length of the code, or on r0, is not touched.
 */
#ifndef REWRITE_SKIPS_H
#define REWRITE_SKIPS_H

#include "rewrite/pass.h"

/* Records all such tests in a statement of assembly. False, and nothing is done, if it has others than of numbers, or
 * if something in it does not allow that. */
bool skips_record(struct pass *p, int node);

#endif
