/* The uDMA controller of the CC2538 (SWRU319C, chapter 10), as firmware asks it: transfers by software requests, in
 * basic and automatic mode.
 *
 * A transfer takes no time. Requests of peripherals, ping-pong and scatter-gather are not there; a channel that needs
 * them is reported when it is enabled. Invariant: a channel is disabled when its transfer has ended.
 */
#ifndef DEVICE_CC2538_UDMA_H
#define DEVICE_CC2538_UDMA_H

#include "device/cortex/block32.h"

/* The block's line is that of software transfers. */
extern const struct device_type cc2538_udma;

#endif
