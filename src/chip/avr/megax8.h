/* What ATmega48, 88, 168 and 328P have in common: all but sizes, sleep modes and self-programming.
 *
 * A chip's table includes this once, after its register header and its own `power` and `selfprogram`, with
 * MEGAX8_TEMPERATURE set to the temperature sensor's microvolts at 25 degrees C (0: none).
 */
#ifndef CHIP_AVR_MEGAX8_H
#define CHIP_AVR_MEGAX8_H

#include "chip/avr/megax.h"

/* ---- ports, external and pin-change interrupts ---- */

#define PORT(letter, pins, ...)                                                       \
    static const struct avr_port port_##letter = {.number = PORT_##letter,            \
                                                  .mask = (pins),                     \
                                                  .pin = PIN##letter,                 \
                                                  .ddr = DDR##letter,                 \
                                                  .port = PORT##letter,               \
                                                  .pull_up_disable = BIT(MCUCR, PUD), \
                                                  .pin_toggles = true,                \
                                                  __VA_ARGS__}

PORT(B, 0xff);
PORT(C, 0x7f, .input_disable = {DIDR0, 0x3f, 0}, .reset_bit = 0x40, .reset_fuse = 0x80);
PORT(D, 0xff, .input_disable = {DIDR1, 0x03, 6});

#define LINE(i, pin_, control, ...)                                                                           \
    {                                                                                                         \
        .pin = (pin_), .sense = BITS(control, ISC##i##0, 2),                                                  \
        .interrupt = {.vector = INT##i##_vect_num, .enable = BIT(EIMSK, INT##i), .flag = BIT(EIFR, INTF##i)}, \
        __VA_ARGS__                                                                                           \
    }

static const struct avr_extint extint = {
    .lines =
        {
            LINE(0, PIN(D, 2), EICRA),
            LINE(1, PIN(D, 3), EICRA),
        },
};

#define GROUP(i)      \
    .mask = PCMSK##i, \
    .interrupt = {.vector = PCINT##i##_vect_num, .enable = BIT(PCICR, PCIE##i), .flag = BIT(PCIFR, PCIF##i)}

static const struct avr_pcint pcint0 = {
    .pins = {PIN(B, 0), PIN(B, 1), PIN(B, 2), PIN(B, 3), PIN(B, 4), PIN(B, 5), PIN(B, 6), PIN(B, 7)}, GROUP(0)};
static const struct avr_pcint pcint1 = {
    .pins = {PIN(C, 0), PIN(C, 1), PIN(C, 2), PIN(C, 3), PIN(C, 4), PIN(C, 5), PIN(C, 6), PIN_NONE},
    GROUP(1),
    .input_disable = {DIDR0, 0x3f, 0}};
static const struct avr_pcint pcint2 = {
    .pins = {PIN(D, 0), PIN(D, 1), PIN(D, 2), PIN(D, 3), PIN(D, 4), PIN(D, 5), PIN(D, 6), PIN(D, 7)},
    GROUP(2),
    .input_disable = {DIDR1, 0x03, 6}};

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

#define ADC_PINS                                                                                                  \
    {                                                                                                             \
        PIN(C, 0), PIN(C, 1), PIN(C, 2), PIN(C, 3), PIN(C, 4), PIN(C, 5), PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, \
            PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE                                            \
    }

static const struct avr_adc adc = {
    .admux = ADMUX,
    .adcsra = ADCSRA,
    .adcl = ADCL,
    .adch = ADCH,
    .mux = BITS(ADMUX, MUX0, 4),
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .power_reduction = BIT(PRR, PRADC),
    .interrupt = {.vector = ADC_vect_num, .enable = BIT(ADCSRA, ADIE), .flag = BIT(ADCSRA, ADIF)},
    .inputs = avr_adc_inputs16,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 0, 1100000},
    .bandgap = 1100000,
    .temperature = MEGAX8_TEMPERATURE,
    .triggers =
        {
            {.flag = BIT(ADCSRA, ADIF)},
            {.vector = ANALOG_COMP_vect_num, .flag = BIT(ACSR, ACI)},
            {.vector = INT0_vect_num, .flag = BIT(EIFR, INTF0)},
            {TIMER0_COMPA_vect_num, BIT(TIFR0, OCF0A)},
            {TIMER0_OVF_vect_num, BIT(TIFR0, TOV0)},
            {TIMER1_COMPB_vect_num, BIT(TIFR1, OCF1B)},
            {TIMER1_OVF_vect_num, BIT(TIFR1, TOV1)},
            {TIMER1_CAPT_vect_num, BIT(TIFR1, ICF1)},
        },
};

static const struct avr_comparator comparator = {
    .acsr = ACSR,
    .interrupt = {.vector = ANALOG_COMP_vect_num, .enable = BIT(ACSR, ACIE), .flag = BIT(ACSR, ACI)},
    .positive = PIN(D, 6),
    .negative = PIN(D, 7),
    .multiplex = BIT(ADCSRB, ACME),
    .adc_enable = BIT(ADCSRA, ADEN),
    .mux = BITS(ADMUX, MUX0, 3),
    .power_reduction = BIT(PRR, PRADC),
    .adc_pins = ADC_PINS,
    .bandgap = 1100000,
    .timer = &timer1,
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */
    {"power", &avr_power, &power},
    {"watchdog", &avr_watchdog, &watchdog},
    {"motet", &simulation_port, NULL},

    /* memories */
    {"eeprom", &avr_eeprom, &eeprom},
    {"flash", &avr_selfprogram, &selfprogram},

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

#endif
