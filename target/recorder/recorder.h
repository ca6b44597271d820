/* All the recorder's memory but the codec's, and what its files share.
 *
 * Events are appended to a ring in RAM where they happen (entries.h); in idle moments they are encoded (codec.h) and go
 * to the flash as pages (pages.h), by a thread of its own (worker.h). Invariant: what is in the flash as a valid page
 * is a prefix of what happened since its part began; what does not fit is never left out silently, but ends the part.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codec_bits.h"
#include "config.h"
#include "event.h"
#include "flash.h"
#include "motet_record.h"
#include "page.h"

/* Pages of the flash that the log may use: from the first, so many. */
#ifndef MOTET_FLASH_FIRST
#define MOTET_FLASH_FIRST 0
#endif
#ifndef MOTET_FLASH_PAGES
#define MOTET_FLASH_PAGES FLASH_ALL
#endif
_Static_assert(MOTET_FLASH_FIRST % FLASH_SECTOR == 0 && MOTET_FLASH_PAGES % FLASH_SECTOR == 0 &&
                   MOTET_FLASH_PAGES >= 4 * FLASH_SECTOR && MOTET_FLASH_FIRST + MOTET_FLASH_PAGES <= FLASH_ALL,
               "MOTET_FLASH_FIRST and MOTET_FLASH_PAGES must be whole sectors of the flash, at least four");

/* Pages between two starts that a replay can have. */
#ifndef MOTET_CHECKPOINT_EVERY
#define MOTET_CHECKPOINT_EVERY (MOTET_FLASH_PAGES / 2)
#endif

enum { PAYLOAD = PAGE_BYTES - sizeof(struct page_header), OUT_ROOM = PIECE + MOTET_AHEAD };
_Static_assert(OUT_ROOM <= 255, "a byte counts them");
enum { BLOCK = 1 << CHIP_BLOCK_BITS /* bytes of memory with a check in a checkpoint */ };
enum { BLOCKS = (CHIP_RAM_SIZE + BLOCK - 1) / BLOCK }; /* RAM begins with one, on all these chips */

/* OFF: not begun, or the log is frozen. LOSING: something was lost, and the mark of it is not in the ring yet. LOST: it
 * is; a checkpoint comes next. FROZEN: nothing comes. */
enum state { OFF, RECORDING, LOSING, LOST, FROZEN };

/* Bytes of memory that are copied at once, and what they become: an address, how many there are, and they. One more, so
 * that what is made while interrupts are on never fills it. */
enum { COPY_PIECE = FLASH_BUFFERS == 1 ? 16 : 8, COPY_MOST = 4 + COPY_PIECE, COPY_ROOM = COPY_MOST + 1 };

/* Of a checkpoint: memory is copied; blocks that have changed are copied again; it can be taken; it is
 * being taken; it is, and its last page has to be closed. */
enum copying { NO_COPY, COPIES, COPIES_CHANGED, COPIED, COPY_TAKEN, COPY_CLOSES };

/* Two sums over a block of memory, which cost little. */
struct sums {
    uint16_t a, b;
};

/* A page that is being put together: its header is written last, with the check of what was before. */
enum {
    PAGE_CLOSED,
    PAGE_OPEN,
    PAGE_FULL /* of the lean recorders */,
    PAGE_SEALED,
    PAGE_HALF /* its header */,
    PAGE_HEADED
};
struct stream {
    struct page_header h;
    uint8_t open, buffer; /* of the flash; where there is one, the header's codec while half of it is written */
};

/* A checkpoint that is being made. */
struct copy {
    uint8_t doing;            /* enum copying */
    uint8_t begins;           /* at a block's first byte */
    uint8_t open;             /* bytes are on their way into the page, and more follow at once */
    uint8_t count;            /* of bytes that go there next, and count for its check already */
    uint16_t at;              /* of memory */
    uint16_t told;            /* what comes next is from there by default */
    uint16_t start;           /* sequence number of its first page, its low half */
    struct sums sums, digest; /* of the block so far; of all */
    uint8_t bytes[COPY_ROOM];
};

/* Start-up code leaves it alone, and replay does not compare it. Assembly knows members by offsets.c. */
struct recorder {
    uint8_t state;
    uint8_t inside; /* the worker is at work for motet_idle: interrupts are let in */
    uint8_t busy;   /* in the recorder's own code: not all here agrees */
    uint8_t idle;   /* motet_idle has been called and has not ended */
#if defined __MSP430__ && !defined MOTET_STAMP
    uint8_t measures; /* a function measures the clock (src/rewrite/measure.h): the worker does not go on in it */
#endif
#ifndef LEAN        /* there it is where the oldest is, and what waits after it: an event counts with one write */
    RING_SIZE head; /* of the ring: where the next unit goes */
#endif
    RING_SIZE fill;                  /* how many bytes of it wait */
    uint16_t again_site, again_next; /* the last event was a read there, if it was: one more than it gave */
    uint8_t again_count;             /* so many such reads came that are not in the ring yet */
    uint8_t entered;                 /* counts interrupts, recorded or not */
    RING_SIZE tail;                  /* of the ring: where its oldest unit is */
    struct stream events_page;       /* that is being filled */
    uint32_t sequence;               /* of the next page */
    uint8_t out_count;               /* of what is encoded, on its way to the flash */
#if defined LEAN || defined __MSP430__
    uint8_t out_from; /* which of them is the first */
#endif
    uint8_t flushed;   /* the part is encoded to its end */
    uint8_t resting;   /* there is nothing to do but wait for more events */
    uint8_t seen;      /* interrupts as motet_idle found them, when it began */
    uint16_t start;    /* of the first page of the newest start that can be replayed, the low half of its number */
    uint8_t confirmed; /* of the page in which the last check of events was written, its index */
    uint8_t lives;     /* an interrupt has come or may come, or motet_idle was called */
#if MOTET_CODEC == CODEC_PLAIN
    uint16_t last[2];    /* read that was encoded, by the plain codec */
    uint16_t check;      /* of the events that were */
    uint16_t behind;     /* units of the event under way that are still to come */
    uint8_t block;       /* the next of them says how many more there are */
    uint8_t bytes, byte; /* reads that a unit stands for, and where in it the next is */
#endif
#ifdef LEAN
    uint8_t rounds;  /* that an entry still waits for the flash */
    uint8_t patient; /* enum lean_host */
    uint8_t came;    /* an interrupt, since motet_idle was called */
#ifdef __MSP430__    /* where a timer stood when its interrupt came last, and that none was read since */
    uint16_t compared;
#else
    uint8_t compared;
#endif
    uint8_t compares;
#ifdef __MSP430__
    uint8_t looked;  /* so many bytes of the next page were found erased */
    uint8_t sending; /* so many bytes are still to go into the page */
    uint8_t on;      /* interrupts may be let in */
    uint8_t holds;   /* the bus is taken */
    uint8_t least;   /* so few bytes wait for more of them */
    uint8_t skips;   /* the flash is not asked next time */
#endif
#ifdef ENCODES_ON
    uint8_t limit;    /* the encoder stops when so many bytes have come out */
    uint16_t encoder; /* its stack pointer where an interrupt has left it, or zero */
    uint16_t hosted;  /* of what has called it */
#endif
#endif
    uint16_t host;   /* stack pointer of the entry in which the worker goes on; 0: none */
    uint16_t caller; /* and of what it called */
    uint8_t vector;  /* of an interrupt that came in the worker, on its way to the application */
    uint16_t stub;   /* where that interrupt's stub goes on */
    uint16_t window; /* the entry in which the worker goes on: where its interrupts come */
#ifdef __AVR_3_BYTE_PC__
    uint8_t window_high;
#endif
#ifndef READS_ALL
    uint16_t after; /* what that entry does then */
#endif
#ifdef MOTET_STAMP
    uint8_t breathes; /* the stamp timer's own handler is on its way to motet_breathe, or in it */
#endif
    struct flash_pins pins; /* as they were before flash_borrow() */
    uint8_t erased;         /* 1 + the sector whose next one was found erased, or has been */
    uint8_t was_busy;       /* as motet_boot found it */
#if !defined MOTET_STAMP && !defined COUNTS_ALL
    uint16_t mixed; /* the second half of the hash of registers */
#ifdef READS_ALL
    uint16_t hashed; /* and the first */
#endif
#endif
#ifndef LEAN              /* of the worker that is a thread, and of a second stream of pages */
    uint16_t worker;      /* stack pointer of the worker, while it waits */
    uint8_t patience;     /* rounds that motet_idle still waits for the flash */
    uint8_t hosted;       /* the worker goes on in another entry than motet_idle: for so many breaths */
    uint16_t turn, turns; /* counts such entries after a loss; the worker goes on in each so-many-th */
    uint8_t wanted;       /* enum wanted, of the worker */
    uint8_t out_most;     /* the encoder stops after so many */
    struct stream saved;  /* of a checkpoint */
    uint8_t buffer;       /* of the flash, used last */
    uint8_t sent;         /* so many of what is encoded are in the page already */
    uint8_t checked;      /* so many of them count for the check of the page */
    uint8_t turning;      /* the part is encoded to its end, and the next begins after it */
#ifdef __MSP430__
    uint8_t looked;  /* so many bytes of the next page were found erased */
    uint8_t holds;   /* the bus is borrowed until an interrupt comes in the worker */
    uint8_t pressed; /* one came before anything was done with the flash: the next time it is not let in so soon */
#endif
#endif
#ifndef MOTET_NO_CHECKPOINT
    struct copy copy; /* of memory, for a checkpoint */
#endif
    uint16_t begun; /* by motet_boot, in this life or the one before: RECORDER_BEGUN and the build */
#if MOTET_CODEC == CODEC_BITS
    struct bits_coder coder;
#endif
#ifdef ENCODES_ON
    uint16_t stack[MOTET_STACK / 2];
#endif
    uint16_t ring[MOTET_RING / 2];
    uint8_t out[OUT_ROOM];
#ifndef LEAN
    uint8_t stack[MOTET_STACK];
#endif
#ifndef MOTET_NO_CHECKPOINT
    uint16_t checks[BLOCKS]; /* of blocks as they were copied */
#endif
};
#ifdef ENCODES_ON
enum { ENCODER_FRAME = 24 }; /* what an interrupt leaves on the encoder's stack */
#endif
extern struct recorder motet_recorder;

#define R motet_recorder

#ifdef MOTET_NO_CHECKPOINT
#define COPY_DOING NO_COPY
#else
#define COPY_DOING R.copy.doing
#endif

/* The build id, as the link has made it, in program memory. */
extern const uint8_t motet_build[PAGE_BUILD];
extern const char motet_build_id[] __attribute__((weak)); /* an absolute symbol: its lowest 16 bits */

#endif
