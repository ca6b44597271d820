/* PLL: the clock of a high-speed timer, many times that of its source (PLLCSR; PLLFRQ on ATmega16U4/32U4).
 *
 * ATtiny25/45/85: 64 MHz from the internal oscillator, or 32 in low-speed mode (LSM). ATmega16U4/32U4: 40 to 96 MHz by
 * PDIV from an input of 8 MHz, which is the main oscillator, halved by PINDIV; PLLTM divides what timer 4 gets by
 * 1, 1.5 or 2. PLOCK is set 100 us after PLLE ("PLL lock time", typical). Invariant: AVR_CLOCK_FAST runs at what
 * avr_pll_hz says whenever the sleep mode leaves the main oscillator to the peripherals; power.c sets it.
 */
#ifndef DEVICE_AVR_PLL_H
#define DEVICE_AVR_PLL_H

#include "device/bits.h"

struct avr_pll {
    struct bits enable, locked;     /* PLLE, PLOCK */
    struct bits timer_enable;       /* PCKE; absent: timer_divider decides */
    struct bits low_speed;          /* LSM */
    struct bits halve;              /* PINDIV */
    struct bits factor;             /* PDIV: the output by steps of 8 MHz from an input of 8 MHz; absent: 64 MHz */
    struct bits timer_divider;      /* PLLTM */
    struct bits usb_divider, input; /* PLLUSB, PINMUX: kept */
};

extern const struct device_type avr_pll;

/* What a high-speed timer gets now, in hertz; 0 while the PLL is off. */
double avr_pll_hz(const struct node *n, const struct avr_pll *c);

#endif
