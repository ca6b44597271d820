#include "network/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ROW = 8, LINE = ROW * sizeof(uint64_t) }; /* leaves in a line of the host's cache, looked through one by one */

static uint64_t schedule_least(const struct schedule *s, uint32_t at)
{
    uint64_t a = s->times[2 * at], b = s->times[2 * at + 1];
    return a < b ? a : b;
}

void schedule_resize(struct schedule *s, uint32_t count)
{
    uint32_t leaves = s->leaves ? s->leaves : ROW;
    while (leaves < count)
        leaves *= 2;
    if (leaves == s->leaves)
        return;
    uint64_t *times = memory_aligned(LINE, 2 * (size_t)leaves * sizeof *times);
    memset(times, 0xff, 2 * (size_t)leaves * sizeof *times);
    if (s->leaves)
        memcpy(times + leaves, s->times + s->leaves, s->leaves * sizeof *times);
    free(s->times);
    s->times = times;
    s->leaves = leaves;
    for (uint32_t at = leaves - 1; at >= 1; at--)
        s->times[at] = schedule_least(s, at);
}

void schedule_free(struct schedule *s)
{
    free(s->times);
    *s = (struct schedule){0};
}

static void schedule_settle_one(struct schedule *s, uint32_t number)
{
    for (uint32_t at = (s->leaves + number) / 2; at >= 1; at /= 2) {
        uint64_t new = schedule_least(s, at);
        if (s->times[at] == new)
            return;
        s->times[at] = new;
    }
}

void schedule_set(struct schedule *s, uint32_t number, uint64_t time)
{
    schedule_put(s, number, time);
    schedule_settle_one(s, number);
}

void schedule_put(struct schedule *s, uint32_t number, uint64_t time)
{
    s->times[s->leaves + number] = time;
}

/* Updating one after the other works although others are not settled yet: the last update of an entry finds all
 * entries below it final. Where most have changed it is quicker to go through all once. */
void schedule_settle(struct schedule *s, const uint32_t *numbers, size_t count)
{
    if (count > s->leaves / 8)
        for (uint32_t at = s->leaves - 1; at >= 1; at--)
            s->times[at] = schedule_least(s, at);
    else
        for (size_t i = 0; i < count; i++)
            schedule_settle_one(s, numbers[i]);
}

uint64_t schedule_first(const struct schedule *s)
{
    return s->leaves ? s->times[1] : UINT64_MAX;
}

static size_t schedule_before_row(const struct schedule *s, uint32_t first, uint64_t time, uint32_t *numbers,
                                  size_t found)
{
    const uint64_t *times = s->times + s->leaves + first;
    for (uint32_t i = 0; i < ROW; i++) {
        if (times[i] >= time)
            continue;
        if (numbers[found] != first + i)
            numbers[found] = first + i;
        found++;
    }
    return found;
}

static size_t descend(const struct schedule *s, uint32_t at, uint64_t time, uint32_t *numbers, size_t found)
{
    if (s->times[at] >= time)
        return found;
    if (at >= s->leaves / ROW)
        return schedule_before_row(s, at * ROW - s->leaves, time, numbers, found);
    found = descend(s, 2 * at, time, numbers, found);
    return descend(s, 2 * at + 1, time, numbers, found);
}

size_t schedule_before(const struct schedule *s, uint64_t time, uint32_t *numbers)
{
    return s->leaves ? descend(s, 1, time, numbers, 0) : 0;
}
