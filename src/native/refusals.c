#include "native/refusals.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool refusals_add(struct refusals *r, const char *file, unsigned line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = memory_format_list(format, args);
    va_end(args);
    char *whole = file && *file ? memory_format("%s:%u: %s", file, line, text) : memory_string(text);
    free(text);
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->list[i], whole) == 0) {
            free(whole);
            return false;
        }
    r->list = memory_grow(r->list, &r->room, r->count, sizeof *r->list);
    r->list[r->count++] = whole;
    return false;
}

void refusals_free(struct refusals *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->list[i]);
    free(r->list);
    *r = (struct refusals){0};
}
