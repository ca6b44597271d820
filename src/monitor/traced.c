/* traced: what a firmware that was built with motet cc --trace-level has in RAM at the end, as a file for motet trace
 * and motet replay --native. It is what a debugger reads from a real chip. */
#include "monitor/monitor.h"
#include "motet/trace.h"

struct traced {
    const struct monitor_site *site;
    uint32_t address, size;
    uint8_t *bytes;
    uint8_t violated; /* the number of the invariant, 0: none was */
    uint64_t noted;   /* bytes that were written to the ring */
};

/* As target/trace/tracer.c has it: what comes before the ring. */
enum { TRACED_HEAD = 10 };

static void traced_written(void *context, const motet_node *n, const struct motet_access *a)
{
    (void)n;
    ((struct traced *)context)->noted += a->size;
}

static void *traced_attach(const struct monitor_site *site, struct motet_error *e)
{
    uint32_t address, size;
    if (!motet_machine_variable(site->machine, "motet_trace_log", &address, &size)) {
        monitor_sentence(e, "there is no trace: the firmware was not built with motet cc --trace-level or --trace");
        return NULL;
    }
    struct traced *t = memory_new(sizeof *t);
    *t = (struct traced){.site = site, .address = address, .size = size};
    t->bytes = memory_new(size);
    address += TRACED_HEAD;
    motet_watch(site->node, address, address + motet_trace_ring(site->machine) - 1, MOTET_WRITE | MOTET_AFTER,
                traced_written, t);
    return t;
}

static void traced_finish(void *state)
{
    struct traced *t = state;
    uint32_t address, size;
    motet_node_peek(t->site->node, t->address, t->bytes, t->size);
    if (motet_machine_variable(t->site->machine, "motet_violated", &address, &size))
        motet_node_peek(t->site->node, address, &t->violated, 1);
}

static void traced_end(void *state)
{
    struct traced *t = state;
    free(t->bytes);
    free(t);
}

static void traced_text(void *state, FILE *out)
{
    const struct traced *t = state;
    if (t->violated)
        fprintf(out, "invariant %u was violated; the trace ends there\n", t->violated);
    else
        fprintf(out, "no invariant was violated\n");
    fprintf(out, "%" PRIu64 " bytes were noted\n", t->noted);
}

static void traced_json(void *state, FILE *out)
{
    const struct traced *t = state;
    fprintf(out, ", \"violated\": %u, \"bytes\": %" PRIu32 ", \"noted\": %" PRIu64, t->violated, t->size, t->noted);
}

static void traced_bytes(void *state, FILE *out)
{
    const struct traced *t = state;
    fwrite(t->bytes, 1, t->size, out);
}

static const struct monitor_format formats[] = {
    {"text", "whether an invariant was violated", traced_text, false},
    {"json", "the same as JSON", traced_json, false},
    {"bytes", "the variable motet_trace_log, for motet trace and motet replay --native", traced_bytes, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_traced;
const struct monitor monitor_traced = {
    .name = "traced",
    .about = "the trace of functions that the firmware has in RAM (motet cc --trace-level)",
    .formats = formats,
    .attach = traced_attach,
    .finish = traced_finish,
    .free = traced_end,
};
