/* What a firmware built by `motet cc` hands to its recorder, whatever becomes of it there.
 *
 * The recorded firmware runs in the simulator with probes at the recorder's entries, where interrupts have just been
 * switched off. Invariant: events are in the order in which the recorder gets them, and are all there is: neither the
 * ring, nor the codec, nor the flash can lose one.
 */
#ifndef BENCH_RECORD_TRACE_H
#define BENCH_RECORD_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
    TRACE_READ,      /* size 1 or 2: site, value, live */
    TRACE_BYTE,      /* of memory that hardware has written; site */
    TRACE_INTERRUPT, /* vector, address, count */
    TRACE_LIBRARY,   /* the same where nothing counts */
    TRACE_WOKE,      /* vector */
    TRACE_INSIDE,    /* the recorder: vector, count */
    TRACE_WRAPPED,
};

struct trace_event {
    uint64_t cycle; /* of the CPU's clock while awake */
    uint32_t hash;  /* what a library position is told by: not the node's, but as long */
    uint16_t site, value, live, address, count;
    uint8_t kind, size, vector;
};

struct trace {
    struct trace_event *events;
    size_t count, room;
    uint64_t all_reads[3]; /* of registers, by the application: bytes; all, those not fixed, ... */
    uint64_t cycles;       /* awake, in all */
};

struct trace_run {
    const char *path, *board;
    unsigned nodes; /* in a grid, all in each other's reach */
    double seconds;
    unsigned seed;
};

enum { TRACE_NODES = 9 };

/* Runs it; traces[0] is that of the first node. False: it has been said why. */
bool trace_record(const struct trace_run *r, struct trace traces[TRACE_NODES]);
void trace_free(struct trace traces[TRACE_NODES]);

#endif
