/* Handlers of every kind: naked ones with C or assembly in them, other names of one, empty ones. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint16_t ticks, laps;
volatile uint8_t counted;

/* In assembly, with the variable by its name. */
ISR(TIMER0_COMP_vect, ISR_NAKED)
{
    __asm__ volatile("push r24\n\tin r24,__SREG__\n\tpush r24\n\tlds r24,counted\n\tinc r24\n\tsts counted,r24\n\t"
                     "pop r24\n\tout __SREG__,r24\n\tpop r24\n\treti");
}

/* In C that needs no register. */
ISR(TIMER1_COMPB_vect, ISR_NAKED)
{
    PORTB |= 1;
    reti();
}

ISR(TIMER1_COMPA_vect)
{
    ticks++;
    laps += TCNT0 & 7;
}

ISR(TIMER1_OVF_vect, ISR_ALIASOF(TIMER1_COMPA_vect));
ISR(TIMER3_COMPA_vect, ISR_ALIASOF(TIMER1_COMPA_vect));
EMPTY_INTERRUPT(TIMER2_COMP_vect)

/* For all that have none: TIMER3_COMPB and TIMER3_COMPC. */
ISR(BADISR_vect)
{
    laps += 3;
}

/* Saves what it needs and calls: a trampoline. */
static void __attribute__((used)) worked(void)
{
    laps++;
}

ISR(TIMER2_OVF_vect, ISR_NAKED)
{
    __asm__ volatile("push r0\n\tin r0,__SREG__\n\tpush r0\n\tpush r1\n\tclr r1\n\tpush r18\n\tpush r19\n\tpush r20\n\t"
                     "push r21\n\tpush r22\n\tpush r23\n\tpush r24\n\tpush r25\n\tpush r26\n\tpush r27\n\tpush r30\n\t"
                     "push r31\n\tcall worked\n\tpop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tpop r25\n\tpop r24\n\t"
                     "pop r23\n\tpop r22\n\tpop r21\n\tpop r20\n\tpop r19\n\tpop r18\n\tpop r1\n\tpop r0\n\t"
                     "out __SREG__,r0\n\tpop r0\n\treti");
}

int main(void)
{
    TCCR0 = 1 << CS02, OCR0 = 77;
    TCCR1B = 1 << CS10, OCR1A = 3000, OCR1B = 20000;
    TCCR2 = 1 << CS22, OCR2 = 100;
    TCCR3B = 1 << CS31 | 1 << WGM32, OCR3A = 4999;
    TIMSK = 1 << OCIE0 | 1 << OCIE1A | 1 << OCIE1B | 1 << TOIE1 | 1 << OCIE2 | 1 << TOIE2;
    OCR3B = 1000, OCR3C = 3000;
    ETIMSK = 1 << OCIE3A | 1 << OCIE3B | 1 << OCIE3C;
    sei();
    for (uint16_t n = 0;; n++) {
        if (PORTB & 1)
            PORTB = 0;
        if (n % 64 == 0) {
            set_sleep_mode(SLEEP_MODE_IDLE);
            sleep_mode();
        }
    }
}
