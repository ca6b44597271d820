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

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR0, 0xef, 0},
    {PRR1, 0x3f, 0},   {RAMPZ, 0x03, 0},  {EIND, 0x01, 0},   {XMCRA, 0xff, 0},     {XMCRB, 0x87, 0},
};

#define MEGAX0_ADC_PINS                                                                                               \
    {                                                                                                                 \
        PIN(F, 0), PIN(F, 1), PIN(F, 2), PIN(F, 3), PIN(F, 4), PIN(F, 5), PIN(F, 6), PIN(F, 7), PIN(K, 0), PIN(K, 1), \
            PIN(K, 2), PIN(K, 3), PIN(K, 4), PIN(K, 5), PIN(K, 6), PIN(K, 7)                                          \
    }
#define MEGAX0_MUX5 BIT(ADCSRB, MUX5)
#include "chip/avr/megax0.h"

PORT(H, 0xff);
PORT(J, 0xff);
PORT(K, 0xff, .input_disable = {DIDR2, 0xff, 0});
PORT(L, 0xff);

static const struct avr_pcint pcint1 = {
    .pins = {PIN(E, 0), PIN(J, 0), PIN(J, 1), PIN(J, 2), PIN(J, 3), PIN(J, 4), PIN(J, 5), PIN(J, 6)}, GROUP(1)};
static const struct avr_pcint pcint2 = {
    .pins = {PIN(K, 0), PIN(K, 1), PIN(K, 2), PIN(K, 3), PIN(K, 4), PIN(K, 5), PIN(K, 6), PIN(K, 7)},
    GROUP(2),
    .input_disable = {DIDR2, 0xff, 0}};

static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 4), PIN(H, 6)),
    TIMER_2_ASYNCHRONOUS(PIN(G, 4)),
    .power_reduction = BIT(PRR0, PRTIM2),
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

static const struct chip_device devices[] = {
    /* power, clocks, watchdog, memories */
    MEGAX0_POWER_DEVICES,

    /* ports, external and pin-change interrupts */
    MEGAX0_PORT_DEVICES,
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
