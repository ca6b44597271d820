/* Journals: everything that was done to nodes from outside, each with its time, so that it can be done again.
 *
 * A journal begins with how the nodes came to be (machines, nodes, medium, variables) and goes on with what happened to
 * them. A run is a function of its journal: whoever does again what it says, at the times it says, passes through the
 * same states. It knows no scenario and no options: what these did is in it. What analog inputs read is kept beside it,
 * as the changes of what each channel read.
 *
 * Invariant: times never decrease. What is read from bytes is checked for its form (kinds, counts), not for its sense:
 * whether there is such a node or pin is for who does it again.
 */
#ifndef TIMELINE_JOURNAL_H
#define TIMELINE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"

enum journal_kind {
    /* How it came to be. */
    JOURNAL_MACHINE, /* where: number of its file; number: Hz; value: fuses and lock bits; bytes: board or chip */
    JOURNAL_ALONE,   /* one node: where: machine; value: id; number: seed */
    JOURNAL_NETWORK, /* number: seed; reals: medium */
    JOURNAL_ADD,     /* a node: where: machine; value: id; number: boot; reals: position, drift */
    JOURNAL_SET,     /* node; number: value; bytes: symbol */
    /* What happened. */
    JOURNAL_ON_FAULT,  /* node; where: kind; value: action */
    JOURNAL_SERIAL,    /* node; where: line; bytes */
    JOURNAL_PIN,       /* node; where: pin; value: how it is driven */
    JOURNAL_RESET,     /* node */
    JOURNAL_KILL,      /* node */
    JOURNAL_BOOT,      /* node */
    JOURNAL_MOVE,      /* node; reals: position */
    JOURNAL_MEDIUM,    /* reals */
    JOURNAL_LINK,      /* node and where: ids; reals: dBm */
    JOURNAL_LINK_DOWN, /* node and where: ids; value */
    JOURNAL_LINK_LOSS, /* node and where: ids; reals: probability */
    JOURNAL_NOISE,     /* number: spacing; reals: readings */
    JOURNAL_KINDS,
};

struct journal_entry {
    enum journal_kind kind;
    uint64_t at; /* nanoseconds of a network, ticks of a node alone */
    uint32_t node, where, value;
    uint64_t number;
    const double *reals;
    size_t real_count;
    const uint8_t *bytes; /* a zero byte follows them */
    size_t size;
};

/* What an analog channel read, from a tick of one of the node's lives on. */
struct journal_reading {
    uint32_t life;
    uint64_t tick;
    int32_t microvolts;
};

enum { JOURNAL_CHANNELS = 32 };

struct journal_readings {
    struct journal_channel {
        struct journal_reading *list;
        size_t count, room;
    } channels[JOURNAL_CHANNELS];
};

struct journal {
    struct journal_entry *entries;
    size_t count, room;
    struct journal_readings *readings; /* by node */
    size_t nodes;
};

void journal_free(struct journal *j);
void journal_add(struct journal *j, struct journal_entry e); /* copies what it points to */
void journal_readings_for(struct journal *j, size_t nodes);  /* there are so many nodes by now */
void journal_read(struct journal_readings *r, unsigned channel, struct journal_reading one); /* if it is a new change */

/* What the channel read at the tick of that life; INT32_MIN if nothing was connected. */
int32_t journal_reading_at(const struct journal_readings *r, unsigned channel, uint32_t life, uint64_t tick);

void journal_pack(const struct journal *j, struct pack *p);
void journal_pack_readings(const struct journal *j, struct pack *p);
bool journal_unpack(struct journal *j, struct unpack *u); /* false: the bytes are none */
bool journal_unpack_readings(struct journal *j, struct unpack *u);

#endif
