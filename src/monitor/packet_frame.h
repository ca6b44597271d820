/* Frames: the header of IEEE 802.15.4 (2006, 7.2) in what a radio has sent, and the type of the message after it. */
#ifndef MONITOR_PACKET_FRAME_H
#define MONITOR_PACKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet_frame {
    const uint8_t *bytes; /* after its length, to the check sequence */
    unsigned length;      /* as the frame says it; all of it is there */
    bool known;           /* its control field and addresses could be read; else the rest is 0 */
    unsigned kind;        /* 0 beacon, 1 data, 2 acknowledgement, 3 command */
    bool acknowledge;     /* is asked for */
    unsigned sequence;
    int network, type;           /* -1: it has none */
    unsigned to_size, from_size; /* bytes of the addresses: 0, 2 or 8 */
    uint64_t to, from;
};

/* From the preamble on: zeros and 0xa7, or of a byte radio 0xaa and 0x33 0xcc. False if that, or the length, is not
 * there or there are fewer bytes. */
bool packet_frame_read(struct packet_frame *f, const uint8_t *bytes, size_t count);

const char *packet_frame_kind(unsigned kind); /* "data" */

#endif
