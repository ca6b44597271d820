/* Topologies: a network as plain options say it: how many nodes, where, which links, which variables.
 *
 * Invariant: where the options leave something to chance (positions, boot times, drifts) it follows from the seed.
 */
#ifndef CLI_TOPOLOGY_H
#define CLI_TOPOLOGY_H

#include "motet/amount.h"
#include "motet/motet.h"
#include "which.h"

enum topology_shape { SHAPE_NONE, SHAPE_LINE, SHAPE_GRID, SHAPE_RANDOM };

struct topology_link {
    uint32_t from, to;
    double dbm;
};

struct topology_variable {
    struct which which;
    char *name;
    bool is_id; /* %id */
    uint64_t value;
};

struct topology {
    uint64_t nodes; /* 0: not given */
    enum topology_shape shape;
    uint64_t columns, rows; /* of a grid; a line has one row; random: columns is the number */
    double metres;          /* between neighbours; random: the side of the square */
    struct topology_link *links;
    size_t link_count;
    struct topology_variable *variables;
    size_t variable_count;
    struct motet_medium medium;
    bool said; /* something that a scenario says for itself: a link, the medium, boot times, drifts */
    bool medium_said, boot_said;
    bool id_said; /* the only node is one of a network, with this id */
    uint64_t id;
    uint64_t boot;          /* nanoseconds over which the nodes boot */
    double drift;           /* ppm at most */
    struct topology_exact { /* of single nodes */
        uint32_t id;
        bool is_boot;
        uint64_t boot;
        double drift;
    } * exact;
    size_t exact_count;
};

bool topology_nodes(struct topology *t, const char *text, struct motet_error *e);
bool topology_shape(struct topology *t, const char *text, struct motet_error *e); /* "grid:3x3:10m" */
bool topology_link(struct topology *t, const char *text, struct motet_error *e);  /* "0,1,-62dBm" */
bool topology_variable(struct topology *t, struct which which, const char *text,
                       struct motet_error *e);                                     /* "NAME=7", "NAME=%id" */
bool topology_medium(struct topology *t, const char *text, struct motet_error *e); /* "disk:50m", "log:3:4dB" */
bool topology_noise(struct topology *t, const char *text, struct motet_error *e);
bool topology_loss(struct topology *t, const char *text, struct motet_error *e);

/* Of every node: chosen at random up to this. Of one node: this. */
bool topology_boot(struct topology *t, struct which which, const char *text, struct motet_error *e);
bool topology_drift(struct topology *t, struct which which, const char *text, struct motet_error *e);

/* Whether the options say how many nodes there are. */
bool topology_counts(const struct topology *t);

/* Before options are read, and after everything. */
void topology_init(struct topology *t);
void topology_free(struct topology *t);

/* Sets a node's variables. */
bool topology_set(const struct topology *t, motet_node *n, struct motet_error *e);

/* The machine of the node with that id. */
typedef const motet_machine *topology_machine(const void *context, uint32_t id);

/* The network, its nodes numbered from 0; of one node unless the options say otherwise. A node that is the only one
 * boots at once and keeps the id that its firmware was built with. NULL with a sentence if the options contradict each
 * other. */
motet_network *topology_build(const struct topology *t, topology_machine *machine, const void *context, uint64_t seed,
                              unsigned threads, struct motet_error *e);

#endif
