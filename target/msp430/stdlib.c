/* The end of a program, numbers from and to text, random numbers. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

_Noreturn void exit(int status)
{
    _exit(status);
}

/* Weak, since firmware may have its own, and needs the rest of this file as well. */
__attribute__((weak)) _Noreturn void abort(void)
{
    _exit(134);
}

int abs(int a)
{
    return a < 0 ? -a : a;
}

long labs(long a)
{
    return a < 0 ? -a : a;
}

long atol(const char *s)
{
    while (isspace(*s))
        s++;
    char sign = *s;
    if (sign == '-' || sign == '+')
        s++;
    unsigned long value = 0;
    for (; isdigit(*s); s++)
        value = value * 10 + (unsigned)(*s - '0');
    return (long)(sign == '-' ? -value : value);
}

int atoi(const char *s)
{
    return (int)atol(s);
}

static uint32_t random_state = 1;

void srand(unsigned seed)
{
    random_state = seed;
}

int rand(void)
{
    random_state = random_state * 1103515245 + 12345;
    return (int)(random_state >> 16 & RAND_MAX);
}

char *ultoa(unsigned long value, char *to, int base)
{
    char digits[32], *next = to;
    uint8_t count = 0;
    do {
        uint8_t digit = (uint8_t)(value % (unsigned)base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value /= (unsigned)base;
    } while (value);
    while (count)
        *next++ = digits[--count];
    *next = 0;
    return to;
}

char *utoa(unsigned value, char *to, int base)
{
    return ultoa(value, to, base);
}

char *ltoa(long value, char *to, int base)
{
    if (value >= 0 || base != 10)
        return ultoa((unsigned long)value, to, base);
    *to = '-';
    ultoa(-(unsigned long)value, to + 1, base);
    return to;
}

char *itoa(int value, char *to, int base)
{
    return base == 10 ? ltoa(value, to, base) : ultoa((unsigned)value, to, base);
}
