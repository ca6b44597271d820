/* ADC12, DAC12 and Comparator_A by their registers, against SLAU049 chapters 16 to 18. */
#include "msp430_io.h"

enum {
    SHT0_4 = 0x0000,
    SHT0_16 = 0x0200,
    OSC = 0x0000,
    ACLK_SOURCE = 0x0008,
    MCLK_SOURCE = 0x0010,
    SMCLK_SOURCE = 0x0018
};
enum { REF2_5V = 0x0040 };

/* Volts on A0 to A7: 0.1 V times (line + 1), at 5 V supply (no board). */
static int32_t lines(void *context, unsigned channel, uint64_t tick)
{
    (void)context, (void)tick;
    return channel < 8 ? (int32_t)(channel + 1) * 100000 : INT32_MIN;
}

static struct node *bench(void)
{
    struct node *n = msp430_io(NULL);
    n->analog = lines;
    return n;
}

/* 17.2.4: a cycle to synchronise, 4 ADC12CLK to sample, 13 to convert. */
static void a_conversion_takes_its_time(void **state)
{
    (void)state;
    static const struct {
        unsigned sht, clocks, source, period, divider;
    } cases[] = {
        {0, 4, SMCLK_SOURCE, 1, 1}, {2, 16, SMCLK_SOURCE, 1, 1}, {0, 4, OSC, 10, 1},
        {4, 64, OSC, 10, 3},        {15, 1024, OSC, 10, 8},      {5, 96, ACLK_SOURCE, 100, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct node *n = bench();
        uint64_t end = (1 + (uint64_t)(cases[i].clocks + 13) * cases[i].divider) * cases[i].period;
        node_write_word(n, ADC12CTL0, (uint16_t)(cases[i].sht << 8 | ADC12ON));
        node_write_word(n, ADC12CTL1, (uint16_t)(SHP | cases[i].source | (cases[i].divider - 1) << 5));
        node_write(n, ADC12MCTL0, 3);
        node_write_word(n, ADC12CTL0, (uint16_t)(cases[i].sht << 8 | ADC12ON | ENC | ADC12SC));
        assert_int_equal(node_read_word(n, ADC12CTL0) & ADC12SC, 0);
        bare_node_at(n, end - 1);
        assert_int_equal(node_read_word(n, ADC12CTL1) & ADC12BUSY, ADC12BUSY);
        assert_int_equal(node_read_word(n, ADC12IFG), 0);
        bare_node_at(n, end);
        assert_int_equal(node_read_word(n, ADC12CTL1) & ADC12BUSY, 0);
        assert_int_equal(node_read_word(n, ADC12IFG), 1);
        assert_int_equal(node_read_word(n, ADC12MEM0), 328); /* 4095 * 0.4 / 5 = 327.6 */
        assert_int_equal(node_read_word(n, ADC12IFG), 0);
        bare_node_free(n);
    }
}

static uint16_t convert(struct node *n, uint64_t *at, unsigned ctl0, unsigned mctl)
{
    node_write_word(n, ADC12CTL0, (uint16_t)(ctl0 | ADC12ON));
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE);
    node_write(n, ADC12MCTL0, (uint8_t)mctl);
    node_write_word(n, ADC12CTL0, (uint16_t)(ctl0 | ADC12ON | ENC | ADC12SC));
    bare_node_at(n, *at += 100);
    node_write_word(n, ADC12CTL0, (uint16_t)(ctl0 | ADC12ON));
    return node_read_word(n, ADC12MEM0);
}

static void references_and_channels(void **state)
{
    (void)state;
    struct node *n = bench();
    uint64_t at = 0;
    assert_int_equal(convert(n, &at, 0, 0x00 | 7), 655);   /* 0.8 of 5 V: 655.2 */
    assert_int_equal(convert(n, &at, 0, 0x00 | 11), 2048); /* half of the supply: 2047.5 */
    assert_int_equal(convert(n, &at, 0, 0x20 | 8), 4095);  /* VeREF+ against itself */
    assert_int_equal(convert(n, &at, 0, 0x10 | 0), 4095);  /* the internal reference is off */
    node_write_word(n, ADC12CTL0, REFON | ADC12ON);
    uint64_t on = at;
    at += node_ticks(n, 0.0085) - 50;
    bare_node_at(n, at);
    assert_in_range(convert(n, &at, REFON, 0x10 | 6), 3820, 3824); /* half way there: 0.7 of 0.75 V */
    at = on + node_ticks(n, 0.017);
    bare_node_at(n, at);
    assert_int_equal(convert(n, &at, REFON, 0x10 | 6), 1911);           /* 0.7 of 1.5 V */
    assert_int_equal(convert(n, &at, REFON | REF2_5V, 0x10 | 6), 1147); /* 0.7 of 2.5 V: 1146.6 */
    assert_int_equal(convert(n, &at, REFON, 0x10 | 10), 2934);          /* 1.07475 V at 25 degrees: 2934.1 */
    bare_node_free(n);
}

/* 17.2.2: P6SEL switches the pin's buffers off; Contiki leaves P6DIR set meanwhile. */
static void an_analog_pin_is_not_driven(void **state)
{
    (void)state;
    struct node *n = bench();
    uint64_t at = 0;
    node_write(n, P6DIR, 0xff);
    assert_int_equal(convert(n, &at, 0, 4), 0);
    node_write(n, P6SEL, 0x10);
    assert_int_equal(convert(n, &at, 0, 4), 410); /* 0.5 of 5 V: 409.5 */
    node_write(n, P6SEL, 0);
    assert_int_equal(convert(n, &at, 0, 4), 0);
    bare_node_free(n);
}

/* 17.2.7: three channels in one go with MSC, then the end. */
static void a_sequence_ends_at_eos(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, MSC | ADC12ON);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE | CONSEQ0 | 14 * CSTARTADD0);
    node_write(n, ADC12MCTL14, 1);
    node_write(n, ADC12MCTL15, 2);
    node_write(n, ADC12MCTL0, EOS | 3);
    node_write_word(n, ADC12IE, 1);
    node_write_word(n, ADC12CTL0, MSC | ADC12ON | ENC | ADC12SC);
    bare_node_at(n, 18);
    assert_int_equal(node_read_word(n, ADC12IFG), 0x4000);
    bare_node_at(n, 18 + 17);
    assert_int_equal(node_read_word(n, ADC12IFG), 0xc000);
    assert_false(bare_node_asks(n, ADC12_LINE));
    bare_node_at(n, 18 + 2 * 17);
    assert_int_equal(node_read_word(n, ADC12IFG), 0xc001);
    assert_int_equal(node_read_word(n, ADC12CTL1) & ADC12BUSY, 0);
    assert_true(bare_node_asks(n, ADC12_LINE));
    assert_int_equal(node_read_word(n, ADC12IV), 6);
    assert_true(bare_node_asks(n, ADC12_LINE)); /* until the result is read */
    assert_int_equal(node_read_word(n, ADC12MEM0), 328);
    assert_false(bare_node_asks(n, ADC12_LINE));
    assert_int_equal(node_read_word(n, ADC12IV), 0);
    assert_int_equal(node_read_word(n, ADC12MEM14), 164); /* 163.8 */
    assert_int_equal(node_read_word(n, ADC12MEM15), 246); /* 245.7 */
    bare_node_free(n);
}

static void repetition_overflows_and_stops(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, MSC | ADC12ON | ADC12OVIE);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE | CONSEQ1);
    node_write_word(n, ADC12IE, 1);
    node_write_word(n, ADC12CTL0, MSC | ADC12ON | ADC12OVIE | ENC | ADC12SC);
    bare_node_at(n, 18 + 17);
    assert_int_equal(node_read_word(n, ADC12IV), 2);
    assert_int_equal(node_read_word(n, ADC12IV), 6);
    node_write_word(n, ADC12CTL0, MSC | ADC12ON); /* stops at the end of the conversion under way */
    assert_int_equal(node_read_word(n, ADC12MEM0), 82);
    assert_int_equal(node_read_word(n, ADC12CTL1) & ADC12BUSY, ADC12BUSY);
    bare_node_at(n, 18 + 2 * 17);
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
    assert_int_equal(node_read_word(n, ADC12CTL1) & ADC12BUSY, 0);
    node_read_word(n, ADC12MEM0);
    bare_node_at(n, 1000);
    assert_int_equal(node_read_word(n, ADC12IFG), 0);
    bare_node_free(n);
}

static void settings_are_locked_while_enabled(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, ADC12ON | SHT0_16);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE);
    node_write(n, ADC12MCTL0, 5);
    node_write_word(n, ADC12CTL0, ADC12ON | SHT0_16 | ENC);
    node_write_word(n, ADC12CTL0, 0xff00 | ADC12OVIE | ENC);
    assert_int_equal(node_read_word(n, ADC12CTL0), ADC12ON | SHT0_16 | ADC12OVIE | ENC);
    node_write_word(n, ADC12CTL1, 0xffff);
    assert_int_equal(node_read_word(n, ADC12CTL1), SHP | SMCLK_SOURCE | CONSEQ0 | CONSEQ1);
    node_write(n, ADC12MCTL0, 6);
    assert_int_equal(node_read(n, ADC12MCTL0), 5);
    bare_node_free(n);
}

static void extended_sampling_lasts_as_long_as_asked(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, ADC12ON | ADC12TOVIE);
    node_write_word(n, ADC12CTL1, SMCLK_SOURCE);
    node_write_word(n, ADC12CTL0, ADC12ON | ADC12TOVIE | ENC | ADC12SC);
    bare_node_at(n, 500);
    assert_int_equal(node_read_word(n, ADC12CTL0) & ADC12SC, ADC12SC);
    node_write_word(n, ADC12CTL0, ADC12ON | ADC12TOVIE | ENC);
    node_write_word(n, ADC12CTL0, ADC12ON | ADC12TOVIE | ENC | ADC12SC); /* too early */
    assert_int_equal(node_read_word(n, ADC12IV), 4);
    bare_node_at(n, 500 + 1 + 12);
    assert_int_equal(node_read_word(n, ADC12IFG), 0);
    bare_node_at(n, 500 + 1 + 13);
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
    bare_node_free(n);
}

/* Timer_A counts to 100 and sets OUT1 at 40 (mode 3: set, reset at 100): a trigger each 100 cycles. */
static void start_timer(struct node *n)
{
    node_write_word(n, TACCR0, 99);
    node_write_word(n, TACCR1, 40);
    node_write_word(n, TACCTL1, OUTMOD0 | OUTMOD1);
    node_write_word(n, TACTL, TASSEL1 | MC0 | TACLR);
}

static void a_timer_triggers_conversions(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, ADC12ON);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE | SHS0 | CONSEQ1);
    node_write_word(n, ADC12CTL0, ADC12ON | ENC);
    start_timer(n);
    for (unsigned i = 0; i < 3; i++) {
        bare_node_at(n, 100 * i + 40 + 17);
        assert_int_equal(node_read_word(n, ADC12IFG), 0);
        bare_node_at(n, 100 * i + 40 + 18 + 1);
        assert_int_equal(node_read_word(n, ADC12IFG), 1);
        node_read_word(n, ADC12MEM0);
    }
    bare_node_free(n);
}

static void a_single_conversion_wants_enc_toggled(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, ADC12ON);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE | SHS0);
    node_write_word(n, ADC12CTL0, ADC12ON | ENC);
    start_timer(n);
    bare_node_at(n, 90);
    node_read_word(n, ADC12MEM0);
    bare_node_at(n, 190);
    assert_int_equal(node_read_word(n, ADC12IFG), 0);
    node_write_word(n, ADC12CTL0, ADC12ON);
    node_write_word(n, ADC12CTL0, ADC12ON | ENC);
    bare_node_at(n, 290);
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
    bare_node_free(n);
}

/* ---- DAC12 ---- */

static void a_dac_puts_out_a_share_of_its_reference(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    enum { ON = 5 * DAC12AMP0, EXTERNAL = DAC12SREF1 };
    node_write_word(n, DAC12_0CTL, EXTERNAL | DAC12IR | ON);
    node_write_word(n, DAC12_0DAT, 0x800);
    assert_int_equal(analog_read(n, 6), 2500000);
    node_write_word(n, DAC12_0CTL, EXTERNAL | DAC12IR | ON | DAC12RES);
    node_write_word(n, DAC12_0DAT, 0x40);
    assert_int_equal(analog_read(n, 6), 1250000);
    node_write_word(n, DAC12_0CTL, EXTERNAL | DAC12IR | ON | DAC12DF);
    node_write_word(n, DAC12_0DAT, 0xc00); /* -1024 */
    assert_int_equal(analog_read(n, 6), 1250000);
    node_write_word(n, DAC12_0CTL, EXTERNAL | ON); /* three times, no more than the supply */
    assert_int_equal(analog_read(n, 6), 5000000);
    node_write_word(n, DAC12_0CTL, EXTERNAL | DAC12IR);
    assert_int_equal(analog_read(n, 6), 0);
    assert_int_equal(node_read_word(n, DAC12_0CTL) & DAC12IFG, 0);
    bare_node_free(n);
}

static void grouped_dacs_change_together(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    enum { SET = DAC12SREF1 | DAC12IR | 5 * DAC12AMP0 | DAC12LSEL0 | DAC12ENC };
    node_write_word(n, DAC12_0CTL, SET | DAC12GRP);
    node_write_word(n, DAC12_1CTL, SET | DAC12IE);
    node_write_word(n, DAC12_0DAT, 0x800);
    assert_int_equal(analog_read(n, 6), 0);
    assert_false(bare_node_asks(n, DACDMA_LINE));
    node_write_word(n, DAC12_1DAT, 0x400);
    assert_int_equal(analog_read(n, 6), 2500000);
    assert_int_equal(analog_read(n, 7), 1250000);
    assert_true(bare_node_asks(n, DACDMA_LINE));
    node_write_word(n, DAC12_1CTL, SET | DAC12IE);
    assert_false(bare_node_asks(n, DACDMA_LINE));
    bare_node_free(n);
}

static void a_timer_loads_a_dac_and_triggers_the_adc(void **state)
{
    (void)state;
    struct node *n = bench();
    node_write_word(n, ADC12CTL0, ADC12ON);
    node_write_word(n, ADC12CTL1, SHP | SMCLK_SOURCE | SHS0);
    node_write_word(n, ADC12CTL0, ADC12ON | ENC);
    node_write_word(n, DAC12_0CTL, DAC12SREF1 | DAC12IR | 5 * DAC12AMP0 | DAC12LSEL1 | DAC12ENC);
    node_write_word(n, DAC12_0DAT, 0x800);
    start_timer(n);
    bare_node_at(n, 39);
    assert_int_equal(node_read_word(n, DAC12_0CTL) & DAC12IFG, 0);
    bare_node_at(n, 80);
    assert_int_equal(node_read_word(n, DAC12_0CTL) & DAC12IFG, DAC12IFG);
    assert_int_equal(node_read_word(n, ADC12IFG), 1);
    bare_node_free(n);
}

/* ---- Comparator_A ---- */

static int32_t ramp(void *context, unsigned channel, uint64_t tick)
{
    (void)context;
    return channel == 16 ? (int32_t)(tick / 1000) : INT32_MIN; /* a volt in 10^9 ticks */
}

static void a_comparator_sees_its_input_cross(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    n->analog = ramp;
    node_write(n, CACTL2, P2CA0);
    node_write(n, CACTL1, CAON | CAIE | CAREF0 | CARSEL); /* 0.24 of 5 V on the negative side */
    bare_node_at(n, 1199000000);
    assert_int_equal(node_read(n, CACTL2) & CAOUT, 0);
    assert_false(bare_node_asks(n, COMPARATORA_LINE));
    bare_node_at(n, 1201000000);
    assert_int_equal(node_read(n, CACTL2) & CAOUT, CAOUT);
    assert_true(bare_node_asks(n, COMPARATORA_LINE));
    bare_node_acknowledge(n, COMPARATORA_LINE);
    assert_int_equal(node_read(n, CACTL1) & CAIFG, 0);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversion_takes_its_time),
        cmocka_unit_test(references_and_channels),
        cmocka_unit_test(an_analog_pin_is_not_driven),
        cmocka_unit_test(a_sequence_ends_at_eos),
        cmocka_unit_test(repetition_overflows_and_stops),
        cmocka_unit_test(settings_are_locked_while_enabled),
        cmocka_unit_test(extended_sampling_lasts_as_long_as_asked),
        cmocka_unit_test(a_timer_triggers_conversions),
        cmocka_unit_test(a_single_conversion_wants_enc_toggled),
        cmocka_unit_test(a_dac_puts_out_a_share_of_its_reference),
        cmocka_unit_test(grouped_dacs_change_together),
        cmocka_unit_test(a_timer_loads_a_dac_and_triggers_the_adc),
        cmocka_unit_test(a_comparator_sees_its_input_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
