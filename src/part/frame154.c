#include "part/frame154.h"

#include <string.h>

uint16_t frame154_crc(uint16_t crc, uint8_t byte)
{
    uint8_t low = (uint8_t)(crc ^ byte);
    low ^= (uint8_t)(low << 4);
    return (uint16_t)(crc >> 8 ^ low << 8 ^ low << 3 ^ low >> 4);
}

enum { NO_ADDRESS, RESERVED_ADDRESS, SHORT_ADDRESS, LONG_ADDRESS };

static unsigned destination_mode(const uint8_t *header)
{
    return header[1] >> 2 & 3;
}

static unsigned frame154_source_mode(const uint8_t *header)
{
    return header[1] >> 6 & 3;
}

static unsigned address_length(unsigned mode)
{
    return mode == LONG_ADDRESS ? 8 : mode == SHORT_ADDRESS ? 2 : 0;
}

static bool source_pan_present(const uint8_t *header)
{
    bool elided = header[0] & FRAME154_INTRA_PAN && destination_mode(header) != NO_ADDRESS;
    return frame154_source_mode(header) != NO_ADDRESS && !elided;
}

static unsigned source_offset(const uint8_t *header)
{
    unsigned mode = destination_mode(header);
    return 3 + (mode == NO_ADDRESS ? 0 : 2 + address_length(mode));
}

unsigned frame154_header_length(const uint8_t *header)
{
    if (frame154_type(header) == FRAME154_ACK || (header[0] & 4))
        return 3;
    return source_offset(header) + (source_pan_present(header) ? 2 : 0) + address_length(frame154_source_mode(header));
}

static uint16_t frame154_word_at(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static bool is_destination(const uint8_t *header, const struct frame154_filter *f)
{
    uint16_t pan = frame154_word_at(header + 3);
    if (pan != f->pan && pan != 0xffff)
        return false;
    if (destination_mode(header) == LONG_ADDRESS)
        return memcmp(header + 5, f->long_address, 8) == 0;
    uint16_t address = frame154_word_at(header + 5);
    return destination_mode(header) == SHORT_ADDRESS && (address == f->short_address || address == 0xffff);
}

bool frame154_accepted(const uint8_t *header, const struct frame154_filter *f)
{
    if (header[0] & 4)
        return f->reserved_types;
    enum frame154_type type = frame154_type(header);
    if (type == FRAME154_ACK)
        return true;
    bool source_pan = source_pan_present(header);
    uint16_t from = source_pan ? frame154_word_at(header + source_offset(header)) : 0;
    if (type == FRAME154_BEACON)
        return f->any_beacon || f->pan == 0xffff || (source_pan && from == f->pan);
    if (destination_mode(header) != NO_ADDRESS)
        return is_destination(header, f);
    return f->coordinator && source_pan && from == f->pan;
}
