/* Frames: the header of IEEE 802.15.4 (2006, 7.2) or of TinyOS on a CC1000 in what a radio has sent, and the type of
 * the message. */
#ifndef MONITOR_PACKET_FRAME_H
#define MONITOR_PACKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/watch.h"

struct packet_frame {
    int length;                  /* as the frame says it; -1: it says none */
    bool known;                  /* its control field and addresses could be read; else the rest is 0 */
    unsigned kind;               /* 0 beacon, 1 data, 2 acknowledgement, 3 command */
    bool acknowledge;            /* is asked for */
    int sequence, network, type; /* -1: it has none. TinyOS's group is the network */
    unsigned to_size, from_size; /* bytes of the addresses: 0, 2 or 8 */
    uint64_t to, from;
};

/* `at` is where the frame lies in the bytes. False if there is none. */
bool packet_frame_read(struct packet_frame *f, const uint8_t *bytes, struct motet_framing at);

const char *packet_frame_kind(unsigned kind); /* "data" */

#endif
