/* The codec `motet` as the node has it, on the host: what a trace takes, by what it is spent on.
 *
 * Invariant: what codec_check encodes, replay's decoder gives back, event for event.
 */
#ifndef BENCH_RECORD_CODEC_H
#define BENCH_RECORD_CODEC_H

#include "record_trace.h"

/* Bits. */
struct codec_cost {
    double state, timers, data, interrupts, rest;
    double awake, awake_count; /* of interrupts those that did not end sleep, and how many they are */
};

/* Adds what the events from the one with number `from` on take. Those before are encoded as well. */
void codec_cost(const struct trace *t, size_t from, struct codec_cost *c);
bool codec_check(const struct trace *t);

#endif
