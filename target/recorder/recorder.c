/* The recorder on the node: one object, linked last before the libraries (docs/recording.md).
 *
 * Events are appended to a ring in RAM where they happen; in idle moments they are encoded and go to the flash as pages
 * that each stand for themselves. Invariant: what is in the flash as a valid page is a prefix of what happened since
 * its part began; what does not fit is never left out silently, but ends the part.
 */
#include "recorder.h"

#include "dump_protocol.h"

#if defined __AVR__
#include "port_avr.h"
#elif defined __MSP430__
#include "port_msp430.h"
#endif

#if defined __AVR__
#include "flash_at45db.h"
#elif defined __MSP430__
#include "flash_m25p80.h"
#endif

#ifndef MOTET_FLASH_PAGES
#define MOTET_FLASH_PAGES FLASH_ALL
#endif

enum { PAYLOAD = PAGE_BYTES - sizeof(struct page_header) };
enum state { OFF, RECORDING, LOSING, ENDED };

/* All the recorder's own memory. Start-up code leaves it alone, and replay does not compare it. The first members are
 * known to the ports' assembly. */
struct recorder {
    uint16_t head, fill; /* of the ring: where the next unit goes, and how many bytes wait */
    uint8_t state;
    uint8_t events; /* counts what is recorded, for motet_idle to see that something was */
    uint8_t seen;   /* as motet_idle saw it last */
    uint8_t idle;   /* motet_idle has done a piece */
    uint16_t ring[MOTET_RING / 2];
    uint16_t used, crc; /* of the page being written */
    uint16_t page;      /* where it will be, counted from MOTET_FLASH_FIRST */
    uint16_t left;      /* pages that may still be written */
    uint32_t sequence;
    uint16_t part, index;
    uint8_t out[PIECE + 20]; /* encoded, on its way to the flash */
    uint8_t out_count, flushed;
    uint8_t buffer;
    uint8_t patience; /* rounds that motet_idle still waits for the flash */
    uint8_t entered;  /* counts interrupts, recorded or not */
    uint8_t starting; /* motet_idle has not been called yet */
};
_Static_assert(offsetof(struct recorder, state) == 4 && offsetof(struct recorder, ring) == 8 && RECORDING == 1,
               "as the ports know it");
__attribute__((section(".noinit"))) struct recorder motet_recorder;
#define R motet_recorder

volatile uint16_t motet_count;
volatile uint8_t motet_uncounted;
extern const char motet_build_id[] __attribute__((weak));

#include "dump.h"
#include "events.h"
#include "pages.h"

/* After a loss what was kept goes out with a mark behind it, and the part has ended. */
static void note_loss(void)
{
    if (R.state == LOSING && MOTET_RING - R.fill >= UNIT) {
        put(EVENT_MARK << 8 | MARK_GAP, 0);
        R.state = ENDED;
    }
}

/* A piece of work. Returns whether to go on: not if there was an interrupt since motet_idle began, for that may be what
 * the application waits for. Interrupts are off, and come between two pieces. */
uint8_t motet_idle_work(void);
uint8_t motet_idle_work(void)
{
    struct flash_pins was;
    uint8_t more;
    if (!R.idle) {
        R.seen = R.entered;
        R.patience = 255;
    }
    R.idle = 1;
    R.starting = 0;
    if (R.state == OFF || R.seen != R.entered || flash_taken())
        return 0;
    if (dump_work())
        return 1;
    note_loss();
    flash_open(&was);
    more = step();
    flash_close(&was);
    if (!more && R.fill > MOTET_RING / 4 && R.left && R.patience) { /* the flash is busy: wait for it, a little */
        R.patience--;
        more = 1;
    }
    return more;
}

/* Calls of motet_idle tell two moments apart that nothing else does. Returns whether an interrupt came meanwhile. */
uint8_t motet_idle_end(void);
uint8_t motet_idle_end(void)
{
    uint8_t interrupted = R.idle && R.seen != R.entered;
    R.idle = 0;
    if (++motet_count == 0)
        note_wrap();
    return interrupted;
}

static void flush(void)
{
    struct flash_pins was;
    if (R.state == OFF || flash_taken())
        return;
    flash_open(&was);
    while (R.left && R.fill) {
        note_loss();
        step();
    }
    if (R.state != ENDED)
        codec_flush();
    while (R.left && R.out_count && (uint16_t)(PAYLOAD - R.used) >= R.out_count)
        step_out();
    while (R.left && (R.used || R.out_count)) /* a second page if the last bytes did not fit */
        if (step_page() && R.out_count)
            while (R.left && R.out_count)
                step_out();
    while (!flash_ready())
        ;
    flash_close(&was);
}

void motet_flush_work(void);
void motet_flush_work(void)
{
    flush();
}

void motet_freeze_work(void);
void motet_freeze_work(void)
{
    if (room_for(UNIT))
        put(EVENT_MARK << 8 | MARK_FROZEN, 0);
    flush();
    if (R.state != OFF)
        R.state = ENDED;
}

/* ---- the beginning ---- */

static uint8_t header_at(uint16_t page, struct page_header *h)
{
    flash_get(MOTET_FLASH_FIRST + page, (uint8_t *)h, sizeof *h);
    return h->magic == PAGE_MAGIC;
}

/* Where the newest page is: sequence numbers run on from page 0, up to the place where they break off. */
static void find_end(void)
{
    struct page_header h;
    uint16_t low = 0, high = MOTET_FLASH_PAGES;
    uint32_t first;
    R.page = R.part = 0;
    R.sequence = 0;
    if (!header_at(0, &h))
        return;
    first = h.sequence;
    while (high - low > 1) {
        uint16_t middle = low + (high - low) / 2;
        if (header_at(middle, &h) && h.sequence == first + middle)
            low = middle;
        else
            high = middle;
    }
    header_at(low, &h);
    R.page = low + 1 == MOTET_FLASH_PAGES ? 0 : low + 1;
    R.sequence = h.sequence + 1;
    R.part = h.part + 1;
}

static uint16_t ram_check(void)
{
    uint16_t crc = 0;
    for (const uint8_t *at = RAM_FIRST; at < (const uint8_t *)RAM_LAST; at++)
        crc = crc16(crc, *at);
    return crc;
}

void motet_begin_work(void);
void motet_begin_work(void)
{
    struct flash_pins was;
    uint16_t check = ram_check();
    R.head = R.fill = R.used = R.crc = R.index = 0;
    R.buffer = R.entered = R.events = R.seen = R.idle = R.out_count = R.flushed = 0;
    codec_begin();
    flash_open(&was);
    flash_wake();
    while (!flash_ready())
        ;
    find_end();
    flash_close(&was);
    R.left = MOTET_FLASH_PAGES;
    R.starting = 1;
    dump_begin();
    R.state = RECORDING;
    motet_count = 0;
    put(EVENT_MARK << 8 | MARK_BEGIN, check);
}

void motet_begin(void);

void motet_boot(void)
{
    flash_pins();
    dump_pins();
    motet_begin();
}
