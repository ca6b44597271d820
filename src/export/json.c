#include "export/json.h"

#include <stdbool.h>
#include <stdint.h>

/* RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t json_utf8(const char *text)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t count = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < count; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool beyond = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90);
    return overlong || beyond ? 0 : count;
}

static void json_put_escaping(FILE *f, const char *text, unsigned char more)
{
    putc('"', f);
    while (*text) {
        size_t count = json_utf8(text);
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c == 0x7f || c == more || !count)
            fprintf(f, "\\u%04x", c);
        else
            fwrite(text, 1, count, f);
        text += count ? count : 1;
    }
    putc('"', f);
}

void json_put(FILE *f, const char *text)
{
    json_put_escaping(f, text, 0);
}

void json_put_in_page(FILE *f, const char *text)
{
    json_put_escaping(f, text, '<');
}
