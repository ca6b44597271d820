#include "sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sentence(struct motet_error *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

int complain(const char *format, ...)
{
    char text[1100];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?'; /* what a user gave us may hold anything; the error stays one line */
    fprintf(stderr, "motet: %s\n", text);
    return STATUS_USAGE;
}
