/* The CC1000 (SWRS048) of MICA2, as a radio chip: 915 MHz, 19.2 kbit/s in Manchester code, bit by bit through the SPI,
 * which the radio clocks. Everything above bits is done here.
 *
 * On the air: a preamble, the two bytes of the delimiter, the length of what follows, the frame as radio.h has it, its
 * CRC-16 (crc.h, over the length as well), high byte first.
 */
#ifndef KIT_CC1000_H
#define KIT_CC1000_H

#include <stdbool.h>
#include <stdint.h>

#define RADIO_CHIP_TURN      600
#define RADIO_CHIP_BYTE      417
#define RADIO_CHIP_LEAD      14   /* preamble 8, delimiter 2, length, CRC 2, one that flushes the transmitter */
#define RADIO_CHIP_ANSWER    5000 /* switching, preamble and delimiter, and up to a byte each of being out of step */
#define RADIO_CHIP_PAUSE     0
#define RADIO_CHIP_BACKS_OFF 0
#define RADIO_CHIP_SPREAD    1
#define RADIO_CHIP_GAP       6800
#define RADIO_CHIP_LINGER    40
#define RADIO_CHIP_SLOT      500

/* From the SPI having shifted out a byte to a receiver's having shifted it in, in microseconds, but for their phases.
 * Measured in Motet, whose radio needs a byte and 128 us (src/part/cc1000.h); Maroti and others (The Flooding Time
 * Synchronization Protocol, SenSys 2004, table 1) have about 110 with the real one. */
#define CC1000_DELAY 545

/* The board's handler calls this with each byte that was shifted in; the result is the next to be shifted out. */
uint8_t cc1000_exchange(uint8_t in);

#endif
