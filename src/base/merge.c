#include "base/merge.h"

#include <stdlib.h>

#include "base/memory.h"

static bool merge_before(const struct merge_head *a, const struct merge_head *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

static void merge_swap(struct merge *m, size_t a, size_t b)
{
    struct merge_head h = m->heads[a];
    m->heads[a] = m->heads[b];
    m->heads[b] = h;
}

void merge_begin(struct merge *m)
{
    *m = (struct merge){.heads = NULL};
}

void merge_end(struct merge *m)
{
    free(m->heads);
    merge_begin(m);
}

void merge_put(struct merge *m, uint64_t time, size_t sequence)
{
    m->heads = memory_grow(m->heads, &m->room, m->count, sizeof *m->heads);
    size_t at = m->count++;
    m->heads[at] = (struct merge_head){time, sequence};
    for (; at && merge_before(&m->heads[at], &m->heads[(at - 1) / 2]); at = (at - 1) / 2)
        merge_swap(m, at, (at - 1) / 2);
}

bool merge_take(struct merge *m, struct merge_head *h)
{
    if (!m->count)
        return false;
    *h = m->heads[0];
    m->heads[0] = m->heads[--m->count];
    for (size_t at = 0, least;; at = least) {
        least = at;
        for (size_t k = 2 * at + 1; k <= 2 * at + 2 && k < m->count; k++)
            if (merge_before(&m->heads[k], &m->heads[least]))
                least = k;
        if (least == at)
            return true;
        merge_swap(m, at, least);
    }
}
