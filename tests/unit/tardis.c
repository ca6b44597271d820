/* The tardis codec: what the node encodes is decoded as it was, from any beginning of it, and from anything else
 * nothing worse comes than other events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t counted[6];
#define TARDIS_COUNT(what, bits) (counted[what] += (bits))
#define port_constant(at)        (*(at))
#define MOTET_UNIT
#define MOTET_HOST
#include "../../target/recorder/tardis_encode.c"
#include "record/decoder.h"

enum { EVENTS = 4000, ROOM = 200000, SITES = 90, BLOCK = 40 };
enum kind { READ, MEMORY, WOKE, CODE, LIBRARY, INSIDE, WRAPPED, MARK, FLUSH };

struct happened {
    uint8_t kind, wide, vector;
    uint16_t site, live, value, address, count, sp, hash[2];
    uint8_t bytes[BLOCK];
};

static struct happened events[EVENTS];
static uint8_t bytes[ROOM];
static size_t size;

static void tardis_out(struct tardis *t, uint8_t byte)
{
    (void)t;
    assert_in_range(size, 0, ROOM - 1);
    bytes[size++] = byte;
}

/* ---- what happens ---- */

static uint32_t seed;

static unsigned some(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static unsigned live_of(unsigned number, bool wide)
{
    unsigned live = number * 2654435761u >> 12;
    return (live & (wide ? 0xffff : 0xff)) | 1;
}

static void some_read(struct happened *h, uint16_t *clock)
{
    unsigned number = some(4) ? some(6) : some(SITES), class = number % 4;
    h->kind = READ;
    h->site = (uint16_t)(class << 13 | number);
    h->wide = number / 4 % 2;
    h->live = (uint16_t)live_of(number, h->wide);
    if (class == 1) {
        h->live = h->wide ? 0xffff : 0xff;
        *clock = (uint16_t)(*clock + some(some(3) ? 6 : 5000));
        h->value = *clock & h->live;
    } else {
        h->value = (uint16_t)(some(class ? 3 : 30) ? number * 77 : some(0x10000)) & h->live;
    }
}

static void make(struct happened *h, uint16_t *clock)
{
    static const uint8_t others[] = {CODE, CODE, CODE, CODE, LIBRARY, INSIDE, WRAPPED, MARK, FLUSH};
    memset(h, 0, sizeof *h);
    if (some(10) < 7) {
        some_read(h, clock);
        return;
    }
    h->kind = some(3) ? WOKE : some(20) ? others[some(sizeof others)] : MEMORY;
    h->vector = (uint8_t)some(16);
    h->address = (uint16_t)some(0x10000);
    h->count = (uint16_t)some(some(2) ? 20 : 0x10000);
    h->sp = (uint16_t)(0x1000 + some(some(2) ? 20 : 3000));
    h->hash[0] = (uint16_t)some(0x10000);
    h->hash[1] = (uint16_t)some(0x10000);
    h->site = 2 << 13 | 5;
    for (unsigned i = 0; i < BLOCK; i++)
        h->bytes[i] = (uint8_t)some(2);
}

static void encode(struct tardis *t, const struct happened *h)
{
    switch (h->kind) {
    case READ: tardis_read(t, h->site, h->wide, h->live, h->value); break;
    case MEMORY:
        t->check = event_note(t->check, h->site);
        for (unsigned i = 0; i < BLOCK; i++) {
            t->check = event_note(t->check, h->bytes[i]);
            tardis_byte(t, h->bytes[i]);
        }
        tardis_event(t);
        break;
    case WOKE: tardis_woke(t, h->vector); break;
    case WRAPPED: tardis_order(t, TARDIS_WRAPPED); break;
    case MARK: tardis_notice(t, h->vector % NOTICE_CHECK, h->address); break;
    case FLUSH: tardis_flush(t); break;
    default:
        tardis_interrupt(t, (uint8_t)(h->kind - CODE + TARDIS_CODE), h->vector, h->address, h->count, h->sp, h->hash);
    }
}

/* Of two vectors: a register of data memory, and a timer that is at 0. */
static const struct tardis_compare compares[] = {{3, 0, 0x51, 0}, {4, 1, 0, 0}};
static const uint8_t data[0x100] = {[0x51] = 0x83, [0x52] = 0xff};

static void encode_expected(struct tardis *t, uint8_t vector)
{
    for (unsigned i = 0; i < 2; i++)
        if (compares[i].vector == vector)
            tardis_expect(t, (uint8_t)compares[i].wide, compares[i].at ? data[compares[i].at] : 0);
}

static void encode_all(uint32_t from, uint8_t format)
{
    static struct tardis t;
    uint16_t clock = 0;
    seed = from;
    size = 0;
    memset(counted, 0, sizeof counted);
    tardis_begin(&t, format, compares, 2);
    for (unsigned i = 0; i < EVENTS; i++) {
        make(&events[i], &clock);
        if (events[i].kind >= WOKE && events[i].kind <= INSIDE)
            encode_expected(&t, events[i].vector);
        encode(&t, &events[i]);
    }
    tardis_flush(&t);
}

/* ---- and is decoded ---- */

static bool interrupt_is(const struct log_event *e, const struct happened *h)
{
    static const uint8_t wheres[] = {LOG_IN_CODE, LOG_IN_LIBRARY, LOG_INSIDE};
    if (e->kind != LOG_INTERRUPT || e->where != wheres[h->kind - CODE] || e->vector != h->vector ||
        e->count != h->count)
        return false;
    if (h->kind != INSIDE && (e->address != h->address || e->sp != h->sp))
        return false;
    return h->kind != LIBRARY || e->hash == (h->hash[0] | (uint32_t)h->hash[1] << 16);
}

/* Whether the log has it. */
static bool has(struct decoder *d, const struct log_part *p, const struct happened *h)
{
    unsigned value;
    uint8_t block[BLOCK];
    bool same;
    switch (h->kind) {
    case READ: return decoder_read(d, p, h->site, 1u + h->wide, h->live, &value) && value == h->value;
    case MEMORY: return decoder_block(d, p, h->site, BLOCK, block) && memcmp(block, h->bytes, BLOCK) == 0;
    case FLUSH: return true;
    case WOKE:
        decoder_wake(d, p);
        same = d->next.kind == LOG_INTERRUPT && d->next.where == LOG_ASLEEP && d->next.vector == h->vector;
        break;
    case WRAPPED: same = d->next.kind == LOG_WRAPPED; break;
    case MARK:
        same = d->next.kind == LOG_NOTICE && d->next.notice == h->vector % NOTICE_CHECK && d->next.value == h->address;
        break;
    default: same = interrupt_is(&d->next, h);
    }
    if (same && d->next.kind == LOG_INTERRUPT)
        decoder_expect(d, p, data, sizeof data);
    if (same)
        decoder_take(d, p);
    return same;
}

/* How many events there are, from the first on. */
static unsigned go_through(const uint8_t *from, size_t count, struct decoder *d)
{
    unsigned i = 0;
    struct log_part p = {.codec = LOG_TARDIS, .bytes = (uint8_t *)from, .size = count, .pages = 1};
    decoder_begin(d, &p);
    while (i < EVENTS && has(d, &p, &events[i]))
        i++;
    return i;
}

static void all_comes_back(void **state)
{
    static const uint8_t formats[] = {4, 6 | TARDIS_NARROW};
    (void)state;
    for (unsigned k = 0; k < 30; k++) {
        struct decoder d;
        encode_all(k, formats[k % 2]);
        unsigned there = go_through(bytes, size, &d);
        if (there != EVENTS)
            fail_msg("seed %u: event %u, of kind %u, does not come back", k, there, events[there].kind);
        assert_int_equal(d.next.kind, LOG_END);
    }
}

/* Each bit is counted for something. */
static void all_is_counted(void **state)
{
    (void)state;
    size_t sum = 0;
    encode_all(7, 4);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_not_equal(counted[i], 0);
        sum += counted[i];
    }
    assert_int_equal(sum, 8 * size);
}

/* Of what was cut off there is a beginning of what happened, which gets longer, and never anything else. */
static void every_beginning(void **state)
{
    (void)state;
    unsigned before = 0;
    encode_all(3, 6 | TARDIS_NARROW);
    for (size_t count = 0; count < size; count += 1 + count / 200) {
        struct decoder d;
        unsigned there = go_through(bytes, count, &d);
        assert_int_equal(d.next.kind, LOG_END);
        assert_in_range(there, before, EVENTS);
        before = there;
    }
    assert_in_range(before, EVENTS * 9 / 10, EVENTS);
}

/* Decoding ends for any bytes. */
static void anything(void **state)
{
    (void)state;
    static uint8_t damaged[ROOM];
    unsigned differ = 0, tried = 0;
    encode_all(5, 4);
    for (size_t i = 0; i < size; i += 1 + size / 500, tried++) {
        struct decoder d;
        memcpy(damaged, bytes, size);
        damaged[i] ^= (uint8_t)(1 << i % 8);
        differ += go_through(damaged, size, &d) != EVENTS;
    }
    assert_in_range(differ, tried * 9 / 10, tried);
    for (unsigned k = 0; k < 200; k++) {
        struct decoder d;
        struct log_part p = {.codec = LOG_TARDIS, .bytes = damaged, .size = 1 + some(2000), .pages = 1};
        for (size_t i = 0; i < p.size; i++)
            damaged[i] = (uint8_t)some(256);
        for (unsigned i = 0; i + 1 < p.size && some(2); i++) /* a part that begins well */
            damaged[i] = (uint8_t)(i ? 4 : 0xc0 | 15);
        decoder_begin(&d, &p);
        for (unsigned i = 0; i < EVENTS; i++) {
            unsigned value;
            decoder_read(&d, &p, (i % 3) << 13 | i % SITES, 1 + i % 2, i % 2 ? 0xffff : 0xff, &value);
            decoder_wake(&d, &p);
            decoder_take(&d, &p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_comes_back),
        cmocka_unit_test(all_is_counted),
        cmocka_unit_test(every_beginning),
        cmocka_unit_test(anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
