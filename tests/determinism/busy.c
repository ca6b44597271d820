/* Everything at once: timers at rates that never fit, the UART, the ADC, EEPROM writes, the watchdog's interrupt, sleep
 * in two modes, waiting loops and long stretches of computing. What comes out is in `mixed`. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdint.h>

volatile uint32_t mixed = 1;
volatile uint8_t ticks, conversions, sent, bites, wrote;
volatile uint16_t captured;

static inline void mix(uint8_t value)
{
    mixed = mixed * 1664525UL + 1013904223UL + value;
}

ISR(TIMER0_COMPA_vect)
{
    ticks++;
    mix(TCNT0);
}

ISR(TIMER1_OVF_vect)
{
    mix(TCNT1L);
    captured = TCNT1;
}

ISR(TIMER2_COMPB_vect, ISR_NOBLOCK)
{
    mix((uint8_t)(TCNT2 + ticks));
}

ISR(ADC_vect)
{
    conversions++;
    mix((uint8_t)ADC);
}

#ifndef USART_UDRE_vect
#define USART_UDRE_vect USART0_UDRE_vect
#endif
ISR(USART_UDRE_vect)
{
    UDR0 = (uint8_t)mixed;
    if (++sent % 16 == 0)
        UCSR0B &= (uint8_t) ~(1 << UDRIE0);
}

ISR(WDT_vect)
{
    bites++;
    mix(0x77);
}

static void set_up(void)
{
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01;
    OCR0A = 96;
    TIMSK0 = 1 << OCIE0A;
    TCCR1B = 1 << CS10;
    TIMSK1 = 1 << TOIE1;
    TCCR2A = 1 << WGM21 | 1 << WGM20;
    TCCR2B = 1 << CS21 | 1 << WGM22;
    OCR2A = 201;
    OCR2B = 77;
    TIMSK2 = 1 << OCIE2B;
    ADMUX = 1 << REFS0 | 14;
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADATE | 1 << ADIE | 5;
    UBRR0 = 8;
    UCSR0B = 1 << TXEN0 | 1 << UDRIE0;
    MCUSR = 0;
    wdt_enable(WDTO_15MS);
    WDTCSR |= 1 << WDIE;
}

static void compute(void)
{
    for (uint8_t i = 0; i < 40; i++)
        mix((uint8_t)(mixed % (uint8_t)(i + 3)));
}

int main(void)
{
    set_up();
    sei();
    for (uint8_t round = 0;; round++) {
        compute();
        UCSR0B |= 1 << UDRIE0;
        if (round % 4 == 0 && eeprom_is_ready()) {
            wrote++;
            eeprom_write_byte((uint8_t *)(uint16_t)(round / 4), (uint8_t)mixed);
        }
        uint8_t then = ticks;
        if (round % 3 == 0) {
            set_sleep_mode(SLEEP_MODE_IDLE);
            sleep_mode();
        } else if (round % 3 == 1) {
            set_sleep_mode(SLEEP_MODE_ADC);
            sleep_mode();
        } else {
            while (ticks == then)
                ;
        }
        wdt_reset();
        WDTCSR |= 1 << WDIE;
    }
}
