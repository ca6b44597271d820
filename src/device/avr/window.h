/* Timed sequences: a write that takes effect only within a few CPU cycles of another one that prepared it.
 *
 * A window is the last cycle of CLOCK_CPU in which the second write counts; 0 is a closed one. Nothing is scheduled:
 * whether a window is open is computed at the access, so that an access between two events is judged exactly.
 */
#ifndef DEVICE_AVR_WINDOW_H
#define DEVICE_AVR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "node/node.h"

static inline uint64_t window_opened(const struct node *n, unsigned cycles)
{
    return node_cycle(n, CLOCK_CPU) + cycles;
}

static inline bool window_is_open(const struct node *n, uint64_t window)
{
    return window != 0 && node_cycle(n, CLOCK_CPU) <= window;
}

#endif
