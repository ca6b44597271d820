/* When neighbours look at the channel in low-power listening, so that what is for them begins just before.
 *
 * Learned from acknowledgements: one that comes after frames without answer tells that the neighbour has just woken up.
 * Invariant: what is known of a neighbour is a time at or before one of its looks, by less than a packet's repetition.
 */
#ifndef KIT_RADIO_PHASE_H
#define KIT_RADIO_PHASE_H

#include <stdbool.h>
#include <stdint.h>

void radio_phase_learn(uint16_t neighbour, uint32_t look);

/* It answered the first frame: it was awake, or its look comes earlier than known. */
void radio_phase_met(uint16_t neighbour);

void radio_phase_forget(uint16_t neighbour);

/* The next known look that is not before `after`; false if nothing is known. */
bool radio_phase_next(uint16_t neighbour, uint32_t after, uint32_t *look);

#endif
