/* A program that its watchdog resets again and again. What ended the life before is read before main, and how many
 * there were is kept in memory that start-up code leaves alone. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

static volatile uint16_t ticks;
static uint32_t sum;
uint8_t cause __attribute__((section(".noinit")));
uint16_t lives __attribute__((section(".noinit")));

void early(void) __attribute__((section(".init3"), naked, used));
void early(void)
{
    cause = MCUCSR;
    MCUCSR = 0;
}

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

int main(void)
{
    if (cause & 1 << PORF)
        lives = 0;
    lives++;
    TCCR0 = 1 << CS02 | 1 << CS01 | 1 << CS00; /* 28 interrupts a second */
    TIMSK = 1 << TOIE0;
    sei();
    wdt_enable(WDTO_250MS);
    while (ticks < 10) {
        sum += TCNT1L;
        wdt_reset();
    }
    for (;;)
        sum = sum * 5 + lives;
}
