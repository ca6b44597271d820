/* Worlds: a network that is run again and again from the same states, each time with other choices.
 *
 * Every worker has a world of its own. It begins where the network was made, comes to its steady state without any
 * choice but when the nodes are switched on, and keeps that as a snapshot. From there it is run with a driver, which
 * answers what is asked while nodes run and says what happens at times of its own.
 *
 * Invariant: what a world comes to is a function of the subject, the steady state and the choices the driver makes. It
 * does not matter what was run before, nor in which worker.
 */
#ifndef CHECK_WORLD_H
#define CHECK_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/properties.h"
#include "check/vigil.h"
#include "network/choices.h"
#include "network/network.h"

/* What is checked: a network, run by one thread, and the inputs that belong to it however the environment behaves (a
 * scenario's). The network stands at its beginning. */
struct check_subject {
    struct network *network;
    void *context;
    uint64_t (*due)(void *context);                           /* when the next input is due; NEVER */
    void (*act)(void *context);                               /* gives the inputs that are due now */
    size_t (*given)(void *context);                           /* how many were given so far */
    void (*moved)(void *context, uint64_t now, size_t given); /* the network was put into another state */
    void (*alter)(void *context, const struct choice *choices, size_t count); /* inputs are as CHOICE_SERIAL says, the
                                                                               * others are left aside; may be NULL */
    struct properties *properties; /* that are judged while it runs, or NULL */
    uint64_t stuck;                /* nanoseconds after which a node is stuck (check/vigil.h); 0: never */
};

/* What went wrong. */
enum violation_kind {
    VIOLATION_NONE,
    VIOLATION_FAULT,    /* a fault that the machine reports, failed asserts and checks of the compiler among them */
    VIOLATION_WATCHDOG, /* a watchdog has reset the node */
    VIOLATION_STATUS,   /* the firmware ended the run with a status that is not 0 */
    VIOLATION_PROPERTY, /* a property of the user */
    VIOLATION_AWAKE,    /* a node never sleeps again (check/vigil.h) */
    VIOLATION_UNREAD,   /* what a radio has received is never fetched */
};

struct violation {
    enum violation_kind kind;
    uint32_t node;   /* id */
    uint64_t at;     /* nanosecond */
    uint32_t detail; /* fault: its kind; status: the status; property: its number */
    uint32_t pc;     /* of a fault */
};

/* What a vigil has found, VIOLATION_NONE if nothing; now. */
struct violation violation_of_vigil(const struct network *n, enum vigil_finding found, uint32_t node);

struct property_found;
void violation_of_property(const struct network *n, const struct property_found *f, struct violation *v);

/* The same error, though it may come at another time or on another node. */
bool violation_same(const struct violation *a, const struct violation *b);

/* Who decides. `next` is the time of what happens next by itself, NEVER if nothing does; `take` gives it, as it is
 * done. */
struct driver {
    struct chooser chooser;
    uint64_t (*next)(void *context);
    const struct choice *(*take)(void *context);
};

struct world;

struct world *world_new(const struct check_subject *s);
void world_free(struct world *w); /* not the subject */
struct network *world_network(const struct world *w);
struct properties *world_properties(const struct world *w); /* or NULL */

/* The subject switched on with these delays (CHOICE_BOOT), with inputs as these choices say (CHOICE_SERIAL, of what
 * comes after the time), and run to the time; the other choices are left aside. The last few are kept. False: something
 * went wrong before. */
bool world_settle(struct world *w, const struct choice *choices, size_t count, uint64_t until, struct violation *v);

/* Nodes that are not switched on, from the next world_settle on: choices of CHOICE_BOOT, which it adds to what it is
 * given. What is chosen for them has no effect. */
void world_leave_out(struct world *w, const struct choice *nodes, size_t count);
bool world_leaves_out(const struct world *w, uint32_t node);

/* The inputs that are not given yet, as these choices say. */
void world_alter(struct world *w, const struct choice *choices, size_t count);

/* Runs on from where it is to the time or to the first violation. */
struct violation world_run(struct world *w, const struct driver *d, uint64_t until);

/* Something of a search's own that lives as long as the world; NULL: nothing was attached. */
void world_attach(struct world *w, void *what, void (*release)(void *what));
void *world_attached(const struct world *w);

/* Any moment again. */
struct moment;
struct moment *world_keep(struct world *w);
void world_back(struct world *w, const struct moment *m);
void moment_free(struct moment *m);

#endif
