/* What ATmega640, 1280, 1281, 2560 and 2561 have in common.
 *
 * A chip's table includes this once, after its register header and its own `plain` registers, with MEGAX0_ADC_PINS and
 * MEGAX0_MUX5 set to the pins of ADC0-15 and the highest bit of the multiplexer ({0}: none).
 */
#ifndef CHIP_AVR_MEGAX0_H
#define CHIP_AVR_MEGAX0_H

#include "chip/avr/megax.h"

/* ---- power, clocks, watchdog, memories ---- */

static const struct avr_power power = {
    .sleep_enable = BIT(SMCR, SE),
    .sleep_mode = BITS(SMCR, SM0, 3),
    .sleep_modes = 0xcf,
    .prescaler = CLKPR,
    .divide_by_8 = {FUSE_LOW, 0x80},
    .vectors_move = BIT(MCUCR, IVSEL),
    .vectors_enable = BIT(MCUCR, IVCE),
    .jtag_off = BIT(MCUCR, JTD),
    .reset_flags = MCUSR,
    .jtag = true,
    .adc = ADCSRA,
    .shallow_lines = AVR_LINE(EE_READY_vect_num) | AVR_LINE(SPM_READY_vect_num),
    .boot = {.byte = FUSE_HIGH, .words = 512},
    AVR_SOURCES(avr_sources),
    .reset_ck = 14,
    .watchdog_hz_3v = 128000,
    .watchdog_hz = 128000,
    AVR_PLAIN(plain),
};

static const struct avr_selfprogram selfprogram = {
    .control = SPMCSR,
    .page = SPM_PAGESIZE,
    .time_us = 4500,
    .boot = {.byte = FUSE_HIGH, .words = 512},
    .signature_row = true,
    .signature = {SIGNATURE_0, SIGNATURE_1, SIGNATURE_2},
    .calibration = 0x80,
    .lock_bits = 0x3c,
    .eeprom_busy = BIT(EECR, 1),
    .vector = SPM_READY_vect_num,
};

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

PORT(A, 0xff);
PORT(B, 0xff);
PORT(C, 0xff);
PORT(D, 0xff);
PORT(E, 0xff, .input_disable = {DIDR1, 0x03, 2});
PORT(F, 0xff, .input_disable = {DIDR0, 0xff, 0});
PORT(G, 0x3f);

#define LINE(i, pin_, control, ...)                                                                           \
    {                                                                                                         \
        .pin = (pin_), .sense = BITS(control, ISC##i##0, 2),                                                  \
        .interrupt = {.vector = INT##i##_vect_num, .enable = BIT(EIMSK, INT##i), .flag = BIT(EIFR, INTF##i)}, \
        __VA_ARGS__                                                                                           \
    }

static const struct avr_extint extint = {
    .lines =
        {
            LINE(0, PIN(D, 0), EICRA, .asynchronous = true),
            LINE(1, PIN(D, 1), EICRA, .asynchronous = true),
            LINE(2, PIN(D, 2), EICRA, .asynchronous = true),
            LINE(3, PIN(D, 3), EICRA, .asynchronous = true),
            LINE(4, PIN(E, 4), EICRB),
            LINE(5, PIN(E, 5), EICRB),
            LINE(6, PIN(E, 6), EICRB),
            LINE(7, PIN(E, 7), EICRB),
        },
};

#define GROUP(i)      \
    .mask = PCMSK##i, \
    .interrupt = {.vector = PCINT##i##_vect_num, .enable = BIT(PCICR, PCIE##i), .flag = BIT(PCIFR, PCIF##i)}

static const struct avr_pcint pcint0 = {
    .pins = {PIN(B, 0), PIN(B, 1), PIN(B, 2), PIN(B, 3), PIN(B, 4), PIN(B, 5), PIN(B, 6), PIN(B, 7)}, GROUP(0)};

/* ---- timers ---- */

/* OC0A and OC1C share PB7. */
static const struct timer_config timer0, timer1;
static const struct timer_config timer0 = {
    TIMER_8(0, PIN(B, 7), PIN(G, 5)),
    TIMER_SYNCHRONOUS(PIN(D, 7)),
    .channel[0].modulator = {&timer1, 2, BIT(PORTB, 7), BIT(PINB, 7)},
    .power_reduction = BIT(PRR0, PRTIM0),
    .adc = {ADCSRA, ADCSRB},
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(D, 4)),
    TIMER_16_ABC(1, PIN(B, 5), PIN(B, 6), PIN(B, 7)),
    TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 6)),
    .channel[2].modulator = {&timer0, 0, BIT(PORTB, 7), BIT(PINB, 7)},
    .capture_comparator = BIT(ACSR, ACIC),
    .comparator = BIT(ACSR, ACO),
    .power_reduction = BIT(PRR0, PRTIM1),
    .adc = {ADCSRA, ADCSRB},
};
static const struct timer_config timer3 = {
    TIMER_16(3, PIN(E, 7)),
    TIMER_16_ABC(3, PIN(E, 3), PIN(E, 4), PIN(E, 5)),
    TIMER_16_CAPTURE(3),
    TIMER_SYNCHRONOUS(PIN(E, 6)),
    .power_reduction = BIT(PRR1, PRTIM3),
};

/* ---- serial: USART, SPI, TWI ---- */

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

static const struct usart_config usart1 = {
    USART_REGISTERS(1),
    USART_INTERRUPTS(1, USART1_RX_vect_num, USART1_UDRE_vect_num, USART1_TX_vect_num),
    .rxd = PIN(D, 2),
    .txd = PIN(D, 3),
    .xck = PIN(D, 5),
    .line = 1,
    .master_spi = true,
    .spi_bus = 2,
    .power_reduction = BIT(PRR1, PRUSART1),
};

static const struct spi_config spi = {
    SPI_REGISTERS(SPI_STC_vect_num),
    .ss = PIN(B, 0),
    .sck = PIN(B, 1),
    .mosi = PIN(B, 2),
    .miso = PIN(B, 3),
    .bus = 0,
    .power_reduction = BIT(PRR0, PRSPI),
};

static const struct twi_config twi = {
    TWI_REGISTERS(TWI_vect_num),         .twamr = TWAMR, .scl = PIN(D, 0), .sda = PIN(D, 1), .bus = 0,
    .power_reduction = BIT(PRR0, PRTWI),
};

/* ---- analog ---- */

static const struct avr_adc adc = {
    .admux = ADMUX,
    .adcsra = ADCSRA,
    .adcl = ADCL,
    .adch = ADCH,
    .mux = BITS(ADMUX, MUX0, 5),
    .mux_high = MEGAX0_MUX5,
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .power_reduction = BIT(PRR0, PRADC),
    .interrupt = {.vector = ADC_vect_num, .enable = BIT(ADCSRA, ADIE), .flag = BIT(ADCSRA, ADIF)},
    .inputs = avr_adc_inputs64,
    .pins = MEGAX0_ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 1100000, 2560000},
    .bandgap = 1100000,
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
    .positive = PIN(E, 2),
    .negative = PIN(E, 3),
    .multiplex = BIT(ADCSRB, ACME),
    .adc_enable = BIT(ADCSRA, ADEN),
    .mux = BITS(ADMUX, MUX0, 3),
    .mux_high = MEGAX0_MUX5,
    .power_reduction = BIT(PRR0, PRADC),
    .adc_pins = MEGAX0_ADC_PINS,
    .bandgap = 1100000,
    .timer = &timer1,
};

#define MEGAX0_POWER_DEVICES                                                                                  \
    {"power", &avr_power, &power}, {"watchdog", &avr_watchdog, &watchdog}, {"motet", &simulation_port, NULL}, \
        {"eeprom", &avr_eeprom, &eeprom},                                                                     \
    {                                                                                                         \
        "flash", &avr_selfprogram, &selfprogram                                                               \
    }
#define MEGAX0_PORT_DEVICES                                                                          \
    {"porta", &avr_port, &port_A}, {"portb", &avr_port, &port_B}, {"portc", &avr_port, &port_C},     \
        {"portd", &avr_port, &port_D}, {"porte", &avr_port, &port_E}, {"portf", &avr_port, &port_F}, \
    {                                                                                                \
        "portg", &avr_port, &port_G                                                                  \
    }

#endif
