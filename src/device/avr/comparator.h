/* AVR analog comparator.
 *
 * ACO and its interrupt follow the voltages through the synchroniser, two I/O clock cycles later (the datasheet: one to
 * two); input capture has a sampler of its own. Voltages are those of analog.h: without a source a pin counts as ground
 * or supply by its level. Invariant: ACO is right whenever ACSR is read, and whenever something waits for it: the
 * interrupt, the capture input or the ADC's trigger. Only then a source that changes by itself is looked at, every
 * AVR_COMPARATOR_LOOK I/O clock cycles.
 */
#ifndef DEVICE_AVR_COMPARATOR_H
#define DEVICE_AVR_COMPARATOR_H

#include "device/avr/analog.h"
#include "device/avr/interrupt.h"
#include "device/avr/timer.h"

enum { AVR_COMPARATOR_LOOK = 64 };

struct avr_comparator {
    uint16_t acsr;
    struct avr_interrupt interrupt; /* ACI, ACIE */
    uint8_t positive, negative;     /* pins AIN0, AIN1 */
    struct bits multiplex;          /* ACME */
    struct bits adc_enable, mux, mux_high;
    struct bits power_reduction; /* PRADC: cuts the multiplexer off */
    uint8_t adc_pins[16];
    int32_t bandgap;                  /* microvolts */
    const struct timer_config *timer; /* whose input capture ACO can be (ACIC); NULL: none's, and there is no ACIC */
};

extern const struct device_type avr_comparator;

#endif
