/* Captures of Timer_A and Timer_B (SLAU049, 11.2.4), their vectors and pins: which edge, which count, what overflows.
 */
#include "bare.h"

#include "device/msp430/clocks.h"
#include "device/msp430/pins.h"
#include "device/msp430/timer.h"
#include "registers/msp430f1611.h"

enum {
    RISING = CM0,
    FALLING = CM0 << 1,
    BOTH = CM0 * 3,
    INPUT_A = 0,
    INPUT_B = CCIS0,
    GROUND = CCIS1,
    SUPPLY = CCIS0 * 3
};
enum { CONTINUOUS = MC0 << 1 };

static struct bare chip;
static struct node *n;

/* SMCLK at one tick a cycle and Timer_A counting it from tick 100 on; ACLK at 1000 ticks. */
static int set_up(void **state)
{
    (void)state;
    chip = bare_chip("msp430f1611");
    n = chip.node;
    bare_at(n, 0);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    node_set_clock(n, MSP430_ACLK, 1000 * CLOCK_ONE);
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    bare_write_word(n, 100, TACTL, TASSEL1 | CONTINUOUS | TACLR);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bare_free(chip);
    return 0;
}

static void an_edge_of_a_pin_takes_the_count(void **state)
{
    (void)state;
    bare_write(n, 110, P1SEL, 0x04);
    bare_write_word(n, 110, TACCTL1, RISING | INPUT_A | CAP);
    bare_drive(n, 150, MSP430_PIN(1, 2), PIN_HIGH);
    assert_int_equal(bare_read_word(n, 160, TACCTL1), RISING | CAP | CCI | CCIFG);
    bare_drive(n, 170, MSP430_PIN(1, 2), PIN_LOW);
    assert_int_equal(bare_read_word(n, 200, TACCR1), 50);
    assert_int_equal(bare_read_word(n, 200, TACCTL1), RISING | CAP | CCIFG);
    bare_write_word(n, 210, TACCTL1, FALLING | CAP);
    bare_drive(n, 220, MSP430_PIN(1, 2), PIN_HIGH);
    assert_int_equal(bare_read_word(n, 220, TACCR1), 50);
    bare_drive(n, 230, MSP430_PIN(1, 2), PIN_LOW);
    assert_int_equal(bare_read_word(n, 240, TACCR1), 130);
}

/* "A second capture was performed before the value from the first capture was read." */
static void a_capture_unread_overflows(void **state)
{
    (void)state;
    bare_write(n, 110, P1SEL, 0x04);
    bare_write_word(n, 110, TACCTL1, BOTH | CAP);
    bare_drive(n, 150, MSP430_PIN(1, 2), PIN_HIGH);
    assert_int_equal(bare_read_word(n, 155, TACCR1), 50);
    bare_drive(n, 160, MSP430_PIN(1, 2), PIN_LOW);
    assert_false(bare_read_word(n, 160, TACCTL1) & COV);
    bare_drive(n, 170, MSP430_PIN(1, 2), PIN_HIGH);
    assert_true(bare_read_word(n, 170, TACCTL1) & COV);
    assert_int_equal(bare_read_word(n, 171, TACCR1), 70);
    bare_write_word(n, 180, TACCTL1, BOTH | CAP);
    assert_false(bare_read_word(n, 181, TACCTL1) & COV);
}

/* A pin that is not selected does not reach the timer, which keeps the last level it saw. */
static void only_a_selected_pin_captures(void **state)
{
    (void)state;
    bare_write_word(n, 110, TACCTL1, BOTH | CAP);
    bare_drive(n, 150, MSP430_PIN(1, 2), PIN_HIGH);
    assert_int_equal(bare_read_word(n, 160, TACCTL1), (uint16_t)(BOTH | CAP));
    bare_write(n, 170, P1SEL, 0x04);
    assert_int_equal(bare_read_word(n, 180, TACCR1), 70);
    bare_write(n, 190, P1SEL, 0);
    bare_drive(n, 195, MSP430_PIN(1, 2), PIN_LOW);
    assert_true(bare_read_word(n, 196, TACCTL1) & CCI);
    assert_int_equal(bare_read_word(n, 197, TACCR1), 70);
}

static void synchronised_captures_wait_for_the_timer_clock(void **state)
{
    (void)state;
    bare_write(n, 100, P1SEL, 0x04);
    bare_write_word(n, 200, TACTL, TASSEL1 | CONTINUOUS | TACLR | ID0 | ID1); /* counts at 208, 216, ... */
    bare_write_word(n, 200, TACCTL1, RISING | CAP | SCS | CCIE);
    bare_drive(n, 250, MSP430_PIN(1, 2), PIN_HIGH);
    bare_at(n, 255);
    assert_false(bare_asks(n, TIMERA1_LINE));
    bare_at(n, 256);
    assert_true(bare_asks(n, TIMERA1_LINE));
    assert_int_equal(bare_read_word(n, 256, TACCR1), 7);
}

static void software_captures_by_toggling_the_input(void **state)
{
    (void)state;
    bare_write_word(n, 110, TACCTL0, BOTH | GROUND | CAP);
    assert_false(bare_read_word(n, 120, TACCTL0) & CCIFG);
    bare_write_word(n, 130, TACCTL0, BOTH | SUPPLY | CAP);
    assert_int_equal(bare_read_word(n, 140, TACCTL0), (uint16_t)(BOTH | SUPPLY | CAP | CCI | CCIFG));
    assert_int_equal(bare_read_word(n, 140, TACCR0), 30);
    bare_write_word(n, 150, TACCTL0, BOTH | GROUND | CAP);
    assert_int_equal(bare_read_word(n, 160, TACCR0), 50);
    bare_write_word(n, 170, TACCTL0, GROUND | CAP); /* no edge selected */
    bare_write_word(n, 180, TACCTL0, SUPPLY | CAP);
    assert_int_equal(bare_read_word(n, 190, TACCR0), 50);
}

/* Timer_A block 2 and Timer_B block 6 have ACLK for their input B; its edges are 1000 ticks apart here. */
static void edges_of_aclk_are_captured(void **state)
{
    (void)state;
    bare_write_word(n, 110, TACCTL2, RISING | INPUT_B | CAP);
    bare_write_word(n, 110, TBCTL, TBSSEL1 | CONTINUOUS | TBCLR);
    bare_write_word(n, 110, TBCCTL6, FALLING | INPUT_B | CAP | CCIE);
    assert_int_equal(bare_read_word(n, 1000, TACCR2), 900);
    bare_at(n, 1499);
    assert_false(bare_asks(n, TIMERB1_LINE));
    bare_at(n, 1500);
    assert_true(bare_asks(n, TIMERB1_LINE));
    assert_int_equal(bare_read_word(n, 1600, TBCCR6), 1390);
    assert_int_equal(bare_read_word(n, 1600, TBIV), 12);
    assert_int_equal(bare_read_word(n, 1999, TACCR2), 900);
    assert_int_equal(bare_read_word(n, 2000, TACCR2), 1900);
    assert_false(bare_read_word(n, 2000, TACCTL2) & COV);
    assert_int_equal(bare_read_word(n, 5000, TACCTL2) & (COV | CCIFG), COV | CCIFG);
    assert_int_equal(bare_read_word(n, 5001, TACCR2), 4900);
    for (unsigned i = 0; i < 2000; i++) /* rewriting the register makes no edge */
        bare_write_word(n, 5001 + i % 900, TACCTL2, RISING | INPUT_B | CAP);
    assert_false(bare_read_word(n, 5999, TACCTL2) & CCIFG);
}

/* The DCO changes between two edges: the count goes on at the new pace from where it was. */
static void a_change_of_the_clock_keeps_the_count(void **state)
{
    (void)state;
    bare_write_word(n, 110, TACCTL2, RISING | INPUT_B | CAP);
    bare_at(n, 500);
    node_set_clock(n, MSP430_SMCLK, 2 * CLOCK_ONE);
    assert_int_equal(bare_read_word(n, 1000, TACCR2), 400 + 250);
    bare_at(n, 1500);
    node_set_clock(n, MSP430_SMCLK, 0);
    assert_int_equal(bare_read_word(n, 9000, TACCR2), 400 + 500);
}

static void a_pin_can_be_the_clock(void **state)
{
    (void)state;
    bare_write(n, 200, P1SEL, 0x01);
    bare_write_word(n, 200, TACTL, CONTINUOUS | TACLR);
    bare_write_word(n, 200, TACCR1, 3);
    bare_write_word(n, 200, TACCTL1, CCIE);
    for (unsigned i = 0; i < 3; i++) {
        assert_false(bare_asks(n, TIMERA1_LINE));
        bare_drive(n, 300 + 20 * i, MSP430_PIN(1, 0), PIN_HIGH);
        bare_drive(n, 310 + 20 * i, MSP430_PIN(1, 0), PIN_LOW);
    }
    assert_true(bare_asks(n, TIMERA1_LINE));
    assert_int_equal(bare_read_word(n, 400, TAR), 3);
    bare_write(n, 500, P2SEL, 0x02);
    bare_write_word(n, 500, TACTL, CONTINUOUS | TASSEL0 | TASSEL1);
    bare_drive(n, 600, MSP430_PIN(2, 1), PIN_HIGH);
    bare_drive(n, 610, MSP430_PIN(1, 0), PIN_HIGH);
    assert_int_equal(bare_read_word(n, 700, TAR), 4);
}

/* Set/reset on P1.2 and reset/set on P1.3, up to 9: edges at the clocks that count to TACCRx and roll to zero. */
static void outputs_reach_selected_pins(void **state)
{
    (void)state;
    bare_write(n, 190, P1SEL, 0x0c);
    bare_write(n, 190, P1DIR, 0x0c);
    bare_write_word(n, 190, TACCR0, 9);
    bare_write_word(n, 190, TACCR1, 4);
    bare_write_word(n, 190, TACCR2, 6);
    bare_write_word(n, 190, TACCTL1, OUTMOD0 * 3);
    bare_write_word(n, 190, TACCTL2, OUTMOD0 * 7);
    bare_write_word(n, 200, TACTL, TASSEL1 | MC0 | TACLR);
    for (unsigned tick = 210; tick < 260; tick++) {
        unsigned count = tick % 10;
        bare_at(n, tick);
        assert_int_equal(pin_level(n, MSP430_PIN(1, 2)), count >= 4);
        assert_int_equal(pin_level(n, MSP430_PIN(1, 3)), count < 6);
    }
    bare_write(n, 260, P1SEL, 0);
    bare_at(n, 264);
    assert_false(pin_level(n, MSP430_PIN(1, 2)));
    bare_at(n, 275); /* the output is high meanwhile, and shows as soon as the pin is given back */
    node_write(n, P1SEL, 0x04);
    assert_true(pin_level(n, MSP430_PIN(1, 2)));
}

/* How many of `clocks` timer clocks P1.2 is high, after two periods of CCR0 in up mode. */
static unsigned high_clocks(uint16_t ccr0, uint16_t ccr1, unsigned mode, unsigned clocks)
{
    unsigned high = 0;
    bare_write(n, 190, P1SEL, 0x04);
    bare_write(n, 190, P1DIR, 0x04);
    bare_write_word(n, 190, TACCR0, ccr0);
    bare_write_word(n, 190, TACCR1, ccr1);
    bare_write_word(n, 190, TACCTL1, (uint16_t)(OUTMOD0 * mode));
    bare_write_word(n, 200, TACTL, TASSEL1 | MC0 | TACLR);
    for (unsigned tick = 0; tick < clocks; tick++) {
        bare_at(n, 200 + 2 * (ccr0 + 1u) + tick);
        high += pin_level(n, MSP430_PIN(1, 2));
    }
    return high;
}

/* TI's PWM examples count on it: 75 % is CCR1 = 384 of CCR0 = 512 - 1 (E2E 62817). */
static void reset_set_is_high_for_taccrx_clocks(void **state)
{
    (void)state;
    assert_int_equal(high_clocks(511, 384, 7, 1024), 2 * 384);
}

static void set_reset_is_low_for_taccrx_clocks(void **state)
{
    (void)state;
    assert_int_equal(high_clocks(511, 384, 3, 1024), 2 * 128);
}

/* CCR0 = CCR1 = 1: half the timer's clock, not nothing. */
static void equal_compares_give_a_square(void **state)
{
    (void)state;
    assert_int_equal(high_clocks(1, 1, 3, 100), 50);
}

static void taccrx_zero_gives_no_pulse(void **state)
{
    (void)state;
    assert_int_equal(high_clocks(99, 0, 7, 200), 0);
}

static void taccrx_above_taccr0_stays_high(void **state)
{
    (void)state;
    assert_int_equal(high_clocks(99, 100, 7, 200), 200);
}

/* TBOUTH puts the outputs of Timer_B to high impedance. */
static void tbouth_lets_go_of_the_pins(void **state)
{
    (void)state;
    bare_write(n, 110, P4SEL, 0x02);
    bare_write(n, 110, P4DIR, 0x02);
    bare_write(n, 110, P5SEL, 0x80);
    bare_write_word(n, 110, TBCCTL1, OUT);
    assert_true(pin_level(n, MSP430_PIN(4, 1)));
    bare_drive(n, 120, MSP430_PIN(5, 7), PIN_HIGH);
    assert_false(pin_level(n, MSP430_PIN(4, 1)));
    bare_drive(n, 130, MSP430_PIN(5, 7), PIN_LOW);
    assert_true(pin_level(n, MSP430_PIN(4, 1)));
}

/* A PUC leaves the timer counting, a POR does not. */
static void only_a_power_on_reset_stops_it(void **state)
{
    (void)state;
    bare_write_word(n, 200, TACCR1, 777);
    bare_at(n, 300);
    node_request_reset(n, RESET_WATCHDOG);
    node_run(n, 301);
    bare_at(n, 400);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    uint16_t before = node_read_word(n, TAR);
    assert_int_equal(bare_read_word(n, 450, TAR), before + 50);
    assert_int_equal(bare_read_word(n, 450, TACCR1), 777);
    assert_int_equal(bare_read_word(n, 450, TACTL), TASSEL1 | CONTINUOUS);
    node_request_reset(n, RESET_EXTERNAL);
    node_run(n, 451);
    assert_int_equal(bare_read_word(n, 900, TAR), 0);
    assert_int_equal(bare_read_word(n, 900, TACCR1), 0);
    assert_int_equal(bare_read_word(n, 900, TACTL), 0);
}

/* OUT1 of Timer_A starts conversions of the ADC, here four of a sequence in single steps; no other device sees it. */
static void an_output_starts_the_adc(void **state)
{
    enum { ON = 0x10, TIMER_A1 = 1 << 10, PULSE = 1 << 9, REPEAT = 2 << 1 };
    (void)state;
    bare_write_word(n, 200, TACCR0, 9999);
    bare_write_word(n, 200, TACCR1, 5000);
    bare_write_word(n, 200, TACCTL1, OUTMOD0 * 3);
    assert_true(events_next(n) == NEVER);
    bare_write_word(n, 200, ADC12CTL1, TIMER_A1 | PULSE | REPEAT | 3 << 3); /* clocked by SMCLK */
    bare_write_word(n, 200, ADC12CTL0, ON | 2);
    bare_write_word(n, 200, TACTL, TASSEL1 | MC0 | TACLR);
    bare_at(n, 5199);
    assert_int_equal(node_read_word(n, ADC12IFG), 0);
    assert_false(node_read_word(n, ADC12CTL1) & 1);
    bare_at(n, 5200 + 4 + 13 + 3); /* 4 clocks of sampling, 13 of conversion, and to fall into step */
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
    node_read_word(n, ADC12MEM0);
    bare_at(n, 15199);
    assert_int_equal(node_read_word(n, ADC12IFG), 0);
    bare_at(n, 15220);
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
}

/* CCIFG2 triggers a DMA transfer, which clears it: one word a period. */
static void a_flag_triggers_the_dma(void **state)
{
    enum { SOURCE = 0x2000, TARGET = 0x2100, STEP_BOTH = 0x0f00, ENABLED = 0x10 };
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        n->data[SOURCE + i] = (uint8_t)(i + 1);
    bare_at(n, 200);
    node_set_clock(n, MSP430_MCLK, CLOCK_ONE);
    bare_write_word(n, 200, TACCR0, 99);
    bare_write_word(n, 200, TACCR2, 50);
    bare_write_word(n, 200, DMACTL0, 1);
    bare_write_word(n, 200, DMA0SA, SOURCE);
    bare_write_word(n, 200, DMA0DA, TARGET);
    bare_write_word(n, 200, DMA0SZ, 3);
    bare_write_word(n, 200, DMA0CTL, STEP_BOTH | ENABLED);
    bare_write_word(n, 200, TACTL, TASSEL1 | MC0 | TACLR);
    bare_at(n, 249);
    assert_int_equal(n->data[TARGET], 0);
    for (unsigned i = 0; i < 3; i++) {
        bare_at(n, 250 + 100 * i + 10);
        assert_int_equal(n->data[TARGET + 2 * i], 2 * i + 1);
        assert_int_equal(n->data[TARGET + 2 * i + 2], 0);
        assert_false(node_read_word(n, TACCTL2) & CCIFG);
    }
    assert_false(node_read_word(n, DMA0CTL) & ENABLED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_edge_of_a_pin_takes_the_count),
        TEST(a_capture_unread_overflows),
        TEST(only_a_selected_pin_captures),
        TEST(synchronised_captures_wait_for_the_timer_clock),
        TEST(software_captures_by_toggling_the_input),
        TEST(edges_of_aclk_are_captured),
        TEST(a_change_of_the_clock_keeps_the_count),
        TEST(a_pin_can_be_the_clock),
        TEST(outputs_reach_selected_pins),
        TEST(reset_set_is_high_for_taccrx_clocks),
        TEST(set_reset_is_low_for_taccrx_clocks),
        TEST(equal_compares_give_a_square),
        TEST(taccrx_zero_gives_no_pulse),
        TEST(taccrx_above_taccr0_stays_high),
        TEST(tbouth_lets_go_of_the_pins),
        TEST(only_a_power_on_reset_stops_it),
        TEST(an_output_starts_the_adc),
        TEST(a_flag_triggers_the_dma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
