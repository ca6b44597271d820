/* ATmega128, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega128.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

/* ---- serial: USART, SPI, TWI ---- */
static const struct usart_config usart0 = {
    USART_REGISTERS(0),
    USART_INTERRUPTS(0, USART0_RX_vect_num, USART0_UDRE_vect_num, USART0_TX_vect_num),
    .rxd = PIN(E, 0),
    .txd = PIN(E, 1),
    .xck = PIN(E, 2),
    .line = 0,
};

static const struct usart_config usart1 = {
    USART_REGISTERS(1),
    USART_INTERRUPTS(1, USART1_RX_vect_num, USART1_UDRE_vect_num, USART1_TX_vect_num),
    .rxd = PIN(D, 2),
    .txd = PIN(D, 3),
    .xck = PIN(D, 5),
    .line = 1,
};

static const struct spi_config spi = {
    SPI_REGISTERS(SPI_STC_vect_num),
    .ss = PIN(B, 0),
    .sck = PIN(B, 1),
    .mosi = PIN(B, 2),
    .miso = PIN(B, 3),
    .bus = 0,
};

static const struct twi_config twi = {
    TWI_REGISTERS(TWI_vect_num),
    .scl = PIN(D, 0),
    .sda = PIN(D, 1),
    .bus = 0,
};

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

    /* ports, external and pin-change interrupts */

    /* timers */

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"usart1", &usart_type, &usart1},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */

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
