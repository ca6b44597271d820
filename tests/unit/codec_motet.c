/* The motet codec: what the node encodes is decoded as it was, from any beginning of it, and from anything else nothing
 * worse comes than other events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/decoder.h"

/* ---- what the node's encoder stands on ---- */

enum { BLOCK_BITS = 8 };
#define MOTET_RECORD_H /* what firmware calls is assembly for its chip, and not wanted */
#include "../../target/recorder/recorder.h"

enum { OFF, RECORDING, LOSING };
enum { MOST_UNITS = 8, ROOM = 400000, EVENTS = 20000 };
static struct {
    uint16_t fill, again_site;
    uint8_t state;
} recorder;
#define R recorder

static uint16_t units[MOST_UNITS][2];
static unsigned unit_count;
static uint8_t coded[ROOM];
static size_t coded_size;

static uint16_t *oldest(void)
{
    return units[unit_count - R.fill / UNIT];
}

static void ring_take(void)
{
    R.fill -= UNIT;
}

static void end_again(void)
{
    R.again_site = NO_SITE;
}

static void out(uint8_t byte)
{
    assert_in_range(coded_size, 0, ROOM - 1);
    coded[coded_size++] = byte;
}

static uint16_t port_multiply(uint16_t range, uint8_t p)
{
    return (uint16_t)((uint32_t)range * p >> 8);
}

#include "../../target/recorder/codec_encode.h"

static void put(unsigned first, unsigned second)
{
    units[unit_count][0] = (uint16_t)first;
    units[unit_count++][1] = (uint16_t)second;
    R.fill += UNIT;
}

/* ---- what happens ---- */

enum kind { READ, WOKE, CODE, LIBRARY, INSIDE, WRAPPED, MARK, FLUSH };
static struct happened {
    uint8_t kind, wide, vector;
    uint16_t site, value, address, count, sp;
    uint32_t hash;
} events[EVENTS];

static uint32_t any(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Mostly the same over and over, so that guesses become certain and steps long. */
static void make(struct happened *e, size_t i, unsigned surprises)
{
    *e = (struct happened){
        .kind = READ, .site = (uint16_t)(i % 7 << 13 & 0x6000) | (uint16_t)(i % 7), .wide = i % 3 == 0};
    e->value = (uint16_t)(e->site >> 13 == CLASS_TIMER ? 3 * i : i % 7 * 19);
    if (surprises == 0) { /* nothing but certain reads: steps of the longest kind, and checks behind them */
        *e = (struct happened){.kind = READ, .site = 5, .value = 7};
        return;
    }
    if (any() % 1000 < surprises) {
        e->kind = (uint8_t)(any() % 8);
        e->value = (uint16_t)any();
    }
    e->value &= e->wide && e->kind == READ ? 0xffff : 0xff;
    e->vector = (uint8_t)(any() % 60);
    e->address = (uint16_t)(any() % 40 * 100);
    e->count = (uint16_t)(any() % 16 ? any() % 4 : any());
    e->sp = (uint16_t)(0x1000 + any() % 8);
    e->hash = any() << 8 ^ any();
}

static void encode(const struct happened *e)
{
    unit_count = 0;
    switch ((enum kind)e->kind) {
    case READ: put(e->site | (e->wide ? WIDE : 0u), e->value); break;
    case WOKE: put(EVENT_WOKE << 8 | e->vector, 0); break;
    case INSIDE: put(EVENT_INSIDE << 8 | e->vector, e->count); break;
    case WRAPPED: put(EVENT_WRAPPED << 8, 0); break;
    case MARK: put(EVENT_MARK << 8 | MARK_BEGIN, e->value); break;
    case CODE:
        put(EVENT_INTERRUPT << 8 | e->vector, e->address);
        put(e->count, e->sp);
        break;
    case LIBRARY:
        put(EVENT_LIBRARY << 8 | e->vector, e->address);
        put(e->count, e->hash & 0xffff);
        put(e->hash >> 16, e->sp);
        break;
    case FLUSH: codec_flush(); break;
    }
    while (R.fill)
        codec_unit();
}

static void encode_all(unsigned surprises)
{
    R.fill = 0;
    R.state = RECORDING;
    coded_size = 0;
    codec_begin();
    for (size_t i = 0; i < EVENTS; i++) {
        make(&events[i], i, surprises);
        encode(&events[i]);
    }
    codec_flush();
}

/* Whether the event is the next of the log. */
static bool comes(struct decoder *d, const struct log_part *p, const struct happened *e)
{
    unsigned value;
    if (e->kind == FLUSH)
        return true;
    if (e->kind == READ)
        return decoder_read(d, p, e->site, e->wide ? 2 : 1, e->wide ? 0xffff : 0xff, &value) && value == e->value;
    if (e->kind == WOKE)
        decoder_wake(d, p);
    const struct log_event n = d->next;
    bool same = false;
    switch ((enum kind)e->kind) {
    case WOKE: same = n.kind == LOG_INTERRUPT && n.where == LOG_ASLEEP && n.vector == e->vector; break;
    case INSIDE:
        same = n.kind == LOG_INTERRUPT && n.where == LOG_INSIDE && n.vector == e->vector && n.count == e->count;
        break;
    case WRAPPED: same = n.kind == LOG_WRAPPED; break;
    case MARK: same = n.kind == LOG_MARK && n.mark == LOG_MARK_BEGIN && n.value == e->value; break;
    default:
        same = n.kind == LOG_INTERRUPT && n.vector == e->vector && n.address == e->address && n.count == e->count &&
               n.sp == e->sp && n.where == (e->kind == CODE ? LOG_IN_CODE : LOG_IN_LIBRARY) &&
               (e->kind == CODE || n.hash == e->hash);
    }
    if (same)
        decoder_take(d, p);
    return same;
}

static size_t decode(const struct log_part *p, struct decoder *d)
{
    size_t i = 0;
    decoder_begin(d, p);
    while (i < EVENTS && comes(d, p, &events[i]))
        i++;
    return i;
}

static void test_round_trip(void **state)
{
    static const unsigned surprises[] = {0, 1, 5, 50, 1000};
    static struct decoder d;
    (void)state;
    for (size_t i = 0; i < sizeof surprises / sizeof *surprises; i++) {
        encode_all(surprises[i]);
        struct log_part p = {.codec = LOG_MOTET, .bytes = coded, .size = coded_size};
        assert_int_equal(decode(&p, &d), EVENTS);
        assert_int_equal(d.next.kind, LOG_END);
    }
}

static void test_certain_takes_nothing(void **state)
{
    (void)state;
    encode_all(0);
    assert_in_range(coded_size, 1, EVENTS / 50);
}

/* What was written before power failed is as it was, and its end is an end. */
static void test_cut_anywhere(void **state)
{
    static struct decoder d;
    size_t before = 0;
    (void)state;
    encode_all(20);
    for (size_t cut = 0; cut < coded_size && cut < 600; cut++) {
        struct log_part p = {.codec = LOG_MOTET, .bytes = coded, .size = cut};
        size_t now = decode(&p, &d);
        assert_int_equal(d.next.kind, LOG_END);
        assert_in_range(now, before, EVENTS);
        before = now;
    }
}

static void test_anything_ends(void **state)
{
    static struct decoder d;
    (void)state;
    encode_all(20);
    for (unsigned round = 0; round < 400; round++) {
        struct log_part p = {.codec = LOG_MOTET, .bytes = coded, .size = coded_size < 2000 ? coded_size : 2000};
        size_t at = any() % p.size;
        uint8_t was = coded[at];
        coded[at] = (uint8_t)any();
        assert_in_range(decode(&p, &d), 0, EVENTS);
        coded[at] = was;
    }
}

int main(void)
{
    (void)crc16; /* of pages, which are not here */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_certain_takes_nothing),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_anything_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
