/* Pages over the serial port, as long as what is in them. Part of out.h. */
#ifndef OUT_SERIAL_H
#define OUT_SERIAL_H

#include <stddef.h>

#include "crc16.h"
#include "../recorder/page.h"
#ifdef __AVR__
#include "serial_avr.h"
#else
#include "serial_msp430.h"
#endif

extern const uint8_t motet_build_id[], motet_build_id16[], motet_build_id32[], motet_build_id48[];

static struct out {
    struct page_header h;
    uint16_t build[4];
    const uint8_t *from, *to, *at;
    uint16_t left; /* bytes of the stage */
    uint8_t stage;
} out;
enum { OUT_NOTHING, OUT_CHECK, OUT_HEADER, OUT_BUILD, OUT_PAYLOAD };
enum { OUT_CODEC = 4 };

static uint8_t out_busy(void)
{
    return out.stage;
}

static void out_check(const uint8_t *bytes, uint8_t count)
{
    for (; count; count--)
        out.h.check = crc16(out.h.check, *bytes++);
}

/* The first page of a part has the build id before its events. */
static uint8_t out_build(void)
{
    return out.h.index ? 0 : sizeof out.build;
}

static void out_begin(const uint8_t *from, const uint8_t *to)
{
    if (!serial_ready())
        return;
    if (!out.h.magic) {
        out.h.magic = PAGE_MAGIC;
        out.h.codec = OUT_CODEC;
        out.h.build = out.build[0] = (uint16_t)(uintptr_t)motet_build_id;
        out.build[1] = (uint16_t)(uintptr_t)motet_build_id16;
        out.build[2] = (uint16_t)(uintptr_t)motet_build_id32;
        out.build[3] = (uint16_t)(uintptr_t)motet_build_id48;
    }
    out.at = out.from = from;
    out.to = to;
    out.h.used = (uint16_t)(to - from) + out_build();
    out.h.check = 0;
    out_check((const uint8_t *)out.build, out_build());
    out.stage = OUT_CHECK;
}

static void out_stage(uint8_t stage, const void *bytes, uint16_t count)
{
    out.stage = stage;
    out.at = bytes;
    out.left = count;
}

/* The check covers the payload, then the header up to itself. */
static void out_check_more(void)
{
    uint8_t count = out.to - out.at < 8 ? (uint8_t)(out.to - out.at) : 8;
    out_check(out.at, count);
    out.at += count;
    if (out.at != out.to)
        return;
    out_check((const uint8_t *)&out.h, offsetof(struct page_header, check));
    out_stage(OUT_HEADER, &out.h, sizeof out.h);
}

static uint8_t out_step(void)
{
    if (out.stage == OUT_CHECK) {
        out_check_more();
        return 0;
    }
    while (!out.left) {
        if (out.stage == OUT_HEADER) {
            out_stage(OUT_BUILD, out.build, out_build());
        } else if (out.stage == OUT_BUILD) {
            out_stage(OUT_PAYLOAD, out.from, (uint16_t)(out.to - out.from));
        } else {
            out.h.sequence++;
            out.h.index++;
            out.stage = OUT_NOTHING;
            return 1;
        }
    }
    if (serial_full())
        return 0;
    serial_send(*out.at++);
    out.left--;
    return 0;
}

static uint8_t *out_end(void)
{
    return (uint8_t *)(uintptr_t)out.to;
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
