/* Uses: which bytes of a node's memories are read before they are written, from a moment on.
 *
 * Tracked are the bytes of RAM, and of the memories that devices name (device_type.tracked). The first access to each
 * of them is noted: by an instruction, by a device, by the entry of an interrupt. Invariant: what a node does from that
 * moment on is a function of the state that is not tracked and of the tracked bytes that are read before they are
 * written. Pages of RAM with a byte that has not been accessed yet are marked (PAGE_FRESH), so that nothing is slower
 * elsewhere, and nothing at all while uses are not noted.
 */
#ifndef NODE_USES_H
#define NODE_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/machine.h"
#include "node/node.h"

/* Sets of bytes: a bit for each byte of the arena. */
struct uses {
    size_t size;             /* bytes of such a set */
    uint8_t *tracked;        /* all that are */
    uint8_t *read, *written; /* by their first access; both are part of tracked */
    uint8_t *fresh;          /* by page of RAM: bytes that have not been accessed */
    bool blind;              /* something was used that is not tracked: nothing follows from these uses */
};

/* From here on, anew. The node's state is as it is; what was noted before is forgotten. */
void uses_begin(struct node *n);
void uses_end(struct node *n); /* nothing is noted any more */

void uses_note(struct node *n, size_t offset, size_t count, bool write); /* offset: in the arena */
void uses_all_written(struct node *n);                                   /* the power was lost */

static inline void uses_blind(struct node *n)
{
    if (__builtin_expect(n->uses != NULL, 0))
        n->uses->blind = true;
}

/* An access to a device's state. */
static inline void uses_state(struct node *n, const struct device *d, size_t offset, size_t count, bool write)
{
    if (__builtin_expect(n->uses != NULL, 0))
        uses_note(n, d->state_offset + offset, count, write);
}

/* An access to registers and RAM, by place (node/map.h). */
static inline void uses_data(struct node *n, uint32_t place, unsigned count, bool write)
{
    if (__builtin_expect(n->uses != NULL, 0))
        uses_note(n, n->machine->data_offset + place, count, write);
}

/* Sets every byte of an arena that is tracked to zero. */
void uses_clear_tracked(const struct machine *m, uint8_t *arena);

#endif
