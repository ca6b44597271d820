/* The recorder on Cortex-M: what its parts share.
 *
 * All of it runs in the *cores* of its entries (entries.S): with PRIMASK set, on a stack of its own, so that nothing of
 * the application is touched. Replay leaves cores out and executes everything else, the rest of the entries included.
 * Invariant: outside motet_recorder nothing in RAM is changed by a core, but for motet_boot, which replay does too.
 */
#ifndef CORTEX_RECORDER_H
#define CORTEX_RECORDER_H

#include <stdint.h>

#include "../words.h"
#include "motet_chip.h"

#ifndef MOTET_RING
#define MOTET_RING 4096
#endif
#ifndef MOTET_STACK
#define MOTET_STACK 512
#endif

/* Bytes that every event fits in, but for blocks, which need twice theirs at the most. */
enum { EVENT_MOST = 32 };

enum state { NOT_BEGUN, RECORDING, LOST /* no more is recorded in this life */, FROZEN };

struct recorder {
    uint32_t stamp; /* CYCCNT when a core was left last; first: entries.S writes it */
    uint16_t count; /* cores left since the last event that recorded nothing */
    uint8_t state;
    uint8_t run;                        /* reads as guessed that are not written yet */
    uint32_t noted[WORDS_VECTORS / 32]; /* exceptions whose stub has not begun, and that are recorded already */
    struct words_guess guess;
    uint16_t head, fill; /* of the ring: where the next byte goes, how many wait */
    uint16_t unchecked;  /* bytes since the last check */
    /* of pages */
    uint16_t part, index;
    uint32_t sequence;
    uint32_t at;        /* the page under way, or the next: offset in the log's flash */
    uint32_t erased;    /* so many bytes from `at` on are erased */
    uint32_t room;      /* and so many may be used before the log would overwrite its own start */
    uint16_t used;      /* bytes of the page under way; 0: there is none */
    uint16_t written;   /* words of it */
    uint8_t kind;       /* of the page: bits of page.h */
    uint8_t erase_step; /* of the erasure under way; 0: there is none */
    uint32_t page[64];
    uint8_t ring[MOTET_RING];
    uint64_t stack[MOTET_STACK / 8];
    uint64_t stack_end; /* so that the stack is never where the application's may end */
};
extern struct recorder motet_recorder;
#define R motet_recorder

/* What start-up code initialises: motet cc finds it in the program, and links that again. */
extern uint8_t motet_ram_first[], motet_ram_last[];

/* ---- bytes of events (recorder.c) and pages (pages.c) ---- */

void events_byte(uint8_t byte);

uint16_t pages_crc(uint16_t crc, const uint8_t *at, uint32_t count); /* as ../crc.h */
void pages_begin(void);                                              /* at boot: finds the end of the old log */
/* One step of what there is to do: a word, a piece of an erasure. False: there is nothing. With `all` also a page that
 * is not full yet. */
uint8_t pages_step(uint8_t all);
void pages_flush(uint8_t kind); /* all there is, now; the last page is of that kind, too */

/* ---- the flash (flash_*.c) ---- */

#define FLASH_AT(offset) (CHIP_LOG_FIRST + (offset)) /* of the log */

void flash_write_word(uint32_t address, uint32_t word);
/* A piece of the erasure of the CHIP_LOG_ERASE bytes there; `step` counts from 0. True if it was the last. */
uint8_t flash_erase_step(uint32_t address, uint8_t step);
/* Whether memory loses its contents if the CPU sleeps now. */
uint8_t flash_memory_is_lost(void);

#endif
