/* The Motet port: two bytes of the data space by which a firmware talks to the program that runs it.
 *
 * They lie at addresses that the register summary of every chip here lists as reserved. Reading them tells a firmware
 * that it runs in Motet ('M' and 'T'; a real chip reads something else), so that target/include/motet.h never writes
 * them on real hardware. Writing the first ends the run with that status of the firmware's; writing the second sends a
 * byte to serial line SIMULATION_LINE, which no chip has.
 */
#ifndef DEVICE_SIMULATION_H
#define DEVICE_SIMULATION_H

#include "node/device.h"

enum { SIMULATION_EXIT = 0xf8, SIMULATION_CONSOLE = 0xf9, SIMULATION_LINE = 7 };

/* Has no config. */
extern const struct device_type simulation_port;

#endif
