/* UART and UARTE of the nRF52840 (Product Specification, 6.33 and 6.34), which share their registers: with ENABLE 4
 * bytes go through TXD and RXD, with 8 by EasyDMA from and to RAM.
 *
 * Invariant: one byte at a time is on its way out. What comes in waits in a queue at the pace of the line.
 */
#ifndef DEVICE_NRF52_UART_H
#define DEVICE_NRF52_UART_H

#include "device/nrf52/block.h"

struct nrf52_uart {
    struct nrf52_block block;
    uint8_t serial; /* line */
};

extern const struct device_type nrf52_uart;

#endif
