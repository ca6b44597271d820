/* motet replay: a log, executed again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "motet/amount.h"
#include "debug.h"
#include "json.h"
#include "motet/log.h"
#include "motet/native.h"
#include "motet/trace.h"
#include "option.h"
#include "pace.h"
#include "parts.h"
#include "replay_network.h"
#include "replay_native.h"
#include "replay_remote.h"
#include "sentence.h"
#include "serial_line.h"
#include "stretch.h"

enum { REPLAY_LOGS = 256 };

struct replay_options {
    struct debug_options debug; /* first: options of `motet debug` are set here */
    uint64_t part;
    const char *time;      /* the firmware's own clock */
    const char *log;       /* the file */
    const char *component; /* the interface log of one, or NULL */
    bool part_given, all, list, native;
    struct replay_native program; /* of --native */
    struct replay_remote remote;  /* of --serial */
};

static bool set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->debug.run.file = text;
    return true;
}

static bool set_id(void *into, const char *text, struct motet_error *e)
{
    struct topology *t = &((struct replay_options *)into)->debug.run.topology;
    t->id_said = true;
    return motet_read_number(text, UINT32_MAX, &t->id, e);
}

static bool set_part(void *into, const char *text, struct motet_error *e)
{
    struct replay_options *o = into;
    o->part_given = true;
    o->all = strcmp(text, "all") == 0;
    return o->all || motet_read_number(text, 65535, &o->part, e);
}

static bool set_time(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->time = text;
    return true;
}

static bool set_list(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct replay_options *)into)->list = true;
}

static bool set_native(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct replay_options *)into)->native = true;
}

static bool set_output(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->program.program.output = text;
    return true;
}

static bool set_sanitize(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->program.program.sanitize = text;
    return true;
}

static bool set_any_order(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct replay_options *)into)->program.program.any_order = true;
}

static bool set_partial(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct replay_options *)into)->program.partial = true;
}

static bool set_keep(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->program.program.keep = text;
    return true;
}

static bool set_serial(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->remote.place = text;
    return true;
}

static bool set_node_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct replay_options *)into)->remote.firmware = text;
    return true;
}

static bool replay_set_baud(void *into, const char *text, struct motet_error *e)
{
    return serial_line_baud(text, &((struct replay_options *)into)->remote.baud, e);
}

static bool replay_set_patience(void *into, const char *text, struct motet_error *e)
{
    struct motet_span s;
    if (!motet_read_time(text, &s, e) || (s.in_ticks && !sentence(e, "give a time such as 30s")))
        return false;
    ((struct replay_options *)into)->remote.patience = s.nanoseconds / 1000000;
    return true;
}

static const struct option options[] = {
    {"elf", "FIRMWARE", "the firmware that wrote the log", set_elf},
    {"board", "BOARD", "the board or chip; by default the chip the firmware was built for", run_set_board},
    {"list", NULL, "prints the parts of the log, how they begin and end, and replays nothing; with --json as JSON",
     set_list},
    {"part", "N",
     "the part of the log to begin with, as --list numbers them. By default it is the first part from which the end of "
     "the log is reached without a gap. all goes through all parts and skips what was lost between them",
     set_part},
    {"id", "N",
     "the id that the recording node had in its network. What motet run sets to it is set: TinyOS's TOS_NODE_ID and "
     "active-message address, the kit's node_id, and %id of --set",
     set_id},
    {"set", "SYMBOL=VALUE", "a variable that the recording node had set when its firmware reached main",
     run_set_variable},
    {"monitor", "NAME[:OPTION=VALUE,...]",
     "watches the replay and prints its findings at the end, as for motet run; motet monitors lists them. May be given "
     "many times",
     run_set_monitor},
    {"plot", "EXPRESSION[,OPTION=VALUE,...]",
     "the value of a C expression each time it changes; with format=svg,file=PATH as a picture", run_set_plot},
    {"script", "FILE", "puts a Lua file's probes, watches and hooks on the replay. May be given many times",
     run_set_script},
    {"time", "EXPRESSION/HZ",
     "the clock for monitors: the firmware's own, a C expression, and how often it counts a second. By default it is "
     "the cycles executed, in which sleep takes no time",
     set_time},
    {"junit", "FILE", "writes each part that was replayed as a test case, in the form of JUnit, which CI servers read",
     run_set_junit},
    {"json", NULL, "prints the outcome as one line of JSON", run_set_json},
    {"native", NULL,
     "makes a program for this computer that lives through the log again, and runs it; with --exec gdb in that "
     "debugger. "
     "A node log must begin with a start of the firmware; an interface log must be one that the node made itself",
     set_native},
    {"output", "FILE", "of --native: writes the program there, and does not run it", set_output},
    {"sanitize", "WHAT", "of --native: address, undefined, or both with a comma", set_sanitize},
    {"any-order", NULL,
     "of --native: makes the program although results may depend on which operand of an expression is evaluated first",
     set_any_order},
    {"partial", NULL, "of --native: makes the program although it leaves the recorded run before the log ends",
     set_partial},
    {"keep", "FOLDER", "of --native: keeps the sources, the events and the code in between there", set_keep},
    {"serial", "PLACE",
     "executes the component of an interface log on a node, over its serial port: a device such as /dev/ttyUSB0, what "
     "motet run --serial PORT=pty prints, or HOST:PORT",
     set_serial},
    {"node-elf", "FIRMWARE", "of --serial: what the node has, built by motet cc --replay-interface", set_node_elf},
    {"baud", "N", "of --serial: the rate of the device, by default 115200; 9600 for TelosB", replay_set_baud},
    {"patience", "TIME", "of --serial: how long to wait for the node to answer, by default 10s", replay_set_patience},
    {NULL, NULL, NULL, NULL},
};

static void tell_json(const motet_node *n, const struct motet_replay *r, size_t part, double seconds)
{
    printf("{\"part\": %zu, \"events\": %" PRIu64 ", \"verified\": %" PRIu64 ", \"interrupts\": %" PRIu64
           ", \"instructions\": %" PRIu64 ", \"cpu_seconds\": %.6f, \"wall_seconds\": %.3f, \"differs\": %s, \"end\": ",
           part, r->events, r->verified, r->interrupts, motet_node_instructions(n),
           (double)motet_node_now(n) / (double)motet_machine_hz(motet_node_machine(n)), seconds,
           r->differs ? "true" : "false");
    json_print(r->how);
    puts("}");
}

static void cli_replay_script_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    (void)context, (void)n, (void)tick;
    fprintf(stderr, "%s\n", line);
}

static bool cli_replay_load(struct stretch *s, struct replay_options *o, const motet_log *l, size_t part,
                            struct motet_error *e)
{
    return o->component ? stretch_load_component(s, &o->debug.run, o->component, e)
                        : stretch_load(s, &o->debug.run, l, part, e);
}

static bool run_to_end(struct stretch *s, struct motet_error *e)
{
    while (motet_node_exit(stretch_node(s)) == MOTET_RUNNING && !attached_over(s->attached)) {
        enum motet_network_end end = motet_network_run(s->network, MOTET_NEVER);
        if (!attached_heed(s->attached, e))
            return false;
        if (end == MOTET_NETWORK_IDLE)
            break;
    }
    return attached_end(s->attached, e);
}

/* To its end, watched by what was asked for. */
static bool go_through(struct stretch *s, struct replay_options *o, struct motet_error *e)
{
    motet_monitors *monitors = o->debug.run.monitors;
    motet_node *n = stretch_node(s);
    double began = pace_clock();
    s->attached = attached_new(&o->debug.run.attachments, e);
    if (!s->attached || (o->time && !motet_monitors_clock(monitors, n, o->time, e)) ||
        !attached_add(s->attached, n, cli_replay_script_said, NULL, e) ||
        !motet_monitors_attach_network(monitors, s->network, e))
        return false;
    /* A recording ends by itself where its node crashed. An interface log knows nothing of what happens inside. */
    for (unsigned i = 0; i < MOTET_FAULT_KINDS && !o->component; i++)
        motet_node_on_fault(n, (enum motet_fault_kind)i, MOTET_FAULT_IGNORE);
    if (!run_to_end(s, e))
        return false;
    s->seconds = pace_clock() - began;
    return true;
}

struct stretches {
    struct stretch *list;
    size_t count;
};

static bool watch_parts(struct stretches *all, struct replay_options *o, const motet_log *l, size_t part,
                        struct motet_error *e)
{
    struct motet_replay r;
    while (part != SIZE_MAX) {
        all->list = cli_one_more(all->list, all->count, sizeof *all->list);
        struct stretch *s = &all->list[all->count++];
        *s = (struct stretch){.machine = NULL};
        if (!cli_replay_load(s, o, l, part, e) || !go_through(s, o, e))
            return false;
        motet_node_replay(stretch_node(s), &r);
        part = o->all ? stretch_part_after(l, r.part) : SIZE_MAX;
    }
    return motet_monitors_write(o->debug.run.monitors, stdout, o->debug.run.json, e);
}

/* A fault in a component, in words; false if there was none. */
static bool cli_replay_explain_crash(const motet_node *n)
{
    char text[4096];
    if (motet_node_exit(n) != MOTET_EXIT_FAULT)
        return false;
    motet_node_explain(n, motet_node_fault(n), text, sizeof text);
    fprintf(stderr, "motet: %s", text);
    return true;
}

/* A part that was replayed as a test case, where --junit was given. */
static void cli_replay_case(const struct replay_options *o, const struct stretch *s, const struct motet_replay *r)
{
    struct junit *j = o->debug.run.junit;
    const motet_node *n = stretch_node(s);
    char text[4096];
    snprintf(text, sizeof text, "part %zu", s->part);
    if (j)
        junit_case(j, o->log, o->component ? "component" : text, s->seconds);
    if (j && motet_node_exit(n) == MOTET_EXIT_FAULT) {
        motet_node_explain(n, motet_node_fault(n), text, sizeof text);
        junit_failure(j, "fault", text);
    } else if (j && r->differs) {
        junit_failure(j, "difference", r->how);
    } else if (j && attached_failed(s->attached)) {
        junit_failure(j, "assertion", "an assertion of a script does not hold");
    }
}

/* How it went: a line of JSON for each stretch, or a sentence for all. Returns the status. */
static int cli_replay_tell(const struct replay_options *o, const struct stretches *all)
{
    uint64_t events = 0, interrupts = 0, instructions = 0;
    struct motet_replay r = {.how = ""};
    int status = 0;
    for (size_t i = 0; i < all->count && status != STATUS_FAULT; i++) {
        const struct stretch *s = &all->list[i];
        motet_node_replay(stretch_node(s), &r);
        if (!r.how[0])
            snprintf(r.how, sizeof r.how, "the node ended by itself after %" PRIu64 " events%s", r.events,
                     r.verified < r.events ? ", the last of which are not verified" : "");
        events += r.events;
        interrupts += r.interrupts;
        instructions += motet_node_instructions(stretch_node(s));
        if (o->debug.run.json)
            tell_json(stretch_node(s), &r, s->part, s->seconds);
        status = (cli_replay_explain_crash(stretch_node(s)) || r.differs) ? STATUS_FAULT
                 : attached_failed(s->attached)                           ? STATUS_FIRMWARE
                                                                          : status;
        cli_replay_case(o, s, &r);
    }
    if (o->debug.run.json)
        return status;
    fprintf(stderr, "motet: replayed %" PRIu64 " events, %" PRIu64 " of them interrupts, in %" PRIu64 " instructions",
            events, interrupts, instructions);
    if (all->count > 1)
        fprintf(stderr, ", in %zu stretches with something lost between them", all->count);
    fprintf(stderr, "; %s\n", r.how);
    return status;
}

static int cli_replay_watch(struct replay_options *o, const motet_log *l, size_t part)
{
    struct motet_error e = {""};
    struct stretches all = {.count = 0};
    int status = watch_parts(&all, o, l, part, &e) ? cli_replay_tell(o, &all) : complain("%s", e.text);
    if (status != STATUS_USAGE && !junit_end(&o->debug.run.junit, "motet replay", &e))
        status = complain("%s", e.text);
    for (size_t i = 0; i < all.count; i++)
        stretch_free(&all.list[i]);
    free(all.list);
    return status;
}

static int cli_replay_debug(struct replay_options *o, const motet_log *l, size_t part)
{
    struct motet_error e = {""};
    struct stretch s = {.machine = NULL};
    int status = !o->all && cli_replay_load(&s, o, l, part, &e) ? debug_network(s.network, &o->debug)
                 : o->all ? complain("a debugger goes through one part of the log; which one? give it with --part N")
                          : complain("%s", e.text);
    stretch_free(&s);
    return status;
}

/* ---- native programs ---- */

/* Whether the firmware notes traces in RAM instead of logs. */
static bool cli_replay_is_trace(const struct replay_options *o)
{
    struct motet_error e = {""};
    motet_machine *m = o->debug.run.file ? motet_machine_load(o->debug.run.file, &o->debug.run.machine, &e) : NULL;
    bool traces = m && motet_machine_traces(m);
    motet_machine_free(m);
    return traces;
}

/* What a program is made of: a part of a log, an interface log, or a trace in a file. */
struct cli_replay_source {
    struct replay_options *o;
    const motet_log *log;
    size_t part;
    const char *trace;
};

static bool cli_replay_make_traced(void *context, const struct motet_native *program, struct motet_error *e)
{
    const struct cli_replay_source *from = context;
    const struct run_options *run = &from->o->debug.run;
    motet_machine *m = motet_machine_load(run->file, &run->machine, e);
    motet_trace *t = m ? motet_trace_load(m, from->trace, e) : NULL;
    bool good = t && motet_trace_native(t, program, e);
    motet_trace_free(t);
    motet_machine_free(m);
    return good;
}

static bool cli_replay_make_native(void *context, const struct motet_native *program, struct motet_error *e)
{
    const struct cli_replay_source *from = context;
    struct stretch s = {.machine = NULL};
    bool good = cli_replay_load(&s, from->o, from->log, from->part, e) && motet_native_replay(s.network, program, e);
    stretch_free(&s);
    return good;
}

static int cli_replay_native(struct replay_options *o, const motet_log *l, size_t part, const char *trace)
{
    struct cli_replay_source from = {o, l, part, trace};
    if (o->all)
        return complain("a native program goes through one part of the log; which one? give it with --part N");
    return replay_native_one(&o->program, o->debug.exec, l != NULL,
                             trace ? cli_replay_make_traced : cli_replay_make_native, &from);
}

static int cli_replay_remote(struct replay_options *o)
{
    struct motet_error e = {""};
    struct stretch s = {.machine = NULL};
    int status = !o->remote.firmware
                     ? complain("which firmware has the node? give it with --node-elf, built by motet cc "
                                "--replay-interface")
                 : cli_replay_load(&s, o, NULL, 0, &e) ? replay_remote(s.network, &o->remote, o->debug.run.json)
                                                       : complain("%s", e.text);
    stretch_free(&s);
    return status;
}

static int replay(struct replay_options *o, const motet_log *l)
{
    size_t part = o->all ? stretch_part_after(l, SIZE_MAX) : o->part_given ? o->part : motet_log_begin(l);
    if (o->native)
        return cli_replay_native(o, l, part, NULL);
    if (o->debug.listen || o->debug.exec || o->debug.face)
        return cli_replay_debug(o, l, part);
    return cli_replay_watch(o, l, part);
}

/* Of one component, from its interface log. */
static int replay_component(struct replay_options *o, const char *file)
{
    if (o->list || o->part_given || o->all)
        return complain("%s is an interface log, which has no parts; --list and --part are for node logs", file);
    if (!o->debug.run.file)
        return complain("which firmware was logged? give it with --elf");
    o->component = file;
    if (o->native)
        return cli_replay_native(o, NULL, 0, NULL);
    if (o->remote.place)
        return cli_replay_remote(o);
    return o->debug.listen || o->debug.exec || o->debug.face ? cli_replay_debug(o, NULL, 0)
                                                             : cli_replay_watch(o, NULL, 0);
}

static int cli_replay_list(const struct replay_options *o, const motet_log *l)
{
    if (o->debug.run.json)
        parts_print_json(l);
    else
        parts_print(l);
    return 0;
}

static int cli_replay_run(const struct verb *v, int argc, char **argv)
{
    struct replay_options o = {.remote = {.baud = 115200, .patience = 10000}};
    struct motet_error e = {""};
    const char *files[REPLAY_LOGS + 1] = {NULL}, *file;
    int status;
    run_options_init(&o.debug.run);
    if (!options_parse(v, argc, argv, &o, files, REPLAY_LOGS, &status)) {
        run_options_free(&o.debug.run);
        return status;
    }
    if (files[1]) {
        status = o.list || o.part_given || o.debug.run.junit ? complain("--list, --part and --junit are about one log")
                 : !o.debug.run.file ? complain("which firmware made the logs? give it with --elf")
                 : o.native          ? replay_native_network(&o.program, &o.debug, o.time, files)
                                     : replay_network(&o.debug, o.time, files);
        run_options_free(&o.debug.run);
        return status;
    }
    file = o.log = files[0];
    if (o.debug.run.junit && (o.list || o.native || o.remote.place || o.debug.listen || o.debug.exec || o.debug.face)) {
        run_options_free(&o.debug.run);
        return complain("--junit is about a replay without a debugger; leave out what does something else");
    }
    if (motet_interface_is_log(file)) {
        status = replay_component(&o, file);
        run_options_free(&o.debug.run);
        return status;
    }
    if (cli_replay_is_trace(&o)) {
        status = o.native
                     ? cli_replay_native(&o, NULL, 0, file)
                     : complain("this firmware notes a trace, which is replayed with --native; motet trace prints it");
        run_options_free(&o.debug.run);
        return status;
    }
    if (o.remote.place) {
        status = complain("%s is no interface log: --serial executes a component of one on a node", file);
        run_options_free(&o.debug.run);
        return status;
    }
    motet_log *l = o.debug.run.file || o.list ? motet_log_load(file, 0, &e) : NULL;
    if (!o.debug.run.file && !o.list)
        status = complain("which firmware made the log? give it with --elf");
    else if (!l)
        status = complain("%s", e.text);
    else
        status = o.list ? cli_replay_list(&o, l) : replay(&o, l);
    motet_log_free(l);
    run_options_free(&o.debug.run);
    return status;
}

static const char *const borrowed[] = {"gdb", "dap", "exec", "line", "tui", "memory", NULL};

extern const struct verb verb_replay;
const struct verb verb_replay = {
    .name = "replay",
    .operands = "LOG [ID:LOG...]",
    .about = "execute a node's log again",
    .more = "Executes the firmware from its start, or from a checkpoint, with all devices off: every value that came "
            "from them and every interrupt is taken from the log. LOG is what motet collect wrote, or a flash memory's "
            "contents. Ends where the log ends. If LOG is an interface log (motet run --log-interface), only the "
            "component that was logged is executed, and everything that it sends out is compared. Several logs, each "
            "ID:LOG with the id of its node, are replayed together in global time (see motet merge); that needs "
            "--time. If execution does not fit the log, it stops, prints both sides, and "
            "returns 1.",
    .options = options,
    .lent = debug_options,
    .borrowed = borrowed,
    .run = cli_replay_run,
};
