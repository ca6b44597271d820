/* Packets over the serial port.
 *
 * On the line a frame is FLAG, protocol, [token,] data, CRC (low byte first, over what is between the flags), FLAG,
 * with FLAG and ESCAPE inside it replaced by ESCAPE and the byte xor 0x20. A packet of SERIAL_ACKNOWLEDGED carries a
 * token, is answered by a frame SERIAL_ACK with the same token, and sent again if the answer does not come; one of
 * SERIAL_PLAIN has neither token nor answer. These are the frames of TinyOS (TEP 113).
 *
 * Invariants: a received packet lies in one of two buffers. A buffer is locked from the first byte of a frame until the
 * frame turns out bad or the application has released it, and what comes while the buffer whose turn it is is locked is
 * dropped without an answer. A packet to be sent belongs to this module from serial_send() to sent().
 */
#ifndef KIT_SERIAL_H
#define KIT_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

#define SERIAL_DATA_MAX 64

enum {
    SERIAL_FLAG = 0x7e,
    SERIAL_ESCAPE = 0x7d,
    SERIAL_ACK = 67,
    SERIAL_ACKNOWLEDGED = 68,
    SERIAL_PLAIN = 69,
};

struct serial_buffer {
    uint8_t length;
    uint8_t data[SERIAL_DATA_MAX + 2]; /* with room for the CRC */
};

struct serial_packet {
    void (*sent)(struct serial_packet *p, bool arrived); /* or NULL; arrived: acknowledged, where that was asked for */
    const uint8_t *data;
    uint8_t length;
    uint8_t protocol; /* SERIAL_ACKNOWLEDGED or SERIAL_PLAIN */
    uint8_t attempts;
    bool busy;
    struct serial_packet *next;
};

/* Opens the port. `received` runs in a task and owns the buffer until serial_release(). */
void serial_start(void (*received)(struct serial_buffer *b));
void serial_release(struct serial_buffer *b);

/* Queues a packet. False if it is queued already or too long. From tasks. */
bool serial_send(struct serial_packet *p);

#endif
