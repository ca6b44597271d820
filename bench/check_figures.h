/* docs/checking-figures.md: how motet check finds the kit's bugs, beside what T-Check's paper says of the bugs that
 * they are like. Each figure is measured through the program, as a user runs it. */
#ifndef BENCH_CHECK_FIGURES_H
#define BENCH_CHECK_FIGURES_H

#include <stdbool.h>

/* Measures and writes the page; with bench_checking two bugs only, and no page. */
bool check_figures(void);

#endif
