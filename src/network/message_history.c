/* The history of messages. With it, senders can be left out when the other nodes run again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/internal.h"

struct past_message {
    uint64_t window; /* the beginning of the window it was sent in */
    struct sent_message saying;
};

struct message_history {
    struct past_message *list;
    size_t count, room;
};

struct message_history *message_history_new(void)
{
    struct message_history *s = memory_new(sizeof *s);
    return s;
}

void message_history_free(struct message_history *s)
{
    if (s)
        free(s->list);
    free(s);
}

static void message_history_append(struct message_history *s, uint64_t window, const struct sent_message *one)
{
    s->list = memory_grow(s->list, &s->room, s->count, sizeof *s->list);
    s->list[s->count++] = (struct past_message){window, *one};
}

void message_history_add(struct message_history *s, const struct network *n)
{
    assert(n->open);
    for (uint32_t i = 0; i < n->count; i++)
        for (size_t k = 0; k < n->members[i]->outgoing_count; k++)
            message_history_append(s, n->now, &n->members[i]->outgoing[k]);
}

size_t message_history_size(const struct message_history *s)
{
    return s->count * sizeof *s->list;
}

void message_history_forget(struct message_history *s, uint64_t from)
{
    while (s->count && s->list[s->count - 1].window >= from)
        s->count--;
}

/* How many were sent in windows that began before the time. */
static size_t message_history_before(const struct message_history *s, uint64_t time)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->list[middle].window < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void network_leave_out(struct network *n, uint32_t number, const struct message_history *s, uint64_t until)
{
    struct member *m = n->members[number];
    m->left_out = true;
    schedule_set(&n->schedule, number, NEVER);
    for (size_t i = message_history_before(s, n->now); i < s->count && s->list[i].window < until; i++) {
        const struct sent_message *one = &s->list[i].saying;
        if (one->from == number && one->order >= m->order)
            message_queue_push(&n->queue, one);
    }
}

bool network_left_out(const struct network *n, uint32_t number)
{
    return n->members[number]->left_out;
}

void network_lengthen(struct network *n, const struct message_history *s, uint64_t limit)
{
    assert(n->open);
    size_t next =
        message_history_before(s, n->now < WINDOW ? 0 : n->now - WINDOW + 1); /* in windows that end later than now */
    uint64_t end = limit;
    if (next < s->count && s->list[next].window < end)
        end = s->list[next].window;
    if (n->queue.count && n->queue.list[0].when < end + EARLY)
        end = n->queue.list[0].when - EARLY;
    if (end > n->window_end)
        n->window_end = end;
}
