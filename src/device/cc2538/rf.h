/* The radio of the CC2538 (SWRU319C, chapter 23): IEEE 802.15.4 at 2.4 GHz, with FIFOs, check sequence, frame filter,
 * acknowledgements and source matching in hardware, the command strobe processor and the MAC timer.
 *
 * Registers have eight bits in words of 32. The FIFOs are memory that firmware can look into. Test modes other than a
 * modulated carrier are registers without effect. Clear channel assessment has no hysteresis. Invariant: at every
 * access the bytes received so far are in the FIFO.
 */
#ifndef DEVICE_CC2538_RF_H
#define DEVICE_CC2538_RF_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_rf;

/* Two regions of registers. */
#define CC2538_RF 0x40088000u
enum { CC2538_RF_SIZE = 0x83c };

#endif
