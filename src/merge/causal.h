/* The causal order of what several nodes logged.
 *
 * A node is a sequence of events in local order. Some are sends and receives of packets. A receive depends on the send
 * of the same content; everything else is ordered on its own node only. Matching needs nothing on the air:
 * - a content that was sent once has one send;
 * - of several sends, clocks aligned by the unambiguous messages leave those that are not later, and not too old;
 * - order per link leaves those that are not before the send of what the link carried last;
 * - where several sends of one node remain, the earliest is taken: a weaker order, and still a true one;
 * - where sends of several nodes remain, the receive depends on none.
 * Copies of a packet that a node repeats (low-power listening, retransmissions) are one packet, the first copy.
 *
 * Invariant: an event is before another one only if a chain of local order and messages says so. Global times never
 * contradict that order: they do not fall on a node, and a receive is later than its send.
 */
#ifndef MERGE_CAUSAL_H
#define MERGE_CAUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum causal_kind { CAUSAL_OTHER, CAUSAL_SEND, CAUSAL_RECEIVE };

enum { CAUSAL_NODES = 4094, CAUSAL_STRANGER = 4094 /* a node without a log */, CAUSAL_ANYONE = 4095 };
#define CAUSAL_NONE UINT32_MAX

struct causal_event {
    uint64_t time;                 /* nanoseconds of the node's clock; after causal_merge of the common one */
    uint64_t content;              /* of a packet: a digest of what all copies and receivers have of it */
    uint32_t detail;               /* the caller's */
    uint32_t node : 12, from : 12; /* numbers; of a receive also the node that the packet names as its sender */
    uint32_t kind : 2;
    uint32_t copy : 1; /* of a send: repeats the packet sent before */
    uint32_t open : 1; /* of a receive: has no send, since several nodes may have sent it, or a cycle would be */
};

/* What the next event of a node comes after. */
enum causal_cut {
    CAUSAL_LOST = 1,      /* events are missing */
    CAUSAL_NEW_CLOCK = 2, /* the clock was set or began anew */
};

struct causal_options {
    uint64_t delay;  /* most nanoseconds from a send to its receive; 0: 100 ms */
    uint64_t copies; /* most nanoseconds between two copies of a packet; 0: 30 ms */
    bool clockless;  /* times say nothing beyond the local order */
};

enum causal_wrong {
    CAUSAL_CYCLE,    /* `event` received before what led to `other`, its send */
    CAUSAL_NO_SEND,  /* `event` received what no node sent, though the logs are complete there */
    CAUSAL_BACKWARD, /* the clock at `event` is less than at `other`, the event before */
};

struct causal_finding {
    enum causal_wrong wrong;
    uint32_t event, other;
};

struct causal_counts {
    uint32_t sends, copies, receives;
    uint32_t matched;     /* receives with a send */
    uint32_t weaker;      /* of them: with the earliest of several possible sends */
    uint32_t undecided;   /* receives that several nodes may have sent */
    uint32_t beyond;      /* receives without a send where a log has an end or a gap */
    uint32_t strangers;   /* receives from nodes without a log */
    uint32_t lost;        /* packets that nobody received */
    uint32_t moved;       /* events whose time the order of messages has changed */
    uint64_t farthest;    /* and by how many nanoseconds at most */
    uint64_t uncertainty; /* of the clocks: half of what messages leave open, at most */
    uint32_t reference;   /* the node whose clock all times are in */
};

struct causal;

struct causal *causal_new(const struct causal_options *o);
void causal_free(struct causal *c);

/* Begins the next node; the events that follow are its. Returns its number. */
uint32_t causal_node(struct causal *c);
void causal_add(struct causal *c, const struct causal_event *e); /* `node`, `copy` and `open` are set here */
void causal_cut(struct causal *c, unsigned what);                /* enum causal_cut */

/* Before causal_merge: `from` of all receives was a number of the caller's, below CAUSAL_NODES, and becomes what the
 * list has for it. */
void causal_name_senders(struct causal *c, const uint32_t *numbers);

/* Matches, aligns, checks and orders. Once, after all events. */
void causal_merge(struct causal *c);

uint32_t causal_nodes(const struct causal *c);
uint32_t causal_count(const struct causal *c);
const struct causal_event *causal_event(const struct causal *c, uint32_t event);
void causal_range(const struct causal *c, uint32_t node, uint32_t *first, uint32_t *end); /* its events */

/* The send that a receive depends on; of a copy, the first one; else CAUSAL_NONE. */
uint32_t causal_cause(const struct causal *c, uint32_t event);

/* How many receives depend on a send. */
uint32_t causal_effects(const struct causal *c, uint32_t event);

void causal_counts(const struct causal *c, struct causal_counts *counts);
size_t causal_findings(const struct causal *c, const struct causal_finding **list);

/* All events in one order that extends the causal one, by global time. Each comes with its vector clock: how many
 * events of each node are before it, itself included. Returns the most clocks that were alive at once. */
typedef void causal_step(void *context, uint32_t event, const uint32_t *clock);
uint32_t causal_walk(const struct causal *c, causal_step *step, void *context);

/* The vector clock of one event. `clock` has room for each node. */
void causal_past(const struct causal *c, uint32_t event, uint32_t *clock);
bool causal_before(const struct causal *c, uint32_t event, uint32_t other);

#endif
