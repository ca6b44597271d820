#include "motet/amount.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool __attribute__((format(printf, 2, 3))) sentence(struct motet_error *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->text, sizeof e->text, format, arguments);
    va_end(arguments);
    return false;
}

struct unit {
    const char *name;
    uint64_t value;
};

enum reading { READ_OK, READ_NONSENSE, READ_TOO_FINE, READ_TOO_BIG };

/* A decimal number followed by one of the units, as a multiple of 1 in the units' own scale. */
static enum reading read_amount(const char *text, const struct unit *units, uint64_t *value)
{
    unsigned __int128 digits = 0, scale = 1;
    size_t count = 0;
    bool point = false;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (++count > 20)
            return READ_TOO_BIG;
        digits = digits * 10 + (unsigned)(*text - '0');
        scale = point ? scale * 10 : scale;
    }
    if (!count)
        return READ_NONSENSE;
    for (; units->name; units++) {
        if (strcmp(text, units->name) != 0)
            continue;
        unsigned __int128 product = digits * units->value;
        if (product % scale)
            return READ_TOO_FINE;
        if (product / scale > INT64_MAX)
            return READ_TOO_BIG;
        *value = (uint64_t)(product / scale);
        return READ_OK;
    }
    return READ_NONSENSE;
}

bool motet_read_time(const char *text, struct motet_span *span, struct motet_error *e)
{
    static const struct unit units[] = {
        {"", 1000000000},   {"s", 1000000000},    {"ms", 1000000},      {"us", 1000}, {"ns", 1},
        {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}, {NULL, 0},
    };
    static const struct unit ticks[] = {{"", 1}, {NULL, 0}};
    *span = (struct motet_span){.in_ticks = *text == '@'};
    enum reading r =
        span->in_ticks ? read_amount(text + 1, ticks, &span->ticks) : read_amount(text, units, &span->nanoseconds);
    switch (r) {
    case READ_OK: return true;
    case READ_TOO_FINE: return sentence(e, "'%s' is finer than a nanosecond; give ticks as @N", text);
    case READ_TOO_BIG: return sentence(e, "'%s' is too long a time", text);
    default: return sentence(e, "'%s' is not a time; write it like 10s, 1.5ms, 200us, 3m, 1h or @160000 (ticks)", text);
    }
}

uint64_t motet_span_ticks(const struct motet_span *span, uint64_t hz)
{
    if (span->in_ticks)
        return span->ticks;
    unsigned __int128 ticks = (unsigned __int128)span->nanoseconds * hz / 1000000000;
    return ticks >= MOTET_NEVER ? MOTET_NEVER - 1 : (uint64_t)ticks;
}

bool motet_read_hertz(const char *text, uint64_t *hz, struct motet_error *e)
{
    static const struct unit units[] = {
        {"", 1}, {"Hz", 1}, {"k", 1000}, {"kHz", 1000}, {"M", 1000000}, {"MHz", 1000000}, {NULL, 0},
    };
    if (read_amount(text, units, hz) != READ_OK)
        return sentence(e, "'%s' is not a frequency; write it like 16MHz, 7.3728MHz or 8000000", text);
    if (*hz < 1000 || *hz > 1000000000)
        return sentence(e, "'%s' is not a clock a chip could run at (1 kHz to 1 GHz)", text);
    return true;
}

bool motet_read_voltage(const char *text, int32_t *microvolts, struct motet_error *e)
{
    static const struct unit units[] = {{"", 1000000}, {"V", 1000000}, {"mV", 1000}, {"uV", 1}, {NULL, 0}};
    bool negative = *text == '-';
    uint64_t value;
    if (read_amount(text + negative, units, &value) != READ_OK || value > 1000000000)
        return sentence(e, "'%s' is not a voltage; write it like 2.5V or 1200mV", text);
    *microvolts = negative ? -(int32_t)value : (int32_t)value;
    return true;
}

bool motet_read_number(const char *text, uint64_t limit, uint64_t *value, struct motet_error *e)
{
    char *end;
    errno = 0;
    bool digit = isdigit((unsigned char)*text);
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    *value = digit ? strtoull(text, &end, hexadecimal ? 16 : 10) : 0;
    if (!digit || *end || (hexadecimal && !text[2]))
        return sentence(e, "'%s' is not a number", text);
    if (errno || *value > limit)
        return sentence(e, "'%s' is too big; the most is %llu", text, (unsigned long long)limit);
    return true;
}
