/* Events as they are in the ring: the format that the entries write and the codecs read.
 *
 * An event is made of units of two words, so that none is cut by the ring's end. Of a read the first word is its site,
 * with the top bit set for 16 bits, and the second its live bits. Of others the first has one of EVENT_... in its high
 * byte (sites stay below them) and mostly a vector in the low one. Invariant: an event is in the ring as a whole or not
 * at all.
 */
#ifndef EVENT_H
#define EVENT_H

#include "config.h"

enum {
    EVENT_AGAIN = 0xf8,   /* up to AGAIN: as many reads more at the site of the last, each with one more; 0. With AGAIN:
                             as many reads of 8 bits more there; two of them, then four a unit */
    EVENT_BRIEF = 0xf8,   /* not in the ring, but in a log of codec plain: an interrupt whose second unit is zero */
    EVENT_NOTICE = 0xf9,  /* kind; a value */
    EVENT_BLOCK = 0xfa,   /* 0; site, size, 0, then the bytes */
    EVENT_WRAPPED = 0xfb, /* 0; 0. For other codecs than plain, 1 + whether it has 16 bits: a timer is near to this */
    EVENT_INSIDE = 0xfc,  /* interrupt in the recorder: vector; count */
    EVENT_WOKE = 0xfd,    /* interrupt that ended sleep: vector; 0 */
    EVENT_LIBRARY = 0xfe, /* interrupt in code that does not count: vector; address, count, hash, second hash, SP */
    EVENT_INTERRUPT = 0xff, /* interrupt: vector; address, count, SP */
};
enum { UNIT = 4, WIDE = 0x8000, NO_SITE = 0xffff, NO_RUN = 0xffff, AGAIN = 0x80 };

/* The tardis codec wants to know which bits of a state register are live: they stand above a value of 8 bits, or in a
 * unit after one of 16. */
enum { KEEPS_LIVE = MOTET_CODEC == CODEC_TARDIS, CLASS_BITS = 0x6000 /* none of them set: a state register */ };

/* Of the firmware's start: the check of its variables; of a checkpoint: the count when it was taken; else 0. */
enum { NOTICE_BEGIN = 0, NOTICE_GAP = 1, NOTICE_FROZEN = 2, NOTICE_CHECKPOINT = 3, NOTICE_RESET = 4 };
/* Not in the ring: codecs write it, once for each page and at the end. Its value is made of all events of the part
 * before it. */
enum { NOTICE_CHECK = 5 };

/* That value, with one word more of an event. A change of one word changes it for good. */
static inline uint16_t event_note(uint16_t check, uint16_t word)
{
    return (uint16_t)(check + (uint16_t)(check << 1) + word);
}

#endif
