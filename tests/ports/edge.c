/* Interrupts itself by an output on INT0, which answers on PB0. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#ifdef __AVR_ATmega2560__
#define PIN_INT0 PD0
#else
#define PIN_INT0 PD2
#endif

ISR(INT0_vect, ISR_NAKED)
{
    asm volatile("sbi %0, 0\n reti" ::"I"(_SFR_IO_ADDR(PORTB)));
}

int main(void)
{
    DDRB = 1;
    DDRD = 1 << PIN_INT0;
    EICRA = 3;
    EIFR = 1;
    EIMSK = 1;
    sei();
    PORTD |= 1 << PIN_INT0;
    for (uint8_t i = 0; i < 20; i++)
        asm volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
    cli();
    sleep_mode();
}
