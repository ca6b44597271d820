/* Ordinary code, built by motet cc: timers, conversions, sleep, polling, EEPROM, recursion. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

static volatile uint16_t ticks, converted, samples;
static volatile uint8_t due;
static uint16_t table[16];
static uint32_t mixed = 1;

ISR(TIMER1_COMPA_vect)
{
    ticks++;
    if (ticks % 4 == 0)
        due = 1;
}

ISR(ADC_vect)
{
    converted = ADC;
    samples++;
}

ISR(TIMER0_OVF_vect)
{
    mixed = mixed * 31 + TCNT0;
}

static uint16_t depth(uint16_t n)
{
    return n < 2 ? n : depth(n - 1) + depth(n - 2);
}

static int order(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void work(void)
{
    for (uint8_t i = 0; i < 16; i++) {
        mixed = mixed * 1103515245 + 12345 + TCNT1;
        table[i] = (uint16_t)(mixed / (i + 3));
    }
    qsort(table, 16, sizeof table[0], order); /* the library's code, which does not count */
    mixed += depth(8) + converted;
    ADCSRA |= 1 << ADSC;
}

int main(void)
{
    OCR1A = 16000;
    TCCR1B = 1 << WGM12 | 1 << CS11;
    TCCR0 = 1 << CS02 | 1 << CS01;
    TIMSK = 1 << OCIE1A | 1 << TOIE0;
    ADMUX = 1;
    ADCSRA = 1 << ADEN | 1 << ADIE | 1 << ADPS2 | 1 << ADPS1;
    mixed += eeprom_read_byte((const uint8_t *)3);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        cli();
        if (!due) {
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
        } else {
            due = 0;
            sei();
            work();
        }
    }
}
