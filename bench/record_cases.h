/* Cases of the figures of recording: which are wanted, and measured by several processes at once. */
#ifndef BENCH_RECORD_CASES_H
#define BENCH_RECORD_CASES_H

#include "record_figures.h"

/* RECORD_CASE='micaz multihop-oscilloscope 0 9': that case alone, on standard output; NULL: all. */
const char *cases_chosen(void);

/* Whether measuring agrees with what the nodes logged (measure_check), in each of these. */
bool cases_check(const struct measure_case *small, size_t count);

/* Measures those that are wanted, each in a process of its own, as many at a time as there are processors. They are the
 * first *count afterwards. False: the reason is printed. */
bool cases_measure(struct figures_case *cases, size_t *count);

#endif
