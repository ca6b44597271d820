#include "cc2420.h"

#include "board.h"
#include "timer.h"

#define PRESCALER       64
#define CYCLES_PER_TICK (F_CPU / TICKS_PER_SECOND) /* 225 */

ISR(INT6_vect)
{
    cc2420_frame_end();
}

/* SFD is at the input capture of timer 1, which turns every 0.57 s: how long ago it rose. */
ISR(TIMER1_CAPT_vect)
{
    uint16_t elapsed = TCNT1 - ICR1;
    cc2420_delimiter(timer_now() - (uint32_t)elapsed * PRESCALER / CYCLES_PER_TICK);
}

/* INT6 notices edges by means of the I/O clock (ATmega128 datasheet, "External Interrupts"), so sleep stays shallow. */
void cc2420_pins_start(void)
{
    PORTA = (PORTA & ~(1 << PA5)) | 1 << PA6;
    DDRA |= 1 << PA5 | 1 << PA6;
    board_clock_hold();
    EICRB |= 1 << ISC61 | 1 << ISC60;
    EIFR = 1 << INTF6;
    EIMSK |= 1 << INT6;
    TCCR1A = 0;
    TCCR1B = 1 << ICES1 | 1 << CS11 | 1 << CS10;
    TIFR = 1 << ICF1;
    TIMSK |= 1 << TICIE1;
}
