#include "board.h"

static void (*frame_there)(void);

ISR(INT6_vect)
{
    frame_there();
}

/* INT6 notices edges by means of the I/O clock (ATmega128 datasheet, "External Interrupts"), so sleep stays shallow. */
void cc2420_pins_start(void (*event)(void))
{
    frame_there = event;
    PORTA = (PORTA & ~(1 << PA5)) | 1 << PA6;
    DDRA |= 1 << PA5 | 1 << PA6;
    board_clock_hold();
    EICRB |= 1 << ISC61 | 1 << ISC60;
    EIFR = 1 << INTF6;
    EIMSK |= 1 << INT6;
}
