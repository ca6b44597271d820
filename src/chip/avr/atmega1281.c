/* ATmega1281, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/atmega1281.h"

/* clang-format off */
#define MEGAX0_CORE     AVR_CORE_51
#define MEGAX0_PLAIN    {PRR1, 0x39, 0}, {RAMPZ, 0x01, 0}
#define MEGAX0_ADC_PINS NO_PINS_8
#define MEGAX0_MUX5     {0}
/* clang-format on */
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
    MEGAX_CORE_DEVICES,   MEGAX0_PORT_DEVICES,  MEGAX0_INTERRUPT_DEVICES,
    MEGAX0_TIMER_DEVICES, MEGAX0_USART_DEVICES, MEGAX0_OTHER_DEVICES,
};

const struct chip chip_atmega1281 = {MEGAX0_CHIP, .name = "atmega1281", .ports = "ABCDEFG", .default_hz = 8000000};
