/* Call chains: how a node came to where it is.
 *
 * By call frame information where the firmware has it, else by searching the stack for return addresses. Invariant: a
 * frame found by information alone is exact; from the first one that had to be searched for, all are marked as guessed.
 * A walk only goes up the stack, so it ends.
 */
#ifndef DEBUG_FRAMES_H
#define DEBUG_FRAMES_H

#include "image/debug.h"
#include "node/node.h"

struct call_frame {
    uint32_t pc;   /* byte address of the instruction under way: the call, in all frames but the innermost */
    uint32_t size; /* bytes of stack it takes, return address included; 0 if not known */
    bool guessed;
    bool interrupted; /* not by a call: an interrupt came here */
};

/* The chain for an instruction at `pc` with the stack pointer at `sp`; the registers are those of the node. Returns how
 * many frames there are, of which the first `count` are stored. */
size_t frames_walk(const struct node *n, uint32_t pc, uint32_t sp, struct call_frame *frames, size_t count);

/* The frame of a level (0 is the innermost) with its registers, and its frame address (0 if not known); false if there
 * are not so many. */
bool frames_find(const struct node *n, size_t level, struct debug_frame *frame, uint32_t *cfa);

#endif
