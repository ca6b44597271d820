/* The tardis codec: the format of TARDIS (Tancreti et al., IPSN 2015, Figure 4), as a reference for our own.
 *
 * Shared by the node, by replay (src/record), which decodes, and by programs that want to know how large a log would
 * be. Three streams of bits are the paper's (docs/node-logs.md says where they differ): reads of state registers (for
 * each site, when its value changes, the length of the run that has ended and the new value) and of timers
 * (differences); data registers (LZRW-T); interrupts. A fourth holds what exact replay needs beyond that and is in no
 * other stream: how many events lie between two that can come anywhere, the stack pointer of an interrupt, the hash of
 * a library position, marks, a check. A stream leaves in chunks of up to TARDIS_CHUNK bytes with a byte before each
 * that says which stream it belongs to; so the four are one sequence of bytes. Invariants: both sides do the same with
 * the same events, so that sites have the same index on both; when a chunk of the fourth stream leaves, all changes of
 * state registers before it have left, so that a register without a change has not changed.
 */
#ifndef CODEC_TARDIS_H
#define CODEC_TARDIS_H

#include <stdint.h>

#include "event.h"

enum { TARDIS_STATE /* and timers */, TARDIS_DATA, TARDIS_INTERRUPTS, TARDIS_ORDER, TARDIS_STREAMS };
enum {
    TARDIS_CHUNK = 32,
    TARDIS_ORDER_CHUNK = 16,
    TARDIS_STREAM_SHIFT =
        6, /* of the byte before a chunk; below, whether everything before it is written, and its length */
    TARDIS_FLUSHED = 0x20, /* the last bits are ones that mean nothing: no entry of that length begins so */
    TARDIS_SITES = 64,
    TARDIS_WINDOW = 128,
    TARDIS_HASHES = 64,
    TARDIS_LEAST_MATCH = 3,
    TARDIS_FARTHEST = TARDIS_WINDOW - TARDIS_LEAST_MATCH,
    TARDIS_MOST_RUN = 255,
    TARDIS_MOST_EVENTS = 63,
    TARDIS_CHECK_EVERY = 32,
    TARDIS_FLUSH_EVERY = 192, /* bytes, then what there is of one of the streams goes out: none waits for long */
};
/* What an entry of the fourth stream leads to: as many ones, then a zero but for the last. */
enum { TARDIS_CODE, TARDIS_LIBRARY, TARDIS_INSIDE, TARDIS_WRAPPED, TARDIS_NOTICE, TARDIS_NOTHING };
/* After the interrupt of a timer its next read is near to the compare register that fired, or to 0 (the paper's 3.6).
 * Which vectors have one is in the fourth stream, after its first byte: how many, in 4 bits, then vector, whether the
 * timer has 16 bits, and two words. */
enum { TARDIS_COMPARES = 15, TARDIS_CAPTURES = 0x0100 };
struct tardis_compare {
    uint16_t vector, wide;
    uint16_t at;      /* address of the compare register; 0: the timer is at 0 then */
    uint16_t control; /* of a register with the bit TARDIS_CAPTURES, which must not be set; 0: there is none */
};

/* The first byte of the fourth stream: bits of a vector's number, and whether timers have 8 bits or 16. */
enum { TARDIS_VECTOR = 0x0f, TARDIS_NARROW = 0x80 };

enum { TARDIS_CLASS_STATE = 0, TARDIS_CLASS_TIMER = 1 };

/* The check of events, with an interrupt. One in the recorder has neither address nor stack pointer. */
static inline uint16_t tardis_note(uint16_t check, uint8_t where, uint8_t vector, uint16_t address, uint16_t count,
                                   uint16_t sp)
{
    check = event_note(event_note(check, vector), count);
    return where == TARDIS_INSIDE ? check : event_note(event_note(check, address), sp);
}

static inline uint8_t tardis_class(uint16_t site)
{
    return site >> 13 & 3;
}

/* The index of a site, which gets one if it has none yet; TARDIS_SITES if all are taken: then its reads are data. */
static inline uint8_t tardis_index(uint16_t *sites, uint16_t site)
{
    uint8_t index = site % TARDIS_SITES;
    for (uint8_t tried = 0; tried < (uint8_t)TARDIS_SITES; tried++) {
        if (!sites[index])
            sites[index] = site + 1;
        if (sites[index] == (uint16_t)(site + 1))
            return index;
        index = (index + 1) % TARDIS_SITES;
    }
    return TARDIS_SITES;
}

#endif
