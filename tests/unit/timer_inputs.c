/* What reaches a timer from outside its counter: TEMP, capture, the clock pin, power reduction, the shared prescaler,
 * the ADC that waits for a flag, the modulator. Expected cycles are from the datasheets, see device/avr/timer.h and
 * sampler.h for the conventions. */
#include "bare_node.h"

#include "device/avr/timer.h"
#include "registers/atmega328p.h"

static struct node *atmega328p(void)
{
    struct node *n = bare_node(&chip_atmega328p, NULL);
    bare_node_at(n, 0);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE); /* not divided by 8 */
    node_set_clock(n, CLOCK_CPU, CLOCK_ONE);
    return n;
}

static void write_at(struct node *n, uint64_t cycle, uint16_t address, uint8_t value)
{
    bare_node_at(n, cycle);
    node_write(n, address, value);
}

static unsigned read_at(struct node *n, uint64_t cycle, uint16_t address)
{
    bare_node_at(n, cycle);
    return node_read(n, address);
}

static unsigned word_at(struct node *n, uint64_t cycle, uint16_t address)
{
    unsigned low = read_at(n, cycle, address);
    return low | read_at(n, cycle + 1, address + 1) << 8;
}

static void pin_at(struct node *n, uint64_t cycle, unsigned pin, bool level)
{
    bare_node_at(n, cycle);
    pin_drive(n, pin, level ? PIN_HIGH : PIN_LOW);
}

static bool captured_at(struct node *n, uint64_t cycle)
{
    return read_at(n, cycle, TIFR1) & 1 << ICF1;
}

static void a_word_is_written_high_byte_first(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCNT1H, 0x12);
    assert_int_equal(read_at(n, 11, TCNT1L), 0); /* not yet; TEMP becomes the high byte of what was read */
    write_at(n, 12, TCNT1H, 0x12);
    write_at(n, 13, TCNT1L, 0x34);
    assert_int_equal(word_at(n, 14, TCNT1L), 0x1234);
    write_at(n, 20, OCR1AH, 0xab);
    write_at(n, 21, OCR1AL, 0xcd);
    write_at(n, 22, TCNT1H, 0x55); /* TEMP; OCR1A is read without it */
    assert_int_equal(read_at(n, 23, OCR1AH), 0xab);
    assert_int_equal(read_at(n, 24, OCR1AL), 0xcd);
    write_at(n, 25, TCNT1L, 0x66);
    assert_int_equal(word_at(n, 26, TCNT1L), 0x5566);
    write_at(n, 30, ICR1H, 0x77); /* not writable in normal mode */
    write_at(n, 31, ICR1L, 0x88);
    assert_int_equal(word_at(n, 32, ICR1L), 0);
    write_at(n, 40, TCCR1A, 1 << WGM11);
    write_at(n, 41, TCCR1B, 1 << WGM13 | 1 << WGM12);
    write_at(n, 42, ICR1H, 0x77);
    write_at(n, 43, ICR1L, 0x88);
    assert_int_equal(word_at(n, 44, ICR1L), 0x7788);
    bare_node_free(n);
}

static void an_edge_captures_the_count(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 9, TIMSK1, 1 << ICIE1);
    write_at(n, 10, TCCR1B, 1 << ICES1 | 1 << CS10); /* TCNT1 is c - 11 in cycle c */
    assert_int_equal(word_at(n, 20, TCNT1L), 9);
    pin_at(n, 100, PIN(B, 0), true);
    assert_false(captured_at(n, 103));
    assert_false(bare_node_asks(n, TIMER1_CAPT_vect_num));
    bare_node_at(n, 104);
    assert_true(bare_node_asks(n, TIMER1_CAPT_vect_num));
    assert_true(captured_at(n, 104));
    assert_int_equal(word_at(n, 105, ICR1L), 103 - 11);
    pin_at(n, 120, PIN(B, 0), false); /* the other edge does not */
    assert_int_equal(word_at(n, 130, ICR1L), 103 - 11);
    bare_node_acknowledge(n, TIMER1_CAPT_vect_num);
    assert_false(captured_at(n, 131));
    write_at(n, 140, TCCR1B, 1 << CS10);
    pin_at(n, 150, PIN(B, 0), true);
    pin_at(n, 151, PIN(B, 0), false); /* two edges under way at once */
    assert_int_equal(word_at(n, 160, ICR1L), 154 - 11);
    bare_node_free(n);
}

static void the_noise_canceller_wants_four_samples(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCCR1B, 1 << ICNC1 | 1 << ICES1 | 1 << CS10);
    pin_at(n, 100, PIN(B, 0), true);
    pin_at(n, 103, PIN(B, 0), false);
    assert_false(captured_at(n, 120));
    pin_at(n, 200, PIN(B, 0), true);
    pin_at(n, 204, PIN(B, 0), false);
    assert_false(captured_at(n, 207));
    assert_true(captured_at(n, 208));
    assert_int_equal(word_at(n, 210, ICR1L), 207 - 11);
    bare_node_free(n);
}

static void icr_as_top_disconnects_the_pin(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCCR1B, 1 << WGM13 | 1 << WGM12 | 1 << ICES1); /* CTC to ICR1 */
    write_at(n, 11, ICR1H, 0x40);
    write_at(n, 12, ICR1L, 0);
    pin_at(n, 100, PIN(B, 0), true);
    assert_false(captured_at(n, 200));
    assert_int_equal(word_at(n, 201, ICR1L), 0x4000);
    bare_node_free(n);
}

static void the_comparator_can_capture(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCCR1B, 1 << ICES1 | 1 << CS10);
    write_at(n, 11, ACSR, 1 << ACIC);
    pin_at(n, 100, PIN(B, 0), true);   /* ICP1 is off */
    pin_at(n, 200, PIN(D, 6), true);   /* AIN0 above AIN1 */
    assert_false(captured_at(n, 203)); /* as far from the comparator as from a pin */
    assert_true(captured_at(n, 204));
    assert_int_equal(word_at(n, 210, ICR1L), 203 - 11);
    bare_node_free(n);
}

static void edges_of_a_pin_are_counted(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCCR1B, 7); /* T1 (PD5), rising */
    write_at(n, 11, OCR1AH, 0);
    write_at(n, 12, OCR1AL, 2);
    write_at(n, 13, TIMSK1, 1 << OCIE1A);
    for (unsigned i = 0; i < 3; i++) {
        pin_at(n, 100 + 10 * i, PIN(D, 5), true);
        assert_int_equal(read_at(n, 103 + 10 * i, TCNT1L), i);
        assert_int_equal(read_at(n, 104 + 10 * i, TCNT1L), i + 1);
        assert_int_equal(bare_node_asks(n, TIMER1_COMPA_vect_num), i == 2);
        pin_at(n, 105 + 10 * i, PIN(D, 5), false);
    }
    write_at(n, 140, TCCR1B, 6); /* falling */
    pin_at(n, 150, PIN(D, 5), true);
    assert_int_equal(read_at(n, 160, TCNT1L), 3);
    pin_at(n, 161, PIN(D, 5), false);
    assert_int_equal(read_at(n, 165, TCNT1L), 4);
    bare_node_free(n);
}

/* Rising edges of TOSC1 (PB6) in 1000, 1100, ... */
static void clock_oscillator(struct node *n, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++) {
        pin_at(n, 1000 + 100 * i, PIN(B, 6), true);
        pin_at(n, 1050 + 100 * i, PIN(B, 6), false);
    }
}

static void an_external_clock_can_replace_the_crystal(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, ASSR, 1 << EXCLK);
    write_at(n, 11, ASSR, 1 << EXCLK | 1 << AS2);
    write_at(n, 12, TCCR2B, 1);
    write_at(n, 13, OCR2A, 3);
    write_at(n, 14, TIMSK2, 1 << OCIE2A);
    assert_int_equal(read_at(n, 900, ASSR), 1 << EXCLK | 1 << AS2 | 1 << TCR2BUB | 1 << OCR2AUB);
    clock_oscillator(n, 0, 2); /* the two edges after which the writes hold */
    assert_int_equal(read_at(n, 1199, ASSR), 1 << EXCLK | 1 << AS2);
    assert_int_equal(read_at(n, 1199, TCNT2), 0);
    clock_oscillator(n, 2, 3);
    assert_int_equal(read_at(n, 1499, TCNT2), 3);
    pin_at(n, 1500, PIN(B, 6), true); /* 4, and the match; seen by the CPU three cycles later */
    bare_node_at(n, 1502);
    assert_false(bare_node_asks(n, TIMER2_COMPA_vect_num));
    bare_node_at(n, 1503);
    assert_true(bare_node_asks(n, TIMER2_COMPA_vect_num));
    bare_node_free(n);
}

static void power_reduction_freezes_a_timer(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 10, TCCR0B, 1); /* TCNT0 is c - 11 */
    write_at(n, 20, PRR, 1 << PRTIM0);
    write_at(n, 50, TCNT0, 200);
    write_at(n, 51, TCCR0B, 0);
    write_at(n, 60, PRR, 0);
    assert_int_equal(read_at(n, 61, TCNT0), 10);
    assert_int_equal(read_at(n, 62, TCNT0), 11);
    assert_int_equal(read_at(n, 63, TCCR0B), 1);
    bare_node_free(n);
}

static void timers_share_a_prescaler_and_start_together(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    write_at(n, 5, GTCCR, 1 << PSRSYNC); /* 0 in cycle 6 */
    assert_int_equal(read_at(n, 6, GTCCR), 0);
    write_at(n, 9, TCCR0B, 2); /* both by 8: a clock in 14, 22, ... */
    write_at(n, 12, TCCR1B, 2);
    assert_int_equal(read_at(n, 13, TCNT0), 0);
    assert_int_equal(read_at(n, 14, TCNT0), 1);
    assert_int_equal(read_at(n, 14, TCNT1L), 1);
    write_at(n, 20, GTCCR, 1 << TSM | 1 << PSRSYNC);
    assert_int_equal(read_at(n, 21, GTCCR), 1 << TSM | 1 << PSRSYNC);
    write_at(n, 30, TCNT0, 100);
    write_at(n, 31, TCNT1H, 0);
    write_at(n, 32, TCNT1L, 50);
    write_at(n, 90, TCCR0B, 1); /* also an undivided clock is halted */
    assert_int_equal(read_at(n, 99, TCNT0), 100);
    write_at(n, 100, GTCCR, 0);
    assert_int_equal(read_at(n, 101, GTCCR), 0);
    assert_int_equal(read_at(n, 101, TCNT0), 100);
    assert_int_equal(read_at(n, 102, TCNT0), 101);
    assert_int_equal(read_at(n, 108, TCNT1L), 50);
    assert_int_equal(read_at(n, 109, TCNT1L), 51);
    bare_node_free(n);
}

static void a_flag_starts_a_conversion(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    const struct device *timer = bare_node_device(n, "timer0");
    write_at(n, 10, TCCR0B, 1); /* overflows in cycle 11 + 256 */
    assert_false(event_pending(n, timer, 0));
    write_at(n, 12, ADCSRB, 4);
    write_at(n, 13, ADCSRA, 1 << ADEN | 1 << ADATE);
    bare_node_at(n, 14);
    assert_int_equal(event_cycle(n, timer, 0), 267);
    assert_int_equal(read_at(n, 266, ADCSRA) & 1 << ADSC, 0);
    assert_int_equal(read_at(n, 275, ADCSRA) & 1 << ADSC, 1 << ADSC);
    bare_node_free(n);
}

static void a_timer_nobody_waits_for_has_no_events(void **state)
{
    (void)state;
    struct node *n = atmega328p();
    const struct device *timer = bare_node_device(n, "timer1");
    write_at(n, 10, OCR1AH, 0x20);
    write_at(n, 11, OCR1AL, 0);
    write_at(n, 12, TCCR1B, 1 << WGM12 | 1); /* CTC: a period of 0x2001, 0 in cycle 13 */
    bare_node_at(n, 20);
    assert_false(event_pending(n, timer, 0));
    assert_false(event_pending(n, timer, 1));
    assert_int_equal(word_at(n, 13 + UINT64_C(0x2001) * 1000000007 + 5, TCNT1L), 5);
    write_at(n, 13 + UINT64_C(0x2001) * 1000000008, TIMSK1, 1 << OCIE1A); /* the flag has long been up */
    assert_true(bare_node_asks(n, TIMER1_COMPA_vect_num));
    assert_false(event_pending(n, timer, 0));
    bare_node_acknowledge(n, TIMER1_COMPA_vect_num);
    assert_int_equal(event_cycle(n, timer, 0), 13 + UINT64_C(0x2001) * 1000000009);
    bare_node_free(n);
}

/* ATmega2560 registers have the same addresses here. */
static void outputs_on_one_pin_are_modulated(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega2560, NULL);
    bare_node_at(n, 0);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    write_at(n, 1, DDRB, 0x80);
    write_at(n, 2, TCCR0A, 3 << COM0A0); /* set OC0A on match */
    bare_node_at(n, 3);
    assert_false(pin_level(n, PIN(B, 7)));
    write_at(n, 4, TCCR0B, 1 << FOC0A);
    bare_node_at(n, 5);
    assert_true(pin_level(n, PIN(B, 7)));
    write_at(n, 6, TCCR1A, 3 << 2); /* COM1C: OC1C is still low, so the AND is */
    bare_node_at(n, 7);
    assert_false(pin_level(n, PIN(B, 7)));
    write_at(n, 8, PORTB, 0x80); /* the OR */
    bare_node_at(n, 9);
    assert_true(pin_level(n, PIN(B, 7)));
    write_at(n, 10, PINB, 0x80); /* toggles the port: AND */
    bare_node_at(n, 11);
    assert_false(pin_level(n, PIN(B, 7)));
    write_at(n, 12, TCCR1C, 1 << 5); /* FOC1C */
    bare_node_at(n, 13);
    assert_true(pin_level(n, PIN(B, 7)));
    write_at(n, 14, TCCR0A, 2 << COM0A0);
    write_at(n, 15, TCCR0B, 1 << FOC0A);
    bare_node_at(n, 16);
    assert_false(pin_level(n, PIN(B, 7)));
    write_at(n, 17, TCCR0A, 0); /* OC1C alone */
    bare_node_at(n, 18);
    assert_true(pin_level(n, PIN(B, 7)));
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_written_high_byte_first),
        cmocka_unit_test(an_edge_captures_the_count),
        cmocka_unit_test(the_noise_canceller_wants_four_samples),
        cmocka_unit_test(icr_as_top_disconnects_the_pin),
        cmocka_unit_test(the_comparator_can_capture),
        cmocka_unit_test(edges_of_a_pin_are_counted),
        cmocka_unit_test(an_external_clock_can_replace_the_crystal),
        cmocka_unit_test(power_reduction_freezes_a_timer),
        cmocka_unit_test(timers_share_a_prescaler_and_start_together),
        cmocka_unit_test(a_flag_starts_a_conversion),
        cmocka_unit_test(a_timer_nobody_waits_for_has_no_events),
        cmocka_unit_test(outputs_on_one_pin_are_modulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
