#include "base/line.h"

#include <stdarg.h>
#include <stdio.h>

void line_say(struct line *l, const char *format, ...)
{
    size_t room = l->size - l->length;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(l->text + l->length, room, format, arguments);
    va_end(arguments);
    if (count > 0 && room)
        l->length += (size_t)count < room ? (size_t)count : room - 1;
}
