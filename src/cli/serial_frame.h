/* Serial frames: packets on a node's serial line, as TinyOS sends them (TEP 113, section 3).
 *
 * On the line a frame is FLAG, protocol, [token,] data, CRC (low byte first, over what is before it), FLAG, with FLAG
 * and ESCAPE inside it replaced by ESCAPE and the byte xor 0x20. Invariant: a reader finds every whole frame again
 * after any noise, and gives only those whose CRC is right.
 */
#ifndef CLI_SERIAL_FRAME_H
#define CLI_SERIAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_protocol {
    FRAME_ACK = 67,          /* an answer: the token and nothing else */
    FRAME_ACKNOWLEDGED = 68, /* has a token, is to be answered */
    FRAME_PLAIN = 69,        /* neither */
};

enum { FRAME_DATA_MAX = 255, FRAME_BYTES_MAX = 2 + FRAME_DATA_MAX + 2, FRAME_LINE_MAX = 2 * FRAME_BYTES_MAX + 2 };

struct frame {
    enum frame_protocol protocol;
    uint8_t token;
    const uint8_t *data; /* of a reader: until its next byte */
    size_t length;
};

struct frame_reader {
    uint8_t bytes[FRAME_BYTES_MAX];
    size_t count; /* may exceed the room: the frame is too long then */
    bool escaped;
};

/* Takes a byte from the line; true if it completes a good frame. */
bool frame_read(struct frame_reader *r, uint8_t byte, struct frame *f);

/* Writes a frame of up to FRAME_DATA_MAX bytes of data as it goes over the line; returns how many bytes it has there.
 */
size_t frame_write(const struct frame *f, uint8_t to[FRAME_LINE_MAX]);

#endif
