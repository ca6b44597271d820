#include "json.h"

#include <stdio.h>

/* The length of the UTF-8 character at `s`, 0 if there is none. */
static unsigned character_at(const unsigned char *s)
{
    unsigned length = *s < 0x80                 ? 1
                      : *s >= 0xc2 && *s < 0xe0 ? 2
                      : *s >= 0xe0 && *s < 0xf0 ? 3
                      : *s >= 0xf0 && *s < 0xf5 ? 4
                                                : 0;
    for (unsigned i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void json_string(const char *text)
{
    putchar('"');
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        unsigned length = character_at(s);
        if (length == 0)
            fputs("\\ufffd", stdout);
        else if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", stdout);
        else if (*s < ' ' || *s == 0x7f)
            printf("\\u%04x", *s);
        else
            printf("%.*s", (int)length, (const char *)s);
        s += length ? length : 1;
    }
    putchar('"');
}
