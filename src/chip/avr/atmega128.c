/* ATmega128, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/adc.h"
#include "device/avr/comparator.h"
#include "device/avr/extint.h"
#include "device/avr/port.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega128.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

#define PORT(letter, pins, ...)                                                       \
    static const struct avr_port port_##letter = {.number = PORT_##letter,            \
                                                  .mask = (pins),                     \
                                                  .pin = PIN##letter,                 \
                                                  .ddr = DDR##letter,                 \
                                                  .port = PORT##letter,               \
                                                  .pull_up_disable = BIT(SFIOR, PUD), \
                                                  __VA_ARGS__}

PORT(A, 0xff);
PORT(B, 0xff);
PORT(C, 0xff);
PORT(D, 0xff);
PORT(E, 0xff);
PORT(F, 0xff);
PORT(G, 0x1f);

#define LINE(i, pin_, control, ...)                                                                           \
    {                                                                                                         \
        .pin = (pin_), .sense = BITS(control, ISC##i##0, 2),                                                  \
        .interrupt = {.vector = INT##i##_vect_num, .enable = BIT(EIMSK, INT##i), .flag = BIT(EIFR, INTF##i)}, \
        __VA_ARGS__                                                                                           \
    }

static const struct avr_extint extint = {
    .lines =
        {
            LINE(0, PIN(D, 0), EICRA, .asynchronous = true, .one_edge = true),
            LINE(1, PIN(D, 1), EICRA, .asynchronous = true, .one_edge = true),
            LINE(2, PIN(D, 2), EICRA, .asynchronous = true, .one_edge = true),
            LINE(3, PIN(D, 3), EICRA, .asynchronous = true, .one_edge = true),
            LINE(4, PIN(E, 4), EICRB),
            LINE(5, PIN(E, 5), EICRB),
            LINE(6, PIN(E, 6), EICRB),
            LINE(7, PIN(E, 7), EICRB),
        },
};

/* ---- timers ---- */

/* ---- serial: USART, SPI, TWI ---- */

/* ---- analog ---- */

#define ADC_PINS                                                                                                    \
    {                                                                                                               \
        PIN(F, 0), PIN(F, 1), PIN(F, 2), PIN(F, 3), PIN(F, 4), PIN(F, 5), PIN(F, 6), PIN(F, 7), PIN_NONE, PIN_NONE, \
            PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE                                              \
    }

static const struct avr_adc adc = {
    .admux = ADMUX,
    .adcsra = ADCSRA,
    .adcl = ADCL,
    .adch = ADCH,
    .mux = BITS(ADMUX, MUX0, 5),
    .interrupt = {.vector = ADC_vect_num, .enable = BIT(ADCSRA, ADIE), .flag = BIT(ADCSRA, ADIF)},
    .inputs = avr_adc_inputs64,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 0, 2560000},
    .bandgap = 1230000,
};

static const struct avr_comparator comparator = {
    .acsr = ACSR,
    .interrupt = {.vector = ANALOG_COMP_vect_num, .enable = BIT(ACSR, ACIE), .flag = BIT(ACSR, ACI)},
    .positive = PIN(E, 2),
    .negative = PIN(E, 3),
    .multiplex = BIT(SFIOR, ACME),
    .adc_enable = BIT(ADCSRA, ADEN),
    .mux = BITS(ADMUX, MUX0, 3),
    .adc_pins = ADC_PINS,
    .bandgap = 1230000,
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

    /* ports, external and pin-change interrupts */
    {"porta", &avr_port, &port_A},
    {"portb", &avr_port, &port_B},
    {"portc", &avr_port, &port_C},
    {"portd", &avr_port, &port_D},
    {"porte", &avr_port, &port_E},
    {"portf", &avr_port, &port_F},
    {"portg", &avr_port, &port_G},
    {"extint", &avr_extint, &extint},

    /* timers */

    /* serial */

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},

};

static const struct avr_core core = {
    .pc_bytes = 2, .vectors = 35, .stack_starts_at_zero = true, .bit_writes_whole_byte = true};

const struct chip chip_atmega128 = {
    .name = "atmega128",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x20000,
    .ram_start = 0x100,
    .ram_size = 0x1000,
    .ports = "ABCDEFG",
    .default_hz = 8000000,
    CHIP_DEVICES(devices),
    .fuses = {0xff, 0x99, 0xe1},
    .lock = 0xff,
};
