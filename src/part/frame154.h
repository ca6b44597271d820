/* Frames of IEEE 802.15.4: the check sequence and the addressing fields, as the radios' hardware reads them.
 */
#ifndef PART_FRAME154_H
#define PART_FRAME154_H

#include <stdbool.h>
#include <stdint.h>

enum frame154_type { FRAME154_BEACON, FRAME154_DATA, FRAME154_ACK, FRAME154_COMMAND };
enum { FRAME154_PENDING = 0x10, FRAME154_ACK_REQUEST = 0x20, FRAME154_INTRA_PAN = 0x40 };
enum { FRAME154_HEADER = 23 }; /* control, sequence number, two PAN identifiers, two long addresses */

/* CRC-16 of the ITU-T, bits as they come from the air. Over a frame with its check sequence it ends as 0. */
uint16_t frame154_crc(uint16_t crc, uint8_t byte);

/* The addresses of a radio, and what else it accepts. */
struct frame154_filter {
    uint16_t pan, short_address;
    const uint8_t *long_address; /* eight bytes, lowest first */
    bool coordinator;
    bool reserved_types; /* taken without looking further */
    bool any_beacon;
};

/* How many bytes of the frame (without its length) it takes to judge it, given the first two: 3 to FRAME154_HEADER. */
unsigned frame154_header_length(const uint8_t *header);

/* Whether the frame is for us (IEEE 802.15.4-2003, 7.5.6.2, third level). All bytes of the header must be there. */
bool frame154_accepted(const uint8_t *header, const struct frame154_filter *f);

static inline enum frame154_type frame154_type(const uint8_t *header)
{
    return (enum frame154_type)(header[0] & 7);
}

#endif
