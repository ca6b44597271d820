#include "serial_frame.h"

#include <string.h>

enum { FLAG = 0x7e, ESCAPE = 0x7d, TOGGLE = 0x20, CRC_BYTES = 2 };

/* CRC-16 with x^16 + x^12 + x^5 + 1, highest bit first, from 0. */
static uint16_t crc_of(const uint8_t *bytes, size_t count)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0));
    }
    return crc;
}

static bool serial_frame_parse(const struct frame_reader *r, struct frame *f)
{
    if (r->count > sizeof r->bytes || r->count < 1 + CRC_BYTES)
        return false;
    size_t end = r->count - CRC_BYTES, head = r->bytes[0] == FRAME_PLAIN ? 1 : 2;
    if (r->bytes[0] < FRAME_ACK || r->bytes[0] > FRAME_PLAIN || end < head || end - head > FRAME_DATA_MAX ||
        crc_of(r->bytes, end) != (r->bytes[end] | r->bytes[end + 1] << 8))
        return false;
    *f = (struct frame){.protocol = (enum frame_protocol)r->bytes[0],
                        .token = head == 2 ? r->bytes[1] : 0,
                        .data = r->bytes + head,
                        .length = end - head};
    return true;
}

bool frame_read(struct frame_reader *r, uint8_t byte, struct frame *f)
{
    if (byte == FLAG) {
        bool good = !r->escaped && serial_frame_parse(r, f);
        r->count = 0;
        r->escaped = false;
        return good;
    }
    if (byte == ESCAPE) {
        r->escaped = true;
        return false;
    }
    if (r->count < sizeof r->bytes)
        r->bytes[r->count] = r->escaped ? byte ^ TOGGLE : byte;
    r->count += r->count <= sizeof r->bytes;
    r->escaped = false;
    return false;
}

size_t frame_write(const struct frame *f, uint8_t to[FRAME_LINE_MAX])
{
    uint8_t bytes[FRAME_BYTES_MAX] = {(uint8_t)f->protocol, f->token};
    size_t count = f->protocol == FRAME_PLAIN ? 1 : 2, used = 0;
    if (f->length)
        memcpy(bytes + count, f->data, f->length);
    count += f->length;
    uint16_t crc = crc_of(bytes, count);
    bytes[count++] = (uint8_t)crc;
    bytes[count++] = (uint8_t)(crc >> 8);
    to[used++] = FLAG;
    for (size_t i = 0; i < count; i++) {
        bool escape = bytes[i] == FLAG || bytes[i] == ESCAPE;
        if (escape)
            to[used++] = ESCAPE;
        to[used++] = escape ? bytes[i] ^ TOGGLE : bytes[i];
    }
    to[used++] = FLAG;
    return used;
}
