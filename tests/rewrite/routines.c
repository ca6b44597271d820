/* Calls routines in assembly (routines.S), with interrupts in them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

uint16_t measure(uint8_t most);
void fill(uint8_t *bytes, uint8_t count);

volatile uint8_t beats;
static volatile uint16_t ticks;
static uint8_t bytes[64];
static uint32_t sum;

/* Changes the pin that is measured, and may be interrupted itself. */
ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    ticks++;
    if (!(ticks & 3))
        PORTB ^= 1;
    for (uint8_t i = 0; i < 10; i++)
        bytes[63] += i;
}

int main(void)
{
    DDRB = 1;
    TCCR0 = 1 << CS02; /* 450 interrupts a second */
    TCCR1B = 1 << CS10 | 1 << WGM12, OCR1A = 9432;
    TIMSK = 1 << TOIE0 | 1 << OCIE1A;
    sei();
    for (;;) {
        sum += measure(200) + measure(3);
        fill(bytes, (uint8_t)sum % 16 + 1);
        fill(bytes + 32, 4);
        set_sleep_mode(SLEEP_MODE_IDLE);
        sleep_mode();
    }
}
