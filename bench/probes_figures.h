/* docs/probes-figures.md: what looking on costs, in the tables of Avrora's paper (section 6), its figures beside ours.
 */
#ifndef BENCH_PROBES_FIGURES_H
#define BENCH_PROBES_FIGURES_H

#include <stdbool.h>
#include <stdio.h>

/* One way of looking on, measured with one program. */
struct probes_figure {
    const char *name;    /* "watches: none" */
    double percent;      /* more than with nothing on */
    double avrora;       /* what the paper says; negative: it has none */
    double million_each; /* million instructions a second */
};

enum { PROBES_FIGURES = 16 };

struct probes_program {
    const char *kind, *name, *chip;
    const char *avrora_name; /* the program of the paper that it stands for; NULL: there is none */
    double simavr;           /* million instructions a second of bare simavr; 0: it cannot run it */
    struct probes_figure figures[PROBES_FIGURES];
    size_t count;
};

/* `short_run`: the page says that its figures are not to be relied on. */
void probes_figures_write(FILE *out, const struct probes_program *programs, size_t count, bool short_run);

#endif
