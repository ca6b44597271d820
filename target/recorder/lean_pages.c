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

/* Pages that are left for what waits when recording ends before it would overwrite its start. */
enum { RESERVE = FLASH_SECTOR + 4 };

/* Bytes go to the flash in whole pieces, but for the last ones before a page is closed, after which none is left. So a
 * piece ends with the page and with the ring of bytes that wait. */
_Static_assert(PAYLOAD % PIECE == 0 && OUT_ROOM % PIECE == 0, "a piece is never cut");

/* The codec's bytes wait for a page, in a ring. */
PRIVATE void out_put(uint8_t byte)
{
    uint8_t at = R.out_from + R.out_count++;
    R.out[at < OUT_ROOM ? at : at - OUT_ROOM] = byte;
}

PRIVATE SMALL void out_put_constant(const uint8_t *at, uint8_t count)
{
    do
        out_put(port_byte(at++));
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
    (void)s;
    if (P.open)
        return FLASH_BUFFERS == 2 || flash_ready();
    if (FLASH_BUFFERS == 1 && !flash_ready())
        return 0;
    if (!flash_is_erased(page)) {
        if (slot % FLASH_SECTOR == 0)
            flash_erase(page);
        else
            R.sequence++;
        return 0;
    }
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
    if (flash_is_erased(MOTET_FLASH_FIRST + slot))
        return 0;
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

/* The header is complete; then it goes last: with it the page counts. Some pieces, for interrupts are off. */
static uint8_t lean_page_close(void)
{
    if (P.open < PAGE_SEALED) {
        if (R.flushed && R.state == LOST)
            P.h.codec |= PAGE_GAP;
        P.h.magic = PAGE_MAGIC;
        P.h.build = (uint16_t)(uintptr_t)motet_build_id;
        lean_page_check((const uint8_t *)&P.h, offsetof(struct page_header, check));
        P.open = PAGE_SEALED;
        return 1;
    }
    if ((FLASH_BUFFERS == 1 || P.open == PAGE_HEADED) && !flash_ready())
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

PRIVATE SMALL uint8_t lean_wants_flash(void)
{
    return R.out_count > PIECE || P.open > PAGE_OPEN || (R.flushed && (R.out_count || P.open));
}

/* A piece of what is encoded, or, after the end of a part, all of it. Zero if there is nothing to do now. */
PRIVATE SMALL uint8_t out_step_flash(void)
{
    uint8_t count = R.out_count, from = R.out_from;
    if (P.open > PAGE_OPEN || (P.open && !count && R.flushed))
        return lean_page_close();
    if ((FLASH_SECTOR > 1 && !lean_wants_flash() && !page_is_wanted()) || !page_open(&P))
        return 0;
    if (count <= PIECE && !R.flushed)
        return 0;
    if (count > PIECE)
        count = PIECE;
    lean_page_put(sizeof P.h + P.h.used, R.out + from, count);
    lean_page_check(R.out + from, count);
    if ((P.h.used += count) >= PAYLOAD)
        P.open = PAGE_FULL;
    from += count;
    R.out_from = (R.out_count -= count) && from < OUT_ROOM ? from : 0;
    return 1;
}

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
