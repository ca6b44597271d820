/* Choices: what the environment is free to do, as one concept below every tool.
 *
 * Where something could go one way or another (a frame is delivered, lost or damaged; an interrupt comes at once or a
 * little later) the simulation asks a chooser. A choice is named by its source, the node it is about, another number
 * that the source needs, and an ordinal: which occasion of that source it is. Outcome 0 is the default.
 *
 * Invariant: defaults give the plain run, bit for bit, and without a chooser nothing is asked. A chooser that executes
 * something again answers the same: a run is a function of firmware, inputs and choices. What follows from a choice is
 * in the arena or in the network's state; the choice itself is not, it belongs to the chooser.
 */
#ifndef NODE_CHOICE_H
#define NODE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes are named by their ids. FRAME, HOLD, PREEMPT and SENSOR are asked for while nodes run. BOOT and SERIAL are made
 * before a run. The others have times of their own. */
enum choice_source {
    CHOICE_FRAME,   /* at a receiver. other: the sender; ordinal: the sender's count of messages; enum frame_outcome */
    CHOICE_HOLD,    /* an interrupt. other: its line; ordinal: how often it was posted before; outcome: microseconds */
    CHOICE_BUSY,    /* the channel around a node. other: enum busy_kind; ordinal: nanosecond; outcome: microseconds */
    CHOICE_RESET,   /* a node's reset pin. ordinal: nanosecond */
    CHOICE_POWER,   /* a node loses its supply and gets it back. ordinal: nanosecond */
    CHOICE_DEATH,   /* a node loses its supply for good. ordinal: nanosecond */
    CHOICE_BOOT,    /* a node is switched on later. ordinal: 0; outcome: microseconds */
    CHOICE_PREEMPT, /* an interrupt, as HOLD. outcome: 1 + address of the instruction after which it is to come */
    CHOICE_SENSOR,  /* a conversion. other: the analog line; ordinal: the tick; outcome: 1 + microvolts */
    CHOICE_SERIAL,  /* what the host sends. other: the line; ordinal: number of the input; enum serial_outcome */
    CHOICE_FOREIGN, /* a frame of no node, at a receiver. ordinal: nanosecond; outcome: 1 + what its bytes are drawn
                       from */
    CHOICE_SOURCES,
};

#define CHOICE_ALL      UINT32_MAX /* for BUSY, in place of a node: around all of them */
#define CHOICE_LEFT_OUT UINT32_MAX /* for BOOT, the longest delay: the node is not on in runs of less than an hour */

/* Of what the host sends at once. Exactly one; EARLY and LATE have microseconds added, DAMAGED the number of a byte. */
enum serial_outcome {
    SENT_AS_MEANT,
    SENT_NEVER,
    SENT_DAMAGED = 0x10000000,
    SENT_EARLY = 0x20000000,
    SENT_LATE = 0x40000000,
    SENT_AMOUNT = 0x0fffffff,
};

/* What keeps a channel busy: something near, in which frames are lost; or something far. A radio that looks for a clear
 * channel sees both, but frames of nodes that are near get through the second. */
enum busy_kind { BUSY_LOUD, BUSY_FAINT };

enum frame_outcome { FRAME_DELIVERED, FRAME_LOST, FRAME_DAMAGED, FRAME_OUTCOMES };

struct choice {
    enum choice_source source;
    uint32_t node, other;
    uint64_t ordinal;
    uint32_t outcome;
    uint64_t at; /* nanosecond at which it was made; for a reader, no part of its name */
};

struct chooser {
    void *context;

    /* An outcome below `c->outcome`, which is how many there are. `c->at` is the tick of the node for HOLD, PREEMPT and
     * SENSOR, which come from the thread that runs the node, and the nanosecond for FRAME. */
    uint32_t (*choose)(void *context, const struct choice *c);
    bool preempts; /* PREEMPT is asked for as well */
};

static inline uint32_t choose(const struct chooser *by, const struct choice *c)
{
    return by ? by->choose(by->context, c) : 0;
}

#endif
