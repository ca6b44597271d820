#include <stdlib.h>

#include "network/internal.h"

bool saying_before(const struct saying *a, const struct saying *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    if (a->from != b->from)
        return a->from < b->from;
    return a->order < b->order;
}

static void sayings_rise(struct sayings *s, size_t at)
{
    struct saying one = s->list[at];
    for (; at > 0 && saying_before(&one, &s->list[(at - 1) / 2]); at = (at - 1) / 2)
        s->list[at] = s->list[(at - 1) / 2];
    s->list[at] = one;
}

static void sink(struct sayings *s, size_t at)
{
    struct saying one = s->list[at];
    for (;;) {
        size_t below = 2 * at + 1;
        if (below + 1 < s->count && saying_before(&s->list[below + 1], &s->list[below]))
            below++;
        if (below >= s->count || !saying_before(&s->list[below], &one))
            break;
        s->list[at] = s->list[below];
        at = below;
    }
    s->list[at] = one;
}

void sayings_push(struct sayings *s, const struct saying *one)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->list = realloc(s->list, s->room * sizeof *s->list);
        if (!s->list)
            abort();
    }
    s->list[s->count] = *one;
    sayings_rise(s, s->count++);
}

void sayings_pop(struct sayings *s, struct saying *one)
{
    *one = s->list[0];
    s->list[0] = s->list[--s->count];
    if (s->count)
        sink(s, 0);
}

void sayings_silence(struct sayings *s, uint32_t from)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].from != from)
            s->list[kept++] = s->list[i];
    s->count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sink(s, i);
}
