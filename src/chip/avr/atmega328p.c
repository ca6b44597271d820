/* ATmega328p, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/eeprom.h"
#include "device/avr/power.h"
#include "device/avr/selfprogram.h"
#include "device/avr/simulation.h"
#include "device/avr/watchdog.h"

#include "chip/avr/timers.h"

#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega328p.h"

/* ---- power, clocks, watchdog ---- */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR, 0xef, 0},
};

static const struct avr_power power = {
    .sleep_enable = BIT(SMCR, SE),
    .sleep_mode = BITS(SMCR, SM0, 3),
    .sleep_modes = 0xcf,
    .prescaler = CLKPR,
    .divide_by_8 = {FUSE_LOW, 0x80},
    .vectors_move = BIT(MCUCR, IVSEL),
    .vectors_enable = BIT(MCUCR, IVCE),
    .bod_off = BIT(MCUCR, BODS),
    .bod_off_enable = BIT(MCUCR, BODSE),
    .reset_flags = MCUSR,
    .adc = ADCSRA,
    .boot = {.byte = FUSE_HIGH, .words = 256},
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
    .boot = {.byte = FUSE_HIGH, .words = 256},
    .signature_row = true,
    .signature = {SIGNATURE_0, SIGNATURE_1, SIGNATURE_2},
    .calibration = 0x80,
    .lock_bits = 0x3f,
    .eeprom_busy = BIT(EECR, 1),
    .vector = SPM_READY_vect_num,
};

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

static const struct timer_config timer0 = {
    TIMER_8(0, PIN(D, 6), PIN(D, 5)),
    TIMER_SYNCHRONOUS(PIN(D, 4)),
    .power_reduction = BIT(PRR, PRTIM0),
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(B, 0)),       TIMER_16_AB(1, PIN(B, 1), PIN(B, 2)),  TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 5)), .capture_comparator = BIT(ACSR, ACIC), .power_reduction = BIT(PRR, PRTIM1),
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

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */
    {"power", &avr_power, &power},
    {"watchdog", &avr_watchdog, &watchdog},
    {"motet", &avr_simulation, NULL},

    /* memories */
    {"eeprom", &avr_eeprom, &eeprom},
    {"flash", &avr_selfprogram, &selfprogram},

    /* ports, external and pin-change interrupts */

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer2", &avr_timer, &timer2},

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */

};

static const struct avr_core core = {.pc_bytes = 2, .vectors = 26, .bit_writes_whole_byte = false};

const struct chip chip_atmega328p = {
    .name = "atmega328p",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x8000,
    .ram_start = 0x100,
    .ram_size = 0x800,
    .ports = "ABCD",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .fuses = {0xff, 0xd9, 0xff},
    .lock = 0xff,
};
