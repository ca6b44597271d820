/* Spills: snapshots that memory has no room for, compressed in a private temporary file.
 *
 * Invariant: what was put can be read again unchanged, or not at all (the disk is full, or broken).
 */
#ifndef TIMELINE_SPILL_H
#define TIMELINE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"

struct spill;

struct spilled {
    uint64_t at;
    size_t stored, size;
};

struct spill *spill_new(void);
void spill_free(struct spill *s);
bool spill_put(struct spill *s, const struct pack *p, struct spilled *where);
uint8_t *spill_get(struct spill *s, const struct spilled *where); /* in memory to be freed, or NULL */
uint64_t spill_size(const struct spill *s);

#endif
