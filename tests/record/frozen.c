/* An invariant that fails after a while and freezes the log. In its second life the node lifts that: it is to record in
 * the third. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void motet_freeze(void);
void motet_clear(void);

static volatile uint16_t ticks;
static uint16_t limit = 300;
static uint32_t sum;
uint8_t lives __attribute__((section(".noinit")));

ISR(TIMER0_COMP_vect)
{
    ticks++;
    sum += TCNT1;
}

int main(void)
{
    if (lives > 2)
        lives = 0;
    if (lives++ == 1)
        motet_clear();
    TCCR1B = 1 << CS10;
    OCR0 = 19;
    TCCR0 = 1 << WGM01 | 1 << CS02 | 1 << CS01; /* 1440 interrupts a second */
    TIMSK = 1 << OCIE0;
    sei();
    for (;;) {
        if (ticks >= *(volatile uint16_t *)&limit)
            motet_freeze();
        cli();
        sleep_enable();
        sei();
        sleep_cpu();
    }
}
