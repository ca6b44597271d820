/* From the ring through the codec into the flash, a piece at a time.
 *
 * Part of recorder.c. Two streams of pages go into the flash: events, and now and then a checkpoint. The flash is a
 * ring: the page with sequence number q takes the place of the one with q - MOTET_FLASH_PAGES. Invariants: a page in
 * the flash that passes its check holds what was recorded, in order, and one that was being written when power failed
 * does not pass it; the pages from R.start on, where the newest start that can be replayed has its first, are not
 * overwritten.
 */

/* The oldest unit, or NULL. */
static uint16_t *oldest(void)
{
    return R.fill ? &R.ring[R.tail / 2] : NULL;
}

/* It is dealt with: its place is free. */
static SMALL void ring_take(void)
{
    R.tail = R.tail + UNIT == MOTET_RING ? 0 : R.tail + UNIT;
    port_state was = port_lock();
    R.fill -= UNIT;
    port_unlock(was);
}

/* Reads that come from now on are not counted in a unit that is being encoded. */
static void end_again(void)
{
    port_state was = port_lock();
    R.again_site = NO_SITE;
    port_unlock(was);
}

static void out(uint8_t byte)
{
    R.out[R.out_count++] = byte;
}

#if MOTET_CODEC == CODEC_MOTET
#include "codec_encode.h"
#elif MOTET_CODEC == CODEC_TARDIS
#include "codec_tardis_node.h"
#else
#include "codec_plain.h"
#endif

/* ---- places in the flash ---- */

static SMALL void next_place(void)
{
    R.sequence++;
    R.slot = R.slot + 1 == MOTET_FLASH_PAGES ? 0 : R.slot + 1;
    R.looked = 0;
}

/* Pages written since the newest start, its own included. */
static SMALL uint32_t since_start(void)
{
    return R.sequence - R.start;
}

/* Finds a page that can be written; one that cannot (power was lost while it was) is passed over. */
static uint8_t prepare_place(void)
{
    uint16_t page = MOTET_FLASH_FIRST + R.slot;
    if (since_start() + FLASH_SECTOR > MOTET_FLASH_PAGES && R.slot % FLASH_SECTOR == 0)
        R.start = R.sequence; /* no other way: what is there goes, and nothing can be replayed until the next start */
    switch (flash_look(page, &R.looked)) {
    case FLASH_LOOKS_ON: return 0;
    case FLASH_BLANK: return 1;
    default: break;
    }
    if (R.slot % FLASH_SECTOR == 0)
        flash_erase(page);
    else
        next_place();
    R.looked = 0;
    return 0;
}

/* Sectors are erased before they are needed, when nothing in them is. */
static uint8_t erase_ahead(void)
{
    uint16_t to = FLASH_SECTOR - R.slot % FLASH_SECTOR, slot;
    if (FLASH_SECTOR == 1 || R.erased == R.slot / FLASH_SECTOR + 1)
        return 0;
    if (since_start() + to + FLASH_SECTOR > MOTET_FLASH_PAGES)
        return 0;
    slot = (R.slot + to) % MOTET_FLASH_PAGES;
    R.erased = R.slot / FLASH_SECTOR + 1;
    if (flash_is_erased(MOTET_FLASH_FIRST + slot))
        return 0;
    flash_erase(MOTET_FLASH_FIRST + slot);
    return 1;
}

/* ---- pages ---- */

/* A place for the stream's next page, and a buffer. False if it takes longer. */
static uint8_t open_page(struct stream *s)
{
    const struct stream *other = s == &R.events_page ? &R.saved : &R.events_page;
    uint8_t buffer = (R.buffer + 1) % FLASH_BUFFERS;
    if (s->open)
        return 1;
    if (other->open && FLASH_BUFFERS == 2)
        buffer = other->buffer ^ 1;
    if ((FLASH_BUFFERS == 1 || buffer == R.buffer) && !flash_ready())
        return 0;
    if (!prepare_place())
        return 0;
    s->slot = R.slot;
    s->sequence = R.sequence;
    s->buffer = buffer;
    s->used = s->crc = 0;
    s->open = 1;
    next_place();
    return 1;
}

static SMALL void put_byte(struct stream *s, uint8_t byte)
{
    flash_send(byte);
    s->crc = crc16(s->crc, byte);
    s->used++;
}

/* The header goes last: with it the page counts. */
static void close_page(struct stream *s, uint16_t part, uint8_t kind)
{
    struct page_header h = {
        PAGE_MAGIC, MOTET_CODEC | kind, (uint16_t)(uintptr_t)motet_build_id, s->sequence, part, s->index, s->used, 0};
    const uint8_t *bytes = (const uint8_t *)&h;
    for (uint8_t i = 0; i < offsetof(struct page_header, check); i++)
        s->crc = crc16(s->crc, bytes[i]);
    h.check = s->crc;
    flash_put(s->buffer, MOTET_FLASH_FIRST + s->slot, 0);
    for (uint8_t i = 0; i < sizeof h; i++)
        flash_send(bytes[i]);
    flash_put_end();
    flash_commit(s->buffer, MOTET_FLASH_FIRST + s->slot);
    R.buffer = s->buffer;
    s->index++;
    s->open = 0;
}

static uint8_t step_close(void)
{
    if (!flash_ready())
        return 0;
    close_page(&R.events_page, R.part, R.kind | (R.state == LOST && R.flushed && !R.out_count ? PAGE_GAP : 0));
    return 1;
}

/* What has come out of the codec goes into the page, some bytes of it, or the page into the flash if it is full. */
static SMALL uint8_t step_out(void)
{
    uint8_t count = R.out_count < PIECE ? R.out_count : PIECE;
    if (R.events_page.open && R.events_page.used == PAYLOAD)
        return step_close();
    if (!open_page(&R.events_page) || (FLASH_BUFFERS == 1 && !flash_ready()))
        return 0;
    if (count > PAYLOAD - R.events_page.used)
        count = (uint8_t)(PAYLOAD - R.events_page.used);
    flash_put(R.events_page.buffer, MOTET_FLASH_FIRST + R.events_page.slot,
              sizeof(struct page_header) + R.events_page.used);
    for (uint8_t i = 0; i < count; i++)
        put_byte(&R.events_page, R.out[i]);
    flash_put_end();
    R.out_count -= count;
    for (uint8_t i = 0; i < R.out_count; i++)
        R.out[i] = R.out[i + count];
    return 1;
}

/* All that belongs to the part is encoded: the rest of it goes into the flash. */
static SMALL uint8_t step_end(void)
{
    if (R.out_count)
        return step_out();
    if (R.events_page.open)
        return step_close();
    if (!R.turning)
        return 0;
    R.turning = 0; /* what was recorded behind the checkpoint */
    codec_begin();
    R.part++;
    R.events_page.index = 0;
    R.kind = PAGE_CONTINUES;
    return 1;
}

/* A piece of work on what is encoded: some bytes into the page, or the page into the flash. Zero if there is nothing to
 * do now. */
static uint8_t step_flash(void)
{
    if (R.turning || R.flushed)
        return step_end();
    if (R.out_count >= PIECE)
        return step_out();
    if (!R.fill && R.state > LOSING && R.out_count + CODEC_MOST <= OUT_ROOM) {
        codec_flush();
        R.flushed = 1;
        return 1;
    }
    return 0;
}

/* As much as there is room for, or until the worker is wanted for something else. Interrupts may come. */
static uint8_t encode(void)
{
    uint8_t some = 0;
    while (R.fill && R.out_count + CODEC_MOST <= OUT_ROOM && !R.turning && !R.flushed) {
        codec_unit();
        some = 1;
        if (*(volatile uint8_t *)&R.wanted)
            break;
    }
    return some;
}

static SMALL uint8_t step(void)
{
    return step_flash() || encode();
}

/* Events come faster than idle moments: some are encoded where they happen, so that nothing is lost. Until the firmware
 * comes to rest for the first time nobody waits for it, and more is done. */
static void make_room(void)
{
    enum { ENOUGH = 8 * UNIT };
    struct flash_pins was;
    uint8_t taken = flash_taken(), more = 1;
    uint16_t until = R.starting ? MOTET_RING / 4 : MOTET_RING - UNIT - ENOUGH, patience = R.starting ? 0xffff : ENOUGH;
    if (!taken)
        flash_open(&was);
    for (; R.fill > until && patience && (more || R.starting); patience--)
        more = taken ? encode() : step();
    if (!taken)
        flash_close(&was);
}
