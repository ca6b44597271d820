#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cli_resized(void *array, size_t count, size_t size)
{
    size_t total;
    bool fits = !__builtin_mul_overflow(count, size, &total);
    void *p = fits ? realloc(array, total ? total : 1) : NULL;
    if (!p) {
        fputs("motet: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *cli_array(size_t count, size_t size)
{
    void *p = cli_resized(NULL, count, size);
    return memset(p, 0, count * size);
}

void *cli_one_more(void *array, size_t count, size_t size)
{
    return cli_resized(array, count + 1, size);
}

char *cli_text(const char *text, size_t length)
{
    char *copy = cli_array(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}
