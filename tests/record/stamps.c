/* Positions by cycles (motet cc --stamp): stretches longer than the timer is wide, with interrupts on and off;
 * interrupts in loops that poll, also in handlers that let others in; in library code, recursion and copies; asleep.
 * One of the loops is also gone through before main. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdlib.h>
#include <string.h>
#include <util/delay.h>

void motet_flush(void);

static volatile uint8_t ticks, received, nested;
static uint8_t from[40], to[40];
static volatile float sum = 1;
static volatile uint16_t seed = 1;

static uint16_t any(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 2;
}

ISR(TIMER1_COMPA_vect)
{
    ticks++;
    OCR1A += 300 + (any() & 0xfff);
}

/* Lets others in, itself included, while it polls. */
ISR(TIMER0_COMP_vect)
{
    TIMSK &= (uint8_t) ~(1 << OCIE0);
    sei();
    nested++;
    SPDR = nested;
    while (!(SPSR & 1 << SPIF))
        ;
    to[nested % sizeof to] ^= SPDR;
    cli();
    TIMSK |= 1 << OCIE0;
}

ISR(USART0_RX_vect)
{
    received += UDR0;
}

static uint16_t deep(uint8_t n)
{
    return n ? (uint16_t)(deep(n - 1) * 3 + ticks) : (uint16_t)(seed / 7u);
}

static int order(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Some 100000 cycles, and nothing that the recorder sees. */
static void busy(uint16_t rounds)
{
    volatile uint8_t left = 0;
    for (uint16_t i = 0; i < rounds; i++)
        left += (uint8_t)i;
    PORTC = left;
}

static void wait(void)
{
    ADCSRA = 1 << ADEN | 1 << ADSC | 7;
    while (ADCSRA & 1 << ADSC) /* 13 cycles of 128 */
        ;
    PORTC = ticks;
    do {
    } while (!(UCSR0A & 1 << UDRE0));
    TIFR = 1 << TOV2;
    for (;;)
        if (TIFR & 1 << TOV2)
            break;
}

static void __attribute__((constructor)) early(void)
{
    UCSR0B = 1 << TXEN0;
    TCCR2 = 1 << CS20;
    wait();
}

static void copy_and_calculate(void)
{
    memcpy(to, from, sizeof to);
    for (uint8_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(any() / 13u % 251u);
    qsort(from, sizeof from, 1, order);
    sum = sum * 1.37f + (float)ticks / 3.0f;
    if (sum > 1e6f)
        sum = 1;
    PORTC = (uint8_t)((uint32_t)sum % 251u) ^ to[ticks % sizeof to];
}

static void doze(void)
{
    cli();
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
}

static void set_up(void)
{
    DDRC = 0xff;
    DDRB |= 1 << 0 | 1 << 2;
    SPCR = 1 << SPE | 1 << MSTR;
    UBRR0L = 7;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    OCR1A = 1000;
    OCR0 = 211;
    TCCR0 = 1 << WGM01 | 6;
    TCCR1B = 1 << CS11;
    TIMSK = 1 << OCIE1A | 1 << OCIE0;
}

int main(void)
{
    set_up();
    sei();
    for (uint8_t round = 0;; round++) {
        copy_and_calculate();
        PORTC = (uint8_t)deep(12);
        wait();
        if (round % 16 == 3)
            busy(9000);
        if (round % 16 ==
            5) { /* others have to wait, longer than the timer takes to come round, once or several times */
            cli();
            busy(3000 + round / 16 % 8 * 2500);
            sei();
        }
        if (round % 16 == 8) { /* only the timer itself interrupts */
            uint8_t was = TIMSK;
            TIMSK = 0;
            busy(60000);
            TIMSK = was;
        }
        if (round % 16 == 9)
            _delay_us(700);
        if (round % 64 == 63)
            motet_flush();
        doze();
    }
}
