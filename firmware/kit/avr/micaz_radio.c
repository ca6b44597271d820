#include "avr/radio_capture.h"
#include "board.h"
#include "cc2420.h"

ISR(INT6_vect)
{
    cc2420_frame_end();
}

ISR(TIMER1_CAPT_vect)
{
    cc2420_delimiter(radio_captured_time());
}

void cc2420_watch(bool on)
{
    radio_capture(on);
}

void cc2420_pins_start(void)
{
    PORTA = (PORTA & ~(1 << PA5)) | 1 << PA6;
    DDRA |= 1 << PA5 | 1 << PA6;
    EICRB |= 1 << ISC61 | 1 << ISC60;
    EIFR = 1 << INTF6;
    EIMSK |= 1 << INT6;
    radio_capture_start();
}

/* INT6 notices edges by means of the I/O clock (ATmega128 datasheet, "External Interrupts"), and timer 1 needs it. */
void cc2420_listens(bool on)
{
    if (on)
        board_clock_hold();
    else
        board_clock_release();
}
