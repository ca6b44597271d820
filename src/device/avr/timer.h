/* AVR timers: 8- and 16-bit timer/counters with their prescaler, compare outputs, input capture and asynchronous clock.
 *
 * Timing. A write to a register in cycle t holds from cycle t+1 on: TCNT written with v reads v in t+1 and, on the
 * undivided clock, v+1 in t+2; the clock at the beginning of t+1 still sees the old registers, and sets its flags, but
 * cannot count past a written TCNT. What a timer clock at the beginning of cycle T does (flags, interrupt lines,
 * outputs) is visible in T.
 *
 * Invariant: the counter is worked out up to the cycle `last` of its clock; what a clock in between does visibly by
 * itself (a flag with an enabled interrupt, a connected output) has an event, everything else is computed at an access.
 * A timer without such effects has no events.
 *
 * The 8-bit timer is the 16-bit one with MAX 0xff and no TEMP register. The asynchronous timer (timer 2; on the
 * ATmega128 timer 0) counts in AVR_CLOCK_ASY while AS is set: writes wait in a temporary register for the second rising
 * edge of the watch crystal ("Asynchronous Operation of Timer/Counter"), flags reach the CPU three cycles late.
 *
 * The high-speed timers (timer 1 of ATtiny25/45/85, timer 4 of ATmega16U4/32U4) are the same with TOP in OCRnC, a PWM
 * bit for each channel, complementary outputs with dead time, and the PLL as a second clock (AVR_CLOCK_FAST). What is
 * not modelled: the delays by which registers cross into the PLL's domain, and of timer 4 the modes PWM6 and enhanced,
 * fault protection, and TLOCK4. Where the PLL is faster than the node's ticks, pins move at ticks.
 */
#ifndef DEVICE_AVR_TIMER_H
#define DEVICE_AVR_TIMER_H

#include "device/avr/interrupt.h"
#include "device/avr/prescaler.h"
#include "device/avr/sampler.h"
#include "device/avr/waveform.h"
#include "device/bits.h"

/* Entries of a clock select table other than a divisor. */
enum { TIMER_STOPPED = 0, TIMER_FALLING = 0xfffe, TIMER_RISING = 0xffff };

/* A timer's interrupts and flags, in the order of enum waveform_flag's bits. */
enum { TIMER_CONTROLS = 5, TIMER_MODES = 3 };

enum timer_flag { TIMER_OVERFLOW, TIMER_COMPARE_A, TIMER_COMPARE_B, TIMER_COMPARE_C, TIMER_CAPTURE, TIMER_FLAGS };

struct timer_config;

/* The other output on a pin with an output compare modulator ("Output Compare Modulator"): with both connected the pin
 * carries their AND, or their OR while the bit of the port is set. */
struct timer_modulator {
    const struct timer_config *partner; /* NULL: none */
    uint8_t channel;
    struct bits port, toggle; /* PORTx, and PINx where writing it toggles the port */
};

struct timer_channel {
    uint16_t compare; /* OCRnx, its low byte; 0: this timer has no such channel */
    struct bits output, force;
    unsigned pin;        /* OCnx */
    struct bits pwm;     /* PWMnx, where each channel has its own */
    unsigned complement; /* its inverse, where the timer `complements` */
    uint16_t dead;       /* DTnx: dead time before OCnx rises (high nibble) and its inverse rises; 0: none */
    struct bits busy;
    struct timer_modulator modulator;
};

struct timer_config {
    bool wide;
    uint16_t count, capture;          /* TCNTn, ICRn, their low bytes; capture 0: none */
    uint16_t control[TIMER_CONTROLS]; /* TCCRnA, B, ...; 0 where there is none */
    uint8_t kept[TIMER_CONTROLS];     /* bits of these that are memory and nothing else */
    struct bits mode[TIMER_MODES];    /* WGM, the low bits first */
    struct bits clock;                /* CS */
    const struct waveform_mode *modes;
    uint16_t toggle_modes;    /* PWM modes in which COMnA = 1 toggles OCnA */
    const uint16_t *divisors; /* by CS */
    struct timer_channel channel[WAVEFORM_CHANNELS];
    struct avr_interrupt interrupt[TIMER_FLAGS];

    struct bits noise_canceller, capture_edge;  /* ICNC, ICES */
    struct bits capture_comparator, comparator; /* ACIC, ACO */
    unsigned clock_pin, capture_pin;            /* Tn, ICPn */
    uint16_t adc[2];                            /* ADCSRA and B, where flags of the timer can trigger the ADC */

    struct bits prescaler_reset, synchronisation; /* PSRx, TSM */
    struct bits power_reduction;

    struct bits asynchronous, external_clock; /* AS, EXCLK; the rest only where AS exists */
    struct bits count_busy, control_busy[2];
    unsigned oscillator_pin; /* TOSC1 */

    /* Of the high-speed timers. */
    uint16_t top;               /* OCRnC; 0: none */
    uint16_t high;              /* TCnH: two bits more for all registers; 0: none */
    bool complements;           /* COMnx = 1 in PWM: non-inverting, with the complementary output connected */
    bool constant;              /* see struct waveform */
    struct bits fast;           /* counts in AVR_CLOCK_FAST while not zero */
    struct bits dead_prescaler; /* DTPSn: the clock of dead times is divided by 1, 2, 4, 8 */
    uint16_t shadow;            /* a control register whose high nibble is that of control[0] */

    struct bits strobe; /* while it is 1, matches of channel A clock the USI (USICS); absent: there is none */
};

/* Waveform generation modes by WGM, and clock sources by CS. */
extern const struct waveform_mode timer_modes_8[8], timer_modes_16[16];
extern const uint16_t timer_divisors[8];              /* of the synchronous timers */
extern const uint16_t timer_divisors_asynchronous[8]; /* of the timer with a crystal */

/* Of the high-speed timers: by CTC1, PWM1A and PWM1B; by WGM4, PWM4B, PWM4A and PWM4D. */
extern const struct waveform_mode timer_modes_tiny[8], timer_modes_u4[32];
extern const uint16_t timer_divisors_fast[16];

/* The second for timers that have complementary outputs. */
extern const struct device_type avr_timer, avr_timer_high_speed;

/* The device with this config on the node's chip. */
const struct device *timer_find(const struct node *n, const struct timer_config *config);

/* ACO, the analog comparator's output and with ACIC the source of input capture, has changed: `late` cycles ago, as it
 * is "directly connected to the input capture front-end logic". */
void timer_comparator(struct node *n, const struct device *timer, unsigned late);

#endif
