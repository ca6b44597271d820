/* Data in flash through LPM: bytes to 64 bits, structures, tables of pointers, and the __flash qualifier. */
#include <avr/pgmspace.h>
#include <string.h>

#include "check.h"

static const uint8_t bytes[] PROGMEM = {1, 0x80, 0xff, 4};
static const uint16_t words[] PROGMEM = {0x1234, 0xfedc};
static const uint32_t longs[] PROGMEM = {0x12345678, 0xfedcba98};
static const float reals[] PROGMEM = {1.5f, -1e10f};
static const char first[] PROGMEM = "first", second[] PROGMEM = "second";
static const char *const names[] PROGMEM = {first, second};
static const __flash struct {
    uint8_t kind;
    uint64_t large;
    const char text[5];
} entries[] = {{7, 0x0123456789abcdefULL, "abcd"}, {9, 42, "wxyz"}};

static distinct uint64_t large(uint8_t i)
{
    return entries[i].large;
}

static distinct uint16_t walk(const __flash char *p)
{
    uint16_t sum = 0;
    while (*p)
        sum = sum * 3 + (uint8_t)*p++;
    return sum;
}

int main(void)
{
    uint16_t sum = 0;
    for (uint8_t i = 0; i < opaque(4); i++)
        sum += pgm_read_byte(&bytes[i]);
    check(sum == 1 + 0x80 + 0xff + 4);
    check(pgm_read_word(&words[opaque(1)]) == 0xfedc && pgm_read_dword(&longs[opaque(1)]) == 0xfedcba98);
    check(pgm_read_float(&reals[opaque(1)]) == -1e10f);
    char text[8];
    strcpy_P(text, (const char *)pgm_read_ptr(&names[opaque(1)]));
    check(strcmp(text, "second") == 0);
    check(large(opaque(0)) == 0x0123456789abcdefULL && large(opaque(1)) == 42 && entries[opaque(1)].kind == 9);
    check(walk(entries[opaque(1)].text) == (('w' * 3 + 'x') * 3 + 'y') * 3 + 'z');
    exit(0);
}
