/* Memory and strings, plainly. */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    char *t = to;
    for (const char *f = from; size; size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;
    if (t <= f)
        return memcpy(to, from, size); /* forward, as ours goes */
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    for (char *t = to; size; size--)
        *t++ = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

void *memchr(const void *in, int byte, size_t size)
{
    for (const unsigned char *x = in; size; size--, x++)
        if (*x == (unsigned char)byte)
            return (void *)x;
    return NULL;
}

size_t strlen(const char *s)
{
    const char *end = s;
    while (*end)
        end++;
    return (size_t)(end - s);
}

size_t strnlen(const char *s, size_t most)
{
    size_t length = 0;
    while (length < most && s[length])
        length++;
    return length;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t most)
{
    for (; most && *a && *a == *b; a++, most--)
        b++;
    return most ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    for (char *t = to; (*t++ = *from++);)
        ;
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = *from ? *from++ : 0;
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (!*s)
            return NULL;
    return (char *)s;
}

char *strrchr(const char *s, int c)
{
    const char *found = NULL;
    do
        if (*s == (char)c)
            found = s;
    while (*s++);
    return (char *)found;
}

char *strstr(const char *s, const char *what)
{
    size_t length = strlen(what);
    for (; strncmp(s, what, length) != 0; s++)
        if (!*s)
            return NULL;
    return (char *)s;
}
