/* The AT86RF230 (Atmel doc5131) of IRIS, as a radio chip: received in its extended mode RX_AACK, which acknowledges.
 */
#ifndef KIT_RF230_H
#define KIT_RF230_H

#include <stdbool.h>
#include <stdint.h>

#define RADIO_CHIP_TURN      350 /* from asking for the channel's state, or the chip doing so, to the preamble */
#define RADIO_CHIP_BYTE      32
#define RADIO_CHIP_LEAD      8   /* preamble 4, delimiter, length; checksum 2 */
#define RADIO_CHIP_ANSWER    100 /* the chip waits for it itself */
#define RADIO_CHIP_PAUSE     0
#define RADIO_CHIP_BACKS_OFF 1 /* before what is to be acknowledged */
#define RADIO_CHIP_SPREAD    4
#define RADIO_CHIP_GAP       2200
#define RADIO_CHIP_LINGER    12
#define RADIO_CHIP_SLOT      320

/* The board's handler calls this: IRQ has risen at that time. */
void rf230_interrupt(uint32_t time);

#endif
