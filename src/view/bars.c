#include "view/bars.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { BARS_FINEST = 20000, BARS_FACTOR = 8, BARS_FEW = 2000, BARS_NESTED = 8, BARS_LONGEST = 4 };

static int bars_by_begin(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void bars_sort(struct bars *m)
{
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, bars_by_begin);
}

/* A merged bar stays short, so that how busy a stretch was is seen along it. */
static bool bars_join(struct bar *into, const struct bar *next, uint64_t gap)
{
    if (!gap || next->begin > into->end + gap || next->end > into->begin + BARS_LONGEST * gap)
        return false;
    into->end = next->end > into->end ? next->end : into->end;
    into->busy += next->busy;
    into->count += next->count;
    if (into->word != next->word)
        into->word = BARS_SEVERAL;
    return true;
}

/* Merges in place. */
static void bars_merge(struct bars *m, uint64_t gap)
{
    size_t kept = 0;
    for (size_t i = 1; i < m->count; i++)
        if (!bars_join(&m->list[kept], &m->list[i], gap))
            m->list[++kept] = m->list[i];
    m->count = m->count ? kept + 1 : 0;
}

/* The list is full: the smallest distance that halves it. */
static void bars_thin(struct bars *m)
{
    bars_sort(m);
    if (!m->gap)
        m->gap = 1000;
    for (; m->count > m->most / 2; m->gap *= 2)
        bars_merge(m, m->gap);
}

void bars_add(struct bars *m, uint64_t begin, uint64_t end, uint32_t word)
{
    if (end < begin)
        end = begin;
    if (m->count == m->most)
        bars_thin(m);
    m->list = memory_grow(m->list, &m->room, m->count, sizeof *m->list);
    m->list[m->count++] = (struct bar){begin, end, end - begin, word, 1};
}

void bars_layer(struct bars *m)
{
    enum { LAYERS = 12 };
    size_t layers = 0;
    bars_sort(m);
    m->coarser = memory_array(LAYERS + 1, sizeof *m->coarser);
    const struct bars *finer = m;
    for (uint64_t gap = BARS_FINEST; finer->count > BARS_FEW && layers < LAYERS; gap *= BARS_FACTOR) {
        struct bars next = {.list = memory_copy(finer->list, finer->count * sizeof *finer->list),
                            .count = finer->count};
        bars_merge(&next, gap);
        next.gap = gap;
        next.list = memory_resize(next.list, next.count, sizeof *next.list);
        m->coarser[layers] = next;
        finer = &m->coarser[layers++];
    }
}

void bars_free(struct bars *m)
{
    for (struct bars *c = m->coarser; c && c->list; c++)
        free(c->list);
    free(m->coarser);
    free(m->list);
}

/* The coarsest list in which nothing is merged that is not to be. */
static const struct bars *bars_level(const struct bars *m, uint64_t gap)
{
    const struct bars *best = m;
    for (const struct bars *c = m->coarser; c && c->list && c->gap <= gap; c++)
        best = c;
    return best;
}

static size_t bars_first(const struct bars *m, uint64_t from)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->list[middle].begin < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (unsigned i = 0; i < BARS_NESTED && low > 0; i++)
        low--;
    while (low < m->count && m->list[low].end < from)
        low++;
    return low;
}

size_t bars_within(const struct bars *m, uint64_t from, uint64_t to, uint64_t gap, bars_visit *visit, void *context)
{
    const struct bars *level = bars_level(m, gap);
    struct bar one = {.count = 0};
    size_t count = 0;
    for (size_t i = bars_first(level, from); i < level->count && level->list[i].begin <= to; i++) {
        if (one.count && bars_join(&one, &level->list[i], gap))
            continue;
        if (one.count && visit)
            visit(context, &one);
        one = level->list[i];
        count++;
    }
    if (one.count && visit)
        visit(context, &one);
    return count;
}
