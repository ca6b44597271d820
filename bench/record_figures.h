/* docs/node-logs-figures.md: the figures of the group `record` beside those of TARDIS (IPSN 2015), each with a verdict
 * where something is asked of it. Every verdict is reported to the bench too.
 */
#ifndef BENCH_RECORD_FIGURES_H
#define BENCH_RECORD_FIGURES_H

#include <stdio.h>

#include "record_measure.h"

struct figures_case {
    struct measure_case run;
    double paper; /* by how many percent the log is smaller than uncompressed; 0: the paper does not say */
    struct measure_figures figures;
};

/* The last section of the page, which another group writes. */
#define FIGURES_CORTEX "## Cortex-M"

void figures_write(FILE *out, const struct figures_case *cases, size_t count);

/* The first cells of a case's row. */
const char *figures_cells(const struct measure_case *c, char cells[128]);

#endif
