/* Does a few things of which times and values are known, for the monitors that keep records: a light blinks at a
 * thousand cycles to the other thousand, a variable of two bytes takes four values, a port sends, the SPI has two
 * transfers apart. Ends the run. */
#include <avr/io.h>
#include <motet.h>

volatile uint16_t level;
volatile float share;
struct {
    volatile uint8_t low : 3, high : 5;
} fields;

static void blink(void)
{
    DDRB |= _BV(PB5) | _BV(PB3) | _BV(PB2);
    for (unsigned char i = 0; i < 4; i++) {
        PORTB |= _BV(PB5);
        __builtin_avr_delay_cycles(998); /* and two for the instruction that ends it */
        PORTB &= (unsigned char)~_BV(PB5);
        __builtin_avr_delay_cycles(500);
    }
}

static void send(const char *text)
{
    UBRR0 = 103; /* 9600 baud */
    UCSR0B = _BV(TXEN0);
    for (; *text; text++) {
        loop_until_bit_is_set(UCSR0A, UDRE0);
        UDR0 = (unsigned char)*text;
    }
    loop_until_bit_is_set(UCSR0A, TXC0);
}

static void transfer(unsigned char first, unsigned char count)
{
    SPCR = _BV(SPE) | _BV(MSTR);
    for (unsigned char i = 0; i < count; i++) {
        SPDR = (unsigned char)(first + i);
        loop_until_bit_is_set(SPSR, SPIF);
    }
}

int main(void)
{
    blink();
    level = 0x00ff;
    level = 0x0100;
    level = 0x0100;
    level = 5;
    share = -0.5f;
    fields.high = 9;
    motet_puts("first line\nsecond");
    send("ok\n");
    transfer(0x10, 3);
    __builtin_avr_delay_cycles(16000);
    transfer(0xa0, 2);
    motet_exit(0);
}
