/* AVR clocks, sleep modes, reset causes and moved vectors, against the datasheets' figures. */
#include "bare_chip.h"

#include "device/avr/clocks.h"
#include "node/pins.h"
#include "registers/atmega328p.h"

enum { M128_XDIV = 0x5c, M128_MCUCR = 0x55, M128_MCUCSR = 0x54 };

/* At 0 a jump over the vectors, SE and the mode, SEI, SLEEP; the watchdog's vector and all others are NOPs. */
enum { START = 0x100, IO_SMCR = 0x33, IO_MCUCR = 0x35 };

static struct node *sleeper(const char *chip, int low_fuse, unsigned mode, bool enabled)
{
    const uint16_t head[] = {RJMP(0, START)};
    const uint16_t body[] = {LDI(16, mode << 1 | enabled), OUT(IO_SMCR, 16), SEI, SLEEP, NOP};
    const struct placed p[] = {PLACED(0, head), PLACED(START, body)};
    const int fuses[3] = {-1, -1, low_fuse};
    struct node *n = bare_chip(chip, 16000000, fuses, -1, p, 2);
    return n;
}

/* The first watchdog time-out, 2048 cycles of 128 kHz, is 256000 ticks at 16 MHz. */
enum { TIMEOUT = 256000, WDIE_BIT = 0x40 };

/* When the first instruction of the watchdog's vector runs, counted from the wake-up. */
static uint64_t wakes_after(const char *chip, unsigned vector, int low_fuse, unsigned mode)
{
    struct node *n = sleeper(chip, low_fuse, mode, true);
    poke(n, WDTCSR, WDIE_BIT);
    run_to(n, vector * 2 + 1); /* a step takes the interrupt and runs the first instruction, a NOP */
    uint64_t after = now(n) - 1 - TIMEOUT;
    bare_free(n);
    return after;
}

/* "The MCU is then halted for four cycles in addition to the start-up time"; the response itself takes four cycles,
 * five with a 22-bit program counter. */
static void waking_takes_the_start_up_time(void **state)
{
    (void)state;
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 0), 4 + 4);
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 1), 4 + 4);
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 2), 16384 + 4 + 4);
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 3), 16384 + 4 + 4);
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 6), 6 + 4 + 4);
    assert_int_equal(wakes_after("atmega328p", 6, 0xff, 7), 6 + 4 + 4);
    assert_int_equal(wakes_after("atmega2560", 12, 0xff, 0), 4 + 5);
    assert_int_equal(wakes_after("atmega2560", 12, 0xe2, 2), 6 + 4 + 5);    /* internal RC */
    assert_int_equal(wakes_after("atmega2560", 12, 0xce, 2), 258 + 4 + 5);  /* ceramic, SUT 00 */
    assert_int_equal(wakes_after("atmega1281", 12, 0xcf, 2), 1024 + 4 + 4); /* crystal, SUT 00 */
    assert_int_equal(wakes_after("atmega168", 6, 0xe5, 3), 32768 + 4 + 4);  /* watch crystal */
}

/* "If the level disappears before the end of the Start-up Time, the MCU will still wake up, but no interrupt". */
static void a_pin_wakes_and_lets_go(void **state)
{
    (void)state;
    for (int lets_go = 0; lets_go <= 1; lets_go++) {
        struct node *n = sleeper("atmega328p", 0xff, 2, true);
        pin_drive(n, PIN(D, 2), PIN_HIGH);
        poke(n, EIMSK, 1); /* INT0 on low level */
        run(n, 1000);
        assert_true(n->state->sleeping);
        n->time = now(n);
        pin_drive(n, PIN(D, 2), PIN_LOW);
        run(n, 16384 - 10);
        assert_true(n->state->sleeping);
        n->time = now(n);
        if (lets_go)
            pin_drive(n, PIN(D, 2), PIN_HIGH);
        run(n, 10 + 4 + 4);
        assert_false(n->state->sleeping);
        assert_int_equal(((struct avr_cpu *)n->cpu)->pc, lets_go ? START + 4 + 4 : 1 * 2);
        bare_free(n);
    }
}

/* "If the ADC is enabled, a conversion starts automatically"; the first takes 25 of its clocks, here of 128 ticks, and
 * begins at one of them. */
static void sleep_starts_a_conversion(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode <= 2; mode++) {
        struct node *n = sleeper("atmega328p", 0xff, mode, true);
        poke(n, ADCSRA, 0x80 | 0x08 | 7);
        run(n, 100);
        assert_true(n->state->sleeping);
        assert_int_equal((peek(n, ADCSRA) & 0x40) != 0, mode != 2);
        run(n, 24 * 128 - 100);
        assert_true(n->state->sleeping);
        run(n, 2 * 128 + 10);
        assert_int_equal(n->state->instructions > 5, mode != 2);
        bare_free(n);
    }
}

static void each_mode_stops_its_clocks(void **state)
{
    (void)state;
    static const struct {
        unsigned mode;
        bool io, adc, asy;
    } modes[] = {
        {0, true, true, true},   {1, false, true, true},   {2, false, false, false},
        {3, false, false, true}, {6, false, false, false}, {7, false, false, true},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct node *n = sleeper("atmega328p", 0xff, modes[i].mode, true);
        run(n, 100);
        assert_true(n->state->sleeping);
        n->time = now(n);
        uint64_t io = node_cycle(n, CLOCK_IO), adc = node_cycle(n, AVR_CLOCK_ADC), asy = node_cycle(n, AVR_CLOCK_ASY);
        uint64_t cpu = node_cycle(n, CLOCK_CPU), dog = node_cycle(n, AVR_CLOCK_WATCHDOG);
        assert_int_equal(cpu, 2 + 1 + 1 + 1 + 1); /* RJMP, LDI, OUT, SEI, SLEEP */
        run(n, 16000000);
        n->time = now(n);
        assert_int_equal(node_cycle(n, CLOCK_CPU), cpu);
        assert_int_equal(node_cycle(n, CLOCK_IO) - io, modes[i].io ? 16000000 : 0);
        assert_int_equal(node_cycle(n, AVR_CLOCK_ADC) - adc, modes[i].adc ? 16000000 : 0);
        assert_int_equal(node_cycle(n, AVR_CLOCK_ASY) - asy, modes[i].asy ? 32768 : 0);
        assert_int_equal(node_cycle(n, AVR_CLOCK_WATCHDOG) - dog, 128000);
        bare_free(n);
    }
}

/* "SPM/EEPROM Ready" wakes from idle and ADC noise reduction. */
static void eeprom_does_not_end_deep_sleep(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode <= 2; mode++) {
        struct node *n = sleeper("atmega328p", 0xff, mode, true);
        poke(n, EECR, 4);
        poke(n, EECR, 2);
        poke(n, EECR, 8);
        run(n, 16000000 / 1000 * 3.5); /* a write takes 3.4 ms */
        assert_int_equal(n->state->instructions > 5, mode != 2);
        bare_free(n);
    }
}

static void sleep_needs_se_and_a_mode_that_exists(void **state)
{
    (void)state;
    struct node *n = sleeper("atmega328p", 0xff, 2, false);
    run(n, 100);
    assert_false(n->state->sleeping);
    bare_free(n);
    n = sleeper("atmega328p", 0xff, 4, true);
    run(n, 100);
    assert_false(n->state->sleeping);
    bare_free(n);
    n = sleeper("atmega168", 0xff, 7, true); /* extended standby came with the later ones */
    run(n, 100);
    assert_false(n->state->sleeping);
    bare_free(n);
}

static void sleep_without_interrupts_ends_the_run(void **state)
{
    (void)state;
    const uint16_t body[] = {LDI(16, 1), OUT(IO_SMCR, 16), SLEEP};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, p, 1);
    run(n, 16000000);
    assert_int_equal(n->state->exit, NODE_EXIT_HALT);
    bare_free(n);
    n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, p, 1);
    poke(n, WDTCSR, 0x08); /* WDE: it will be reset */
    run(n, 300000);
    assert_int_equal(n->state->exit, NODE_RUNNING);
    assert_int_equal(n->state->resets, 1);
    bare_free(n);
}

static void prescaler_changes_in_its_window(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, NULL, 0);
    poke(n, CLKPR, 3);
    assert_int_equal(peek(n, CLKPR), 0);
    poke(n, CLKPR, 0x83); /* CLKPCE together with others does nothing */
    run(n, 1);
    poke(n, CLKPR, 3);
    assert_int_equal(n->state->clocks[CLOCK_CPU].period, CLOCK_ONE);
    poke(n, CLKPR, 0x80);
    run(n, 5);
    assert_int_equal(peek(n, CLKPR), 0);
    poke(n, CLKPR, 3);
    assert_int_equal(n->state->clocks[CLOCK_CPU].period, CLOCK_ONE);
    poke(n, CLKPR, 0x80);
    run(n, 4);
    assert_int_equal(peek(n, CLKPR), 0x80);
    poke(n, CLKPR, 3);
    assert_int_equal(peek(n, CLKPR), 3);
    assert_int_equal(n->state->clocks[CLOCK_CPU].period, 8 * CLOCK_ONE);
    assert_int_equal(n->state->clocks[CLOCK_IO].period, 8 * CLOCK_ONE);
    uint64_t instructions = n->state->instructions;
    run(n, 800);
    assert_int_equal(n->state->instructions - instructions, 100);
    bare_free(n);
}

static void divide_by_8_fuse(void **state)
{
    (void)state;
    const int fuses[3] = {-1, -1, 0x62};
    struct node *n = bare_chip("atmega2560", 8000000, fuses, -1, NULL, 0);
    assert_int_equal(peek(n, CLKPR), 3);
    run(n, 800);
    assert_int_equal(n->state->instructions, 100);
    bare_free(n);
}

/* XDIV: fCLK = source / (129 - d). */
static void xdiv_divides_while_enabled(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega128", 8000000, OWN_FUSES, -1, NULL, 0);
    poke(n, M128_XDIV, 0x80 | 119);
    assert_int_equal(n->state->clocks[CLOCK_IO].period, 10 * CLOCK_ONE);
    poke(n, M128_XDIV, 0x80 | 1); /* rejected while enabled */
    assert_int_equal(peek(n, M128_XDIV), 0x80 | 119);
    run(n, 1000);
    assert_int_equal(n->state->instructions, 100);
    poke(n, M128_XDIV, 5); /* the factor is rejected, the enable is not */
    assert_int_equal(peek(n, M128_XDIV), 119);
    assert_int_equal(n->state->clocks[CLOCK_CPU].period, CLOCK_ONE);
    bare_free(n);
}

static void vectors_move_to_the_boot_section(void **state)
{
    (void)state;
    const int fuses[3] = {-1, 0xda, -1}; /* BOOTSZ 01, BOOTRST programmed */
    struct node *n = bare_chip("atmega328p", 16000000, fuses, -1, NULL, 0);
    struct avr_cpu *cpu = n->cpu;
    assert_int_equal(cpu->pc, 0x4000 - 1024);
    assert_int_equal(cpu->vector_base, 0);
    poke(n, MCUCR, 2);
    assert_int_equal(peek(n, MCUCR) & 3, 0);
    poke(n, MCUCR, 1);
    run(n, 5);
    assert_int_equal(peek(n, MCUCR) & 3, 0);
    poke(n, MCUCR, 2);
    assert_int_equal(cpu->vector_base, 0);
    poke(n, MCUCR, 1);
    run(n, 2);
    assert_int_equal(peek(n, MCUCR) & 3, 1);
    poke(n, MCUCR, 2);
    assert_int_equal(peek(n, MCUCR) & 3, 2);
    assert_int_equal(cpu->vector_base, 0x4000 - 1024);
    bare_free(n);
}

/* A write to the register of the sleep mode is the interrupt vectors' only if it says so. */
static void sleep_bits_share_a_register_with_vectors(void **state)
{
    (void)state;
    const uint16_t body[] = {LDI(16, 0x01),
                             LDI(17, 0x22),
                             LDI(18, 0x38),
                             OUT(IO_MCUCR, 18),
                             OUT(IO_MCUCR, 16),
                             OUT(IO_MCUCR, 17),
                             NOP,
                             OUT(IO_MCUCR, 18),
                             NOP};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega128", 8000000, OWN_FUSES, -1, p, 1);
    const struct avr_cpu *cpu = n->cpu;
    run(n, 4);
    assert_int_equal(n->data[M128_MCUCR], 0x38);
    run(n, 1);
    assert_int_equal(n->data[M128_MCUCR], 0x01);
    run(n, 1);
    assert_int_equal(n->data[M128_MCUCR], 0x22);
    uint32_t moved = cpu->vector_base;
    assert_int_not_equal(moved, 0);
    run(n, 2);
    assert_int_equal(n->data[M128_MCUCR], 0x3a); /* IVSEL stays */
    assert_int_equal(cpu->vector_base, moved);
    bare_free(n);
}

/* Bits that a register does not have stay zero. */
static void sleep_register_has_four_bits(void **state)
{
    (void)state;
    const uint16_t body[] = {LDI(16, 0xff), OUT(IO_SMCR, 16), NOP};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, p, 1);
    run(n, 2);
    assert_int_equal(n->data[0x20 + IO_SMCR], 0x0f);
    bare_free(n);
}

/* An interrupt that comes up just behind SEI waits for one instruction, not for whatever happens next. */
static void an_interrupt_right_after_sei(void **state)
{
    (void)state;
    for (unsigned before = 0; before < 4; before++) { /* SEI ends `before` cycles ahead of the time-out */
        const uint16_t head[] = {RJMP(0, START)}, body[] = {NOP, SEI, NOP, NOP, NOP, NOP, RJMP(START + 6, START + 2)};
        const uint16_t handler[] = {LDI(17, 0x55)};
        const struct placed p[] = {PLACED(0, head), PLACED(START, body), PLACED(6 * 2, handler)};
        struct node *n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, p, 3);
        struct avr_cpu *cpu = n->cpu;
        poke(n, WDTCSR, WDIE_BIT);
        cpu->pc = 0x200; /* NOPs, looping, with interrupts off */
        run(n, TIMEOUT - 1 - before);
        assert_int_equal(now(n), TIMEOUT - 1 - before);
        cpu->pc = START + 1;
        uint64_t taken = before == 0 ? TIMEOUT + 1 : TIMEOUT;
        run(n, taken + 4 - now(n));
        assert_int_equal(n->data[17], 0);
        assert_int_equal(cpu->pc, 6 * 2);
        run(n, 1);
        assert_int_equal(n->data[17], 0x55);
        bare_free(n);
    }
}

/* Between the two writes of the sequence no interrupt is taken, whatever the instructions in between. */
static void moving_vectors_holds_interrupts(void **state)
{
    (void)state;
    const uint16_t body[] = {LDI(16, 1), LDI(17, 2), SEI, OUT(0x35, 16), NOP, NOP, OUT(0x35, 17), NOP, NOP};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega328p", 16000000, OWN_FUSES, -1, p, 1);
    struct avr_cpu *cpu = n->cpu;
    run(n, 4);        /* IVCE is set */
    poke(n, EECR, 8); /* EEPROM ready: at once */
    run(n, 4 + 4);
    assert_int_equal(cpu->vector_base, 0x3800);
    assert_int_equal(cpu->pc, 0x3800 + 2 * EE_READY_vect_num);
    bare_free(n);
}

static void boot_sizes_of_each_chip(void **state)
{
    (void)state;
    static const struct {
        const char *chip;
        int fuses[3];
        uint32_t reset_pc;
    } sizes[] = {
        {"atmega128", {-1, 0x98, -1}, 0xf000},  {"atmega128", {-1, 0x9e, -1}, 0xfe00},
        {"atmega1281", {-1, 0x9a, -1}, 0xf800}, {"atmega2560", {-1, 0x98, -1}, 0x1f000},
        {"atmega2560", {-1, 0x99, -1}, 0},      {"atmega168", {0xf8, -1, -1}, 0x1c00},
        {"atmega168", {0xfe, -1, -1}, 0x1f80},  {"atmega328p", {-1, 0xd8, -1}, 0x3800},
        {"atmega328p", {-1, 0xde, -1}, 0x3f00},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct node *n = bare_chip(sizes[i].chip, 8000000, sizes[i].fuses, -1, NULL, 0);
        assert_int_equal(((struct avr_cpu *)n->cpu)->pc, sizes[i].reset_pc);
        bare_free(n);
    }
}

/* ATmega128 datasheet 2467S, table 7: with the fuses for a crystal 16K clocks and 65 ms at 5 V. */
static void a_reset_holds_the_cpu(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega128", 8000000, OWN_FUSES, -1, NULL, 0);
    uint64_t before = now(n);
    node_request_reset(n, RESET_EXTERNAL);
    node_step(n);
    assert_in_range(now(n) - before, 16384 + 8000 * 64, 16384 + 8000 * 66);
    bare_free(n);
}

static void reset_causes_add_up(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega1281", 8000000, OWN_FUSES, -1, NULL, 0);
    assert_int_equal(peek(n, MCUSR), 1);
    node_request_reset(n, RESET_EXTERNAL);
    run(n, 1);
    assert_int_equal(peek(n, MCUSR), 3);
    poke(n, MCUSR, 0xfe);
    assert_int_equal(peek(n, MCUSR), 2);
    node_request_reset(n, RESET_BROWN_OUT);
    run(n, 1);
    node_request_reset(n, RESET_JTAG);
    run(n, 1);
    assert_int_equal(peek(n, MCUSR), 2 | 4 | 16);
    bare_free(n);
}

/* 16K CK + 14 CK + 8K cycles of the 128 kHz oscillator (62.5 ticks each at 8 MHz). */
static void a_reset_waits_for_the_oscillator(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega1281", 8000000, OWN_FUSES, -1, NULL, 0);
    run(n, 1000);
    assert_int_equal(n->state->instructions, 1000);
    node_request_reset(n, RESET_EXTERNAL);
    run(n, 16384 + 14 + 512000 + 10);
    assert_int_equal(n->state->instructions, 1010);
    bare_free(n);
}

static void jtag_needs_two_writes(void **state)
{
    (void)state;
    struct node *n = bare_chip("atmega128", 8000000, OWN_FUSES, -1, NULL, 0);
    poke(n, M128_MCUCSR, 0x80);
    run(n, 5);
    poke(n, M128_MCUCSR, 0x80);
    assert_int_equal(peek(n, M128_MCUCSR) & 0x80, 0);
    run(n, 4);
    poke(n, M128_MCUCSR, 0x80);
    assert_int_equal(peek(n, M128_MCUCSR) & 0x80, 0x80);
    bare_free(n);
}

static void sleep_bits_of_the_atmega128(void **state)
{
    (void)state;
    const uint16_t body[] = {LDI(16, 0x20 | 0x18 | 0x04), OUT(0x35, 16), SEI, SLEEP}; /* SE, SM1:0, SM2 */
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega128", 8000000, OWN_FUSES, -1, p, 1);
    run(n, 8000);
    assert_true(n->state->sleeping);
    assert_int_equal(n->state->clocks[CLOCK_IO].period, 0);
    assert_true(n->state->clocks[AVR_CLOCK_ASY].period != 0); /* extended standby */
    bare_free(n);
}

static void a_snapshot_keeps_the_clocks(void **state)
{
    (void)state;
    struct node *n = sleeper("atmega328p", 0xff, 2, true);
    poke(n, WDTCSR, WDIE_BIT);
    run(n, TIMEOUT + 100); /* starting up */
    assert_true(n->state->sleeping);
    struct snapshot *s = snapshot_take(n);
    run(n, 20000);
    struct digest straight = node_digest(n);
    run(n, 12345);
    snapshot_restore(n, s);
    run(n, 20000);
    assert_true(digest_equal(straight, node_digest(n)));
    assert_true(n->state->instructions > 5); /* it did wake */
    snapshot_free(s);
    bare_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waking_takes_the_start_up_time),
        cmocka_unit_test(a_pin_wakes_and_lets_go),
        cmocka_unit_test(sleep_starts_a_conversion),
        cmocka_unit_test(each_mode_stops_its_clocks),
        cmocka_unit_test(eeprom_does_not_end_deep_sleep),
        cmocka_unit_test(sleep_needs_se_and_a_mode_that_exists),
        cmocka_unit_test(sleep_without_interrupts_ends_the_run),
        cmocka_unit_test(prescaler_changes_in_its_window),
        cmocka_unit_test(divide_by_8_fuse),
        cmocka_unit_test(xdiv_divides_while_enabled),
        cmocka_unit_test(vectors_move_to_the_boot_section),
        cmocka_unit_test(sleep_bits_share_a_register_with_vectors),
        cmocka_unit_test(sleep_register_has_four_bits),
        cmocka_unit_test(an_interrupt_right_after_sei),
        cmocka_unit_test(moving_vectors_holds_interrupts),
        cmocka_unit_test(boot_sizes_of_each_chip),
        cmocka_unit_test(a_reset_holds_the_cpu),
        cmocka_unit_test(reset_causes_add_up),
        cmocka_unit_test(a_reset_waits_for_the_oscillator),
        cmocka_unit_test(jtag_needs_two_writes),
        cmocka_unit_test(sleep_bits_of_the_atmega128),
        cmocka_unit_test(a_snapshot_keeps_the_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
