/* The CC2420 (SWRS041) at the board's pins: what radio.c needs of a radio. All but cc2420_start() need the SPI bus.
 */
#ifndef KIT_CC2420_H
#define KIT_CC2420_H

#include <stdbool.h>
#include <stdint.h>

/* Resets and configures the radio and begins to receive; `event` is called by the handler when a frame is there. */
void cc2420_start(uint8_t channel, uint16_t network, uint16_t address, void (*event)(void));

/* Reception off and on again. What has been received and what is to be sent stays in the radio. */
void cc2420_off(void);
void cc2420_on(void);

/* Whether somebody is heard sending; false shortly after cc2420_on(). */
bool cc2420_busy(void);

/* Puts a frame into the transmit buffer, piece by piece: begin with its length (with the two bytes of the checksum,
 * which the radio adds). */
void cc2420_load_begin(uint8_t length);
void cc2420_load(const uint8_t *bytes, uint8_t count);
void cc2420_load_end(void);

/* Sends what is in the transmit buffer unless the channel is busy; false if it is. The buffer can be sent again. */
bool cc2420_send(void);
bool cc2420_sending(void);

/* Takes the next good frame out of the receive buffer; 0 if there is none. The length is without the checksum, in place
 * of which there are the signal strength and, in seven bits, the correlation. */
uint8_t cc2420_receive(uint8_t frame[127]);

#endif
