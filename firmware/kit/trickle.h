/* Trickle (RFC 6206): sends something once in each interval, at a random time in its second half, unless enough others
 * have sent it; the interval doubles while nothing is new and starts over when something is.
 */
#ifndef KIT_TRICKLE_H
#define KIT_TRICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "timer.h"

struct trickle {
    struct timer timer; /* first, so that a pointer to it is one to the trickle */
    void (*say)(void);
    uint32_t shortest, longest; /* intervals, ms */
    uint8_t enough;             /* others in an interval that make one's own superfluous; 0: never */
    uint8_t heard;
    bool said;         /* or kept silent: the rest of the interval is left */
    uint32_t interval; /* ms */
    uint32_t rest;     /* ticks */
};

void trickle_start(struct trickle *t);
void trickle_reset(struct trickle *t); /* something is new: the shortest interval again */
void trickle_heard(struct trickle *t); /* another node has sent it */

#endif
