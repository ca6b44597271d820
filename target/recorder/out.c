#include "out.h"

#include "codec.h"
#include "crc.h"
#include "flash.h"
#include "pages.h"
#include "recorder.h"
#include "ring.h"

#ifndef LEAN /* lean_pages.c is for that */

PRIVATE void out_put(uint8_t byte)
{
    R.out[R.out_count++] = byte;
}

PRIVATE SMALL void out_begin_part(void)
{
    const uint8_t *at = motet_build;
    uint8_t left = PAGE_BUILD;
    for (; left; left--)
        out_put(port_byte(at++));
    R.confirmed = 0;
    codec_begin();
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

PRIVATE SMALL void out_check(uint8_t ends)
{
    uint8_t count, room;
    ends |= R.turning | R.flushed;
    if (page_is_full() && R.events_page.open == PAGE_OPEN) {
        page_mark_last();
        page_seal(&R.events_page);
    }
    if (R.checked || !R.events_page.open || (R.out_count <= PIECE && !ends))
        return;
    count = ends ? R.out_count : out_settled();
    room = (uint8_t)(PAYLOAD - R.events_page.h.used);
    if (count > PIECE)
        count = PIECE;
    if (count > room)
        count = room;
    R.checked = count;
    R.events_page.h.check = crc16_all(R.events_page.h.check, R.out, count);
}

PRIVATE SMALL void out_settle(void)
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
PRIVATE SMALL uint8_t out_step_page(void)
{
    if (page_is_full())
        return page_step_close();
    if (!page_open(&R.events_page))
        return 0;
    if (!R.checked)
        return 1;
    R.sent = R.checked;
    page_begin_payload(&R.events_page);
    flash_send_all(R.out, R.sent);
    if (FLASH_WRAPS && R.events_page.h.used + R.sent == PAYLOAD) {
        R.events_page.h.used = PAYLOAD;
        page_mark_last();
        page_end(&R.events_page);
    } else {
        flash_put_end();
    }
    return 1;
}

PRIVATE SMALL uint8_t out_step_end(void)
{
    if (R.out_count)
        return out_step_page();
    if (R.events_page.open)
        return page_step_close();
    if (!R.turning)
        return 0;
    R.turning = 0; /* what was recorded after the checkpoint */
    out_begin_part();
    R.events_page.h.part++;
    R.events_page.h.index = 0;
    R.events_page.h.codec = MOTET_CODEC | PAGE_CONTINUES;
    return 1;
}

PRIVATE uint8_t out_step_flash(void)
{
    if (R.turning || R.flushed)
        return out_step_end();
    if (R.out_count > PIECE || page_is_wanted())
        return out_step_page();
    if (!R.fill && R.state > LOSING && R.out_count + CODEC_MOST <= OUT_ROOM) {
        codec_flush();
        R.flushed = 1;
        return 1;
    }
    return 0;
}

/* A piece for the flash, and then, if that could not be written, some bytes more each time, as far as there is room; or
 * until the worker is wanted for something else. Whether there is more to encode. Interrupts may come. */
PRIVATE uint8_t out_encode(void)
{
    enum { STRIDE = 16, MOST = OUT_ROOM - CODEC_MOST };
    uint8_t most;
    if (!R.fill || R.out_count > MOST || R.turning || R.flushed)
        return 0;
    if (R.confirmed != (uint8_t)R.events_page.h.index && codec_confirm()) {
        R.confirmed = (uint8_t)R.events_page.h.index;
        return 1;
    }
    most = R.out_count + STRIDE;
    if (most < PIECE)
        most = PIECE;
    R.out_most = R.wanted ? 0 : most < MOST ? most : MOST;
    codec_units();
    return R.fill != 0;
}

PRIVATE SMALL uint8_t out_step(void)
{
    uint8_t more;
    out_check(0);
    more = out_step_flash();
    out_settle();
    return more || out_encode();
}

/* Nothing waits for the firmware yet: the ring is emptied, however long that takes. */
PRIVATE void out_make_room(void)
{
    uint16_t until = MOTET_RING / 4, patience = 0xffff;
    if (flash_taken()) { /* and its user cannot give it back meanwhile */
        enum { TIMES = 32 };
        for (uint8_t times = TIMES; times && R.fill > until && out_encode(); times--)
            ;
        return;
    }
    flash_borrow();
    for (; R.fill > until && patience; patience--)
        out_step();
    /* Of one that is erased apart the application may have seen that it is ready, and rely on it. */
    if (FLASH_SECTOR > 1)
        for (; patience && !flash_ready(); patience--)
            ;
    flash_return();
}

#endif
