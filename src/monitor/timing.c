/* timing: how long it takes from one place in the code to another, each time; or how much energy. */
#include "monitor/distribution.h"
#include "monitor/functions.h"
#include "monitor/meter.h"
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
    enum timing_unit { TIMING_CYCLES, TIMING_TICKS, TIMING_MICROJOULES } unit;
    motet_meter *meter; /* of energy, or NULL */
    char *names;        /* of lines, one after the other */
    size_t names_size, names_room;
    bool under_way;
    uint64_t began, starts;
    struct target *targets;
    size_t target_count;
};

static uint64_t timing_now(const struct timing *t, const motet_node *n)
{
    if (t->unit == TIMING_MICROJOULES)
        return (uint64_t)(motet_meter_millijoules(t->meter) * 1e6); /* in nanojoules */
    return t->unit == TIMING_CYCLES ? motet_node_cycles(n) : motet_node_now(n);
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

static const char *const timing_units[] = {"cycles", "ticks", "uJ"};

static struct target timing_target(struct timing *t, const char *name, uint32_t address)
{
    struct target target = {.timing = t, .name = name, .address = address};
    target.distribution.decimals = t->unit == TIMING_MICROJOULES ? 3 : 0;
    return target;
}

/* ---- to every line ---- */

struct timing_line {
    const char *file;
    unsigned line;
    uint32_t address;
    size_t name; /* where it begins in `names` */
};

static int timing_compare(const void *a, const void *b)
{
    const struct timing_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    if (files)
        return files;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Where the code of lines begins: at each instruction that is of another line than the one before. */
static struct timing_line *timing_lines(const struct timing *t, size_t *count)
{
    struct timing_line *lines = NULL;
    size_t room = 0;
    struct motet_instruction i;
    const char *file = NULL;
    unsigned line = 0;
    *count = 0;
    for (uint32_t at = 0; motet_machine_instruction(t->site.machine, at, &i); at += i.size) {
        bool begins = i.kind == MOTET_CODE_INSTRUCTION && i.file && i.line && (i.file != file || i.line != line);
        file = i.file;
        line = i.line;
        if (!begins)
            continue;
        lines = memory_grow(lines, &room, *count, sizeof *lines);
        lines[(*count)++] = (struct timing_line){i.file, i.line, at, 0};
    }
    if (*count)
        qsort(lines, *count, sizeof *lines, timing_compare);
    return lines;
}

static size_t timing_name_line(struct timing *t, const struct timing_line *l)
{
    char text[256];
    const char *slash = strrchr(l->file, '/');
    size_t at = t->names_size;
    int length = snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : l->file, l->line);
    for (int i = 0; i <= length && i < (int)sizeof text; i++) {
        t->names = memory_grow(t->names, &t->names_room, t->names_size, 1);
        t->names[t->names_size++] = i == length ? 0 : text[i];
    }
    return at;
}

/* One target for each line, with all places that its code begins at. */
static bool timing_to_lines(struct timing *t, struct motet_error *e)
{
    size_t count;
    struct timing_line *lines = timing_lines(t, &count);
    if (!count)
        return monitor_sentence(e, "to=lines: the firmware's file has no lines; build it with -g");
    t->targets = memory_array(count, sizeof *t->targets);
    for (size_t i = 0; i < count; i++) {
        bool same = i && strcmp(lines[i].file, lines[i - 1].file) == 0 && lines[i].line == lines[i - 1].line;
        lines[i].name = same ? lines[i - 1].name : timing_name_line(t, &lines[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (!i || lines[i].name != lines[i - 1].name)
            t->targets[t->target_count++] = timing_target(t, t->names + lines[i].name, lines[i].address);
        motet_probe(t->site.node, lines[i].address, lines[i].address, MOTET_BEFORE, passed,
                    &t->targets[t->target_count - 1]);
    }
    free(lines);
    return true;
}

static void to_everywhere(struct timing *t, uint32_t from)
{
    t->targets = memory_array(t->functions.count, sizeof *t->targets);
    for (size_t i = 1; i < t->functions.count; i++) {
        const struct function *f = &t->functions.list[i];
        struct target *target = &t->targets[t->target_count];
        if (f->address == from)
            continue;
        *target = timing_target(t, f->name, f->address);
        t->target_count++;
        motet_probe(t->site.node, f->address, f->address, MOTET_BEFORE, passed, target);
    }
}

static bool timing_choose_unit(struct timing *t, struct motet_error *e)
{
    const char *unit = monitor_option(&t->site, "unit");
    for (unsigned i = 0; unit && i < sizeof timing_units / sizeof *timing_units; i++)
        if (strcmp(unit, timing_units[i]) == 0) {
            t->unit = (enum timing_unit)i;
            unit = NULL;
        }
    if (unit)
        return monitor_sentence(e, "unit=%.40s: choose cycles, ticks or uJ", unit);
    if (t->unit == TIMING_MICROJOULES)
        t->meter = motet_meter_new(t->site.node, monitor_option(&t->site, "table"), e);
    return t->unit != TIMING_MICROJOULES || t->meter;
}

static bool timing_set_up(struct timing *t, struct motet_error *e)
{
    const char *to = monitor_option(&t->site, "to");
    bool lines = to && strcmp(to, "lines") == 0;
    uint32_t from[PLACES], at[PLACES];
    to = lines ? NULL : to;
    t->from = monitor_option(&t->site, "from");
    if (!t->from)
        return monitor_sentence(e, "say where to start, such as from=send");
    if (!timing_choose_unit(t, e))
        return false;
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
        t->targets[0] = timing_target(t, to, at[0]);
        t->target_count = 1;
        for (size_t i = 0; i < ends; i++)
            motet_probe(t->site.node, at[i], at[i], MOTET_BEFORE, timing_arrived, t->targets);
    } else if (!lines) {
        to_everywhere(t, from[0]);
    } else if (!timing_to_lines(t, e)) {
        return false;
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
    meter_drop(t->meter);
    free(t->names);
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
    motet_meter_free(t->meter);
    t->meter = NULL;
    timing_end(t);
    return NULL;
}

static void timing_write_text(void *state, FILE *out)
{
    struct timing *t = state;
    fprintf(out, "from %s, %" PRIu64 " times, in %s\n", t->from, t->starts, timing_units[t->unit]);
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
            timing_units[t->unit], motet_machine_hz(t->site.machine));
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
    distribution_svg(&best->distribution, title, timing_units[t->unit], out);
}

static const struct motet_monitor_option options[] = {
    {"from", "PLACE", "where to start: a function, function+0x12, file.c:line, 0x1234"},
    {"to", "PLACE", "where to end; without it, at the beginning of every function; `lines`, at every line of source"},
    {"unit", "UNIT", "cycles (the default) are counted while the CPU is awake, ticks always; uJ is energy"},
    {"table", "FILE", "with unit=uJ: currents of the board's components, in place of the built-in ones"},
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
