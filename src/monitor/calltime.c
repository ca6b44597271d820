/* call-time: how long each call takes, and how much of that was spent in interrupt handlers. */
#include "monitor/calls.h"
#include "monitor/distribution.h"

struct called {
    struct distribution own;         /* cycles from the first instruction to the return, without interrupts */
    struct distribution interrupted; /* cycles in interrupts meanwhile, of the calls that had any */
};

struct calltime {
    struct monitor_site site;
    struct calls calls;
    struct called *functions;
    size_t only; /* this function, 0 for all */
};

/* Calls that the end of the run or a reset breaks off do not count: they did not return. */
static void calltime_ending(void *context, struct calls *c)
{
    struct calltime *t = context;
    const struct call *top = calls_top(c);
    struct called *f = &t->functions[top->function];
    if (!c->returning || (t->only && top->function != t->only))
        return;
    distribution_add(&f->own, calls_cycles(c) - top->interrupted);
    if (top->interrupted)
        distribution_add(&f->interrupted, top->interrupted);
}

static void calltime_end(void *state)
{
    struct calltime *t = state;
    for (size_t i = 0; t->functions && i < t->calls.functions.count; i++) {
        distribution_free(&t->functions[i].own);
        distribution_free(&t->functions[i].interrupted);
    }
    free(t->functions);
    calls_free(&t->calls);
    free(t);
}

static bool calltime_choose(struct calltime *t, struct motet_error *e)
{
    const char *name = monitor_option(&t->site, "function");
    uint32_t address[1];
    if (!name)
        return true;
    if (!motet_machine_find(t->site.machine, name, address, 1, e))
        return false;
    t->only = functions_at(&t->calls.functions, address[0]);
    return true;
}

static void *calltime_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct calltime *t = memory_new(sizeof *t);
    t->site = *site;
    calls_follow(&t->calls, site->node, NULL, calltime_ending, t);
    t->functions = memory_array(t->calls.functions.count, sizeof *t->functions);
    if (calltime_choose(t, e))
        return t;
    calltime_end(t);
    return NULL;
}

static void calltime_write_text(void *state, FILE *out)
{
    struct calltime *t = state;
    fprintf(out, "cycles of each call; time in interrupt handlers apart\n");
    for (size_t i = 0; i < t->calls.functions.count; i++) {
        struct called *f = &t->functions[i];
        if (!f->own.count)
            continue;
        fprintf(out, "%s: ", t->calls.functions.list[i].name);
        distribution_line(&f->own, out);
        if (f->interrupted.count)
            fprintf(out, "; interrupted in %" PRIu64 ", for %" PRIu64 " to %" PRIu64 " cycles, mean %.1f",
                    f->interrupted.count, f->interrupted.least, f->interrupted.most,
                    distribution_mean(&f->interrupted));
        fprintf(out, "\n");
        if (t->only)
            distribution_bars(&f->own, "  ", out);
    }
}

static void calltime_write_json(void *state, FILE *out)
{
    struct calltime *t = state;
    const char *comma = "";
    fprintf(out, ", \"functions\": [");
    for (size_t i = 0; i < t->calls.functions.count; i++) {
        struct called *f = &t->functions[i];
        if (!f->own.count)
            continue;
        fprintf(out, "%s{\"name\": ", comma);
        monitor_json_string(out, t->calls.functions.list[i].name);
        fprintf(out, ", \"cycles\": ");
        distribution_json(&f->own, out);
        fprintf(out, ", \"interrupted\": ");
        distribution_json(&f->interrupted, out);
        fprintf(out, "}");
        comma = ", ";
    }
    fprintf(out, "]");
}

static const struct motet_monitor_option options[] = {
    {"function", "NAME", "only calls of this function, with a histogram"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line for each function: least, mean, most and percentiles", calltime_write_text, false},
    {"json", "the same for machines, with every value", calltime_write_json, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_calltime;
const struct monitor monitor_calltime = {
    .name = "call-time",
    .about = "how long each call takes, with the time in interrupt handlers apart",
    .options = options,
    .formats = formats,
    .attach = calltime_attach,
    .free = calltime_end,
};
