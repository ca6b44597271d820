/* ATmega128, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/atmega128.h"

#define AVR_PULL_UP_DISABLE BIT(SFIOR, PUD)
#include "chip/avr/family.h"

/* ---- power, clocks, watchdog ---- */

static const struct avr_plain plain[] = {
    {MCUCR, 0xc0, 0}, {RAMPZ, 0x01, 0}, {XMCRA, 0x7e, 0}, {XMCRB, 0x87, 0}, {OSCCAL, 0xff, 0x80},
};

static const struct avr_power power = {
    .sleep_enable = BIT(MCUCR, SE),
    .sleep_mode = BITS(MCUCR, SM0, 2),
    .sleep_mode_high = BIT(MCUCR, SM2),
    .sleep_modes = 0xcf,
    .divider = XDIV,
    .vectors_move = BIT(MCUCR, IVSEL),
    .vectors_enable = BIT(MCUCR, IVCE),
    .jtag_off = BIT(MCUCSR, JTD),
    .reset_flags = MCUCSR,
    .jtag = true,
    .adc = ADCSRA,
    .shallow_lines = AVR_LINE(EE_READY_vect_num) | AVR_LINE(SPM_READY_vect_num),
    .boot = {.byte = FUSE_HIGH, .words = 512},
    AVR_SOURCES(avr_sources_old),
    .watchdog_hz_3v = 1107000, /* 16K cycles in 14.8 ms */
    .watchdog_hz = 1170000,    /* 16K cycles in 14.0 ms */
    .delay_hz_3v = 951000,     /* 2467S, table 7: 4.3 and 69 ms at 3 V for 4K and 64K cycles, */
    .delay_hz = 1004000,       /* 4.1 and 65 ms at 5 V; this contradicts table 22, which is about the watchdog */
    AVR_PLAIN(plain),
};

static const struct avr_watchdog watchdog = {
    .control = WDTCR,
    .longest = 7,
    .shortest = 16384,
    .always_on = {FUSE_EXTENDED, 0x01},
    .compatible = {FUSE_EXTENDED, 0x02},
};

/* ---- memories: EEPROM, self-programming ---- */

static const struct avr_eeprom eeprom = {
    .control = EECR,
    .data = EEDR,
    .address = EEARL,
    .write_us = {8500},
    .flash_busy = BIT(SPMCSR, 0),
    .vector = EE_READY_vect_num,
};

static const struct avr_selfprogram selfprogram = {
    AVR_SELFPROGRAM,
    .boot = {.byte = FUSE_HIGH, .words = 512},
    .lock_bits = 0x3c,
    .vector = SPM_READY_vect_num,
};

/* ---- ports, external and pin-change interrupts ---- */

PORT(A, 0xff);
PORT(B, 0xff);
PORT(C, 0xff);
PORT(D, 0xff);
PORT(E, 0xff);
PORT(F, 0xff);
PORT(G, 0x1f);

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

/* What its 8-bit timers, with a single control register and channel, have in common. */
#define TIMER_OLD_8(n, pin_)                                                                                        \
    .count = TCNT##n, .control = {TCCR##n}, .mode = {BIT(TCCR##n, WGM##n##0), BIT(TCCR##n, WGM##n##1)},             \
    .clock = BITS(TCCR##n, CS##n##0, 3), .modes = timer_modes_8, .synchronisation = BIT(SFIOR, TSM),                \
    .channel =                                                                                                      \
        {{.compare = OCR##n, .output = BITS(TCCR##n, COM##n##0, 2), .force = BIT(TCCR##n, FOC##n), .pin = (pin_)}}, \
    .interrupt = {                                                                                                  \
        [TIMER_OVERFLOW] = {TIMER##n##_OVF_vect_num, BIT(TIMSK, TOIE##n), BIT(TIFR, TOV##n)},                       \
        [TIMER_COMPARE_A] = {TIMER##n##_COMP_vect_num, BIT(TIMSK, OCIE##n), BIT(TIFR, OCF##n)},                     \
    }

/* Its 16-bit timers: COMnA = 1 toggles OCnA in the PWM modes 9, 11 and 15 only. */
#define TIMER_OLD_16(n, pin_a, pin_b, pin_c)                                                               \
    .divisors = timer_divisors, .prescaler_reset = BIT(SFIOR, PSR321), .synchronisation = BIT(SFIOR, TSM), \
    .toggle_modes = 1 << 9 | 1 << 11 | 1 << 15,                                                            \
    .channel = {TIMER_CHANNEL(n, A, TCCR##n##C, pin_a), TIMER_CHANNEL(n, B, TCCR##n##C, pin_b),            \
                TIMER_CHANNEL(n, C, TCCR##n##C, pin_c)}

static const struct timer_config timer0 = {
    TIMER_OLD_8(0, PIN(B, 4)),           .divisors = timer_divisors_asynchronous, .prescaler_reset = BIT(SFIOR, PSR0),
    .asynchronous = BIT(ASSR, AS0),      .count_busy = BIT(ASSR, TCN0UB),         .channel[0].busy = BIT(ASSR, OCR0UB),
    .control_busy = {BIT(ASSR, TCR0UB)},
};

/* OC1C and OC2 share PB7. */
static const struct timer_config timer1, timer2;
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(D, 4)),
    TIMER_OLD_16(1, PIN(B, 5), PIN(B, 6), PIN(B, 7)),
    .clock_pin = PIN(D, 6),
    .channel[2].modulator = {&timer2, 0, BIT(PORTB, 7)},
    .capture_comparator = BIT(ACSR, ACIC),
    .comparator = BIT(ACSR, ACO),
    .interrupt =
        {
            [TIMER_OVERFLOW] = {TIMER1_OVF_vect_num, BIT(TIMSK, TOIE1), BIT(TIFR, TOV1)},
            [TIMER_COMPARE_A] = {TIMER1_COMPA_vect_num, BIT(TIMSK, OCIE1A), BIT(TIFR, OCF1A)},
            [TIMER_COMPARE_B] = {TIMER1_COMPB_vect_num, BIT(TIMSK, OCIE1B), BIT(TIFR, OCF1B)},
            [TIMER_COMPARE_C] = {TIMER1_COMPC_vect_num, BIT(ETIMSK, OCIE1C), BIT(ETIFR, OCF1C)},
            [TIMER_CAPTURE] = {TIMER1_CAPT_vect_num, BIT(TIMSK, TICIE1), BIT(TIFR, ICF1)},
        },
};
static const struct timer_config timer2 = {
    TIMER_OLD_8(2, PIN(B, 7)),
    .divisors = timer_divisors,
    .clock_pin = PIN(D, 7),
    .prescaler_reset = BIT(SFIOR, PSR321),
    .channel[0].modulator = {&timer1, 2, BIT(PORTB, 7)},
};
static const struct timer_config timer3 = {
    TIMER_16(3, PIN(E, 7)),
    TIMER_OLD_16(3, PIN(E, 3), PIN(E, 4), PIN(E, 5)),
    .clock_pin = PIN(E, 6),
    .interrupt =
        {
            [TIMER_OVERFLOW] = {TIMER3_OVF_vect_num, BIT(ETIMSK, TOIE3), BIT(ETIFR, TOV3)},
            [TIMER_COMPARE_A] = {TIMER3_COMPA_vect_num, BIT(ETIMSK, OCIE3A), BIT(ETIFR, OCF3A)},
            [TIMER_COMPARE_B] = {TIMER3_COMPB_vect_num, BIT(ETIMSK, OCIE3B), BIT(ETIFR, OCF3B)},
            [TIMER_COMPARE_C] = {TIMER3_COMPC_vect_num, BIT(ETIMSK, OCIE3C), BIT(ETIFR, OCF3C)},
            [TIMER_CAPTURE] = {TIMER3_CAPT_vect_num, BIT(ETIMSK, TICIE3), BIT(ETIFR, ICF3)},
        },
};

/* ---- serial: USART, SPI, TWI ---- */
static const struct usart_config usart0 = {
    USART_REGISTERS(0), USART_INTERRUPTS(0, USART0_RX_vect_num, USART0_UDRE_vect_num, USART0_TX_vect_num),
    .rxd = PIN(E, 0),   .txd = PIN(E, 1),
    .xck = PIN(E, 2),   .line = 0,
};

static const struct usart_config usart1 = {
    USART_REGISTERS(1), USART_INTERRUPTS(1, USART1_RX_vect_num, USART1_UDRE_vect_num, USART1_TX_vect_num),
    .rxd = PIN(D, 2),   .txd = PIN(D, 3),
    .xck = PIN(D, 5),   .line = 1,
};

static const struct spi_config spi = {
    SPI_REGISTERS(SPI_STC_vect_num), .ss = PIN(B, 0), .sck = PIN(B, 1), .mosi = PIN(B, 2), .miso = PIN(B, 3), .bus = 0,
};

static const struct twi_config twi = {
    TWI_REGISTERS(TWI_vect_num),
    .scl = PIN(D, 0),
    .sda = PIN(D, 1),
    .bus = 0,
};

/* ---- analog ---- */

/* clang-format off */
#define ADC_PINS {PORT_PINS(F), NO_PINS_8}
/* clang-format on */

static const struct avr_adc adc = {
    AVR_ADC_REGISTERS,
    .mux = BITS(ADMUX, MUX0, 5),
    .inputs = avr_adc_inputs64,
    .pins = ADC_PINS,
    .references = {AVR_ADC_AREF, AVR_ADC_AVCC, 0, 2560000},
    .bandgap = 1230000,
};

static const struct avr_comparator comparator = {
    AVR_COMPARATOR_REGISTERS(ANALOG_COMP_vect_num, SFIOR),
    .positive = PIN(E, 2),
    .negative = PIN(E, 3),
    .mux = BITS(ADMUX, MUX0, 3),
    .adc_pins = ADC_PINS,
    .bandgap = 1230000,
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
    {"extint", &avr_extint, &extint},

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer2", &avr_timer, &timer2},
    {"timer3", &avr_timer, &timer3},

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"usart1", &usart_type, &usart1},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},
};

static const struct avr_core core = {AVR_CORE_51, .vectors = _VECTORS_SIZE, .stack_starts_at_zero = true,
                                     .bit_writes_whole_byte = true};

const struct chip chip_atmega128 = {AVR_CHIP, .name = "atmega128", .ports = "ABCDEFG", .default_hz = 8000000,
                                    .fuses = {0xff, 0x99, 0xff}};
