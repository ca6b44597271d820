/* Messages over the radio: IEEE 802.15.4 data frames with short addresses, sent after listening (CSMA), acknowledged by
 * the receiver's radio if asked for.
 *
 * After the addresses of a frame there is one byte for the type of the message, then its data. Numbers in headers have
 * the low byte first, as the standard has it.
 *
 * Time stamps: the time of a frame, sent or received, is that of the end of its start-of-frame delimiter, in ticks of
 * the node's own clock (timer.h). At both ends of a link it is the same instant but for the flight, so a sender that
 * says its time in the very frame (`stamp`) lets each receiver set its clock against it. If a frame waited in the radio
 * after another its time is not known, and `timed` is false.
 *
 * Invariants: packets go out in the order of radio_send(), and each accepted one leads to exactly one sent(). A
 * received message is the listener's only until it returns. All this runs in tasks.
 */
#ifndef KIT_RADIO_H
#define KIT_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#define RADIO_EVERYBODY 0xffff
#define RADIO_ANY_TYPE  0xff /* of a listener */
#define RADIO_HEADER    10   /* control 2, sequence number 1, network 2, to 2, from 2, type 1 */
#define RADIO_DATA_MAX  (127 - 2 - RADIO_HEADER)
#define RADIO_STAMP     4
#define RADIO_NETWORK   0x22
#ifndef RADIO_CHANNEL
#define RADIO_CHANNEL 26
#endif

struct radio_packet {
    void (*sent)(struct radio_packet *p, bool arrived); /* or NULL; arrived: acknowledged, where that was asked for */
    uint16_t to;
    uint8_t type;
    bool acknowledge;
    bool stamp; /* the last RADIO_STAMP bytes of the data go out as the time of this very frame, high byte first */
    uint8_t length;
    const uint8_t *data;
    uint32_t time; /* of the frame that went out last, or first if neither of the above; set before sent() */
    bool busy;
    struct radio_packet *next;
};

struct radio_message {
    uint16_t from, to;
    uint8_t type, length;
    const uint8_t *data;
    int8_t rssi; /* as the radio's register has it */
    uint8_t lqi;
    bool timed;
    uint32_t time;
};

struct radio_listener {
    void (*received)(const struct radio_message *m);
    uint8_t type;
    struct radio_listener *next;
};

/* Turns the radio on, to stay in reception. Takes a few milliseconds. From app_start(). */
void radio_start(void);

/* Low-power listening: from now on the radio is off but for a look at the channel every so many milliseconds, and a
 * packet is sent over and over for that long, or until it is acknowledged, so that a look meets it. To whom a packet
 * has been acknowledged before, the next begins just before its look. All nodes of a network must have the same
 * interval. From app_start(), after radio_start(). */
void radio_low_power(uint16_t interval_ms);
uint16_t radio_interval_ms(void); /* 0: the radio is always on */

void radio_listen(struct radio_listener *l);

/* False if the packet is queued already or too long, or too short for its stamp. */
bool radio_send(struct radio_packet *p);

#endif
