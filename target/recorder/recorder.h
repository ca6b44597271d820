/* Sizes and kinds, to be set by the build; and what the pieces of the recorder share. */
#ifndef RECORDER_H
#define RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "motet_record.h"

#if defined __AVR__
#include <avr/io.h>
enum { RAM_SIZE = RAMEND - RAMSTART + 1, BLOCK_BITS = RAM_SIZE > 8192 ? 9 : RAM_SIZE > 4096 ? 8 : 7 };
#elif defined __MSP430__
enum { RAM_SIZE = 10240 /* of the F1611, which has the most */, BLOCK_BITS = 8 };
#endif
enum { BLOCK = 1 << BLOCK_BITS /* bytes of memory with a check in a checkpoint */ };

/* Pages of the flash the log may use: from the first, so many. */
#ifndef MOTET_FLASH_FIRST
#define MOTET_FLASH_FIRST 0
#endif

#define CODEC_PLAIN  0
#define CODEC_TARDIS 1
#define CODEC_MOTET  3 /* 2 was another format of the same name */
#if defined MOTET_CODEC_tardis
#define MOTET_CODEC CODEC_TARDIS
#elif defined MOTET_CODEC_plain
#define MOTET_CODEC CODEC_PLAIN
#elif defined MOTET_CODEC_motet
#define MOTET_CODEC CODEC_MOTET
#elif defined __AVR_ATmega328P__ || defined __AVR_ATmega168__ /* have no memory for more */
#define MOTET_CODEC CODEC_PLAIN
#else
#define MOTET_CODEC CODEC_MOTET
#endif

/* Bytes of events that wait for the next idle moment; a multiple of four. With what the codec needs under 2 KB. */
#ifndef MOTET_RING
#if defined __AVR_ATmega328P__ || defined __AVR_ATmega168__ /* have 2 KB, or 1, for all */
#define MOTET_RING 400
#elif MOTET_CODEC == CODEC_MOTET && defined __MSP430__ && defined MOTET_STAMP
#define MOTET_RING 540
#elif MOTET_CODEC == CODEC_MOTET && defined __MSP430__
#define MOTET_RING 544
#elif MOTET_CODEC == CODEC_MOTET
#define MOTET_RING 716
#elif MOTET_CODEC == CODEC_TARDIS
#define MOTET_RING 720
#elif defined __AVR__
#define MOTET_RING 768
#else
#define MOTET_RING 1280
#endif
#endif

/* So many bytes are worth waking the worker for. */
#ifndef MOTET_BATCH
#if MOTET_RING > 512
#define MOTET_BATCH 160
#else
#define MOTET_BATCH 96
#endif
#endif

/* Bytes of the worker's stack (recorder.c). */
#ifndef MOTET_STACK
#ifdef __AVR__
#define MOTET_STACK 136
#else
#define MOTET_STACK 168
#endif
#endif

/* Bytes that may be encoded ahead of what the flash can take; at least what a unit and the end of a part can become. */
#ifndef MOTET_AHEAD
#if MOTET_CODEC == CODEC_TARDIS
#define MOTET_AHEAD 132
#elif MOTET_CODEC == CODEC_MOTET && \
    defined __MSP430__ /* where the radio has the flash's bus: what it holds up is encoded */
#define MOTET_AHEAD 136
#elif MOTET_CODEC == CODEC_MOTET
#define MOTET_AHEAD 72
#else
#define MOTET_AHEAD 32
#endif
#endif

/* Events in the ring are made of units of two words, so that none is cut by the ring's end. Of a read the first word is
 * its site, with the top bit set for 16 bits, and the second its live bits. Of others the first has one of these in its
 * high byte (sites stay below them) and mostly a vector in the low one. */
enum {
    EVENT_AGAIN = 0xf8,   /* up to AGAIN: as many reads more at the site of the last, each with one more; 0. With AGAIN:
                             as many reads of 8 bits more there; two of them, then four a unit */
    EVENT_MARK = 0xf9,    /* kind; a value */
    EVENT_BLOCK = 0xfa,   /* 0; site, size, 0, then the bytes */
    EVENT_WRAPPED = 0xfb, /* 0; 0. For the tardis codec, 1 + whether it has 16 bits: a timer is near to this */
    EVENT_INSIDE = 0xfc,  /* interrupt in the recorder: vector; count */
    EVENT_WOKE = 0xfd,    /* interrupt that ended sleep: vector; 0 */
    EVENT_LIBRARY = 0xfe, /* interrupt in code that does not count: vector; address, count, hash, second hash, SP */
    EVENT_INTERRUPT = 0xff, /* interrupt: vector; address, count, SP */
};
/* The tardis codec wants to know which bits of a state register are live: they stand above a value of 8 bits, or in a
 * unit behind one of 16. */
enum { KEEPS_LIVE = MOTET_CODEC == CODEC_TARDIS, CLASS_BITS = 0x6000 /* none of them set: a state register */ };
enum { UNIT = 4, WIDE = 0x8000, NO_SITE = 0xffff, NO_RUN = 0xffff, AGAIN = 0x80 };
#define NEARLY 200 /* bytes that are left where the ring counts as nearly full, before the firmware comes to rest */
#define SCARCE 32  /* bytes that are left where the ports leave the work to C */
/* Of the firmware's start: the check of its variables; of a checkpoint: the count when it was taken; else 0. */
enum { MARK_BEGIN = 0, MARK_GAP = 1, MARK_FROZEN = 2, MARK_CHECKPOINT = 3, MARK_RESET = 4 };

/* A number in the text of assembly. */
#define RECORDER_TEXT(number)  RECORDER_TEXT_(number)
#define RECORDER_TEXT_(number) #number

/* What is called from several places is there once: the recorder is to be small, and most of it is not in a hurry. */
#define SMALL __attribute__((noinline, unused))

/* CRC-16 of CCITT, a byte at a time without a table. */
#ifdef __AVR__
#include <util/crc16.h>
static SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    return _crc_xmodem_update(crc, byte); /* the same, without loops of shifts */
}
#elif defined __MSP430__
static SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    uint16_t part = byte, high;
    __asm__("swpb %0\n\txor %1, %0\n\tmov.b %0, %1\n\trra %1\n\trra %1\n\trra %1\n\trra %1\n\txor %1, %0\n\t"
            "mov.b %0, %1\n\trla %1\n\trla %1\n\trla %1\n\trla %1\n\tmov.b %1, %2\n\tswpb %2\n\txor %2, %0\n\t"
            "rla %1\n\txor %1, %0"
            : "+&r"(crc), "+&r"(part), "=&r"(high)::"cc");
    return crc;
}
#else
static SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc >> 8 | crc << 8);
    crc ^= byte;
    crc ^= (uint8_t)crc >> 4;
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xff) << 5);
    return crc;
}
#endif

/* A page: this, then the payload. The check covers both, itself left out. */
struct page_header {
    uint8_t magic, codec; /* with what kind of page it is */
    uint16_t build;
    uint32_t sequence; /* of pages in the flash: the newest has the highest */
    uint16_t part;     /* a new one begins at each start and checkpoint */
    uint16_t index;    /* of the page among those of its part, events and checkpoint each for themselves */
    uint16_t used;     /* bytes of payload */
    uint16_t check;
};
enum { PAGE_MAGIC = 0x4d };
enum {
    PAGE_CODEC = 0x07,
    PAGE_GAP = 0x08,        /* the last of its part: something was lost behind it */
    PAGE_CHECKPOINT = 0x10, /* no events */
    PAGE_CONTINUES = 0x20,  /* of a part that begins with a checkpoint */
    PAGE_RECOVERED = 0x40,  /* written after a reset, from what the life before had left in RAM */
    PAGE_FROZEN = 0x80,     /* the last: nothing is to be recorded until motet_clear() */
};

/* A checkpoint is a sequence of these. */
enum {
    SAVED_BYTES = 0x00,     /* up to 0x7f: one more than this bytes of memory follow */
    SAVED_FILL = 0x80,      /* up to 0xfc: as many less 0x7f times the byte that follows */
    SAVED_REGISTERS = 0xfd, /* number of the first, as debuggers number them, how many bytes, then their values */
    SAVED_AT = 0xfe,        /* address in data memory of what follows, little-endian */
    SAVED_END = 0xff,       /* binary logarithm of the size of blocks, then four bytes of digest */
};
#include "codec_tardis.h"

_Static_assert(sizeof(struct page_header) == 16, "laid out without gaps");

#endif
