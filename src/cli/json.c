#include "json.h"

#include <stdio.h>

#include "utf8.h"

void json_print(const char *text)
{
    putchar('"');
    for (const char *s = text; *s;) {
        unsigned length = utf8_length(s);
        if (length == 0)
            fputs("\\ufffd", stdout);
        else if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", stdout);
        else if (length == 1 && (*s < ' ' || *s == 0x7f))
            printf("\\u%04x", *s);
        else
            printf("%.*s", (int)length, s);
        s += length ? length : 1;
    }
    putchar('"');
}
