/* The watchdog timer, in both of its designs.
 *
 * With a vector it is the one of the ATmega48 and later (section "Watchdog Timer": interrupt, reset, both; WDRF keeps
 * it on), without one that of the ATmega128 (safety levels by fuse). It counts its own oscillator, AVR_CLOCK_WATCHDOG.
 * Invariant: the time-out event is pending exactly while the watchdog is on, at `base` plus the chosen period.
 */
#ifndef DEVICE_AVR_WATCHDOG_H
#define DEVICE_AVR_WATCHDOG_H

#include "device/avr/fuses.h"
#include "device/bits.h"

struct avr_watchdog {
    uint16_t control;                      /* WDTCR or WDTCSR */
    uint8_t vector;                        /* 0: the old design */
    uint8_t longest;                       /* largest prescaler setting that is not reserved */
    uint32_t shortest;                     /* oscillator cycles at setting 0; each further setting doubles */
    struct bits reset_flag;                /* WDRF */
    struct avr_fuse always_on, compatible; /* WDTON; M103C */
};

extern const struct device_type avr_watchdog;

#endif
