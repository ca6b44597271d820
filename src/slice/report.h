/* Reports of slices: a table, JSON, a graph for Graphviz, chains that tell why.
 *
 * Invariant: functions are in the order of levels, then of files and lines.
 */
#ifndef SLICE_REPORT_H
#define SLICE_REPORT_H

#include "slice/levels.h"
#include "slice/slice.h"

struct report {
    const struct slice_options *o;
    const struct depend *d;
    const struct walk *w;
    const struct levels *l; /* NULL: forward */
    const struct invariant *invariants;
    const bool *stops, *delays; /* by function; NULL: none */
    const bool *chosen;         /* by function: a plan has these; NULL: those up to the level */
    int level;                  /* of the plan */
    int all;                    /* functions that can run */
    FILE *out;
};

void report_table(const struct report *r);
void report_json(const struct report *r);
bool report_graph(const struct report *r, const char *path, struct motet_error *e);
bool report_why(const struct report *r, const char *function, struct motet_error *e);
bool report_nodes(const struct report *r, const char *path, struct motet_error *e);

#endif
