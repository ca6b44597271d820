/* What the files of a sweep share; motet/sweep.h has the public names. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "motet/sweep.h"

struct sweep_parameter {
    char *name;
    char **values;
    size_t count;
};

/* The answer of a run. */
struct sweep_answer {
    bool there;
    int status;
    char *said;
    size_t report_count;
    struct sweep_report {
        char *name;
        double value;
    } * reports;
};

struct motet_sweep {
    uint64_t first;
    size_t seeds;
    struct sweep_parameter *parameters;
    size_t parameter_count;
    size_t count; /* of runs */
    struct sweep_answer *answers;
};

/* Which value of a parameter a run, or a choice of parameters (the run without its seed), has. */
size_t sweep_choices(const struct motet_sweep *s);
const char *sweep_value(const struct motet_sweep *s, size_t choice, size_t parameter);

/* The names of all reports, by the first run that has each; NULL at the end. To be freed, the names not. */
const char **sweep_reports(const struct motet_sweep *s);

/* The values of a report in the runs of a choice, at most `seeds` of them. */
size_t sweep_values(const struct motet_sweep *s, size_t choice, const char *report, double *values);

#endif
