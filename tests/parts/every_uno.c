/* Firmware for every.c on an Uno: in PB0, out PB1, wire PD4, spi0, i2c0, serial0, analog0. Prints what it finds on the
 * console, and then repeats all of it. */
#include <avr/io.h>
#include <motet.h>
#include <stdint.h>
#include <stdlib.h>

#include "twi.h"

volatile uint16_t rounds;
volatile uint8_t exchanged, echoed, first, second;
volatile uint16_t volts;

static void say(const char *name, unsigned value)
{
    char text[8];
    motet_puts(name);
    motet_puts(utoa(value, text, 10));
    motet_putc('\n');
}

__attribute__((noinline)) void toggle(void)
{
    PINB = 1 << PB0;
}

__attribute__((noinline)) void exchange(void)
{
    SPDR = (uint8_t)rounds;
    loop_until_bit_is_set(SPSR, SPIF);
    exchanged = SPDR;
}

static void ask(void)
{
    twi_step(1 << TWSTA);
    uint8_t wrong = twi_send(0x34 << 1); /* nobody */
    twi_step(1 << TWSTA);
    uint8_t right = twi_send(0x33 << 1), taken = twi_send(0x11), refused = twi_send(0xee);
    twi_step(1 << TWSTA);
    twi_send(0x33 << 1 | 1);
    twi_step(1 << TWEA);
    first = TWDR;
    twi_step(0);
    second = TWDR;
    twi_stop();
    if (rounds == 0) {
        say("wrong ", wrong);
        say("right ", right);
        say("taken ", taken);
        say("refused ", refused);
    }
}

static void echo(void)
{
    UDR0 = (uint8_t)(rounds + 'A');
    loop_until_bit_is_set(UCSR0A, RXC0);
    echoed = UDR0;
}

static void measure(void)
{
    ADCSRA |= 1 << ADSC;
    loop_until_bit_is_clear(ADCSRA, ADSC);
    volts = ADC;
}

int main(void)
{
    DDRB = 1 << PB0 | 1 << PB2 | 1 << PB3 | 1 << PB5;
    SPCR = 1 << SPE | 1 << MSTR;
    TWBR = 12;
    UBRR0 = 0;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
    ADMUX = 1 << REFS0;
    ADCSRA = 1 << ADEN | 7;
    for (;; rounds++) {
        uint8_t before = PINB;
        toggle();
        uint8_t after = PINB;
        exchange();
        ask();
        echo();
        measure();
        if (rounds < 2) {
            say("out changed ", (before ^ after) >> PB1 & 1);
            say("exchanged ", exchanged);
            say("echoed ", echoed);
            say("volts ", volts);
            say("wire ", PIND >> PD4 & 1);
        }
    }
}
