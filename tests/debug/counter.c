/* Something to debug: calls, a variable written from two places, a timer's interrupt, sleep. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

volatile uint8_t ticks;
volatile uint16_t total;
volatile uint8_t limit = 5;

ISR(TIMER0_COMPA_vect)
{
    ticks++;
}

__attribute__((noinline)) static uint16_t square(uint8_t n)
{
    uint16_t result = 0;
    for (uint8_t i = 0; i < n; i++)
        result += n;
    return result;
}

__attribute__((noinline)) static void add(uint8_t n)
{
    uint16_t s = square(n);
    total += s;
}

int main(void)
{
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    OCR0A = 249;
    TIMSK0 = 1 << OCIE0A;
    sei();
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (uint8_t i = 1; i <= limit; i++) {
        add(i);
        sleep_mode();
    }
    eeprom_write_byte((uint8_t *)3, (uint8_t)total);
    total = 1000;
    cli();
    sleep_mode();
}
