/* energy: what each component of a node used in which state, what the CPU used in which function, and how long a
 * battery would last.
 *
 * A current times the time it flowed. Where a current goes with the CPU's clock, its cycles are counted in place of the
 * time. What the CPU used goes to functions by the entries, returns, interrupts and sleeps between which it ran:
 * exactly, and as the profile counts its cycles. */
#include <math.h>

#include "monitor/functions.h"
#include "monitor/handler.h"
#include "monitor/meter.h"

enum { NESTED = 16 };

struct spent {
    uint64_t ticks, cycles;
};

struct energy {
    const struct monitor_site *site;
    motet_meter *meter;

    struct functions functions;
    struct spent *spent;                /* by function; NULL: not wanted */
    size_t now;                         /* the function it is in; never a passage (functions.h) */
    size_t interrupted[NESTED], nested; /* what is gone back to; the oldest are forgotten */
    uint64_t since, since_cycles;
    bool asleep;
    uint64_t listed;
};

/* ---- functions ---- */

static void ran(struct energy *x, uint64_t tick, uint64_t cycles, size_t function)
{
    if (!x->asleep && tick > x->since)
        x->spent[function].ticks += tick - x->since;
    if (!x->asleep && cycles > x->since_cycles)
        x->spent[function].cycles += cycles - x->since_cycles;
    x->since = tick > x->since ? tick : x->since;
    x->since_cycles = cycles;
}

/* The function that execution is in at an address; `or` while it passes through code of the compiler. */
static size_t energy_at(const struct energy *x, uint32_t pc, size_t or)
{
    size_t function = functions_at(&x->functions, pc);
    return x->functions.list[function].passage ? or : function;
}

static void energy_interrupted(struct energy *x)
{
    if (x->nested == NESTED)
        memmove(x->interrupted, x->interrupted + 1, --x->nested * sizeof *x->interrupted);
    x->interrupted[x->nested++] = x->now;
}

static void on_flow(struct energy *x, const struct motet_happened *h, uint64_t cycles)
{
    ran(x, h->tick, cycles, x->now);
    switch (h->what) {
    case MOTET_ON_CALL:
    case MOTET_ON_RETURN: x->now = energy_at(x, h->call.to, x->now); break;
    case MOTET_ON_INTERRUPT_ENTRY:
        energy_interrupted(x);
        x->now = energy_at(x, handler_behind(x->site->machine, h->interrupt.handler), x->now);
        break;
    case MOTET_ON_INTERRUPT_EXIT:
        x->nested -= x->nested > 0;
        x->now = energy_at(x, h->interrupt.from, x->interrupted[x->nested]);
        break;
    case MOTET_ON_SLEEP: x->asleep = true; break;
    case MOTET_ON_RESET:
        x->nested = 0;
        x->now = energy_at(x, motet_node_pc(x->site->node), x->now);
        x->asleep = false;
        break;
    default: /* wake */ x->asleep = false; break;
    }
}

/* At the first instruction of a function, also without a call: a jump to it, or code that runs on into it. */
static void energy_entered(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct energy *x = context;
    size_t function = functions_at(&x->functions, pc);
    (void)after;
    if (function == x->now)
        return;
    ran(x, motet_node_now(n), motet_node_cycles(n), x->now);
    x->now = function;
}

static void energy_restart(struct energy *x, uint64_t tick, uint64_t cycles)
{
    x->since = tick;
    x->since_cycles = cycles;
    x->asleep = false;
    x->nested = 0;
    x->now = energy_at(x, motet_node_pc(x->site->node), 0);
}

static void energy_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct energy *x = context;
    uint64_t cycles = motet_node_cycles(n);
    if (states_power_on(h))
        energy_restart(x, h->tick, cycles);
    else
        on_flow(x, h, cycles);
}

static void energy_end(void *state)
{
    struct energy *x = state;
    meter_drop(x->meter);
    functions_free(&x->functions);
    free(x->spent);
    free(x);
}

static void energy_begin(struct energy *x)
{
    const motet_node *n = x->site->node;
    uint64_t tick = motet_node_now(n), cycles = motet_node_cycles(n);
    x->since = tick;
    x->since_cycles = cycles;
    x->now = energy_at(x, motet_node_pc(n), 0);
}

static void *energy_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct energy *x = memory_new(sizeof *x);
    x->site = site;
    x->listed = 10;
    x->meter = motet_meter_new(site->node, monitor_option(site, "table"), e);
    if (!x->meter || !monitor_number(site, "functions", &x->listed, e)) {
        motet_meter_free(x->meter);
        x->meter = NULL;
        energy_end(x);
        return NULL;
    }
    functions_make(&x->functions, site->machine);
    energy_begin(x);
    if (!x->listed)
        return x;
    x->spent = memory_array(x->functions.count + 1, sizeof *x->spent);
    motet_hook(site->node,
               MOTET_ON(SLEEP) | MOTET_ON(WAKE) | MOTET_ON(RESET) | MOTET_ON(CALL) | MOTET_ON(RETURN) |
                   MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT),
               energy_told, x);
    functions_probe(&x->functions, site->node, energy_entered, x);
    return x;
}

static void energy_finish(void *state)
{
    struct energy *x = state;
    uint64_t tick = monitor_now(x->site->node), cycles = monitor_cycles(x->site->node);
    meter_settle(x->meter, tick, cycles);
    if (x->spent)
        ran(x, tick, cycles, x->now);
}

/* ---- adding up ---- */

static double average(const struct energy *x, const struct meter_bill *b)
{
    return b->seconds > 0 ? b->millijoules / x->meter->currents.volts / b->seconds : 0;
}

/* Days that a battery would last at this rate. */
static double days(const struct energy *x, const struct meter_bill *b)
{
    return average(x, b) > 0 ? x->meter->currents.battery / average(x, b) / 24 : 0;
}

static double energy_of_function(const struct energy *x, size_t function)
{
    const struct current *c = currents_find(&x->meter->currents, "cpu", "active");
    const struct spent *s = &x->spent[function];
    double amount = c && c->per_mhz ? (double)s->cycles / 1e6 : monitor_seconds(x->site, s->ticks);
    return c ? c->milliamps * amount * x->meter->currents.volts : 0;
}

/* Numbers of functions, most used first. */
static size_t *energy_in_order(const struct energy *x)
{
    size_t *order = memory_array(x->functions.count + 1, sizeof *order);
    for (size_t i = 0; i < x->functions.count; i++) {
        size_t k = i;
        for (; k && x->spent[order[k - 1]].ticks < x->spent[i].ticks; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

/* ---- forms ---- */

static void write_functions(const struct energy *x, const struct meter_bill *b, FILE *out)
{
    size_t *order = energy_in_order(x);
    fprintf(out, "%44s %25s %8s  function\n", "seconds", "mJ", "share");
    for (size_t i = 0; i < x->functions.count && i < x->listed && x->spent[order[i]].ticks; i++)
        fprintf(out, "%44.6f %25.6f %7.3f%%  %s\n", monitor_seconds(x->site, x->spent[order[i]].ticks),
                energy_of_function(x, order[i]),
                b->millijoules > 0 ? 100 * energy_of_function(x, order[i]) / b->millijoules : 0,
                x->functions.list[order[i]].name);
    free(order);
}

static void energy_write_text(void *state, FILE *out)
{
    const struct energy *x = state;
    struct meter_bill b;
    meter_add_up(x->meter, &b);
    fprintf(out, "component  state                     seconds         mA             mJ    share\n");
    for (size_t i = 0; i < b.count; i++) {
        const struct meter_item *t = &b.items[i];
        bool first = i == 0 || strcmp(t->component, b.items[i - 1].component) != 0;
        fprintf(out, "%-10s %-20s %12.6f ", first ? t->component : "", t->state, t->seconds);
        if (isnan(t->milliamps))
            fprintf(out, "         ? (not in the table)\n");
        else
            fprintf(out, "%10.5f %14.6f %7.3f%%\n", t->milliamps, t->millijoules,
                    b.millijoules > 0 ? 100 * t->millijoules / b.millijoules : 0);
    }
    fprintf(out, "in all                          %12.6f %10.5f %14.6f\n", b.seconds, average(x, &b), b.millijoules);
    if (x->meter->currents.battery > 0 && average(x, &b) > 0)
        fprintf(out, "a battery of %g mAh lasts %.1f days\n", x->meter->currents.battery, days(x, &b));
    if (x->spent)
        write_functions(x, &b, out);
}

static void energy_write_json(void *state, FILE *out)
{
    const struct energy *x = state;
    struct meter_bill b;
    meter_add_up(x->meter, &b);
    fprintf(out, ", \"volts\": %g, \"seconds\": %.9f, \"millijoules\": %.9g, \"milliamps\": %.9g",
            x->meter->currents.volts, b.seconds, b.millijoules, average(x, &b));
    if (x->meter->currents.battery > 0)
        fprintf(out, ", \"battery_days\": %.9g", days(x, &b));
    fprintf(out, ", \"components\": [");
    for (size_t i = 0; i < b.count; i++) {
        const struct meter_item *t = &b.items[i];
        fprintf(out, "%s{\"component\": \"%s\", \"state\": \"%s\", \"seconds\": %.9f", i ? ", " : "", t->component,
                t->state, t->seconds);
        if (!isnan(t->milliamps))
            fprintf(out, ", \"milliamps\": %.9g, \"millijoules\": %.9g", t->milliamps, t->millijoules);
        fprintf(out, "}");
    }
    fprintf(out, "], \"functions\": [");
    size_t *order = x->spent ? energy_in_order(x) : NULL;
    for (size_t i = 0; order && i < x->functions.count && x->spent[order[i]].ticks; i++) {
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        monitor_json_string(out, x->functions.list[order[i]].name);
        fprintf(out, ", \"seconds\": %.9f, \"millijoules\": %.9g}", monitor_seconds(x->site, x->spent[order[i]].ticks),
                energy_of_function(x, order[i]));
    }
    fprintf(out, "]");
    free(order);
}

static void energy_write_table(void *state, FILE *out)
{
    const struct energy *x = state;
    if (x->meter->text)
        fputs(x->meter->text, out);
    else
        fprintf(out, "# the table given with table=%s\n", monitor_option(x->site, "table"));
}

static const struct motet_monitor_option options[] = {
    {"table", "FILE", "currents of the board's components, in place of the built-in ones"},
    {"functions", "N", "how many functions are listed; 10 if not given, 0 to leave them out"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {.name = "text", .about = "tables", .write = energy_write_text},
    {.name = "json", .about = "components, functions, battery life", .write = energy_write_json},
    {.name = "table",
     .about = "the built-in currents, to be changed and given with table=",
     .write = energy_write_table},
    {.name = NULL},
};

extern const struct monitor monitor_energy;
const struct monitor monitor_energy = {
    .name = "energy",
    .about = "what each component and each function used, and how long a battery lasts",
    .options = options,
    .formats = formats,
    .attach = energy_attach,
    .finish = energy_finish,
    .free = energy_end,
};
