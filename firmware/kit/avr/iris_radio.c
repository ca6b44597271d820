#include "board.h"
#include "avr/radio_capture.h"
#include "rf230.h"

ISR(TIMER1_CAPT_vect)
{
    rf230_interrupt(radio_captured_time());
}

/* The chip's IRQ is at the input capture of timer 1, which needs the I/O clock: sleep stays shallow. */
void rf230_pins_start(void)
{
    PORTA |= 1 << PA6;
    DDRA |= 1 << PA6;
    PORTB &= ~(1 << PB7);
    DDRB |= 1 << PB7;
    board_clock_hold();
    radio_capture_start();
}
