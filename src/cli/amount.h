/* Amounts: times, frequencies, voltages and numbers as a person writes them.
 *
 * Invariant: everything is read into integers, exactly; what has no exact meaning is an error, not rounded.
 */
#ifndef CLI_AMOUNT_H
#define CLI_AMOUNT_H

#include "motet/motet.h"

/* A time: of the world, or in ticks of the machine. */
struct span {
    uint64_t nanoseconds, ticks;
    bool in_ticks;
};

/* "10s", "1.5ms", "200us", "50ns", "3m", "1h", "@160000" (ticks); a bare number is seconds. */
bool amount_time(const char *text, struct span *span, struct motet_error *e);
uint64_t span_ticks(const struct span *span, uint64_t hz);

/* "16000000", "7.3728MHz", "32kHz". */
bool amount_hertz(const char *text, uint64_t *hz, struct motet_error *e);

/* "2.5", "2.5V", "1200mV", in microvolts. */
bool amount_voltage(const char *text, int32_t *microvolts, struct motet_error *e);

/* A whole number, decimal or 0x..., not above `limit`. */
bool amount_number(const char *text, uint64_t limit, uint64_t *value, struct motet_error *e);

#endif
