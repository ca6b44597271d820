#include "part/framing.h"

#include <string.h>

enum { DELIMITER = 0xa7 };                                 /* IEEE 802.15.4-2006, 6.3.2 */
enum { SYNC_HIGH = 0x33, SYNC_LOW = 0xcc };                /* of drivers for the CC1000: TinyOS's and the kit's */
enum { ACK_LEAD = 0xab, ACK_HIGH = 0xba, ACK_LOW = 0x83 }; /* TinyOS, CC1000SendReceiveP.nc */
enum { TINYOS_HEADER = 7, TINYOS_LENGTH = 4, CHECK = 2 };  /* TinyOS, CC1000Msg.h */
enum { SHORTEST_154 = 5, LENGTH_154 = 0x7f };

/* ---- bytes of a transmission ---- */

static bool framing_alternates(uint8_t byte)
{
    return byte == 0x55 || byte == 0xaa;
}

static bool framing_is_long_preamble(const struct framing_bytes *b, uint8_t byte)
{
    return framing_alternates(byte) && b->count == FRAMING_PREAMBLE && b->bytes[0] == byte &&
           memcmp(b->bytes, b->bytes + 1, FRAMING_PREAMBLE - 1) == 0;
}

void framing_take(struct framing_bytes *b, const struct air_message *m)
{
    b->gap |= m->first != b->sent;
    b->sent = m->first + m->count;
    for (unsigned i = 0; i < m->count; i++) {
        bool more_preamble = framing_is_long_preamble(b, m->bytes[i]);
        b->left_out += more_preamble;
        b->gap |= b->count == FRAMING_ROOM;
        if (!b->gap && !more_preamble)
            b->bytes[b->count++] = m->bytes[i];
    }
}

/* ---- the frame in them ---- */

/* x^16 + x^12 + x^5 + 1, highest bit first, from 0: of the kit and of TinyOS. */
static uint16_t framing_crc(const uint8_t *bytes, size_t count)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint16_t)(bytes[i] << 8);
        for (unsigned b = 0; b < 8; b++)
            crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0));
    }
    return crc;
}

/* A length, and so many bytes of IEEE 802.15.4, of which the last two are the check sequence. */
static struct motet_framing framing_of_154(const uint8_t *bytes, size_t at, size_t count)
{
    unsigned length = at < count ? bytes[at] & LENGTH_154 : 0;
    if (at + 1 + length > count || at == count)
        return (struct motet_framing){MOTET_FRAMING_NONE, 0, 0};
    return (struct motet_framing){MOTET_FRAMING_154, at + 1, length};
}

/* The kit's: the same with a check sequence of its own, which covers the length too. */
static struct motet_framing framing_of_kit(const uint8_t *bytes, size_t at, size_t count)
{
    struct motet_framing f = framing_of_154(bytes, at, count);
    if (f.count < SHORTEST_154 || bytes[at] > LENGTH_154 || framing_crc(bytes + at, f.count + 1) != 0)
        return (struct motet_framing){MOTET_FRAMING_NONE, 0, 0};
    f.format = MOTET_FRAMING_KIT;
    return f;
}

/* TinyOS's: destination, source (high bytes first), length, group, type, data; the check sequence low byte first. */
static struct motet_framing framing_of_tinyos(const uint8_t *bytes, size_t at, size_t count)
{
    size_t checked = TINYOS_HEADER + (at + TINYOS_HEADER <= count ? bytes[at + TINYOS_LENGTH] : 0u);
    if (at + checked + CHECK > count)
        return (struct motet_framing){MOTET_FRAMING_NONE, 0, 0};
    const uint8_t *check = bytes + at + checked;
    if (framing_crc(bytes + at, checked) != (check[0] | check[1] << 8))
        return (struct motet_framing){MOTET_FRAMING_NONE, 0, 0};
    return (struct motet_framing){MOTET_FRAMING_TINYOS, at, checked + CHECK};
}

struct motet_framing framing_find(const uint8_t *bytes, size_t count)
{
    size_t at = 0;
    while (at < count && bytes[at] == 0)
        at++;
    if (at > 0 && at < count && bytes[at] == DELIMITER)
        return framing_of_154(bytes, at + 1, count);
    for (at = 0; at < count && framing_alternates(bytes[at]);)
        at++;
    if (at > 0 && at + 2 < count && bytes[at] == ACK_LEAD && bytes[at + 1] == ACK_HIGH && bytes[at + 2] == ACK_LOW)
        return (struct motet_framing){MOTET_FRAMING_TINYOS_ACK, at + 1, 2};
    if (at == 0 || at + 1 >= count || bytes[at] != SYNC_HIGH || bytes[at + 1] != SYNC_LOW)
        return (struct motet_framing){MOTET_FRAMING_NONE, 0, 0};
    struct motet_framing f = framing_of_kit(bytes, at + 2, count);
    return f.format ? f : framing_of_tinyos(bytes, at + 2, count);
}
