/* Interrupts itself by an output on PCINT1 (PB1), which answers on PD0. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(PCINT0_vect, ISR_NAKED)
{
    asm volatile("sbi %0, 0\n reti" ::"I"(_SFR_IO_ADDR(PORTD)));
}

int main(void)
{
    DDRD = 1;
    DDRB = 2;
    PCMSK0 = 2;
    PCICR = 1;
    sei();
    PORTB |= 2;
    for (uint8_t i = 0; i < 20; i++)
        asm volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
    cli();
    sleep_mode();
}
