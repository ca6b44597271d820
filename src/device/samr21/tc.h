/* A timer/counter of the SAM R21 (SAM R21 datasheet, 30) that counts up, with 16 or 32 bits, to the top or to CC0, and
 * compares. 8 bits, counting down, one-shot, capture and waveforms at pins are not there: using them is reported.
 *
 * Invariant: while it counts, `since` is the tick at which the counter was zero, or would have been.
 */
#ifndef DEVICE_SAMR21_TC_H
#define DEVICE_SAMR21_TC_H

#include "node/device.h"

struct samr21_tc {
    uint32_t base;
    uint8_t line;  /* exception */
    uint8_t clock; /* its generic clock */
};

extern const struct device_type samr21_tc;

#endif
