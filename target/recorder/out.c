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
    uint8_t count = out_waiting();
    const uint8_t *at = &R.out[R.out_count];
    while (CODEC_CARRIES && count && (count--, *--at == 0xff))
        ;
    return count;
}

PRIVATE SMALL void out_check(uint8_t ends)
{
    uint8_t count, room, checked = FLASH_BUFFERS == 1 ? R.checked : 0;
    ends |= R.turning | R.flushed;
    if (R.events_page.open != PAGE_OPEN || R.checked > checked)
        return;
    if (page_is_full() || (ends && !out_waiting())) {
        page_mark_last();
        page_seal(&R.events_page);
        return;
    }
    if (!out_is_wanted() && !ends)
        return;
    count = ends ? out_waiting() : out_settled();
    room = (uint8_t)(PAYLOAD - R.events_page.h.used);
    if (count > PIECE)
        count = PIECE;
    if (count > room)
        count = room;
    if (FLASH_BUFFERS == 1 && count <= checked)
        return;
    R.events_page.h.check = crc16_all(R.events_page.h.check, R.out + OUT_FROM + checked, count - checked);
    R.checked = count;
}

PRIVATE SMALL void out_settle(void)
{
#ifdef __MSP430__ /* a unit can always be encoded when no whole piece waits (codec.h) */
    enum { LATER = MOTET_AHEAD - CODEC_MOST < OUT_ROOM / 4 ? MOTET_AHEAD - CODEC_MOST : OUT_ROOM / 4 };
#endif
    uint8_t *to = R.out, from = OUT_FROM + R.sent;
    if (!R.sent)
        return;
    R.events_page.h.used += R.sent;
    R.checked = FLASH_BUFFERS == 1 ? R.checked - R.sent : 0;
    R.sent = 0;
#ifdef __MSP430__
    R.out_from = from <= LATER && from != R.out_count ? from : 0;
    if (R.out_from)
        return;
#endif
    R.out_count -= from;
    for (uint8_t left = R.out_count; left; left--, to++)
        *to = to[from];
}

/* What has come out of the codec goes into the page, some bytes of it. The page goes into the flash when it is full. */
PRIVATE SMALL uint8_t out_step_page(void)
{
    if (R.events_page.open > PAGE_OPEN)
        return page_close_on(&R.events_page);
    if (!R.events_page.open)
        return page_open(&R.events_page) || page_comes();
    if (FLASH_BUFFERS == 1 && !flash_ready())
        return 0;
    if (!R.checked)
        return 1; /* out_check() comes first */
    R.sent = page_put_payload(&R.events_page, R.out + OUT_FROM, R.checked);
    return 1;
}

/* What was recorded after the checkpoint begins, when all before it is in pages. */
static uint8_t out_turn(void)
{
    if (!R.turning || out_waiting() || R.events_page.open)
        return 0;
    R.turning = 0;
    out_begin_part();
    R.events_page.h.part++;
    R.events_page.h.index = 0;
    R.events_page.h.codec = MOTET_CODEC | PAGE_CONTINUES | (R.events_page.h.codec & PAGE_FROZEN);
    return 1;
}

PRIVATE SMALL uint8_t out_step_end(void)
{
    return out_waiting() || R.events_page.open ? out_step_page() : out_turn();
}

PRIVATE uint8_t out_step_flash(void)
{
    if (FLASH_BUFFERS == 1 && R.events_page.open > PAGE_OPEN)
        return page_close_on(&R.events_page);
    if (R.turning || R.flushed)
        return out_step_end();
    if (out_is_wanted() || page_is_wanted())
        return out_step_page();
    return 0;
}

/* A piece for the flash, and then, if that could not be written, some bytes more each time, as far as there is room; or
 * until the worker is wanted for something else. Whether there is more to encode. Interrupts may come. */
PRIVATE uint8_t out_encode(void)
{
    enum { STRIDE = 16, MOST = OUT_ROOM - CODEC_MOST };
    uint8_t most;
    if (FLASH_BUFFERS == 1 && out_turn()) /* else with the flash borrowed: that takes less room */
        return 1;
    if (R.out_count > MOST || R.turning || R.flushed)
        return 0;
    if (!R.fill) {
        if (R.state <= LOSING)
            return 0;
        codec_flush(); /* after a loss this is the end */
        R.flushed = 1;
        return 1;
    }
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
