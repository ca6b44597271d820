/* Amounts: times, frequencies, voltages and numbers as a person writes them.
 *
 * Invariant: everything is read into integers, exactly; what has no exact meaning is an error, not rounded.
 */
#ifndef MOTET_AMOUNT_H
#define MOTET_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"

#include "motet/base/begin.h"

/* A time: of the world, or in ticks of the machine. */
struct motet_span {
    uint64_t nanoseconds, ticks;
    bool in_ticks;
};

/* "10s", "1.5ms", "200us", "50ns", "3m" or "3min", "1h", "@160000" (ticks); a bare number is seconds. */
bool motet_read_time(const char *text, struct motet_span *span, struct motet_error *e);

/* In ticks, `hz` a second: the last that has begun by then. */
uint64_t motet_span_ticks(const struct motet_span *span, uint64_t hz);

/* "16000000", "7.3728MHz", "32kHz". */
bool motet_read_hertz(const char *text, uint64_t *hz, struct motet_error *e);

/* "2.5", "2.5V", "1200mV", in microvolts. */
bool motet_read_voltage(const char *text, int32_t *microvolts, struct motet_error *e);

/* A whole number, decimal or 0x..., not above `limit`. */
bool motet_read_number(const char *text, uint64_t limit, uint64_t *value, struct motet_error *e);

#include "motet/base/end.h"

#endif
