/* When the radio is on: always, or in low-power listening for a look at the channel in every interval, and for as long
 * after it as there is a reason.
 *
 * Invariant: looks come at multiples of the interval from a start that differs from node to node, independent of other
 * events, so that a neighbour that has met one knows when the others come (radio_phase.h).
 */
#ifndef KIT_RADIO_POWER_H
#define KIT_RADIO_POWER_H

#include <stdbool.h>
#include <stdint.h>

extern uint32_t radio_power_interval; /* ticks; 0: always on */

/* `work` is called in a task when radio_power_work() has something to do. */
void radio_power_start(uint32_t interval, void (*work)(void));

/* All these need the SPI bus, as radio_chip.h does. */
void radio_power_on(void);             /* there is something to send */
void radio_power_heard(bool followed); /* a frame has come; another node may be sending too, or this one more */
void radio_power_work(bool sending);   /* does what has come up; the radio stays on while something is being sent */

#endif
