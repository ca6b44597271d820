/* Unwinding where call frame information is not enough: see unwind_avr.c. */
#ifndef IMAGE_UNWIND_H
#define IMAGE_UNWIND_H

#include "image/internal.h"

/* What a function's prologue has done to the stack, up to some place. */
struct avr_prologue {
    unsigned pushed;   /* bytes, without what is taken through Y */
    unsigned hidden;   /* those of `pushed` that CFI does not count */
    uint8_t saved[32]; /* for each register, the how-manieth byte pushed it is; 0: not pushed */
    unsigned y_loaded; /* bits 0 and 1: r28 and r29 hold the stack pointer as it was after `pushed`, less `below_y` */
    unsigned below_y;
    bool y_broken; /* between the two instructions that take `below_y` from it; SP is still what it was */
};

/* Follows the prologue from `start`; whether it reaches to `pc`. If not, `p` says what the whole of it does. */
bool avr_prologue_follow(const struct image *i, uint32_t start, uint32_t pc, unsigned return_width,
                         struct avr_prologue *p);

/* Follows the epilogue from frame->pc; where it leads to a return without anything else, gives the registers there. */
bool avr_epilogue_follow(const struct image *i, const struct debug_frame *frame, debug_read *read, void *context,
                         struct debug_frame *at_return);

/* Whether the instruction before this address is a call, as it must be at a return address. */
bool avr_follows_call(const struct image *i, uint32_t address);

#endif
