/* energy: what each component of a node used in which state, what the CPU used in which function, and how long a
 * battery would last.
 *
 * A current times the time it flowed. Where a current goes with the CPU's clock, its cycles are counted in place of the
 * time. What the CPU used goes to functions by the entries, returns, interrupts and sleeps between which it ran:
 * exactly, and as the profile counts its cycles. */
#include <math.h>

#include "monitor/currents.h"
#include "monitor/functions.h"
#include "monitor/handler.h"
#include "monitor/states.h"

enum { LEDS = 8, NESTED = 16 };

struct spent {
    uint64_t ticks, cycles;
};

struct energy {
    const struct monitor_site *site;
    const char *table_text; /* NULL: from a file */
    struct currents currents;
    struct states cpu, radio, flash, leds[LEDS];
    struct motet_led led[LEDS];
    size_t led_count;
    bool has_radio, has_flash;
    double more_sent; /* milliamperes times ticks that sending took over what `radio sending` says at 0 dBm */

    struct functions functions;
    struct spent *spent;                /* by function; NULL: not wanted */
    size_t now;                         /* the function it is in; never a passage (functions.h) */
    size_t interrupted[NESTED], nested; /* what is gone back to; the oldest are forgotten */
    uint64_t since, since_cycles;
    bool asleep;
    uint64_t listed;
};

/* ---- components ---- */

/* The current of a state without more about it. */
static double base(const struct energy *x, const char *component, const char *state)
{
    if (strcmp(component, "radio") == 0 && strcmp(state, "sending") == 0)
        return currents_sending(&x->currents, 0);
    const struct current *c = currents_find(&x->currents, component, state);
    return c ? c->milliamps : NAN;
}

static void on_sent(struct energy *x, const struct motet_happened *h)
{
    double more = currents_sending(&x->currents, h->radio.dbm) - currents_sending(&x->currents, 0);
    if (!isnan(more))
        x->more_sent += more * (double)(h->tick - h->radio.begun);
}

static void energy_on_pin(struct energy *x, const motet_node *n, const struct motet_happened *h, uint64_t cycles)
{
    for (size_t i = 0; i < x->led_count; i++)
        if (x->led[i].pin == h->pin.pin)
            states_enter(&x->leds[i], h->tick, cycles, motet_node_led(n, i) ? "on" : "off");
}

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

/* ---- */

/* Called often, so that little is lost where the power is cut. */
static void energy_settle(struct energy *x, uint64_t tick, uint64_t cycles)
{
    states_settle(&x->cpu, tick, cycles);
    states_settle(&x->radio, tick, cycles);
    states_settle(&x->flash, tick, cycles);
    for (size_t i = 0; i < x->led_count; i++)
        states_settle(&x->leds[i], tick, cycles);
}

static void energy_restart(struct energy *x, uint64_t tick, uint64_t cycles)
{
    states_restart(&x->cpu, tick, cycles, "active");
    states_restart(&x->radio, tick, cycles, "off");
    states_restart(&x->flash, tick, cycles, "standby");
    for (size_t i = 0; i < x->led_count; i++)
        states_restart(&x->leds[i], tick, cycles, "off");
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
    bool flow = h->what == MOTET_ON_SLEEP || h->what == MOTET_ON_WAKE || h->what == MOTET_ON_RESET;
    if (states_power_on(h)) {
        energy_restart(x, h->tick, cycles);
        return;
    }
    if (flow)
        energy_settle(x, h->tick, cycles);
    if (flow)
        states_enter(&x->cpu, h->tick, cycles, h->what == MOTET_ON_SLEEP ? motet_node_doing(n, NULL) : "active");
    else if (h->what == MOTET_ON_RADIO_STATE)
        states_enter(&x->radio, h->tick, cycles, states_radio(h->state));
    else if (h->what == MOTET_ON_RADIO_SEND)
        on_sent(x, h);
    else if (h->what == MOTET_ON_PIN)
        energy_on_pin(x, n, h, cycles);
    else if (h->what == MOTET_ON_PART && h->part.doing && strcmp(h->part.name, "flash") == 0)
        states_enter(&x->flash, h->tick, cycles, h->part.doing);
    else
        flow = h->what != MOTET_ON_PART;
    if (x->spent && flow)
        on_flow(x, h, cycles);
}

static void energy_end(void *state)
{
    struct energy *x = state;
    currents_free(&x->currents);
    functions_free(&x->functions);
    free(x->spent);
    free(x);
}

static bool energy_read_table(struct energy *x, struct motet_error *e)
{
    const char *path = monitor_option(x->site, "table"), *board = motet_machine_board(x->site->machine);
    if (path)
        return currents_load(&x->currents, path, e);
    x->table_text = motet_machine_currents(x->site->machine);
    if (!x->table_text)
        return monitor_sentence(e, "there is no table of currents for %s; give one with table=FILE (docs/monitors.md)",
                                board);
    return currents_read(&x->currents, x->table_text, board, e);
}

static void energy_begin(struct energy *x)
{
    const motet_node *n = x->site->node;
    uint64_t tick = motet_node_now(n), cycles = motet_node_cycles(n);
    const char *flash = motet_node_doing(n, "flash");
    x->has_radio = currents_find(&x->currents, "radio", "off") != NULL;
    x->has_flash = flash != NULL;
    states_enter(&x->cpu, tick, cycles, "active");
    states_enter(&x->radio, tick, cycles, "off");
    states_enter(&x->flash, tick, cycles, "standby");
    while (x->led_count < LEDS && motet_machine_led(x->site->machine, x->led_count, &x->led[x->led_count]))
        states_enter(&x->leds[x->led_count++], tick, cycles, "off");
    x->since = tick;
    x->since_cycles = cycles;
    x->now = energy_at(x, motet_node_pc(n), 0);
}

static void *energy_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct energy *x = memory_new(sizeof *x);
    uint32_t what = MOTET_ON(SLEEP) | MOTET_ON(WAKE) | MOTET_ON(RESET) | MOTET_ON(RADIO_STATE) | MOTET_ON(RADIO_SEND) |
                    MOTET_ON(PIN) | MOTET_ON(PART);
    x->site = site;
    x->listed = 10;
    if (!energy_read_table(x, e) || !monitor_number(site, "functions", &x->listed, e)) {
        energy_end(x);
        return NULL;
    }
    functions_make(&x->functions, site->machine);
    energy_begin(x);
    if (x->listed) {
        x->spent = memory_array(x->functions.count + 1, sizeof *x->spent);
        what |= MOTET_ON(CALL) | MOTET_ON(RETURN) | MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT);
    }
    motet_hook(site->node, what, energy_told, x);
    if (x->spent)
        functions_probe(&x->functions, site->node, energy_entered, x);
    return x;
}

static void energy_finish(void *state)
{
    struct energy *x = state;
    uint64_t tick = monitor_now(x->site->node), cycles = monitor_cycles(x->site->node);
    energy_settle(x, tick, cycles);
    if (x->spent)
        ran(x, tick, cycles, x->now);
}

/* ---- adding up ---- */

struct item {
    const char *component, *state;
    double seconds, milliamps; /* on average; NaN if the table does not say */
    double millijoules;
};

struct bill {
    struct item items[3 * STATES + LEDS];
    size_t count;
    double seconds, millijoules;
};

/* Asleep the CPU has no clock; what goes on beside it has the one that the CPU had when it was active. */
static double megahertz(const struct energy *x, struct spent s, double seconds)
{
    double active = monitor_seconds(x->site, x->cpu.ticks[0]);
    double cycles = (double)(s.cycles ? s.cycles : x->cpu.cycles[0]);
    double in = s.cycles ? seconds : active;
    return in > 0 ? cycles / 1e6 / in : 0;
}

static void energy_add(const struct energy *x, struct bill *b, const char *component, const char *state, const char *as,
                       struct spent s)
{
    const struct current *c = currents_find(&x->currents, component, state);
    double seconds = monitor_seconds(x->site, s.ticks), milliamps = base(x, component, state);
    if (c && c->per_mhz)
        milliamps *= megahertz(x, s, seconds);
    if (strcmp(state, "sending") == 0 && s.ticks)
        milliamps += x->more_sent / (double)s.ticks;
    struct item i = {component, as, seconds, milliamps, isnan(milliamps) ? 0 : milliamps * seconds * x->currents.volts};
    b->millijoules += i.millijoules;
    b->items[b->count++] = i;
}

static void add_states(const struct energy *x, struct bill *b, const char *component, const struct states *s)
{
    for (size_t i = 0; i < s->count; i++)
        energy_add(x, b, component, s->names[i], s->names[i], (struct spent){s->ticks[i], s->cycles[i]});
}

static void add_up(const struct energy *x, struct bill *b)
{
    *b = (struct bill){.count = 0};
    for (size_t i = 0; i < x->cpu.count; i++)
        b->seconds += monitor_seconds(x->site, x->cpu.ticks[i]);
    add_states(x, b, "cpu", &x->cpu);
    if (x->has_radio)
        add_states(x, b, "radio", &x->radio);
    if (x->has_flash)
        add_states(x, b, "flash", &x->flash);
    for (size_t i = 0; i < x->led_count; i++)
        energy_add(x, b, "led", x->led[i].name, x->led[i].name,
                   (struct spent){.ticks = states_ticks(&x->leds[i], "on")});
}

static double average(const struct energy *x, const struct bill *b)
{
    return b->seconds > 0 ? b->millijoules / x->currents.volts / b->seconds : 0;
}

/* Days that a battery would last at this rate. */
static double days(const struct energy *x, const struct bill *b)
{
    return average(x, b) > 0 ? x->currents.battery / average(x, b) / 24 : 0;
}

static double energy_of_function(const struct energy *x, size_t function)
{
    const struct current *c = currents_find(&x->currents, "cpu", "active");
    const struct spent *s = &x->spent[function];
    double amount = c && c->per_mhz ? (double)s->cycles / 1e6 : monitor_seconds(x->site, s->ticks);
    return c ? c->milliamps * amount * x->currents.volts : 0;
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

static void write_functions(const struct energy *x, const struct bill *b, FILE *out)
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
    struct bill b;
    add_up(x, &b);
    fprintf(out, "component  state                     seconds         mA             mJ    share\n");
    for (size_t i = 0; i < b.count; i++) {
        const struct item *t = &b.items[i];
        bool first = i == 0 || strcmp(t->component, b.items[i - 1].component) != 0;
        fprintf(out, "%-10s %-20s %12.6f ", first ? t->component : "", t->state, t->seconds);
        if (isnan(t->milliamps))
            fprintf(out, "         ? (not in the table)\n");
        else
            fprintf(out, "%10.5f %14.6f %7.3f%%\n", t->milliamps, t->millijoules,
                    b.millijoules > 0 ? 100 * t->millijoules / b.millijoules : 0);
    }
    fprintf(out, "in all                          %12.6f %10.5f %14.6f\n", b.seconds, average(x, &b), b.millijoules);
    if (x->currents.battery > 0 && average(x, &b) > 0)
        fprintf(out, "a battery of %g mAh lasts %.1f days\n", x->currents.battery, days(x, &b));
    if (x->spent)
        write_functions(x, &b, out);
}

static void energy_write_json(void *state, FILE *out)
{
    const struct energy *x = state;
    struct bill b;
    add_up(x, &b);
    fprintf(out, ", \"volts\": %g, \"seconds\": %.9f, \"millijoules\": %.9g, \"milliamps\": %.9g", x->currents.volts,
            b.seconds, b.millijoules, average(x, &b));
    if (x->currents.battery > 0)
        fprintf(out, ", \"battery_days\": %.9g", days(x, &b));
    fprintf(out, ", \"components\": [");
    for (size_t i = 0; i < b.count; i++) {
        const struct item *t = &b.items[i];
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
    if (x->table_text)
        fputs(x->table_text, out);
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
