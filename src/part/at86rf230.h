/* Atmel AT86RF230, the 2.4 GHz IEEE 802.15.4 radio of IRIS (datasheet doc5131).
 *
 * One frame buffer serves both directions. The basic modes leave everything to the firmware; the extended ones judge
 * addresses, acknowledge, wait for a clear channel and repeat by themselves. Invariant: the interrupt pin is high
 * exactly while an enabled interrupt has not been read from IRQ_STATUS.
 *
 * A transmission begins 16 microseconds after it is asked for; other nodes notice its first 128 only afterwards (see
 * air.h). The frame buffer is read four to seven byte times ahead of the transmitter.
 */
#ifndef PART_AT86RF230_H
#define PART_AT86RF230_H

#include "node/device.h"

struct at86rf230_config {
    uint8_t bus;               /* SPI */
    uint8_t sel, rstn, slp_tr; /* inputs */
    uint8_t irq;               /* output */
    bool is_233; /* an AT86RF233 (Atmel 8351): its number, and where it is told to add the check sequence; what it can
                  * do beside that is not there */
};

extern const struct device_type at86rf230_type;

#endif
