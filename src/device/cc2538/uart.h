/* A UART of the CC2538 (SWRU319C, chapter 18): FIFOs of 16 frames or single registers, interrupts by level and by
 * time-out.
 *
 * IrDA, LIN, smart cards, 9-bit addresses and DMA are not there. Invariant: RIS and the interrupt line follow the
 * FIFOs.
 */
#ifndef DEVICE_CC2538_UART_H
#define DEVICE_CC2538_UART_H

#include "device/cortex/block32.h"

struct cc2538_uart {
    struct block32 block;
    uint8_t serial; /* line of the board */
};

extern const struct device_type cc2538_uart;

#endif
