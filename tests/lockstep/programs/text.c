/* Formatting and scanning, in RAM and from program memory. */
#include <avr/pgmspace.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char buffer[80];

int main(void)
{
    snprintf(buffer, sizeof buffer, "%d %5u %-6x|%08lX %c %s", -12345, 678u, 0xabc, 0x1234abcdUL, 'q', "word");
    if (strcmp(buffer, "-12345   678 abc   |1234ABCD q word") != 0)
        return 1;
    int a = 0;
    unsigned long b = 0;
    char word[8] = "";
    if (sscanf_P("17 0xff text", PSTR("%d %lx %7s"), &a, &b, word) != 3 || a != 17 || b != 255 || strcmp(word, "text"))
        return 2;
    snprintf_P(buffer, sizeof buffer, PSTR("%S/%ld"), PSTR("flash"), -100000L);
    if (strcmp_P(buffer, PSTR("flash/-100000")) != 0)
        return 3;
    if (strtol("-0x7f", NULL, 16) != -127 || atoi("  42z") != 42)
        return 4;
    char *rest = buffer;
    strcpy(buffer, "one,two;three");
    uint8_t words = 0;
    while (strtok_r(rest, ",;", &rest))
        words++;
    return words == 3 && memchr(buffer, 'o', 3) == buffer && strrchr("abcabc", 'b')[1] == 'c' ? 0 : 5;
}
