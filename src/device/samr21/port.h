/* A group of 32 pins of the PORT of a SAM R21 (SAM R21 datasheet, 23). The multiplexer is memory: a peripheral has the
 * pins of its board, whatever PMUX says.
 */
#ifndef DEVICE_SAMR21_PORT_H
#define DEVICE_SAMR21_PORT_H

#include "node/device.h"

struct samr21_port {
    uint32_t base;
    uint8_t first; /* pin of the node that is pin 0 of the group */
};

#define SAMR21_PIN(group, number) ((group)*32u + (number))

extern const struct device_type samr21_port;

#endif
