#include "image/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct store_block {
    struct store_block *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
};

#define BLOCK_SIZE 32768u

void *store_take(struct store *s, size_t size)
{
    size_t rounded = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    struct store_block *b = s->blocks;
    if (!b || b->size - b->used < rounded) {
        size_t room = rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE;
        b = memory_new(sizeof *b + room);
        b->size = room;
        b->next = s->blocks;
        s->blocks = b;
    }
    void *taken = b->bytes + b->used;
    b->used += rounded;
    return taken;
}

void store_free(struct store *s)
{
    for (struct store_block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(s->strings);
    *s = (struct store){0};
}

void *store_copy(struct store *s, const void *bytes, size_t size)
{
    void *copy = store_take(s, size ? size : 1);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static const char **string_slot(const char **slots, size_t count, const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    size_t at = (hash ^ hash >> 32) & (count - 1);
    while (slots[at] && strcmp(slots[at], text) != 0)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void strings_grow(struct store *s)
{
    size_t slots = s->string_slots ? s->string_slots * 2 : 256;
    const char **bigger = memory_array(slots, sizeof *bigger);
    for (size_t n = 0; n < s->string_slots; n++)
        if (s->strings[n])
            *string_slot(bigger, slots, s->strings[n]) = s->strings[n];
    free(s->strings);
    s->strings = bigger;
    s->string_slots = slots;
}

const char *store_string(struct store *s, const char *text)
{
    if (s->string_count * 2 >= s->string_slots)
        strings_grow(s);
    const char **slot = string_slot(s->strings, s->string_slots, text);
    if (!*slot) {
        *slot = store_copy(s, text, strlen(text) + 1);
        s->string_count++;
    }
    return *slot;
}

const char *store_text(struct store *s, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return store_string(s, text);
}

void *growing_add(struct growing *g, size_t item_size)
{
    g->items = memory_grow(g->items, &g->capacity, g->count, item_size);
    void *item = (char *)g->items + g->count++ * item_size;
    return memset(item, 0, item_size);
}

void *growing_keep(struct growing *g, size_t item_size, struct store *s)
{
    void *kept = store_copy(s, g->items, g->count * item_size);
    growing_free(g);
    return kept;
}

void growing_free(struct growing *g)
{
    free(g->items);
    *g = (struct growing){0};
}
