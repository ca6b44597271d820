/* On an Uno: has SPI on, whose pins the flash memory of the shield is at. It counts to ten in a second. */
#include <avr/interrupt.h>
#include <avr/io.h>

static volatile uint16_t ticks;

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

static void put(char c)
{
    while (!(UCSR0A & 1 << UDRE0))
        ;
    UDR0 = (uint8_t)c;
}

int main(void)
{
    UBRR0 = 103;
    UCSR0B = 1 << TXEN0;
    DDRB |= 1 << 2 | 1 << 3 | 1 << 5;
    SPCR = 1 << SPE | 1 << MSTR;
    TCCR0B = 1 << CS01 | 1 << CS00; /* 977 interrupts a second */
    TIMSK0 = 1 << TOIE0;
    sei();
    for (char i = 0; i < 10; i++) {
        cli();
        uint16_t from = ticks;
        sei();
        for (uint16_t now = from; now - from < 97;) {
            SPDR = TCNT0;
            while (!(SPSR & 1 << SPIF))
                ;
            cli();
            now = ticks;
            sei();
        }
        put((char)('0' + i));
    }
    for (;;)
        ;
}
