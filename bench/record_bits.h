/* The codec `bits` of the profile small as the node has it, on the host: what a trace takes. */
#ifndef BENCH_RECORD_BITS_H
#define BENCH_RECORD_BITS_H

#include "record_trace.h"

/* Bits of all events. */
double bits_cost(const struct trace *t);

#endif
