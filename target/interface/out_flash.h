/* Pages into the external flash memory, by the recorder's drivers. Part of out.h.
 *
 * Bytes are written as they come; a page gets its header when it is full. Pages follow each other from the first on,
 * and when the memory is full nothing more is written: the beginning is what a replay needs. A start of the same
 * firmware goes on after what is there.
 */
#ifndef OUT_FLASH_H
#define OUT_FLASH_H

#include <stddef.h>

/* The drivers, without the rest of the recorder. */
#define CHECKPOINT_H
#define RECORDER_H
#define MOTET_NO_CHECKPOINT
#define CODEC_MOTET 3
#define MOTET_CODEC 0
#define MOTET_PIECE 8 /* as OUT_PIECE */
#include "crc16.h"
#define LEAN /* of the M25P80: the driver that does not let interrupts in */
#include "../recorder/page.h"
#include "../recorder/flash.h"
static struct {
    struct flash_pins pins;
    uint8_t command[4];
} R;
#ifdef __AVR__
#include "../recorder/flash_at45db.c"
#else
#include "../recorder/flash_m25p80.c"
#endif

#ifndef MOTET_FLASH_FIRST
#define MOTET_FLASH_FIRST 0
#endif
#ifndef MOTET_FLASH_PAGES
#define MOTET_FLASH_PAGES (FLASH_ALL - MOTET_FLASH_FIRST)
#endif
enum { OUT_PAYLOAD = PAGE_BYTES - sizeof(struct page_header), OUT_PIECE = 8, OUT_CODEC_FLASH = 4 };

static struct out {
    struct page_header h;
    const uint8_t *at, *to;
    uint8_t busy, open, begun;
} out;

static uint8_t out_busy(const struct log *l)
{
    (void)l;
    return out.busy;
}

static void out_begin(struct log *l)
{
    if (!out.begun)
        flash_pins();
    out.at = l->from;
    out.to = l->to;
    out.busy = 1;
}

static uint8_t out_held(void)
{
    return flash_taken() || flash_waits();
}

static uint8_t out_draining(void)
{
    return 0;
}

/* ---- where to go on ---- */

/* Whether a page of this firmware is there. */
static uint8_t out_is_written(uint16_t page)
{
    struct page_header *h = &out.h;
    flash_read(MOTET_FLASH_FIRST + page);
    for (uint8_t i = 0; i < sizeof *h; i++)
        ((uint8_t *)h)[i] = flash_exchange(0);
    flash_end();
    return h->magic == PAGE_MAGIC && (h->codec & PAGE_CODEC) == OUT_CODEC_FLASH &&
           h->build == (uint16_t)(uintptr_t)motet_build_id && h->sequence == page;
}

static void out_find_end(void)
{
    uint16_t low = 0, high = MOTET_FLASH_PAGES;
    while (low < high) {
        uint16_t middle = low + (high - low) / 2;
        if (out_is_written(middle))
            low = middle + 1;
        else
            high = middle;
    }
    out.h.magic = PAGE_MAGIC;
    out.h.codec = OUT_CODEC_FLASH;
    out.h.build = (uint16_t)(uintptr_t)motet_build_id;
    out.h.sequence = low;
    out.h.part = low;
    out.h.index = 0;
    out.begun = 1;
}

/* ---- pages ---- */

static uint8_t out_buffer(void)
{
    return FLASH_BUFFERS == 1 ? 0 : (uint8_t)(out.h.sequence & 1);
}

static void out_put(uint8_t byte)
{
    flash_send_all(&byte, 1);
    out.h.check = crc16(out.h.check, byte);
}

static uint16_t out_page(void)
{
    return MOTET_FLASH_FIRST + (uint16_t)out.h.sequence;
}

/* Programming an AT45DB erases. */
static uint8_t out_is_erased(void)
{
#ifdef __AVR__
    return 1;
#else
    return flash_is_blank(out_page(), 0, FLASH_LOOKS);
#endif
}

/* A page that can be written; zero: not yet. */
static uint8_t out_open(void)
{
    if (!flash_ready())
        return 0;
    if (!out_is_erased()) {
        if ((uint16_t)out.h.sequence % FLASH_SECTOR == 0)
            flash_erase(out_page());
        else
            out.h.sequence++;
        return 0;
    }
    out.h.used = out.h.check = 0;
    out.open = 1;
    return 1;
}

static void out_close(void)
{
    const uint8_t *bytes = (const uint8_t *)&out.h;
    flash_put(out_buffer(), out_page(), 0);
    for (uint8_t i = 0; i < offsetof(struct page_header, check); i++)
        out_put(*bytes++);
    flash_send_all(bytes, 2);
    flash_put_end();
    flash_commit(out_buffer(), out_page());
    out.h.sequence++;
    out.h.index++;
    out.open = 0;
}

/* A few bytes, if the memory takes them now. */
static void out_write(void)
{
    if (!out.begun) {
        if (flash_ready())
            out_find_end();
        return;
    }
    if (!out.open) {
        out_open();
        return;
    }
    if (FLASH_BUFFERS == 1 && !flash_ready())
        return;
    if (out.h.used == OUT_PAYLOAD) {
        if (flash_ready())
            out_close();
        return;
    }
    flash_put(out_buffer(), out_page(), sizeof out.h + out.h.used);
    for (uint8_t count = OUT_PIECE; count && out.at != out.to && out.h.used < OUT_PAYLOAD; count--) {
        out_put(*out.at++);
        out.h.used++;
    }
    flash_put_end();
}

static void out_step(struct log *l)
{
    if (out.begun && out.h.sequence >= MOTET_FLASH_PAGES) {
        out.at = out.to; /* it is full */
    } else if (!out_held()) {
        flash_borrow();
        out_write();
        flash_return();
    }
    out.busy = out.at != out.to;
    if (!out.busy)
        log_written(l);
}

#endif
