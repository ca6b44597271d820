/* timing: how long it takes from one place in the code to another, each time. */
#include "monitor/distribution.h"
#include "monitor/functions.h"
#include "monitor/monitor.h"

enum { PLACES = 256 };

struct target {
    struct timing *timing;
    const char *name;
    uint32_t address;
    uint64_t reached; /* the start with this number has been followed to here */
    struct distribution distribution;
};

struct timing {
    struct monitor_site site;
    struct functions functions;
    const char *from;
    bool cycles; /* rather than ticks */
    bool under_way;
    uint64_t began, starts;
    struct target *targets;
    size_t target_count;
};

static uint64_t timing_now(const struct timing *t, const motet_node *n)
{
    return t->cycles ? motet_node_cycles(n) : motet_node_now(n);
}

static void timing_started(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct timing *t = context;
    (void)pc, (void)after;
    t->began = timing_now(t, n);
    t->starts++;
    t->under_way = true;
}

/* To one place: what is under way ends there. */
static void timing_arrived(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct target *target = context;
    struct timing *t = target->timing;
    (void)pc, (void)after;
    if (t->under_way)
        distribution_add(&target->distribution, timing_now(t, n) - t->began);
    t->under_way = false;
}

/* To anywhere: the first time at each place since the last start. */
static void passed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct target *target = context;
    struct timing *t = target->timing;
    (void)pc, (void)after;
    if (!t->starts || target->reached == t->starts)
        return;
    target->reached = t->starts;
    distribution_add(&target->distribution, timing_now(t, n) - t->began);
}

static void to_everywhere(struct timing *t, uint32_t from)
{
    t->targets = memory_array(t->functions.count, sizeof *t->targets);
    for (size_t i = 1; i < t->functions.count; i++) {
        const struct function *f = &t->functions.list[i];
        struct target *target = &t->targets[t->target_count];
        if (f->address == from)
            continue;
        *target = (struct target){.timing = t, .name = f->name, .address = f->address};
        t->target_count++;
        motet_probe(t->site.node, f->address, f->address, MOTET_BEFORE, passed, target);
    }
}

static bool timing_set_up(struct timing *t, struct motet_error *e)
{
    const char *to = monitor_option(&t->site, "to"), *unit = monitor_option(&t->site, "unit");
    uint32_t from[PLACES], at[PLACES];
    t->from = monitor_option(&t->site, "from");
    if (!t->from)
        return monitor_sentence(e, "say where to start, such as from=send");
    if (unit && strcmp(unit, "cycles") != 0 && strcmp(unit, "ticks") != 0)
        return monitor_sentence(e, "unit=%.40s: choose cycles or ticks", unit);
    t->cycles = !unit || strcmp(unit, "cycles") == 0;
    size_t starts = motet_machine_find(t->site.machine, t->from, from, PLACES, e);
    size_t ends = starts && to ? motet_machine_find(t->site.machine, to, at, PLACES, e) : 0;
    if (!starts || (to && !ends))
        return false;
    if (starts > PLACES || ends > PLACES)
        return monitor_sentence(e, "%.80s is in more than %d places; choose one", starts > PLACES ? t->from : to,
                                PLACES);
    /* The ends first: an instruction that is both ends one and starts the next. */
    if (to) {
        t->targets = memory_new(sizeof *t->targets);
        t->targets[0] = (struct target){.timing = t, .name = to, .address = at[0]};
        t->target_count = 1;
        for (size_t i = 0; i < ends; i++)
            motet_probe(t->site.node, at[i], at[i], MOTET_BEFORE, timing_arrived, t->targets);
    } else {
        to_everywhere(t, from[0]);
    }
    for (size_t i = 0; i < starts; i++)
        motet_probe(t->site.node, from[i], from[i], MOTET_BEFORE, timing_started, t);
    return true;
}

static void timing_end(void *state)
{
    struct timing *t = state;
    for (size_t i = 0; i < t->target_count; i++)
        distribution_free(&t->targets[i].distribution);
    functions_free(&t->functions);
    free(t->targets);
    free(t);
}

static void *timing_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct timing *t = memory_new(sizeof *t);
    t->site = *site;
    functions_make(&t->functions, site->machine);
    if (timing_set_up(t, e))
        return t;
    timing_end(t);
    return NULL;
}

static void timing_write_text(void *state, FILE *out)
{
    struct timing *t = state;
    fprintf(out, "from %s, %" PRIu64 " times, in %s\n", t->from, t->starts, t->cycles ? "cycles" : "ticks");
    for (size_t i = 0; i < t->target_count; i++) {
        struct target *target = &t->targets[i];
        if (!target->distribution.count && t->target_count > 1)
            continue;
        fprintf(out, "to %s: ", target->name);
        distribution_line(&target->distribution, out);
        fprintf(out, "\n");
        if (t->target_count == 1)
            distribution_bars(&target->distribution, "  ", out);
    }
}

static void timing_write_json(void *state, FILE *out)
{
    struct timing *t = state;
    const char *comma = "";
    fprintf(out, ", \"from\": ");
    monitor_json_string(out, t->from);
    fprintf(out, ", \"starts\": %" PRIu64 ", \"unit\": \"%s\", \"hz\": %" PRIu64 ", \"to\": [", t->starts,
            t->cycles ? "cycles" : "ticks", motet_machine_hz(t->site.machine));
    for (size_t i = 0; i < t->target_count; i++) {
        struct target *target = &t->targets[i];
        if (!target->distribution.count && t->target_count > 1)
            continue;
        fprintf(out, "%s{\"place\": ", comma);
        monitor_json_string(out, target->name);
        fprintf(out, ", \"distribution\": ");
        distribution_json(&target->distribution, out);
        fprintf(out, "}");
        comma = ", ";
    }
    fprintf(out, "]");
}

/* To one place; to anywhere, the place that was reached most often. */
static void timing_write_svg(void *state, FILE *out)
{
    struct timing *t = state;
    struct target *best = &t->targets[0];
    char title[256];
    for (size_t i = 1; i < t->target_count; i++)
        if (t->targets[i].distribution.count > best->distribution.count)
            best = &t->targets[i];
    snprintf(title, sizeof title, "node %" PRIu32 ": %.100s to %.100s", motet_node_id(t->site.node), t->from,
             best->name);
    distribution_svg(&best->distribution, title, t->cycles ? "cycles" : "ticks", out);
}

static const struct motet_monitor_option options[] = {
    {"from", "PLACE", "where to start: a function, function+0x12, file.c:line, 0x1234"},
    {"to", "PLACE", "where to end; without it, at the beginning of every function"},
    {"unit", "UNIT", "cycles (the default) are counted while the CPU is awake, ticks always"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "count, least, mean, most, percentiles and a histogram", timing_write_text, false},
    {"json", "the same for machines, with every value", timing_write_json, false},
    {"svg", "a picture of the histogram", timing_write_svg, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_timing;
const struct monitor monitor_timing = {
    .name = "timing",
    .about = "how long it takes from one place in the code to another, or to anywhere",
    .options = options,
    .formats = formats,
    .attach = timing_attach,
    .free = timing_end,
};
