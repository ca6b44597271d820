/* Properties: what must hold in a network while it runs, judged at moments at which nothing is half done.
 *
 * A node is *quiet* where its program sleeps, where main() calls something, and where a handler returns while it was
 * so. Each time, a copy of its variables is put into a queue. When a window of the network is over, the copies become
 * the nodes' *views*, one after the other in the order of their times, and the properties that have read something that
 * is different now are judged again. So a property sees each node as it was when its last handler or task had ended,
 * and sees the nodes in the order in which that happened.
 *
 * Invariants: looking changes nothing. What is found depends on the run alone: not on how it is cut into pieces, nor on
 * what the same struct has judged before it was put back (properties_back).
 */
#ifndef CHECK_PROPERTIES_H
#define CHECK_PROPERTIES_H

#include "base/digest.h"
#include "base/error.h"
#include "motet/base/happening.h"
#include "network/network.h"

enum property_kind {
    PROPERTY_ALWAYS,     /* what must hold lasts; it fails for less than `within` */
    PROPERTY_NEVER,      /* what must not hold; it holds for less than `within` */
    PROPERTY_EVENTUALLY, /* comes to hold again and again */
    PROPERTY_LEADS_TO,   /* when the first comes to hold, the second holds then or later */
};

enum operand_kind {
    OPERAND_NETWORK, /* about all nodes */
    OPERAND_EACH,    /* about a node, for each of them */
    OPERAND_EVENT,   /* something that a node does (properties_event) */
};

#define PROPERTY_NO_BOUND UINT64_MAX

struct property {
    char *name;
    enum property_kind kind;
    enum operand_kind operands[2]; /* the second for PROPERTY_LEADS_TO alone */
    uint64_t within;               /* nanoseconds, at the latest; PROPERTY_NO_BOUND: it must happen at some time */
    uint64_t patience;             /* then, nanoseconds without any choice of the environment after which it is late */
    bool handlers;                 /* judged also where a handler has interrupted a task */
};

/* Who knows what operands mean. The answers: 1 it holds, 0 it does not, -1 with a sentence that cannot be said. They
 * read nodes by properties_read alone and depend on nothing else. */
struct property_judge {
    void *context;
    /* `node` is a number; UINT32_MAX for OPERAND_NETWORK, where `blame` may become the node that is the reason. */
    int (*holds)(void *context, size_t property, unsigned operand, uint32_t node, uint32_t *blame,
                 struct motet_error *e);
    /* Whether an event with that value counts. */
    int (*counts)(void *context, size_t property, unsigned operand, uint32_t node, int64_t value,
                  struct motet_error *e);
};

struct properties;

/* For a network that has not run, by one thread. Nothing is judged before `from`. The list stays the caller's. */
struct properties *properties_new(struct network *n, const struct property *list, size_t count,
                                  const struct property_judge *judge, uint64_t from);
void properties_free(struct properties *p);

/* An event of an operand has happened on a node, now. */
void properties_event(struct properties *p, size_t property, unsigned operand, uint32_t node, int64_t value);

/* The network has come to its current time: judges all that has happened. */
void properties_judge(struct properties *p);

/* What was found first; false: nothing. A sentence in `failed` says that a property could not be judged. */
struct property_found {
    size_t property;
    uint32_t node; /* number */
    uint64_t at;
    const char *failed; /* or NULL */
};
bool properties_found(const struct properties *p, struct property_found *f);

/* ---- what a judge sees ---- */

/* Whether the node has power, and its program has come so far that it has slept. */
bool properties_up(const struct properties *p, uint32_t node);

/* Variables as they were when the node was quiet; false where there is no memory. `address` is a data address. */
bool properties_read(struct properties *p, uint32_t node, uint32_t address, void *to, uint32_t size);

/* Changes whenever a node comes up or goes down. */
uint64_t properties_generation(const struct properties *p);

/* Whether a property has ever read a byte of the node's views; they begin with the first place after the registers. */
bool properties_has_read(const struct properties *p, uint32_t node, uint32_t byte);

/* Whether a transmission of 0 dBm reaches a node with that power at least. */
bool properties_hears(const struct properties *p, uint32_t from, uint32_t to, double dbm);

/* ---- state as data ---- */

struct properties_state;
struct properties_state *properties_keep(const struct properties *p);
void properties_back(struct properties *p, const struct properties_state *s);
void properties_state_free(struct properties_state *s);

/* ---- for searches that compare states ----
 * What is judged from a moment on depends on the run, on the form, and on bytes of the views that properties read. */

bool properties_form(const struct properties *p, struct digest *d); /* false: they read what is in no view */
size_t properties_views_size(const struct properties *p);           /* a multiple of 8 */
void properties_copy_views(const struct properties *p, uint8_t *to);

/* Adds the bytes of the views that properties have ever read: a bit for each. */
void properties_add_reads(const struct properties *p, uint8_t *bits);

/* Adds the variables that these bytes of views are copies of: bits for the arena of one node. */
void properties_add_sources(const struct properties *p, const uint8_t *bits, uint32_t node, uint8_t *arena);

#endif
