/* What a firmware built by `motet cc` passes to its recorder, before the recorder does anything with it, and what it
 * read from its registers.
 *
 * The recorded firmware runs in the simulator with probes at the recorder's entries, where interrupts have just been
 * switched off, and a watch on all registers. Invariant: events are in the order in which the recorder gets them, and
 * are all there is: neither the ring, nor the codec, nor the flash can lose one. What the recorder itself reads is left
 * out.
 */
#ifndef BENCH_RECORD_TRACE_H
#define BENCH_RECORD_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <motet/motet.h>

enum trace_kind {
    TRACE_READ,      /* size 1 or 2: site, value, live */
    TRACE_BYTE,      /* of memory that hardware has written; site */
    TRACE_INTERRUPT, /* vector, address, count */
    TRACE_LIBRARY,   /* the same where nothing counts */
    TRACE_WOKE,      /* vector */
    TRACE_INSIDE,    /* the recorder: vector, count */
    TRACE_WRAPPED,
};

/* Classes of registers, as target/registers has them and sites too. */
enum trace_class { TRACE_STATE, TRACE_TIMER, TRACE_DATA, TRACE_WHOLE, TRACE_CLASSES };

struct trace_event {
    uint64_t cycle;                                 /* of the CPU's clock while awake */
    uint32_t hash;                                  /* the hash of a library position: not the node's, but as long */
    uint16_t site, value, live, address, count, sp; /* of an interrupt at which its timer is known: `size`, value */
    uint8_t kind, size, vector;
    uint8_t overflow; /* of an interrupt at which a timer is at zero: 1, or 2 for one of 16 bits */
};

struct trace_bytes {
    uint8_t *bytes;
    size_t count, room;
};

struct trace {
    struct trace_event *events;
    size_t count, room;
    size_t handed; /* events of a Cortex-M, which are not kept one by one (record_cores.h) */
    bool avr;
    bool stamped; /* addresses are cycles */
    size_t boot;  /* events of the first second */
    /* Reads of registers before any technique: bits. */
    uint64_t all_bits;                  /* of all registers but the CPU's own */
    uint64_t whole_bits[TRACE_CLASSES]; /* of those that are not fixed, whole */
    uint64_t changing_bits;             /* of those, only the bits that can change by themselves */
    uint64_t reads;                     /* how many reads of registers that are not fixed */
    uint64_t interrupts;                /* how many */
    struct trace_bytes
        stream; /* what those reads gave, and interrupts (vector, address, count: 5 bytes), as they came */
};

struct trace_layout;

/* Of a recorded firmware; NULL if it is none; the reason is printed. */
struct trace_layout *trace_layout_new(const motet_machine *m);
void trace_layout_free(struct trace_layout *l);

/* From now on all that the node hands over is in the trace. */
struct trace_tap {
    struct trace_layout *layout;
    struct trace *trace;
    uint16_t compare[2]; /* registers, as last written */
};
void trace_put(motet_node *n, struct trace_tap *t); /* `t` stays as long as the node */
void record_trace_free(struct trace *t);

void trace_put_byte(struct trace_bytes *b, unsigned byte);

#endif
