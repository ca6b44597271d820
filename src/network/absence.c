/* What was said, kept, so that those who said it can be left out when the rest is run again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "network/internal.h"

struct said {
    uint64_t window; /* the beginning of the one it was said in */
    struct saying saying;
};

struct network_said {
    struct said *list;
    size_t count, room;
};

struct network_said *network_said_new(void)
{
    struct network_said *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    return s;
}

void network_said_free(struct network_said *s)
{
    if (s)
        free(s->list);
    free(s);
}

static void absence_add(struct network_said *s, uint64_t window, const struct saying *one)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->list = realloc(s->list, s->room * sizeof *s->list);
        if (!s->list)
            abort();
    }
    s->list[s->count++] = (struct said){window, *one};
}

void network_said_note(struct network_said *s, const struct network *n)
{
    assert(n->open);
    for (uint32_t i = 0; i < n->count; i++)
        for (size_t k = 0; k < n->members[i]->said_count; k++)
            absence_add(s, n->now, &n->members[i]->said[k]);
}

size_t network_said_size(const struct network_said *s)
{
    return s->count * sizeof *s->list;
}

void network_said_forget(struct network_said *s, uint64_t from)
{
    while (s->count && s->list[s->count - 1].window >= from)
        s->count--;
}

/* How many were said in windows that began before the time. */
static size_t said_before(const struct network_said *s, uint64_t time)
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

void network_leave_out(struct network *n, uint32_t number, const struct network_said *s, uint64_t until)
{
    struct member *m = n->members[number];
    m->left_out = true;
    schedule_set(&n->schedule, number, NEVER);
    for (size_t i = said_before(s, n->now); i < s->count && s->list[i].window < until; i++) {
        const struct saying *one = &s->list[i].saying;
        if (one->from == number && one->order >= m->order)
            sayings_push(&n->sayings, one);
    }
}

bool network_left_out(const struct network *n, uint32_t number)
{
    return n->members[number]->left_out;
}

void network_lengthen(struct network *n, const struct network_said *s, uint64_t limit)
{
    assert(n->open);
    size_t next = said_before(s, n->now < WINDOW ? 0 : n->now - WINDOW + 1); /* in windows that end later than now */
    uint64_t end = limit;
    if (next < s->count && s->list[next].window < end)
        end = s->list[next].window;
    if (n->sayings.count && n->sayings.list[0].when < end + EARLY)
        end = n->sayings.list[0].when - EARLY;
    if (end > n->window_end)
        n->window_end = end;
}
