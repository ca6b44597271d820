/* CC1000s on MICA2: the configuration interface, the data clock, bits between two nodes, signal strength. */
#include "bare_node.h"

#include "board/boards.h"
#include "motet/watch.h"
#include "node/taps.h"
#include "part/cc1000_internal.h"

enum { PCLK = PIN(D, 6), PDATA = PIN(D, 7), PALE = PIN(D, 4) };
enum { SPCR = 0x2d, SPSR = 0x2e, SPDR = 0x2f, SPE = 0x40, SPIF = 0x80, BIT = 384, BYTE = 8 * BIT };
enum { RECEIVE = 0x11, TRANSMIT = 0xe1, OFF = 0x3f };

struct bench {
    struct node *nodes[2];
    uint64_t now;
    float gain;
    struct air_message last;
};

static void pin(struct node *n, unsigned which, bool level)
{
    pin_set_port(n, which, true, level, false);
}

static void clock_bit(struct node *n, bool bit)
{
    pin(n, PDATA, bit);
    pin(n, PCLK, false);
    pin(n, PCLK, true);
}

static void address(struct node *n, unsigned which, bool write)
{
    pin(n, PALE, false);
    for (int i = 6; i >= 0; i--)
        clock_bit(n, which >> i & 1);
    clock_bit(n, write);
    pin(n, PALE, true);
}

static void set(struct node *n, unsigned which, uint8_t value)
{
    address(n, which, true);
    for (int i = 7; i >= 0; i--)
        clock_bit(n, value >> i & 1);
}

static uint8_t get(struct node *n, unsigned which)
{
    uint8_t value = 0;
    address(n, which, false);
    pin_set_port(n, PDATA, false, false, false);
    for (int i = 0; i < 8; i++) {
        pin(n, PCLK, false);
        value = (uint8_t)(value << 1 | pin_level(n, PDATA));
        pin(n, PCLK, true);
    }
    return value;
}

static void carry(void *context, struct node *n, const struct air_message *m)
{
    struct bench *b = context;
    struct air_message heard = *m;
    assert_true(m->tick >= node_now(n) + 944);
    b->last = *m;
    heard.dbm += b->gain;
    air_hear(b->nodes[!n->id], &heard);
}

static void at(struct bench *b, uint64_t tick)
{
    while (b->now < tick) {
        b->now = tick - b->now > 64 ? b->now + 64 : tick;
        for (int i = 0; i < 2; i++)
            bare_node_at(b->nodes[i], b->now);
    }
}

/* As TinyOS sets them for 38.4 kBaud, which is 19.2 kbit/s in Manchester code, at 914.998 MHz, with the oscillator of
 * the receiver 150 kHz above. */
static void open_bench(struct bench *b)
{
    *b = (struct bench){.gain = -60};
    for (unsigned i = 0; i < 2; i++) {
        struct node *n = b->nodes[i] = bare_node(&chip_atmega128, &board_mica2);
        n->id = i;
        n->air = (struct air){.context = b, .send = carry};
        pin(n, PCLK, true);
        pin(n, PALE, true);
        set(n, MAIN, 0x3b);
        static const uint8_t frequencies[] = {0x7c, 0x00, 0x00, 0x7b, 0xf9, 0xae, 0x02, 0x38};
        for (unsigned k = 0; k < sizeof frequencies; k++)
            set(n, FREQ_2A + k, frequencies[k]);
        set(n, PLL, 8 << 3);
        set(n, MODEM0, 0x57 & ~2u);
        set(n, PA_POW, 0x60);
        node_write(n, SPCR, SPE);
    }
}

static void close_bench(struct bench *b)
{
    bare_node_free(b->nodes[0]);
    bare_node_free(b->nodes[1]);
}

static void registers_pass_over_three_wires(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct node *n = b.nodes[0];
    assert_int_equal(get(n, MODEM1), 0x67);
    assert_int_equal(get(n, FREQ_2A), 0x7c);
    set(n, TEST6, 0x5a);
    assert_int_equal(get(n, TEST6), 0x5a);
    assert_int_equal(get(n, FSEP1), 0x02);
    set(n, MAIN, RECEIVE);
    set(n, CAL, 0xa6);
    at(&b, b.now + 7372800 / 1000 * 18); /* 34 ms at 1 MHz of reference: 18.4 ms with REFDIV 8 */
    assert_int_equal(get(n, CAL) & 0x08, 0);
    at(&b, b.now + 7372800 / 1000);
    assert_int_equal(get(n, CAL) & 0x08, 0x08);
    set(n, CAL, 0x26);
    set(n, PLL, 12 << 3);
    set(n, CAL, 0xa6);
    at(&b, b.now + 7372800 / 1000 * 27); /* 27.7 ms with REFDIV 12 */
    assert_int_equal(get(n, CAL) & 0x08, 0);
    at(&b, b.now + 7372800 / 1000);
    assert_int_equal(get(n, CAL) & 0x08, 0x08);
    set(n, CAL, 0x26);
    assert_int_equal(get(n, LOCK) & 3, 3);
    set(n, MAIN, 0);
    assert_int_equal(get(n, TEST6), 0);
    close_bench(&b);
}

static void the_data_clock_runs_while_it_is_on(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct node *n = b.nodes[0];
    at(&b, 3 * BYTE);
    assert_int_equal(node_read(n, SPSR), 0);
    set(n, MAIN, RECEIVE);
    at(&b, 4 * BYTE - 1);
    assert_int_equal(node_read(n, SPSR), 0);
    at(&b, 4 * BYTE);
    assert_int_equal(node_read(n, SPSR), SPIF);
    unsigned ones = 0;
    for (int i = 5; i < 205; i++) {
        ones += (unsigned)__builtin_popcount(node_read(n, SPDR));
        assert_int_equal(node_read(n, SPSR), 0);
        at(&b, (uint64_t)i * BYTE);
        assert_int_equal(node_read(n, SPSR), SPIF);
    }
    assert_in_range(ones, 700, 900); /* noise: half of 1600 */
    set(n, MAIN, OFF);
    node_read(n, SPDR);
    at(&b, 210 * BYTE);
    assert_int_equal(node_read(n, SPSR), 0);
    close_bench(&b);
}

/* The receiver's oscillator 150 kHz below the carrier instead. */
static void inject_below(struct node *n)
{
    set(n, FREQ_2A, 0x7b);
    set(n, FREQ_2A + 1, 0xf5);
    set(n, FREQ_2A + 2, 0x8e);
}

/* Sends a pattern from 0 to 1, whose receiver started `offset` bits before the transmitter; where in the bits received
 * it is, -1 if nowhere. Every bit arrives inverted, unless the receiver's oscillator is below. */
static int sent_and_found(float gain, unsigned offset, bool below)
{
    static const uint8_t pattern[] = {0x55, 0x55, 0x33, 0xcc, 0x12, 0x34, 0x56, 0x78};
    struct bench b;
    open_bench(&b);
    b.gain = gain;
    if (below)
        inject_below(b.nodes[1]);
    set(b.nodes[1], MAIN, RECEIVE);
    at(&b, 20 * BYTE + offset * BIT);
    set(b.nodes[0], MAIN, TRANSMIT);
    uint8_t received[16];
    uint64_t start = b.now;
    for (unsigned i = 0; i < 16; i++) {
        node_write(b.nodes[0], SPDR, i < sizeof pattern ? pattern[i] : 0);
        at(&b, 20 * BYTE + (i + 1) * BYTE);
        received[i] = node_read(b.nodes[1], SPDR) ^ (below ? 0 : 0xff);
        at(&b, start + (i + 1) * BYTE);
    }
    close_bench(&b);
    for (unsigned at_bit = 0; at_bit < 64; at_bit++) {
        unsigned same = 0;
        for (unsigned i = 0; i < 64; i++) {
            unsigned k = at_bit + i;
            same += (received[k / 8] >> (7 - k % 8) & 1) == (pattern[i / 8] >> (7 - i % 8) & 1);
        }
        if (same == 64)
            return (int)at_bit;
    }
    return -1;
}

static void bits_arrive_at_any_offset(void **state)
{
    (void)state;
    int first = sent_and_found(-60, 0, false);
    assert_in_range(first, 8, 40);
    for (unsigned offset = 1; offset < 8; offset++)
        assert_int_equal(sent_and_found(-60, offset, false), first + (int)offset);
    assert_int_equal(sent_and_found(-60, 0, true), first);
    assert_int_equal(sent_and_found(-115, 0, false), -1);
}

static void strength_is_a_voltage(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    set(b.nodes[1], MAIN, RECEIVE);
    at(&b, 10 * BYTE);
    int32_t quiet = analog_read(b.nodes[1], 0);
    assert_in_range(quiet, 1050000, 1200000);
    set(b.nodes[0], MAIN, TRANSMIT);
    at(&b, 20 * BYTE);
    assert_in_range(analog_read(b.nodes[1], 0), 285000, 295000); /* (60 - 45.5) / 50 */
    assert_true(b.last.hertz > 914.99e6 && b.last.hertz < 915.01e6);
    set(b.nodes[0], MAIN, OFF);
    at(&b, 30 * BYTE);
    assert_int_equal(analog_read(b.nodes[1], 0), quiet);
    assert_int_equal(b.last.kind, AIR_END);
    close_bench(&b);
}

/* ---- for observers ---- */

struct fates {
    unsigned sent, received, lost;
    int why;
    size_t count;
    uint8_t bytes[64];
};

static void observe(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct fates *f = context;
    (void)n;
    f->sent += h->what == MOTET_ON_RADIO_SEND;
    f->received += h->what == MOTET_ON_RADIO_RECEIVE;
    f->lost += h->what == MOTET_ON_RADIO_LOSS;
    f->why = h->what == MOTET_ON_RADIO_LOSS ? (int)h->radio.why : -1;
    f->count = h->radio.count;
    assert_true(h->radio.count <= sizeof f->bytes);
    memcpy(f->bytes, h->radio.bytes, h->radio.count);
}

/* The CPU never runs, so that alarms have to be looked after as well. */
static void at_with_alarms(struct bench *b, uint64_t tick)
{
    while (b->now < tick) {
        at(b, tick - b->now > 64 ? b->now + 64 : tick);
        for (int i = 0; i < 2; i++)
            if (b->nodes[i]->alarm <= b->now)
                alarms_run(b->nodes[i]);
    }
}

/* What is to happen, in bytes from the beginning of the transmission; 0 for never. */
struct course {
    float gain;
    unsigned on, off, fading, preamble;
    float to;
};

enum { FRAME = 40, BEFORE = 20 };

/* Sends a preamble, a frame and two bytes that flush from 0 to 1. */
static struct fates fate_of(struct course c)
{
    struct fates f[2] = {{.why = -1}, {.why = -1}};
    struct bench b;
    open_bench(&b);
    b.gain = c.gain;
    for (int i = 0; i < 2; i++)
        tap_hook(b.nodes[i], MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS), observe, &f[i]);
    if (!c.on)
        set(b.nodes[1], MAIN, RECEIVE);
    at_with_alarms(&b, BEFORE * BYTE + 3 * BIT);
    set(b.nodes[0], MAIN, TRANSMIT);
    uint64_t start = b.now;
    unsigned length = c.preamble + FRAME + 2;
    for (unsigned i = 0; i < length; i++) {
        bool body = i >= c.preamble && i < c.preamble + FRAME;
        node_write(b.nodes[0], SPDR, body ? (uint8_t)(0x33 + 7 * (i - c.preamble)) : 0xaa);
        if (i && i == c.on)
            set(b.nodes[1], MAIN, RECEIVE);
        if (i && i == c.off)
            set(b.nodes[1], MAIN, OFF);
        if (i && i == c.fading)
            for (int k = 0; k < EARSHOT_SOUNDS; k++) {
                struct cc1000 *s = device_state(b.nodes[1], bare_node_device(b.nodes[1], "radio"));
                s->ear.sounds[k].milliwatts *= c.to;
            }
        at_with_alarms(&b, start + (uint64_t)(i + 1) * BYTE);
    }
    set(b.nodes[0], MAIN, OFF);
    at_with_alarms(&b, b.now + 8 * BYTE);
    assert_int_equal(f[0].sent, 1);
    assert_int_equal(f[1].received + f[1].lost, 1);
    close_bench(&b);
    return f[1];
}

static void what_becomes_of_a_transmission_is_told(void **state)
{
    (void)state;
    static const struct {
        struct course course;
        int why; /* -1: received */
    } cases[] = {
        {{.gain = -60, .preamble = 8}, -1},
        {{.gain = -60, .preamble = 500}, -1},
        {{.gain = -60, .preamble = 100, .on = 90}, -1},
        {{.gain = -60, .preamble = 8, .on = 14}, MOTET_LOSS_MISSED},
        {{.gain = -60, .preamble = 8, .on = 200}, MOTET_LOSS_MISSED},
        {{.gain = -60, .preamble = 8, .off = 30}, MOTET_LOSS_CUT},
        {{.gain = -60, .preamble = 8, .off = 5}, MOTET_LOSS_MISSED},
        {{.gain = -60, .preamble = 8, .fading = 30, .to = 1e-6F}, MOTET_LOSS_DAMAGED},
        {{.gain = -115, .preamble = 8}, MOTET_LOSS_NOISE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fates f = fate_of(cases[i].course);
        if (f.why != cases[i].why || f.received != (cases[i].why < 0))
            fail_msg("case %zu: %s", i, f.why < 0 ? "received" : motet_loss_name((enum motet_loss)f.why));
        unsigned kept = cases[i].course.preamble < 16 ? cases[i].course.preamble : 16, first = 0;
        while (first < f.count && f.bytes[first] == 0xaa)
            first++;
        assert_in_range(first, kept, kept + 1);
        assert_in_range(f.count, first + FRAME, first + FRAME + 4);
        for (unsigned k = 0; k < FRAME; k++)
            assert_int_equal(f.bytes[first + k], (uint8_t)(0x33 + 7 * k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pass_over_three_wires),
        cmocka_unit_test(the_data_clock_runs_while_it_is_on),
        cmocka_unit_test(bits_arrive_at_any_offset),
        cmocka_unit_test(strength_is_a_voltage),
        cmocka_unit_test(what_becomes_of_a_transmission_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
