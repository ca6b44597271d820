/* Pages over the serial port, as long as what is in them, with the check after that (codec 5): so bytes are checked as
 * they are sent. Part of out.h. */
#ifndef OUT_SERIAL_H
#define OUT_SERIAL_H

#include <stddef.h>

#include "crc16.h"
#ifdef __AVR__
#include "serial_avr.h"
#else
#include "serial_msp430.h"
#endif

enum { OUT_NOTHING, OUT_HEADER, OUT_PAYLOAD, OUT_CHECK };
_Static_assert(sizeof log.page.h == sizeof(struct page_header), "the same layout");

static uint8_t out_busy(const struct log *l)
{
    return l->page.stage;
}

static __attribute__((noinline)) void out_begin(struct log *l)
{
    if (!serial_ready())
        return;
    l->page.h.used = (uint16_t)(l->to - l->from);
    l->page.h.check = 0;
    l->page.at = (const uint8_t *)&l->page.h;
    l->page.end = (const uint8_t *)&l->page.h.check;
    l->page.stage = OUT_HEADER;
}

static void out_next(struct log *l)
{
    uint8_t stage = l->page.stage++;
    if (stage == OUT_HEADER) {
        l->page.at = l->from;
        l->page.end = l->to;
    } else if (stage == OUT_PAYLOAD) {
        l->page.at = (const uint8_t *)&l->page.h.check;
        l->page.end = (const uint8_t *)(&l->page.h + 1);
    } else {
        l->page.h.index = 1;
        l->page.h.sequence++;
        l->page.stage = OUT_NOTHING;
        log_written(l);
    }
}

static __attribute__((noinline)) void out_step(struct log *l)
{
    const uint8_t *at = l->page.at;
    if (at == l->page.end) {
        out_next(l);
    } else if (!serial_full()) {
        uint8_t byte = *at++;
        l->page.at = at;
        serial_send(byte);
        if (l->page.stage != OUT_CHECK)
            l->page.h.check = crc16(l->page.h.check, byte);
    }
}

static uint8_t out_held(void)
{
    return 0;
}

static uint8_t out_draining(void)
{
    return serial_draining();
}

#endif
