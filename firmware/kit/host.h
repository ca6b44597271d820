/* At the root of a collection: passes packets on to the host over the serial port, as the origin's address (16 bits)
 * and the data. A few can wait; of what comes then, host_lost counts.
 */
#ifndef KIT_HOST_H
#define KIT_HOST_H

#include <stdint.h>

extern uint16_t host_lost;

void host_start(void);
void host_pass(uint16_t origin, const uint8_t *data, uint8_t length); /* fits collection_start() */

#endif
