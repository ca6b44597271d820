/* Frames in what radios send: each format, cut at every byte, damaged in every byte, after preambles of any length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "part/framing.h"

static const struct {
    enum motet_frame_format format;
    size_t start, frame, count; /* where the frame is, in so many bytes; flush bytes follow it */
    uint8_t bytes[32];
} samples[] = {
    {MOTET_FRAMING_154, 6, 5, 11, {0, 0, 0, 0, 0xa7, 5, 2, 0, 77, 0x11, 0x22}},
    /* TinyOS: to 0, from 1, 4 bytes, group 0x22, type 6. As TinyOS's driver computes the check sequence. */
    {MOTET_FRAMING_TINYOS, 4, 13, 20, {0xaa, 0xaa, 0x33, 0xcc, 0, 0,    0,    1,    4,    0x22,
                                       6,    0,    0,    0,    0, 0xd8, 0xf5, 0xf5, 0xf5, 0xf5}},
    {MOTET_FRAMING_TINYOS_ACK, 3, 2, 7, {0xaa, 0xaa, 0xab, 0xba, 0x83, 0xaa, 0xaa}},
    /* The kit: an acknowledgement of frame 45. */
    {MOTET_FRAMING_KIT, 5, 5, 11, {0xaa, 0xaa, 0x33, 0xcc, 5, 2, 0, 45, 0x27, 0xea, 0xaa}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void each_format_is_found_once_it_is_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAMPLES; i++)
        for (size_t count = 0; count <= samples[i].count; count++) {
            uint8_t exact[32]; /* so that valgrind and the sanitizers see what is read past it */
            memcpy(exact + sizeof exact - count, samples[i].bytes, count);
            struct motet_framing f = framing_find(exact + sizeof exact - count, count);
            bool whole = count >= samples[i].start + samples[i].frame;
            assert_int_equal(f.format, whole ? samples[i].format : MOTET_FRAMING_NONE);
            assert_int_equal(f.start, whole ? samples[i].start : 0);
            assert_int_equal(f.count, whole ? samples[i].frame : 0);
        }
}

/* On a CC1000 the check sequence decides; of IEEE 802.15.4 frames are sent damaged too, and shown as such. */
static void a_damaged_frame_of_a_byte_radio_is_none(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAMPLES; i++) {
        if (samples[i].format == MOTET_FRAMING_154)
            continue;
        for (size_t at = samples[i].start; at < samples[i].start + samples[i].frame; at++) {
            uint8_t bytes[32];
            memcpy(bytes, samples[i].bytes, sizeof bytes);
            bytes[at] ^= 0x10;
            assert_int_equal(framing_find(bytes, samples[i].count).format, MOTET_FRAMING_NONE);
        }
    }
}

static void say(struct framing_bytes *b, const uint8_t *bytes, uint16_t count)
{
    for (uint16_t i = 0; i < count; i++) {
        struct air_message m = {.kind = AIR_BYTES, .first = (uint16_t)b->sent, .count = 1, .bytes = {bytes[i]}};
        framing_take(b, &m);
    }
}

static void long_preambles_are_left_out(void **state)
{
    (void)state;
    for (unsigned preamble = 1; preamble < 5000; preamble = preamble * 3 / 2 + 1) {
        struct framing_bytes b = {.count = 0};
        for (unsigned i = 2; i < preamble; i++)
            say(&b, (const uint8_t[]){0xaa}, 1);
        say(&b, samples[1].bytes, (uint16_t)samples[1].count);
        unsigned sent = (preamble < 2 ? 2 : preamble) + (unsigned)samples[1].count - 2;
        struct motet_framing f = framing_find(b.bytes, b.count);
        assert_int_equal(b.sent, sent);
        assert_int_equal(b.left_out + b.count, sent);
        assert_int_equal(f.format, MOTET_FRAMING_TINYOS);
        assert_int_equal(b.left_out + f.start, sent - samples[1].count + samples[1].start);
        assert_true(f.start <= FRAMING_PREAMBLE + 2);
    }
}

/* Bytes that are missing, and more than there is room for: what is kept has no hole, and nothing is written beyond. */
static void gaps_end_what_is_kept(void **state)
{
    struct framing_bytes b = {.count = 0};
    struct air_message m = {.kind = AIR_BYTES, .first = 3, .count = 2, .bytes = {1, 2}};
    (void)state;
    framing_take(&b, &m);
    assert_true(b.gap);
    assert_int_equal(b.count, 0);
    b = (struct framing_bytes){.count = 0};
    for (unsigned i = 0; i < 1000; i++)
        say(&b, (const uint8_t[]){(uint8_t)i}, 1);
    assert_true(b.gap);
    assert_int_equal(b.count, FRAMING_ROOM);
    assert_int_equal(b.sent, 1000);
    assert_int_equal(b.left_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_is_found_once_it_is_whole),
        cmocka_unit_test(a_damaged_frame_of_a_byte_radio_is_none),
        cmocka_unit_test(long_preambles_are_left_out),
        cmocka_unit_test(gaps_end_what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
