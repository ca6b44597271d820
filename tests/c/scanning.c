/* sscanf with the full scanner (-lscanf_flt), and the conversions of <stdlib.h>. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

int main(void)
{
    int a, b;
    long l;
    unsigned x;
    char word[12], set[8];
    float f;
    check(sscanf("12 -34 0x1f hello", "%d %d %x %s", &a, &b, &x, word) == 4);
    check(a == 12 && b == -34 && x == 0x1f && strcmp(word, "hello") == 0);
    check(sscanf("-2000000000:3.5e2", "%ld:%f", &l, &f) == 2 && l == -2000000000 && f == 350);
    check(sscanf("abc123", "%[a-c]%2d%d", set, &a, &b) == 3 && strcmp(set, "abc") == 0 && a == 12 && b == 3);
    check(sscanf("7 x", "%d %d", &a, &b) == 1);
    check(sscanf("", "%d", &a) == EOF);
    char *end;
    check(strtol("  -0x7fZ", &end, 16) == -0x7f && *end == 'Z');
    check(strtol("777", NULL, 8) == 511 && strtoul("4294967295", NULL, 10) == 4294967295UL);
    check(strtol("99999999999", NULL, 10) == 2147483647 && errno == ERANGE);
    check(atoi("-321") == -321 && atol("123456789") == 123456789);
    float d = strtod("-1.25e-2rest", &end);
    check(d > -0.0125001f && d < -0.0124999f && strcmp(end, "rest") == 0);
    char digits[34];
    check(strcmp(itoa(-255, digits, 10), "-255") == 0 && strcmp(utoa(255, digits, 2), "11111111") == 0);
    check(strcmp(ltoa(-123456, digits, 10), "-123456") == 0 && strcmp(ultoa(0xdeadbeef, digits, 16), "deadbeef") == 0);
    check(strcmp(dtostrf(opaque(-12.345f), 8, 2, digits), "  -12.35") == 0 || strcmp(digits, "  -12.34") == 0);
    exit(0);
}
