/* M25P80: 1 MB of serial flash on an SPI bus (ST datasheet; sections by name below).
 *
 * An instruction begins with the first byte after S falls and, if it changes anything, is executed when S rises. What
 * it writes is in the memory at once; WIP stays set for the typical time, and meanwhile all but RDSR is ignored.
 * Invariant: a bit goes from 1 to 0 by a page program and back only by an erase, and neither happens without WEL or in
 * a protected sector.
 */
#ifndef PART_M25P80_H
#define PART_M25P80_H

#include "node/device.h"

struct m25p80 {
    uint8_t bus;
    uint8_t select, hold, write_protect; /* pins, all active low; PIN_NONE: tied high */
    uint8_t clock, in, out;              /* of the bus, for programs that move bits by hand */
};

enum { M25P80_SIZE = 1 << 20 };

extern const struct device_type part_m25p80;

#endif
