/* Arrays that grow: room for one more element, doubled when it is used up. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdlib.h>

/* Returns the array, with room for element number `count`. */
static inline void *grow(void *array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    array = realloc(array, *room * size);
    if (!array)
        abort();
    return array;
}

#endif
