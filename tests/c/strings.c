/* The functions of <string.h> and <ctype.h>, in RAM and in flash. */
#include <avr/pgmspace.h>
#include <ctype.h>
#include <string.h>

#include "check.h"

static const char in_flash[] PROGMEM = "in flash";

int main(void)
{
    char a[40] = "motet", b[40];
    check(strlen(a) == 5 && strcmp(strcpy(b, a), "motet") == 0);
    check(strcmp(strcat(b, " for five"), "motet for five") == 0);
    check(strncmp("abcd", "abce", 3) == 0 && strcmp("abc", "abd") < 0 && strcasecmp("ABC", "abc") == 0);
    check(strchr(b, 'f') == b + 6 && strrchr(b, 'f') == b + 10 && !strchr(b, 'z') && strstr(b, "five") == b + 10);
    check(strspn("aabbc", "ab") == 4 && strcspn("hello", "lo") == 2 && strpbrk(b, "xyzr") == b + 8);
    check(memchr(b, 'o', 20) == b + 1 && memcmp("\x80", "\x7f", 1) > 0);
    memmove(b + 2, b, 10);
    check(memcmp(b, "momotet for ", 12) == 0);
    memmove(b, b + 2, 10);
    check(memcmp(b, "motet for ", 10) == 0);
    memset(b, 'x', 39);
    b[39] = 0;
    check(strlen(b) == 39 && strlcpy(a, b, 10) == 39 && strlen(a) == 9);
    strncpy(a, "abc", 6);
    check(memcmp(a, "abc\0\0\0xxx", 9) == 0);
    char list[] = "one,two;;three", *rest, *word = strtok_r(list, ",;", &rest);
    check(strcmp(word, "one") == 0 && strcmp(strtok_r(NULL, ",;", &rest), "two") == 0);
    check(strcmp(strtok_r(NULL, ",;", &rest), "three") == 0 && !strtok_r(NULL, ",;", &rest));
    check(strlen_P(in_flash) == 8 && strcmp_P("in flash", in_flash) == 0 && strncmp_P("in RAM", in_flash, 3) == 0);
    check(memcmp_P(memcpy_P(b, in_flash, 9), in_flash, 9) == 0 && strstr_P(b, PSTR("fla")) == b + 3);
    check(strcmp(strupr(b), "IN FLASH") == 0 && strcmp(strrev(b), "HSALF NI") == 0);
    uint8_t letters = 0, digits = 0, spaces = 0;
    for (uint8_t c = 0; c < 128; c++)
        letters += !!isalpha(c), digits += !!isxdigit(c), spaces += !!isspace(c);
    check(letters == 52 && digits == 22 && spaces == 6 && toupper(opaque('q')) == 'Q' && tolower(opaque('Q')) == 'q');
    exit(0);
}
