/* Properties: what must hold in a network while it is checked (motet/check.h).
 *
 * A property is judged when a handler or task has ended, never on something half written: where a node's program
 * sleeps, where its main() calls something, and where a handler returns while it was so. It sees the variables of all
 * nodes as they were then, in the order of time. Invariant: judging changes nothing of the run.
 */
#ifndef MOTET_PROPERTY_H
#define MOTET_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/happening.h"
#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/watch.h"

#include "motet/base/begin.h"

/* ---- what a property sees ---- */

typedef struct motet_view motet_view;

#define MOTET_NO_NODE SIZE_MAX

size_t motet_view_count(const motet_view *v);             /* nodes, numbered in the order of adding */
uint32_t motet_view_id(const motet_view *v, size_t node); /* of the node with a number */
bool motet_view_up(const motet_view *v, size_t node);     /* it has power, and has slept since its last reset */
uint64_t motet_view_generation(const motet_view *v);      /* differs when a node has come up or gone down */

/* As motet_node_value, for variables with a fixed address. */
bool motet_view_value(motet_view *v, size_t node, const char *expression, struct motet_value *value,
                      struct motet_error *e);

/* The bytes of a variable: up to `room` of them, and how many it has. */
bool motet_view_bytes(motet_view *v, size_t node, const char *expression, void *to, size_t room, size_t *size,
                      struct motet_error *e);

/* Whether a transmission of 0 dBm arrives at a node with that power at least. */
bool motet_view_hears(const motet_view *v, size_t from, size_t to, double dbm);

/* ---- properties ---- */

enum motet_property_kind {
    MOTET_ALWAYS,     /* it holds; with `within`, it fails for no longer than that */
    MOTET_NEVER_DOES, /* it does not hold; with `within`, for no longer than that */
    MOTET_EVENTUALLY, /* it comes to hold, again and again */
    MOTET_LEADS_TO,   /* when the first operand comes to hold, the second holds then or later */
};

enum motet_operand_kind {
    MOTET_OF_NETWORK, /* `holds` of all nodes */
    MOTET_OF_EACH,    /* `holds` of each node that is up */
    MOTET_OF_CALL,    /* a node calls `function`; the value is its first argument */
    MOTET_OF_RETURN,  /* it returns from `function` with a value */
    MOTET_OF_HOOK,    /* something happens on it: `what` */
};

/* Answers are 1 for yes, 0 for no, -1 with a sentence if it cannot be said. They are functions of the view, or of the
 * value, alone. */
struct motet_operand {
    enum motet_operand_kind kind;
    const char *function; /* where it is in the code, as motet_machine_find takes it */
    unsigned bytes;       /* of the value: 1 or 2 */
    enum motet_happening what;
    /* `node` is MOTET_NO_NODE for MOTET_OF_NETWORK; `blame` may become the node that is the reason. */
    int (*holds)(void *context, motet_view *v, size_t node, size_t *blame, struct motet_error *e);
    int (*counts)(void *context, motet_view *v, size_t node, int64_t value, struct motet_error *e); /* NULL: all do */
    void *context;
};

#define MOTET_NO_BOUND UINT64_MAX

struct motet_property {
    const char *name;
    enum motet_property_kind kind;
    struct motet_operand operands[2]; /* the second for MOTET_LEADS_TO */
    uint64_t within;                  /* nanoseconds; MOTET_NO_BOUND: at some time, for the last two kinds */
    uint64_t patience; /* then: nanoseconds without any choice of the environment; 0: as the check's options say */
    bool handlers;     /* judged also where a handler has interrupted a task; for variables that handlers own */
};

/* A set of them for one network, and for the thread that runs it. */
struct motet_properties {
    struct motet_property *list;
    size_t count;
    void *context;
    void (*release)(struct motet_properties *s); /* NULL: there is nothing to release */
};

/* Makes the same properties each time it is asked: for each worker of a check, and for its replay. */
struct motet_property_maker {
    void *context;
    bool (*make)(void *context, motet_network *n, struct motet_properties *s, struct motet_error *e);
    uint64_t identity; /* the same for the same properties */
};

/* The properties of a scenario (docs/checking.md), from the text of its file; `path` is for messages. Everything else
 * in it is passed over. What is wrong with it is said when properties are made. */
struct motet_property_maker *motet_scenario_properties(const char *text, const char *path, uint64_t seed);
void motet_scenario_properties_free(struct motet_property_maker *m);

/* The properties of a shared object, which is written in C for speed. It has two functions:
 *     unsigned motet_plugin_version(void);   returns MOTET_PLUGIN_VERSION (motet/plugin.h)
 *     bool motet_plugin_properties(motet_network *n, struct motet_properties *s, struct motet_error *e);
 * The second makes the properties, for each worker anew; false with a sentence ends the check. */
struct motet_property_maker *motet_plugin_property_maker(const char *path, struct motet_error *e);
void motet_plugin_property_maker_free(struct motet_property_maker *m);

#include "motet/base/end.h"

#endif
