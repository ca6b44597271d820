/* Ranks: processes, on one machine or several, that share numbered work.
 *
 * All of them were started with the same options. Rank 0 gives out the items and has the result. Messages between two
 * ranks arrive in the order in which they were sent, or not at all where a rank has died. Nothing here waits: a rank
 * that is silent costs time, never the result.
 */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks {
    unsigned rank, count;
    void (*send)(unsigned to, const void *bytes, size_t size);
    bool (*receive)(unsigned *from, uint8_t **bytes,
                    size_t *size); /* false: there is none; the bytes are to be freed */
};

#endif
