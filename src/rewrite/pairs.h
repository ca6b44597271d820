/* Reads that belong together: a timer, and right after it whether it has come round meanwhile, as Arduino's micros()
 * has it: `t = TCNT0; if ((TIFR0 & 1) && t < 255) m++;`.
 *
 * What the recorder takes for the first would pass between the two, and the flag be of a later time. So two
 * instructions read both registers, and both values are recorded as one of 16 bits. Invariant: each register is read as
 * often as in the source, and in the same order; nothing of what was read is live while it is recorded but what is
 * recorded, so that replay has no register or memory with an unrecorded value.
 */
#ifndef REWRITE_PAIRS_H
#define REWRITE_PAIRS_H

#include "rewrite/pass.h"

/* Before anything is visited. */
void pairs_find(struct pass *p);

#endif
