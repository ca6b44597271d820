/* The invariant of a base station: every node that was heard once is heard again before SILENCE_SECONDS have passed.
 *
 * Invariant: each node that falls silent is reported once, until it is heard again. Nodes with an address from
 * SILENCE_NODES on are not watched.
 */
#ifndef KIT_SILENCE_H
#define KIT_SILENCE_H

#include <stdint.h>

#define SILENCE_NODES   32
#define SILENCE_SECONDS 40 /* of an application that reports every five: not one of eight reports has come */

/* `silent` runs in a task. */
void silence_start(void (*silent)(uint16_t node));
void silence_heard(uint16_t node);

#endif
