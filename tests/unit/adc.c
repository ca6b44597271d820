/* AVR analog-to-digital converter: timing, triggers, references, channels, data registers. */
#include "bare.h"

#include "device/avr/analog.h"
#include "registers/atmega328p.h"

enum { ON = 1 << ADEN, GO = 1 << ADSC, BY_128 = 7, BY_2 = 1, AVCC = 1 << REFS0, INTERNAL = 3 << REFS0 };

/* Microvolts by line; from `step_at` on, line 0 has `step_to`. */
struct world {
    int32_t lines[AVR_LINES];
    uint64_t step_at;
    int32_t step_to;
};

static int32_t voltage(void *context, unsigned line, uint64_t tick)
{
    const struct world *w = context;
    return line == 0 && w->step_at && tick >= w->step_at ? w->step_to : w->lines[line];
}

static struct bare with(struct world *w, const char *chip)
{
    struct bare b = bare_chip(chip);
    for (unsigned i = 0; i < AVR_LINES; i++)
        w->lines[i] = INT32_MIN;
    w->step_at = 0;
    b.node->analog = voltage;
    b.node->analog_context = w;
    return b;
}

static unsigned result(struct node *n)
{
    unsigned low = node_read(n, ADCL);
    return low | (unsigned)node_read(n, ADCH) << 8;
}

/* Starts a conversion at the tick, waits long enough and returns the data registers. */
static unsigned convert(struct node *n, uint64_t tick, uint8_t admux)
{
    bare_write(n, tick, ADMUX, admux);
    bare_write(n, tick, ADCSRA, ON | GO | BY_2);
    assert_false(bare_read(n, tick + 100, ADCSRA) & GO);
    return result(n);
}

static void the_flag_comes_exactly_at(struct node *n, uint64_t tick)
{
    assert_int_equal(bare_read(n, tick - 1, ADCSRA) & (1 << ADIF), 0);
    assert_int_equal(bare_read(n, tick, ADCSRA) & (1 << ADIF), 1 << ADIF);
}

/* The prescaler counts from 1001; its bit 6 rises at 1065; 25 ADC clocks of 128. Then 13 from the next rising edge. */
static void first_and_normal_conversions_take_25_and_13_clocks(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    bare_write(b.node, 1000, ADCSRA, ON | GO | BY_128);
    the_flag_comes_exactly_at(b.node, 1065 + 25 * 128);
    assert_int_equal(bare_read(b.node, 1065 + 25 * 128, ADCSRA) & GO, 0);
    bare_write(b.node, 5000, ADCSRA, ON | GO | 1 << ADIF | BY_128);
    assert_int_equal(bare_read(b.node, 5001, ADCSRA), ON | GO | BY_128);
    the_flag_comes_exactly_at(b.node, 1065 + 31 * 128 + 13 * 128);
    bare_write(b.node, 10000, ADCSRA, BY_128); /* off: the next is a first one again */
    bare_write(b.node, 20000, ADCSRA, ON | GO | 1 << ADIF | BY_2);
    the_flag_comes_exactly_at(b.node, 20001 + 1 + 25 * 2);
    bare_free(b);
}

static void the_sample_is_taken_after_13_and_a_half_or_1_and_a_half_clocks(void **state)
{
    (void)state;
    struct world w;
    for (unsigned late = 0; late < 2; late++) {
        struct bare b = with(&w, "atmega328p");
        w.lines[0] = 1000000;
        w.step_to = 4000000;
        w.step_at = 1065 + 13 * 128 + 64 + late;
        bare_write(b.node, 1000, ADMUX, AVCC);
        bare_write(b.node, 1000, ADCSRA, ON | GO | BY_128);
        bare_at(b.node, 4400);
        assert_int_equal(result(b.node), late ? 204 : 819);
        w.step_at = 1065 + 31 * 128 + 128 + 64 + late;
        bare_write(b.node, 5000, ADCSRA, ON | GO | BY_128);
        bare_at(b.node, 7000);
        assert_int_equal(result(b.node), late ? 204 : 819);
        bare_free(b);
    }
}

static void free_running_converts_every_13_clocks(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    uint8_t run = ON | 1 << ADATE | BY_2, clear = 1 << ADIF;
    bare_write(b.node, 1000, ADCSRA, run | GO);
    uint64_t done = 1002 + 25 * 2;
    for (unsigned i = 0; i < 4; i++, done += 13 * 2) {
        the_flag_comes_exactly_at(b.node, done);
        assert_true(bare_read(b.node, done, ADCSRA) & GO);
        bare_write(b.node, done + 1, ADCSRA, run | clear);
    }
    bare_write(b.node, done - 5, ADCSRA, ON | BY_2); /* the last one is finished */
    the_flag_comes_exactly_at(b.node, done);
    assert_false(bare_read(b.node, done, ADCSRA) & GO);
    bare_free(b);
}

/* The ATmega128 has ADFR in place of ADATE and no trigger selection. */
static void free_running_on_the_atmega128(void **state)
{
    (void)state;
    enum { M128_ADCSRA = 0x26 };
    struct bare b = bare_chip("atmega128");
    bare_write(b.node, 1000, M128_ADCSRA, 0xe1); /* ADEN, ADSC, ADFR, by 2 */
    bare_write(b.node, 1060, M128_ADCSRA, 0xb1); /* clears ADIF */
    assert_int_equal(bare_read(b.node, 1002 + 38 * 2 - 1, M128_ADCSRA), 0xe1);
    assert_int_equal(bare_read(b.node, 1002 + 38 * 2, M128_ADCSRA), 0xf1);
    bare_free(b);
}

static void flag_of_int0(struct node *n, uint64_t tick)
{
    bare_drive(n, tick - 50, PIN(D, 2), PIN_LOW);
    bare_write(n, tick - 40, EIFR, 1 << INTF0);
    bare_drive(n, tick - 3, PIN(D, 2), PIN_HIGH);
    assert_int_equal(bare_read(n, tick - 1, EIFR), 0);
    assert_int_equal(bare_read(n, tick, EIFR), 1 << INTF0);
}

/* "The prescaler is reset when the trigger event occurs", three CPU clocks, then 13.5 ADC clocks, sampling after 2. */
static void a_trigger_takes_13_and_a_half_clocks(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    uint8_t armed = ON | 1 << ADATE | BY_128;
    bare_write(b.node, 10, ADMUX, AVCC);
    bare_write(b.node, 10, EICRA, 3);
    bare_write(b.node, 10, ADCSRB, 2);
    bare_write(b.node, 100, ADCSRA, armed | GO); /* the long first one, started by hand */
    bare_write(b.node, 5000, ADCSRA, armed | 1 << ADIF);
    w.lines[0] = 1000000;
    w.step_to = 4000000;
    w.step_at = 6000 + 3 + 2 * 128 + 1;
    flag_of_int0(b.node, 6000);
    assert_true(bare_read(b.node, 6001, ADCSRA) & GO);
    the_flag_comes_exactly_at(b.node, 6000 + 3 + 13 * 128 + 64);
    assert_int_equal(result(b.node), 204);
    bare_write(b.node, 8000, ADCSRA, armed | 1 << ADIF);
    flag_of_int0(b.node, 9000);
    the_flag_comes_exactly_at(b.node, 9000 + 3 + 13 * 128 + 64);
    bare_write(b.node, 12000, ADCSRA, armed | 1 << ADIF);
    bare_drive(b.node, 12010, PIN(D, 2), PIN_LOW);
    bare_drive(b.node, 12020, PIN(D, 2), PIN_HIGH); /* INTF0 was not cleared: no positive edge */
    assert_false(bare_read(b.node, 12100, ADCSRA) & GO);
    bare_free(b);
}

/* "Switching from a trigger source that is cleared to a trigger source that is set, will generate a positive edge." */
static void switching_to_a_set_flag_triggers(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, EICRA, 3);
    flag_of_int0(b.node, 100);
    bare_write(b.node, 200, ADCSRB, 1);
    bare_write(b.node, 200, ADCSRA, ON | 1 << ADATE | BY_2);
    assert_false(bare_read(b.node, 210, ADCSRA) & GO);
    bare_write(b.node, 300, ADCSRB, 2);
    assert_true(bare_read(b.node, 301, ADCSRA) & GO);
    the_flag_comes_exactly_at(b.node, 300 + 3 + 1 + 25 * 2);
    bare_write(b.node, 400, ADCSRB, 0);
    assert_false(bare_read(b.node, 410, ADCSRA) & GO);
    bare_free(b);
}

static void start_timer0(struct node *n)
{
    bare_write(n, 100, OCR0A, 200);
    bare_write(n, 100, TCCR0B, 1 << CS00);
}

/* A timer that nothing waits for has no events; the ADC makes it have one. */
static void timers_trigger(void **state)
{
    (void)state;
    static const struct {
        uint8_t source, flag;
    } cases[] = {{3, OCF0A}, {4, TOV0}};
    for (unsigned i = 0; i < 2; i++) {
        struct bare b = bare_chip("atmega328p");
        start_timer0(b.node);
        uint64_t rises = 101;
        while (!(bare_read(b.node, rises, TIFR0) & 1 << cases[i].flag))
            rises++;
        assert_in_range(rises, 250, 400);
        bare_free(b);
        b = bare_chip("atmega328p");
        bare_write(b.node, 50, ADCSRB, cases[i].source);
        bare_write(b.node, 50, ADCSRA, ON | 1 << ADATE | BY_2);
        start_timer0(b.node);
        the_flag_comes_exactly_at(b.node, rises + 3 + 1 + 25 * 2);
        bare_write(b.node, 1000, ADCSRA, 0);
        bare_at(b.node, 1001);
        assert_int_equal(events_next(b.node), NEVER); /* nothing waits any more */
        bare_free(b);
    }
}

static void references_and_internal_channels(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    w.lines[3] = 550000;
    assert_int_equal(convert(b.node, 1000, AVCC | 3), 112);     /* 0.55 * 1024 / 5 */
    assert_int_equal(convert(b.node, 2000, INTERNAL | 3), 512); /* 0.55 / 1.1 */
    assert_int_equal(convert(b.node, 3000, AVCC | 14), 225);    /* 1.1 V */
    assert_int_equal(convert(b.node, 4000, AVCC | 15), 0);      /* ground */
    assert_int_equal(convert(b.node, 5000, INTERNAL | 8), 292); /* 314 mV at 25 degrees */
    assert_int_equal(convert(b.node, 6000, 3), 112);            /* AREF is at the supply... */
    w.lines[AVR_LINE_AREF] = 1000000;
    assert_int_equal(convert(b.node, 7000, 3), 563); /* ... unless a source is set */
    w.lines[3] = 1200000;
    assert_int_equal(convert(b.node, 8000, 3), 1023);
    w.lines[3] = -100000;
    assert_int_equal(convert(b.node, 9000, 3), 0);
    bare_free(b);
    enum { M128_PORTF = 0x62 };
    b = bare_chip("atmega128"); /* no source: digital levels */
    bare_write(b.node, 10, M128_PORTF, 0x01);
    bare_write(b.node, 10, 0x27, AVCC | 0);
    bare_write(b.node, 10, 0x26, 0xc1);
    assert_int_equal(bare_read(b.node, 100, 0x25), 0x03);
    bare_write(b.node, 200, 0x27, AVCC | 30);
    bare_write(b.node, 200, 0x26, 0xc1);
    assert_int_equal(bare_read(b.node, 300, 0x24), 1230 * 1024 / 5000);
    bare_free(b);
}

/* The datasheet's example: ADMUX = 0xED, ADC3 300 mV, ADC2 500 mV: -400 = 0x270, ADCL 0x00, ADCH 0x9C. */
static void differential_results_have_a_sign(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega2560");
    w.lines[3] = 300000;
    w.lines[2] = 500000;
    assert_int_equal(convert(b.node, 1000, 0xed), 0x9c00);
    bare_write(b.node, 1500, ADMUX, 0xcd); /* ADLAR acts at once */
    assert_int_equal(result(b.node), 0x270);
    assert_int_equal(convert(b.node, 2000, 0xcf), 0x200); /* 200x: below the range */
    w.lines[3] = 501000;
    assert_int_equal(convert(b.node, 3000, 0xcf), 512 * 200 / 2560);
    assert_int_equal(convert(b.node, 4000, 0xdb), 0); /* ADC3 - ADC2 at 1x: 0.2 of a step */
    w.lines[13] = 2000000;
    w.lines[10] = 1000000;
    bare_write(b.node, 4500, ADCSRB, 1 << 3);               /* MUX5 */
    assert_int_equal(convert(b.node, 5000, 0xdd), 200);     /* ADC13 - ADC10 */
    assert_int_equal(convert(b.node, 6000, 0xc0 | 5), 800); /* ADC13 */
    bare_free(b);
}

/* "All automatically started (that is, all but the first) Free Running conversions will take 14 ADC clock cycles"; one
 * started by hand takes 13 or 14 by the phase of half the ADC clock. */
static void differential_conversions_keep_in_step(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega2560");
    bare_write(b.node, 100, ADMUX, 0xd0);
    bare_write(b.node, 1000, ADCSRA, ON | 1 << ADATE | GO | BY_2);
    uint64_t done = 1002 + 25 * 2;
    the_flag_comes_exactly_at(b.node, done);
    bare_write(b.node, done + 1, ADCSRA, ON | 1 << ADATE | 1 << ADIF | BY_2);
    the_flag_comes_exactly_at(b.node, done + 28);
    bare_write(b.node, done + 29, ADCSRA, ON | 1 << ADIF | BY_2);
    bare_at(b.node, 1200);
    unsigned length[2];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t at = 2000 + 1002 * i; /* 501 ADC clocks apart */
        bare_write(b.node, at, ADCSRA, ON | GO | 1 << ADIF | BY_2);
        unsigned t = 0;
        while (bare_read(b.node, at + t, ADCSRA) & GO)
            t++;
        length[i] = t;
    }
    assert_int_equal(length[0] > length[1] ? length[0] - length[1] : length[1] - length[0], 2);
    assert_int_equal(length[0] + length[1], 2 * (13 * 2 + 2) + 2); /* up to the edge two cycles off: 1 + 1 */
    bare_free(b);
}

static void the_channel_is_locked_when_a_conversion_starts(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    w.lines[1] = 1000000;
    w.lines[2] = 2000000;
    bare_write(b.node, 1000, ADMUX, AVCC | 1);
    bare_write(b.node, 1000, ADCSRA, ON | GO | BY_128);
    bare_write(b.node, 1064, ADMUX, AVCC | 2); /* before the edge at 1065 it still counts */
    bare_write(b.node, 1065, ADMUX, AVCC | 1);
    bare_at(b.node, 4300);
    assert_int_equal(result(b.node), 409);
    bare_free(b);
}

static void reading_adcl_locks_until_adch_is_read(void **state)
{
    (void)state;
    struct world w;
    struct bare b = with(&w, "atmega328p");
    w.lines[0] = 5000000;
    assert_int_equal(convert(b.node, 1000, AVCC), 1023);
    w.lines[0] = 0;
    assert_int_equal(bare_read(b.node, 1500, ADCL), 0xff);
    bare_write(b.node, 2000, ADCSRA, ON | GO | 1 << ADIF | BY_2);
    assert_int_equal(bare_read(b.node, 2100, ADCSRA), ON | 1 << ADIF | BY_2); /* done, but lost */
    assert_int_equal(bare_read(b.node, 2100, ADCH), 0x03);
    assert_int_equal(bare_read(b.node, 2100, ADCL), 0xff);
    assert_int_equal(bare_read(b.node, 2100, ADCH), 0x03);
    assert_int_equal(convert(b.node, 3000, AVCC), 0);
    bare_free(b);
}

static void the_interrupt_asks_and_is_taken(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 1000, ADCSRA, ON | GO | 1 << ADIE | BY_2);
    bare_at(b.node, 1051);
    assert_false(bare_asks(b.node, ADC_vect_num));
    bare_at(b.node, 1052);
    bare_take(b.node, ADC_vect_num);
    assert_int_equal(bare_read(b.node, 1053, ADCSRA), ON | 1 << ADIE | BY_2);
    bare_free(b);
}

static void switching_off_ends_a_conversion(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 1000, ADCSRA, GO | BY_2); /* without ADEN nothing starts */
    assert_int_equal(bare_read(b.node, 1100, ADCSRA), BY_2);
    bare_write(b.node, 1200, ADCSRA, ON | GO | BY_128);
    bare_write(b.node, 2000, ADCSRA, BY_128);
    assert_int_equal(bare_read(b.node, 9000, ADCSRA), BY_128);
    bare_write(b.node, 9000, PRR, 1 << PRADC);
    bare_write(b.node, 9001, ADCSRA, ON | GO | BY_2); /* its clock is off: writes are lost */
    assert_int_equal(bare_read(b.node, 9100, ADCSRA), BY_128);
    bare_free(b);
}

/* In ADC noise reduction mode the ADC's clock runs on, in power-down it stands still. */
static void the_clock_can_stop_under_a_conversion(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 1000, ADCSRA, ON | GO | BY_2);
    bare_at(b.node, 1020);
    node_set_clock(b.node, CLOCK_CHIP, 0);
    bare_at(b.node, 2020);
    node_set_clock(b.node, CLOCK_CHIP, CLOCK_ONE);
    the_flag_comes_exactly_at(b.node, 1002 + 50 + 1000);
    bare_free(b);
}

/* The prescaler's counter runs on when another of its bits is chosen: 10 clocks of 4 done, 15 of 8 to go. */
static void another_prescaler_in_mid_conversion(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 1000, ADCSRA, ON | GO | 2); /* by 4: starts at 1003 */
    bare_write(b.node, 1042, ADCSRA, ON | 3);      /* acts at 1043: 42 cycles, 21 halves of which 20 since start */
    the_flag_comes_exactly_at(b.node, 1001 + (42 / 4 + 30) * 4);
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_and_normal_conversions_take_25_and_13_clocks),
        cmocka_unit_test(the_sample_is_taken_after_13_and_a_half_or_1_and_a_half_clocks),
        cmocka_unit_test(free_running_converts_every_13_clocks),
        cmocka_unit_test(free_running_on_the_atmega128),
        cmocka_unit_test(a_trigger_takes_13_and_a_half_clocks),
        cmocka_unit_test(switching_to_a_set_flag_triggers),
        cmocka_unit_test(timers_trigger),
        cmocka_unit_test(references_and_internal_channels),
        cmocka_unit_test(differential_results_have_a_sign),
        cmocka_unit_test(differential_conversions_keep_in_step),
        cmocka_unit_test(the_channel_is_locked_when_a_conversion_starts),
        cmocka_unit_test(reading_adcl_locks_until_adch_is_read),
        cmocka_unit_test(the_interrupt_asks_and_is_taken),
        cmocka_unit_test(switching_off_ends_a_conversion),
        cmocka_unit_test(the_clock_can_stop_under_a_conversion),
        cmocka_unit_test(another_prescaler_in_mid_conversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
