/* The watchdog, the interval timer, the non-maskable interrupt and the supply supervisor of an MSP430, by their
 * registers (SLAU049, chapters 2, 6 and 10). */
#include "bare.h"

#include "device/msp430/clocks.h"
#include "device/msp430/pins.h"
#include "isa/msp430/msp430.h"
#include "registers/msp430f1611.h"
#include "node/taps.h"

enum { RESET_PIN = MSP430_PIN(7, 0) };

static struct bare chip;
static struct node *n;
static const char *last_reset;

static void note_reset(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)context, (void)handle;
    last_reset = h->reset;
}

/* SMCLK and MCLK at 10 ticks a cycle, ACLK at 1000. */
static int set_up(void **state)
{
    (void)state;
    chip = bare_chip("msp430f1611");
    n = chip.node;
    tap_hook(n, MOTET_ON(RESET), note_reset, NULL);
    last_reset = "none";
    bare_at(n, 0);
    node_set_clock(n, MSP430_MCLK, 10 * CLOCK_ONE);
    node_set_clock(n, MSP430_SMCLK, 10 * CLOCK_ONE);
    node_set_clock(n, MSP430_ACLK, 1000 * CLOCK_ONE);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bare_free(chip);
    return 0;
}

static bool resets(void)
{
    return n->state->reset_pending != 0;
}

static void it_runs_from_reset_on(void **state)
{
    (void)state;
    assert_true(node_watchdog_runs(n));
    assert_int_equal(bare_read_word(n, 1, WDTCTL), 0x6900);
    bare_at(n, 327679);
    assert_false(resets());
    bare_at(n, 327680); /* 32768 cycles of SMCLK */
    assert_true(resets());
    node_run(n, 327700);
    assert_string_equal(last_reset, "watchdog");
    assert_int_equal(bare_read(n, 327800, IFG1) & WDTIFG, WDTIFG);
    assert_true(node_watchdog_runs(n));
}

static void clearing_and_holding_keep_it_quiet(void **state)
{
    (void)state;
    bare_write_word(n, 320000, WDTCTL, WDTPW | WDTCNTCL);
    assert_int_equal(bare_read_word(n, 320000, WDTCTL), 0x6900);
    bare_at(n, 647679);
    assert_false(resets());
    bare_write_word(n, 647679, WDTCTL, WDTPW | WDTHOLD);
    assert_int_equal(bare_read_word(n, 647679, WDTCTL), 0x6900 | WDTHOLD);
    assert_false(node_watchdog_runs(n));
    bare_at(n, 2000000);
    assert_false(resets());
    bare_write_word(n, 2000000, WDTCTL, WDTPW); /* goes on where it stood: one cycle short of its interval */
    bare_at(n, 2000009);
    assert_false(resets());
    bare_at(n, 2000010);
    assert_true(resets());
}

static void every_source_and_interval(void **state)
{
    static const uint32_t cycles[4] = {32768, 8192, 512, 64};
    (void)state;
    uint64_t at = 1000000;
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    for (unsigned source = 0; source < 2; source++)
        for (unsigned i = 0; i < 4; i++) {
            uint64_t length = cycles[i] * (source ? 1000u : 10u);
            bare_write_word(n, at, WDTCTL, (uint16_t)(WDTPW | WDTTMSEL | WDTCNTCL | (source ? WDTSSEL : 0) | i));
            bare_write(n, at, IFG1, 0);
            bare_write(n, at, IE1, WDTIE);
            bare_at(n, at + length - 1);
            assert_false(bare_asks(n, WDT_LINE));
            bare_at(n, at + length);
            assert_true(bare_asks(n, WDT_LINE));
            bare_take(n, WDT_LINE);
            assert_false(bare_asks(n, WDT_LINE));
            assert_int_equal(node_read(n, IFG1) & WDTIFG, 0);
            bare_at(n, at + 2 * length - 1);
            assert_false(bare_asks(n, WDT_LINE));
            bare_at(n, at + 2 * length);
            assert_true(bare_asks(n, WDT_LINE));
            at += 100000000;
        }
    assert_false(resets());
    assert_false(node_watchdog_runs(n));
}

static void a_wrong_password_resets(void **state)
{
    (void)state;
    bare_write_word(n, 100, WDTCTL, 0x5900 | WDTHOLD);
    assert_true(resets());
    node_run(n, 200);
    assert_string_equal(last_reset, "watchdog");
    assert_int_equal(bare_read(n, 300, IFG1) & WDTIFG, WDTIFG);
    bare_write(n, 300, IFG1, 0);
    bare_write(n, 400, WDTCTL, WDTHOLD); /* a byte has no password */
    assert_true(resets());
    node_run(n, 500);
    assert_int_equal(bare_read(n, 600, IFG1) & WDTIFG, WDTIFG);
    node_request_reset(n, RESET_EXTERNAL);
    node_run(n, 700);
    assert_int_equal(bare_read(n, 800, IFG1) & WDTIFG, 0);
}

static void the_pin_resets_or_interrupts(void **state)
{
    (void)state;
    bare_drive(n, 10, RESET_PIN, PIN_HIGH);
    assert_false(resets());
    bare_write_word(n, 20, WDTCTL, WDTPW | WDTHOLD | WDTNMI | WDTNMIES);
    bare_write(n, 20, IE1, NMIIE | OFIE | ACCVIE);
    bare_write(n, 20, IFG1, 0);
    assert_false(bare_asks(n, NMI_LINE));
    bare_drive(n, 30, RESET_PIN, PIN_LOW);
    assert_false(resets());
    assert_true(bare_asks(n, NMI_LINE));
    bare_take(n, NMI_LINE);
    assert_false(bare_asks(n, NMI_LINE));
    assert_int_equal(bare_read(n, 40, IE1) & (NMIIE | OFIE | ACCVIE), 0);
    assert_int_equal(bare_read(n, 40, IFG1) & NMIIFG, NMIIFG);
    bare_write(n, 50, IE1, NMIIE);
    assert_true(bare_asks(n, NMI_LINE)); /* the flag is the firmware's to clear */
    bare_write(n, 60, IFG1, 0);
    assert_false(bare_asks(n, NMI_LINE));
    bare_write_word(n, 70, WDTCTL, WDTPW | WDTHOLD | WDTNMI);
    bare_drive(n, 80, RESET_PIN, PIN_HIGH);
    assert_true(bare_asks(n, NMI_LINE));
    bare_write_word(n, 90, WDTCTL, WDTPW | WDTHOLD);
    bare_drive(n, 95, RESET_PIN, PIN_LOW);
    assert_true(resets());
    node_run(n, 100);
    assert_string_equal(last_reset, "external");
    assert_int_equal(bare_read(n, 110, IFG1) & NMIIFG, 0);
}

/* XT2 has no crystal: its fault cannot be cleared while it is on. */
static void oscillator_faults_interrupt(void **state)
{
    (void)state;
    assert_int_equal(bare_read(n, 10, IFG1) & OFIFG, OFIFG);
    bare_write(n, 20, IFG1, 0);
    assert_int_equal(bare_read(n, 20, IFG1) & OFIFG, 0);
    bare_write(n, 30, IE1, OFIE);
    assert_false(bare_asks(n, NMI_LINE));
    bare_write(n, 40, BCSCTL1, 0x04);
    assert_true(bare_asks(n, NMI_LINE));
    bare_write(n, 50, IFG1, 0);
    assert_int_equal(bare_read(n, 50, IFG1) & OFIFG, OFIFG);
    bare_write(n, 60, BCSCTL1, 0x84);
    bare_write(n, 60, IFG1, 0);
    assert_int_equal(bare_read(n, 60, IFG1) & OFIFG, 0);
    assert_false(bare_asks(n, NMI_LINE));
}

static void the_supervisor_sees_a_low_supply(void **state)
{
    (void)state;
    uint64_t start = node_ticks(n, 150e-6);
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    bare_write(n, 10, SVSCTL, 0xa0); /* 3.05 V, of 5 V */
    assert_int_equal(bare_read(n, 10, SVSCTL), 0xa0);
    bare_at(n, 10 + start);
    assert_int_equal(bare_read(n, 10 + start, SVSCTL), 0xa0 | SVSON);
    chip.machine->millivolts = 3000;
    bare_write(n, 500000, SVSCTL, 0xb0);
    bare_at(n, 600000);
    assert_int_equal(bare_read(n, 600000, SVSCTL), 0xb0 | SVSON | SVSOP | SVSFG);
    assert_false(resets());
    bare_write(n, 700000, SVSCTL, 0x80);
    bare_at(n, 800000);
    assert_int_equal(bare_read(n, 800000, SVSCTL), 0x80 | SVSON);
    bare_write(n, 900000, SVSCTL, 0xb0 | PORON);
    bare_at(n, 1000000);
    assert_true(resets());
    node_run(n, 1000001);
    assert_string_equal(last_reset, "brown-out");
    assert_int_equal(bare_read(n, 1100000, SVSCTL), SVSFG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_runs_from_reset_on),
        TEST(clearing_and_holding_keep_it_quiet),
        TEST(every_source_and_interval),
        TEST(a_wrong_password_resets),
        TEST(the_pin_resets_or_interrupts),
        TEST(oscillator_faults_interrupt),
        TEST(the_supervisor_sees_a_low_supply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
