/* Following: what several nodes log, put in one causal order while it comes in.
 *
 * Each node has a queue. An event leaves it when everything on its node has, when the send of what it received has, and
 * when no node that is still heard can bring an earlier one. What has been written is never changed or moved: the order
 * only grows. Nodes that say nothing for a while (`patience`) are not waited for.
 *
 * Clocks: the first message between two nodes ties them, and all that are tied to them; later a receive that would come
 * before its send moves its node's clock ahead. Invariant: a line is written after the lines of all causes that were
 * known in time, and memory does not grow with what was written: the last FOLLOW_PACKETS packets are remembered.
 */
#ifndef MERGE_FOLLOW_H
#define MERGE_FOLLOW_H

#include "merge/story.h"

enum { FOLLOW_PACKETS = 65536 };

struct follow;

struct follow_options {
    uint32_t nodes;
    uint64_t delay;    /* most nanoseconds from a send to its receive, for contents that come again; 0: 100 ms */
    uint64_t copies;   /* most nanoseconds between two copies of a packet; 0: 30 ms */
    uint64_t patience; /* nanoseconds of the host for which a silent node is waited for; 0: 2 s */
    bool json;
    FILE *to;
};

struct follow_counts {
    uint64_t events, sends, receives, matched, undecided, unknown;
    uint64_t late;  /* sends that came in after the lines of their receives were written */
    uint64_t moved; /* receives that moved the clock of their node */
};

struct follow *follow_new(const struct follow_options *o);
void follow_free(struct follow *f);

/* Nodes are numbered from 0. The id is known before the first event. */
void follow_name(struct follow *f, uint32_t node, uint32_t id);
uint32_t follow_id(const struct follow *f, uint32_t node);

/* The next event of a node; `now` is the host's time. `waits`: of a send, whether it was accepted is said later, by the
 * number that is returned. */
uint64_t follow_add(struct follow *f, uint32_t node, const struct story_event *e, bool waits, uint64_t now);
void follow_accept(struct follow *f, uint32_t node, uint64_t number, bool accepted);
void follow_cut(struct follow *f, uint32_t node, unsigned what); /* enum causal_cut */
void follow_end(struct follow *f, uint32_t node);                /* no more will come */

/* Writes what is certain. */
void follow_pass(struct follow *f, uint64_t now);

void follow_counts(const struct follow *f, struct follow_counts *c);

#endif
