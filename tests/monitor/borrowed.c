/* Functions that use code outside of themselves: a switch (libgcc's __tablejump2__ jumps back into it), divisions
 * (labels of libgcc inside of one function), a tail call, and an interrupt that comes in the middle of all of them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <motet.h>
#include <stdint.h>

volatile uint16_t total, ticks;

ISR(TIMER0_COMPA_vect)
{
    ticks++;
}

__attribute__((noinline, noclone)) uint16_t
RadioCountToLedsC__VirtualizeTimerC__0__Counter__Transform__chooses_by_a_table(uint8_t which, uint16_t value)
{
    switch (which) {
    case 0: return value + 3;
    case 1: return value ^ 0x55aa;
    case 2: total += 7; return value - 1;
    case 3: return value << 2;
    case 4: total -= value; return 9;
    case 5: return value * 5;
    case 6: total ^= 1; return value;
    case 7: return ~value;
    default: return 0;
    }
}

__attribute__((noinline, noclone)) void last(uint16_t value)
{
    total += value;
}

__attribute__((noinline, noclone)) void divides(uint16_t value)
{
    last(value / (uint16_t)(total | 1)); /* gcc jumps to it */
}

int main(void)
{
    OCR0A = 96;
    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS00);
    TIMSK0 = _BV(OCIE0A);
    sei();
    for (uint16_t i = 0; i < 4000; i++)
        divides(RadioCountToLedsC__VirtualizeTimerC__0__Counter__Transform__chooses_by_a_table(i % 9, i));
    cli();
    motet_exit(ticks > 100 ? 0 : 1);
}
