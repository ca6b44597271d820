/* RADIO of the nRF52840 in its IEEE 802.15.4 mode (Product Specification, 6.20): frames at 250 kbit/s, clear channel
 * assessment and energy detection. Acknowledgements, address filters and back-off are the firmware's.
 *
 * Frames lie in RAM as PACKETPTR says: length, then the frame without its check sequence; after a received one comes
 * its link quality. The modes of Bluetooth and of Nordic's own protocols are not there: using one is reported.
 *
 * Invariant: STATE is the state; in TX a transmission is under way, in RX the ear searches or receives.
 */
#ifndef DEVICE_NRF52_RADIO_H
#define DEVICE_NRF52_RADIO_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_radio;

#endif
