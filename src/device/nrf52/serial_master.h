/* SPIM and TWIM of the nRF52840 (Product Specification, 6.25 and 6.31): masters of an SPI or two-wire bus by EasyDMA.
 * The two share registers, and ENABLE chooses one of them.
 *
 * A transfer's bytes are exchanged when its time is over. SPI and TWI without EasyDMA, and the slaves SPIS and TWIS,
 * are not there: switching one on is reported. So is SUSPEND of the TWIM. Invariant: one transfer is under way at most.
 */
#ifndef DEVICE_NRF52_SERIAL_MASTER_H
#define DEVICE_NRF52_SERIAL_MASTER_H

#include "device/nrf52/block.h"

struct nrf52_serial_master {
    struct nrf52_block block;
    uint8_t bus; /* number of its SPI bus, and of its two-wire bus */
    bool twi;    /* it has a TWIM too */
};

extern const struct device_type nrf52_serial_master;

#endif
