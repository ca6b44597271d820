/* A general-purpose timer of the CC2538 (SWRU319C, chapter 11): one counter of 32 bits, or two of 16 bits with
 * prescalers, on the system clock. One-shot and periodic, up and down, with time-out and match interrupts.
 *
 * Capture, edge counting, PWM and the real-time mode are reported when they are switched on. Invariant: the events of a
 * half that runs are due at its next time-out and, if it is enabled, at its next match.
 */
#ifndef DEVICE_CC2538_GPTIMER_H
#define DEVICE_CC2538_GPTIMER_H

#include "device/cortex/block32.h"

/* The block's line is that of half A; half B has `line_b`. */
struct cc2538_gptimer {
    struct block32 block;
    uint8_t line_b;
};

extern const struct device_type cc2538_gptimer;

#endif
