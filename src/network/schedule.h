/* Schedules: when each of many has something to do next; the earliest at once, all before a time in their order.
 *
 * Invariant: an inner entry is the least of those below it, so asking costs what is found, and a change costs the
 * logarithm of the number.
 */
#ifndef NETWORK_SCHEDULE_H
#define NETWORK_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct schedule {
    uint64_t *times; /* a complete tree: entry 1 is the root, the leaves begin at `leaves` */
    uint32_t leaves;
};

void schedule_resize(struct schedule *s, uint32_t count); /* new entries never have anything to do */
void schedule_free(struct schedule *s);
void schedule_set(struct schedule *s, uint32_t number, uint64_t time); /* UINT64_MAX: never */

/* The same for many: each is put, and then all are settled at once. In between nothing is asked. */
void schedule_put(struct schedule *s, uint32_t number, uint64_t time);
void schedule_settle(struct schedule *s, const uint32_t *numbers, size_t count);
uint64_t schedule_first(const struct schedule *s);

/* The numbers of those with something to do before the time, ascending; returns how many. What is there already is not
 * written again, so that other threads need not read it again. */
size_t schedule_before(const struct schedule *s, uint64_t time, uint32_t *numbers);

#endif
