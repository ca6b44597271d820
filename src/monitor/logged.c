/* log: how the log grew that a replay goes through, as a table and as pictures. */
#include "export/plot.h"
#include "monitor/records.h"
#include "motet/log.h"

struct growth {
    struct records records;
    const struct monitor_site *site;
    uint64_t spacing, next; /* nanoseconds */
    double shade[2];        /* seconds */
    struct spool points;
};

static const char *const columns[] = {"bytes", "events", NULL};

static void logged_sample(struct growth *g, const motet_node *n, uint64_t time)
{
    uint64_t events, bytes;
    motet_node_logged(n, &events, &bytes);
    struct plot_point p = {(double)time / 1e9, (double)bytes};
    spool_add(&g->points, &p, sizeof p);
    records_add(&g->records, time, "%" PRIu64 " bytes, %" PRIu64 " events", bytes, events);
    records_integer(&g->records, (int64_t)bytes);
    records_integer(&g->records, (int64_t)events);
}

static void logged_slept(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct growth *g = context;
    uint64_t time = monitor_time(g->site, h->tick);
    if (time < g->next)
        return;
    logged_sample(g, n, time);
    g->next = time - time % g->spacing + g->spacing;
}

static void *logged_attach(const struct monitor_site *site, struct motet_error *e)
{
    uint64_t spacing = MOTET_SECOND, ignored;
    if (!motet_node_logged(site->node, &ignored, &ignored)) {
        monitor_sentence(e, "there is no log: this is for motet replay");
        return NULL;
    }
    if (!monitor_nanoseconds(site, "every", &spacing, e))
        return NULL;
    if (!spacing) {
        monitor_sentence(e, "every=0: how often is never");
        return NULL;
    }
    double shade[2] = {0, 0};
    if (!monitor_stretch(site, "shade", &shade[0], &shade[1], e))
        return NULL;
    struct growth *g = memory_new(sizeof *g);
    *g = (struct growth){.site = site, .shade = {shade[0], shade[1]}};
    g->spacing = spacing;
    spool_begin(&g->points, site->spool);
    records_begin(&g->records, site, "log", columns);
    motet_hook(site->node, MOTET_ON(SLEEP), logged_slept, g);
    return g;
}

static void logged_finish(void *state)
{
    struct growth *g = state;
    logged_sample(g, g->site->node, monitor_time(g->site, motet_node_now(g->site->node)));
}

static void logged_end(void *state)
{
    struct growth *g = state;
    spool_end(&g->points);
    records_end(&g->records);
    free(g);
}

/* Of all parts of a log in one line: what was recorded between them went into it too, but cannot be replayed. As a
 * rate, each point is the bytes since the one before over the time since then. */
static void logged_points(struct spool *to, void *const *states, size_t count, bool rate)
{
    const struct growth *first = states[0];
    struct plot_point before = {0, 0};
    double least = (double)first->spacing / 2e9;
    spool_begin(to, first->site->spool);
    for (size_t i = 0; i < count; i++) {
        struct spool_reader r;
        struct plot_point p;
        spool_reader_begin(&r, &((const struct growth *)states[i])->points);
        while (spool_read(&r, &p, sizeof p)) {
            struct plot_point at = {p.x, rate ? (p.y - before.y) / (p.x - before.x) : p.y};
            if (rate && p.x - before.x < least)
                continue;
            spool_add(to, &at, sizeof at);
            before = p;
        }
        spool_reader_end(&r);
    }
}

/* Each node has a curve; of one node all states are parts of its log. */
static void logged_write_svg(void *const *states, size_t count, bool rate, FILE *out)
{
    const struct growth *first = states[0];
    size_t curves = first->site->several ? count : 1;
    struct plot plot = {.title = rate ? "growth of the log" : "the log",
                        .x = "time (s)",
                        .y = rate ? "growth (bytes/s)" : "size (bytes)",
                        .shade_from = first->shade[0],
                        .shade_to = first->shade[1]};
    struct plot_series *series = memory_array(curves, sizeof *series);
    struct spool *points = memory_array(curves, sizeof *points);
    struct {
        char text[24];
    } *names = memory_array(curves, sizeof *names);
    for (size_t i = 0; i < curves; i++) {
        const struct growth *g = states[i];
        logged_points(&points[i], states + i, curves == 1 ? count : 1, rate);
        snprintf(names[i].text, sizeof names->text, "node %" PRIu32, motet_node_id(g->site->node));
        series[i] = (struct plot_series){names[i].text, curves > 1 ? names[i].text : NULL, i, 0, &points[i]};
    }
    plot_series(out, &plot, series, curves);
    for (size_t i = 0; i < curves; i++)
        spool_end(&points[i]);
    free(points);
    free(series);
    free(names);
}

static void logged_write(void *const *states, size_t count, const char *format, FILE *out)
{
    if (strcmp(format, "svg") == 0 || strcmp(format, "rate") == 0)
        logged_write_svg(states, count, strcmp(format, "rate") == 0, out);
    else
        records_write(states, count, format, out);
}

static const struct motet_monitor_option options[] = {
    {"every", "TIME",
     "how far the samples are apart at least, by default 1s; they are taken where the CPU falls asleep"},
    {"shade", "TIME-TIME", "a stretch of time to shade in a picture, such as 30s-50s"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    RECORD_FORMATS,
    {.name = "svg", .about = "a picture of the bytes over time"},
    {.name = "rate", .about = "a picture of how fast it grew, in bytes a second, in SVG"},
    {.name = NULL},
};

extern const struct monitor monitor_log;
const struct monitor monitor_log = {
    .name = "log",
    .about = "how the log grew that is replayed",
    .options = options,
    .formats = formats,
    .attach = logged_attach,
    .finish = logged_finish,
    .free = logged_end,
    .together = logged_write,
};
