/* Chipcon (Texas Instruments) CC2420, the 2.4 GHz IEEE 802.15.4 radio of MICAz and Telos (datasheet SWRS041).
 *
 * Its driver in the firmware reaches it over SPI and a handful of pins; the rest of the world over the air. What it
 * does by itself follows the radio control state machine of figure 25, in symbols of 16 microseconds counted from the
 * beginning of a frame, so that rounding never adds up. Invariant: the four output pins always are what the state says.
 *
 * Bytes of the TXFIFO are read for transmission up to seven byte times before they are on the air (see air.h), so
 * firmware that fills the FIFO while it is being sent has to be that far ahead of the transmitter.
 */
#ifndef PART_CC2420_H
#define PART_CC2420_H

#include "node/device.h"

struct cc2420_config {
    uint8_t bus;                   /* SPI */
    uint8_t csn, vreg_en, resetn;  /* inputs; resetn may be PIN_NONE */
    uint8_t fifo, fifop, sfd, cca; /* outputs */
};

extern const struct device_type cc2420_type;

/* Whether a whole frame waits in the receive buffer, and where in it the next byte is read. */
bool cc2420_unread(const struct node *n, const struct device *d, unsigned *front);

#endif
