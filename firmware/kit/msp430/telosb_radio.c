#include "cc2420.h"

#include "board.h"
#include "timer.h"

INTERRUPT_WAKING(PORT1_VECTOR, port1_handler)
{
    P1IFG = 0;
    cc2420_frame_end();
}

/* SFD is at P4.1, whose edges timer B captures in its own count, the ticks. */
_Static_assert(COUNTER_STEP < 0x8000, "so that timer_time_of() works");
INTERRUPT_WAKING(TIMERB1_VECTOR, capture_handler)
{
    (void)TBIV; /* clears the flag; this vector has only one */
    cc2420_delimiter(timer_time_of(TBCCR1));
}

/* What was captured meanwhile is forgotten. */
void cc2420_watch(bool on)
{
    TBCCTL1 = CM_1 | CCIS_0 | SCS | CAP | (on ? CCIE : 0);
}

void cc2420_pins_start(void)
{
    P4OUT = (P4OUT & ~0x20) | 0x44;
    P4DIR |= 0x64;
    P4SEL |= 0x02;
    cc2420_watch(true);
    P1IES &= ~0x01;
    P1IFG = 0;
    P1IE |= 0x01;
}

/* Neither the port nor timer B needs more than the watch crystal. */
void cc2420_listens(bool on)
{
    (void)on;
}
