/* Time synchronisation by flooding: all nodes come to know the time of one of them, the root, as FTSP does it (Maróti,
 * Kusy, Simon, Lédeczi, SenSys 2004).
 *
 * The root is the node with the lowest address that is there. Every TIMESYNC_PERIOD it begins a round: it says its time
 * in a frame that carries the time of its own delimiter, under a number one higher each time. A node that hears a new
 * number notes the time of the frame by its own clock and by the sender's, and passes it on: at once, and what he has
 * heard, not what he makes of it, since otherwise errors grow from hop to hop as one reckoning is built upon another
 * (Lenzen, Sommer, Wattenhofer, SenSys 2009). A straight line through the last eight of these points is what he takes
 * for the global time, the line's slope being how much faster the root's clock runs than his.
 *
 * Invariants: a point comes into the line once for each round, from the first sender. A node that becomes root goes on
 * with the global time it knew, so that the time does not jump when a root dies or a lower one appears.
 */
#ifndef KIT_TIMESYNC_H
#define KIT_TIMESYNC_H

#include <stdbool.h>
#include <stdint.h>

#ifndef TIMESYNC_PERIOD
#define TIMESYNC_PERIOD 10 /* seconds */
#endif
#define TIMESYNC_NO_ROOT 0xffff

/* Needs radio_start() before. */
void timesync_start(void);

/* Whether enough is known for timesync_global() to say the time. */
bool timesync_known(void);

/* The global time, in ticks, at a time of this node's clock (timer_now() or that of a frame) not long ago or ahead. */
uint32_t timesync_global(uint32_t local);

/* The node whose time it is; TIMESYNC_NO_ROOT while none is known. */
uint16_t timesync_root(void);

#endif
