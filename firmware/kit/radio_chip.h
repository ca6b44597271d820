/* What radio.c needs of a radio chip; each board has one driver of it: cc2420.c, rf230.c, cc1000.c,
 * nrf52_radio.c or cc2538_radio.c.
 *
 * A driver sends and receives whole frames as radio.h has them, answers those that ask for it with an acknowledgement,
 * and knows the time of each. It calls `event` from its interrupt handlers whenever there may be something to receive
 * or a frame has gone out. Invariant: all functions run in tasks and own the SPI bus; what they start goes on without
 * it.
 */
#ifndef KIT_RADIO_CHIP_H
#define KIT_RADIO_CHIP_H

#include "radio.h"

#if defined BOARD_MICA2
#include "cc1000.h"
#elif defined BOARD_IRIS
#include "rf230.h"
#elif defined BOARD_NRF52840DK
#include "nrf52_radio.h"
#elif defined BOARD_CC2538DK || defined BOARD_OPENMOTE
#include "cc2538_radio.h"
#else
#include "cc2420.h"
#endif

/* Of the chip's header, in microseconds: RADIO_CHIP_TURN, between the decision to send and the first bit;
 * RADIO_CHIP_BYTE; RADIO_CHIP_LEAD, bytes of a frame before and after those of radio.h; RADIO_CHIP_ANSWER, from the
 * end of a frame to the delimiter of its acknowledgement at most; RADIO_CHIP_PAUSE, until it is known again whether
 * the channel is clear, as after radio_chip_on(); RADIO_CHIP_GAP, from the end of a frame to the beginning of its
 * repetition where the answer does not come, at most; RADIO_CHIP_SLOT, of backing off, and RADIO_CHIP_SPREAD, how
 * many of them are to choose from between repetitions (not where the chip RADIO_CHIP_BACKS_OFF). In milliseconds:
 * RADIO_CHIP_LINGER, how long a node that has heard another waits for a frame, longer than a common frame and a gap. */

/* Begins to receive. `channel` is that of 2.4 GHz radios. */
void radio_chip_start(uint8_t channel, void (*event)(void));

/* Reception off and on again. What has been received and what is to be sent stays in the radio. */
void radio_chip_off(void);
void radio_chip_on(void);

/* Whether another node is heard sending; not to be called before RADIO_CHIP_PAUSE is over. */
bool radio_chip_busy(void);

/* Whether a frame is coming in, for whomever. */
bool radio_chip_receiving(void);

/* Has the chip send this; header and packet stay as they are until something else is loaded. */
void radio_chip_load(const uint8_t header[RADIO_HEADER], const struct radio_packet *p);

/* Sends what is loaded, as often as it is called, unless the channel is busy; false: it is known to be. The time of
 * what is not `timed` is never asked for, and that of what comes in until the chip has been asked for its progress
 * need not be known either. */
bool radio_chip_send(bool timed);
enum radio_chip_progress {
    RADIO_CHIP_SENDING,
    RADIO_CHIP_GONE,
    RADIO_CHIP_ANSWERED, /* and acknowledged; other chips show acknowledgements as received frames */
    RADIO_CHIP_CHANNEL_BUSY,
};
enum radio_chip_progress radio_chip_progress(void);
uint32_t radio_chip_sent_time(void); /* of the last frame that has gone */

/* Takes the next good frame that is for this node or all nodes, or an acknowledgement; 0 if there is none. The
 * length is without the checksum. Sets rssi, lqi, timed and time of the message. */
uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m);

/* Of radio.c: false if the frame with this header needs not be fetched, being one that is known already. */
bool radio_wants(const uint8_t header[RADIO_HEADER]);

#endif
