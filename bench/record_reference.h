/* What others make of the same events: the format of TARDIS (Tancreti et al., IPSN 2015, Figure 4 and sections 3.5 to
 * 3.8), gzip, and S-LZW (Sadler and Martonosi, SenSys 2006).
 *
 * Invariant: each reference is taken at its best where the paper leaves something open.
 */
#ifndef BENCH_RECORD_REFERENCE_H
#define BENCH_RECORD_REFERENCE_H

#include "record_trace.h"

/* In bits. What exact replay needs beyond the paper's format (hashes of positions in library code) is not counted. */
struct tardis {
    uint64_t state, timer, data, interrupt;
    uint64_t state_raw, timer_raw, data_raw, interrupt_raw; /* the same events as they are: all bits of the registers */
    uint64_t state_masked;                                  /* the bits that matter */
    uint64_t interrupt_awake;                               /* interrupts without what sleep saves */
};
struct tardis tardis_of(const struct trace *t, bool avr);
uint64_t tardis_bits(const struct tardis *t);

/* Values and interrupts, each as it is. Returns how many bytes; the caller frees them. */
size_t reference_raw(const struct trace *t, uint8_t **bytes);
size_t reference_gzip(const uint8_t *bytes, size_t size); /* 0 if there is no gzip */
size_t reference_s_lzw(const uint8_t *bytes, size_t size);

#endif
