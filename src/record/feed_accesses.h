/* Accesses to variables around interrupts: after which one of them an interrupt came, if that matters.
 *
 * A native program gets an interrupt at the last step before it (record/feed.h). The code between that step and the
 * interrupt is then executed after the handler instead of before it. That makes a difference only where both access
 * the same byte, and one of them writes. Invariant: of each interrupt the last such access before it is known when its
 * handler has returned.
 */
#ifndef RECORD_FEED_ACCESSES_H
#define RECORD_FEED_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed_accesses;

/* An access by its number since the last step: of reads, or of writes, of this byte. 0: it does not matter. */
struct feed_after {
    uint32_t address, count;
    bool writes;
};

/* `compared` as in feed_new. */
struct feed_accesses *feed_accesses_new(size_t size, const uint8_t *compared);
void feed_accesses_free(struct feed_accesses *a);

void feed_accesses_add(struct feed_accesses *a, uint32_t address, unsigned size, bool writes);

/* A step, or another moment at which a native program gets interrupts. */
void feed_accesses_step(struct feed_accesses *a);

/* An interrupt, with a number of the caller's; the return from the last one that is open. False if there is none. */
void feed_accesses_interrupt(struct feed_accesses *a, size_t number);
bool feed_accesses_return(struct feed_accesses *a, size_t *number, struct feed_after *after);

/* After an access: whether the last interrupt that has returned came in the middle of an access to several bytes.
 * `later` has those that were accessed after it: 4 to 1 bytes before the one of feed_after (bits 0 to 3), 1 to 4 bytes
 * behind it (bits 4 to 7). */
bool feed_accesses_torn(struct feed_accesses *a, size_t *number, uint8_t *later);

#endif
