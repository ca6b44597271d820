/* Inline assembly that tests bits of device registers with SBIC and SBIS, between others that it leaves alone: a data
 * pin that is clocked bit by bit, as drivers of serial memories do it, a timer's flag, and bits that only the program
 * sets. The carry is kept over a test. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

static volatile uint16_t ticks, sum, clocked, carried, own;

ISR(TIMER0_COMP_vect)
{
    ticks++;
    PORTC ^= 1;
}

#define BIT(n)                                      \
    PORTB = low;                                    \
    __asm__ __volatile__("sbrc %2," #n "\n"         \
                         "\tsbi 24,3\n"             \
                         "\tsbi 24,1\n"             \
                         "\tsbic 22,0\n" /* PINB */ \
                         "\tori %0,1<<" #n "\n"     \
                         : "=d"(in)                 \
                         : "0"(in), "r"(out))

static uint8_t exchange(uint8_t out)
{
    uint8_t in = 0;
    uint8_t low = PORTB & (uint8_t)~0x0a;
    BIT(7);
    BIT(6);
    BIT(5);
    BIT(4);
    BIT(3);
    BIT(2);
    BIT(1);
    BIT(0);
    clocked += in & 1;
    return in;
}

/* Ports that come and go: what the input register has of an output is what was written last, a cycle later. */
static uint8_t flags(void)
{
    uint8_t v = 0;
    __asm__ volatile("sec\n\tsbis 0x10, 2\n\tclr %0\n\trol %0\n\tsbic 0x10,5\n\tinc %0" : "+r"(v)); /* PIND */
    carried += v & 1;
    __asm__ volatile("sbic 0x15,0\n\tori %0,0x80" : "+d"(v)); /* PORTC: the program's */
    own += v >> 7;
    return v;
}

int main(void)
{
    DDRB = 0x0a;
    DDRC = 1;
    OCR0 = 30;
    TCCR0 = 1 << WGM01 | 1 << CS02 | 1 << CS01;
    TIMSK = 1 << OCIE0;
    TCCR1B = 1 << CS10;
    DDRD = 0x24;
    sei();
    for (;;) {
        PORTD = (uint8_t)(TCNT1L & 0x24); /* makes its inputs change */
        DDRB = (uint8_t)(0x0a | (ticks & 1));
        PORTB = (uint8_t)(ticks >> 3 & 1);
        sum = (uint16_t)(sum * 31 + exchange((uint8_t)sum) + flags() + TCNT1);
        sleep_mode();
    }
}
