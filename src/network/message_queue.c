#include <stdlib.h>

#include "base/memory.h"
#include "network/internal.h"

bool message_before(const struct sent_message *a, const struct sent_message *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    if (a->from != b->from)
        return a->from < b->from;
    return a->order < b->order;
}

static void message_queue_rise(struct message_queue *s, size_t at)
{
    struct sent_message one = s->list[at];
    for (; at > 0 && message_before(&one, &s->list[(at - 1) / 2]); at = (at - 1) / 2)
        s->list[at] = s->list[(at - 1) / 2];
    s->list[at] = one;
}

static void sink(struct message_queue *s, size_t at)
{
    struct sent_message one = s->list[at];
    for (;;) {
        size_t below = 2 * at + 1;
        if (below + 1 < s->count && message_before(&s->list[below + 1], &s->list[below]))
            below++;
        if (below >= s->count || !message_before(&s->list[below], &one))
            break;
        s->list[at] = s->list[below];
        at = below;
    }
    s->list[at] = one;
}

void message_queue_push(struct message_queue *s, const struct sent_message *one)
{
    s->list = memory_grow(s->list, &s->room, s->count, sizeof *s->list);
    s->list[s->count] = *one;
    message_queue_rise(s, s->count++);
}

void message_queue_pop(struct message_queue *s, struct sent_message *one)
{
    *one = s->list[0];
    s->list[0] = s->list[--s->count];
    if (s->count)
        sink(s, 0);
}

void message_queue_remove_sender(struct message_queue *s, uint32_t from)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].from != from)
            s->list[kept++] = s->list[i];
    s->count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sink(s, i);
}
