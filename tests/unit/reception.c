/* What gets through, against the model's own formula: frames of the CC2420 over noise, over another transmission, cut
 * into by one, and of two that do not hear each other. The formula is written anew here, with the C library's
 * functions. */
#include <math.h>

#include "cc2420_bench.h"

enum { A, B, C, ACTIVE = 0x08 };
#define NOISE (-98.0) /* dBm: the air's and the receiver's own; 3 dB below the sensitivity of the data sheet */

enum { LENGTH = 22, FRAME_BYTES = 6 + LENGTH }; /* preamble, delimiter, length and what it counts */

static void listen(struct bench *b, unsigned count)
{
    bench_open(b, count);
    bench_start(b);
    for (unsigned i = 0; i < count; i++)
        bench_strobe(b->nodes[i], SRXON);
    bench_after(b, 400);
}

/* IEEE 802.15.4-2006, E.4.1.8, at 2.5 dB less than the receiver has: the probability that a byte gets through. */
static double byte_whole(double decibel)
{
    double ratio = pow(10, (decibel - 2.5) / 10), sum = 0;
    for (int k = 2; k <= 16; k++)
        sum += pow(-1, k) * exp(lgamma(17) - lgamma(k + 1.0) - lgamma(17.0 - k)) * exp(20 * ratio * (1.0 / k - 1));
    return pow(1 - 8.0 / 15 / 16 * sum, 8);
}

/* A binomial count lies within five standard deviations, but for one time in a million. */
static void must_be_likely(unsigned count, unsigned of, double probability)
{
    double mean = of * probability, room = 5 * sqrt(of * probability * (1 - probability)) + 1;
    if (fabs(count - mean) > room)
        fail_msg("%u of %u are far from %.1f, give or take %.1f", count, of, mean, room);
}

static bool frame_arrived(struct bench *b, unsigned node, unsigned length)
{
    uint8_t frame[128];
    bool good = false;
    if (pin_level(b->nodes[node], BENCH_FIFOP)) {
        bench_read_fifo(b->nodes[node], frame, length + 1);
        good = frame[0] == length && frame[length] & 0x80;
    }
    bench_strobe(b->nodes[node], SFLUSHRX);
    bench_strobe(b->nodes[node], SFLUSHRX);
    return good;
}

static void noise_takes_what_the_formula_says(void **state)
{
    static const double levels[] = {-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4};
    const uint8_t frame[LENGTH - 1] = {LENGTH};
    (void)state;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct bench b;
        unsigned count = 1000, good = 0;
        listen(&b, 2);
        b.dbm[A][B] = (float)(NOISE + levels[i]);
        bench_write_fifo(b.nodes[A], frame, sizeof frame);
        for (unsigned k = 0; k < count; k++) {
            bench_strobe(b.nodes[A], STXON);
            bench_after(&b, 1500);
            good += frame_arrived(&b, B, LENGTH);
        }
        /* The delimiter's two bytes (0x00A7), the length, and the rest. */
        must_be_likely(good, count, pow(byte_whole(levels[i]), 3 + LENGTH));
        bench_close(&b);
    }
}

/* C sends for all of the time; B begins to listen when its start delimiter is over. Then A sends. */
static void another_takes_what_noise_would(void **state)
{
    static const double levels[] = {0.5, 1.5, 3};
    const uint8_t frame[LENGTH - 1] = {LENGTH}, longest[126] = {127};
    (void)state;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct bench b;
        unsigned count = 400, good = 0;
        listen(&b, 3);
        b.dbm[A][B] = -50;
        b.dbm[C][B] = (float)(-50 - levels[i]);
        bench_write_fifo(b.nodes[A], frame, sizeof frame);
        bench_write_fifo(b.nodes[C], longest, sizeof longest);
        for (unsigned k = 0; k < count; k++) {
            bench_strobe(b.nodes[B], SRFOFF);
            bench_strobe(b.nodes[C], STXON);
            bench_after(&b, 500);
            bench_strobe(b.nodes[B], SRXON);
            bench_after(&b, 300);
            bench_strobe(b.nodes[A], STXON);
            bench_after(&b, 1500);
            good += frame_arrived(&b, B, LENGTH);
            bench_after(&b, 2500);
        }
        must_be_likely(good, count, pow(byte_whole(levels[i]), 3 + LENGTH));
        bench_close(&b);
    }
}

/* How often A's frame survives one of C's that begins when so many of its bytes are over. */
static unsigned captured(double margin, unsigned after, unsigned count)
{
    const uint8_t frame[LENGTH - 1] = {LENGTH};
    unsigned good = 0;
    struct bench b;
    listen(&b, 3);
    b.dbm[A][B] = -50;
    b.dbm[C][B] = (float)(-50 - margin);
    b.dbm[A][C] = b.dbm[C][A] = -300;
    bench_write_fifo(b.nodes[A], frame, sizeof frame);
    bench_write_fifo(b.nodes[C], frame, sizeof frame);
    for (unsigned k = 0; k < count; k++) {
        bench_strobe(b.nodes[A], STXON);
        bench_at(&b, b.now + (uint64_t)after * BENCH_BYTE);
        bench_strobe(b.nodes[C], STXON);
        bench_after(&b, 2500);
        good += frame_arrived(&b, B, LENGTH);
    }
    bench_close(&b);
    return good;
}

static void the_first_is_captured_while_it_is_stronger(void **state)
{
    (void)state;
    assert_int_equal(captured(10, 12, 200), 200);
    assert_int_equal(captured(-10, 12, 200), 0); /* and the second is not found in it */
    assert_int_equal(captured(-10, FRAME_BYTES, 200), 200);
    for (unsigned after = 8; after <= 26; after += 6) /* the bytes under the other are each lost on their own */
        must_be_likely(captured(0.5, after, 500), 500, pow(byte_whole(0.5), FRAME_BYTES - after));
}

/* A and C send to B, C later by some bytes. Where they hear each other, C waits; where not, both are lost exactly as
 * long as they overlap. */
static void hidden_senders_collide(void **state)
{
    const uint8_t frame[LENGTH - 1] = {LENGTH};
    (void)state;
    for (unsigned hidden = 0; hidden < 2; hidden++)
        for (unsigned offset = 8; offset < 2 * FRAME_BYTES; offset += 4) {
            struct bench b;
            listen(&b, 3);
            b.dbm[A][B] = b.dbm[C][B] = -50;
            b.dbm[A][C] = b.dbm[C][A] = hidden ? -300 : -70;
            bench_write_fifo(b.nodes[A], frame, sizeof frame);
            bench_write_fifo(b.nodes[C], frame, sizeof frame);
            bench_strobe(b.nodes[A], STXONCCA);
            bench_at(&b, b.now + offset * BENCH_BYTE);
            bench_strobe(b.nodes[C], STXONCCA);
            bool sends = bench_status(b.nodes[C]) & ACTIVE;
            bench_after(&b, 3000);
            uint8_t both[2 * (LENGTH + 1)] = {0};
            if (pin_level(b.nodes[B], BENCH_FIFO))
                bench_read_fifo(b.nodes[B], both, sizeof both);
            bool first = both[0] == LENGTH && both[LENGTH] & 0x80;
            bool second = both[LENGTH + 1] == LENGTH && both[2 * LENGTH + 1] & 0x80;
            bool together = offset < FRAME_BYTES;
            /* Clear channel: what C heard over the last eight symbols, four bytes, is A's. A begins 6 bytes after its
             * strobe, the turnaround. */
            if (!hidden)
                assert_int_equal(sends, offset >= 6 + FRAME_BYTES + 4);
            else
                assert_true(sends);
            assert_int_equal(first, !(hidden && together));
            assert_int_equal(second, sends && !together);
            bench_close(&b);
        }
}

/* The byte after the frame: 50 at -1 dB and 110 at 9, evenly; interference counts like noise. */
static void link_quality_follows_from_the_ratio(void **state)
{
    const uint8_t frame[LENGTH - 1] = {LENGTH};
    uint8_t got[LENGTH + 1];
    (void)state;
    for (int level = 3; level <= 15; level += 2) {
        struct bench b;
        listen(&b, 2);
        b.dbm[A][B] = (float)NOISE + (float)level;
        bench_write_fifo(b.nodes[A], frame, sizeof frame);
        do {
            bench_strobe(b.nodes[B], SFLUSHRX);
            bench_strobe(b.nodes[A], STXON);
            bench_after(&b, 1500);
            bench_read_fifo(b.nodes[B], got, sizeof got);
        } while (!(got[LENGTH] & 0x80));
        int expected = level >= 9 ? 110 : 50 + (level + 1) * 6;
        assert_in_range(got[LENGTH] & 0x7f, expected - 1, expected);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_takes_what_the_formula_says),          cmocka_unit_test(another_takes_what_noise_would),
        cmocka_unit_test(the_first_is_captured_while_it_is_stronger), cmocka_unit_test(hidden_senders_collide),
        cmocka_unit_test(link_quality_follows_from_the_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
