#include "dap/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* How many bytes the character at `at` has; 0 if it is none. */
static size_t text_character(const unsigned char *at, size_t left)
{
    size_t count = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    if (!count || count > left)
        return 0;
    for (size_t i = 1; i < count; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool too_long = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool no_character = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
    return too_long || no_character ? 0 : count;
}

json_t *text_json(const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *good = json_stringn(text, length);
    if (good)
        return good;
    char *out = memory_bytes(3 * length + 1);
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t count = text_character((const unsigned char *)text + i, length - i);
        memcpy(out + used, count ? text + i : replacement, count ? count : 3);
        used += count ? count : 3;
        i += count ? count : 1;
    }
    good = json_stringn(out, used);
    free(out);
    return memory_must(good);
}

json_t *text_string(const char *text)
{
    return text_json(text, strlen(text));
}

/* ---- base64 (RFC 4648) ---- */

static const char text_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

json_t *text_base64(const uint8_t *bytes, size_t count)
{
    char *out = memory_bytes(4 * (count / 3 + 1) + 1);
    size_t used = 0;
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        out[used++] = text_digits[three >> 18];
        out[used++] = text_digits[three >> 12 & 63];
        out[used++] = left > 1 ? text_digits[three >> 6 & 63] : '=';
        out[used++] = left > 2 ? text_digits[three & 63] : '=';
    }
    json_t *json = json_stringn(out, used);
    free(out);
    return json;
}

uint8_t *text_from_base64(const char *text, size_t *count)
{
    size_t length = strlen(text);
    uint8_t *bytes = memory_bytes(length / 4 * 3 + 3);
    uint32_t bits = 0;
    unsigned held = 0;
    *count = 0;
    while (length && text[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++) {
        const char *digit = memchr(text_digits, text[i], sizeof text_digits - 1);
        if (!digit) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)(digit - text_digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[(*count)++] = (uint8_t)(bits >> held);
        }
    }
    return bytes;
}
