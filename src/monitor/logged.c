/* log: how the log grew that a replay goes through, as a table and as a picture. */
#include "export/plot.h"
#include "monitor/records.h"
#include "motet/log.h"

struct growth {
    struct records records;
    const struct monitor_site *site;
    uint64_t spacing, next; /* nanoseconds */
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
    struct growth *g = memory_new(sizeof *g);
    g->site = site;
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

/* Of all parts of the log in one line: what was recorded between them went into it too, but cannot be replayed. */
static void logged_write_svg(void *const *states, size_t count, FILE *out)
{
    struct plot plot = {.title = "the log", .x = "time (s)", .y = "size (bytes)"};
    struct spool all;
    spool_begin(&all, ((const struct growth *)states[0])->site->spool);
    for (size_t i = 0; i < count; i++) {
        struct spool_reader r;
        struct plot_point p;
        spool_reader_begin(&r, &((const struct growth *)states[i])->points);
        while (spool_read(&r, &p, sizeof p))
            spool_add(&all, &p, sizeof p);
        spool_reader_end(&r);
    }
    plot_series(out, &plot, &(struct plot_series){.name = "bytes", .points = &all}, 1);
    spool_end(&all);
}

static void logged_write(void *const *states, size_t count, const char *format, FILE *out)
{
    if (strcmp(format, "svg") == 0)
        logged_write_svg(states, count, out);
    else
        records_write(states, count, format, out);
}

static const struct motet_monitor_option options[] = {
    {"every", "TIME",
     "how far the samples are apart at least, by default 1s; they are taken where the CPU falls asleep"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    RECORD_FORMATS,
    {.name = "svg", .about = "a picture of the bytes over time"},
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
