/* Seen: states from which everything was explored, to a depth, without an error.
 *
 * A state is known by its time, by a digest of its canonical form, and by the bytes of its memories that its futures
 * read before they wrote them (node/uses.h): its reads. Another state of the same time and form that agrees in these
 * bytes has the same futures. States of one instant share masks: unions of their reads, of which there are few.
 *
 * What is kept of a state is 16 bytes of digest. When the memory allowed does not hold them any more, the table becomes
 * an array of bits, three for each state (bitstate hashing). Then a state may be taken for another: the probability
 * that this has happened is counted.
 *
 * Invariant: reads are a part of the mask by which a state is kept. Any number of threads may ask and add.
 */
#ifndef CHECK_SEEN_H
#define CHECK_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

struct seen;

/* `instants`: how many times there are; `bytes`: of the memories of a state; `memory`: bytes allowed. */
struct seen *seen_new(size_t instants, size_t bytes, size_t memory);
void seen_free(struct seen *s);

struct seen_state {
    size_t instant;
    struct digest form;
    const uint8_t *memories;
};

/* Whether a state with the same futures was explored to that depth or deeper. Its reads, or more, are added to `reads`,
 * a bit for each byte. */
bool seen_has(struct seen *s, const struct seen_state *t, unsigned depth, uint8_t *reads);

void seen_add(struct seen *s, const struct seen_state *t, unsigned depth, const uint8_t *reads);

struct seen_work {
    uint64_t states, merged;
    bool bits;     /* the memory did not suffice */
    double missed; /* then: at most the probability that a state was taken for another */
    size_t memory; /* bytes that are taken now */
};
struct seen_work seen_work(struct seen *s);

#endif
