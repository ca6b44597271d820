#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void memory_exhausted(void)
{
    fputs("motet: out of memory\n", stderr);
    abort();
}

static size_t memory_product(size_t count, size_t size)
{
    size_t product;
    if (__builtin_mul_overflow(count, size, &product))
        memory_exhausted();
    return product;
}

void *memory_must(void *p)
{
    if (!p)
        memory_exhausted();
    return p;
}

void *memory_new(size_t size)
{
    return memory_must(calloc(1, size ? size : 1));
}

void *memory_array(size_t count, size_t size)
{
    size_t total = memory_product(count, size);
    return memory_new(total);
}

void *memory_with_array(size_t head, size_t count, size_t size)
{
    size_t total;
    if (__builtin_add_overflow(head, memory_product(count, size), &total))
        memory_exhausted();
    return memory_new(total);
}

void *memory_bytes(size_t size)
{
    return memory_must(malloc(size ? size : 1));
}

void *memory_aligned(size_t alignment, size_t size)
{
    return memory_must(aligned_alloc(alignment, size));
}

void *memory_resize(void *array, size_t count, size_t size)
{
    size_t total = memory_product(count, size);
    return memory_must(realloc(array, total ? total : 1));
}

void *memory_grow(void *array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return array;
    *room = count < 2 ? 4 : memory_product(count, 2);
    return memory_resize(array, *room, size);
}

void *memory_copy(const void *bytes, size_t size)
{
    void *copy = memory_bytes(size);
    return size ? memcpy(copy, bytes, size) : copy;
}

char *memory_string(const char *text)
{
    return memory_copy(text, strlen(text) + 1);
}

char *memory_format_list(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        memory_exhausted();
    char *text = memory_bytes((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *memory_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = memory_format_list(format, args);
    va_end(args);
    return text;
}

void memory_written(FILE *stream)
{
    if (fclose(stream) != 0)
        memory_exhausted();
}
