/* Clustering by rotating heads, with slots: LEACH (Heinzelman, Chandrakasan, Balakrishnan, IEEE Trans. Wireless Comm.
 * 1:4, 2002).
 *
 * The base begins a round every LEACH_ROUND_MS by saying so; all count the round's time from that frame. Some nodes
 * make themselves heads and advertise it; the others join the head they hear best, which answers each with its slot.
 * Then, frame after frame, every member sends its data to the head in its slot, and the head sends what has come, and
 * its own data, to the base in one report. Heads are chosen by chance such that every node is head once in LEACH_EPOCH
 * rounds.
 *
 * What LEACH has and this has not: members do not switch off their radios outside their slots, and clusters share one
 * channel, where slots of two clusters may fall together, by CSMA instead of by codes of their own.
 *
 * Invariants: in a round a node is head or member, never both, and head once in an epoch at most. There is one message
 * for all exchanges while clusters form: it is written only while it is not on its way.
 */
#ifndef KIT_LEACH_H
#define KIT_LEACH_H

#include <stdbool.h>
#include <stdint.h>

#define LEACH_BASE     0 /* the base's address */
#define LEACH_DATA     4 /* bytes of each node in a frame */
#define LEACH_MEMBERS  13
#define LEACH_EPOCH    4
#define LEACH_ROUND_MS 20480

/* For observers. */
extern uint16_t leach_rounds;      /* that this node took part in, */
extern uint16_t leach_headed;      /* was head in, */
extern uint16_t leach_unscheduled; /* and in which a head accepted it without a slot */

bool leach_is_head(void);

/* Needs radio_start() before. `sample` gives the data for the next frame. */
void leach_start(void (*sample)(uint8_t data[LEACH_DATA]));

/* The same for the base; `received` is called with each node's data. */
void leach_base_start(void (*received)(uint16_t origin, const uint8_t data[LEACH_DATA]));

#endif
