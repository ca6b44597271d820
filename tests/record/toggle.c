/* Writing ones to PINx toggles PORTx, on chips newer than the ATmega128; PC6 is the reset pin, not the port's. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile unsigned char seen[4];

ISR(TIMER0_OVF_vect) {}

int main(void)
{
    DDRD = 0xff;
    TCCR0B = 3;
    TIMSK0 = 1 << TOIE0;
    sei();
    for (unsigned char i = 0;; i++) {
        PIND = i;
        PORTC = i;
        seen[i & 3] = PORTD ^ PORTC;
        if (PORTD & 4)
            seen[0]++;
        set_sleep_mode(SLEEP_MODE_IDLE);
        sleep_mode();
    }
}
