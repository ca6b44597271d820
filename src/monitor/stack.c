/* stack: how deep it gets, by which calls, and what is left between it and the variables.
 *
 * The stack pointer is looked at before every instruction. One that is written in two halves is wrong between them,
 * where nothing uses it: a step of more than a few bytes counts only when a call, an interrupt or a push stands on it,
 * or when it has lasted. Where calls leave the return address in a register, it is written as a whole, and is right
 * from the first instruction on.
 */
#include "monitor/calls.h"

enum { STEP = 4, LASTING = 3, CHAIN = 64 };

struct level {
    size_t function;
    uint32_t sp, site;
    unsigned line;
};

struct stack {
    struct monitor_site site;
    struct calls calls;
    struct motet_stack_use use;
    uint32_t top, lowest; /* stack pointers; `top` before anything was pushed */
    uint32_t last;        /* before the instruction before, */
    uint32_t before;      /* which was here */
    unsigned lasted;
    bool begun;    /* the stack is set up: there was a call */
    uint64_t time; /* nanoseconds */
    uint32_t pc;
    struct level chain[CHAIN]; /* at the deepest, outermost first */
    size_t depth;
};

static void deeper(struct stack *s, const motet_node *n, uint32_t sp, uint32_t pc)
{
    if (!s->begun || sp >= s->lowest)
        return;
    s->lowest = sp;
    s->time = monitor_time(&s->site, motet_node_now(n));
    s->pc = pc;
    s->depth = s->calls.count;
    for (size_t i = 0; i < s->depth && i < CHAIN; i++) {
        const struct call *c = &s->calls.list[i];
        bool linked = s->use.linked && c->line == CALLS_NO_LINE; /* then its pointer is told one lower */
        s->chain[i] = (struct level){c->function, c->sp + linked, c->site, c->line};
    }
}

static void stack_executed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct stack *s = context;
    uint32_t sp = motet_node_sp(n);
    (void)after;
    if (s->use.linked && !s->begun) {
        s->top = sp > s->top ? sp : s->top;
        s->begun = true;
    }
    s->lasted = sp == s->last ? s->lasted + 1 : 0;
    if (sp < s->lowest && (s->use.linked || s->lasted >= LASTING || (sp < s->last && s->last - sp <= STEP)))
        deeper(s, n, sp, s->before);
    s->last = sp;
    s->before = pc;
}

/* Until the first call start-up code may still be setting the stack up. */
static void stack_begun(void *context, struct calls *c)
{
    struct stack *s = context;
    const struct call *top = calls_top(c);
    if (c->count == 1)
        s->begun = false;
    if (c->count == 1 || top->tail)
        return;
    if (!s->begun && s->last > s->top)
        s->top = s->last;
    s->begun = true;
    if (!s->use.linked)
        deeper(s, c->node, top->sp, top->site);
}

static void *stack_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct stack *s = memory_new(sizeof *s);
    (void)e;
    s->site = *site;
    s->use = motet_machine_stack_use(site->machine);
    s->lowest = UINT32_MAX;
    calls_follow(&s->calls, site->node, stack_begun, NULL, s);
    motet_probe(site->node, MOTET_EVERYWHERE, MOTET_BEFORE, stack_executed, s);
    return s;
}

static void stack_end(void *state)
{
    struct stack *s = state;
    calls_free(&s->calls);
    free(s);
}

static uint32_t deepest(const struct stack *s)
{
    return s->lowest < s->top ? s->top - s->lowest : 0;
}

/* Bytes between the variables and the lowest the stack pointer was; -1 if the firmware does not say where they end. */
static int64_t left(const struct stack *s)
{
    struct motet_firmware f;
    motet_machine_firmware(s->site.machine, &f);
    return f.ram_used_by && deepest(s) ? (int64_t)s->lowest - (int64_t)(f.ram_start + f.ram_used) : -1;
}

static size_t shown(const struct stack *s)
{
    return s->depth < CHAIN ? s->depth : CHAIN;
}

/* Bytes of a level: from its stack pointer to that of the one it called. */
static uint32_t stack_bytes_of(const struct stack *s, size_t i)
{
    uint32_t from = s->chain[i].sp, to = i + 1 < shown(s) ? s->chain[i + 1].sp : s->lowest;
    from = from < s->top ? from : s->top; /* what was never called has no place on the stack */
    return from > to && to < s->top ? from - to : 0;
}

static void stack_write_text(void *state, FILE *out)
{
    const struct stack *s = state;
    char place[256];
    if (!deepest(s)) {
        fprintf(out, "nothing was called\n");
        return;
    }
    fprintf(out, "%" PRIu32 " bytes at the deepest, at %" PRIu64 ".%09" PRIu64 " s in %s\n", deepest(s),
            s->time / MOTET_SECOND, s->time % MOTET_SECOND,
            motet_machine_place(s->site.machine, s->pc, place, sizeof place));
    if (left(s) >= 0)
        fprintf(out, "%" PRId64 " bytes were left above the variables\n", left(s));
    fprintf(out, "%6s  %s\n", "bytes", "call");
    for (size_t i = 0; i < shown(s); i++) {
        const struct level *l = &s->chain[i];
        fprintf(out, "%6" PRIu32 "  %*s%s", stack_bytes_of(s, i), (int)(2 * i), "",
                s->calls.functions.list[l->function].name);
        if (l->line != CALLS_NO_LINE)
            fprintf(out, " (interrupt %u)", l->line);
        fprintf(out, "\n");
    }
}

static void stack_write_json(void *state, FILE *out)
{
    const struct stack *s = state;
    fprintf(out, ", \"deepest\": %" PRIu32 ", \"top\": %" PRIu32 ", \"lowest\": %" PRIu32, deepest(s), s->top,
            deepest(s) ? s->lowest : s->top);
    if (left(s) >= 0)
        fprintf(out, ", \"left\": %" PRId64, left(s));
    fprintf(out, ", \"time\": %.9f, \"pc\": %" PRIu32 ", \"chain\": [", (double)s->time / 1e9, s->pc);
    for (size_t i = 0; i < shown(s); i++) {
        const struct level *l = &s->chain[i];
        fprintf(out, "%s{\"function\": ", i ? ", " : "");
        monitor_json_string(out, s->calls.functions.list[l->function].name);
        if (l->line != CALLS_NO_LINE)
            fprintf(out, ", \"interrupt\": %u", l->line);
        fprintf(out, ", \"bytes\": %" PRIu32 "}", stack_bytes_of(s, i));
    }
    fprintf(out, "]");
}

static const struct monitor_format formats[] = {
    {"text", "the depth and the calls that led to it", stack_write_text, false},
    {"json", "the same for machines", stack_write_json, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_stack;
const struct monitor monitor_stack = {
    .name = "stack",
    .about = "how deep the stack gets, by which calls, and how much room is left",
    .formats = formats,
    .attach = stack_attach,
    .free = stack_end,
};
