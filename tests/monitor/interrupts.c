/* Timer 1 interrupts a loop of work every 16000 cycles; the handler calls tick(). Interrupts are off for a known time
 * in each round, so that some wait. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay_basic.h>

volatile uint16_t ticks, rounds;

__attribute__((noinline, noclone)) void tick(void)
{
    ticks++;
}

ISR(TIMER1_COMPA_vect)
{
    tick();
}

/* Always the same number of cycles. */
__attribute__((noinline, noclone)) void work(void)
{
    _delay_loop_2(1000);
}

__attribute__((noinline, noclone)) void guarded(void)
{
    cli();
    _delay_loop_2(100);
    sei();
}

int main(void)
{
    OCR1A = 15999;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    sei();
    for (;;) {
        work();
        guarded();
        rounds++;
    }
}
