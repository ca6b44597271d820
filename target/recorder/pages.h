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

static inline const uint16_t *ring_next(const uint16_t *unit)
{
    unit += UNIT / 2;
    return unit == R.ring + MOTET_RING / 2 ? R.ring : unit;
}

/* So many units wait, as far as a byte can tell. */
static inline uint8_t ring_units(void)
{
    uint16_t units = port_word(&R.fill) / UNIT;
    return units > 255 ? 255 : (uint8_t)units;
}

/* The codec is done with the oldest units, up to this one: their places are free. */
static SMALL __attribute__((used)) void ring_take_to(const uint16_t *unit)
{
    uint16_t tail = (uint16_t)((uintptr_t)unit - (uintptr_t)R.ring), bytes = tail - R.tail;
    if (tail < R.tail)
        bytes += MOTET_RING;
    R.tail = tail;
    port_subtract(&R.fill, bytes);
}

static SMALL void ring_take(void)
{
    ring_take_to(ring_next(oldest()));
}

/* No reads are to be added any more to a unit that stands for several. */
static inline void ring_close(void)
{
    port_set_word(&R.again_site, NO_SITE);
}

static void out(uint8_t byte)
{
    R.out[R.out_count++] = byte;
}

/* The number that has come out last, all of its bytes, is one more. */
static inline __attribute__((unused)) void out_carry(void)
{
    uint8_t *at = &R.out[R.out_count];
    while (!++*--at)
        ;
}

static uint8_t codec_waits(void);

#if MOTET_CODEC == CODEC_MOTET
#include "codec_encode.h"
#elif MOTET_CODEC == CODEC_TARDIS
#include "codec_tardis_node.h"
#else
#include "codec_plain.h"
#endif

/* There is enough for the flash, or no room for what another unit can become, or the worker is wanted for something
 * else, or holds up others. */
static inline uint8_t codec_waits(void)
{
    return R.out_count > *(volatile uint8_t *)&R.out_most || holds_up();
}

/* ---- places in the flash ---- */

/* Counted from MOTET_FLASH_FIRST. */
static inline uint16_t place_of(uint32_t sequence)
{
    return (uint16_t)(sequence % MOTET_FLASH_PAGES);
}

/* Pages written since the newest start, its own included. */
static SMALL uint16_t since_start(void)
{
    return (uint16_t)R.sequence - R.start;
}

/* Finds a page that can be written; one that cannot (power was lost while it was) is passed over. */
static uint8_t prepare_place(void)
{
    uint16_t slot = place_of(R.sequence), page = MOTET_FLASH_FIRST + slot;
    if (since_start() + FLASH_SECTOR > MOTET_FLASH_PAGES && slot % FLASH_SECTOR == 0)
        R.start =
            (uint16_t)
                R.sequence; /* no other way: what is there goes, and nothing can be replayed until the next start */
    if (flash_is_erased(page))
        return 1;
    if (slot % FLASH_SECTOR == 0)
        flash_erase(page);
    else
        R.sequence++;
    return 0;
}

/* Sectors are erased before they are needed, when nothing in them is. */
static uint8_t erase_ahead(void)
{
    uint16_t slot = place_of(R.sequence), to = FLASH_SECTOR - slot % FLASH_SECTOR;
    uint8_t sector = (uint8_t)(slot / FLASH_SECTOR + 1);
    if (FLASH_SECTOR == 1 || R.erased == sector)
        return 0;
    if (since_start() + to + FLASH_SECTOR > MOTET_FLASH_PAGES)
        return 0;
    slot = (slot + to) % MOTET_FLASH_PAGES;
    R.erased = sector;
    if (flash_is_erased(MOTET_FLASH_FIRST + slot))
        return 0;
    flash_erase(MOTET_FLASH_FIRST + slot);
    return 1;
}

/* ---- pages ---- */

/* The stream has a page, and bytes can go there. False if it takes longer. Where there are two buffers one is filled
 * while the other is programmed. */
static SMALL uint8_t open_page(struct stream *s)
{
    const struct stream *other = s == &R.saved ? &R.events_page : &R.saved;
    uint8_t buffer = FLASH_BUFFERS == 1 ? 0 : (other->open ? other->buffer : R.buffer) ^ 1;
    if (s->open)
        return FLASH_BUFFERS == 2 || flash_ready();
    if ((FLASH_BUFFERS == 1 || buffer == R.buffer) && !flash_ready())
        return 0;
    if (!prepare_place())
        return 0;
    s->buffer = buffer;
    s->h.sequence = R.sequence;
    s->h.used = s->h.check = 0;
    s->open = 1;
    R.sequence++;
    return 1;
}

static SMALL void put_checked(struct stream *s, uint8_t byte)
{
    flash_send(byte);
    s->h.check = crc16(s->h.check, byte);
}

static SMALL void put_byte(struct stream *s, uint8_t byte)
{
    put_checked(s, byte);
    s->h.used++;
}

/* Bytes can go there, `at` so many. */
static SMALL void begin_put(const struct stream *s, uint16_t at)
{
    flash_put(s->buffer, MOTET_FLASH_FIRST + place_of(s->h.sequence), at);
}

static SMALL void begin_payload(const struct stream *s)
{
    begin_put(s, sizeof(struct page_header) + s->h.used);
}

/* The header goes last: with it the page counts. It goes behind what is on its way into the page. */
static SMALL void end_page(struct stream *s)
{
    const uint8_t *bytes = (const uint8_t *)&s->h;
    uint8_t left = offsetof(struct page_header, check);
    s->h.magic = PAGE_MAGIC;
    s->h.build = (uint16_t)(uintptr_t)motet_build_id;
    for (; left; left--)
        put_checked(s, *bytes++);
    flash_send(*bytes++);
    flash_send(*bytes);
    flash_put_end();
    flash_commit(s->buffer, MOTET_FLASH_FIRST + place_of(s->h.sequence));
    R.buffer = s->buffer;
    s->h.index++;
    s->open = 0;
}

static SMALL void close_page(struct stream *s)
{
    begin_put(s, 0);
    end_page(s);
}

static SMALL uint8_t page_is_full(void)
{
    return R.events_page.open && R.events_page.h.used == PAYLOAD;
}

/* Where it takes long to find a place for a page, that is done before there is something for it. */
static uint8_t wants_page(void)
{
    return FLASH_SECTOR > 1 && R.state == RECORDING && (!R.events_page.open || page_is_full());
}

/* Of a part that ends with a loss. */
static SMALL void mark_last(void)
{
    if (R.state == LOST && R.flushed && R.out_count == R.sent)
        R.events_page.h.codec |= PAGE_GAP;
}

static uint8_t step_close(void)
{
    if (!flash_ready())
        return 0;
    mark_last();
    close_page(&R.events_page);
    return 1;
}

/* So many bytes have come out of the codec that no carry can change: those before the last, and before what is 0xff
 * there. */
static inline uint8_t out_settled(void)
{
    uint8_t count = R.out_count;
    const uint8_t *at = &R.out[count];
    while (CODEC_CARRIES && count && (count--, *--at == 0xff))
        ;
    return count;
}

/* What is to go into the page next counts for its check: a whole piece, or, where nothing comes behind, all there is.
 * That takes a while and needs no flash, and so no interrupts off. */
static SMALL void check_out(uint8_t ends)
{
    const uint8_t *at = R.out;
    uint8_t count, room;
    ends |= R.turning | R.flushed;
    if (R.checked || !R.events_page.open || (R.out_count <= PIECE && !ends))
        return;
    count = ends ? R.out_count : out_settled();
    room = (uint8_t)(PAYLOAD - R.events_page.h.used);
    if (count > PIECE)
        count = PIECE;
    if (count > room)
        count = room;
    R.checked = count;
    for (; count; count--)
        R.events_page.h.check = crc16(R.events_page.h.check, *at++);
}

/* What has gone out is not needed any more: this needs no flash either. */
static SMALL void settle_out(void)
{
    uint8_t *to = R.out, count = R.sent;
    if (!count)
        return;
    R.sent = R.checked = 0;
    R.out_count -= count;
    if (R.events_page.open) /* else these were its last */
        R.events_page.h.used += count;
    for (uint8_t left = R.out_count; left; left--, to++)
        *to = to[count];
}

/* What has come out of the codec goes into the page, some bytes of it. The page goes into the flash when it is full:
 * where programming goes on at its beginning, with the last of them. */
static SMALL uint8_t step_out(void)
{
    if (page_is_full())
        return step_close();
    if (!open_page(&R.events_page))
        return 0;
    if (!R.checked)
        return 1;
    R.sent = R.checked;
    begin_payload(&R.events_page);
    flash_send_all(R.out, R.sent);
    if (FLASH_WRAPS && R.events_page.h.used + R.sent == PAYLOAD) {
        R.events_page.h.used = PAYLOAD;
        mark_last();
        end_page(&R.events_page);
    } else {
        flash_put_end();
    }
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
    R.events_page.h.part++;
    R.events_page.h.index = 0;
    R.events_page.h.codec = MOTET_CODEC | PAGE_CONTINUES;
    return 1;
}

/* A piece of work on what is encoded: some bytes into the page, or the page into the flash. Zero if there is nothing to
 * do now. */
static uint8_t step_flash(void)
{
    if (R.turning || R.flushed)
        return step_end();
    if (R.out_count > PIECE || wants_page())
        return step_out();
    if (!R.fill && R.state > LOSING && R.out_count + CODEC_MOST <= OUT_ROOM) {
        codec_flush();
        R.flushed = 1;
        return 1;
    }
    return 0;
}

/* A piece for the flash, and then, if that could not be written, some bytes more each time, as far as there is room; or
 * until the worker is wanted for something else. Whether there is more to encode. Interrupts may come. */
static uint8_t encode(void)
{
    enum { STRIDE = 16, MOST = OUT_ROOM - CODEC_MOST };
    uint8_t most;
    if (!R.fill || R.out_count > MOST || R.turning || R.flushed)
        return 0;
    most = R.out_count + STRIDE;
    if (most < PIECE)
        most = PIECE;
    R.out_most = R.wanted ? 0 : most < MOST ? most : MOST;
    codec_units();
    return R.fill != 0;
}

static SMALL uint8_t step(void)
{
    uint8_t more;
    check_out(0);
    more = step_flash();
    settle_out();
    return more || encode();
}

/* Events come faster than idle moments: some are encoded where they happen, so that nothing is lost. Until the firmware
 * comes to rest for the first time nobody waits for it, and more is done. */
static void make_room(void)
{
    enum { ENOUGH = 8 * UNIT };
    uint8_t more = ENOUGH;
    uint16_t until = R.starting ? MOTET_RING / 4 : MOTET_RING - UNIT - ENOUGH, patience = R.starting ? 0xffff : ENOUGH;
    if (flash_taken()) { /* and whoever has it cannot give it back meanwhile */
        do
            encode();
        while (--more && R.fill > until);
        return;
    }
    open_flash();
    for (; R.fill > until && patience && (more || R.starting); patience--)
        more = step();
    /* Of one that is erased apart the application may have seen that it is ready, and rely on it. */
    if (FLASH_SECTOR > 1 && (R.starting || flash_is_shared(&R.pins)))
        for (; patience && !flash_ready(); patience--)
            ;
    close_flash();
}
