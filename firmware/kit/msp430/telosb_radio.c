#include "cc2420.h"

#include "board.h"
#include "timer.h"

INTERRUPT_WAKING(PORT1_VECTOR, port1_handler)
{
    P1IFG = 0;
    cc2420_frame_end();
}

/* SFD is at P4.1, whose edges timer B captures in its own count, the ticks. */
INTERRUPT_WAKING(TIMERB1_VECTOR, capture_handler)
{
    if (TBIV != TBIV_TBCCR1)
        return;
    uint32_t now = timer_now();
    cc2420_delimiter(now - (counter_t)((counter_t)now - TBCCR1));
}

void cc2420_pins_start(void)
{
    P4OUT = (P4OUT & ~0x20) | 0x44;
    P4DIR |= 0x64;
    P4SEL |= 0x02;
    TBCCTL1 = CM_1 | CCIS_0 | SCS | CAP | CCIE;
    P1IES &= ~0x01;
    P1IFG = 0;
    P1IE |= 0x01;
}

/* Neither the port nor timer B needs more than the watch crystal. */
void cc2420_listens(bool on)
{
    (void)on;
}
