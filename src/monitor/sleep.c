/* sleep: how long the CPU was active and in which modes it slept, and how long the radio was on, listened and sent. */
#include "monitor/states.h"

struct duty {
    const struct monitor_site *site;
    struct states cpu, radio;
    bool has_radio;
    uint64_t woken, awake_longest, wakes; /* the tick it woke up at */
    uint64_t slept, asleep_longest;
};

static void fell_asleep(struct duty *d, uint64_t tick)
{
    uint64_t awake = tick - d->woken;
    d->awake_longest = awake > d->awake_longest ? awake : d->awake_longest;
    d->slept = tick;
}

static void woke_up(struct duty *d, uint64_t tick)
{
    uint64_t asleep = tick - d->slept;
    d->asleep_longest = asleep > d->asleep_longest ? asleep : d->asleep_longest;
    d->woken = tick;
    d->wakes++;
}

static bool is_active(const struct duty *d)
{
    return strcmp(d->cpu.names[d->cpu.now], "active") == 0;
}

static void monitor_sleep_restart(struct duty *d, uint64_t tick, uint64_t cycles)
{
    d->woken = tick;
    states_restart(&d->cpu, tick, cycles, "active");
    states_restart(&d->radio, tick, cycles, "off");
}

static void monitor_sleep_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct duty *d = context;
    uint64_t cycles = motet_node_cycles(n);
    bool active = is_active(d);
    if (states_power_on(h)) {
        monitor_sleep_restart(d, h->tick, cycles);
        return;
    }
    states_settle(&d->radio, h->tick, cycles);
    switch (h->what) {
    case MOTET_ON_SLEEP:
        if (active)
            fell_asleep(d, h->tick);
        states_enter(&d->cpu, h->tick, cycles, motet_node_doing(n, NULL));
        break;
    case MOTET_ON_WAKE:
    case MOTET_ON_RESET: /* which also ends sleep */
        if (!active)
            woke_up(d, h->tick);
        states_enter(&d->cpu, h->tick, cycles, "active");
        break;
    default:
        d->has_radio = true;
        states_enter(&d->radio, h->tick, cycles, states_radio(h->state));
        break;
    }
}

static void *monitor_sleep_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct duty *d = memory_new(sizeof *d);
    uint64_t now = motet_node_now(site->node), cycles = motet_node_cycles(site->node);
    (void)e;
    d->site = site;
    d->woken = now;
    states_enter(&d->cpu, now, cycles, "active");
    states_enter(&d->radio, now, cycles, "off");
    motet_hook(site->node, MOTET_ON(SLEEP) | MOTET_ON(WAKE) | MOTET_ON(RESET) | MOTET_ON(RADIO_STATE),
               monitor_sleep_told, d);
    return d;
}

static void monitor_sleep_finish(void *state)
{
    struct duty *d = state;
    uint64_t now = monitor_now(d->site->node), cycles = monitor_cycles(d->site->node);
    states_settle(&d->cpu, now, cycles);
    states_settle(&d->radio, now, cycles);
}

/* ---- forms ---- */

static uint64_t monitor_sleep_whole(const struct states *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->ticks[i];
    return sum ? sum : 1;
}

static void write_states(const struct duty *d, const char *of, const struct states *s, FILE *out)
{
    for (size_t i = 0; i < s->count; i++)
        fprintf(out, "%-6s %-20s %14.6f s %9.4f%%\n", i ? "" : of, s->names[i], monitor_seconds(d->site, s->ticks[i]),
                100.0 * (double)s->ticks[i] / (double)monitor_sleep_whole(s));
}

static void monitor_sleep_write_text(void *state, FILE *out)
{
    const struct duty *d = state;
    write_states(d, "cpu", &d->cpu, out);
    fprintf(out, "       woken %" PRIu64 " times; active at most %.6f s on end, asleep %.6f s\n", d->wakes,
            monitor_seconds(d->site, d->awake_longest), monitor_seconds(d->site, d->asleep_longest));
    if (d->has_radio)
        write_states(d, "radio", &d->radio, out);
}

static void write_json_states(const struct duty *d, const char *of, const struct states *s, FILE *out)
{
    fprintf(out, ", \"%s\": {", of);
    for (size_t i = 0; i < s->count; i++)
        fprintf(out, "%s\"%s\": {\"seconds\": %.9f, \"share\": %.9f, \"entries\": %" PRIu64 "}", i ? ", " : "",
                s->names[i], monitor_seconds(d->site, s->ticks[i]),
                (double)s->ticks[i] / (double)monitor_sleep_whole(s), s->entries[i]);
    fprintf(out, "}");
}

static void monitor_sleep_write_json(void *state, FILE *out)
{
    const struct duty *d = state;
    write_json_states(d, "cpu", &d->cpu, out);
    write_json_states(d, "radio", &d->radio, out);
    fprintf(out, ", \"wakes\": %" PRIu64 ", \"longest_active\": %.9f, \"longest_asleep\": %.9f", d->wakes,
            monitor_seconds(d->site, d->awake_longest), monitor_seconds(d->site, d->asleep_longest));
}

static const struct monitor_format formats[] = {
    {.name = "text", .about = "a table", .write = monitor_sleep_write_text},
    {.name = "json", .about = "seconds and shares of each state", .write = monitor_sleep_write_json},
    {.name = NULL},
};

extern const struct monitor monitor_sleep;
const struct monitor monitor_sleep = {
    .name = "sleep",
    .about = "how long the CPU was active and asleep in which mode, and the radio on",
    .formats = formats,
    .attach = monitor_sleep_attach,
    .finish = monitor_sleep_finish,
};
