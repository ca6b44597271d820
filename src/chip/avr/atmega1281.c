/* ATmega1281, from its datasheet; register and vector numbers from avr-libc. */
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
#include "registers/atmega1281.h"

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR0, 0xef, 0},
    {PRR1, 0x39, 0},   {RAMPZ, 0x01, 0},  {XMCRA, 0xff, 0},  {XMCRB, 0x87, 0},
};

#define MEGAX0_ADC_PINS                                                                                             \
    {                                                                                                               \
        PIN(F, 0), PIN(F, 1), PIN(F, 2), PIN(F, 3), PIN(F, 4), PIN(F, 5), PIN(F, 6), PIN(F, 7), PIN_NONE, PIN_NONE, \
            PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE                                              \
    }
#define MEGAX0_MUX5 \
    {               \
        0           \
    }
#include "chip/avr/megax0.h"

static const struct avr_pcint pcint1 = {
    .pins = {PIN(E, 0), PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE}, GROUP(1)};

static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 4), PIN_NONE),
    TIMER_2_ASYNCHRONOUS(PIN(G, 4)),
    .power_reduction = BIT(PRR0, PRTIM2),
};
/* Timers 4 and 5 have no pins in the 64-pin package. */
static const struct timer_config timer4 = {
    TIMER_16(4, PIN_NONE),
    TIMER_16_ABC(4, PIN_NONE, PIN_NONE, PIN_NONE),
    .interrupt[TIMER_CAPTURE].flag = BIT(TIFR4, ICF4), /* without an interrupt */
    TIMER_SYNCHRONOUS(PIN_NONE),
    .power_reduction = BIT(PRR1, PRTIM4),
};
static const struct timer_config timer5 = {
    TIMER_16(5, PIN_NONE),
    TIMER_16_ABC(5, PIN_NONE, PIN_NONE, PIN_NONE),
    .interrupt[TIMER_CAPTURE].flag = BIT(TIFR5, ICF5), /* without an interrupt */
    TIMER_SYNCHRONOUS(PIN_NONE),
    .power_reduction = BIT(PRR1, PRTIM5),
};

static const struct chip_device devices[] = {
    /* power, clocks, watchdog, memories */
    MEGAX0_POWER_DEVICES,

    /* ports, external and pin-change interrupts */
    MEGAX0_PORT_DEVICES,
    {"extint", &avr_extint, &extint},
    {"pcint0", &avr_pcint, &pcint0},
    {"pcint1", &avr_pcint, &pcint1},

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
    {"spi", &spi_type, &spi},
    {"twi", &twi_type, &twi},

    /* analog */
    {"adc", &avr_adc, &adc},
    {"comparator", &avr_comparator, &comparator},

};

static const struct avr_core core = {.pc_bytes = 2, .vectors = 57, .bit_writes_whole_byte = false};

const struct chip chip_atmega1281 = {
    .name = "atmega1281",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x20000,
    .ram_start = 0x200,
    .ram_size = 0x2000,
    .ports = "ABCDEFG",
    .default_hz = 8000000,
    CHIP_DEVICES(devices),
    .has_fuses = true,
    .fuses = {0xff, 0x99, 0xff},
    .lock = 0xff,
};
