/* ATmega2560, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega2560.h"

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
    TWI_REGISTERS(TWI_vect_num),
    .twamr = TWAMR,
    .scl = PIN(D, 0),
    .sda = PIN(D, 1),
    .bus = 0,
    .power_reduction = BIT(PRR0, PRTWI),
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
    {"usart2", &usart_type, &usart2},
    {"usart3", &usart_type, &usart3},
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */

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
    .fuses = {0xff, 0x99, 0x62},
    .lock = 0xff,
};
