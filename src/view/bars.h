/* Bars: stretches of time on one track of one node, and coarser lists of them for looking from far away.
 *
 * Invariant: a list is in the order in which its bars begin. A list is never longer than BARS_MOST: where it would
 * be, neighbours are merged, and `gap` says up to which distance. A merged bar knows how many it stands for and how
 * much of its time they take.
 */
#ifndef VIEW_BARS_H
#define VIEW_BARS_H

#include <stddef.h>
#include <stdint.h>

#define BARS_SEVERAL UINT32_MAX /* the word of bars that were merged and differ */

struct bar {
    uint64_t begin, end, busy; /* nanoseconds */
    uint32_t word, count;
};

struct bars {
    struct bar *list;
    size_t count, room;
    size_t most;          /* bars in the list */
    uint64_t gap;         /* bars nearer than this to each other are one; 0: none were merged */
    struct bars *coarser; /* a few, each coarser than the one before, the last without `list`; NULL before bars_layer */
};

void bars_add(struct bars *m, uint64_t begin, uint64_t end, uint32_t word);
void bars_layer(struct bars *m); /* after the last: puts them in order and makes the coarser lists */
void bars_free(struct bars *m);

/* Those that touch a stretch of time, nearer ones than `gap` merged into bars of a few times that length. `visit` may
 * be NULL. Returns how many. */
typedef void bars_visit(void *context, const struct bar *m);
size_t bars_within(const struct bars *m, uint64_t from, uint64_t to, uint64_t gap, bars_visit *visit, void *context);

#endif
