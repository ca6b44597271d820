#include "board.h"

static void (*finished)(uint16_t value);

ISR(ADC_vect)
{
    uint16_t value = ADC;
    ADCSRA = 0;
    board_clock_release();
    finished(value);
}

/* The converter wants 50 to 200 kHz for its ten bits: 7.3728 MHz / 64 or 16 MHz / 128. */
void board_adc_start(uint8_t channel, void (*done)(uint16_t value))
{
    finished = done;
    board_clock_hold();
    ADMUX = 1 << REFS0 | channel;
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADIE | 1 << ADPS2 | 1 << ADPS1 | (F_CPU > 12000000UL) << ADPS0;
}
