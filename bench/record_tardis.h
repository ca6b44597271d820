/* The codec `tardis` as the node has it, on the host: what a trace takes, by what it is spent on.
 *
 * Figure 4 of the paper has the bits of state, timers, data and interrupts. `beyond` is what exact replay needs in
 * addition (order of events, stack pointers, hashes, checks), `frames` the bytes around chunks.
 */
#ifndef BENCH_RECORD_TARDIS_H
#define BENCH_RECORD_TARDIS_H

#include "record_trace.h"

/* Bits. */
struct tardis_cost {
    double state, timers, data, interrupts, beyond, frames;
};

/* Adds what the events from the one with number `from` on take. Those before are encoded as well. */
void tardis_cost(const struct trace *t, size_t from, struct tardis_cost *c);

#endif
