#include "slice/map.h"

#include <stdlib.h>

#include "base/memory.h"

static struct map_entry *map_find(const struct map *m, uintptr_t a, uintptr_t b)
{
    uint64_t h = ((uint64_t)a * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uint64_t)b * UINT64_C(0xc2b2ae3d27d4eb4f));
    h ^= h >> 29;
    for (size_t i = (size_t)h & (m->room - 1);; i = (i + 1) & (m->room - 1))
        if (!m->entries[i].value || (m->entries[i].a == a && m->entries[i].b == b))
            return &m->entries[i];
}

int map_get(const struct map *m, uintptr_t a, uintptr_t b)
{
    return m->room ? map_find(m, a, b)->value - 1 : -1;
}

static void map_enlarge(struct map *m)
{
    struct map larger = {.room = m->room ? 2 * m->room : 256, .count = m->count};
    larger.entries = memory_array(larger.room, sizeof *larger.entries);
    for (size_t i = 0; i < m->room; i++)
        if (m->entries[i].value)
            *map_find(&larger, m->entries[i].a, m->entries[i].b) = m->entries[i];
    free(m->entries);
    *m = larger;
}

void map_put(struct map *m, uintptr_t a, uintptr_t b, int value)
{
    if (2 * (m->count + 1) > m->room)
        map_enlarge(m);
    *map_find(m, a, b) = (struct map_entry){a, b, value + 1};
    m->count++;
}

void map_free(struct map *m)
{
    free(m->entries);
    *m = (struct map){0};
}
