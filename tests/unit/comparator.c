/* AVR analog comparator. */
#include "bare.h"

#include "device/avr/analog.h"
#include "device/avr/comparator.h"
#include "registers/atmega328p.h"

enum { OUT = 1 << ACO, FLAG = 1 << ACI };
enum { AIN0 = PIN(D, 6), AIN1 = PIN(D, 7) };

static void the_output_follows_the_pins_two_cycles_behind(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_drive(b.node, 100, AIN0, PIN_HIGH);
    assert_int_equal(bare_read(b.node, 101, ACSR), 0);
    assert_int_equal(bare_read(b.node, 102, ACSR), OUT | FLAG); /* ACIS 0: on toggle */
    bare_write(b.node, 110, ACSR, FLAG);
    assert_int_equal(bare_read(b.node, 111, ACSR), OUT);
    bare_drive(b.node, 120, AIN1, PIN_HIGH); /* equal is not higher */
    assert_int_equal(bare_read(b.node, 130, ACSR), FLAG);
    bare_free(b);
}

static void edges_are_chosen_and_interrupt(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, ACSR, 1 << ACIE | 3); /* rising */
    bare_drive(b.node, 100, AIN0, PIN_HIGH);
    bare_at(b.node, 101);
    assert_false(bare_asks(b.node, ANALOG_COMP_vect_num));
    bare_at(b.node, 102);
    bare_take(b.node, ANALOG_COMP_vect_num);
    bare_drive(b.node, 200, AIN0, PIN_LOW);
    assert_int_equal(bare_read(b.node, 210, ACSR), 1 << ACIE | 3);
    bare_write(b.node, 220, ACSR, 1 << ACIE | 2); /* falling */
    bare_drive(b.node, 300, AIN0, PIN_HIGH);
    bare_at(b.node, 310);
    assert_false(bare_asks(b.node, ANALOG_COMP_vect_num));
    bare_drive(b.node, 400, AIN0, PIN_LOW);
    bare_at(b.node, 410);
    assert_true(bare_asks(b.node, ANALOG_COMP_vect_num));
    bare_free(b);
}

/* ACBG puts 1.1 V on the positive input; ACME with ADEN off puts a line of the ADC on the negative one. */
static void bandgap_and_multiplexer(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_drive(b.node, 10, AIN1, PIN_HIGH);
    bare_write(b.node, 20, ACSR, 1 << ACBG);
    assert_false(bare_read(b.node, 30, ACSR) & OUT);
    bare_write(b.node, 40, ADMUX, 3);
    bare_write(b.node, 40, ADCSRB, 1 << ACME);
    assert_true(bare_read(b.node, 50, ACSR) & OUT);
    bare_drive(b.node, 60, PIN(C, 3), PIN_HIGH);
    assert_false(bare_read(b.node, 70, ACSR) & OUT);
    bare_write(b.node, 80, ADMUX, 2);
    assert_true(bare_read(b.node, 90, ACSR) & OUT);
    bare_write(b.node, 100, ADCSRA, 1 << ADEN);
    assert_false(bare_read(b.node, 110, ACSR) & OUT);
    bare_write(b.node, 120, ADCSRA, 0);
    assert_true(bare_read(b.node, 130, ACSR) & OUT);
    bare_write(b.node, 140, ACSR, 1 << ACD);
    assert_false(bare_read(b.node, 150, ACSR) & OUT);
    bare_free(b);
}

static int32_t ramp(void *context, unsigned line, uint64_t tick)
{
    (void)context;
    return line == AVR_LINE_AIN0 ? (int32_t)tick * 100 : line == AVR_LINE_AIN1 ? 1000000 : INT32_MIN;
}

/* The ramp crosses 1 V at tick 10000. */
static void a_source_that_changes_by_itself_is_noticed(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    b.node->analog = ramp;
    bare_write(b.node, 100, ACSR, 1 << ACIE | 3);
    bare_at(b.node, 10000);
    assert_false(bare_asks(b.node, ANALOG_COMP_vect_num));
    bare_at(b.node, 10000 + AVR_COMPARATOR_LOOK + 3);
    assert_true(bare_asks(b.node, ANALOG_COMP_vect_num));
    bare_free(b);
}

static void without_an_interrupt_only_reading_looks(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    b.node->analog = ramp;
    bare_write(b.node, 100, ACSR, 0);
    bare_at(b.node, 9000);
    assert_int_equal(events_next(b.node), NEVER);
    assert_int_equal(bare_read(b.node, 11000, ACSR), 0);
    assert_int_equal(bare_read(b.node, 11002, ACSR), OUT | FLAG);
    bare_free(b);
}

static int32_t nothing(void *context, unsigned line, uint64_t tick)
{
    (void)context, (void)line, (void)tick;
    return INT32_MIN;
}

/* Pins that change at any pace, with any settings: the short way of comparing levels, and the long way by voltages,
 * which a source that says nothing forces, see the same outputs and flags, and ask for the same interrupts. */
static void levels_compare_as_voltages_do(void **state)
{
    static const uint16_t registers[] = {ACSR, ACSR, ADCSRA, ADCSRB, ADMUX};
    struct bare b[2] = {bare_chip("atmega328p"), bare_chip("atmega328p")};
    uint32_t random = 1;
    (void)state;
    b[1].node->analog = nothing;
    for (uint64_t i = 0, at = 10; i < 200000; i++) {
        random = random * 1664525 + 1013904223;
        unsigned what = random >> 28, value = random >> 16 & 0xff;
        at += random >> 24 & 3;
        for (unsigned k = 0; k < 2; k++) {
            if (what < 10)
                bare_drive(b[k].node, at, value & 1 ? AIN0 : AIN1, value & 2 ? PIN_HIGH : PIN_LOW);
            else if (what < 12 && value < 40)
                bare_write(b[k].node, at, registers[value % 5], (uint8_t)(random >> 8));
            else
                bare_at(b[k].node, at);
        }
        if (what >= 12)
            assert_int_equal(bare_read(b[0].node, at, ACSR), bare_read(b[1].node, at, ACSR));
        assert_int_equal(bare_asks(b[0].node, ANALOG_COMP_vect_num), bare_asks(b[1].node, ANALOG_COMP_vect_num));
        assert_int_equal(bare_asks(b[0].node, ADC_vect_num), bare_asks(b[1].node, ADC_vect_num));
    }
    bare_free(b[0]);
    bare_free(b[1]);
}

static void the_adc_can_be_triggered(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, ACSR, 3);
    bare_write(b.node, 10, ADCSRB, 1);
    bare_write(b.node, 10, ADCSRA, 1 << ADEN | 1 << ADATE | 1);
    bare_drive(b.node, 100, AIN0, PIN_HIGH);
    assert_false(bare_read(b.node, 101, ADCSRA) & 1 << ADSC);
    assert_true(bare_read(b.node, 102, ADCSRA) & 1 << ADSC);
    bare_free(b);
}

/* ACIC puts the comparator in place of ICP1 (PB0): the same sampler, hence the same count for the same moment. */
static void input_capture(void **state)
{
    (void)state;
    uint16_t captured[2];
    for (unsigned by_comparator = 0; by_comparator < 2; by_comparator++) {
        struct bare b = bare_chip("atmega328p");
        bare_write(b.node, 10, ACSR, by_comparator ? 1 << ACIC : 0);
        bare_write(b.node, 20, TCCR1B, 1 << ICES1 | 1 << CS10);
        bare_drive(b.node, 5000, by_comparator ? PIN(B, 0) : AIN0, PIN_HIGH); /* not connected */
        assert_false(bare_read(b.node, 5100, TIFR1) & 1 << ICF1);
        bare_drive(b.node, 6000, by_comparator ? AIN0 : PIN(B, 0), PIN_HIGH);
        assert_true(bare_read(b.node, 6100, TIFR1) & 1 << ICF1);
        captured[by_comparator] = bare_read(b.node, 6100, ICR1L);
        captured[by_comparator] |= (uint16_t)(bare_read(b.node, 6100, ICR1H) << 8);
        bare_free(b);
    }
    assert_int_equal(captured[0], captured[1]);
    assert_in_range(captured[0], 6000 - 21, 6000 - 21 + 4);
}

/* On the ATmega128 the inputs are PE2 and PE3, ACME is in SFIOR, the bandgap 1.23 V. */
static void the_atmega128(void **state)
{
    (void)state;
    enum { M128_ACSR = 0x28, M128_SFIOR = 0x40, M128_ADMUX = 0x27 };
    struct bare b = bare_chip("atmega128");
    bare_drive(b.node, 10, PIN(E, 2), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 20, M128_ACSR), OUT | FLAG);
    bare_drive(b.node, 30, PIN(F, 7), PIN_HIGH);
    bare_write(b.node, 40, M128_ADMUX, 7);
    bare_write(b.node, 40, M128_SFIOR, 0x08);
    assert_int_equal(bare_read(b.node, 50, M128_ACSR) & OUT, 0);
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_follows_the_pins_two_cycles_behind),
        cmocka_unit_test(edges_are_chosen_and_interrupt),
        cmocka_unit_test(bandgap_and_multiplexer),
        cmocka_unit_test(a_source_that_changes_by_itself_is_noticed),
        cmocka_unit_test(without_an_interrupt_only_reading_looks),
        cmocka_unit_test(levels_compare_as_voltages_do),
        cmocka_unit_test(the_adc_can_be_triggered),
        cmocka_unit_test(input_capture),
        cmocka_unit_test(the_atmega128),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
