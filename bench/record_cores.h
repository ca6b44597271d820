/* The same as record_trace.h has, of firmware for Cortex-M, whose recorder is another (target/recorder/cortex).
 *
 * Every read of a device's register is recorded there, and none is known to be fixed. Invariant: each event is counted
 * once, in the function of the recorder that gets it, before a byte of it is written.
 */
#ifndef BENCH_RECORD_CORES_H
#define BENCH_RECORD_CORES_H

#include "record_trace.h"

struct cores_tap {
    struct trace *trace;
    unsigned size; /* of the read under way */
};

/* Whether the firmware has that recorder. */
bool cores_has(const motet_machine *m);

/* From now on reads, interrupts and memory that hardware filled are in the trace: their number, their bits, and the
 * stream of their values. There are no single events. `t` stays as long as the node. False: the reason is printed. */
bool cores_put(motet_node *n, const motet_machine *m, struct cores_tap *t);

#endif
