/* A constant before a jump is none at the label after it: what `done` reads is of a message, not a register (0xac). */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

static volatile uint8_t ticks;
uint8_t state = 8, message[60], other[60];
uint16_t timer, sent;

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

__attribute__((noinline)) static void start_timer(uint16_t window, uint16_t offset)
{
    timer += (window ^ TCNT0) + offset;
}

__attribute__((noinline)) static void retry(uint16_t to)
{
    sent += to;
}

__attribute__((noinline, noclone)) static void done(uint8_t *at, uint8_t error)
{
    if (error) {
        start_timer(128, 128);
    } else if (state & 8 && !at[44]) {
        retry((uint16_t)(at[6] | at[7] << 8));
        start_timer(64, 64);
    }
}

int main(void)
{
    TCCR0 = 1 << CS01 | 1 << CS00;
    TIMSK = 1 << TOIE0;
    sei();
    for (;;) {
        message[44] = ticks & 4;
        message[6] = ticks;
        done(message, ticks & 1);
        done(other, ticks & 2);
        sleep_mode();
    }
}
