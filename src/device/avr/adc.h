/* AVR analog-to-digital converter.
 *
 * Time. The prescaler is a 7-bit counter of the system clock (AVR_CLOCK_ADC) held at zero while ADEN is zero and by a
 * trigger; the ADC clock is one of its bits, so its first rising edge comes half a period after the counter starts.
 * A register written in cycle t acts from t + 1. A conversion starts at the next rising edge of the ADC clock and takes
 * 13 ADC clocks (25 for the first after ADEN; 14 for a differential one out of step with CKADC2); ADIF comes at the
 * edge that ends it. The input is sampled 1.5 (13.5; 2.5) clocks after the start. A trigger resets the prescaler three
 * system clocks after its flag rises, hence the datasheet's 2 and 13.5 clocks from then.
 *
 * Invariant: channel and reference are taken over at the edge that starts a conversion and no write changes them until
 * it is complete; the data registers change only at the end of a conversion, and not between reads of ADCL and ADCH.
 */
#ifndef DEVICE_AVR_ADC_H
#define DEVICE_AVR_ADC_H

#include "device/avr/analog.h"
#include "device/avr/interrupt.h"

/* One setting of the multiplexer: a line of analog.h, or one of these. */
enum { AVR_ADC_GROUND = 0x40, AVR_ADC_BANDGAP };

struct avr_adc_input {
    uint8_t positive, negative;
    uint8_t gain; /* 0: single-ended */
};

/* One setting of the reference selection: microvolts, or one of these. */
enum { AVR_ADC_AREF = 1, AVR_ADC_AVCC };

struct avr_adc {
    uint16_t admux, adcsra, adcl, adch;
    struct bits mux, mux_high;     /* MUX4:0, MUX5 */
    struct bits reference_high;    /* REFS2 */
    struct bits trigger;           /* ADTS; absent: ADCSRA bit 5 is free running */
    struct bits bipolar, reversed; /* BIN, IPR of differential channels; absent: they are always bipolar */
    struct bits high_speed;        /* ADHSM: kept, changes nothing */
    struct bits power_reduction;
    struct avr_interrupt interrupt;
    const struct avr_adc_input *inputs; /* by MUX5:0 */
    uint8_t pins[16];                   /* of ADC0-15, PIN_NONE where the line has no port pin */
    int32_t references[8];              /* by REFS */
    int32_t bandgap;                    /* microvolts */
    int32_t temperature;                /* microvolts of the sensor at 25 degrees C; 0 if there is none */
    struct {
        uint8_t vector; /* whose flag it is */
        struct bits flag;
    } triggers[16]; /* by ADTS; 0 is free running, its flag ADIF */
};

extern const struct device_type avr_adc;

/* MUX3:0 of the small chips (ATmega48/88/168/328), MUX4:0 of the ATmega128 and MUX5:0 of ATmega640/1280/2560. */
extern const struct avr_adc_input avr_adc_inputs16[16], avr_adc_inputs64[64];

/* MUX3:0 of ATtiny25/45/85, and MUX5:0 of ATmega16U4 and 32U4. */
extern const struct avr_adc_input avr_adc_inputs_tiny[16], avr_adc_inputs_u4[64];

/* The flag of that vector has become set (interrupt.c calls this for every flag). */
void avr_adc_flag_rose(struct node *n, unsigned vector);

/* The ADC waits for the flag of that vector. The answer can change with a write to ADCSRA or ADCSRB. */
bool avr_adc_awaits(const struct node *n, unsigned vector);

#endif
