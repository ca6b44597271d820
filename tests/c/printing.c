/* printf of avr-libc in its default form: integers, strings, widths, flags, %S from flash, streams of our own. */
#include <avr/pgmspace.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static char text[64], sent[32];
static uint8_t sent_count;

static int put(char c, FILE *stream)
{
    (void)stream;
    sent[sent_count++] = c;
    return 0;
}

static FILE port = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);

#define prints(EXPECTED, ...)                                                     \
    do {                                                                          \
        check(snprintf(text, sizeof text, __VA_ARGS__) == (int)strlen(EXPECTED)); \
        check(strcmp(text, EXPECTED) == 0);                                       \
    } while (0)

int main(void)
{
    prints("42 -7 65535", "%d %d %u", opaque(42), opaque(-7), opaque(0xffffu));
    prints("-2147483648 4294967295", "%ld %lu", opaque(-2147483647L - 1), opaque(4294967295UL));
    prints("beef BEEF 0xbeef 777 0777", "%x %X %#x %o %#o", 0xbeef, 0xbeef, 0xbeef, 0777, 0777);
    prints("[   42] [42   ] [00042] [+42] [ 42]", "[%5d] [%-5d] [%05d] [%+d] [% d]", 42, 42, 42, 42, 42);
    prints("deadbeef", "%lx", 0xdeadbeefUL);
    prints("a|abc|  abc|abc  |ab", "%c|%s|%5s|%-5s|%.2s", 'a', "abc", "abc", "abc", "abc");
    prints("100%", "%d%%", opaque(100));
    check(snprintf(text, 5, "123456789") == 9 && strcmp(text, "1234") == 0);
    check(snprintf_P(text, sizeof text, PSTR("%d+%d"), 1, 2) == 3 && strcmp_P(text, PSTR("1+2")) == 0);
    fprintf(&port, "n=%d\n", opaque(12));
    fputs("end", &port);
    check(sent_count == 8 && memcmp(sent, "n=12\nend", 8) == 0);
    snprintf(text, sizeof text, opaque("%S+%5S"), PSTR("flash"), PSTR("far"));
    check(strcmp(text, "flash+  far") == 0);
    exit(0);
}
