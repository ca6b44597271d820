/* Subjects: what a timeline can be a timeline of, as a struct of functions. A network is one (timeline/subject.c), a
 * saved run another (api/saved_subject.c), which is a network with the inputs that were saved.
 *
 * Instructions have an order: by the tick at which they begin and, of those that begin together, by the number of their
 * node. A position is a cut through that order: everything before it is done and nothing after it. So it does not
 * depend on which stop led there.
 *
 * Invariant: a subject is a pure function of its state and of the inputs given at known positions: from the same
 * state, advance() passes through the same positions and states however it is cut into pieces.
 */
#ifndef TIMELINE_SUBJECT_H
#define TIMELINE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/pack.h"

/* A point of a life. Most are READY: an instruction is the next thing to happen. Positions are ordered by time, then
 * inputs, then phase, then node. */
enum phase { PHASE_WAITING, PHASE_READY, PHASE_ENDED };

struct position {
    uint64_t now; /* nanoseconds, and so are all ticks here */
    enum phase phase;
    uint32_t node;         /* READY: the number of the one whose instruction is next; else 0 */
    uint64_t instructions; /* done by that node */
    size_t inputs;         /* given so far */
};

/* INPUT_STATE: the state after an action of any kind. */
enum input_kind {
    INPUT_SERIAL,
    INPUT_PIN,
    INPUT_REGISTER,
    INPUT_MEMORY,
    INPUT_CODE,
    INPUT_EEPROM,
    INPUT_RESET,
    INPUT_STATE,
};

/* Something done to a node from outside, a debugger's writes included. */
struct input {
    struct position at;
    enum input_kind kind;
    uint32_t node;  /* number */
    uint32_t where; /* line, pin, register number or address */
    uint32_t value; /* level of a pin, value of a register */
    size_t size;    /* of bytes that follow */
    uint8_t *bytes;
    void *state; /* INPUT_STATE: a snapshot, of about that size */
};

/* What the subject met while it ran. MET_EXIT: a node of it has ended (and others go on). MET_GOAL is internal.
 */
enum met { MET_NOTHING, MET_STOP, MET_WATCH, MET_EXIT, MET_GOAL };

struct meeting {
    enum met what;
    uint32_t node;         /* which node met it */
    uint64_t instructions; /* it had done before the instruction that is stopped at, or that touched what is watched */
    uint32_t address;      /* touched */
    uint8_t kind;          /* enum watch_kind */
};

#define REACH_NEVER UINT64_MAX
struct search;

/* How far to go: whichever comes first. */
struct reach {
    uint64_t tick;         /* all is done that begins before it */
    bool ready;            /* and what begins with it on nodes numbered below `before`, whose own instruction then */
    uint32_t before;       /* comes next */
    uint32_t node;         /* this node has done so many */
    uint64_t instructions; /* instructions, and its next is the next of all */
    bool blind;            /* past all stops */
    struct search *search; /* or NULL: past them too, but what was met last is remembered */
};

/* What each node met last. Address stops count where `counts` says so, asked when the node is there. */
struct search {
    struct meeting *last; /* by node */
    bool (*counts)(void *context, uint32_t node);
    void *context;
    const struct position *until; /* where it ends, if nothing is given on the way; else NULL */
};

/* One node of a subject. */
struct subject_node {
    uint64_t instructions; /* done */
    bool waits, ended;     /* ended: or without power */
};

struct subject {
    void *context;
    uint32_t nodes;
    uint64_t hz;
    void (*position)(const void *context, struct position *p); /* all but `inputs` */

    /* Runs as far as it is asked to, or until the subject ends or meets one of the stops its nodes were given. A stop
     * at the instruction that comes next is passed over, unless something else was met before it was seen. */
    struct meeting (*advance)(void *context, const struct reach *r);
    bool (*at_stop)(const void *context); /* the next instruction has a stop */
    void (*heed)(void *context);          /* which is not to be passed over */
    void (*look)(const void *context, uint32_t node, struct subject_node *l);
    void (*give)(void *context, const struct input *i);
    bool (*takes)(const void *context, uint32_t node); /* the node is there to be given something */

    /* An actor will act on the subject as a whole at that tick (INPUT_STATE). It is announced before it is reached;
     * then the subject belongs to the actor until it has acted. */
    void (*expect)(void *context, uint64_t tick);
    void (*yield)(void *context);
    void (*forget)(void *context); /* from here on it will be another future */

    void *(*take)(const void *context); /* a snapshot */
    void (*restore)(void *context, const void *snapshot);
    void (*release)(void *snapshot);
    uint64_t (*done)(const void *snapshot, uint32_t node); /* instructions, by a node */
    size_t (*cost)(const void *context);                   /* of a snapshot, in bytes, about */
    struct digest (*digest)(const void *context);

    /* A snapshot as bytes, for this process, and one of them again (NULL if they are none). */
    void (*pack)(const void *snapshot, struct pack *p);
    void *(*unpack)(const void *context, struct unpack *u);
    void (*end)(void *context);
};

struct node;
struct network;
struct subject subject_of_network(struct network *n);

/* A snapshot of the subject of a network of that of the network, which it takes over, as it stands between windows. */
struct network_snapshot;
void *subject_state_of_network(const struct subject *s, struct network_snapshot *state, uint64_t now);

/* ---- one node of a subject (timeline/subject_node.c) ---- */

/* Runs it until it has done that many instructions and is ready for the next, or to the tick of its own, at which
 * nothing is done. */
struct meeting subject_node_run(struct node *n, uint64_t instructions, uint64_t tick);
void subject_node_search(struct node *n, uint32_t number, uint64_t tick, struct search *s);
void subject_node_arm(struct node *n, uint64_t pass, bool blind);
void subject_node_give(struct node *n, const struct input *i);

#endif
