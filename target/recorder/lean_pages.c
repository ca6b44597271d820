/* From the codec into pages of the flash: one stream, and no copy of a page. */
#include "codec.h"
#include "crc.h"
#include "flash.h"
#include "lean.h"
#include "out.h"
#include "pages.h"
#include "port.h"
#include "ring.h"

#ifdef LEAN

#define P R.events_page

#ifdef __MSP430__ /* bytes that are not yet worth a piece; once some are sent, so few */
#define LEAN_LEAST R.least
enum { LEAST = PIECE / 4, MANY = 128 /* bytes at once, where interrupts are let in between */ };
#else
#define LEAN_LEAST PIECE
#endif

/* Pages that are left for what waits when recording ends before it would overwrite its start. */
enum { RESERVE = FLASH_SECTOR + 4 };

#ifndef __MSP430__
/* Bytes go to the flash in whole pieces, but for the last ones before a page is closed, after which none is left. So a
 * piece ends with the page and with the ring of bytes that wait. */
_Static_assert(PAYLOAD % PIECE == 0 && OUT_ROOM % PIECE == 0, "a piece is never cut");
#endif

/* The codec's bytes wait for a page, in a ring. */
PRIVATE void out_put(uint8_t byte)
{
#if MOTET_PIECE + MOTET_AHEAD > 128
    uint16_t at = (uint16_t)(R.out_from + R.out_count++);
#else
    uint8_t at = R.out_from + R.out_count++;
#endif
    R.out[at < OUT_ROOM ? at : at - OUT_ROOM] = byte;
}

/* A part begins with them: the ring does not come round. */
PRIVATE SMALL void out_put_constant(const uint8_t *at, uint8_t count)
{
    do
        R.out[R.out_count++] = port_byte(at++);
    while (--count);
}

PRIVATE void out_begin_part(void)
{
    out_put_constant(motet_build, PAGE_BUILD);
    codec_begin();
}

PRIVATE SMALL uint16_t page_since_start(void)
{
    return (uint16_t)R.sequence - R.start;
}

/* Finds a page that can be written; one that cannot (power was lost while it was) is passed over. Pages are never
 * overwritten that the start of this life needs: recording ends before (lean_worker.c). */
PRIVATE SMALL uint8_t page_open(struct stream *s)
{
    uint16_t slot = page_place(R.sequence), page = MOTET_FLASH_FIRST + slot;
    (void)s, (void)slot;
    if (P.open)
        return FLASH_BUFFERS == 2 || flash_was_ready();
#if defined __MSP430__
    if (!flash_was_ready())
        return 0;
    if (R.looked < FLASH_LOOKS) {
        if (flash_is_blank(page, R.looked, FLASH_LOOK)) {
            R.looked += FLASH_LOOK;
            return 0;
        }
        R.looked = 0;
        if (slot % FLASH_SECTOR == 0)
            flash_erase(page);
        else
            R.sequence++;
        return 0;
    }
    R.looked = 0;
#else
    (void)page;
#endif
    P.h.sequence = R.sequence++;
    P.h.used = P.h.check = 0;
    P.open = PAGE_OPEN;
    if (R.state == RECORDING && page_since_start() > MOTET_FLASH_PAGES - RESERVE)
        R.state = LOSING;
    return 1;
}

/* Which one is written, from 1 on; and whether the next one has to be looked at. To borrow the flash for nothing takes
 * as long as to encode an event. */
static inline uint8_t lean_sector(void)
{
    return (uint8_t)(page_place(R.sequence) / FLASH_SECTOR + 1);
}
PRIVATE uint8_t lean_erases(void)
{
    return FLASH_SECTOR > 1 && R.erased != lean_sector();
}

/* Sectors are erased before they are needed. */
PRIVATE uint8_t page_erase_ahead(void)
{
    uint16_t slot = page_place(R.sequence), to = FLASH_SECTOR - slot % FLASH_SECTOR;
    uint8_t sector = lean_sector();
    if (!lean_erases() || page_since_start() + to + FLASH_SECTOR > MOTET_FLASH_PAGES)
        return 0;
    slot = (slot + to) % MOTET_FLASH_PAGES;
    R.erased = sector;
#ifdef __MSP430__ /* a part of the header, and of what comes first after it */
    if (flash_is_blank(MOTET_FLASH_FIRST + slot, sizeof P.h - FLASH_LOOK / 2, FLASH_LOOK))
        return 0;
#endif
    flash_erase(MOTET_FLASH_FIRST + slot);
    return 1;
}

/* Where there are two buffers one is filled while the other is programmed. */
static SMALL void lean_page_put(uint16_t at, const uint8_t *bytes, uint8_t count)
{
    flash_put(P.h.index & 1, MOTET_FLASH_FIRST + page_place(P.h.sequence), at);
    flash_send_all(bytes, count);
    flash_put_end();
}

static SMALL void lean_page_check(const uint8_t *bytes, uint8_t count)
{
    P.h.check = crc16_all(P.h.check, bytes, count);
}

#ifndef __MSP430__
/* Bytes are in the page: they count for its check, and are not needed any more. */
static void lean_sent(uint8_t count)
{
    uint8_t from = R.out_from, *used = (uint8_t *)&P.h.used;
    _Static_assert(PAYLOAD < 0x100, "its high byte stays zero");
    lean_page_check(R.out + from, count);
    if ((*used += count) >= PAYLOAD)
        P.open = PAGE_FULL;
    from += count;
    R.out_count -= count;
    if (!R.out_count || from >= OUT_ROOM)
        from = 0;
    R.out_from = from;
}
#endif

/* Nothing more comes into the page. */
PRIVATE uint8_t lean_is_full(void)
{
    return P.open == PAGE_FULL || (P.open == PAGE_OPEN && !R.out_count && R.flushed);
}
PRIVATE void lean_seal(void)
{
    if (R.flushed && R.state == LOST)
        P.h.codec |= PAGE_GAP;
    P.h.magic = PAGE_MAGIC;
    P.h.build = (uint16_t)(uintptr_t)motet_build_id;
    lean_page_check((const uint8_t *)&P.h, offsetof(struct page_header, check));
    P.open = PAGE_SEALED;
}

/* The header goes last: with it the page counts. Some pieces, for interrupts are off. */
#ifdef __MSP430__
/* How many bytes are to go into the page now. */
static inline uint8_t lean_sends(void)
{
    uint8_t count = R.out_count, room = (uint8_t)(PAYLOAD - P.h.used);
    if (P.open != PAGE_OPEN || !(count > R.least || R.flushed))
        return 0;
    R.least = LEAST;
    if (!R.on && count > PIECE)
        count = PIECE;
    if (count > MANY)
        count = MANY;
    return count < room ? count : room;
}

uint8_t motet_flash_begin(void)
{
    R.sending = lean_sends();
    flash_borrow();
    R.holds = 1;
    R.skips = !flash_was_ready();
    return !R.skips;
}

void motet_flash_step(void)
{
    if (R.sending) {
        flash_put(0, MOTET_FLASH_FIRST + page_place(P.h.sequence), sizeof P.h + P.h.used);
        return;
    }
    if (out_step_flash())
        return;
    R.skips = 1;
    if (!flash_was_allowed(&R.pins))
        page_erase_ahead();
}

void motet_flash_end(void)
{
    R.holds = R.sending = 0;
    flash_settle();
    flash_end();
    flash_return();
    if (P.open == PAGE_OPEN && P.h.used >= PAYLOAD)
        P.open = PAGE_FULL;
}

static uint8_t lean_page_close(void)
{
    enum { HALF = sizeof P.h / 2 };
    if (!flash_was_ready())
        return 0;
    if (P.open == PAGE_SEALED) {
        lean_page_put(HALF, (const uint8_t *)&P.h + HALF, HALF);
        P.open = PAGE_HALF;
        return 1;
    }
    lean_page_put(0, (const uint8_t *)&P.h, HALF); /* the magic is here */
    P.h.index++;
    P.open = PAGE_CLOSED;
    return 1;
}
#else
static uint8_t lean_page_close(void)
{
    if (P.open < PAGE_SEALED) {
        lean_seal();
        return 1;
    }
    if (P.open == PAGE_HEADED && !flash_ready())
        return 0;
    if (P.open == PAGE_SEALED) {
        lean_page_put(0, (const uint8_t *)&P.h, sizeof P.h);
        P.open = PAGE_HEADED;
        return 1;
    }
    flash_commit(P.h.index & 1, MOTET_FLASH_FIRST + page_place(P.h.sequence));
    P.h.index++;
    P.open = PAGE_CLOSED;
    return 1;
}
#endif

PRIVATE SMALL uint8_t lean_wants_flash(void)
{
#ifdef __MSP430__
    if (R.out_count <= R.least)
        R.least = PIECE;
#endif
    return R.out_count > LEAN_LEAST || P.open > PAGE_OPEN || (R.flushed && (R.out_count || P.open));
}

/* A piece of what is encoded, or, after the end of a part, all of it. Zero if there is nothing to do now. */
#ifdef __MSP430__
PRIVATE uint8_t out_step_flash(void)
{
    if (P.open > PAGE_FULL)
        return lean_page_close();
    if (!P.open && (lean_wants_flash() || page_is_wanted()))
        return page_open(&P) | R.looked; /* what comes into it does so later */
    return 0;
}
#else
PRIVATE SMALL uint8_t out_step_flash(void)
{
    uint8_t count = R.out_count;
    if (P.open > PAGE_FULL || lean_is_full())
        return lean_page_close();
    if (!page_open(&P) || (count <= PIECE && !R.flushed))
        return 0;
    if (count > PIECE)
        count = PIECE;
    lean_page_put(sizeof P.h + P.h.used, R.out + R.out_from, count);
    lean_sent(count);
    return 1;
}
#endif

/* Where it takes long to find a place for a page, that is done before there is something for it. */
PRIVATE uint8_t page_is_wanted(void)
{
    return FLASH_SECTOR > 1 && R.state == RECORDING && !P.open;
}

/* A page whose check is made already goes out as it is; the next ones are of this kind. */
PRIVATE void page_mark(uint8_t kind)
{
    for (uint16_t patience = 0xffff; patience && P.open >= PAGE_SEALED; patience--)
        lean_piece();
    if (P.open < PAGE_SEALED)
        P.h.codec |= kind;
}

#endif
