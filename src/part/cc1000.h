/* Chipcon (Texas Instruments) CC1000, the FSK radio of MICA2 (datasheet SWRS048).
 *
 * Configured over three wires; data goes bit by bit over DIO, clocked by the radio, which on MICA2 is the
 * microcontroller's SPI as a slave. While it receives it delivers bits for ever, those of the strongest signal or,
 * without one, of noise; where bytes begin in them is for the firmware to find out. Invariant: the data clock runs
 * exactly while the receiver or the transmitter is on.
 *
 * A byte is known here when its last bit has been shifted out, and must be sent AIR_AHEAD before it is heard: what is
 * sent is on the air one byte and AIR_AHEAD later than with the real radio.
 */
#ifndef PART_CC1000_H
#define PART_CC1000_H

#include "node/device.h"

struct cc1000_config {
    uint8_t pclk, pdata, pale; /* configuration */
    uint8_t bus;               /* SPI, of which the radio is the master */
    uint8_t rssi;              /* analog channel */
    uint8_t chp_out;           /* output: lock indicator */
    double crystal;            /* Hz */
};

extern const struct device_type cc1000_type;

#endif
