/* motet replay: a log, executed again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "amount.h"
#include "debug.h"
#include "json.h"
#include "motet/record.h"
#include "option.h"
#include "sentence.h"
#include "topology.h"

struct replay_options {
    struct debug_options debug; /* first: options of `motet debug` are set here */
    uint64_t part;
    const char *time; /* the firmware's own clock */
    bool part_given, json;
};

static bool set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->debug.run.file = text;
    return true;
}

static bool set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->debug.run.machine.board = text;
    return true;
}

static bool set_part(void *into, const char *text, struct motet_error *e)
{
    struct replay_options *o = into;
    o->part_given = true;
    return amount_number(text, 65535, &o->part, e);
}

static bool set_time(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->time = text;
    return true;
}

static bool set_variable(void *into, const char *text, struct motet_error *e)
{
    return topology_variable(&((struct replay_options *)into)->debug.run.topology, text, e);
}

static bool set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct replay_options *)into)->json = true;
}

static const struct option options[] = {
    {"elf", "FIRMWARE", "the firmware that made the log", set_elf},
    {"board", "BOARD", "the board or chip; by default the chip the firmware was built for", set_board},
    {"part", "N", "the part of the log, as motet collect lists them; by default the last that can be used", set_part},
    {"set", "SYMBOL=VALUE", "a variable that the recording node had set when its firmware came to main", set_variable},
    {"monitor", "NAME[:OPTION=VALUE,...]",
     "watches the replay and says at the end what it found, as for motet run; motet monitors lists them. May be given "
     "many times",
     run_set_monitor},
    {"plot", "EXPRESSION[,OPTION=VALUE,...]",
     "the value of a C expression each time it changes; with format=svg,file=PATH as a picture", run_set_plot},
    {"script", "FILE", "puts a Lua file's probes, watches and hooks on the replay. May be given many times",
     run_set_script},
    {"time", "EXPRESSION/HZ",
     "what monitors take for the time: the firmware's own clock, a C expression, and how often it counts a second. "
     "Without it they have the cycles executed, in which sleep takes no time",
     set_time},
    {"json", NULL, "prints how it went as one line of JSON", set_json},
    {NULL, NULL, NULL, NULL},
};

static size_t last_part(const motet_log *l)
{
    struct motet_log_part p;
    size_t last = 0;
    for (size_t i = 0; motet_log_part(l, i, &p); i++)
        if (p.pages)
            last = i;
    return last;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int summarise(const struct replay_options *o, const motet_node *n, size_t part, double seconds)
{
    struct motet_replay r;
    motet_node_replay(n, &r);
    if (!r.how[0])
        snprintf(r.how, sizeof r.how, "the node ended by itself after %" PRIu64 " events", r.events);
    if (o->json) {
        printf("{\"part\": %zu, \"events\": %" PRIu64 ", \"interrupts\": %" PRIu64 ", \"instructions\": %" PRIu64
               ", \"cpu_seconds\": %.6f, \"wall_seconds\": %.3f, \"differs\": %s, \"end\": ",
               part, r.events, r.interrupts, motet_node_instructions(n),
               (double)motet_node_now(n) / (double)motet_machine_hz(motet_node_machine(n)), seconds,
               r.differs ? "true" : "false");
        json_string(r.how);
        puts("}");
    } else {
        fprintf(stderr,
                "motet: replayed %" PRIu64 " events, %" PRIu64 " of them interrupts, in %" PRIu64 " instructions; %s\n",
                r.events, r.interrupts, motet_node_instructions(n), r.how);
    }
    return r.differs ? STATUS_FAULT : 0;
}

static void script_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    (void)context, (void)n, (void)tick;
    fprintf(stderr, "%s\n", line);
}

static bool run_to_end(motet_node *n, struct attached *a, struct motet_error *e)
{
    enum motet_exit exit = MOTET_RUNNING;
    while ((exit == MOTET_RUNNING || exit == MOTET_STOPPED) && !attached_over(a)) {
        exit = motet_node_run(n, MOTET_NEVER);
        if (!attached_good(a, e))
            return false;
    }
    return attached_end(a, e);
}

/* From the start to the end of the log, watched by what was asked for. */
static int watch(struct replay_options *o, motet_node *n, size_t part)
{
    struct motet_error e = {""};
    motet_monitors *monitors = o->debug.run.monitors;
    struct attached *a = attached_new(&o->debug.run.attachments, &e);
    double began = wall();
    bool good = a && (!o->time || motet_monitors_clock(monitors, n, o->time, &e)) &&
                attached_add(a, n, script_said, NULL, &e) && motet_monitors_attach(monitors, n, &e);
    for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++)
        motet_node_on_fault(n, (enum motet_fault_kind)i, MOTET_FAULT_IGNORE);
    good = good && run_to_end(n, a, &e) && motet_monitors_write(monitors, stdout, o->json, &e);
    int status = !good ? complain("%s", e.text) : summarise(o, n, part, wall() - began);
    if (!status && attached_failed(a))
        status = STATUS_FIRMWARE;
    attached_free_scripts(a);
    motet_node_free(n);
    attached_free(a);
    return status;
}

static int replay(struct replay_options *o, const motet_log *l)
{
    struct motet_error e = {""};
    size_t part = o->part_given ? o->part : last_part(l);
    motet_machine *m = motet_replay_load(o->debug.run.file, &o->debug.run.machine, l, part, &e);
    if (!m)
        return complain("%s", e.text);
    motet_node *n = motet_node_new(m, 0, 0);
    int status;
    if (!topology_set(&o->debug.run.topology, n, &e)) {
        status = complain("--set: %s", e.text);
    } else if (o->debug.listen || o->debug.exec || o->debug.face) {
        status = debug_node(n, &o->debug);
    } else {
        status = watch(o, n, part);
        n = NULL;
    }
    motet_node_free(n);
    motet_machine_free(m);
    return status;
}

static void end(struct replay_options *o)
{
    topology_free(&o->debug.run.topology);
    attachments_free(&o->debug.run.attachments);
    motet_monitors_free(o->debug.run.monitors);
}

static int run(const struct verb *v, int argc, char **argv)
{
    struct replay_options o = {.debug.run = {.machine = MOTET_OPTIONS_DEFAULT, .monitors = motet_monitors_new()}};
    struct motet_error e = {""};
    const char *file;
    int status;
    topology_init(&o.debug.run.topology);
    if (!options_parse(v, argc, argv, &o, &file, 1, &status)) {
        end(&o);
        return status;
    }
    motet_log *l = o.debug.run.file ? motet_log_load(file, 0, &e) : NULL;
    if (!o.debug.run.file)
        status = complain("which firmware made the log? give it with --elf");
    else if (!l)
        status = complain("%s", e.text);
    else
        status = replay(&o, l);
    motet_log_free(l);
    end(&o);
    return status;
}

static const char *const borrowed[] = {"gdb", "exec", "line", "tui", "memory", NULL};

extern const struct verb verb_replay;
const struct verb verb_replay = {
    .name = "replay",
    .operands = "LOG",
    .about = "execute again what a node recorded",
    .more =
        "Executes the firmware from its start with all devices off: every value that came from them and every "
        "interrupt is taken from the log. LOG is what motet collect wrote, or a flash memory's contents. Ends where "
        "the log ends; if execution does not fit the log it stops there, says what each side has, and returns 1.",
    .options = options,
    .lent = debug_options,
    .borrowed = borrowed,
    .run = run,
};
