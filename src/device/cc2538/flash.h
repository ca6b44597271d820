/* Flash controller of the CC2538 (SWRU319C, chapter 8), with what the information page and the chip's configuration
 * registers say, and the ROM (rom.h), which lies in the same program memory.
 *
 * An erase stops the CPU for 20 ms, a word for 20 us. Each node has an IEEE address of its own, which follows from its
 * id. Invariant: flash changes through the controller alone; a store to it is reported.
 */
#ifndef DEVICE_CC2538_FLASH_H
#define DEVICE_CC2538_FLASH_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_flash;

/* Where the word of the boot configuration page is that has the address of the vectors; the word before it is 0 in a
 * valid image. */
#define CC2538_BOOT        0x0027ffdcu

#define CC2538_INFORMATION 0x00280000u
enum { CC2538_INFORMATION_SIZE = 0x800 };

#endif
