/* interrupts: how often each comes, how long it waits, how long its handler takes, how deep they nest.
 *
 * An interrupt waits from the moment its device asks for it until the CPU, having finished an instruction, begins to
 * enter it; what was asked for while it was waiting already is one wait.
 */
#include "monitor/calls.h"
#include "monitor/distribution.h"

enum { LINES = 256 };

struct line {
    const char *device;
    size_t function; /* its handler, 0 while it is not known */
    uint64_t posts;
    bool waiting;
    uint64_t since;              /* tick */
    struct distribution latency; /* ticks */
    struct distribution handler; /* cycles, without those of interrupts on top of it */
    uint64_t nested;             /* entries while another handler was under way */
};

struct interrupts {
    struct monitor_site site;
    struct calls calls;
    struct line lines[LINES];
    unsigned depth, deepest;
    uint64_t cycles; /* in handlers */
};

static void interrupts_happened(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct interrupts *t = context;
    (void)n;
    if (h->what == MOTET_ON_RESET) {
        for (unsigned i = 0; i < LINES; i++)
            t->lines[i].waiting = false;
        return;
    }
    if (h->interrupt.line >= LINES)
        return;
    struct line *l = &t->lines[h->interrupt.line];
    l->device = h->interrupt.name;
    if (h->what == MOTET_ON_INTERRUPT_POST) {
        l->posts++;
        l->since = l->waiting ? l->since : h->tick;
        l->waiting = true;
    } else if (l->waiting) {
        distribution_add(&l->latency, h->tick - l->since);
        l->waiting = false;
    }
}

static void interrupts_begun(void *context, struct calls *c)
{
    struct interrupts *t = context;
    const struct call *top = calls_top(c);
    if (c->count == 1)
        t->depth = 0;
    if (top->line >= LINES)
        return;
    t->lines[top->line].function = top->function;
    t->lines[top->line].nested += t->depth > 0;
    t->depth++;
    t->deepest = t->depth > t->deepest ? t->depth : t->deepest;
}

static void interrupts_ending(void *context, struct calls *c)
{
    struct interrupts *t = context;
    const struct call *top = calls_top(c);
    if (top->line >= LINES)
        return;
    uint64_t all = calls_cycles(c);
    t->depth -= t->depth > 0;
    if (!t->depth)
        t->cycles += all;
    if (c->returning)
        distribution_add(&t->lines[top->line].handler, all - top->interrupted);
}

static void interrupts_finish(void *state)
{
    struct interrupts *t = state;
    calls_end(&t->calls);
}

static void *interrupts_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct interrupts *t = memory_new(sizeof *t);
    (void)e;
    t->site = *site;
    calls_follow(&t->calls, site->node, interrupts_begun, interrupts_ending, t);
    motet_hook(site->node, MOTET_ON(INTERRUPT_POST) | MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(RESET), interrupts_happened,
               t);
    return t;
}

static void interrupts_end(void *state)
{
    struct interrupts *t = state;
    for (unsigned i = 0; i < LINES; i++) {
        distribution_free(&t->lines[i].latency);
        distribution_free(&t->lines[i].handler);
    }
    calls_free(&t->calls);
    free(t);
}

static const char *handler_of(const struct interrupts *t, const struct line *l)
{
    return l->function ? t->calls.functions.list[l->function].name : "?";
}

static double interrupts_share(const struct interrupts *t)
{
    uint64_t all = monitor_cycles(t->site.node);
    return all ? (double)t->cycles / (double)all : 0;
}

static void interrupts_write_text(void *state, FILE *out)
{
    struct interrupts *t = state;
    fprintf(out, "%" PRIu64 " cycles in handlers (%.2f%%), %u deep at most; %" PRIu64 " ticks a second\n", t->cycles,
            100 * interrupts_share(t), t->deepest, motet_machine_hz(t->site.machine));
    for (unsigned i = 0; i < LINES; i++) {
        struct line *l = &t->lines[i];
        if (!l->posts && !l->handler.count && !l->latency.count)
            continue;
        fprintf(out, "%u %s (%s): asked for %" PRIu64 " times, %" PRIu64 " in another handler\n", i, handler_of(t, l),
                l->device ? l->device : "?", l->posts, l->nested);
        fprintf(out, "  waits (ticks): ");
        distribution_line(&l->latency, out);
        fprintf(out, "\n");
        distribution_bars(&l->latency, "    ", out);
        fprintf(out, "  handler (cycles): ");
        distribution_line(&l->handler, out);
        fprintf(out, "\n");
    }
}

static void interrupts_write_json(void *state, FILE *out)
{
    struct interrupts *t = state;
    const char *comma = "";
    fprintf(out, ", \"cycles\": %" PRIu64 ", \"share\": %.6f, \"deepest\": %u, \"hz\": %" PRIu64 ", \"lines\": [",
            t->cycles, interrupts_share(t), t->deepest, motet_machine_hz(t->site.machine));
    for (unsigned i = 0; i < LINES; i++) {
        struct line *l = &t->lines[i];
        if (!l->posts && !l->handler.count && !l->latency.count)
            continue;
        fprintf(out, "%s{\"line\": %u, \"handler\": ", comma, i);
        monitor_json_string(out, handler_of(t, l));
        fprintf(out, ", \"device\": ");
        monitor_json_string(out, l->device ? l->device : "");
        fprintf(out, ", \"posts\": %" PRIu64 ", \"nested\": %" PRIu64 ", \"latency_ticks\": ", l->posts, l->nested);
        distribution_json(&l->latency, out);
        fprintf(out, ", \"handler_cycles\": ");
        distribution_json(&l->handler, out);
        fprintf(out, "}");
        comma = ", ";
    }
    fprintf(out, "]");
}

static const struct monitor_format formats[] = {
    {"text", "the interrupts with how long they wait and take", interrupts_write_text, false},
    {"json", "the same for machines, with every value", interrupts_write_json, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_interrupts;
const struct monitor monitor_interrupts = {
    .name = "interrupts",
    .about = "how often interrupts come, how long they wait, how long their handlers take, how deep they nest",
    .formats = formats,
    .attach = interrupts_attach,
    .finish = interrupts_finish,
    .free = interrupts_end,
};
