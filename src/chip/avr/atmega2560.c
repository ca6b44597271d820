/* ATmega2560, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "chip/avr/timers.h"
#include "device/avr/adc.h"
#include "device/avr/comparator.h"
#include "device/avr/eeprom.h"
#include "device/avr/extint.h"
#include "device/avr/port.h"
#include "device/avr/power.h"
#include "device/avr/selfprogram.h"
#include "device/simulation.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/avr/watchdog.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega2560.h"

/* ---- power, clocks, watchdog ---- */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR0, 0xef, 0},
    {PRR1, 0x3f, 0},   {RAMPZ, 0x03, 0},  {EIND, 0x01, 0},   {XMCRA, 0xff, 0},     {XMCRB, 0x87, 0},
};

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

static const struct avr_watchdog watchdog = {
    .control = WDTCSR,
    .vector = WDT_vect_num,
    .longest = 9,
    .shortest = 2048,
    .reset_flag = BIT(MCUSR, WDRF),
    .always_on = {FUSE_HIGH, 0x10},
};

/* ---- memories: EEPROM, self-programming ---- */

static const struct avr_eeprom eeprom = {
    .control = EECR,
    .data = EEDR,
    .address = EEARL,
    .size = E2END + 1,
    .mode = BITS(EECR, EEPM0, 2),
    .write_us = {3400, 1800, 1800},
    .flash_busy = BIT(SPMCSR, 0),
    .vector = EE_READY_vect_num,
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
PORT(H, 0xff);
PORT(J, 0xff);
PORT(K, 0xff, .input_disable = {DIDR2, 0xff, 0});
PORT(L, 0xff);

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
static const struct avr_pcint pcint1 = {
    .pins = {PIN(E, 0), PIN(J, 0), PIN(J, 1), PIN(J, 2), PIN(J, 3), PIN(J, 4), PIN(J, 5), PIN(J, 6)}, GROUP(1)};
static const struct avr_pcint pcint2 = {
    .pins = {PIN(K, 0), PIN(K, 1), PIN(K, 2), PIN(K, 3), PIN(K, 4), PIN(K, 5), PIN(K, 6), PIN(K, 7)},
    GROUP(2),
    .input_disable = {DIDR2, 0xff, 0}};

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
static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 4), PIN(H, 6)),
    TIMER_2_ASYNCHRONOUS(PIN(G, 4)),
    .power_reduction = BIT(PRR0, PRTIM2),
};
static const struct timer_config timer3 = {
    TIMER_16(3, PIN(E, 7)),
    TIMER_16_ABC(3, PIN(E, 3), PIN(E, 4), PIN(E, 5)),
    TIMER_16_CAPTURE(3),
    TIMER_SYNCHRONOUS(PIN(E, 6)),
    .power_reduction = BIT(PRR1, PRTIM3),
};
static const struct timer_config timer4 = {
    TIMER_16(4, PIN(L, 0)),
    TIMER_16_ABC(4, PIN(H, 3), PIN(H, 4), PIN(H, 5)),
    TIMER_16_CAPTURE(4),
    TIMER_SYNCHRONOUS(PIN(H, 7)),
    .power_reduction = BIT(PRR1, PRTIM4),
};
static const struct timer_config timer5 = {
    TIMER_16(5, PIN(L, 1)),
    TIMER_16_ABC(5, PIN(L, 3), PIN(L, 4), PIN(L, 5)),
    TIMER_16_CAPTURE(5),
    TIMER_SYNCHRONOUS(PIN(L, 2)),
    .power_reduction = BIT(PRR1, PRTIM5),
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

static const struct usart_config usart2 = {
    USART_REGISTERS(2),
    USART_INTERRUPTS(2, USART2_RX_vect_num, USART2_UDRE_vect_num, USART2_TX_vect_num),
    .rxd = PIN(H, 0),
    .txd = PIN(H, 1),
    .xck = PIN(H, 2),
    .line = 2,
    .master_spi = true,
    .spi_bus = 3,
    .power_reduction = BIT(PRR1, PRUSART2),
};

static const struct usart_config usart3 = {
    USART_REGISTERS(3),
    USART_INTERRUPTS(3, USART3_RX_vect_num, USART3_UDRE_vect_num, USART3_TX_vect_num),
    .rxd = PIN(J, 0),
    .txd = PIN(J, 1),
    .xck = PIN(J, 2),
    .line = 3,
    .master_spi = true,
    .spi_bus = 4,
    .power_reduction = BIT(PRR1, PRUSART3),
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

#define ADC_PINS                                                                                                      \
    {                                                                                                                 \
        PIN(F, 0), PIN(F, 1), PIN(F, 2), PIN(F, 3), PIN(F, 4), PIN(F, 5), PIN(F, 6), PIN(F, 7), PIN(K, 0), PIN(K, 1), \
            PIN(K, 2), PIN(K, 3), PIN(K, 4), PIN(K, 5), PIN(K, 6), PIN(K, 7)                                          \
    }

static const struct avr_adc adc = {
    .admux = ADMUX,
    .adcsra = ADCSRA,
    .adcl = ADCL,
    .adch = ADCH,
    .mux = BITS(ADMUX, MUX0, 5),
    .mux_high = BIT(ADCSRB, MUX5),
    .trigger = BITS(ADCSRB, ADTS0, 3),
    .power_reduction = BIT(PRR0, PRADC),
    .interrupt = {.vector = ADC_vect_num, .enable = BIT(ADCSRA, ADIE), .flag = BIT(ADCSRA, ADIF)},
    .inputs = avr_adc_inputs64,
    .pins = ADC_PINS,
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
    .mux_high = BIT(ADCSRB, MUX5),
    .power_reduction = BIT(PRR0, PRADC),
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
    {"porta", &avr_port, &port_A},
    {"portb", &avr_port, &port_B},
    {"portc", &avr_port, &port_C},
    {"portd", &avr_port, &port_D},
    {"porte", &avr_port, &port_E},
    {"portf", &avr_port, &port_F},
    {"portg", &avr_port, &port_G},
    {"porth", &avr_port, &port_H},
    {"portj", &avr_port, &port_J},
    {"portk", &avr_port, &port_K},
    {"portl", &avr_port, &port_L},
    {"extint", &avr_extint, &extint},
    {"pcint0", &avr_pcint, &pcint0},
    {"pcint1", &avr_pcint, &pcint1},
    {"pcint2", &avr_pcint, &pcint2},

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer2", &avr_timer, &timer2},
    {"timer3", &avr_timer, &timer3},
    {"timer4", &avr_timer, &timer4},
    {"timer5", &avr_timer, &timer5},

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"usart1", &usart_type, &usart1},
    {"usart2", &usart_type, &usart2},
    {"usart3", &usart_type, &usart3},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},

};

static const struct avr_core core = {.pc_bytes = 3, .vectors = 57, .bit_writes_whole_byte = false};

const struct chip chip_atmega2560 = {
    .name = "atmega2560",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x40000,
    .ram_start = 0x200,
    .ram_size = 0x2000,
    .ports = "ABCDEFGHJKL",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .has_fuses = true,
    .fuses = {0xff, 0x99, 0xff},
    .lock = 0xff,
};
