#include "pages.h"

#include "crc.h"
#include "out.h"

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
#ifdef __MSP430__                       /* some bytes at a time: interrupts are off */
    while (R.looked < FLASH_LOOKS) {
        if (!flash_is_blank(page, R.looked, FLASH_LOOK)) {
            R.looked = 0;
            if (slot % FLASH_SECTOR == 0)
                flash_erase(page);
            else
                R.sequence++;
            return 0;
        }
        R.looked += FLASH_LOOK;
        if (!flash_let_in())
            return 0;
    }
    R.looked = 0;
    return 1;
#else
    (void)page;
    return 1;
#endif
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
#ifdef __MSP430__ /* a part of the header, and of what comes first after it */
    if (flash_is_blank(MOTET_FLASH_FIRST + slot, sizeof R.saved.h - FLASH_LOOK / 2, FLASH_LOOK))
        return 0;
#endif
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

/* Bytes can go there, `at` so many. */
static SMALL void page_begin_put(const struct stream *s, uint16_t at)
{
    flash_put(s->buffer, MOTET_FLASH_FIRST + page_place(s->h.sequence), at);
}

PRIVATE SMALL void page_begin_payload(const struct stream *s)
{
    page_begin_put(s, sizeof(struct page_header) + s->h.used);
}

PRIVATE uint8_t page_put_payload(const struct stream *s, const uint8_t *bytes, uint8_t count)
{
#ifdef __MSP430__
    count = flash_put_on(MOTET_FLASH_FIRST + page_place(s->h.sequence), sizeof s->h + s->h.used, bytes, count);
#else
    page_begin_payload(s);
    flash_send_all(bytes, count);
    flash_put_end();
#endif
    return count;
}

PRIVATE SMALL void page_seal(struct stream *s)
{
    s->h.magic = PAGE_MAGIC;
    s->h.build = (uint16_t)(uintptr_t)motet_build_id;
    s->h.check = crc16_all(s->h.check, (const uint8_t *)&s->h, offsetof(struct page_header, check));
    s->open = PAGE_SEALED;
}

PRIVATE SMALL uint8_t page_close_on(struct stream *s)
{
    if ((FLASH_BUFFERS == 1 || s->open == PAGE_HEADED) && !flash_ready())
        return 0;
#ifdef __MSP430__ /* in halves: the magic comes last, and the kind of page that the check in the other half is of */
    enum { HALF = sizeof s->h / 2 };
    uint8_t from = s->open == PAGE_SEALED ? HALF : 0, half[HALF];
    __builtin_memcpy(half, (const uint8_t *)&s->h + from, HALF);
    if (from) {
        s->buffer = s->h.codec;
        s->open = PAGE_HALF;
    } else {
        half[offsetof(struct page_header, codec)] = s->buffer;
        s->h.index++;
        s->open = PAGE_CLOSED;
    }
    flash_put_on(MOTET_FLASH_FIRST + page_place(s->h.sequence), from, half, HALF);
#else
    if (s->open == PAGE_SEALED) {
        page_begin_put(s, 0);
        flash_send_all((const uint8_t *)&s->h, sizeof s->h);
        flash_put_end();
        s->open = PAGE_HEADED;
        return 1;
    }
    flash_commit(s->buffer, MOTET_FLASH_FIRST + page_place(s->h.sequence));
    R.buffer = s->buffer;
    s->h.index++;
    s->open = PAGE_CLOSED;
#endif
    return 1;
}

PRIVATE uint8_t page_is_full(void)
{
    return R.events_page.open && R.events_page.h.used == PAYLOAD;
}

/* Where it takes long to find a place for a page, that is done before there is something for it. */
PRIVATE uint8_t page_is_wanted(void)
{
    return FLASH_SECTOR > 1 && R.state == RECORDING && (!R.events_page.open || page_is_full());
}

/* Of a part that ends with a loss. */
/* The check is linear: of what has changed in the header it is that of the change alone, among zeros. */
PRIVATE SMALL void page_mark(uint8_t kind)
{
    struct page_header *h = &R.events_page.h, change = {.codec = kind & (uint8_t)~h->codec};
    h->codec |= kind;
    if (R.events_page.open == PAGE_SEALED)
        h->check ^= crc16_all(0, (const uint8_t *)&change, offsetof(struct page_header, check));
}

PRIVATE void page_mark_last(void)
{
    if (R.state == LOST && R.flushed && out_waiting() == R.sent)
        R.events_page.h.codec |= PAGE_GAP;
}

#endif
