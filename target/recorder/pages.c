#include "pages.h"

#include "crc.h"

#ifndef LEAN /* lean_pages.c is for that */

/* ---- places in the flash ---- */

PRIVATE SMALL uint16_t page_since_start(void)
{
    return (uint16_t)R.sequence - R.start;
}

/* Finds a page that can be written; one that cannot (power was lost while it was) is passed over. */
static uint8_t page_prepare(void)
{
    uint16_t slot = page_place(R.sequence), page = MOTET_FLASH_FIRST + slot;
    if (page_since_start() + FLASH_SECTOR > MOTET_FLASH_PAGES && slot % FLASH_SECTOR == 0)
        R.start = (uint16_t)R.sequence; /* no other way: what is there goes, nothing replays until the next start */
    if (flash_is_erased(page))
        return 1;
    if (slot % FLASH_SECTOR == 0)
        flash_erase(page);
    else
        R.sequence++;
    return 0;
}

PRIVATE uint8_t page_erase_ahead(void)
{
    uint16_t slot = page_place(R.sequence), to = FLASH_SECTOR - slot % FLASH_SECTOR;
    uint8_t sector = (uint8_t)(slot / FLASH_SECTOR + 1);
    if (FLASH_SECTOR == 1 || R.erased == sector)
        return 0;
    if (page_since_start() + to + FLASH_SECTOR > MOTET_FLASH_PAGES)
        return 0;
    slot = (slot + to) % MOTET_FLASH_PAGES;
    R.erased = sector;
    if (flash_is_erased(MOTET_FLASH_FIRST + slot))
        return 0;
    flash_erase(MOTET_FLASH_FIRST + slot);
    return 1;
}

/* ---- pages ---- */

/* Where there are two buffers one is filled while the other is programmed. */
PRIVATE SMALL uint8_t page_open(struct stream *s)
{
    const struct stream *other = s == &R.saved ? &R.events_page : &R.saved;
    uint8_t buffer = FLASH_BUFFERS == 1 ? 0 : (other->open ? other->buffer : R.buffer) ^ 1;
    if (s->open)
        return FLASH_BUFFERS == 2 || flash_ready();
    if ((FLASH_BUFFERS == 1 || buffer == R.buffer) && !flash_ready())
        return 0;
    if (!page_prepare())
        return 0;
    s->buffer = buffer;
    s->h.sequence = R.sequence;
    s->h.used = s->h.check = 0;
    s->open = PAGE_OPEN;
    R.sequence++;
    return 1;
}

PRIVATE SMALL void page_put(struct stream *s, uint8_t byte)
{
    flash_send(byte);
    s->h.check = crc16_of(s->h.check, byte);
    s->h.used++;
}

/* Bytes can go there, `at` so many. */
static SMALL void page_begin_put(const struct stream *s, uint16_t at)
{
    flash_put(s->buffer, MOTET_FLASH_FIRST + page_place(s->h.sequence), at);
}

PRIVATE SMALL void page_begin_payload(const struct stream *s)
{
    page_begin_put(s, sizeof(struct page_header) + s->h.used);
}

PRIVATE SMALL void page_seal(struct stream *s)
{
    s->h.magic = PAGE_MAGIC;
    s->h.build = (uint16_t)(uintptr_t)motet_build_id;
    s->h.check = crc16_all(s->h.check, (const uint8_t *)&s->h, offsetof(struct page_header, check));
    s->open = PAGE_SEALED;
}

static SMALL void page_put_header(struct stream *s)
{
    flash_send_all((const uint8_t *)&s->h, sizeof s->h);
    flash_put_end();
    s->open = PAGE_HEADED;
}

static SMALL void page_commit(struct stream *s)
{
    flash_commit(s->buffer, MOTET_FLASH_FIRST + page_place(s->h.sequence));
    R.buffer = s->buffer;
    s->h.index++;
    s->open = PAGE_CLOSED;
}

PRIVATE SMALL void page_end(struct stream *s)
{
    page_seal(s);
    page_put_header(s);
    page_commit(s);
}

PRIVATE SMALL void page_close_on(struct stream *s)
{
    if (s->open == PAGE_OPEN) {
        page_seal(s);
    } else if (s->open == PAGE_SEALED) {
        page_begin_put(s, 0);
        page_put_header(s);
    } else {
        page_commit(s);
    }
}

PRIVATE SMALL uint8_t page_is_full(void)
{
    return R.events_page.open && R.events_page.h.used == PAYLOAD;
}

/* Where it takes long to find a place for a page, that is done before there is something for it. */
PRIVATE uint8_t page_is_wanted(void)
{
    return FLASH_SECTOR > 1 && R.state == RECORDING && (!R.events_page.open || page_is_full());
}

/* Of a part that ends with a loss. */
/* The check is linear: of what has changed in the header it is that of the change alone, with zeros after it. */
PRIVATE SMALL void page_mark(uint8_t kind)
{
    struct page_header *h = &R.events_page.h;
    uint16_t change = crc16(0, kind & (uint8_t)~h->codec);
    h->codec |= kind;
    for (uint8_t left = offsetof(struct page_header, check) - offsetof(struct page_header, codec) - 1; left; left--)
        change = crc16(change, 0);
    if (R.events_page.open == PAGE_SEALED)
        h->check ^= change;
}

PRIVATE SMALL void page_mark_last(void)
{
    if (R.state == LOST && R.flushed && R.out_count == R.sent)
        R.events_page.h.codec |= PAGE_GAP;
}

PRIVATE uint8_t page_step_close(void)
{
    if ((FLASH_BUFFERS == 1 || R.events_page.open == PAGE_HEADED) && !flash_ready())
        return 0;
    if (R.events_page.open == PAGE_OPEN)
        page_mark_last();
    page_close_on(&R.events_page);
    return 1;
}

#endif
