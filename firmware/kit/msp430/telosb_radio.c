#include "board.h"

static void (*frame_there)(void);

INTERRUPT_WAKING(PORT1_VECTOR, port1_handler)
{
    P1IFG = 0;
    frame_there();
}

void cc2420_pins_start(void (*event)(void))
{
    frame_there = event;
    P4OUT = (P4OUT & ~0x20) | 0x44;
    P4DIR |= 0x64;
    P1IES &= ~0x01;
    P1IFG = 0;
    P1IE |= 0x01;
}
