/* The CC2420 (SWRS041) at the board's pins, as a radio chip. Its acknowledgements come from the chip.
 */
#ifndef KIT_CC2420_H
#define KIT_CC2420_H

#include <stdbool.h>
#include <stdint.h>

#define RADIO_CHIP_TURN      192
#define RADIO_CHIP_BYTE      32
#define RADIO_CHIP_LEAD      8   /* preamble 4, delimiter, length; checksum 2 */
#define RADIO_CHIP_ANSWER    500 /* turnaround, preamble and delimiter take 352 */
#define RADIO_CHIP_PAUSE     350 /* turnaround, and eight symbols */
#define RADIO_CHIP_BACKS_OFF 0
#define RADIO_CHIP_SPREAD    4
#define RADIO_CHIP_GAP       1700
#define RADIO_CHIP_LINGER    12
#define RADIO_CHIP_SLOT      320 /* 20 symbols */

/* The board's handlers call these: SFD has risen at that time; FIFOP has risen just now. */
void cc2420_delimiter(uint32_t time);
void cc2420_frame_end(void);

/* Of the board: whether it calls cc2420_delimiter(). */
void cc2420_watch(bool on);

#endif
