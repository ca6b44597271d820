/* ATmega1281, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "chip/avr/timers.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega1281.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

/* OC0A and OC1C share PB7. */
static const struct timer_config timer0, timer1;
static const struct timer_config timer0 = {
    TIMER_8(0, PIN(B, 7), PIN(G, 5)),
    TIMER_SYNCHRONOUS(PIN(D, 7)),
    .channel[0].modulator = {&timer1, 2, BIT(PORTB, 7), BIT(PINB, 7)},
    .power_reduction = BIT(PRR0, PRTIM0),
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(D, 4)),
    TIMER_16_ABC(1, PIN(B, 5), PIN(B, 6), PIN(B, 7)),
    TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 6)),
    .channel[2].modulator = {&timer0, 0, BIT(PORTB, 7), BIT(PINB, 7)},
    .capture_comparator = BIT(ACSR, ACIC),
    .power_reduction = BIT(PRR0, PRTIM1),
};
static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 4), PIN_NONE),
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

/* ---- serial: USART, SPI, TWI ---- */

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

    /* ports, external and pin-change interrupts */

    /* timers */
    {"timer0", &avr_timer, &timer0}, {"timer1", &avr_timer, &timer1}, {"timer2", &avr_timer, &timer2},
    {"timer3", &avr_timer, &timer3}, {"timer4", &avr_timer, &timer4}, {"timer5", &avr_timer, &timer5},

    /* serial */

    /* analog */

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
    .fuses = {0xff, 0x99, 0x62},
    .lock = 0xff,
};
