/* From the ring into pages of the flash, a step at a time.
 *
 * The log's flash is a ring of blocks that are erased as one. The header of a page is written last, so that a page that
 * power failed in is no page. A life's log ends before it would overwrite its own start. */
#include "recorder.h"

#include <stddef.h>

#include "../page.h"

enum { PAGE = 256, HEADER = sizeof(struct page_header), PAYLOAD = PAGE - HEADER, WORDS = 4, CODEC = 5, AHEAD = 2 };

extern const uint16_t motet_build[4];

static const uint8_t *pages_bytes(uint32_t offset)
{
    return (const uint8_t *)FLASH_AT(offset);
}

uint16_t pages_crc(uint16_t crc, const uint8_t *at, uint32_t count)
{
    for (; count; count--, at++) {
        uint8_t x = (uint8_t)(crc >> 8) ^ *at;
        x ^= x >> 4;
        crc = (uint16_t)(crc << 8 ^ x << 12 ^ x << 5 ^ x);
    }
    return crc;
}

static uint16_t pages_check(const uint8_t *page, uint16_t used)
{
    return pages_crc(pages_crc(0, page + HEADER, used), page, offsetof(struct page_header, check));
}

static uint8_t pages_is_blank(uint32_t offset, uint32_t size)
{
    const uint32_t *at = (const uint32_t *)pages_bytes(offset);
    for (uint32_t i = 0; i < size / 4; i++)
        if (at[i] != 0xffffffff)
            return 0;
    return 1;
}

static uint32_t pages_after(uint32_t offset, uint32_t size)
{
    return (offset + size) % CHIP_LOG_SIZE;
}

/* ---- the end of the old log ---- */

static uint8_t pages_is_whole(const struct page_header *h)
{
    return h->magic == PAGE_MAGIC && h->used <= PAYLOAD && pages_check((const uint8_t *)h, h->used) == h->check;
}

static const struct page_header *pages_newest(void)
{
    const struct page_header *newest = NULL;
    for (uint32_t at = 0; at < CHIP_LOG_SIZE; at += PAGE) {
        const struct page_header *h = (const struct page_header *)pages_bytes(at);
        if (pages_is_whole(h) && (!newest || (int32_t)(h->sequence - newest->sequence) > 0))
            newest = h;
    }
    return newest;
}

void pages_begin(void)
{
    const struct page_header *newest = pages_newest();
    R.sequence = newest ? newest->sequence + 1 : 0;
    R.part = newest ? newest->part + 1 : 0;
    R.at = newest ? pages_after((uint32_t)newest - FLASH_AT(0), PAGE) : 0;
    if (newest && newest->codec & PAGE_FROZEN && newest->build == motet_build[0]) {
        R.state = FROZEN;
        return;
    }
    /* behind what a page was being written to, within a block */
    uint32_t end = R.at + (CHIP_LOG_ERASE - R.at % CHIP_LOG_ERASE) % CHIP_LOG_ERASE;
    while (R.at < end && !pages_is_blank(R.at, end - R.at))
        R.at += PAGE;
    R.erased = end - R.at;
    R.at %= CHIP_LOG_SIZE;
    R.room = CHIP_LOG_SIZE - R.at % CHIP_LOG_ERASE;
    for (unsigned i = 0; i < PAGE_BUILD; i++)
        events_byte((uint8_t)(motet_build[i / 2] >> 8 * (i % 2)));
}

/* ---- steps ---- */

/* Takes bytes out of the ring into a page. */
static void pages_take(void)
{
    struct page_header *h = (struct page_header *)R.page;
    uint8_t *bytes = (uint8_t *)R.page;
    uint16_t used = R.fill < PAYLOAD ? R.fill : PAYLOAD;
    uint32_t tail = R.head >= R.fill ? R.head - R.fill : (uint32_t)(R.head + MOTET_RING - R.fill);
    for (unsigned i = 0; i < PAGE; i++)
        bytes[i] = 0xff;
    for (unsigned i = 0; i < used; i++, tail = tail + 1 == MOTET_RING ? 0 : tail + 1)
        bytes[HEADER + i] = R.ring[tail];
    R.fill -= used;
    *h = (struct page_header){.magic = PAGE_MAGIC,
                              .codec = (uint8_t)(CODEC | (R.fill ? 0 : R.kind)),
                              .build = motet_build[0],
                              .sequence = R.sequence++,
                              .part = R.part,
                              .index = R.index++,
                              .used = used};
    h->check = pages_check(bytes, used);
    R.used = used;
    R.written = 0;
}

/* Words of the payload, then those of the header. */
static void pages_write(void)
{
    uint32_t payload = (R.used + 3u) / 4, word = R.written < payload ? WORDS + R.written : R.written - payload;
    flash_write_word(FLASH_AT(R.at) + 4 * word, R.page[word]);
    if (++R.written < payload + WORDS)
        return;
    R.used = 0;
    R.at = pages_after(R.at, PAGE);
    R.erased -= PAGE;
    R.room -= PAGE;
}

/* Erases a block ahead of its use. */
static uint8_t pages_erase(void)
{
    uint32_t block = pages_after(R.at, R.erased);
    if (R.erased >= R.room || R.erased > (AHEAD - 1) * CHIP_LOG_ERASE)
        return 0;
    if (!R.erase_step && pages_is_blank(block, CHIP_LOG_ERASE)) {
        R.erased += CHIP_LOG_ERASE;
        return 1;
    }
    R.erase_step++;
    if (flash_erase_step(FLASH_AT(block), (uint8_t)(R.erase_step - 1))) {
        R.erase_step = 0;
        R.erased += CHIP_LOG_ERASE;
    }
    return 1;
}

uint8_t pages_step(uint8_t all)
{
    if (R.used && R.erased) {
        pages_write();
        return 1;
    }
    if (!R.used && R.room && (R.fill >= PAYLOAD || (all && R.fill))) {
        pages_take();
        return 1;
    }
    return pages_erase();
}

void pages_flush(uint8_t kind)
{
    R.kind = kind;
    while (R.room && (R.fill || R.used) && pages_step(1))
        ;
    R.kind = 0;
}
