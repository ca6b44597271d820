/* The handler of timer 1 lets others in and is long enough for timer 2 to come in each time; inner() has 40 bytes on
 * the stack, the deepest place there is. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <motet.h>
#include <util/delay_basic.h>

volatile uint8_t slow, quick;

__attribute__((noinline, noclone)) void inner(void)
{
    volatile uint8_t room[40];
    room[0] = 1;
    room[39] = room[0];
    quick += room[39];
}

ISR(TIMER2_COMPA_vect)
{
    inner();
}

ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    slow++;
    _delay_loop_2(1000);
}

int main(void)
{
    OCR1A = 15999;
    TIMSK1 = 1 << OCIE1A;
    OCR2A = 124; /* with a 32nd of the clock: every 4000 cycles, about as long as timer 1 takes */
    TIMSK2 = 1 << OCIE2A;
    TCCR2A = 1 << WGM21;
    TCCR2B = 1 << CS21 | 1 << CS20;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    sei();
    while (slow < 20)
        ;
    cli();
    motet_exit(0);
    return 0;
}
