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

enum { OUT_NOTHING, OUT_CHECK, OUT_HEADER, OUT_PAYLOAD };

static struct out {
    uint8_t stage;
    const uint8_t *from, *to; /* the payload */
    const uint8_t *at, *end;  /* bytes of the stage */
    struct {                  /* struct page_header, with an address as the build id */
        uint8_t magic, codec;
        const uint8_t *build;
        uint32_t sequence;
        uint16_t part, index, used, check;
    } h;
} out = {.h = {.magic = PAGE_MAGIC, .codec = 4, .build = motet_build_id}};
_Static_assert(sizeof out.h == sizeof(struct page_header), "the same layout");

/* Addresses relative to a register are shorter than absolute ones. */
static inline struct out *out_here(void)
{
    struct out *o = &out;
#ifdef __AVR__
    __asm__("" : "+b"(o));
#endif
    return o;
}

static uint8_t out_busy(void)
{
    return out.stage;
}

static __attribute__((noinline)) void out_begin(const uint8_t *from, const uint8_t *to)
{
    if (!serial_ready())
        return;
    struct out *o = out_here();
    o->from = o->at = from;
    o->to = o->end = to;
    o->h.used = (uint16_t)(to - from);
    o->h.check = 0;
    o->stage = OUT_CHECK;
}

/* The check covers the payload, then the header up to itself; the header is sent first. */
static __attribute__((noinline)) uint8_t out_step(void)
{
    struct out *o = out_here();
    if (o->at != o->end) {
        if (o->stage == OUT_CHECK)
            do
                o->h.check = crc16(o->h.check, *o->at++);
            while (o->at != o->end && (uintptr_t)o->at % 8);
        else if (!serial_full())
            serial_send(*o->at++);
        return 0;
    }
    if (o->stage == OUT_CHECK) {
        o->at = (const uint8_t *)&o->h;
        o->end = o->at + sizeof o->h;
        for (const uint8_t *at = o->at; at != o->end - 2; at++)
            o->h.check = crc16(o->h.check, *at);
    } else if (o->stage == OUT_HEADER) {
        o->at = o->from;
        o->end = o->to;
    } else {
        o->h.index = 1;
        o->h.sequence++;
        o->stage = OUT_NOTHING;
        return 1;
    }
    o->stage++;
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
