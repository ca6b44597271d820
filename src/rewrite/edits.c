#include "rewrite/edits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void edits_add(struct edits *e, uint32_t at, enum edit_side side, const char *format, ...)
{
    e->list = memory_grow(e->list, &e->room, e->count, sizeof *e->list);
    va_list args;
    va_start(args, format);
    char *text = memory_format_list(format, args);
    va_end(args);
    e->list[e->count] = (struct edit){.at = at, .side = side, .order = (unsigned)e->count, .text = text};
    e->count++;
}

static int earlier(const void *pa, const void *pb)
{
    const struct edit *a = pa, *b = pb;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    int order = a->order < b->order ? -1 : a->order > b->order;
    return a->side == EDIT_OPEN ? order : -order;
}

char *edits_apply(struct edits *e, const char *text, size_t size, size_t *result_size)
{
    size_t total = size;
    for (size_t i = 0; i < e->count; i++)
        total += strlen(e->list[i].text);
    char *out = memory_bytes(total + 1), *to = out;
    qsort(e->list, e->count, sizeof *e->list, earlier);
    uint32_t from = 0;
    for (size_t i = 0; i < e->count; i++) {
        memcpy(to, text + from, e->list[i].at - from);
        to += e->list[i].at - from;
        from = e->list[i].at;
        to = stpcpy(to, e->list[i].text);
    }
    memcpy(to, text + from, size - from);
    to[size - from] = '\0';
    *result_size = total;
    return out;
}

void edits_free(struct edits *e)
{
    for (size_t i = 0; i < e->count; i++)
        free(e->list[i].text);
    free(e->list);
    *e = (struct edits){0};
}
