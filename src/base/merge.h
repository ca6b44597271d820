/* Merging sequences that are sorted by time: which of many comes next.
 *
 * Put the time of each sequence's first element, then take the earliest and put that sequence's next one, until nothing
 * is left. Invariant: of equal times the sequence with the lower number comes first.
 */
#ifndef BASE_MERGE_H
#define BASE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_head {
    uint64_t time;
    size_t sequence;
};

struct merge {
    struct merge_head *heads; /* a heap */
    size_t count, room;
};

void merge_begin(struct merge *m);
void merge_end(struct merge *m);
void merge_put(struct merge *m, uint64_t time, size_t sequence); /* one for each sequence at a time */
bool merge_take(struct merge *m, struct merge_head *h);          /* false: nothing is left */

#endif
