/* trace: what happens in all nodes, as a trace for ui.perfetto.dev. A node is a process; main, each interrupt and
 * the radio are its tracks. Packets are arrows from sender to receivers; LEDs and variables are counters. */
#include "export/perfetto.h"
#include "monitor/functions.h"
#include "monitor/handler.h"
#include "monitor/monitor.h"
#include "monitor/sampler.h"

enum { MAIN = 1, INTERRUPTS = 10, LINES = 128, RADIO = 1000, RADIO_STATE = 1001, DEPTH = 32 };

/* Code that runs: main, or a handler, and how many calls deep. */
struct level {
    unsigned track, calls;
};

struct trace {
    const struct monitor_site *site;
    struct perfetto *process;
    struct sampler *sampler;
    struct functions functions;
    bool with_calls;
    bool named[LINES];
    bool radio_named, state_named, in_state, asleep;
    struct level levels[DEPTH]; /* from main to the innermost handler */
    unsigned level, beyond;     /* handlers deeper than there is room for */
};

static uint64_t monitor_trace_time_of(const struct trace *t, uint64_t tick)
{
    return monitor_time(t->site, tick);
}

/* ---- code ---- */

static void end_calls(struct trace *t, uint64_t time)
{
    struct level *l = &t->levels[t->level];
    for (; l->calls; l->calls--)
        perfetto_end(t->process, l->track, time);
}

static const char *handler_name(const struct trace *t, uint32_t entry)
{
    uint32_t handler = handler_behind(t->site->machine, entry);
    return t->functions.list[functions_at(&t->functions, handler)].name;
}

static void on_interrupt(struct trace *t, const struct motet_happened *h)
{
    uint64_t time = monitor_trace_time_of(t, h->tick);
    if (h->what == MOTET_ON_INTERRUPT_EXIT) {
        if (t->beyond) {
            t->beyond--;
        } else if (t->level) {
            end_calls(t, time);
            perfetto_end(t->process, t->levels[t->level--].track, time);
        }
        return;
    }
    if (t->level == DEPTH - 1) {
        t->beyond++;
        return;
    }
    unsigned line = h->interrupt.line < LINES ? h->interrupt.line : LINES - 1, track = INTERRUPTS + line;
    if (!t->named[line]) {
        char name[64];
        snprintf(name, sizeof name, "interrupt %u %.40s", line, h->interrupt.name);
        perfetto_track(t->process, track, name);
        t->named[line] = true;
    }
    t->levels[++t->level] = (struct level){.track = track};
    perfetto_begin(t->process, track, time, handler_name(t, h->interrupt.handler));
}

static void on_call(struct trace *t, const struct motet_happened *h)
{
    struct level *l = &t->levels[t->level];
    if (h->what == MOTET_ON_CALL) {
        l->calls++;
        perfetto_begin(t->process, l->track, monitor_trace_time_of(t, h->tick),
                       t->functions.list[functions_at(&t->functions, h->call.to)].name);
    } else if (l->calls) {
        l->calls--;
        perfetto_end(t->process, l->track, monitor_trace_time_of(t, h->tick));
    }
}

static void on_sleep(struct trace *t, const struct motet_happened *h)
{
    bool asleep = h->what == MOTET_ON_SLEEP;
    unsigned track = t->levels[t->level].track; /* handlers can sleep too */
    if (asleep && !t->asleep)
        perfetto_begin(t->process, track, monitor_trace_time_of(t, h->tick), "asleep");
    else if (!asleep && t->asleep)
        perfetto_end(t->process, track, monitor_trace_time_of(t, h->tick));
    t->asleep = asleep;
}

/* Everything under way ends with a reset. */
static void monitor_trace_on_reset(struct trace *t, const struct motet_happened *h)
{
    uint64_t time = monitor_trace_time_of(t, h->tick);
    if (t->asleep)
        perfetto_end(t->process, t->levels[t->level].track, time);
    t->asleep = false;
    for (; t->level; t->level--) {
        end_calls(t, time);
        perfetto_end(t->process, t->levels[t->level].track, time);
    }
    end_calls(t, time);
    t->beyond = 0;
    char name[64];
    snprintf(name, sizeof name, "reset: %.40s", h->reset);
    perfetto_instant(t->process, MAIN, time, name);
}

/* ---- the rest ---- */

static void monitor_trace_on_radio(struct trace *t, const struct motet_happened *h)
{
    uint64_t from = monitor_trace_time_of(t, h->radio.begun), to = monitor_trace_time_of(t, h->tick);
    char name[80];
    if (!t->radio_named)
        perfetto_track(t->process, RADIO, "radio");
    t->radio_named = true;
    if (h->what == MOTET_ON_RADIO_LOSS) {
        snprintf(name, sizeof name, "lost: %" PRIu32 "/%" PRIu32 " %s", h->radio.sender, h->radio.transmission,
                 motet_loss_name(h->radio.why));
        perfetto_instant(t->process, RADIO, to, name);
        return;
    }
    bool received = h->what == MOTET_ON_RADIO_RECEIVE;
    snprintf(name, sizeof name, received ? "receive %" PRIu32 "/%" PRIu32 : "send %" PRIu32 "/%" PRIu32,
             h->radio.sender, h->radio.transmission);
    perfetto_slice(t->process, RADIO, from, to, name);
    if (received) /* from the middle: where it began is rounded to ticks of each node's own */
        perfetto_flow(t->process, RADIO, to,
                      (struct perfetto_start){h->radio.sender, from + (to - from) / 2, h->radio.transmission});
}

static void on_radio_state(struct trace *t, const struct motet_happened *h)
{
    static const char *const names[] = {NULL, "idle", "listening", "sending", "power-down"};
    if (!t->state_named)
        perfetto_track(t->process, RADIO_STATE, "radio's state");
    t->state_named = true;
    if (t->in_state)
        perfetto_end(t->process, RADIO_STATE, monitor_trace_time_of(t, h->tick));
    t->in_state = h->state != MOTET_RADIO_OFF;
    if (t->in_state)
        perfetto_begin(t->process, RADIO_STATE, monitor_trace_time_of(t, h->tick), names[h->state]);
}

static void monitor_trace_on_pin(struct trace *t, const motet_node *n, const struct motet_happened *h)
{
    struct motet_led led;
    char name[40];
    for (size_t i = 0; motet_machine_led(t->site->machine, i, &led); i++)
        if (led.pin == h->pin.pin) {
            snprintf(name, sizeof name, "led %.30s", led.name);
            perfetto_counter(t->process, monitor_trace_time_of(t, h->tick), name, motet_node_led(n, i));
        }
}

static void monitor_trace_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct trace *t = context;
    switch (h->what) {
    case MOTET_ON_INTERRUPT_ENTRY:
    case MOTET_ON_INTERRUPT_EXIT: on_interrupt(t, h); break;
    case MOTET_ON_CALL:
    case MOTET_ON_RETURN: on_call(t, h); break;
    case MOTET_ON_SLEEP:
    case MOTET_ON_WAKE: on_sleep(t, h); break;
    case MOTET_ON_RADIO_SEND:
    case MOTET_ON_RADIO_RECEIVE:
    case MOTET_ON_RADIO_LOSS: monitor_trace_on_radio(t, h); break;
    case MOTET_ON_RADIO_STATE: on_radio_state(t, h); break;
    case MOTET_ON_PIN: monitor_trace_on_pin(t, n, h); break;
    case MOTET_ON_RESET: monitor_trace_on_reset(t, h); break;
    case MOTET_ON_FAULT:
        perfetto_instant(t->process, MAIN, monitor_trace_time_of(t, h->tick), motet_fault_name(h->fault->kind));
        break;
    default: break;
    }
}

static void on_variable(void *context, size_t number, uint64_t tick, double value)
{
    struct trace *t = context;
    perfetto_counter(t->process, monitor_trace_time_of(t, tick), monitor_option_at(t->site, "variable", number), value);
}

/* ---- attaching and writing ---- */

static void monitor_trace_end(void *state)
{
    struct trace *t = state;
    perfetto_free(t->process);
    sampler_free(t->sampler);
    functions_free(&t->functions);
    free(t);
}

static void *monitor_trace_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct trace *t = memory_new(sizeof *t);
    uint64_t calls = 0;
    char name[80];
    uint32_t what = MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT) | MOTET_ON(SLEEP) | MOTET_ON(WAKE) |
                    MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS) | MOTET_ON(RADIO_STATE) |
                    MOTET_ON(PIN) | MOTET_ON(RESET) | MOTET_ON(FAULT);
    t->site = site;
    t->levels[0].track = MAIN;
    functions_make(&t->functions, site->machine);
    snprintf(name, sizeof name, "node %" PRIu32 " (%.40s)", motet_node_id(site->node),
             motet_machine_board(site->machine));
    t->process = perfetto_new(site->spool, motet_node_id(site->node), name);
    perfetto_track(t->process, MAIN, "main");
    t->sampler = sampler_new(site, "variable", on_variable, t, e);
    if (!t->sampler || !monitor_number(site, "calls", &calls, e)) {
        monitor_trace_end(t);
        return NULL;
    }
    if (calls)
        what |= MOTET_ON(CALL) | MOTET_ON(RETURN);
    motet_hook(site->node, what, monitor_trace_told, t);
    return t;
}

static void monitor_trace_write(void *const *states, size_t count, const char *format, FILE *out)
{
    (void)format;
    struct perfetto **processes = memory_array(count, sizeof(struct perfetto *));
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trace *t = states[i];
        uint64_t now = monitor_trace_time_of(t, motet_node_now(t->site->node));
        processes[i] = t->process;
        last = now > last ? now : last;
    }
    perfetto_write(processes, count, out, last);
    free(processes);
}

static const struct motet_monitor_option options[] = {
    {"calls", "0|1", "1: calls of functions as slices too, which makes large files"},
    {"variable", "EXPRESSION", "the value of a C expression as a counter; can be given many times"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {.name = "perfetto", .about = "JSON for ui.perfetto.dev and chrome://tracing"},
    {.name = NULL},
};

extern const struct monitor monitor_trace;
const struct monitor monitor_trace = {
    .name = "trace",
    .about = "what goes on in all nodes, for ui.perfetto.dev",
    .options = options,
    .formats = formats,
    .attach = monitor_trace_attach,
    .free = monitor_trace_end,
    .together = monitor_trace_write,
};
