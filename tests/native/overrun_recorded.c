/* Records, and writes past an array after a while: on the chip into the variable behind it. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

__attribute__((section(".data.a"))) static uint8_t samples[8] = {1};
__attribute__((section(".data.b"))) static volatile uint8_t behind = 1;
static volatile uint8_t beats;
static uint8_t next;
static uint16_t rounds;

ISR(TIMER1_COMPA_vect)
{
    beats++;
}

static void keep(uint8_t sample)
{
    samples[next++] = sample; /* here */
    if (next == (rounds > 1000 ? 9 : 8))
        next = 0;
    rounds += behind != 0;
}

int main(void)
{
    OCR1A = 40000;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TIMSK = 1 << OCIE1A;
    sei();
    for (;;) {
        keep((uint8_t)(TCNT1L ^ PINB));
        sleep_mode();
    }
}
