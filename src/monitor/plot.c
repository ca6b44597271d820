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

struct plotted {
    struct records records;
    const struct monitor_site *site;
    struct sampler *sampler;
    struct spool *curves; /* the samples of each expression */
    uint64_t most;        /* values above are left out */
    double shade[2];      /* seconds */
    bool drawn;           /* a picture or a waveform is wanted: samples are kept, else records */
};

static const char *const columns[] = {"expression", "value", NULL};

static void monitor_plot_told(void *context, size_t number, uint64_t tick, double value)
{
    struct plotted *p = context;
    const char *name = monitor_option_at(p->site, "expression", number);
    if (value > (double)p->most)
        return;
    struct sample s = {monitor_time(p->site, tick), value};
    if (p->drawn) {
        spool_add(&p->curves[number], &s, sizeof s);
        return;
    }
    records_add(&p->records, s.time, "%s = %.9g", name, value);
    records_text(&p->records, name);
    records_real(&p->records, value);
}

static void monitor_plot_end(void *state)
{
    struct plotted *p = state;
    for (size_t i = 0; p->curves && monitor_option_at(p->site, "expression", i); i++)
        spool_end(&p->curves[i]);
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
    for (size_t i = 0; i < count; i++)
        spool_begin(&p->curves[i], site->spool);
    const char *format = monitor_option(site, "format");
    p->drawn =
        format && (strcmp(format, "svg") == 0 || strcmp(format, "distribution") == 0 || strcmp(format, "vcd") == 0);
    records_begin(&p->records, site, "plot", columns);
    p->most = UINT64_MAX;
    if (monitor_number(site, "most", &p->most, e) && monitor_stretch(site, "shade", &p->shade[0], &p->shade[1], e))
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
    struct vcd *v = vcd_new(((const struct plotted *)states[0])->site->spool);
    for (size_t i = 0; i < count; i++) {
        const struct plotted *p = states[i];
        char scope[24];
        snprintf(scope, sizeof scope, "node%" PRIu32, motet_node_id(p->site->node));
        for (size_t k = 0; k < sampler_count(p->sampler); k++) {
            unsigned bits = sampler_bits(p->sampler, k);
            size_t number = vcd_variable(v, scope, sampler_name(p->sampler, k), bits);
            struct spool_reader r;
            struct sample x;
            spool_reader_begin(&r, &p->curves[k]);
            while (spool_read(&r, &x, sizeof x))
                if (bits)
                    vcd_change(v, number, x.time, (uint64_t)(int64_t)x.value);
                else
                    vcd_change_real(v, number, x.time, x.value);
            spool_reader_end(&r);
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
static void monitor_plot_points(struct spool *to, void *const *states, size_t count, size_t number)
{
    spool_begin(to, ((const struct plotted *)states[0])->site->spool);
    for (size_t i = 0; i < count; i++) {
        struct spool_reader r;
        struct sample x;
        spool_reader_begin(&r, &((const struct plotted *)states[i])->curves[number]);
        while (spool_read(&r, &x, sizeof x))
            spool_add(to, &(struct plot_point){(double)x.time / 1e9, x.value}, sizeof(struct plot_point));
        spool_reader_end(&r);
        struct plot_point interruption = {(double)last_time(states + i, 1) / 1e9, NAN};
        if (i + 1 < count)
            spool_add(to, &interruption, sizeof interruption);
    }
}

struct monitor_plot_name {
    char text[64];
};

/* "links[0].etx (mV)", or "value (mV)" where there are several expressions. */
static struct monitor_plot_name axis_name(const struct plotted *p)
{
    struct monitor_plot_name n;
    const char *unit = monitor_option(p->site, "unit");
    const char *name = sampler_count(p->sampler) == 1 ? sampler_name(p->sampler, 0) : "value";
    snprintf(n.text, sizeof n.text, unit ? "%.40s (%.20s)" : "%.60s", name, unit);
    return n;
}

/* Of several nodes each has a colour, and each expression a kind of line; the legend has both. */
static void draw_nodes(const struct plot *plot, void *const *states, size_t count, FILE *out)
{
    const struct plotted *first = states[0];
    size_t each = sampler_count(first->sampler), many = count * each, used = 0;
    struct plot_series *series = memory_array(many + each, sizeof *series);
    struct monitor_plot_name *names = memory_array(many + count, sizeof *names);
    struct spool *points = memory_array(many, sizeof *points);
    for (size_t i = 0; i < count; i++) {
        const struct plotted *p = states[i];
        char *node = names[many + i].text;
        snprintf(node, sizeof names->text, "node %" PRIu32, motet_node_id(p->site->node));
        for (size_t k = 0; k < each; k++, used++) {
            monitor_plot_points(&points[used], states + i, 1, k);
            snprintf(names[used].text, sizeof names->text, "%s %.40s", node, sampler_name(p->sampler, k));
            series[used] = (struct plot_series){names[used].text, k == 0 ? node : NULL, i, k, &points[used]};
        }
    }
    for (size_t k = 0; k < each && each > 1; k++)
        series[used++] = (struct plot_series){.name = sampler_name(first->sampler, k),
                                              .key = sampler_name(first->sampler, k),
                                              .colour = PLOT_NO_COLOUR,
                                              .dash = k};
    plot_series(out, plot, series, used);
    for (size_t i = 0; i < many; i++)
        spool_end(&points[i]);
    free(points);
    free(series);
    free(names);
}

/* Of one node, perhaps in pieces, each expression has a colour. */
static void draw_node(const struct plot *plot, void *const *states, size_t count, FILE *out)
{
    const struct plotted *first = states[0];
    size_t each = sampler_count(first->sampler);
    struct plot_series *series = memory_array(each + 1, sizeof *series);
    struct spool *points = memory_array(each + 1, sizeof *points);
    for (size_t k = 0; k < each; k++) {
        const char *name = sampler_name(first->sampler, k);
        monitor_plot_points(&points[k], states, count, k);
        series[k] = (struct plot_series){name, name, k, 0, &points[k]};
    }
    plot_series(out, plot, series, each);
    for (size_t k = 0; k < each; k++)
        spool_end(&points[k]);
    free(points);
    free(series);
}

static void monitor_plot_write_svg(void *const *states, size_t count, FILE *out)
{
    const struct plotted *first = states[0];
    struct monitor_plot_name y = axis_name(first);
    struct plot plot = {.title = title_of(first), .x = "time (s)", .y = y.text, .steps = true};
    plot.shade_from = first->shade[0];
    plot.shade_to = first->shade[1];
    plot.to = (double)last_time(states, count) / 1e9;
    if (first->site->several)
        draw_nodes(&plot, states, count, out);
    else
        draw_node(&plot, states, count, out);
}

static void add_values(struct spool *values, const struct spool *curve)
{
    struct spool_reader r;
    struct sample x;
    spool_reader_begin(&r, curve);
    while (spool_read(&r, &x, sizeof x))
        spool_add(values, &x.value, sizeof x.value);
    spool_reader_end(&r);
}

static void write_distribution(void *const *states, size_t count, FILE *out)
{
    const struct plotted *first = states[0];
    struct spool values;
    spool_begin(&values, first->site->spool);
    for (size_t i = 0; i < count; i++) {
        const struct plotted *p = states[i];
        for (size_t k = 0; k < sampler_count(p->sampler); k++)
            add_values(&values, &p->curves[k]);
    }
    struct monitor_plot_name x = axis_name(first);
    struct plot plot = {.title = title_of(first), .x = x.text, .y = "number of values"};
    plot_distribution(out, &plot, &values, 50);
    spool_end(&values);
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
    {"unit", "TEXT", "the unit of the values, for the axis of a picture"},
    {"shade", "TIME-TIME", "a stretch of time to shade in a picture, such as 30s-50s"},
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
