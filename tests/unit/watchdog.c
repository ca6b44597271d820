/* The watchdog in its two designs: time-outs, timed sequences, modes, what a reset leaves. */
#include "bare_chip.h"

#include "registers/atmega328p.h"

enum { WDE_ = 0x08, WDCE_ = 0x10, WDIE_ = 0x40, WDIF_ = 0x80 };
enum { M128_WDTCR = 0x41, M128_MCUCSR = 0x54 };
enum { HZ = 16000000, TIMEOUT = 256000 }; /* 2048 cycles of 128 kHz */
enum { VECTOR = 6 * 2 };

static struct node *plain_chip(const char *name)
{
    return bare_chip(name, HZ, OWN_FUSES, -1, NULL, 0);
}

static struct node *interrupting_chip(uint16_t second)
{
    const uint16_t head[] = {SEI, RJMP(1, 0x100)}, body[] = {RJMP(0x100, 0x100)}, handler[] = {second};
    const struct placed p[] = {PLACED(0, head), PLACED(VECTOR, handler), PLACED(0x100, body)};
    return bare_chip("atmega328p", HZ, OWN_FUSES, -1, p, 3);
}

/* ATmega128: 16K cycles take 14.0 ms at 5 V (table 22), within the rounding of that table. */
static void old_design_resets_in_time(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega128");
    poke(n, M128_WDTCR, WDE_);
    run(n, HZ / 1000 * 13.9);
    assert_int_equal(n->state->resets, 0);
    run(n, HZ / 1000 * 0.2);
    assert_int_equal(n->state->resets, 1);
    assert_int_equal(peek(n, M128_MCUCSR), 8 | 1);
    assert_int_equal(peek(n, M128_WDTCR), 0); /* unlike the later design */
    bare_free(n);
}

static void old_design_is_disabled_by_the_sequence_only(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega128");
    poke(n, M128_WDTCR, WDE_);
    poke(n, M128_WDTCR, 0);
    assert_int_equal(peek(n, M128_WDTCR), WDE_);
    poke(n, M128_WDTCR, WDCE_); /* without WDE it opens nothing */
    poke(n, M128_WDTCR, 0);
    assert_int_equal(peek(n, M128_WDTCR), WDE_);
    poke(n, M128_WDTCR, WDCE_ | WDE_);
    run(n, 5);
    assert_int_equal(peek(n, M128_WDTCR), WDE_);
    poke(n, M128_WDTCR, 0);
    assert_int_equal(peek(n, M128_WDTCR), WDE_);
    poke(n, M128_WDTCR, WDE_ | 7);
    assert_int_equal(peek(n, M128_WDTCR), WDE_); /* safety level 1 guards the prescaler too */
    poke(n, M128_WDTCR, WDCE_ | WDE_);
    run(n, 4);
    assert_int_equal(peek(n, M128_WDTCR), WDCE_ | WDE_);
    poke(n, M128_WDTCR, WDE_ | 7);
    assert_int_equal(peek(n, M128_WDTCR), WDE_ | 7);
    poke(n, M128_WDTCR, WDCE_ | WDE_);
    poke(n, M128_WDTCR, 0);
    assert_int_equal(peek(n, M128_WDTCR), 0);
    run(n, 3 * HZ);
    assert_int_equal(n->state->resets, 0);
    bare_free(n);
}

static void safety_levels_by_fuse(void **state)
{
    (void)state;
    const int level0[3] = {0xfd, -1, -1}, level2[3] = {0xfe, -1, -1};
    struct node *n = bare_chip("atmega128", HZ, level0, -1, NULL, 0);
    poke(n, M128_WDTCR, WDE_ | 5);
    assert_int_equal(peek(n, M128_WDTCR), WDE_ | 5);
    poke(n, M128_WDTCR, 6);
    assert_int_equal(peek(n, M128_WDTCR), WDE_ | 6);
    bare_free(n);
    n = bare_chip("atmega128", HZ, level2, -1, NULL, 0);
    assert_int_equal(peek(n, M128_WDTCR), WDE_);
    poke(n, M128_WDTCR, WDCE_ | WDE_);
    poke(n, M128_WDTCR, 3);
    assert_int_equal(peek(n, M128_WDTCR), WDE_ | 3);
    run(n, HZ / 1000 * 111); /* 128K cycles: 0.11 s */
    assert_int_equal(n->state->resets, 0);
    run(n, HZ / 1000 * 2);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
}

static void reset_mode_and_what_it_leaves(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    poke(n, WDTCSR, WDE_);
    run(n, TIMEOUT - 1);
    assert_int_equal(n->state->resets, 0);
    run(n, 2);
    assert_int_equal(n->state->resets, 1);
    assert_int_equal(peek(n, MCUSR), 8 | 1);
    assert_int_equal(peek(n, WDTCSR), WDE_);
    poke(n, WDTCSR, WDCE_ | WDE_); /* "To clear WDE, WDRF must be cleared first" */
    poke(n, WDTCSR, 0);
    assert_int_equal(peek(n, WDTCSR), WDE_);
    poke(n, MCUSR, 0);
    assert_int_equal(peek(n, WDTCSR), WDE_);
    poke(n, WDTCSR, WDCE_ | WDE_);
    poke(n, WDTCSR, 0);
    assert_int_equal(peek(n, WDTCSR), 0);
    run(n, HZ);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
}

/* The chip is held in reset for 16K + 14 CK + 8K cycles of 128 kHz; the watchdog starts when that is over. */
static void resets_again_and_again(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    uint64_t held = 16384 + 14 + 8192 * 125;
    poke(n, WDTCSR, WDE_);
    run(n, TIMEOUT + 1);
    run(n, held + TIMEOUT - 200);
    assert_int_equal(n->state->resets, 1);
    run(n, 400);
    assert_int_equal(n->state->resets, 2);
    bare_free(n);
}

static void interrupt_mode_repeats(void **state)
{
    (void)state;
    struct node *n = interrupting_chip(RETI);
    poke(n, WDTCSR, WDIE_);
    run(n, 10 * TIMEOUT + 100);
    assert_int_equal(n->state->resets, 0);
    assert_int_equal(peek(n, WDTCSR), WDIE_);
    bare_free(n);
    n = plain_chip("atmega328p"); /* interrupts off: the flag stays, nothing else */
    poke(n, WDTCSR, WDIE_);
    run(n, 3 * TIMEOUT + 100);
    assert_int_equal(n->state->resets, 0);
    assert_int_equal(peek(n, WDTCSR), WDIF_ | WDIE_);
    poke(n, WDTCSR, WDIF_ | WDIE_);
    assert_int_equal(peek(n, WDTCSR), WDIE_);
    bare_free(n);
}

static void interrupt_first_then_reset(void **state)
{
    (void)state;
    struct node *n = interrupting_chip(RETI);
    poke(n, WDTCSR, WDIE_ | WDE_);
    run(n, TIMEOUT + 100);
    assert_int_equal(n->state->resets, 0);
    assert_int_equal(peek(n, WDTCSR), WDE_); /* taking it cleared WDIE and WDIF */
    run(n, TIMEOUT);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
    n = plain_chip("atmega328p"); /* the interrupt is never taken */
    poke(n, WDTCSR, WDIE_ | WDE_);
    run(n, TIMEOUT + 100);
    assert_int_equal(peek(n, WDTCSR), WDIF_ | WDIE_ | WDE_);
    assert_int_equal(n->state->resets, 0);
    run(n, TIMEOUT);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
}

static void wdr_restarts_the_count(void **state)
{
    (void)state;
    const uint16_t body[] = {WDR, RJMP(1, 0)};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega2560", HZ, OWN_FUSES, -1, p, 1);
    poke(n, 0x60, WDE_);
    run(n, 4 * TIMEOUT);
    assert_int_equal(n->state->resets, 0);
    bare_free(n);
}

static void every_prescaler_setting(void **state)
{
    (void)state;
    for (unsigned setting = 0; setting <= 9; setting++) {
        struct node *n = plain_chip("atmega328p");
        uint8_t bits = (uint8_t)((setting & 7) | (setting & 8) << 2);
        poke(n, WDTCSR, WDCE_ | WDE_);
        poke(n, WDTCSR, WDE_ | bits);
        assert_int_equal(peek(n, WDTCSR), WDE_ | bits);
        run(n, ((uint64_t)TIMEOUT << setting) - 2);
        assert_int_equal(n->state->resets, 0);
        run(n, 4);
        assert_int_equal(n->state->resets, 1);
        bare_free(n);
    }
}

static void wdton_locks_reset_mode(void **state)
{
    (void)state;
    const int fuses[3] = {-1, 0xc9, -1};
    struct node *n = bare_chip("atmega328p", HZ, fuses, -1, NULL, 0);
    assert_int_equal(peek(n, WDTCSR), WDE_);
    poke(n, WDTCSR, WDCE_ | WDE_);
    poke(n, WDTCSR, WDIE_);
    assert_int_equal(peek(n, WDTCSR), WDE_);
    run(n, TIMEOUT + 1);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_design_resets_in_time),  cmocka_unit_test(old_design_is_disabled_by_the_sequence_only),
        cmocka_unit_test(safety_levels_by_fuse),      cmocka_unit_test(reset_mode_and_what_it_leaves),
        cmocka_unit_test(resets_again_and_again),     cmocka_unit_test(interrupt_mode_repeats),
        cmocka_unit_test(interrupt_first_then_reset), cmocka_unit_test(wdr_restarts_the_count),
        cmocka_unit_test(every_prescaler_setting),    cmocka_unit_test(wdton_locks_reset_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
