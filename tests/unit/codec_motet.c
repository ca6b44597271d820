/* The motet codec, and with TEST_BITS the bits codec (codec_bits.c): what the node encodes is decoded as it was, from
 * any beginning of it, and from anything else nothing worse comes than other events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/decoder.h"

/* ---- what the node's encoder stands on ---- */

#pragma GCC diagnostic ignored "-Wunused-function" /* not all of the recorder is wanted */
#define MOTET_UNIT
#define MOTET_HOST
#ifdef TEST_BITS
#define MOTET_CODEC_bits
#else
#define MOTET_CODEC_motet
#endif
#include "../../target/recorder/codec_bits.h"
#include "../../target/recorder/config.h"
#include "../../target/recorder/event.h"
#include "../../target/recorder/out.h"
#include "../../target/recorder/ring.h"

enum { OFF, RECORDING, LOSING };
enum { RING_UNITS = 37, OUT_ROOM = 100, ROOM = 400000, EVENTS = 20000 };
static struct {
    uint8_t state, out_count;
#ifdef TEST_BITS
    struct bits_coder coder;
#endif
} recorder;
#define R recorder

static uint16_t ring[RING_UNITS][2];
static unsigned first_unit, unit_count;
static uint8_t coded[ROOM];
static size_t coded_size;

static uint16_t *ring_oldest(void)
{
    return unit_count ? ring[first_unit] : NULL;
}

static const uint16_t *ring_next(const uint16_t *unit)
{
    return unit == ring[RING_UNITS - 1] ? ring[0] : unit + UNIT / 2;
}

static uint8_t ring_units(void)
{
    return (uint8_t)unit_count;
}

void motet_ring_take_to(const uint16_t *unit)
{
    unsigned first = (unsigned)(unit - ring[0]) / 2, units = (first + RING_UNITS - first_unit) % RING_UNITS;
    assert_in_range(units, 0, unit_count);
    first_unit = first;
    unit_count -= units;
}

static void ring_close(void) {}

static void out_put(uint8_t byte)
{
    assert_in_range(coded_size, 0, ROOM - 1);
    assert_in_range(R.out_count, 0, OUT_ROOM - 1);
    R.out_count++;
    coded[coded_size++] = byte;
}

static uint8_t out_end(void)
{
    return R.out_count;
}

static void out_carry(void)
{
    for (size_t i = coded_size; !++coded[--i];)
        ;
}

#define COMPARED         13 /* a vector, and where its timer's compare register is */
#define COMPARE_AT       0x192
#define CHIP_COMPARES(X) X(COMPARED, 1, COMPARE_AT, COMPARE_AT - 0x10)
static uint8_t codec_waits(void);
#ifdef TEST_BITS
enum { TESTED = LOG_BITS, CERTAIN = 150, SAME = 3 /* bits */ };
#define PORT_CONSTANT
static void out_put_constant(const uint8_t *at, uint8_t count)
{
    while (count--)
        out_put(*at++);
}
static void ring_take(void)
{
    motet_ring_take_to(ring_next(ring_oldest()));
}
#include "../../target/recorder/codec_bits.c"
#else
enum { TESTED = LOG_MOTET, CERTAIN = 50, SAME = 0 };
#include "../../target/recorder/coder.c"
#include "../../target/recorder/codec_model.c"
#include "../../target/recorder/codec_motet.c"
#endif

static uint8_t codec_waits(void)
{
    return out_end() + CODEC_MOST > OUT_ROOM;
}

static void put(unsigned first, unsigned second)
{
    uint16_t *unit = ring[(first_unit + unit_count++) % RING_UNITS];
    assert_in_range(unit_count, 1, RING_UNITS);
    unit[0] = (uint16_t)first;
    unit[1] = (uint16_t)second;
}

static void put_bytes(const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i += UNIT) {
        uint8_t b[UNIT] = {0};
        memcpy(b, bytes + i, count - i < UNIT ? count - i : UNIT);
        put(b[0] | (unsigned)b[1] << 8, b[2] | (unsigned)b[3] << 8);
    }
}

/* ---- what happens ---- */

enum kind { READ, WOKE, CODE, LIBRARY, INSIDE, WRAPPED, MARK, FLUSH, BYTES, RUN, MEMORY, KINDS };
enum { MOST_BYTES = 19 };
static struct happened {
    uint8_t kind, wide, vector;
    uint8_t more, bytes[MOST_BYTES]; /* reads after the first, or memory */
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
    e->value = (uint16_t)(e->site >> 13 == 1 ? 3 * i : i % 7 * 19);
    if (surprises == 0) { /* nothing but certain reads: steps of the longest kind, and checks after them */
        *e = (struct happened){.kind = READ, .site = 5, .value = 7};
        return;
    }
    if (any() % 1000 < surprises) {
        e->kind = (uint8_t)(any() % KINDS);
        e->value = (uint16_t)any();
    }
    if (e->kind == BYTES || e->kind == MEMORY)
        e->wide = 0;
    if (e->kind == RUN)
        e->wide = 1;
    if (e->kind >= BYTES)
        e->more = (uint8_t)(1 + any() % MOST_BYTES);
    for (unsigned k = 0; k < e->more; k++)
        e->bytes[k] = (uint8_t)(any() % 5);
    e->value &= e->wide && (e->kind == READ || e->kind == RUN) ? 0xffff : 0xff;
    e->vector = (uint8_t)(any() % 2 ? COMPARED : any() % 60);
    e->address = (uint16_t)(any() % 40 * 100);
    e->count = (uint16_t)(any() % 16 ? any() % 4 : any());
    e->sp = (uint16_t)(0x1000 + any() % 8);
    e->hash = any() << 8 ^ any();
}

static void put_event(const struct happened *e)
{
    unsigned site = e->site | (e->wide ? WIDE : 0u), first = e->more < 2 ? e->more : 2;
    if (e->kind >= WOKE && e->kind <= INSIDE && e->vector == COMPARED)
        put(EVENT_WRAPPED << 8 | 2, e->value);
    switch ((enum kind)e->kind) {
    case READ: put(site, e->value); break;
    case WOKE: put(EVENT_WOKE << 8 | e->vector, 0); break;
    case INSIDE:
#ifdef TEST_BITS
        put(EVENT_INSIDE << 8 | e->vector, 0);
        put(e->count, 0);
#else
        put(EVENT_INSIDE << 8 | e->vector, e->count);
#endif
        break;
    case WRAPPED: put(EVENT_WRAPPED << 8, 0); break;
    case MARK: put(EVENT_NOTICE << 8 | NOTICE_BEGIN, e->value); break;
    case CODE:
        put(EVENT_INTERRUPT << 8 | e->vector, e->address);
        put(e->count, e->sp);
        break;
    case LIBRARY: put(EVENT_LIBRARY << 8 | e->vector, e->address);
#ifdef TEST_BITS
        put(e->count, e->sp);
        put(e->hash & 0xffff, e->hash >> 16);
#else
        put(e->count, e->hash & 0xffff);
        put(e->hash >> 16, e->sp);
#endif
        break;
    case BYTES:
        put(site, e->value);
        put(EVENT_AGAIN << 8 | AGAIN | e->more, e->bytes[0] | (unsigned)e->bytes[1] << 8);
        put_bytes(e->bytes + first, e->more - first);
        break;
    case RUN:
        put(site, e->value);
        put(EVENT_AGAIN << 8 | e->more, 0);
        break;
    case MEMORY:
        put(EVENT_BLOCK << 8, e->site);
        put(e->more, 0);
        put_bytes(e->bytes, e->more);
        break;
    default: break;
    }
}

/* Some wait for others: there may be one in the ring, or many. */
static void encode(const struct happened *e)
{
    put_event(e);
    if (e->kind != FLUSH && unit_count < RING_UNITS / 2 && any() % 4)
        return;
    while (unit_count) {
        R.out_count = 0;
        codec_units();
    }
    if (e->kind == FLUSH)
        codec_flush();
}

static void encode_all(unsigned surprises)
{
    R.state = RECORDING;
    coded_size = unit_count = 0;
    codec_begin();
    for (size_t i = 0; i < EVENTS; i++) {
        make(&events[i], i, surprises);
        encode(&events[i]);
    }
    encode(&(struct happened){.kind = FLUSH});
}

static bool comes_read(struct decoder *d, const struct log_part *p, const struct happened *e, unsigned value)
{
    unsigned found, all = e->wide ? 0xffff : 0xff;
    return decoder_read(d, p, e->site, e->wide ? 2 : 1, all, &found) && found == (value & all);
}

static bool come(struct decoder *d, const struct log_part *p, const struct happened *e)
{
    if (!comes_read(d, p, e, e->value))
        return false;
    for (unsigned i = 0; i < e->more; i++)
        if (!comes_read(d, p, e, e->kind == BYTES ? e->bytes[i] : e->value + 1 + i))
            return false;
    return true;
}

/* Whether the event is the next of the log. */
static bool comes(struct decoder *d, const struct log_part *p, const struct happened *e)
{
    uint8_t memory[MOST_BYTES];
    if (e->kind == FLUSH)
        return true;
    if (e->kind == READ || e->kind == BYTES || e->kind == RUN)
        return come(d, p, e);
    if (e->kind == MEMORY)
        return decoder_block(d, p, e->site, e->more, memory) && memcmp(memory, e->bytes, e->more) == 0;
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
    case MARK: same = n.kind == LOG_NOTICE && n.notice == LOG_NOTICE_BEGIN && n.value == e->value; break;
    default:
        same = n.kind == LOG_INTERRUPT && n.vector == e->vector && n.address == e->address && n.count == e->count &&
               n.sp == e->sp && n.where == (e->kind == CODE ? LOG_IN_CODE : LOG_IN_LIBRARY) &&
               (e->kind == CODE || n.hash == e->hash);
    }
    if (same && n.kind == LOG_INTERRUPT) {
        static uint8_t data[0x200];
        data[COMPARE_AT] = (uint8_t)e->value;
        data[COMPARE_AT + 1] = (uint8_t)(e->value >> 8);
        decoder_expect(d, p, data, sizeof data);
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
        struct log_part p = {.codec = TESTED, .bytes = coded, .size = coded_size};
        assert_int_equal(decode(&p, &d), EVENTS);
        assert_int_equal(d.next.kind, LOG_END);
    }
}

static void test_certain_takes_nothing(void **state)
{
    (void)state;
    encode_all(0);
    assert_in_range(coded_size, 1, EVENTS / CERTAIN);
}

/* An interrupt that comes where the last one did, on two ways that take turns: less than half a bit, or SAME and that.
 */
static void test_same_place_takes_little(void **state)
{
    static struct decoder d;
    (void)state;
    R.state = RECORDING;
    coded_size = unit_count = 0;
    codec_begin();
    for (size_t i = 0; i < EVENTS; i++) {
        struct happened *e = &events[i],
                        code = {.kind = CODE, .vector = 7, .address = 0x4a0e, .count = 200, .sp = 0x38e8},
                        inside = {.kind = INSIDE, .vector = 9, .count = 100};
        *e = i % 8 == 3 ? code : i % 8 == 7 ? inside : (struct happened){.kind = READ, .site = 5, .value = i % 8};
        encode(e);
    }
    encode(&(struct happened){.kind = FLUSH});
    struct log_part p = {.codec = TESTED, .bytes = coded, .size = coded_size};
    assert_int_equal(decode(&p, &d), EVENTS);
    assert_in_range(coded_size, 1, EVENTS / 4 * (1 + 2 * SAME) / 16);
}

/* What was written before power failed is as it was, and its end is an end. */
static void test_cut_anywhere(void **state)
{
    static struct decoder d;
    size_t before = 0;
    (void)state;
    encode_all(20);
    for (size_t cut = 0; cut < coded_size && cut < 600; cut++) {
        struct log_part p = {.codec = TESTED, .bytes = coded, .size = cut};
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
        struct log_part p = {.codec = TESTED, .bytes = coded, .size = coded_size < 2000 ? coded_size : 2000};
        size_t at = any() % p.size;
        uint8_t was = coded[at];
        coded[at] = (uint8_t)any();
        assert_in_range(decode(&p, &d), 0, EVENTS);
        coded[at] = was;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_certain_takes_nothing),
        cmocka_unit_test(test_same_place_takes_little),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_anything_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
