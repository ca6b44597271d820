/* Random numbers that differ from node to node and are the same in every run: seeded by node_id.
 */
#ifndef KIT_RANDOM_H
#define KIT_RANDOM_H

#include <stdint.h>

uint16_t random_next(void);

#endif
