/* Waveforms of three timers at once, without the CPU. With -DSEND it sends bytes by SPI, whose pins two of them are. */
#include <avr/io.h>

int main(void)
{
    DDRB = 1 << PB1 | 1 << PB2 | 1 << PB3;
    DDRD = 1 << PD6;

    /* Fast PWM to ICR1: OC1A high for 250 of 1000 cycles, OC1B (inverting) low for 400. */
    ICR1 = 0; /* not writable yet */
    TCCR1A = 1 << COM1A1 | 1 << COM1B1 | 1 << COM1B0 | 1 << WGM11;
    TCCR1B = 1 << WGM13 | 1 << WGM12;
    ICR1 = 999;
    OCR1A = 249;
    OCR1B = 399;
    TCCR1B |= 1 << CS10;

    /* Phase correct PWM by 8: OC2A high for 2 * 100 of 510 clocks. */
    OCR2A = 100;
    TCCR2A = 1 << COM2A1 | 1 << WGM20;
    TCCR2B = 1 << CS21;

    /* CTC by 64: OC0A toggles every 125 clocks. */
    OCR0A = 124;
    TCCR0A = 1 << COM0A0 | 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
#ifdef SEND
    DDRB |= 1 << PB5;
    SPCR = 1 << SPE | 1 << MSTR;
    for (uint8_t byte = 0;; byte++) {
        SPDR = byte;
        loop_until_bit_is_set(SPSR, SPIF);
    }
#endif
    for (;;)
        ;
}
