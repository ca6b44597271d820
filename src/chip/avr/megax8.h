/* What ATmega48, 88, 168 and 328P have in common: all but sizes and a few bits.
 *
 * A chip's table defines these, and includes the header of its registers, before this:
 *   MEGAX8_CORE         how its core is made: AVR_CORE_5, or AVR_CORE_4 for 8 KB of flash and less
 *   MEGAX8_BOOT         its struct avr_boot
 *   MEGAX8_POWER        what else its struct avr_power has
 *   MEGAX8_SELFPROGRAM  what else its struct avr_selfprogram has
 *   MEGAX8_TEMPERATURE  the temperature sensor's microvolts at 25 degrees C (0: none)
 */
#ifndef CHIP_AVR_MEGAX8_H
#define CHIP_AVR_MEGAX8_H

#include "chip/avr/megax.h"

/* ---- power, clocks, memories ---- */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR, 0xef, 0},
};
static const struct avr_power power = {MEGAX_POWER(MEGAX8_BOOT), AVR_SOURCES(avr_sources), MEGAX8_POWER};
static const struct avr_selfprogram selfprogram = {MEGAX_SELFPROGRAM(MEGAX8_BOOT), MEGAX8_SELFPROGRAM};

/* ---- ports, external and pin-change interrupts ---- */

PORT(B, 0xff, .pin_toggles = true);
PORT(C, 0x7f, .pin_toggles = true, .input_disable = {DIDR0, 0x3f, 0}, .reset_bit = 0x40, .reset_fuse = 0x80);
PORT(D, 0xff, .pin_toggles = true, .input_disable = {DIDR1, 0x03, 6});

static const struct avr_extint extint = {
    .lines =
        {
            LINE(0, PIN(D, 2), EICRA),
            LINE(1, PIN(D, 3), EICRA),
        },
};

static const struct avr_pcint pcint0 = {.pins = {PORT_PINS(B)}, GROUP(0)};
static const struct avr_pcint pcint1 = {
    .pins = {PIN(C, 0), PIN(C, 1), PIN(C, 2), PIN(C, 3), PIN(C, 4), PIN(C, 5), PIN(C, 6), PIN_NONE},
    GROUP(1),
    .input_disable = {DIDR0, 0x3f, 0}};
static const struct avr_pcint pcint2 = {.pins = {PORT_PINS(D)}, GROUP(2), .input_disable = {DIDR1, 0x03, 6}};

/* ---- timers ---- */

static const struct timer_config timer0 = {
    TIMER_8(0, PIN(D, 6), PIN(D, 5)),
    TIMER_SYNCHRONOUS(PIN(D, 4)),
    .power_reduction = BIT(PRR, PRTIM0),
    .adc = {ADCSRA, ADCSRB},
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(B, 0)),
    TIMER_16_AB(1, PIN(B, 1), PIN(B, 2)),
    TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 5)),
    .capture_comparator = BIT(ACSR, ACIC),
    .comparator = BIT(ACSR, ACO),
    .power_reduction = BIT(PRR, PRTIM1),
    .adc = {ADCSRA, ADCSRB},
};
static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 3), PIN(D, 3)),
    TIMER_2_ASYNCHRONOUS(PIN(B, 6)),
    .power_reduction = BIT(PRR, PRTIM2),
};

/* ---- serial: USART, SPI, TWI ---- */
static const struct usart_config usart0 = {
    USART_REGISTERS(0),
    USART_INTERRUPTS(0, USART_RX_vect_num, USART_UDRE_vect_num, USART_TX_vect_num),
    .rxd = PIN(D, 0),
    .txd = PIN(D, 1),
    .xck = PIN(D, 4),
    .line = 0,
    .master_spi = true,
    .spi_bus = 1,
    .power_reduction = BIT(PRR, PRUSART0),
};

static const struct spi_config spi = {
    SPI_REGISTERS(SPI_STC_vect_num),
    .ss = PIN(B, 2),
    .sck = PIN(B, 5),
    .mosi = PIN(B, 3),
    .miso = PIN(B, 4),
    .bus = 0,
    .power_reduction = BIT(PRR, PRSPI),
};

static const struct twi_config twi = {
    TWI_REGISTERS(TWI_vect_num),        .twamr = TWAMR, .scl = PIN(C, 5), .sda = PIN(C, 4), .bus = 0,
    .power_reduction = BIT(PRR, PRTWI),
};

/* ---- analog ---- */

/* clang-format off */
#define ADC_PINS {PIN(C, 0), PIN(C, 1), PIN(C, 2), PIN(C, 3), PIN(C, 4), PIN(C, 5), PIN_NONE, PIN_NONE, NO_PINS_8}
/* clang-format on */

static const struct avr_adc adc = {
    AVR_ADC_REGISTERS,
    .mux = BITS(ADMUX, MUX0, 4),
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .power_reduction = BIT(PRR, PRADC),
    .inputs = avr_adc_inputs16,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 0, 1100000},
    .bandgap = 1100000,
    .temperature = MEGAX8_TEMPERATURE,
    .triggers = {MEGAX_ADC_TRIGGERS},
};

static const struct avr_comparator comparator = {
    AVR_COMPARATOR_REGISTERS(ANALOG_COMP_vect_num, ADCSRB),
    .positive = PIN(D, 6),
    .negative = PIN(D, 7),
    .mux = BITS(ADMUX, MUX0, 3),
    .power_reduction = BIT(PRR, PRADC),
    .adc_pins = ADC_PINS,
    .bandgap = 1100000,
    .timer = &timer1,
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog, memories */
    MEGAX_CORE_DEVICES,

    /* ports, external and pin-change interrupts */
    {"portb", &avr_port, &port_B},
    {"portc", &avr_port, &port_C},
    {"portd", &avr_port, &port_D},
    {"extint", &avr_extint, &extint},
    {"pcint0", &avr_pcint, &pcint0},
    {"pcint1", &avr_pcint, &pcint1},
    {"pcint2", &avr_pcint, &pcint2},

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer2", &avr_timer, &timer2},

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},
};

static const struct avr_core core = {MEGAX8_CORE, .vectors = _VECTORS_SIZE};

/* Of struct chip: all but name and fuses. */
#define MEGAX8_CHIP AVR_CHIP, .ports = "ABCD", .default_hz = 16000000

#endif
