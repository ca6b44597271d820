/* DS2411: a silicon serial number on a one-wire bus (Maxim datasheet).
 *
 * The number is 64 bits: family code 0x01, 48 bits that are the node's id and 256, and a CRC: the lower 16 bits, of
 * which Contiki makes a node's address, are not 0 for node 0, which would be the broadcast address. Times are those of
 * the datasheet's standard speed: a bit is sampled, and a 0 of its own let go, 30 microseconds after the falling edge;
 * a reset is a low of 480 microseconds, answered after 30 by 120 of presence. Invariant: the part pulls the line low or
 * leaves it to the resistor, never drives it high.
 */
#ifndef PART_DS2411_H
#define PART_DS2411_H

#include "node/device.h"

struct ds2411 {
    uint8_t pin;
};

extern const struct device_type part_ds2411;

/* The eight bytes of a node's number in the order they are sent, the first in the lowest byte. */
uint64_t ds2411_number(uint32_t id);

#endif
