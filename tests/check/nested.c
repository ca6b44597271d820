/* Three handlers that let others in, each with a large frame: two fit on the stack, three do not. They come 0.2 ms
 * apart, and each is done long before the next. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint8_t depth, deepest;

static void serve(void)
{
    volatile uint8_t frame[700];
    depth++;
    if (depth > deepest)
        deepest = depth;
    for (uint16_t i = 0; i < sizeof frame; i += 50)
        frame[i] = depth;
    depth--;
}

ISR(TIMER0_COMPA_vect, ISR_NOBLOCK)
{
    serve();
}

ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    serve();
}

ISR(TIMER2_COMPA_vect, ISR_NOBLOCK)
{
    serve();
}

int main(void)
{
    OCR0A = OCR2A = 249;
    OCR1A = 15999;
    TCCR0A = TCCR2A = 1 << WGM01;
    TIMSK0 = TIMSK1 = TIMSK2 = 1 << OCIE0A;
    TCNT1 = 16000 - 3200;
    TCNT2 = 249 - 100;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TCCR0B = 1 << CS01 | 1 << CS00;
    TCCR2B = 1 << CS22;
    sei();
    for (;;)
        sleep_mode();
}
