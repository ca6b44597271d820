/* Firmware for an Arduino Uno with display.c and thermometer.c: shows the temperature ten times a second.
 *
 *     avr-gcc -mmcu=atmega328p -DF_CPU=16000000 -Os -g -o weather.elf weather.c
 *     motet run --board uno --part ./display.so:spi0,PB2,PB1,PB0 --part ./thermometer.so:i2c0,PD2 --trace parts
 *         --sense temperature=sine:15C:35C:1 --for 3s weather.elf
 */
#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

#include "twi.h"

enum { SELECT = 1 << PB2, DATA = 1 << PB1, BUSY = 1 << PB0, MOSI = 1 << PB3, SCK = 1 << PB5, ALERT = 1 << PD2 };

uint8_t address = 0x48;
volatile int16_t temperature; /* in 1/256 degrees */
volatile uint16_t rounds;

/* ---- the thermometer ---- */

static int16_t measure(void)
{
    twi_step(1 << TWSTA);
    twi_send((uint8_t)(address << 1));
    twi_send(0);
    twi_step(1 << TWSTA);
    twi_send((uint8_t)(address << 1 | 1));
    twi_step(1 << TWEA);
    uint16_t high = TWDR;
    twi_step(0);
    uint16_t low = TWDR;
    twi_stop();
    return (int16_t)(high << 8 | low);
}

static void set_limit(uint8_t degrees)
{
    twi_step(1 << TWSTA);
    twi_send((uint8_t)(address << 1));
    twi_send(1);
    twi_send(degrees);
    twi_send(0);
    twi_stop();
}

/* ---- the display ---- */

static void exchange(uint8_t byte)
{
    SPDR = byte;
    loop_until_bit_is_set(SPSR, SPIF);
}

static void show(uint8_t place, const char *text)
{
    PORTB &= (uint8_t) ~(SELECT | DATA);
    exchange(0x80 | place);
    PORTB |= DATA;
    while (*text)
        exchange((uint8_t)*text++);
    PORTB |= SELECT;
}

static void clear(void)
{
    PORTB &= (uint8_t) ~(SELECT | DATA);
    exchange(0x01);
    PORTB |= SELECT;
    loop_until_bit_is_clear(PINB, PB0);
}

static void show_temperature(int16_t value)
{
    char text[] = " 00.0 C";
    uint16_t tenths = (uint16_t)((int32_t)(value < 0 ? -value : value) * 10 / 256);
    text[0] = value < 0 ? '-' : ' ';
    text[1] = (char)('0' + tenths / 100 % 10);
    text[2] = (char)('0' + tenths / 10 % 10);
    text[4] = (char)('0' + tenths % 10);
    show(0, text);
    show(16, PIND & ALERT ? "too warm" : "        ");
}

int main(void)
{
    PORTB = SELECT;
    DDRB = SELECT | DATA | MOSI | SCK;
    SPCR = 1 << SPE | 1 << MSTR;
    TWBR = 72;
    clear();
    set_limit(30);
    for (;; rounds++) {
        temperature = measure();
        show_temperature(temperature);
        _delay_ms(100);
    }
}
