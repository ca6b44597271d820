/* A program that hangs: its watchdog interrupts before it resets, and what led there is in the flash by then. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

static volatile uint16_t ticks;
static uint32_t sum;
uint8_t rounds __attribute__((section(".noinit")));

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

static void __attribute__((noinline)) hang(void)
{
    for (;;)
        sum = sum * 5 + rounds;
}

int main(void)
{
    MCUSR = 0;
    wdt_disable();
    TCCR0B = 1 << CS02 | 1 << CS00; /* 61 interrupts a second */
    TIMSK0 = 1 << TOIE0;
    sei();
    wdt_enable(WDTO_250MS);
    while (ticks < 30) {
        sum += TCNT1L;
        wdt_reset();
    }
    rounds++;
    hang();
}
