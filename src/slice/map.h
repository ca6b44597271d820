/* Maps from two words to a number. Invariant: nothing goes through a map in the order of its keys, which may be
 * addresses of the host: results do not depend on them.
 */
#ifndef SLICE_MAP_H
#define SLICE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry {
        uintptr_t a, b;
        int value; /* one more, 0: empty */
    } * entries;
    size_t room, count; /* room: a power of two, or 0 */
};

/* The number of the key, -1 if it has none. */
int map_get(const struct map *m, uintptr_t a, uintptr_t b);

/* The key must have none. */
void map_put(struct map *m, uintptr_t a, uintptr_t b, int value);

void map_free(struct map *m);

#endif
