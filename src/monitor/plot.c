/* plot: values of C expressions over time, one record for each change; as tables, waveforms and pictures. */
#include "export/plot.h"

#include <math.h>

#include "export/vcd.h"
#include "monitor/records.h"
#include "monitor/sampler.h"

struct sample {
    uint64_t time; /* nanoseconds */
    double value;
};

/* What one expression of one node was. */
struct curve {
    struct sample *samples;
    size_t count, room;
};

struct plotted {
    struct records records;
    const struct monitor_site *site;
    struct sampler *sampler;
    struct curve *curves;
    uint64_t most; /* values above are left out */
};

static const char *const columns[] = {"expression", "value", NULL};

static void monitor_plot_told(void *context, size_t number, uint64_t tick, double value)
{
    struct plotted *p = context;
    struct curve *c = &p->curves[number];
    const char *name = monitor_option_at(p->site, "expression", number);
    if (value > (double)p->most)
        return;
    c->samples = memory_grow(c->samples, &c->room, c->count, sizeof *c->samples);
    uint64_t time = monitor_time(p->site, tick);
    c->samples[c->count++] = (struct sample){time, value};
    records_add(&p->records, time, "%s = %.9g", name, value);
    records_text(&p->records, name);
    records_real(&p->records, value);
}

static void monitor_plot_end(void *state)
{
    struct plotted *p = state;
    for (size_t i = 0; p->curves && monitor_option_at(p->site, "expression", i); i++)
        free(p->curves[i].samples);
    free(p->curves);
    sampler_free(p->sampler);
    records_end(&p->records);
    free(p);
}

static void *monitor_plot_attach(const struct monitor_site *site, struct motet_error *e)
{
    size_t count = 0;
    while (monitor_option_at(site, "expression", count))
        count++;
    if (!count) {
        monitor_sentence(e, "say what to plot, such as expression=links[0].etx");
        return NULL;
    }
    struct plotted *p = memory_new(sizeof *p);
    p->site = site;
    p->curves = memory_array(count, sizeof *p->curves);
    records_begin(&p->records, site, "plot", columns);
    p->most = UINT64_MAX;
    if (monitor_number(site, "most", &p->most, e))
        p->sampler = sampler_new(site, "expression", monitor_plot_told, p, e);
    if (p->sampler)
        return p;
    monitor_plot_end(p);
    return NULL;
}

/* ---- forms ---- */

static uint64_t last_time(void *const *states, size_t count)
{
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const struct monitor_site *site = ((const struct plotted *)states[i])->site;
        uint64_t now = monitor_time(site, motet_node_now(site->node));
        last = now > last ? now : last;
    }
    return last;
}

static void monitor_plot_write_vcd(void *const *states, size_t count, FILE *out)
{
    struct vcd *v = vcd_new();
    for (size_t i = 0; i < count; i++) {
        const struct plotted *p = states[i];
        char scope[24];
        snprintf(scope, sizeof scope, "node%" PRIu32, motet_node_id(p->site->node));
        for (size_t k = 0; k < sampler_count(p->sampler); k++) {
            unsigned bits = sampler_bits(p->sampler, k);
            size_t number = vcd_variable(v, scope, sampler_name(p->sampler, k), bits);
            for (size_t s = 0; s < p->curves[k].count; s++) {
                const struct sample *x = &p->curves[k].samples[s];
                if (bits)
                    vcd_change(v, number, x->time, (uint64_t)(int64_t)x->value);
                else
                    vcd_change_real(v, number, x->time, x->value);
            }
        }
    }
    vcd_write(v, out, last_time(states, count));
    vcd_free(v);
}

static const char *title_of(const struct plotted *p)
{
    return sampler_count(p->sampler) == 1 ? sampler_name(p->sampler, 0) : "values";
}

/* Of one node, or of several pieces of its run: then with an interruption after each. */
static struct plot_series series_of(const char *name, void *const *states, size_t count, size_t number)
{
    struct plot_series s = {.name = name};
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += ((const struct plotted *)states[i])->curves[number].count + 1;
    struct plot_point *points = memory_array(all, sizeof *points);
    for (size_t i = 0; i < count; i++) {
        const struct curve *c = &((const struct plotted *)states[i])->curves[number];
        for (size_t k = 0; k < c->count; k++)
            points[s.count++] = (struct plot_point){(double)c->samples[k].time / 1e9, c->samples[k].value};
        if (i + 1 < count)
            points[s.count++] = (struct plot_point){(double)last_time(states + i, 1) / 1e9, NAN};
    }
    s.points = points;
    return s;
}

static void monitor_plot_write_svg(void *const *states, size_t count, FILE *out)
{
    const struct plotted *first = states[0];
    bool pieces = !first->site->several;
    size_t each = sampler_count(first->sampler), many = pieces ? each : count * each;
    struct plot_series *series = memory_array(many + 1, sizeof *series);
    char(*names)[64] = memory_array(many + 1, sizeof *names);
    for (size_t i = 0; i < many; i++) {
        const struct plotted *p = states[i / each];
        const char *name = sampler_name(p->sampler, i % each);
        if (p->site->several)
            snprintf(names[i], sizeof names[i], "node %" PRIu32 "%s%s", motet_node_id(p->site->node),
                     each > 1 ? " " : "", each > 1 ? name : "");
        else
            snprintf(names[i], sizeof names[i], "%s", name);
        series[i] = series_of(names[i], states + i / each, pieces ? count : 1, i % each);
    }
    struct plot plot = {.title = title_of(first), .x = "seconds", .y = "", .steps = true};
    plot.to = (double)last_time(states, count) / 1e9;
    plot_series(out, &plot, series, many);
    for (size_t i = 0; i < many; i++)
        free((void *)series[i].points);
    free(series);
    free(names);
}

static void write_distribution(void *const *states, size_t count, FILE *out)
{
    size_t all = 0, used = 0;
    const struct plotted *first = states[0];
    for (size_t i = 0; i < count; i++)
        all += ((const struct plotted *)states[i])->records.count;
    double *values = memory_array(all + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const struct plotted *p = states[i];
        for (size_t k = 0; k < sampler_count(p->sampler); k++)
            for (size_t s = 0; s < p->curves[k].count; s++)
                values[used++] = p->curves[k].samples[s].value;
    }
    struct plot plot = {.title = title_of(first), .x = "value", .y = "times"};
    plot_distribution(out, &plot, values, used, 50);
    free(values);
}

static void monitor_plot_write(void *const *states, size_t count, const char *format, FILE *out)
{
    if (strcmp(format, "svg") == 0)
        monitor_plot_write_svg(states, count, out);
    else if (strcmp(format, "distribution") == 0)
        write_distribution(states, count, out);
    else if (strcmp(format, "vcd") == 0)
        monitor_plot_write_vcd(states, count, out);
    else
        records_write(states, count, format, out);
}

static const struct motet_monitor_option options[] = {
    {"expression", "EXPRESSION", "a C expression with a place in memory; can be given many times"},
    {"most", "N", "values above it, such as one that stands for none, are left out"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    RECORD_FORMATS,
    {.name = "svg", .about = "a picture of the values over time"},
    {.name = "distribution", .about = "a picture of how often values were taken, in SVG"},
    {.name = "vcd", .about = "a value change dump for GTKWave"},
    {.name = NULL},
};

extern const struct monitor monitor_plot;
const struct monitor monitor_plot = {
    .name = "plot",
    .about = "values of variables over time",
    .options = options,
    .formats = formats,
    .attach = monitor_plot_attach,
    .free = monitor_plot_end,
    .together = monitor_plot_write,
};
