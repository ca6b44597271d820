/* The basic clock module (SLAU049, chapter 4): frequencies by the registers, what the low-power modes stop, what waking
 * up costs, and the clocks on their pins. DCO figures are the datasheet's typical ones at 3 V. */
#include "bare.h"

#include "device/msp430/clocks.h"
#include "device/msp430/pins.h"
#include "isa/msp430/msp430.h"
#include "registers/msp430f1611.h"

static struct bare chip;
static struct node *n;

static int set_up(void **state)
{
    (void)state;
    chip = bare_chip("msp430f1611");
    n = chip.node;
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bare_free(chip);
    return 0;
}

/* 0: stopped */
static double hz(unsigned clock)
{
    uint64_t period = n->state->clocks[clock].period;
    return period ? (double)chip.machine->hz * (double)CLOCK_ONE / (double)period : 0;
}

static void about(double is, double should)
{
    if (is < should * 0.995 || is > should * 1.005)
        fail_msg("%.0f Hz, not %.0f", is, should);
}

static void set(unsigned dcoctl, unsigned bcsctl1, unsigned bcsctl2)
{
    node_write(n, BCSCTL1, (uint8_t)bcsctl1);
    node_write(n, DCOCTL, (uint8_t)dcoctl);
    node_write(n, BCSCTL2, (uint8_t)bcsctl2);
}

static void sleep(unsigned bits)
{
    n->time = n->state->now;
    chip.machine->chip->isa->set_register(n, MSP430_SR, bits);
}

static void the_dco_follows_its_registers(void **state)
{
    static const double typical[8] = {130e3, 180e3, 280e3, 470e3, 750e3, 1.3e6, 2.0e6, 3.2e6};
    (void)state;
    about(hz(MSP430_MCLK), 750e3); /* RSEL 4, DCO 3 at reset */
    for (unsigned rsel = 0; rsel < 8; rsel++) {
        set(0x60, 0x80 | rsel, 0);
        about(hz(MSP430_MCLK), typical[rsel]);
        assert_true(hz(MSP430_SMCLK) == hz(MSP430_MCLK));
    }
    set(0xe0, 0x87, 0);
    about(hz(MSP430_MCLK), 4.9e6);
}

/* Each step of DCO and MOD is faster than the one before, by no more than a DCO step of the datasheet's 7 to 16 %. */
static void it_grows_without_jumps(void **state)
{
    (void)state;
    double before = 0, ten = 0;
    for (unsigned dcoctl = 0; dcoctl <= 0xe0; dcoctl++) {
        set(dcoctl, 0x87, 0);
        double now = hz(MSP430_MCLK);
        assert_true(now > before && (before == 0 || now < before * 1.01));
        if (dcoctl % 32 == 0) {
            assert_true(ten == 0 || (now > ten * 1.07 && now < ten * 1.16));
            ten = now;
        }
        before = now;
    }
}

static void dividers_and_sources(void **state)
{
    (void)state;
    about(hz(MSP430_ACLK), 32768);
    set(0x60, 0x84 | DIVA1, 0);
    about(hz(MSP430_ACLK), 8192);
    set(0x60, 0x84, DIVM0 | DIVS1 | DIVS0);
    about(hz(MSP430_MCLK), 375e3);
    about(hz(MSP430_SMCLK), 93750);
    set(0x60, 0x84, SELM0 | SELM1);
    about(hz(MSP430_MCLK), 32768);
    about(hz(MSP430_SMCLK), 750e3);
}

/* MCLK that starts while SMCLK has gone on has its edges, whenever that is, and neither has lost a cycle. */
static void mclk_starts_with_an_edge_of_smclk(void **state)
{
    (void)state;
    const struct clock *mclk = &n->state->clocks[MSP430_MCLK], *smclk = &n->state->clocks[MSP430_SMCLK];
    set(0x67, 0x87, 0);
    for (unsigned i = 0; i < 1000; i++) {
        sleep(CPUOFF);
        uint64_t asleep = clock_cycle_at(mclk, n->time);
        n->state->now += 1000 + 37 * i;
        uint64_t before = clock_cycle_at(smclk, n->state->now);
        sleep(0);
        assert_int_equal(clock_cycle_at(mclk, n->time), asleep);
        assert_int_equal(clock_cycle_at(smclk, n->time), before);
        for (unsigned cycle = 1; cycle < 100; cycle += 7)
            assert_int_equal(clock_tick_of(mclk, asleep + cycle), clock_tick_of(smclk, before + cycle));
        n->state->now += 999;
    }
}

/* Table 2-2. */
static void low_power_modes_stop_clocks(void **state)
{
    static const struct {
        unsigned bits;
        bool mclk, smclk, aclk;
    } modes[] = {
        {0, true, true, true},
        {CPUOFF, false, true, true},
        {CPUOFF | SCG0, false, true, true},
        {CPUOFF | SCG1, false, false, true},
        {CPUOFF | SCG0 | SCG1, false, false, true},
        {CPUOFF | SCG0 | SCG1 | OSCOFF, false, false, false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        sleep(modes[i].bits);
        assert_int_equal(hz(MSP430_MCLK) > 0, modes[i].mclk);
        assert_int_equal(hz(MSP430_SMCLK) > 0, modes[i].smclk);
        assert_int_equal(hz(MSP430_ACLK) > 0, modes[i].aclk);
    }
    sleep(0);
    about(hz(MSP430_MCLK), 750e3);
}

/* A pin ends LPM4, in which no clock runs: the DCO starts within 6 us, the interrupt takes six cycles. From LPM0 and
 * LPM2, which leave the DCO's generator on, there are the six cycles only. */
static void a_pin_wakes_from_every_mode(void **state)
{
    (void)state;
    static const unsigned modes[] = {CPUOFF, CPUOFF | SCG1, CPUOFF | SCG1 | SCG0, CPUOFF | SCG1 | SCG0 | OSCOFF};
    static const double starts[] = {0, 0, 6e-6, 6e-6};
    struct msp430_cpu *cpu = n->cpu;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at = n->state->now + 1000000;
        node_write(n, P1IE, 0x01);
        node_write(n, P1IFG, 0);
        cpu->r[MSP430_SP] = 0x3900;
        cpu->r[MSP430_PC] = 0xf000;
        sleep(GIE | modes[i]);
        assert_int_equal(node_run(n, at), NODE_RUNNING);
        assert_true(n->state->sleeping);
        n->time = n->state->now;
        pin_drive(n, MSP430_PIN(1, 0), PIN_LOW);
        pin_drive(n, MSP430_PIN(1, 0), PIN_HIGH);
        assert_true(chip.machine->chip->isa->interrupt(n));
        assert_false(n->state->sleeping);
        assert_int_equal(n->state->stall, 6 + (unsigned)(starts[i] * 750e3));
        assert_int_equal(cpu->r[MSP430_SR] & ~SCG0, 0);
        n->state->stall = 0;
    }
}

static void clocks_show_on_pins(void **state)
{
    (void)state;
    bare_at(n, 0);
    node_set_clock(n, MSP430_ACLK, 100 * CLOCK_ONE);
    node_set_clock(n, MSP430_SMCLK, 10 * CLOCK_ONE);
    bare_write(n, 5, P2DIR, 1);
    assert_true(events_next(n) == NEVER);
    bare_write(n, 5, P2SEL, 1);
    bare_write(n, 5, P1DIR, 0x10);
    bare_write(n, 5, P1SEL, 0x10);
    for (unsigned tick = 10; tick < 1000; tick++) {
        bare_at(n, tick);
        assert_int_equal(pin_level(n, MSP430_PIN(2, 0)), tick >= 100 && tick % 100 < 50);
        assert_int_equal(pin_level(n, MSP430_PIN(1, 4)), tick % 10 < 5);
    }
    bare_write(n, 1000, P1SEL, 0);
    bare_write(n, 1000, P2SEL, 0);
    assert_true(events_next(n) == NEVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_dco_follows_its_registers), TEST(it_grows_without_jumps),
        TEST(dividers_and_sources),          TEST(mclk_starts_with_an_edge_of_smclk),
        TEST(low_power_modes_stop_clocks),   TEST(a_pin_wakes_from_every_mode),
        TEST(clocks_show_on_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
