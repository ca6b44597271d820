/* Interrupts in loops that do not count: delays, assembly, the library's division and memory moves. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <string.h>
#include <util/delay.h>
#include <util/delay_basic.h>

static volatile uint16_t ticks;
static uint32_t sum;
static uint8_t from[200], to[200];

ISR(TIMER1_COMPA_vect)
{
    ticks++;
    OCR1A = 9000 + 7 * (ticks & 63);
}

static void work(uint32_t n)
{
    _delay_us(700);
    _delay_loop_2(500);
    memcpy(to, from, sizeof to);
    sum += (n * 2654435761u) / (n | 1);
    sum ^= (uint32_t)((float)n * 1.7f);
    from[n % sizeof from] = (uint8_t)sum;
    uint8_t rounds = 250;
    __asm__ volatile("1: dec %0\n\tbrne 1b" : "+r"(rounds));
}

int main(void)
{
    OCR1A = 9000;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TIMSK |= 1 << OCIE1A;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (uint32_t n = 0;; n++) {
        work(n);
        sleep_enable();
        sleep_cpu();
    }
}
