/* Timer 1 runs beside the ticks and captures when a pin of the radio rises (PD4 on MICAz and IRIS), so that a handler
 * that comes late still knows when it was. It turns every 0.57 s. */
#ifndef KIT_AVR_RADIO_CAPTURE_H
#define KIT_AVR_RADIO_CAPTURE_H

#include "board.h"
#include "timer.h"

#ifdef TIMSK
#define CAPTURE_MASK  TIMSK
#define CAPTURE_FLAGS TIFR
#define CAPTURE_ON    (1 << TICIE1)
#else
#define CAPTURE_MASK  TIMSK1
#define CAPTURE_FLAGS TIFR1
#define CAPTURE_ON    (1 << ICIE1)
#endif

/* What was captured meanwhile is forgotten. */
static inline void radio_capture(bool on)
{
    CAPTURE_FLAGS = 1 << ICF1;
    if (on)
        CAPTURE_MASK |= CAPTURE_ON;
    else
        CAPTURE_MASK &= ~CAPTURE_ON;
}

static inline void radio_capture_start(void)
{
    TCCR1A = 0;
    TCCR1B = 1 << ICES1 | 1 << CS11 | 1 << CS10; /* rising edge, 1/64 of the clock */
    radio_capture(true);
}

/* For the handler. */
static inline uint32_t radio_captured_time(void)
{
    uint16_t elapsed = TCNT1 - ICR1;
    return timer_now() - (uint32_t)elapsed * 64 / (F_CPU / TICKS_PER_SECOND);
}

#endif
