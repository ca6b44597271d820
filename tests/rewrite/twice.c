/* Library routines called several times with the same arguments, between which nothing else counts. With INDIRECT the
 * rewriter does not see them, and replay must say that it cannot know in which call an interrupt came. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <string.h>

static volatile uint16_t ticks;
static uint32_t sum;
static uint8_t bytes[120];

#ifdef INDIRECT
static void *(*volatile set)(void *, int, size_t) = memset;
#else
#define set memset
#endif

ISR(TIMER0_OVF_vect)
{
    ticks++;
    bytes[ticks % 100] = (uint8_t)ticks;
}

int main(void)
{
    TCCR0 = 1 << CS02;
    TIMSK = 1 << TOIE0;
    sei();
    for (;;) {
        for (uint8_t i = 0; i < 8; i++) {
            set(bytes, 0, 120);
            set(bytes, 0, 120);
            set(bytes, 0, 120);
            for (uint8_t k = 0; k < 100; k += 9)
                sum = sum * 3 + bytes[k];
        }
        set_sleep_mode(SLEEP_MODE_IDLE);
        sleep_mode();
    }
}
