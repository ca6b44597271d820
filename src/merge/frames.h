/* Frames in the bytes that a firmware exchanged with its radio chip.
 *
 * A full recording has every byte that the firmware wrote to the bus, and those it read. The chip's commands say which
 * of them are frames, when one was sent and what was received. Frames are those of IEEE 802.15.4, from the frame
 * control field on, without length and check sequence. Invariant: a frame is received only if the firmware read all of
 * it and its check sequence was right. The content of a sent one is what the chip's buffer held when it was sent:
 * firmwares write time stamps into it after the start.
 *
 * The CC1000 has no frames on its bus but bits, which the firmware puts together: a preamble, a delimiter (0x33cc),
 * then a frame of the kit or of TinyOS. Those of TinyOS have other headers, and are given with that of IEEE 802.15.4.
 */
#ifndef MERGE_FRAMES_H
#define MERGE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frames_chip { FRAMES_CC2420, FRAMES_AT86RF230, FRAMES_CC1000 };

enum { FRAMES_LONGEST = 127, FRAMES_STREAM = 304 };

/* What is found. A send is begun first, and later turns out to be this frame, or none: the channel was busy. */
struct frames_sink {
    void *context;
    uint32_t (*begun)(void *context);                                                 /* returns its ticket */
    void (*sent)(void *context, uint32_t ticket, const uint8_t *frame, size_t count); /* count 0: none */
    void (*received)(void *context, const uint8_t *frame, size_t count);
};

/* Bits to or from a chip that knows no frames, and what came after a delimiter in them. */
struct frames_stream {
    uint32_t window;        /* the last bits */
    bool inside;            /* after a delimiter, */
    uint8_t inverted, left; /* of which all bits are these; how many are missing in the byte under way */
    uint8_t waits;          /* bits in which a delimiter may still come after a preamble */
    uint8_t bytes[FRAMES_STREAM];
    unsigned count;
};

/* Where the chip is in its protocol. */
struct frames {
    enum frames_chip chip;
    struct frames_sink sink;
    bool selected;
    unsigned step; /* bytes since the last command */
    uint8_t command;
    unsigned address;  /* in the chip's memory, of the next byte */
    bool answer_known; /* of the last byte written */
    uint8_t transmit[1 + FRAMES_LONGEST];
    unsigned transmit_count;
    bool sending, sure, written; /* a send is under way; it has begun for sure; the buffer was written since */
    bool awaits;                 /* the frame is written after its start */
    bool may_start;              /* the state that was asked for sends when the pin rises */
    uint32_t ticket;
    uint8_t receive[1 + FRAMES_LONGEST]; /* length and frame, as far as it was read */
    unsigned receive_count;
    bool receive_known;           /* all bytes of it */
    struct frames_stream out, in; /* CC1000 */
};

void frames_begin(struct frames *f, enum frames_chip chip, struct frames_sink sink);
void frames_select(struct frames *f, bool selected);
void frames_out(struct frames *f, uint8_t byte);
void frames_in(struct frames *f, uint8_t byte); /* what came back for the last byte */
void frames_start(struct frames *f);            /* the pin that starts a transmission has risen */
void frames_end(struct frames *f);              /* nothing follows */

/* The short address of a frame's sender; false if it has none. */
bool frames_source(const uint8_t *frame, size_t count, uint16_t *address);
/* Bytes before the payload, with TinyOS's byte that names its network. */
size_t frames_header(const uint8_t *frame, size_t count);
bool frames_is_acknowledgement(const uint8_t *frame, size_t count);

#endif
