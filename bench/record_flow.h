/* A trace of control flow alone, such as TinyTracer's (Sundaram, Eugster and Zhang, SenSys 2010), which TARDIS is
 * compared with (4.4, Figure 8).
 *
 * Of firmware that does not record: one bit for each conditional branch, one byte for each call through a pointer and
 * for each interrupt. That is the least from which the way through the code can be told; where an interrupt came is not
 * in it. Invariant: looking changes nothing, so the trace is of the unmodified firmware.
 */
#ifndef BENCH_RECORD_FLOW_H
#define BENCH_RECORD_FLOW_H

#include "record_trace.h"

struct flow_tap {
    bool avr;
    struct trace_bytes bytes;
    uint8_t byte, bits; /* of the byte that is not full yet */
};

void flow_put(motet_node *n, const motet_machine *m, struct flow_tap *t); /* `t` stays as long as the node */

#endif
