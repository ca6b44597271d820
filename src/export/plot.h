/* Plots as SVG files: values over time as steps or lines, and distributions as histograms, with axes in round numbers.
 *
 * Every curve has a colour of its own or shares it with the curves of its group, and has its place in the legend. The
 * picture becomes wider where the legend needs more columns.
 *
 * Points are read from spools, twice: a picture of a long run takes no more memory than one of a short run.
 *
 * Invariant: the file is well-formed XML in UTF-8 for any names and values. Values that are not finite are left out,
 * and NaN interrupts a line.
 */
#ifndef EXPORT_PLOT_H
#define EXPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct spool;

struct plot_point {
    double x, y;
};

#define PLOT_NO_COLOUR SIZE_MAX /* black: for a key of the legend that stands for a kind of line */

struct plot_series {
    const char *name;           /* shown where a browser points at the curve */
    const char *key;            /* in the legend; NULL: it has none */
    size_t colour, dash;        /* numbers: equal ones look equal */
    const struct spool *points; /* by x; NULL: none */
};

struct plot {
    const char *title, *x, *y;   /* of the axes, with their units: "time (s)" */
    bool steps;                  /* a value holds until the next; else lines lead from one to the next */
    double from, to;             /* the x axis at least; 0, 0 for that of the points */
    double shade_from, shade_to; /* a stretch of it that is shaded; 0, 0 for none */
};

/* False if it could not all be written. */
bool plot_series(FILE *f, const struct plot *p, const struct plot_series *series, size_t count);

/* How often values (double) of a spool occur, in at most `bins` bins of a round width. */
bool plot_distribution(FILE *f, const struct plot *p, const struct spool *values, unsigned bins);

#endif
