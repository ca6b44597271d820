#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#undef error_set
#undef error_prefix

bool error_set(struct motet_error *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

bool error_prefix(struct motet_error *e, const char *format, ...)
{
    char old[sizeof e->text / 2]; /* a prefix is never that long: what is cut is the end of a very long sentence */
    snprintf(old, sizeof old, "%.*s", (int)sizeof old - 1, e->text);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof e->text)
        snprintf(e->text + used, sizeof e->text - (size_t)used, ": %s", old);
    return false;
}
