/* How numbers are distributed: each is kept with how often it came, so that all figures are exact.
 */
#ifndef MONITOR_DISTRIBUTION_H
#define MONITOR_DISTRIBUTION_H

#include "monitor/monitor.h"

struct distribution {
    struct distribution_entry {
        uint64_t value, count;
    } * entries; /* a hash table; in order once it is sorted */
    size_t room, used;
    uint64_t count, least, most;
    double sum;
    bool sorted;
    unsigned decimals; /* of the numbers, which are kept as integers: 3 for thousandths */
};

void distribution_add(struct distribution *d, uint64_t value);
void distribution_free(struct distribution *d);
double distribution_mean(const struct distribution *d);

/* The value that a share of all (0 to 1) does not exceed. Nothing is added after the first question. */
uint64_t distribution_quantile(struct distribution *d, double share);

/* "count 15, least 24, mean 24.0, most 24, median 24, 90% 24, 99% 24"; and bars of equal width below it, each line
 * after `indent`. */
void distribution_line(struct distribution *d, FILE *out);
void distribution_bars(struct distribution *d, const char *indent, FILE *out);

/* An object: {"count": 15, "least": 24, ..., "values": [[24, 15]]}. */
void distribution_json(struct distribution *d, FILE *out);

/* A picture of its own: a histogram, with a title and the name of the unit. */
void distribution_svg(struct distribution *d, const char *title, const char *unit, FILE *out);

#endif
