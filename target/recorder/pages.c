#include "pages.h"

#include "crc.h"

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
    s->open = 1;
    R.sequence++;
    return 1;
}

static SMALL void page_put_checked(struct stream *s, uint8_t byte)
{
    flash_send(byte);
    s->h.check = crc16(s->h.check, byte);
}

PRIVATE SMALL void page_put(struct stream *s, uint8_t byte)
{
    page_put_checked(s, byte);
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

PRIVATE SMALL void page_end(struct stream *s)
{
    const uint8_t *bytes = (const uint8_t *)&s->h;
    uint8_t left = offsetof(struct page_header, check);
    s->h.magic = PAGE_MAGIC;
    s->h.build = (uint16_t)(uintptr_t)motet_build_id;
    for (; left; left--)
        page_put_checked(s, *bytes++);
    flash_send(*bytes++);
    flash_send(*bytes);
    flash_put_end();
    flash_commit(s->buffer, MOTET_FLASH_FIRST + page_place(s->h.sequence));
    R.buffer = s->buffer;
    s->h.index++;
    s->open = 0;
}

PRIVATE SMALL void page_close(struct stream *s)
{
    page_begin_put(s, 0);
    page_end(s);
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
PRIVATE SMALL void page_mark_last(void)
{
    if (R.state == LOST && R.flushed && R.out_count == R.sent)
        R.events_page.h.codec |= PAGE_GAP;
}

PRIVATE uint8_t page_step_close(void)
{
    if (!flash_ready())
        return 0;
    page_mark_last();
    page_close(&R.events_page);
    return 1;
}
