/* ATtiny85: its own devices down to the cycle. Timer 1 with its PLL, complementary outputs and dead time; the USI; ADC
 * channels with gain, polarity and temperature; self-programming by fuse. Section numbers are the datasheet's (2586Q).
 */
#include "bare_chip.h"

#include "node/pins.h"
#include "registers/attiny85.h"

enum { HZ = 8000000 };

static struct node *tiny(void)
{
    static const uint16_t program[] = {NOP};
    const struct placed p[] = {PLACED(0, program)};
    return bare_chip("attiny85", HZ, OWN_FUSES, -1, p, 1);
}

/* The ticks for which a pin stays at its level, once it has changed. */
static uint64_t lasts(struct node *n, unsigned pin)
{
    bool level = pin_level(n, pin);
    uint64_t from = now(n);
    while (pin_level(n, pin) == level) {
        run(n, 1);
        assert_true(now(n) - from < 1000000);
    }
    return now(n) - from;
}

/* ---- timer 1 ---- */

static void pwm_runs_to_ocr1c(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x10);
    poke(n, OCR1C, 99);
    poke(n, OCR1B, 24);
    poke(n, GTCCR, 1 << PWM1B | 2 << COM1B0);
    poke(n, TCCR1, 4); /* CK/8 */
    lasts(n, PIN(B, 4));
    lasts(n, PIN(B, 4));
    bool high = pin_level(n, PIN(B, 4));
    uint64_t first = lasts(n, PIN(B, 4)), second = lasts(n, PIN(B, 4));
    assert_int_equal(high ? first : second, 25 * 8);
    assert_int_equal(first + second, 100 * 8);
    assert_true(peek(n, TIFR) & 1 << TOV1);
    poke(n, TIFR, 0xff);
    bare_free(n);
}

/* Table 12-3: a compare value of 0 is a constant level, not a spike. */
static void pwm_of_zero_is_constant(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x02);
    poke(n, OCR1C, 99);
    poke(n, OCR1A, 0);
    poke(n, TCCR1, 1 << PWM1A | 2 << COM1A0 | 1);
    run(n, 250);
    for (unsigned i = 0; i < 300; i++) {
        assert_false(pin_level(n, PIN(B, 1)));
        run(n, 1);
    }
    bare_free(n);
}

static void the_other_channel_is_none_of_pwm(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x12);
    poke(n, OCR1C, 99);
    poke(n, OCR1A, 49);
    poke(n, OCR1B, 10);
    poke(n, GTCCR, 1 << PWM1B | 2 << COM1B0);
    poke(n, TCCR1, 1 << COM1A0 | 1); /* toggles OC1A, which is not in PWM: once a period */
    lasts(n, PIN(B, 1));
    assert_int_equal(lasts(n, PIN(B, 1)), 100);
    bare_free(n);
}

/* Section 12.4: of the two outputs one is always low, and both are for the dead time. */
static void complements_with_dead_time(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x03);
    poke(n, OCR1C, 99);
    poke(n, OCR1A, 49);
    poke(n, DTPS1, 1); /* CK/2 */
    poke(n, DT1A, 0x35);
    poke(n, TCCR1, 1 << PWM1A | 1 << COM1A0 | 1);
    run(n, 300);
    unsigned both_low = 0, high = 0, complement = 0;
    for (unsigned i = 0; i < 100; i++) {
        bool a = pin_level(n, PIN(B, 1)), b = pin_level(n, PIN(B, 0));
        assert_false(a && b);
        both_low += !a && !b;
        high += a;
        complement += b;
        run(n, 1);
    }
    assert_int_equal(both_low, 2 * (3 + 5));
    assert_int_equal(high, 50 - 2 * 3);
    assert_int_equal(complement, 50 - 2 * 5);
    bare_free(n);
}

static void ctc_clears_after_ocr1c(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, OCR1C, 9);
    poke(n, TCCR1, 1 << CTC1 | 1);
    unsigned highest = 0;
    for (unsigned i = 0; i < 40; i++) {
        uint8_t count = peek(n, TCNT1);
        highest = count > highest ? count : highest;
        run(n, 1);
    }
    assert_int_equal(highest, 9);
    assert_false(peek(n, TIFR) & 1 << TOV1);
    bare_free(n);
}

/* Section 12.3.9: PLOCK after 100 us, then 64 MHz, 32 in low-speed mode. */
static void the_pll_clocks_it(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, PLLCSR, 1 << PLLE);
    run(n, 700);
    assert_false(peek(n, PLLCSR) & 1 << PLOCK);
    run(n, 150);
    assert_true(peek(n, PLLCSR) & 1 << PLOCK);
    poke(n, PLLCSR, 1 << PLLE | 1 << PCKE);
    poke(n, TCCR1, 4); /* PCK/8: as fast as the CPU */
    uint8_t before = peek(n, TCNT1);
    run(n, 100);
    assert_in_range((uint8_t)(peek(n, TCNT1) - before), 99, 101);
    poke(n, PLLCSR, 1 << PLLE | 1 << PCKE | 1 << LSM);
    before = peek(n, TCNT1);
    run(n, 100);
    assert_in_range((uint8_t)(peek(n, TCNT1) - before), 49, 51);
    bare_free(n);
}

/* ---- USI ---- */

/* Section 15.3.2, SPI master: sixteen strobes of USITC move a byte, highest bit first. */
static void usi_three_wires(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x06);
    poke(n, USIDR, 0xa5);
    poke(n, USISR, 1 << USIOIF);
    poke(n, USICR, 1 << USIWM0 | 1 << USICS1 | 1 << USICLK);
    unsigned sent = 0, answer = 0x3c;
    for (unsigned i = 0; i < 16; i++) {
        assert_false(peek(n, USISR) & 1 << USIOIF);
        if (i % 2 == 0) { /* before the rising edge both sides show their bit */
            sent = sent << 1 | pin_level(n, PIN(B, 1));
            pin_drive(n, PIN(B, 0), answer >> (7 - i / 2) & 1 ? PIN_HIGH : PIN_LOW);
        }
        poke(n, USICR, 1 << USIWM0 | 1 << USICS1 | 1 << USICLK | 1 << USITC);
        assert_int_equal(pin_level(n, PIN(B, 2)), i % 2 == 0);
    }
    assert_true(peek(n, USISR) & 1 << USIOIF);
    assert_int_equal(sent, 0xa5);
    assert_int_equal(peek(n, USIDR), 0x3c);
    assert_int_equal(peek(n, USIBR), 0x3c);
    bare_free(n);
}

/* Section 15.3.4: a start condition sets USISIF and holds SCL low until the flag is cleared; a stop sets USIPF. */
static void usi_two_wires(void **state)
{
    (void)state;
    struct node *n = tiny();
    pin_drive(n, PIN(B, 0), PIN_PULLED_UP);
    pin_drive(n, PIN(B, 2), PIN_PULLED_UP);
    poke(n, PORTB, 0x05);
    poke(n, DDRB, 0x04);
    poke(n, USICR, 1 << USIWM1 | 1 << USICS1);
    assert_true(pin_level(n, PIN(B, 2)));
    n->time = now(n);
    pin_drive(n, PIN(B, 0), PIN_LOW);
    assert_true(peek(n, USISR) & 1 << USISIF);
    pin_drive(n, PIN(B, 2), PIN_LOW);
    pin_drive(n, PIN(B, 2), PIN_PULLED_UP);
    assert_false(pin_level(n, PIN(B, 2))); /* held */
    poke(n, USISR, 1 << USISIF | 1 << USIOIF);
    assert_true(pin_level(n, PIN(B, 2)));
    pin_drive(n, PIN(B, 0), PIN_PULLED_UP);
    assert_true(peek(n, USISR) & 1 << USIPF);
    /* A zero in the highest bit pulls the data line low, a one releases it. */
    poke(n, DDRB, 0x05);
    poke(n, USIDR, 0x7f);
    pin_drive(n, PIN(B, 2), PIN_LOW);
    assert_false(pin_level(n, PIN(B, 0)));
    poke(n, USIDR, 0x80);
    assert_true(pin_level(n, PIN(B, 0)));
    assert_false(peek(n, USISR) & 1 << USIDC);
    pin_drive(n, PIN(B, 0), PIN_LOW);
    assert_true(peek(n, USISR) & 1 << USIDC);
    bare_free(n);
}

/* A UART's transmitter: bits at the matches of timer 0, its flag never cleared. */
static void usi_by_timer_0(void **state)
{
    (void)state;
    struct node *n = tiny();
    poke(n, DDRB, 0x02);
    poke(n, OCR0A, 99);
    poke(n, TCCR0A, 1 << WGM01);
    poke(n, USIDR, 0x55);
    poke(n, USISR, 1 << USIOIF | 8);
    poke(n, USICR, 1 << USIWM0 | 1 << USICS0);
    poke(n, TCCR0B, 1);
    lasts(n, PIN(B, 1));
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(lasts(n, PIN(B, 1)), 100);
    run(n, 200);
    assert_true(peek(n, USISR) & 1 << USIOIF);
    bare_free(n);
}

/* ---- ADC ---- */

static int32_t sources(void *context, unsigned channel, uint64_t tick)
{
    (void)tick;
    const int32_t *microvolts = context;
    return channel < 4 ? microvolts[channel] : INT32_MIN;
}

static unsigned convert(struct node *n, unsigned admux, unsigned adcsrb)
{
    poke(n, ADMUX, (uint8_t)admux);
    poke(n, ADCSRB, (uint8_t)adcsrb);
    poke(n, ADCSRA, 1 << ADEN | 1 << ADSC | 6);
    while (peek(n, ADCSRA) & 1 << ADSC)
        run(n, 64);
    unsigned low = peek(n, ADCL);
    return low | (unsigned)peek(n, ADCH) << 8;
}

static void adc_channels(void **state)
{
    (void)state;
    struct node *n = tiny();
    int32_t microvolts[4] = {2500000, 1000000, 500000, 450000};
    n->analog = sources;
    n->analog_context = microvolts;
    assert_int_equal(convert(n, 0, 0), 512); /* of 5 V */
    assert_int_equal(convert(n, 1 << REFS1 | 3, 0), 450000 * 1024ll / 1100000);
    assert_int_equal(convert(n, 1 << REFS2 | 1 << REFS1 | 1, 0), 400); /* 1 V of 2.56 V */
    assert_int_equal(convert(n, 7, 0), 50000 * 1024ll * 20 / 5000000); /* ADC2 - ADC3, 20 times, unipolar */
    assert_int_equal(convert(n, 7, 1 << BIN), 50000 * 512ll * 20 / 5000000);
    assert_int_equal(convert(n, 7, 1 << BIN | 1 << IPR), (unsigned)(-50000 * 512ll * 20 / 5000000) & 0x3ff);
    assert_int_equal(convert(n, 10, 0), 1500000 * 1024ll / 5000000); /* ADC0 - ADC1 */
    assert_in_range(convert(n, 1 << REFS1 | 15, 0), 298, 301);       /* table 17-2: 300 at 25 degrees C */
    bare_free(n);
}

/* ---- self-programming ---- */

static uint8_t programmed_byte(int extended)
{
    static const uint16_t program[] = {LDI(16, 1), OUT(0x37, 16), SPM, NOP};
    const struct placed p[] = {PLACED(0x10, program)};
    const int fuses[3] = {extended, -1, -1};
    struct node *n = bare_chip("attiny85", HZ, fuses, -1, p, 1);
    static const uint8_t commands[] = {1, 3, 5}; /* fill, erase, write */
    for (unsigned i = 0; i < 3; i++) {
        n->data[0] = 0x12, n->data[1] = 0x34;
        n->data[30] = 0x00, n->data[31] = 0x10;
        isa_avr.set_pc(n, 2 * 0x11);
        n->data[16] = commands[i];
        node_step(n);
        node_step(n);
        run(n, 50000);
    }
    uint8_t byte = isa_avr.program(n)[0x1000];
    bare_free(n);
    return byte;
}

static void spm_needs_its_fuse(void **state)
{
    (void)state;
    assert_int_equal(programmed_byte(0xfe), 0x12);
    assert_int_equal(programmed_byte(0xff), 0x00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pwm_runs_to_ocr1c),
        cmocka_unit_test(pwm_of_zero_is_constant),
        cmocka_unit_test(the_other_channel_is_none_of_pwm),
        cmocka_unit_test(complements_with_dead_time),
        cmocka_unit_test(ctc_clears_after_ocr1c),
        cmocka_unit_test(the_pll_clocks_it),
        cmocka_unit_test(usi_three_wires),
        cmocka_unit_test(usi_two_wires),
        cmocka_unit_test(usi_by_timer_0),
        cmocka_unit_test(adc_channels),
        cmocka_unit_test(spm_needs_its_fuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
