/* The radio of the nRF52840 (Product Specification v1.7, 6.20) in its IEEE 802.15.4 mode, as a radio chip. Addresses
 * and acknowledgements are done here: the chip sends and receives frames, and looks whether the channel is clear.
 */
#ifndef KIT_NRF52_RADIO_H
#define KIT_NRF52_RADIO_H

#define RADIO_CHIP_TURN      192 /* clear channel assessment 128, ramp-up 30, and what starts it */
#define RADIO_CHIP_BYTE      32
#define RADIO_CHIP_LEAD      8   /* preamble 4, delimiter, length; checksum 2 */
#define RADIO_CHIP_ANSWER    500 /* turnaround, preamble and delimiter take 352 */
#define RADIO_CHIP_PAUSE     100
#define RADIO_CHIP_BACKS_OFF 0
#define RADIO_CHIP_SPREAD    4
#define RADIO_CHIP_GAP       1700
#define RADIO_CHIP_LINGER    12
#define RADIO_CHIP_SLOT      320 /* 20 symbols */

#endif
