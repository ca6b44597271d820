/* Timer 1 counts the main clock divided by 64. */
#include <avr/sleep.h>

#include "board.h"
#include "timer.h"

ISR(TIMER1_COMPA_vect)
{
    timer_interrupt();
}

counter_t board_counter(void)
{
    return TCNT1;
}

void board_compare(counter_t at)
{
    OCR1A = at;
}

void board_counter_start(void)
{
    TCCR1A = 0;
    TCCR1B = 1 << CS11 | 1 << CS10;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
}

/* The instruction after SEI is executed before any interrupt: nothing can come between it and SLEEP. */
void board_sleep(void)
{
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
    cli();
}
