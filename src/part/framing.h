/* Frames in what radios send: the bytes of a transmission as they are said, and where its frame is in them.
 *
 * A CC1000 sends what its firmware gives it, so the format is a matter of the firmware. Formats with the same start are
 * told apart by their check sequence. Invariant: a frame that was found lies whole in the bytes.
 */
#ifndef PART_FRAMING_H
#define PART_FRAMING_H

#include "motet/base/happening.h"
#include "node/air.h"

enum { FRAMING_PREAMBLE = 16, FRAMING_ROOM = 304 }; /* TinyOS's longest: 16 + 2 + 7 + 255 + 2, and flush bytes */

/* Low-power listening makes preambles of thousands of bytes; of these only the first FRAMING_PREAMBLE are kept. */
struct framing_bytes {
    uint32_t sent;     /* how many were said */
    uint32_t count;    /* how many of them are kept */
    uint32_t left_out; /* of the preamble */
    bool gap;          /* others are missing from here on */
    uint8_t bytes[FRAMING_ROOM];
};

/* Takes an AIR_BYTES message. */
void framing_take(struct framing_bytes *b, const struct air_message *m);

/* MOTET_FRAMING_NONE with a start and count of 0 if there is no frame that Motet knows, or not all of it. */
struct motet_framing framing_find(const uint8_t *bytes, size_t count);

#endif
