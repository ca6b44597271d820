/* Positions by cycles of Timer1, on an ATmega328P: other addresses of the timer, and the codec `plain`. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

static volatile uint8_t ticks, taken;
static uint16_t numbers[16];

ISR(TIMER0_COMPA_vect)
{
    ticks++;
}

ISR(TIMER2_OVF_vect, ISR_NOBLOCK)
{
    taken = (uint8_t)(taken * 3 + ticks);
}

static int order(const void *a, const void *b)
{
    return *(const uint16_t *)a > *(const uint16_t *)b ? 1 : -1;
}

int main(void)
{
    DDRC = 0xff;
    OCR0A = 157;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    TIMSK0 = 1 << OCIE0A;
    TCCR2B = 1 << CS22 | 1 << CS21;
    TIMSK2 = 1 << TOIE2;
    ADCSRA = 1 << ADEN | 7;
    sei();
    for (uint8_t round = 0;; round++) {
        for (uint8_t i = 0; i < 16; i++)
            numbers[i] = (uint16_t)(numbers[i] * 31u + ticks + round) / 3u;
        qsort(numbers, 16, sizeof *numbers, order);
        PORTC = (uint8_t)numbers[round % 16];
        ADCSRA |= 1 << ADSC;
        while (ADCSRA & 1 << ADSC)
            ;
        PORTC = (uint8_t)(ADC + taken);
        cli();
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
}
