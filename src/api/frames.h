/* Call chains: how a node came to where it is.
 *
 * By call frame information where the firmware has it, else by searching the stack for return addresses. Invariant: a
 * frame found by information alone is exact; from the first one that had to be searched for, all are marked as guessed.
 * A walk only goes up the stack, so it ends.
 */
#ifndef API_FRAMES_H
#define API_FRAMES_H

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

#endif
