/* Places to be named: functions with and without sizes, data in every space, code that the linker throws away. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

#include "places.h"

volatile uint8_t ticks;
uint16_t buffer[8] = {1, 2, 3};
static uint32_t total;
const uint8_t table[] PROGMEM = {10, 20, 30, 40};
uint8_t EEMEM calibration = 42;

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

/* Never called: its lines must not be put on the vector table. */
uint32_t thrown_away(uint32_t x)
{
    for (uint8_t n = 0; n < 32; n++) {
        x = x * 1103515245u + 12345u;
        if (x & 0x8000)
            x ^= x >> 7;
        else
            x += x << 3;
        buffer[n & 7] += (uint16_t)(x / 10);
        x -= pgm_read_byte(&table[n & 3]);
        if (x % 1000 == 7)
            PORTB ^= 1;
        if (x % 100 == 3)
            PORTC ^= 1;
    }
    return x;
}

static inline uint16_t scaled(uint16_t value)
{
    return value * pgm_read_byte(&table[value & 3]);
}

int main(void)
{
    sei();
    for (;;) {
        total += scaled(ticks) / 10;
        buffer[ticks & 7] = places_average(buffer, 8);
        eeprom_update_byte(&calibration, (uint8_t)total);
    }
}
