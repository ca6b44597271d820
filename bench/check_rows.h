/* Inside docs/checking-figures.md (check_figures.h): its rows, how one is measured and written.
 *
 * A row is one bug on one network. Invariant: all bounds are of processor time, so a row has the same figures on a busy
 * machine.
 */
#ifndef BENCH_CHECK_ROWS_H
#define BENCH_CHECK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* T-Check's row of table 3: events to the error with 2 and 8 nodes. 0: not found. */
struct paper {
    unsigned tossim[2], model[2], walk[2], shortest; /* the last with 8 nodes */
};

/* What is looked for, and what in T-Check it is like. */
struct bug {
    const char *name, *application;
    enum { IN_FIRMWARE, IN_SERIAL, IN_READING, IN_COLLECTION, IN_LEACH } where;
    const char *component;
    struct paper paper; /* all 0: it is not in table 3 */
};
enum { BUGS = 14 };
extern const struct bug check_bugs[BUGS];

/* One check. */
struct found {
    bool is;
    double seconds; /* of processor time */
    double choices, tasks, interrupts, timers;
    double steady_events; /* tasks and interrupts since the steady state */
    unsigned left_out;    /* nodes */
};

struct row {
    const struct bug *bug;
    const char *board;
    unsigned nodes;
    unsigned seeds;         /* that were tried */
    unsigned plain, walked; /* seeds with which it was found */
    double events, seconds; /* means: from the steady state to the error, and to find it */
    double longest;         /* seconds, of the seed that took longest */
    struct found deviating, shortest;
    double taken; /* seconds of processor time for all of the row; 0: it is not measured yet */
};

/* Seconds of processor time: in which no further seed is begun, of a search by deviations, of one that makes a story
 * short, and of a walk that finds nothing. */
enum { ROW_FOR_SEEDS = 60, ROW_FOR_DEVIATIONS = 20, ROW_FOR_SHORTEST = 120, ROW_FOR_WALK = 300 };
enum { ROW_LEAST_SEEDS = 3 };

/* ---- measuring ---- */

/* Up to so many seeds; after so many seconds no further one is begun. In a process of its own. */
void row_measure(struct row *r, unsigned seeds, unsigned seconds);
void row_firmware(const struct row *r, char *path, size_t size);

/* What was asked of it (docs/checking-figures.md): seconds to find it, choices left, events of the shortest story. */
double row_limit(const struct row *r);
enum { ROW_CHOICES = 10 };
double row_events(const struct row *r);
bool row_is_met(const struct row *r);

/* ---- the page ---- */

void page_write(FILE *out, const struct row *list, size_t count, unsigned seeds);

#endif
