/* Tables of timers: the config of a timer whose registers have the regular names TCCRnA, OCRnA, TIMSKn, ...
 *
 * For chip tables, which include the register names of exactly one chip; what is irregular (pins, power reduction) they
 * add themselves.
 */
#ifndef CHIP_AVR_TIMERS_H
#define CHIP_AVR_TIMERS_H

#include "device/avr/timer.h"

#define TIMER_CHANNEL(n, x, force_register, pin_)                                                                   \
    {                                                                                                               \
        .compare = OCR##n##x, .output = BITS(TCCR##n##A, COM##n##x##0, 2), .force = BIT(force_register, FOC##n##x), \
        .pin = (pin_)                                                                                               \
    }

#define TIMER_FLAG_OVERFLOW(n) \
    [TIMER_OVERFLOW] = {       \
        .vector = TIMER##n##_OVF_vect_num, .enable = BIT(TIMSK##n, TOIE##n), .flag = BIT(TIFR##n, TOV##n)}
#define TIMER_FLAG_COMPARE(n, x) \
    [TIMER_COMPARE_##x] = {      \
        .vector = TIMER##n##_COMP##x##_vect_num, .enable = BIT(TIMSK##n, OCIE##n##x), .flag = BIT(TIFR##n, OCF##n##x)}

/* An 8-bit timer with two channels. In modes 5 and 7 COMnA = 1 toggles OCnA. */
#define TIMER_8(n, pin_a, pin_b)                                                                                  \
    .count = TCNT##n, .control = {TCCR##n##A, TCCR##n##B},                                                        \
    .mode = {BITS(TCCR##n##A, WGM##n##0, 2), BIT(TCCR##n##B, WGM##n##2)}, .clock = BITS(TCCR##n##B, CS##n##0, 3), \
    .modes = timer_modes_8, .toggle_modes = 1 << 5 | 1 << 7,                                                      \
    .channel = {TIMER_CHANNEL(n, A, TCCR##n##B, pin_a), TIMER_CHANNEL(n, B, TCCR##n##B, pin_b)},                  \
    .interrupt = {TIMER_FLAG_OVERFLOW(n), TIMER_FLAG_COMPARE(n, A), TIMER_FLAG_COMPARE(n, B)}

/* What the synchronous timers share. */
#define TIMER_SYNCHRONOUS(clock_pin_)                                                              \
    .divisors = timer_divisors, .clock_pin = (clock_pin_), .prescaler_reset = BIT(GTCCR, PSRSYNC), \
    .synchronisation = BIT(GTCCR, TSM)

/* What timer 2 has to run from a crystal. */
#define TIMER_2_ASYNCHRONOUS(oscillator_pin_)                                                                      \
    .divisors = timer_divisors_asynchronous, .prescaler_reset = BIT(GTCCR, PSRASY),                                \
    .synchronisation = BIT(GTCCR, TSM), .asynchronous = BIT(ASSR, AS2), .external_clock = BIT(ASSR, EXCLK),        \
    .count_busy = BIT(ASSR, TCN2UB), .channel[0].busy = BIT(ASSR, OCR2AUB), .channel[1].busy = BIT(ASSR, OCR2BUB), \
    .control_busy = {BIT(ASSR, TCR2AUB), BIT(ASSR, TCR2BUB)}, .oscillator_pin = (oscillator_pin_)

/* A 16-bit timer, but for its interrupts. */
#define TIMER_16(n, capture_pin_)                                                                                     \
    .wide = true, .count = TCNT##n, .capture = ICR##n, .control = {TCCR##n##A, TCCR##n##B, TCCR##n##C},               \
    .mode = {BITS(TCCR##n##A, WGM##n##0, 2), BITS(TCCR##n##B, WGM##n##2, 2)}, .clock = BITS(TCCR##n##B, CS##n##0, 3), \
    .modes = timer_modes_16, .noise_canceller = BIT(TCCR##n##B, ICNC##n), .capture_edge = BIT(TCCR##n##B, ICES##n),   \
    .capture_pin = (capture_pin_)

/* PWM modes in which COMnA = 1 toggles OCnA: 9, 11, 14 and 15. */
#define TIMER_16_TOGGLES .toggle_modes = 1 << 9 | 1 << 11 | 1 << 14 | 1 << 15

#define TIMER_16_AB(n, pin_a, pin_b)                                                                               \
    TIMER_16_TOGGLES, .channel = {TIMER_CHANNEL(n, A, TCCR##n##C, pin_a), TIMER_CHANNEL(n, B, TCCR##n##C, pin_b)}, \
                      .interrupt = {TIMER_FLAG_OVERFLOW(n), TIMER_FLAG_COMPARE(n, A), TIMER_FLAG_COMPARE(n, B)}

#define TIMER_16_ABC(n, pin_a, pin_b, pin_c)                                                        \
    TIMER_16_TOGGLES,                                                                               \
        .channel = {TIMER_CHANNEL(n, A, TCCR##n##C, pin_a), TIMER_CHANNEL(n, B, TCCR##n##C, pin_b), \
                    TIMER_CHANNEL(n, C, TCCR##n##C, pin_c)},                                        \
        .interrupt = {TIMER_FLAG_OVERFLOW(n), TIMER_FLAG_COMPARE(n, A), TIMER_FLAG_COMPARE(n, B),   \
                      TIMER_FLAG_COMPARE(n, C)}

/* Its capture interrupt, where there is one. */
#define TIMER_16_CAPTURE(n)       \
    .interrupt[TIMER_CAPTURE] = { \
        .vector = TIMER##n##_CAPT_vect_num, .enable = BIT(TIMSK##n, ICIE##n), .flag = BIT(TIFR##n, ICF##n)}

#endif
