/* The bench: groups of measurements, each beside the same work done by a reference.
 *
 * A group is one file that registers itself with BENCH_GROUP and reports each measurement once. Invariant: what is
 * compared has done the same work (a group checks results before it reports), and times are medians over rounds in
 * which the compared programs take turns, so a machine that slows down for a while slows both.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#define BENCH_ROUNDS 5

/* Set by --check: groups do a small part of the work once, only to see that the results agree. */
extern bool bench_checking;

struct bench_group {
    const char *name, *about; /* `about` is one line, printed above the table */
    int order;                /* groups run and are printed in this order */
    bool (*run)(void);        /* false: it failed, and the reason is printed */
    struct bench_group *next;
};

void bench_register(struct bench_group *g);

#define BENCH_GROUP(IDENTIFIER, ORDER, ABOUT, RUN)                                         \
    static struct bench_group IDENTIFIER##_group = {#IDENTIFIER, ABOUT, ORDER, RUN, NULL}; \
    __attribute__((constructor)) static void IDENTIFIER##_register(void)                   \
    {                                                                                      \
        bench_register(&IDENTIFIER##_group);                                               \
    }

/* Adds a line to the table of the running group. `reference` NULL: there is nothing to compare with. The ratio says how
 * many times better the value is than the reference: value/reference_value, or the inverse where `less_is_better`. */
struct bench_result {
    const char *name, *unit;
    double value;
    const char *reference;
    double reference_value;
    bool less_is_better;
    double limit; /* the goal for the value; 0: none. Only whether it is reached is printed */
};
void bench_report(const struct bench_result *r);

/* Says on stderr that a measurement went wrong, and returns false. */
bool bench_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of progress on stderr, overwritten by the next one where stderr is a terminal. */
void bench_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Seconds of processor time of this thread, which other work on the machine does not disturb. */
double bench_seconds(void);

/* The median; sorts the values in place. */
double bench_median(double *values, size_t count);

#endif
