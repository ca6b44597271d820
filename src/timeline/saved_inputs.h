/* The inputs of a saved run: everything that was done to its nodes from outside, each with its time.
 *
 * The list begins with how the nodes were made (machines, nodes, medium, variables). What happened to them follows. A
 * run is a function of its inputs: applying them again, at the same times, leads through the same states. Scenarios and
 * options do not appear, only their effects. Readings of analog inputs are kept beside the list, as changes per
 * channel.
 *
 * Invariant: times never decrease. Bytes read from a file are checked for their form (kinds, counts). Whether a node or
 * pin exists is checked when the input is applied (api/saved_nodes.h).
 */
#ifndef TIMELINE_SAVED_INPUTS_H
#define TIMELINE_SAVED_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"
#include "node/machine.h"

enum saved_input_kind {
    /* How the nodes were made. */
    SAVED_MACHINE, /* where: number of its file; number: Hz; value: fuses and lock bits; bytes: board or chip;
                    * node: 1 if interrupts can be held */
    SAVED_NETWORK, /* number: seed; reals: medium */
    SAVED_ADD,     /* a node: where: machine; value: id; number: boot; reals: position, drift, own id */
    SAVED_SET,     /* node; number: value; bytes: symbol */
    /* What happened. */
    SAVED_ON_FAULT,  /* node; where: kind; value: action */
    SAVED_SERIAL,    /* node; where: line; value: 1 also while the receiver is off; bytes */
    SAVED_PIN,       /* node; where: pin; value: how it is driven */
    SAVED_RESET,     /* node */
    SAVED_KILL,      /* node */
    SAVED_BOOT,      /* node */
    SAVED_MOVE,      /* node; reals: position */
    SAVED_MEDIUM,    /* reals */
    SAVED_LINK,      /* node and where: ids; reals: dBm */
    SAVED_LINK_DOWN, /* node and where: ids; value */
    SAVED_LINK_LOSS, /* node and where: ids; reals: probability */
    SAVED_NOISE,     /* number: spacing; reals: readings */
    SAVED_STORE,     /* node; where: which memory; bytes: all its contents, before the run */
    SAVED_CHOICE,    /* node; where: other; value: outcome; number: ordinal; reals: source, nanosecond */
    /* How the nodes were made, since parts come from outside. */
    SAVED_PART, /* of the machine that follows; bytes: digest of its file, a space, FILE:LEG,... */
    SAVED_INPUT_KINDS,
};

struct saved_input {
    enum saved_input_kind kind;
    uint64_t at; /* nanoseconds */
    uint32_t node, where, value;
    uint64_t number;
    const double *reals;
    size_t real_count;
    const uint8_t *bytes; /* a zero byte follows them */
    size_t size;
};

/* What an analog channel read, from a tick of one of the node's lives on. */
struct saved_reading {
    uint32_t life;
    uint64_t tick;
    int32_t microvolts;
};

enum { SAVED_CHANNELS = MACHINE_CHANNELS };

struct saved_readings {
    struct saved_channel {
        struct saved_reading *list;
        size_t count, room;
    } channels[SAVED_CHANNELS];
};

struct saved_inputs {
    struct saved_input *entries;
    size_t count, room;
    struct saved_readings *readings; /* by node */
    size_t nodes;
};

void saved_inputs_free(struct saved_inputs *j);
void saved_inputs_add(struct saved_inputs *j, struct saved_input e);  /* copies what it points to */
void saved_inputs_readings_for(struct saved_inputs *j, size_t nodes); /* the number of nodes so far */
void saved_readings_add(struct saved_readings *r, unsigned channel,
                        struct saved_reading one); /* unless it repeats the last */

/* What the channel read at the tick of that life; INT32_MIN if nothing was connected. */
int32_t saved_reading_at(const struct saved_readings *r, unsigned channel, uint32_t life, uint64_t tick);

bool saved_inputs_copy(const struct saved_inputs *from, uint64_t until,
                       struct saved_inputs *to); /* up to and including that time */
void saved_inputs_pack(const struct saved_inputs *j, struct pack *p);
void saved_inputs_pack_readings(const struct saved_inputs *j, struct pack *p);
bool saved_inputs_unpack(struct saved_inputs *j, struct unpack *u); /* false: malformed */
bool saved_inputs_unpack_readings(struct saved_inputs *j, struct unpack *u);

#endif
