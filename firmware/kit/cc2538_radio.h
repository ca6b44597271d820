/* The radio of the CC2538 (SWRU319C, chapter 23) as a radio chip. It looks at addresses and acknowledges by itself.
 */
#ifndef KIT_CC2538_RADIO_H
#define KIT_CC2538_RADIO_H

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

#endif
