/* Converter and random numbers of the CC2538 (SWRU319C, chapters 15 and 16).
 *
 * A conversion takes 20 to 132 us by its decimation rate, and measures a pin of port A, the difference of two, ground,
 * the temperature or a third of the supply. The random number generator is a shift register of 16 bits, whose
 * polynomial also checks data (CRC). Sequences by timers and DMA are not there: only ADCCON3 and ADCCON1.ST convert.
 */
#ifndef DEVICE_CC2538_SOC_ADC_H
#define DEVICE_CC2538_SOC_ADC_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_soc_adc;

#endif
