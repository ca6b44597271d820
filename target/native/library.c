/* The chip's C library, as far as native programs have it: in C, compiled for the chip like their own sources, so that
 * sizes and numbers have the chip's widths. Functions of a program take the place of those here. */
#define LIBRARY __attribute__((weak))

typedef __SIZE_TYPE__ size;

LIBRARY void *memcpy(void *to, const void *from, size count)
{
    char *t = to;
    for (const char *f = from; count; count--)
        *t++ = *f++;
    return to;
}

LIBRARY void *memmove(void *to, const void *from, size count)
{
    char *t = to;
    const char *f = from;
    if (t <= f)
        return memcpy(to, from, count);
    while (count--)
        t[count] = f[count];
    return to;
}

LIBRARY void *memset(void *to, int value, size count)
{
    for (char *t = to; count; count--)
        *t++ = (char)value;
    return to;
}

LIBRARY int memcmp(const void *a, const void *b, size count)
{
    const unsigned char *x = a, *y = b;
    for (; count; count--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

LIBRARY size strlen(const char *s)
{
    size length = 0;
    while (s[length])
        length++;
    return length;
}

LIBRARY int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

LIBRARY int strncmp(const char *a, const char *b, size count)
{
    for (; count; count--, a++, b++)
        if (*a != *b || !*a)
            return *(const unsigned char *)a - *(const unsigned char *)b;
    return 0;
}

LIBRARY char *strcpy(char *to, const char *from)
{
    for (char *t = to; (*t++ = *from++);)
        ;
    return to;
}

LIBRARY char *strchr(const char *s, int c)
{
    for (;; s++)
        if (*s == (char)c)
            return (char *)s;
        else if (!*s)
            return 0;
}

LIBRARY int abs(int x)
{
    return x < 0 ? -x : x;
}

LIBRARY long labs(long x)
{
    return x < 0 ? -x : x;
}
