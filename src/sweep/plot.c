/* Pictures of what a sweep reported. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "export/plot.h"
#include "sweep/sweep.h"

static bool sweep_number(const char *text, double *value)
{
    char *after;
    *value = strtod(text, &after);
    return after != text && !*after && isfinite(*value);
}

/* The first parameter with several values, all of them numbers; parameter_count: there is none. */
static size_t sweep_axis(const motet_sweep *s)
{
    size_t i = 0;
    for (; i < s->parameter_count; i++) {
        double value;
        bool numbers = s->parameters[i].count > 1;
        for (size_t k = 0; k < s->parameters[i].count; k++)
            numbers &= sweep_number(s->parameters[i].values[k], &value);
        if (numbers)
            break;
    }
    return i;
}

/* The parameters but that of the axis, as a key of the legend. */
static char *sweep_key(const motet_sweep *s, size_t choice, size_t axis)
{
    char *key = memory_string("");
    for (size_t i = 0; i < s->parameter_count; i++) {
        if (i == axis)
            continue;
        char *longer =
            memory_format("%s%s%s=%s", key, *key ? ", " : "", s->parameters[i].name, sweep_value(s, choice, i));
        free(key);
        key = longer;
    }
    return key;
}

/* A line of the picture: its mean, and the bounds of its confidence. */
enum { SWEEP_MEAN, SWEEP_BELOW, SWEEP_ABOVE, SWEEP_LINES };
struct sweep_line {
    char *key;
    struct sweep_dot {
        double x, y[SWEEP_LINES];
    } * dots;
    size_t count;
    struct spool points[SWEEP_LINES];
};

static int sweep_compare_dots(const void *a, const void *b)
{
    const struct sweep_dot *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static struct sweep_line *sweep_line_of(struct sweep_line **lines, size_t *count, char *key)
{
    size_t i = 0;
    while (i < *count && strcmp((*lines)[i].key, key) != 0)
        i++;
    if (i < *count) {
        free(key);
        return &(*lines)[i];
    }
    *lines = memory_resize(*lines, *count + 1, sizeof **lines);
    (*lines)[(*count)++] = (struct sweep_line){.key = key};
    return &(*lines)[i];
}

static void sweep_spool(struct sweep_line *line, struct spool_file *file)
{
    qsort(line->dots, line->count, sizeof *line->dots, sweep_compare_dots);
    for (size_t k = 0; k < SWEEP_LINES; k++) {
        spool_begin(&line->points[k], file);
        for (size_t i = 0; i < line->count; i++) {
            struct plot_point p = {line->dots[i].x, line->dots[i].y[k]};
            spool_add(&line->points[k], &p, sizeof p);
        }
    }
}

static bool sweep_plot_means(const motet_sweep *s, const char *report, size_t axis, FILE *f)
{
    struct sweep_line *lines = NULL;
    size_t count = 0;
    double *values = memory_array(s->seeds, sizeof *values);
    for (size_t choice = 0; choice < sweep_choices(s); choice++) {
        struct motet_statistics x = motet_statistics_of(values, sweep_values(s, choice, report, values));
        double about = isfinite(x.confidence) ? x.confidence : 0;
        struct sweep_dot dot = {.y = {x.mean, x.mean - about, x.mean + about}};
        if (!x.count || !sweep_number(sweep_value(s, choice, axis), &dot.x))
            continue;
        struct sweep_line *line = sweep_line_of(&lines, &count, sweep_key(s, choice, axis));
        line->dots = memory_resize(line->dots, line->count + 1, sizeof *line->dots);
        line->dots[line->count++] = dot;
    }
    struct spool_file *file = spool_file_new();
    struct plot_series *series = memory_array(count * SWEEP_LINES, sizeof *series);
    for (size_t i = 0; i < count; i++) {
        sweep_spool(&lines[i], file);
        for (size_t k = 0; k < SWEEP_LINES; k++)
            series[i * SWEEP_LINES + k] = (struct plot_series){
                .name = k == SWEEP_MEAN ? "mean" : "confidence of 95 %",
                .key = k == SWEEP_MEAN && *lines[i].key ? lines[i].key : NULL,
                .colour = i,
                .dash = k != SWEEP_MEAN,
                .points = &lines[i].points[k],
            };
    }
    char *title = memory_format("%s over %s", report, s->parameters[axis].name);
    struct plot p = {.title = title, .x = s->parameters[axis].name, .y = report};
    bool good = plot_series(f, &p, series, count * SWEEP_LINES);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < SWEEP_LINES; k++)
            spool_end(&lines[i].points[k]);
        free(lines[i].dots);
        free(lines[i].key);
    }
    spool_file_free(file);
    free(title);
    free(series);
    free(lines);
    free(values);
    return good;
}

static bool sweep_plot_values(const motet_sweep *s, const char *report, FILE *f)
{
    enum { BINS = 40 };
    struct spool_file *file = spool_file_new();
    struct spool all;
    double *values = memory_array(s->seeds, sizeof *values);
    spool_begin(&all, file);
    for (size_t choice = 0; choice < sweep_choices(s); choice++)
        spool_add(&all, values, sweep_values(s, choice, report, values) * sizeof *values);
    struct plot p = {.title = report, .x = report, .y = "runs"};
    bool good = plot_distribution(f, &p, &all, BINS);
    spool_end(&all);
    spool_file_free(file);
    free(values);
    return good;
}

bool motet_sweep_plot(const motet_sweep *s, const char *report, const char *path, struct motet_error *e)
{
    const char **reports = sweep_reports(s), *nearest = NULL;
    bool there = false;
    for (size_t i = 0; reports[i]; i++) {
        there |= strcmp(reports[i], report) == 0;
        nearest = motet_word_nearer(report, nearest, reports[i]);
    }
    if (!there)
        error_set(e, "no run has reported %s%s%s%s", report, nearest ? "; did you mean " : "", nearest ? nearest : "",
                  nearest ? "?" : "");
    free(reports);
    FILE *f = there ? fopen(path, "w") : NULL;
    if (!f)
        return there ? error_set(e, "cannot write %s: %s", path, strerror(errno)) : false;
    size_t axis = sweep_axis(s);
    bool good = axis < s->parameter_count ? sweep_plot_means(s, report, axis, f) : sweep_plot_values(s, report, f);
    good &= fclose(f) == 0;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
