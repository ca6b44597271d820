/* interface: the calls into and out of a component, as an interface log (docs/interface-logs.md).
 *
 * Each call under way is on a side of the boundary. A call, a jump to a function or an interrupt from one side to the
 * other is a crossing, however it came: also through a pointer. While code inside runs, its accesses to data are
 * watched, which shows what it reads that others wrote.
 */
#include <inttypes.h>

#include "monitor/calls.h"
#include "motet/interface.h"

/* The tag of a call. Of the recorder: called by code inside, on neither side; see interface_tag(). */
enum { SIDE_OUTSIDE, SIDE_INSIDE, SIDE_RECORDER };

/* Code outside that writes to a variable of the component without a call: calls alone would not tell of it. */
struct interface_writer {
    uint32_t variable, pc; /* pc: the first instruction that did, of a function */
    uint32_t function;
    uint64_t count;
};

struct interface {
    const struct monitor_site *site;
    motet_interface *boundary;
    motet_interface_log *log;
    struct spool spool;
    FILE *stream;
    struct calls calls;
    uint64_t begin, end; /* nanoseconds: what is logged */
    bool on;             /* the log has begun, */
    bool inside;         /* code inside is executed */
    motet_tap *watch;    /* on RAM, while it is */
    uint32_t ram_first, ram_last;
    uint64_t since;    /* instructions at which that began, or the last event was */
    uint64_t executed; /* instructions inside since the last event, before that */
    struct interface_writer *writers;
    size_t writer_count, writer_room;
};

static uint64_t interface_position(const struct interface *x)
{
    return x->executed + (x->inside ? motet_node_instructions(x->site->node) - x->since : 0);
}

static void interface_counted(struct interface *x)
{
    x->executed = 0;
    x->since = motet_node_instructions(x->site->node);
}

static void interface_access(struct interface *x, const motet_node *n, const struct motet_access *a)
{
    if (x->on && motet_interface_log_access(x->log, n, interface_position(x), a))
        interface_counted(x);
}

static void interface_accessed(void *context, const motet_node *n, const struct motet_access *a)
{
    struct interface *x = context;
    enum motet_flow flow = motet_node_flow(n, a->pc);
    if (!a->write && (flow == MOTET_FLOW_RETURN || flow == MOTET_FLOW_INTERRUPT_RETURN))
        return; /* the return address is the caller's */
    interface_access(x, n, a);
}

/* A device's register, which no watch on RAM sees. */
static void interface_register(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct interface *x = context;
    if (x->inside && !h->access.write)
        interface_access(x, n, &h->access);
}

/* ---- what others write ---- */

/* What is executed outside was called from inside: the log has what it does to the component's buffers. */
static bool interface_is_called(const struct calls *c)
{
    for (size_t i = c->count; i-- > 0 && (c->list[i].tag == SIDE_INSIDE || c->list[i].line == CALLS_NO_LINE);)
        if (c->list[i].tag == SIDE_INSIDE)
            return true;
    return false;
}

static uint32_t interface_variable_at(const struct interface *x, uint32_t address)
{
    struct motet_interface_variable v;
    uint32_t i = 0;
    while (motet_interface_variable(x->boundary, i, &v) && address - v.address >= v.size)
        i++;
    return i;
}

static void interface_written(void *context, const motet_node *n, const struct motet_access *a)
{
    struct interface *x = context;
    (void)n;
    if (!x->on || x->inside || interface_is_called(&x->calls))
        return;
    uint32_t variable = interface_variable_at(x, a->address), function = calls_top(&x->calls)->function;
    size_t i = 0;
    while (i < x->writer_count && (x->writers[i].variable != variable || x->writers[i].function != function))
        i++;
    if (i == x->writer_count) {
        x->writers = memory_grow(x->writers, &x->writer_room, x->writer_count, sizeof *x->writers);
        x->writers[x->writer_count++] = (struct interface_writer){variable, a->pc, function, 0};
    }
    x->writers[i].count++;
}

static void interface_watch_variables(struct interface *x)
{
    struct motet_interface_variable v;
    for (size_t i = 0; motet_interface_variable(x->boundary, i, &v); i++)
        if (v.size)
            motet_watch(x->site->node, v.address, v.address + v.size - 1, MOTET_WRITE | MOTET_AFTER, interface_written,
                        x);
}

static void interface_put_writers(const struct interface *x, bool json, FILE *out)
{
    for (size_t i = 0; i < x->writer_count; i++) {
        const struct interface_writer *w = &x->writers[i];
        struct motet_interface_variable v;
        char place[200];
        motet_interface_variable(x->boundary, w->variable, &v);
        motet_machine_place(x->site->machine, w->pc, place, sizeof place);
        fprintf(out,
                json ? "{\"node\": %" PRIu32 ", \"event\": \"finding\", \"variable\": \"%s\", \"place\": \"%s\", "
                       "\"count\": %" PRIu64 "}\n"
                     : "node %" PRIu32 ": finding: %s is written from outside without a call: at %s, %" PRIu64
                       " times\n",
                motet_node_id(x->site->node), v.name, place, w->count);
    }
}

/* From an instruction on, by its count. */
static void interface_switch(struct interface *x, bool inside, uint64_t now)
{
    if (x->inside == inside)
        return;
    if (x->inside)
        x->executed += now - x->since;
    x->since = now;
    x->inside = inside;
    if (inside) {
        x->watch = motet_watch(x->site->node, x->ram_first, x->ram_last, MOTET_READ | MOTET_WRITE | MOTET_AFTER,
                               interface_accessed, x);
    } else {
        motet_tap_remove(x->watch);
        x->watch = NULL;
    }
}

/* Whether a crossing is logged. A log begins with a call in while nothing else inside is under way, so that the
 * variables say all about the component; and ends with the first crossing after its end. */
static bool interface_is_on(struct interface *x, const struct motet_crossing *c)
{
    uint64_t now = monitor_time(x->site, motet_node_now(x->site->node));
    if (x->on && now >= x->end) {
        motet_interface_log_off(x->log, x->site->node);
        x->on = false;
        x->begin = UINT64_MAX;
    }
    if (x->on || now < x->begin || !c->in || c->is_return)
        return x->on;
    for (size_t i = 0; i + 1 < x->calls.count; i++)
        if (x->calls.list[i].tag == SIDE_INSIDE)
            return false;
    return x->on = true;
}

static void interface_cross(struct interface *x, struct motet_crossing c)
{
    const struct call *top = calls_top(&x->calls);
    if (!interface_is_on(x, &c))
        return;
    c.function = x->calls.functions.list[top->function].address;
    motet_interface_log_cross(x->log, x->site->node, &c);
    interface_counted(x);
}

/* The interrupt frame above the innermost call inside, if nothing but handlers is between them; NULL: the component was
 * not interrupted. What an entry of the recorder leads to are handlers, too. */
static const struct call *interface_interruption(const struct calls *c)
{
    for (size_t i = c->count - 1; i > 0; i--) {
        bool interrupt = c->list[i].line != CALLS_NO_LINE || c->list[i].tag == SIDE_RECORDER;
        if (interrupt && c->list[i - 1].tag == SIDE_INSIDE)
            return &c->list[i];
        if (i < c->count - 1 && c->list[i].tag == SIDE_INSIDE)
            return NULL;
    }
    return NULL;
}

/* Which side the call on top is on. An interrupt that comes while the recorder is at work on a stack of its own is
 * served on the application's stack (target/recorder/worker.h): its frame is gone, and its handler seems to be called
 * by the recorder's entry. */
static size_t interface_tag(const struct interface *x, const struct calls *c)
{
    const struct call *top = calls_top(c), *caller = top - 1;
    bool interrupt = top->line != CALLS_NO_LINE;
    switch (motet_interface_side(x->boundary, c->functions.list[top->function].address)) {
    case MOTET_INSIDE: return SIDE_INSIDE;
    case MOTET_EITHER_SIDE: return interrupt ? SIDE_OUTSIDE : caller->tag;
    case MOTET_OF_RECORDER: return interrupt || caller->tag == SIDE_OUTSIDE ? SIDE_OUTSIDE : SIDE_RECORDER;
    default: return SIDE_OUTSIDE;
    }
}

/* Whether the call on top has come over the boundary. */
static bool interface_crosses(const struct calls *c)
{
    const struct call *top = calls_top(c), *caller = top - 1;
    if (top->line != CALLS_NO_LINE || caller->tag == SIDE_RECORDER)
        return top->tag == SIDE_INSIDE;
    return top->tag != SIDE_RECORDER && top->tag != caller->tag;
}

static void interface_begun(void *context, struct calls *c)
{
    struct interface *x = context;
    struct call *top = calls_top(c);
    if (c->count == 1) {
        interface_switch(x, false, motet_node_instructions(x->site->node));
        if (x->on)
            motet_interface_log_reset(x->log, x->site->node);
        x->on = false;
        return;
    }
    top->tag = interface_tag(x, c);
    if (top->line != CALLS_NO_LINE) /* an interrupt, reported late where vectors are jumps: these are not inside */
        interface_switch(x, false, top->instructions);
    if (interface_crosses(c)) {
        const struct call *interruption = top->tag == SIDE_INSIDE ? interface_interruption(c) : NULL;
        interface_cross(x, (struct motet_crossing){.in = top->tag == SIDE_INSIDE,
                                                   .interrupts = interruption,
                                                   .position = interface_position(x),
                                                   .pc = interruption ? interruption->site : 0});
    }
    interface_switch(x, top->tag == SIDE_INSIDE, motet_node_instructions(x->site->node));
}

static void interface_ending(void *context, struct calls *c)
{
    struct interface *x = context;
    const struct call *top = calls_top(c);
    if (c->count == 1)
        return;
    if (interface_crosses(c) && (c->returning || top[-1].tag == SIDE_RECORDER))
        interface_cross(x, (struct motet_crossing){
                               .in = top->tag == SIDE_INSIDE, .is_return = true, .position = interface_position(x)});
    interface_switch(x, top[-1].tag == SIDE_INSIDE, motet_node_instructions(x->site->node));
}

static motet_interface *interface_boundary(const struct monitor_site *site, struct motet_error *e)
{
    const char *pieces[64], *descriptions[64];
    struct motet_interface_options o = {.pieces = pieces, .descriptions = descriptions};
    const char *text;
    while (o.piece_count < 64 && (text = monitor_option_at(site, "of", o.piece_count)))
        pieces[o.piece_count++] = text;
    while (o.description_count < 64 && (text = monitor_option_at(site, "describe", o.description_count)))
        descriptions[o.description_count++] = text;
    if (!o.piece_count) {
        monitor_sentence(e, "which component? Give of=, such as of=route.c");
        return NULL;
    }
    return motet_interface_new(site->machine, &o, e);
}

static void *interface_attach(const struct monitor_site *site, struct motet_error *e)
{
    motet_interface *boundary = interface_boundary(site, e);
    if (!boundary)
        return NULL;
    uint64_t begin = 0, end = UINT64_MAX;
    if (!monitor_nanoseconds(site, "begin", &begin, e) || !monitor_nanoseconds(site, "end", &end, e)) {
        motet_interface_free(boundary);
        return NULL;
    }
    struct interface *x = memory_new(sizeof *x);
    struct motet_firmware f;
    motet_machine_firmware(site->machine, &f);
    x->site = site;
    x->boundary = boundary;
    x->begin = begin;
    x->end = end;
    x->ram_first = f.ram_start;
    x->ram_last = f.ram_start + f.ram_size - 1;
    spool_begin(&x->spool, site->spool);
    x->stream = spool_stream(&x->spool);
    calls_follow(&x->calls, site->node, interface_begun, interface_ending, x);
    motet_hook(site->node, MOTET_ON(REGISTER), interface_register, x);
    x->log = motet_interface_log_new(boundary, site->node, x->stream);
    if (begin)
        motet_interface_log_on(x->log);
    if (monitor_option(site, "closure"))
        interface_watch_variables(x);
    if (monitor_option(site, "states"))
        motet_interface_log_states(x->log);
    for (size_t i = 0; motet_network_at(site->network, 0) == site->node && motet_interface_warning(boundary, i); i++)
        fprintf(stderr, "motet: warning: %s\n", motet_interface_warning(boundary, i));
    return x;
}

static void interface_finish(void *state)
{
    struct interface *x = state;
    motet_interface_log_end(x->log);
    fclose(x->stream);
    x->log = NULL;
    x->stream = NULL;
}

static void interface_write_log(void *state, FILE *out)
{
    struct interface *x = state;
    struct spool_reader r;
    spool_reader_begin(&r, &x->spool);
    spool_copy(&r, spool_size(&x->spool), out);
    spool_reader_end(&r);
}

static void interface_print(struct interface *x, enum motet_interface_form form, FILE *out)
{
    struct spool_reader r;
    struct motet_error ignored;
    size_t size = spool_size(&x->spool);
    uint8_t *bytes = memory_bytes(size);
    spool_reader_begin(&r, &x->spool);
    if (spool_read(&r, bytes, size))
        motet_interface_print("log", bytes, size, form, out, &ignored);
    spool_reader_end(&r);
    free(bytes);
}

static void interface_write_text(void *state, FILE *out)
{
    interface_print(state, MOTET_INTERFACE_TEXT, out);
    interface_put_writers(state, false, out);
}

static void interface_write_lines(void *state, FILE *out)
{
    interface_print(state, MOTET_INTERFACE_JSON_LINES, out);
    interface_put_writers(state, true, out);
}

static void interface_write_json(void *state, FILE *out)
{
    fputs(", \"events\": [", out);
    interface_print(state, MOTET_INTERFACE_JSON_LIST, out);
    fputc(']', out);
}

static void interface_end(void *state)
{
    struct interface *x = state;
    if (x->log)
        interface_finish(x);
    calls_free(&x->calls);
    motet_interface_free(x->boundary);
    free(x->writers);
    spool_end(&x->spool);
    free(x);
}

static const struct motet_monitor_option options[] = {
    {"of", "PIECE",
     "the component: a file (route.c), a directory (kit/), a function, or a glob of names "
     "(CtpForwardingEngineP.*); may be given many times"},
    {"begin", "TIME", "logs from then on, beginning with the component's variables"},
    {"end", "TIME", "logs up to then"},
    {"closure", "yes",
     "names the component's variables that code outside writes without a call, after the events (text and jsonl)"},
    {"states", "yes", "logs a digest of the component's variables whenever control leaves it, to check replays"},
    {"describe", "FILE", "an interface file: which bytes pointers lead to; may be given many times"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line for each event", interface_write_text, false},
    {"json", "all events in one object", interface_write_json, false},
    {"jsonl", "a JSON object for each event, in lines", interface_write_lines, false},
    {"log", "an interface log, for motet merge and motet replay", interface_write_log, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_interface;
const struct monitor monitor_interface = {
    .name = "interface",
    .about = "calls into and out of a component, with parameters, results and buffers",
    .options = options,
    .formats = formats,
    .attach = interface_attach,
    .finish = interface_finish,
    .free = interface_end,
};
