/* ATmega168, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega168.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

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
    TWI_REGISTERS(TWI_vect_num),
    .twamr = TWAMR,
    .scl = PIN(C, 5),
    .sda = PIN(C, 4),
    .bus = 0,
    .power_reduction = BIT(PRR, PRTWI),
};

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

    /* ports, external and pin-change interrupts */

    /* timers */

    /* serial */
    {"usart0", &usart_type, &usart0},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */

};

static const struct avr_core core = {.pc_bytes = 2, .vectors = 26, .bit_writes_whole_byte = false};

const struct chip chip_atmega168 = {
    .name = "atmega168",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x4000,
    .ram_start = 0x100,
    .ram_size = 0x400,
    .ports = "ABCD",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .fuses = {0xf9, 0xdf, 0x62},
    .lock = 0xff,
};
