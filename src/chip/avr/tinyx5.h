/* ATtiny25, 45 and 85, which differ in their sizes alone. Included once by a chip's table, after its registers. */
#ifndef CHIP_AVR_TINYX5_H
#define CHIP_AVR_TINYX5_H

#include "chip/avr/family.h"

/* ---- power, clocks, watchdog, memories ---- */

static const struct avr_pll pll = {
    .enable = BIT(PLLCSR, PLLE),
    .locked = BIT(PLLCSR, PLOCK),
    .timer_enable = BIT(PLLCSR, PCKE),
    .low_speed = BIT(PLLCSR, LSM),
};

static const struct simulation simulation = {.address = 0x20}; /* 0xf8 is RAM here */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {DWDR, 0xff, 0}, {PRR, 0x0f, 0}, {OSCCAL, 0xff, 0x80},
};

/* No boot section: vectors stay where they are, and SPM works everywhere if the fuse SELFPRGEN is programmed. */
static const struct avr_power power = {
    .sleep_enable = BIT(MCUCR, SE),
    .sleep_mode = BITS(MCUCR, SM0, 2),
    .sleep_modes = 0x07, /* idle, ADC noise reduction, power-down */
    .prescaler = CLKPR,
    .divide_by_8 = {FUSE_LOW, 0x80},
    .bod_off = BIT(MCUCR, BODS),
    .bod_off_enable = BIT(MCUCR, BODSE),
    .reset_flags = MCUSR,
    .adc = ADCSRA,
    .shallow_lines = AVR_LINE(EE_RDY_vect_num),
    AVR_SOURCES(avr_sources_tiny),
    .reset_ck = 14,
    .watchdog_hz_3v = 128000,
    .watchdog_hz = 128000,
    AVR_PLAIN(plain),
    .pll = &pll,
};

static const struct avr_watchdog watchdog = {AVR_WATCHDOG(WDTCR)};
static const struct avr_eeprom eeprom = {AVR_EEPROM(EE_RDY_vect_num)};
static const struct avr_selfprogram selfprogram = {AVR_SELFPROGRAM, .enable = {FUSE_EXTENDED, 0x01},
                                                   .signature_row = true};

/* ---- the port, external and pin-change interrupts ---- */

PORT(B, 0x3f, .pin_toggles = true, .input_disable = {DIDR0, 0x3f, 0}, .reset_bit = 0x20, .reset_fuse = 0x80);

static const struct avr_extint extint = {
    .lines = {{
        .pin = PIN(B, 2),
        .sense = BITS(MCUCR, ISC00, 2),
        .interrupt = {.vector = INT0_vect_num, .enable = BIT(GIMSK, INT0), .flag = BIT(GIFR, INTF0)},
    }},
};

static const struct avr_pcint pcint0 = {
    .pins = {PIN(B, 0), PIN(B, 1), PIN(B, 2), PIN(B, 3), PIN(B, 4), PIN(B, 5), PIN_NONE, PIN_NONE},
    .mask = PCMSK,
    .interrupt = {.vector = PCINT0_vect_num, .enable = BIT(GIMSK, PCIE), .flag = BIT(GIFR, PCIF)},
    .input_disable = {DIDR0, 0x3f, 0},
};

/* ---- timers ---- */

#define TIMSK0 TIMSK
#define TIFR0  TIFR
static const struct timer_config timer0 = {
    TIMER_8(0, PIN(B, 0), PIN(B, 1)),
    .divisors = timer_divisors,
    .clock_pin = PIN(B, 2),
    .prescaler_reset = BIT(GTCCR, PSR0),
    .synchronisation = BIT(GTCCR, TSM),
    .power_reduction = BIT(PRR, PRTIM0),
    .adc = {ADCSRA, ADCSRB},
    .strobe = BITS(USICR, USICS0, 2),
};

#define TIMSK1 TIMSK
#define TIFR1  TIFR
static const struct timer_config timer1 = {
    .count = TCNT1,
    .control = {TCCR1, GTCCR},
    .mode = {BITS(TCCR1, PWM1A, 2), BIT(GTCCR, PWM1B)},
    .clock = BITS(TCCR1, CS10, 4),
    .modes = timer_modes_tiny,
    .divisors = timer_divisors_fast,
    .channel =
        {
            {
                .compare = OCR1A,
                .output = BITS(TCCR1, COM1A0, 2),
                .force = BIT(GTCCR, FOC1A),
                .pin = PIN(B, 1),
                .pwm = BIT(TCCR1, PWM1A),
                .complement = PIN(B, 0),
                .dead = DT1A,
            },
            {
                .compare = OCR1B,
                .output = BITS(GTCCR, COM1B0, 2),
                .force = BIT(GTCCR, FOC1B),
                .pin = PIN(B, 4),
                .pwm = BIT(GTCCR, PWM1B),
                .complement = PIN(B, 3),
                .dead = DT1B,
            },
        },
    .interrupt = {TIMER_FLAG_OVERFLOW(1), TIMER_FLAG_COMPARE(1, A), TIMER_FLAG_COMPARE(1, B)},
    .prescaler_reset = BIT(GTCCR, PSR1),
    .power_reduction = BIT(PRR, PRTIM1),
    .top = OCR1C,
    .complements = true,
    .constant = true,
    .fast = BIT(PLLCSR, PCKE),
    .dead_prescaler = BITS(DTPS1, DTPS10, 2),
};

/* ---- serial ---- */

static const struct avr_usi usi = {
    .data = USIDR,
    .buffer = USIBR,
    .status = USISR,
    .control = USICR,
    .port = PORTB,
    .ddr = DDRB,
    .first_pin = PIN(B, 0),
    .in = 0,
    .out = 1,
    .clock = 2,
    .start = {.vector = USI_START_vect_num, .enable = BIT(USICR, USISIE), .flag = BIT(USISR, USISIF), .level = true},
    .overflow = {.vector = USI_OVF_vect_num, .enable = BIT(USICR, USIOIE), .flag = BIT(USISR, USIOIF), .level = true},
    .power_reduction = BIT(PRR, PRUSI),
};

/* ---- analog ---- */

/* clang-format off */
#define ADC_PINS {PIN(B, 5), PIN(B, 2), PIN(B, 4), PIN(B, 3), PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, NO_PINS_8}
/* clang-format on */

static const struct avr_adc adc = {
    AVR_ADC_REGISTERS,
    .mux = BITS(ADMUX, MUX0, 4),
    .reference_high = BIT(ADMUX, REFS2),
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .bipolar = BIT(ADCSRB, BIN),
    .reversed = BIT(ADCSRB, IPR),
    .power_reduction = BIT(PRR, PRADC),
    .inputs = avr_adc_inputs_tiny,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AVCC, AVR_ADC_AREF, 1100000, 0, AVR_ADC_AVCC, AVR_ADC_AREF, 2560000, 2560000},
    .bandgap = 1100000,
    .temperature = 322000, /* 300 steps of 1.1 V / 1024 at 25 degrees C (table 17-2) */
    .triggers =
        {
            {.flag = BIT(ADCSRA, ADIF)},
            {.vector = ANA_COMP_vect_num, .flag = BIT(ACSR, ACI)},
            {.vector = INT0_vect_num, .flag = BIT(GIFR, INTF0)},
            {TIMER0_COMPA_vect_num, BIT(TIFR, OCF0A)},
            {TIMER0_OVF_vect_num, BIT(TIFR, TOV0)},
            {TIMER0_COMPB_vect_num, BIT(TIFR, OCF0B)},
            {PCINT0_vect_num, BIT(GIFR, PCIF)},
        },
};

static const struct avr_comparator comparator = {
    AVR_COMPARATOR_REGISTERS(ANA_COMP_vect_num, ADCSRB),
    .positive = PIN(B, 0),
    .negative = PIN(B, 1),
    .mux = BITS(ADMUX, MUX0, 2),
    .power_reduction = BIT(PRR, PRADC),
    .adc_pins = ADC_PINS,
    .bandgap = 1100000,
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog, memories */
    {"power", &avr_power, &power},
    {"pll", &avr_pll, &pll},
    {"watchdog", &avr_watchdog, &watchdog},
    {"motet", &simulation_port, &simulation},
    {"eeprom", &avr_eeprom, &eeprom},
    {"flash", &avr_selfprogram, &selfprogram},

    /* the port, external and pin-change interrupts */
    {"portb", &avr_port, &port_B},
    {"extint", &avr_extint, &extint},
    {"pcint0", &avr_pcint, &pcint0},

    /* timers, serial, analog */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer_high_speed, &timer1},
    {"usi", &avr_usi, &usi},
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},
};

static const struct avr_core core = {AVR_CORE_25, .vectors = _VECTORS_SIZE};

/* Of struct chip: all but the name. */
#define TINYX5_CHIP AVR_CHIP, .ports = "AB", .default_hz = 8000000, .fuses = {0xff, 0xdf, 0xe2}

#endif
