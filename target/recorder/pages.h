/* From the ring through the codec into the flash, a piece at a time.
 *
 * Part of recorder.c. Invariant: a page in the flash that passes its check holds what was recorded, in order; one that
 * was being written when power failed does not pass it. */
/* The oldest unit, or NULL. */
static const uint16_t *oldest(void)
{
    if (!R.fill)
        return NULL;
    return &R.ring[(R.head >= R.fill ? R.head - R.fill : R.head + MOTET_RING - R.fill) / 2];
}

static void out(uint8_t byte)
{
    R.out[R.out_count++] = byte;
}

#if MOTET_CODEC == CODEC_MOTET
#include "codec_encode.h"
#else
#include "codec_plain.h"
#endif

static void write_page(void)
{
    struct page_header h = {
        PAGE_MAGIC, MOTET_CODEC, (uint16_t)(uintptr_t)motet_build_id, R.sequence, R.part, R.index, R.used, 0};
    const uint8_t *bytes = (const uint8_t *)&h;
    for (uint8_t i = 0; i < offsetof(struct page_header, check); i++)
        R.crc = crc16(R.crc, bytes[i]);
    h.check = R.crc;
    flash_put(R.buffer, MOTET_FLASH_FIRST + R.page, 0, bytes, sizeof h);
    flash_commit(R.buffer, MOTET_FLASH_FIRST + R.page);
    R.buffer = (R.buffer + 1) % FLASH_BUFFERS;
    R.page = R.page + 1 == MOTET_FLASH_PAGES ? 0 : R.page + 1;
    R.sequence++;
    R.index++;
    R.used = R.crc = 0;
    if (R.state == ENDED && R.fill == 0 && R.out_count == 0)
        R.left = 0;
    else if (--R.left == 0)
        R.state = ENDED;
}

/* Finds a page that can be written; one that cannot (power was lost while it was) is passed over. */
static uint8_t prepare_page(void)
{
    if (flash_prepare(MOTET_FLASH_FIRST + R.page))
        return 1;
    if (flash_ready()) { /* nothing was begun that would make it blank */
        R.page = R.page + 1 == MOTET_FLASH_PAGES ? 0 : R.page + 1;
        R.left = R.left ? R.left - 1 : 0;
    }
    return 0;
}

/* What has come out of the codec goes into the page, which is written when it is full or nothing else follows. */
static uint8_t step_out(void)
{
    if (FLASH_BUFFERS == 1 && !flash_ready())
        return 0;
    if (R.used == 0 && !prepare_page())
        return 0;
    flash_put(R.buffer, MOTET_FLASH_FIRST + R.page, sizeof(struct page_header) + R.used, R.out, R.out_count);
    R.used += R.out_count;
    for (uint8_t i = 0; i < R.out_count; i++)
        R.crc = crc16(R.crc, R.out[i]);
    R.out_count = 0;
    return 1;
}

static uint8_t step_page(void)
{
    if (!flash_ready())
        return 0;
    write_page();
    return 1;
}

/* A piece of work: some events encoded, or some bytes into the page, or the page into the flash. Zero if there is
 * nothing to do now. */
static uint8_t step(void)
{
    enum { UNITS = MOTET_CODEC == CODEC_PLAIN ? 4 : 1 };
    uint16_t room = PAYLOAD - R.used, needed = R.out_count + CODEC_MOST;
    uint8_t full = room < needed, last = R.state == ENDED && !R.fill;
    if (!R.left)
        return 0;
    if (last && !R.flushed) {
        codec_flush();
        R.flushed = 1;
        return 1;
    }
    if (R.out_count && (full || last || R.out_count >= PIECE))
        return step_out();
    if (R.used && (full || last))
        return step_page();
    for (uint8_t i = 0; i < UNITS && R.fill && R.out_count < PIECE && room >= (uint16_t)(R.out_count + CODEC_MOST); i++)
        codec_unit();
    return R.fill || R.out_count >= PIECE;
}

/* Until the firmware comes to rest for the first time nobody waits for it, and there is much to record: no need to lose
 * anything. */
static void make_room(void)
{
    struct flash_pins was;
    if (flash_taken())
        return;
    flash_open(&was);
    while (R.fill > MOTET_RING / 4 && R.left)
        step();
    flash_close(&was);
}
