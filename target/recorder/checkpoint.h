/* Checkpoints: all a replay needs to begin in the middle of a life, as it is when motet_idle is entered.
 *
 * Stopping the firmware for as long as it takes to write its memory would be too long. So memory is copied in pieces
 * while the firmware goes on, with a check for each block; those that have changed are copied once more; and at the
 * end, with interrupts off, all blocks are compared with their checks, and what has changed since is written together
 * with stack and registers. Invariant: what is written last for an address is what was there at that end; if the check
 * of a block has missed a change, the digest of all, which does not rest on the checks, tells.
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "recorder.h"

/* Begins a checkpoint, or makes a piece of it. This needs no flash; interrupts may come. Zero if there is nothing to do
 * now. */
PRIVATE uint8_t checkpoint_make(void);
/* What was made goes into the flash, or the checkpoint is taken. Zero if there is nothing to do now. The flash is
 * borrowed. */
PRIVATE uint8_t checkpoint_step(void);

/* For ports and drivers, which save what only they know. */
PRIVATE SMALL void checkpoint_byte(uint8_t byte);
PRIVATE SMALL void checkpoint_word(uint16_t word);
/* Bytes that are not found there. */
PRIVATE void checkpoint_bytes(uint16_t at, const void *from, uint8_t count);

#endif
