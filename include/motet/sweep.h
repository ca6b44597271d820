/* Sweeps: many runs of one scenario over seeds and parameters, and a table of what they reported.
 *
 * A sweep knows its runs by number and takes the answer of each. Invariant: a table is a function of the answers, not
 * of the order in which they came.
 */
#ifndef MOTET_SWEEP_H
#define MOTET_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "motet/error.h"
#include "motet/scenario.h"

#include "motet/base/begin.h"

typedef struct motet_sweep motet_sweep;

/* Runs with the seeds from the first to the last. */
motet_sweep *motet_sweep_new(uint64_t first, uint64_t last);
void motet_sweep_free(motet_sweep *s);

/* NAME=VALUE,VALUE,...: all runs with each of these. Before the first answer. */
bool motet_sweep_vary(motet_sweep *s, const char *text, struct motet_error *e);

/* Runs are numbered from 0: all seeds of the first values, then those of the next, the last parameter's first. */
size_t motet_sweep_count(const motet_sweep *s);
uint64_t motet_sweep_seed(const motet_sweep *s, size_t run);
size_t motet_sweep_parameters(const motet_sweep *s); /* how many */
struct motet_scenario_parameter motet_sweep_parameter(const motet_sweep *s, size_t run, size_t number);

/* ---- answers ---- */

/* Writes an answer: the status of the run (0: it went well), its reports, and what it said on standard error. */
void motet_sweep_answer(FILE *to, int status, const motet_scenario *s, const char *said);

/* Takes it; false if it is none, or the run has one already. */
bool motet_sweep_take(motet_sweep *s, size_t run, const char *answer, size_t size);
bool motet_sweep_has(const motet_sweep *s, size_t run);
bool motet_sweep_failed(const motet_sweep *s, size_t run);
const char *motet_sweep_said(const motet_sweep *s, size_t run); /* without an answer: "" */

/* ---- tables ---- */

/* What the values of a sample say. Quantiles lie between neighbours in proportion; the confidence of 95 % of the mean
 * is Student's. */
struct motet_statistics {
    size_t count;
    double mean, deviation, confidence;    /* the mean is known to plus or minus this; NAN for one value */
    double least, low, median, high, most; /* low and high: 5 and 95 % */
};
struct motet_statistics motet_statistics_of(const double *values, size_t count);

/* A row for each run that has an answer: its number, the parameters, the seed, its status and reports. CSV, or JSON
 * lines by the file's name. */
bool motet_sweep_write(const motet_sweep *s, const char *path, struct motet_error *e);

/* A row for each choice of parameters and each report: statistics. As text or JSON lines. */
void motet_sweep_print(const motet_sweep *s, FILE *to, bool json);

/* A picture of one report, as SVG: its mean over the first parameter whose values are numbers, with its confidence, a
 * line for each choice of the others; or its distribution where there is no such parameter. */
bool motet_sweep_plot(const motet_sweep *s, const char *report, const char *path, struct motet_error *e);

/* ---- jobs ---- */

/* Numbered work, each piece in a process of its own: one that crashes costs its own answer. */
struct motet_jobs {
    void *context;
    size_t count;
    unsigned workers;                             /* processes at once, here or in each rank */
    bool ranks;                                   /* share it with the other ranks of MPI, all of which call this */
    bool (*wanted)(void *context, size_t number); /* whether it is to be done */
    /* In the process of the job: writes its answer. */
    void (*one)(void *context, size_t number, FILE *answer);
    /* In this process, at rank 0, in any order: an answer, or NULL and the signal that killed the process. */
    void (*done)(void *context, size_t number, const char *answer, size_t size, int signal);
    /* About ten times a second, at rank 0; true ends it. Answers that are not there then are lost. */
    bool (*stop)(void *context);
};

/* Returns the rank of this process, 0 where there are none; negative with a sentence. `lost`: ranks that fell silent,
 * whose jobs others have done. */
int motet_jobs_run(const struct motet_jobs *j, unsigned *lost, struct motet_error *e);

#include "motet/base/end.h"

#endif
