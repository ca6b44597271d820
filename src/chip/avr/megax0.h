/* What ATmega640, 1280, 1281, 2560 and 2561 have in common.
 *
 * A chip's table defines these, and includes the header of its registers, before this:
 *   MEGAX0_CORE      how its core is made: AVR_CORE_51, or AVR_CORE_6 for 256 KB of flash
 *   MEGAX0_PLAIN     entries of `plain` for the registers that depend on its size
 *   MEGAX0_ADC_PINS  the pins of ADC8-15
 *   MEGAX0_MUX5      the highest bit of the multiplexer ({0}: none)
 */
#ifndef CHIP_AVR_MEGAX0_H
#define CHIP_AVR_MEGAX0_H

#define MEGAX_OC0B       PIN(G, 5)
#define MEGAX_USART1_SPI 2
#include "chip/avr/megax_pins.h"

/* ---- power, clocks, memories ---- */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80},
    {PRR0, 0xef, 0},   {XMCRA, 0xff, 0},  {XMCRB, 0x87, 0},  MEGAX0_PLAIN,
};

#define MEGAX0_BOOT AVR_BOOT(FUSE_HIGH, 512)
static const struct avr_power power = {
    MEGAX_POWER(MEGAX0_BOOT), AVR_SOURCES(avr_sources), .sleep_modes = 0xcf, .jtag = true, .jtag_off = BIT(MCUCR, JTD),
};
static const struct avr_selfprogram selfprogram = {MEGAX_SELFPROGRAM(MEGAX0_BOOT), .signature_row = true,
                                                   .lock_bits = 0x3c};

/* ---- ports, external and pin-change interrupts ---- */

PORT(A, 0xff, .pin_toggles = true);
PORT(B, 0xff, .pin_toggles = true);
PORT(C, 0xff, .pin_toggles = true);
PORT(D, 0xff, .pin_toggles = true);
PORT(E, 0xff, .pin_toggles = true, .input_disable = {DIDR1, 0x03, 2});
PORT(F, 0xff, .pin_toggles = true, .input_disable = {DIDR0, 0xff, 0});
PORT(G, 0x3f, .pin_toggles = true);

static const struct avr_extint extint = {
    .lines =
        {
            MEGAX_ASYNCHRONOUS_LINES,
            LINE(4, PIN(E, 4), EICRB),
            LINE(5, PIN(E, 5), EICRB),
            LINE(6, PIN(E, 6), EICRB),
            LINE(7, PIN(E, 7), EICRB),
        },
};

/* ---- timers ---- */

static const struct timer_config timer3 = {
    TIMER_16(3, PIN(E, 7)),
    TIMER_16_ABC(3, PIN(E, 3), PIN(E, 4), PIN(E, 5)),
    TIMER_16_CAPTURE(3),
    TIMER_SYNCHRONOUS(PIN(E, 6)),
    .power_reduction = BIT(PRR1, PRTIM3),
};

/* ---- serial: the other USART ---- */

static const struct usart_config usart0 = {
    USART_REGISTERS(0),
    USART_INTERRUPTS(0, USART0_RX_vect_num, USART0_UDRE_vect_num, USART0_TX_vect_num),
    .rxd = PIN(E, 0),
    .txd = PIN(E, 1),
    .xck = PIN(E, 2),
    .line = 0,
    .master_spi = true,
    .spi_bus = 1,
    .power_reduction = BIT(PRR0, PRUSART0),
};

/* ---- analog ---- */

static const struct avr_adc adc = {
    AVR_ADC_REGISTERS,
    .mux = BITS(ADMUX, MUX0, 5),
    .mux_high = MEGAX0_MUX5,
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .power_reduction = BIT(PRR0, PRADC),
    .inputs = avr_adc_inputs64,
    .pins = {PORT_PINS(F), MEGAX0_ADC_PINS},
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 1100000, 2560000},
    .bandgap = 1100000,
    .triggers = {MEGAX_ADC_TRIGGERS},
};

static const struct avr_comparator comparator = {
    AVR_COMPARATOR_REGISTERS(ANALOG_COMP_vect_num, ADCSRB),
    .positive = PIN(E, 2),
    .negative = PIN(E, 3),
    .mux = BITS(ADMUX, MUX0, 3),
    .mux_high = MEGAX0_MUX5,
    .power_reduction = BIT(PRR0, PRADC),
    .adc_pins = {PORT_PINS(F), MEGAX0_ADC_PINS},
    .bandgap = 1100000,
    .timer = &timer1,
};

static const struct avr_core core = {MEGAX0_CORE, .vectors = _VECTORS_SIZE};

/* In the order of a chip's list of devices, which adds its own after each. */
/* clang-format off */
#define MEGAX0_PORT_DEVICES                                                                      \
    {"porta", &avr_port, &port_A}, {"portb", &avr_port, &port_B}, {"portc", &avr_port, &port_C}, \
    {"portd", &avr_port, &port_D}, {"porte", &avr_port, &port_E}, {"portf", &avr_port, &port_F}, \
    {"portg", &avr_port, &port_G}
#define MEGAX0_INTERRUPT_DEVICES \
    {"extint", &avr_extint, &extint}, {"pcint0", &avr_pcint, &pcint0}, {"pcint1", &avr_pcint, &pcint1}
#define MEGAX0_TIMER_DEVICES                                                                               \
    {"timer0", &avr_timer, &timer0}, {"timer1", &avr_timer, &timer1}, {"timer2", &avr_timer, &timer2},     \
    {"timer3", &avr_timer, &timer3}, {"timer4", &avr_timer, &timer4}, {"timer5", &avr_timer, &timer5}
#define MEGAX0_USART_DEVICES {"usart0", &usart_type, &usart0}, {"usart1", &usart_type, &usart1}
#define MEGAX0_OTHER_DEVICES                                            \
    {"spi", &spi_type, &spi}, {"twi", &twi_type, &twi},                 \
    {"adc", &avr_adc, &adc}, {"comparator", &avr_comparator, &comparator}
/* clang-format on */

/* Of struct chip: all but name, ports and clock. */
#define MEGAX0_CHIP AVR_CHIP, .fuses = {0xff, 0x99, 0xff}

#endif
