/* calls: every call, return and interrupt with its time, as deep as is wanted. */
#include "monitor/calls.h"

enum kind { CALL, JUMP, INTERRUPT, RETURN, BROKEN };

struct record {
    uint64_t time; /* nanoseconds */
    uint32_t function;
    uint16_t depth;
    uint8_t kind, line;
};

struct calltrace {
    struct monitor_site site;
    struct calls calls;
    uint64_t depth, limit, from, missed;
    struct spool records;
    size_t count;
};

static void record(struct calltrace *t, enum kind kind, uint64_t tick)
{
    uint64_t time = monitor_time(&t->site, tick);
    const struct call *top = calls_top(&t->calls);
    size_t depth = t->calls.count - 1;
    if (depth > t->depth || time < t->from)
        return;
    if (t->count == t->limit) {
        t->missed++;
        return;
    }
    struct record r = {.time = time,
                       .function = (uint32_t)top->function,
                       .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
                       .kind = (uint8_t)kind,
                       .line = (uint8_t)top->line};
    spool_add(&t->records, &r, sizeof r);
    t->count++;
}

static void calltrace_begun(void *context, struct calls *c)
{
    const struct call *top = calls_top(c);
    record(context, top->line != CALLS_NO_LINE ? INTERRUPT : top->tail ? JUMP : CALL, top->tick);
}

static void calltrace_ending(void *context, struct calls *c)
{
    if (!calls_top(c)->tail)
        record(context, c->returning ? RETURN : BROKEN, motet_node_now(c->node));
}

static void calltrace_end(void *state)
{
    struct calltrace *t = state;
    calls_free(&t->calls);
    spool_end(&t->records);
    free(t);
}

static void *calltrace_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct calltrace *t = memory_new(sizeof *t);
    t->site = *site;
    spool_begin(&t->records, site->spool);
    t->depth = UINT16_MAX;
    t->limit = 1000000;
    bool good = monitor_number(site, "depth", &t->depth, e) && monitor_number(site, "limit", &t->limit, e) &&
                monitor_nanoseconds(site, "from", &t->from, e);
    calls_follow(&t->calls, site->node, calltrace_begun, calltrace_ending, t);
    if (good)
        return t;
    calltrace_end(t);
    return NULL;
}

static const char *const names[] = {
    [CALL] = "call", [JUMP] = "jump", [INTERRUPT] = "interrupt", [RETURN] = "return", [BROKEN] = "broken off"};

static void calltrace_write_text(void *state, FILE *out)
{
    const struct calltrace *t = state;
    struct spool_reader reader;
    struct record r;
    spool_reader_begin(&reader, &t->records);
    while (spool_read(&reader, &r, sizeof r)) {
        const char *name = t->calls.functions.list[r.function].name;
        uint64_t time = r.time;
        fprintf(out, "%3" PRIu64 ".%09" PRIu64 " %*s", time / MOTET_SECOND, time % MOTET_SECOND, 2 * r.depth, "");
        switch (r.kind) {
        case INTERRUPT: fprintf(out, "interrupt %u %s\n", r.line, name); break;
        case RETURN: fprintf(out, "return from %s\n", name); break;
        case BROKEN: fprintf(out, "%s is left without a return\n", name); break;
        case JUMP: fprintf(out, "jump %s\n", name); break;
        default: fprintf(out, "%s\n", name); break;
        }
    }
    spool_reader_end(&reader);
    if (t->missed)
        fprintf(out, "... and %" PRIu64 " more; see the options limit, depth and from\n", t->missed);
}

static void calltrace_write_json(void *state, FILE *out)
{
    const struct calltrace *t = state;
    struct spool_reader reader;
    struct record r;
    const char *comma = "";
    fprintf(out, ", \"events\": [");
    spool_reader_begin(&reader, &t->records);
    for (; spool_read(&reader, &r, sizeof r); comma = ", ") {
        fprintf(out, "%s{\"time\": %.9f, \"what\": \"%s\", \"depth\": %u, \"function\": ", comma, (double)r.time / 1e9,
                names[r.kind], r.depth);
        monitor_json_string(out, t->calls.functions.list[r.function].name);
        if (r.kind == INTERRUPT)
            fprintf(out, ", \"line\": %u", r.line);
        fprintf(out, "}");
    }
    spool_reader_end(&reader);
    fprintf(out, "], \"missed\": %" PRIu64, t->missed);
}

static void calltrace_write_csv(void *state, FILE *out)
{
    const struct calltrace *t = state;
    fprintf(out, "node,nanosecond,what,depth,function\n");
    struct spool_reader reader;
    struct record r;
    spool_reader_begin(&reader, &t->records);
    while (spool_read(&reader, &r, sizeof r))
        fprintf(out, "%" PRIu32 ",%" PRIu64 ",%s,%u,%s\n", motet_node_id(t->site.node), r.time, names[r.kind], r.depth,
                t->calls.functions.list[r.function].name);
    spool_reader_end(&reader);
}

static const struct motet_monitor_option options[] = {
    {"depth", "N", "calls no deeper than this below the first; by default all"},
    {"from", "TIME", "leaves out what comes before: 10ms, 1.5s, @N for a tick"},
    {"limit", "N", "keeps so many events of a node, by default 1000000"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line for each event, indented", calltrace_write_text, false},
    {"json", "the same for machines", calltrace_write_json, false},
    {"csv", "the same as a table", calltrace_write_csv, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_calls;
const struct monitor monitor_calls = {
    .name = "calls",
    .about = "every call, return and interrupt with its time",
    .options = options,
    .formats = formats,
    .attach = calltrace_attach,
    .free = calltrace_end,
};
