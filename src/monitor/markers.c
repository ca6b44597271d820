/* markers: markers and timers that the firmware sets (target/include/motet.h), with their times. */
#include "monitor/records.h"

enum { TIMERS = MOTET_MARK_TIMER + 1 };

struct markers {
    struct records records;
    const struct monitor_site *site;
    struct marker_timer {
        bool runs;
        uint64_t time, cycles; /* nanoseconds; of the CPU: when it began */
    } timers[TIMERS];
};

static const char *const columns[] = {"what", "number", "seconds", "cycles", NULL};

static void markers_record(struct markers *m, uint64_t time, const char *what, unsigned number)
{
    records_add(&m->records, time, "%s %u", what, number);
    records_text(&m->records, what);
    records_integer(&m->records, number);
    records_none(&m->records);
    records_none(&m->records);
}

static void markers_ended(struct markers *m, uint64_t time, uint64_t cycles, unsigned number)
{
    struct marker_timer *t = &m->timers[number];
    if (!t->runs) {
        markers_record(m, time, "end without a beginning: timer", number);
        return;
    }
    uint64_t took = time - t->time, worked = cycles - t->cycles;
    t->runs = false;
    records_add(&m->records, time, "timer %u: %" PRIu64 ".%09" PRIu64 " s, %" PRIu64 " cycles", number,
                took / MOTET_SECOND, took % MOTET_SECOND, worked);
    records_text(&m->records, "timer");
    records_integer(&m->records, number);
    records_seconds(&m->records, took);
    records_integer(&m->records, (int64_t)worked);
}

static void markers_happened(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct markers *m = context;
    uint64_t time = monitor_time(m->site, h->tick);
    if (h->what == MOTET_ON_RESET) {
        memset(m->timers, 0, sizeof m->timers);
        return;
    }
    unsigned timer = h->mark & MOTET_MARK_TIMER;
    if (h->mark < MOTET_MARK_BEGINS)
        markers_record(m, time, "marker", h->mark);
    else if (h->mark < MOTET_MARK_ENDS)
        m->timers[timer] = (struct marker_timer){true, time, motet_node_cycles(n)};
    else
        markers_ended(m, time, motet_node_cycles(n), timer);
}

static void *markers_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct markers *m = memory_new(sizeof *m);
    (void)e;
    m->site = site;
    records_begin(&m->records, site, "markers", columns);
    motet_hook(site->node, MOTET_ON(MARK) | MOTET_ON(RESET), markers_happened, m);
    return m;
}

static void markers_end(void *state)
{
    struct markers *m = state;
    records_end(&m->records);
    free(m);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {NULL, NULL, NULL, false}};

extern const struct monitor monitor_markers;
const struct monitor monitor_markers = {
    .name = "markers",
    .about = "markers and timers that the firmware sets, with their times",
    .formats = formats,
    .attach = markers_attach,
    .free = markers_end,
    .together = records_write,
};
