#include "sweep/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "export/json.h"
#include "export/table.h"

enum { SWEEP_RUNS = 10000000 };

motet_sweep *motet_sweep_new(uint64_t first, uint64_t last)
{
    struct motet_sweep *s = memory_new(sizeof *s);
    s->first = first;
    s->seeds = s->count = (size_t)(last - first + 1);
    return s;
}

void motet_sweep_free(motet_sweep *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->parameter_count; i++) {
        for (size_t k = 0; k < s->parameters[i].count; k++)
            free(s->parameters[i].values[k]);
        free(s->parameters[i].values);
        free(s->parameters[i].name);
    }
    for (size_t i = 0; s->answers && i < s->count; i++) {
        for (size_t k = 0; k < s->answers[i].report_count; k++)
            free(s->answers[i].reports[k].name);
        free(s->answers[i].reports);
        free(s->answers[i].said);
    }
    free(s->parameters);
    free(s->answers);
    free(s);
}

/* ---- the plan ---- */

static bool sweep_is_word(const char *text, size_t length)
{
    bool word = length && (isalpha((unsigned char)text[0]) || text[0] == '_');
    for (size_t i = 0; word && i < length; i++)
        word = isalnum((unsigned char)text[i]) || text[i] == '_';
    return word;
}

static void sweep_add_values(struct sweep_parameter *p, const char *text)
{
    bool last;
    do {
        size_t length = strcspn(text, ",");
        last = !text[length];
        p->values = memory_resize(p->values, p->count + 1, sizeof *p->values);
        p->values[p->count++] = memory_format("%.*s", (int)length, text);
        text += length + !last;
    } while (!last);
}

bool motet_sweep_vary(motet_sweep *s, const char *text, struct motet_error *e)
{
    size_t length = strcspn(text, "=");
    if (!text[length] || !sweep_is_word(text, length) || !text[length + 1])
        return error_set(e, "%s is not of the form NAME=VALUE,VALUE", text);
    for (size_t i = 0; i < s->parameter_count; i++)
        if (strlen(s->parameters[i].name) == length && strncmp(s->parameters[i].name, text, length) == 0)
            return error_set(e, "the values of %s are given twice; give them in one list", s->parameters[i].name);
    s->parameters = memory_resize(s->parameters, s->parameter_count + 1, sizeof *s->parameters);
    struct sweep_parameter *p = &s->parameters[s->parameter_count++];
    *p = (struct sweep_parameter){.name = memory_format("%.*s", (int)length, text)};
    sweep_add_values(p, text + length + 1);
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < i; k++)
            if (!*p->values[i] || strcmp(p->values[i], p->values[k]) == 0)
                return error_set(e, "%s has the value '%s' twice", p->name, p->values[i]);
    if (s->count * p->count > SWEEP_RUNS)
        return error_set(e, "these are more than %d runs", SWEEP_RUNS);
    s->count *= p->count;
    return true;
}

size_t motet_sweep_count(const motet_sweep *s)
{
    return s->count;
}

uint64_t motet_sweep_seed(const motet_sweep *s, size_t run)
{
    return s->first + run % s->seeds;
}

size_t motet_sweep_parameters(const motet_sweep *s)
{
    return s->parameter_count;
}

size_t sweep_choices(const struct motet_sweep *s)
{
    return s->count / s->seeds;
}

const char *sweep_value(const struct motet_sweep *s, size_t choice, size_t parameter)
{
    for (size_t i = s->parameter_count - 1; i > parameter; i--)
        choice /= s->parameters[i].count;
    return s->parameters[parameter].values[choice % s->parameters[parameter].count];
}

struct motet_scenario_parameter motet_sweep_parameter(const motet_sweep *s, size_t run, size_t number)
{
    return (struct motet_scenario_parameter){s->parameters[number].name, sweep_value(s, run / s->seeds, number)};
}

/* ---- answers ---- */

void motet_sweep_answer(FILE *to, int status, const motet_scenario *s, const char *said)
{
    struct motet_report r;
    fprintf(to, "status %d\n", status);
    for (size_t i = 0; s && motet_scenario_report(s, i, &r); i++)
        fprintf(to, "report %s %.17g\n", r.name, r.value);
    fprintf(to, "said\n%s", said);
}

/* One line of an answer; NULL: it is not whole. */
static const char *sweep_line_end(const char *at, const char *end)
{
    return at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
}

static bool sweep_take_report(struct sweep_answer *a, const char *line, size_t length)
{
    char text[512], name[72], *after;
    int used = 0;
    if (length >= sizeof text)
        return false;
    memcpy(text, line, length);
    text[length] = 0;
    if (sscanf(text, "report %71s %n", name, &used) != 1 || !used || !sweep_is_word(name, strlen(name)))
        return false;
    double value = strtod(text + used, &after);
    if (after == text + used || *after || !isfinite(value))
        return false;
    a->reports = memory_resize(a->reports, a->report_count + 1, sizeof *a->reports);
    a->reports[a->report_count++] = (struct sweep_report){memory_string(name), value};
    return true;
}

bool motet_sweep_take(motet_sweep *s, size_t run, const char *answer, size_t size)
{
    const char *end = answer + size, *line = answer, *stop = sweep_line_end(line, end);
    if (!s->answers)
        s->answers = memory_array(s->count, sizeof *s->answers);
    if (run >= s->count || s->answers[run].there || !stop)
        return false;
    struct sweep_answer *a = &s->answers[run];
    bool good = sscanf(line, "status %d", &a->status) == 1;
    for (line = stop + 1; good && (stop = sweep_line_end(line, end)) && strncmp(line, "said\n", 5) != 0;
         line = stop + 1)
        good = sweep_take_report(a, line, (size_t)(stop - line));
    good &= stop != NULL;
    a->there = good;
    if (good)
        a->said = memory_format("%.*s", (int)(end - line - 5), line + 5);
    else
        a->report_count = 0;
    return good;
}

bool motet_sweep_has(const motet_sweep *s, size_t run)
{
    return s->answers && s->answers[run].there;
}

bool motet_sweep_failed(const motet_sweep *s, size_t run)
{
    return motet_sweep_has(s, run) && s->answers[run].status;
}

const char *motet_sweep_said(const motet_sweep *s, size_t run)
{
    return motet_sweep_has(s, run) ? s->answers[run].said : "";
}

/* ---- tables ---- */

const char **sweep_reports(const struct motet_sweep *s)
{
    const char **names = memory_array(1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; s->answers && i < s->count; i++)
        for (size_t k = 0; k < s->answers[i].report_count; k++) {
            size_t n = 0;
            while (names[n] && strcmp(names[n], s->answers[i].reports[k].name) != 0)
                n++;
            if (names[n])
                continue;
            names = memory_resize(names, count + 2, sizeof *names);
            names[count++] = s->answers[i].reports[k].name;
            names[count] = NULL;
        }
    return names;
}

static const double *sweep_report_of(const struct sweep_answer *a, const char *name)
{
    for (size_t i = 0; i < a->report_count; i++)
        if (strcmp(a->reports[i].name, name) == 0)
            return &a->reports[i].value;
    return NULL;
}

size_t sweep_values(const struct motet_sweep *s, size_t choice, const char *report, double *values)
{
    size_t count = 0;
    for (size_t i = choice * s->seeds; s->answers && i < (choice + 1) * s->seeds; i++) {
        const double *value = sweep_report_of(&s->answers[i], report);
        if (value)
            values[count++] = *value;
    }
    return count;
}

static void sweep_put_value(struct table *t, const char *text)
{
    char *after;
    double value = strtod(text, &after);
    if (*after || after == text || !isfinite(value))
        table_text(t, text);
    else
        table_real(t, value);
}

static void sweep_write_runs(const motet_sweep *s, FILE *f, enum table_format format)
{
    const char **reports = sweep_reports(s), **columns;
    size_t count = 0, n = 0;
    while (reports[count])
        count++;
    columns = memory_array(s->parameter_count + count + 4, sizeof *columns);
    columns[n++] = "run";
    for (size_t i = 0; i < s->parameter_count; i++)
        columns[n++] = s->parameters[i].name;
    columns[n++] = "seed";
    columns[n++] = "status";
    memcpy(columns + n, reports, count * sizeof *reports);
    struct table t;
    table_begin(&t, f, format, columns);
    for (size_t i = 0; i < s->count; i++) {
        if (!motet_sweep_has(s, i))
            continue;
        table_integer(&t, (int64_t)i);
        for (size_t k = 0; k < s->parameter_count; k++)
            sweep_put_value(&t, sweep_value(s, i / s->seeds, k));
        table_integer(&t, (int64_t)motet_sweep_seed(s, i));
        table_integer(&t, s->answers[i].status);
        for (size_t k = 0; k < count; k++) {
            const double *value = sweep_report_of(&s->answers[i], reports[k]);
            if (value)
                table_real(&t, *value);
            else
                table_empty(&t);
        }
    }
    free(columns);
    free(reports);
}

bool motet_sweep_write(const motet_sweep *s, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    sweep_write_runs(s, f, table_format_of(path));
    bool good = !ferror(f);
    good &= fclose(f) == 0;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

/* ---- the summary ---- */

static void sweep_json_number(FILE *to, const char *name, double value)
{
    if (isfinite(value))
        fprintf(to, ", \"%s\": %.10g", name, value);
    else
        fprintf(to, ", \"%s\": null", name);
}

static void sweep_print_json(FILE *to, const motet_sweep *s, size_t choice, const char *report,
                             const struct motet_statistics *x)
{
    fprintf(to, "{\"report\": \"%s\"", report);
    for (size_t i = 0; i < s->parameter_count; i++) {
        fprintf(to, ", \"%s\": ", s->parameters[i].name);
        json_put(to, sweep_value(s, choice, i));
    }
    fprintf(to, ", \"runs\": %zu", x->count);
    sweep_json_number(to, "mean", x->mean);
    sweep_json_number(to, "confidence95", x->confidence);
    sweep_json_number(to, "deviation", x->deviation);
    sweep_json_number(to, "least", x->least);
    sweep_json_number(to, "quantile05", x->low);
    sweep_json_number(to, "median", x->median);
    sweep_json_number(to, "quantile95", x->high);
    sweep_json_number(to, "most", x->most);
    fprintf(to, "}\n");
}

/* As wide as the longest of them. */
static int sweep_width(const motet_sweep *s, size_t parameter)
{
    size_t width = strlen(s->parameters[parameter].name);
    for (size_t i = 0; i < s->parameters[parameter].count; i++) {
        size_t length = strlen(s->parameters[parameter].values[i]);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void sweep_print_text(FILE *to, const motet_sweep *s, size_t choice, const char *report, int width,
                             const struct motet_statistics *x)
{
    fprintf(to, "%-*s", width, report);
    for (size_t i = 0; i < s->parameter_count; i++)
        fprintf(to, "  %*s", sweep_width(s, i), sweep_value(s, choice, i));
    fprintf(to, "  %6zu  %12.6g", x->count, x->mean);
    if (isfinite(x->confidence))
        fprintf(to, "  %10.4g", x->confidence);
    else
        fprintf(to, "  %10s", "-");
    fprintf(to, "  %10.6g  %10.6g  %10.6g  %10.6g  %10.6g\n", x->least, x->low, x->median, x->high, x->most);
}

static void sweep_print_head(FILE *to, const motet_sweep *s, int width)
{
    fprintf(to, "%-*s", width, "report");
    for (size_t i = 0; i < s->parameter_count; i++)
        fprintf(to, "  %*s", sweep_width(s, i), s->parameters[i].name);
    fprintf(to, "  %6s  %12s  %10s  %10s  %10s  %10s  %10s  %10s\n", "runs", "mean", "+/- 95 %", "least", "5 %",
            "median", "95 %", "most");
}

void motet_sweep_print(const motet_sweep *s, FILE *to, bool json)
{
    const char **reports = sweep_reports(s);
    double *values = memory_array(s->seeds, sizeof *values);
    int width = (int)sizeof "report";
    for (size_t k = 0; reports[k]; k++)
        width = (int)strlen(reports[k]) > width ? (int)strlen(reports[k]) : width;
    if (!json && reports[0])
        sweep_print_head(to, s, width);
    for (size_t k = 0; reports[k]; k++)
        for (size_t choice = 0; choice < sweep_choices(s); choice++) {
            struct motet_statistics x = motet_statistics_of(values, sweep_values(s, choice, reports[k], values));
            if (json)
                sweep_print_json(to, s, choice, reports[k], &x);
            else if (x.count)
                sweep_print_text(to, s, choice, reports[k], width, &x);
        }
    free(values);
    free(reports);
}
