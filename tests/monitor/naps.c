/* Works for 4000 cycles of each 16000 and sleeps through the rest, a hundred times; then ends the run. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <motet.h>

EMPTY_INTERRUPT(TIMER1_COMPA_vect)

__attribute__((noinline)) static void work(void)
{
    __builtin_avr_delay_cycles(4000);
}

int main(void)
{
    OCR1A = 15999;
    TCCR1B = _BV(WGM12) | _BV(CS10);
    TIMSK1 = _BV(OCIE1A);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (unsigned char i = 0; i < 100; i++) {
        sleep_mode();
        work();
    }
    motet_exit(0);
}
