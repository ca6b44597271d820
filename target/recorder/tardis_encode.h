/* Encoding with the tardis codec, event by event.
 *
 * For the node (codec_tardis.c) and for the host, which wants to know how large a log would be: TARDIS_COUNT(what,
 * bits) may count bits by what they are for. Invariant: as codec_tardis.h says.
 */
#ifndef TARDIS_ENCODE_H
#define TARDIS_ENCODE_H

#include <stdint.h>

#include "codec_tardis.h"
#include "config.h"

/* What bits are for. TARDIS_BEYOND is what Figure 4 of the paper has no place for, TARDIS_FRAMES the bytes before
 * chunks and the bits that fill the last ones. */
enum { TARDIS_FOR_STATE, TARDIS_FOR_TIMERS, TARDIS_FOR_DATA, TARDIS_FOR_INTERRUPTS, TARDIS_BEYOND, TARDIS_FRAMES };

struct tardis_stream {
    uint8_t bytes[TARDIS_CHUNK];
    uint8_t used, byte, bits; /* of the byte that is not full yet */
};

struct tardis_run {
    uint16_t value; /* live bits alone */
    uint8_t length; /* 0: none yet */
};

struct tardis {
    struct tardis_stream streams[TARDIS_STREAMS];
    uint16_t sites[TARDIS_SITES];
    struct tardis_run runs[TARDIS_SITES];
    uint16_t timer[2]; /* as read last, of 8 and 16 bits */
    uint8_t window[TARDIS_WINDOW], hashes[TARDIS_HASHES];
    uint8_t at;             /* in the window: where the next byte goes */
    uint8_t waiting;        /* bytes that are not written yet and may begin a match */
    uint8_t offset, length; /* of the match under way, if there is one */
    uint8_t events;         /* since the last entry of TARDIS_ORDER */
    uint8_t entries;
    uint16_t check; /* of all events so far (event.h) */
    uint8_t format, begun, compare_count;
    const struct tardis_compare *compares;
    uint8_t turn; /* of streams to be flushed: the last that was */
    uint16_t out; /* bytes since then */
    uint16_t sp;
};

/* Takes the bytes; the caller has it. */
PRIVATE void tardis_out(struct tardis *t, uint8_t byte);

PRIVATE void tardis_begin(struct tardis *t, uint8_t format, const struct tardis_compare *compares, uint8_t count);

/* A read, with the bits that are live. */
PRIVATE void tardis_read(struct tardis *t, uint16_t site, uint8_t wide, uint16_t live, uint16_t value);
/* The next read of a timer is near to this. */
PRIVATE void tardis_expect(struct tardis *t, uint8_t wide, uint16_t value);
/* A byte of a block; after the last, an event. */
PRIVATE void tardis_byte(struct tardis *t, uint8_t byte);
/* An event of which execution knows when it comes. */
PRIVATE void tardis_event(struct tardis *t);

/* `where` is TARDIS_CODE, TARDIS_LIBRARY or TARDIS_INSIDE, which has no address. */
PRIVATE void tardis_interrupt(struct tardis *t, uint8_t where, uint8_t vector, uint16_t address, uint16_t count,
                              uint16_t sp, const uint16_t *hash);
PRIVATE void tardis_woke(struct tardis *t, uint8_t vector);
PRIVATE void tardis_notice(struct tardis *t, uint8_t mark, uint16_t value);
/* Something else that can come anywhere. */
PRIVATE void tardis_order(struct tardis *t, uint8_t what);

/* All that came so far can be decoded from what comes out. */
PRIVATE void tardis_flush(struct tardis *t);

#endif
