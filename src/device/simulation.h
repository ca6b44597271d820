/* The Motet port: three bytes of the data space by which a firmware talks to the program that runs it.
 *
 * They lie at addresses that the register summary of every chip here lists as reserved. Reading them tells a firmware
 * that it runs in Motet ('M' and 'T'; a real chip reads something else), so that target/include/motet.h never writes
 * them on real hardware. Writing the first ends the run with that status of the firmware's; writing the second sends a
 * byte to serial line SIMULATION_LINE, which no chip has. Writing the third only tells taps (MOTET_ON_MARK): it changes
 * nothing of the node.
 */
#ifndef DEVICE_SIMULATION_H
#define DEVICE_SIMULATION_H

#include "node/device.h"

enum { SIMULATION_LINE = 7 };

/* Where the bytes begin; the config may be NULL, which means SIMULATION_ADDRESS. */
enum { SIMULATION_ADDRESS = 0xf8 };
struct simulation {
    uint32_t address;
};

extern const struct device_type simulation_port;

#endif
