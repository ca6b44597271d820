/* ATmega32U4, from its datasheet; register and vector numbers from avr-libc. USB is there in words only (usb.h). */
#include "registers/atmega32u4.h"

#define MEGAX_OC0B       PIN(D, 0)
#define MEGAX_USART1_SPI 1
#include "chip/avr/megax_pins.h"

/* ---- power, clocks, memories ---- */

static const struct avr_pll pll = {
    .enable = BIT(PLLCSR, PLLE),
    .locked = BIT(PLLCSR, PLOCK),
    .halve = BIT(PLLCSR, PINDIV),
    .factor = BITS(PLLFRQ, PDIV0, 4),
    .timer_divider = BITS(PLLFRQ, PLLTM0, 2),
    .usb_divider = BIT(PLLFRQ, PLLUSB),
    .input = BIT(PLLFRQ, PINMUX),
};

/* The clock can be switched between RC oscillator and crystal (CLKSEL0, CLKSEL1, CLKSTA); here both have one pace. */
static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0},  {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80},
    {RCCTRL, 0x01, 0},  {PRR0, 0xad, 0},   {PRR1, 0x99, 0},   {CLKSEL0, 0xfd, 1},
    {CLKSEL1, 0xff, 0}, {CLKSTA, 0x00, 1}, {OCDR, 0xff, 0},   {UCSR1D, 0x03, 0},
};

#define BOOT AVR_BOOT(FUSE_HIGH, 256)
static const struct avr_power power = {
    MEGAX_POWER(BOOT), AVR_SOURCES(avr_sources),    .sleep_modes = 0xcf,
    .jtag = true,      .jtag_off = BIT(MCUCR, JTD), .pll = &pll,
};
static const struct avr_selfprogram selfprogram = {MEGAX_SELFPROGRAM(BOOT), .signature_row = true, .lock_bits = 0x3c};

/* ---- ports, external and pin-change interrupts ---- */

PORT(B, 0xff, .pin_toggles = true, .input_disable = {DIDR2, 0x38, 1});
PORT(C, 0xc0, .pin_toggles = true);
PORT(D, 0xff, .pin_toggles = true);
PORT(E, 0x44, .pin_toggles = true);
PORT(F, 0xf3, .pin_toggles = true, .input_disable = {DIDR0, 0xf3, 0});

static const struct avr_extint extint = {
    .lines =
        {
            MEGAX_ASYNCHRONOUS_LINES,
            LINE(6, PIN(E, 6), EICRB),
        },
};

/* ---- timers ---- */

/* Its channels B and C, and its clock input, have no pins. */
static const struct timer_config timer3 = {
    TIMER_16(3, PIN(C, 7)),      TIMER_16_ABC(3, PIN(C, 6), PIN_NONE, PIN_NONE), TIMER_16_CAPTURE(3),
    TIMER_SYNCHRONOUS(PIN_NONE), .power_reduction = BIT(PRR1, PRTIM3),
};

/* A channel of the high-speed timer: its bits are in TCCR4A, or for D in TCCR4C. */
#define CHANNEL_4(x, control, pin_, complement_)                                                    \
    {                                                                                               \
        .compare = OCR4##x, .output = BITS(control, COM4##x##0, 2), .force = BIT(control, FOC4##x), \
        .pwm = BIT(control, PWM4##x), .pin = (pin_), .complement = (complement_), .dead = DT4       \
    }
static const struct timer_config timer4 = {
    .count = TCNT4,
    .control = {TCCR4A, TCCR4B, TCCR4C, TCCR4D, TCCR4E},
    .kept = {0, 0x80, 0, 0xfc, 0xff},
    .mode = {BITS(TCCR4D, WGM40, 2), BITS(TCCR4A, PWM4B, 2), BIT(TCCR4C, PWM4D)},
    .clock = BITS(TCCR4B, CS40, 4),
    .modes = timer_modes_u4,
    .divisors = timer_divisors_fast,
    .channel =
        {
            CHANNEL_4(A, TCCR4A, PIN(C, 7), PIN(C, 6)),
            CHANNEL_4(B, TCCR4A, PIN(B, 6), PIN(B, 5)),
            CHANNEL_4(D, TCCR4C, PIN(D, 7), PIN(D, 6)),
        },
    .interrupt =
        {
            TIMER_FLAG_OVERFLOW(4),
            TIMER_FLAG_COMPARE(4, A),
            TIMER_FLAG_COMPARE(4, B),
            [TIMER_COMPARE_C] = {.vector = TIMER4_COMPD_vect_num,
                                 .enable = BIT(TIMSK4, OCIE4D),
                                 .flag = BIT(TIFR4, OCF4D)},
        },
    .prescaler_reset = BIT(TCCR4B, PSR4),
    .power_reduction = BIT(PRR1, 4),
    .adc = {ADCSRA, ADCSRB},
    .top = OCR4C,
    .high = TC4H,
    .complements = true,
    .fast = BITS(PLLFRQ, PLLTM0, 2),
    .dead_prescaler = BITS(TCCR4B, DTPS40, 2),
    .shadow = TCCR4C,
};

/* ---- USB ---- */

static const uint16_t usb_registers[] = {
    UHWCON, USBCON, USBSTA, USBINT,  UDCON,   UDINT,   UDIEN,   UDADDR, UDFNUML, UDFNUMH, UDMFN,  UEINTX,
    UENUM,  UERST,  UECONX, UECFG0X, UECFG1X, UESTA0X, UESTA1X, UEIENX, UEDATX,  UEBCLX,  UEBCHX, UEINT,
};
static const struct avr_usb usb = {usb_registers, sizeof usb_registers / sizeof *usb_registers};

/* ---- analog ---- */

/* clang-format off */
#define ADC_PINS {PIN(F, 0), PIN(F, 1), PIN_NONE, PIN_NONE, PIN(F, 4), PIN(F, 5), PIN(F, 6), PIN(F, 7), \
                  PIN(D, 4), PIN(D, 6), PIN(D, 7), PIN(B, 4), PIN(B, 5), PIN(B, 6), PIN_NONE, PIN_NONE}
/* clang-format on */

static const struct avr_adc adc = {
    AVR_ADC_REGISTERS,
    .mux = BITS(ADMUX, MUX0, 5),
    .mux_high = BIT(ADCSRB, MUX5),
    .trigger = BITS(ADCSRB, ADTS0, 4),
    .high_speed = BIT(ADCSRB, ADHSM),
    .power_reduction = BIT(PRR0, PRADC),
    .inputs = avr_adc_inputs_u4,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 0, 2560000},
    .bandgap = 1100000,
    .temperature = 314000,
    .triggers =
        {
            MEGAX_ADC_TRIGGERS,
            {TIMER4_OVF_vect_num, BIT(TIFR4, TOV4)},
            {TIMER4_COMPA_vect_num, BIT(TIFR4, OCF4A)},
            {TIMER4_COMPB_vect_num, BIT(TIFR4, OCF4B)},
            {TIMER4_COMPD_vect_num, BIT(TIFR4, OCF4D)},
        },
};

/* Its negative input has no pin of its own: without ACME it is open, here ground. */
static const struct avr_comparator comparator = {
    AVR_COMPARATOR_REGISTERS(ANALOG_COMP_vect_num, ADCSRB),
    .positive = PIN(E, 6),
    .negative = PIN_NONE,
    .mux = BITS(ADMUX, MUX0, 3),
    .mux_high = BIT(ADCSRB, MUX5),
    .power_reduction = BIT(PRR0, PRADC),
    .adc_pins = ADC_PINS,
    .bandgap = 1100000,
    .timer = &timer1,
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog, memories */
    MEGAX_CORE_DEVICES,
    {"pll", &avr_pll, &pll},

    /* ports, external and pin-change interrupts */
    {"portb", &avr_port, &port_B},
    {"portc", &avr_port, &port_C},
    {"portd", &avr_port, &port_D},
    {"porte", &avr_port, &port_E},
    {"portf", &avr_port, &port_F},
    {"extint", &avr_extint, &extint},
    {"pcint0", &avr_pcint, &pcint0},

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer3", &avr_timer, &timer3},
    {"timer4", &avr_timer_high_speed, &timer4},

    /* serial */
    {"usart1", &usart_type, &usart1},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},
    {"usb", &avr_usb, &usb},

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},
};

static const struct avr_core core = {AVR_CORE_5, .vectors = _VECTORS_SIZE};

const struct chip chip_atmega32u4 = {AVR_CHIP, .name = "atmega32u4", .ports = "ABCDEF", .default_hz = 16000000,
                                     .fuses = {0xfb, 0xd9, 0xff}};
