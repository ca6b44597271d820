/* motet debug: firmware on one node or many under a debugger, forward and backward. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "motet/amount.h"
#include "dap.h"
#include "debug.h"
#include "face.h"
#include "launch.h"
#include "memory.h"
#include "option.h"
#include "sentence.h"
#include "stage.h"

/* ---- options ---- */

static bool debug_set_place(struct debug_options *o, const char *text, struct motet_error *e)
{
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (!colon || (size_t)(colon - text) >= sizeof o->host)
        return sentence(e, "'%s' is not [HOST]:PORT, such as :1234", text);
    if (!motet_read_number(colon + 1, 65535, &port, e))
        return false;
    memcpy(o->host, text, (size_t)(colon - text));
    o->host[colon - text] = 0;
    o->port = (unsigned)port;
    return o->listen = true;
}

static bool set_gdb(void *into, const char *text, struct motet_error *e)
{
    return debug_set_place(into, text, e);
}

static bool set_dap(void *into, const char *text, struct motet_error *e)
{
    struct debug_options *o = into;
    o->face = FACE_ADAPTER;
    o->listen = false;
    return strcmp(text, "-") == 0 || debug_set_place(o, text, e);
}

static bool set_exec(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct debug_options *)into)->exec = text;
    return true;
}

static bool set_memory(void *into, const char *text, struct motet_error *e)
{
    return motet_read_number(text, 1 << 20, &((struct debug_options *)into)->megabytes, e);
}

static bool set_line(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    ((struct debug_options *)into)->face = FACE_LINES;
    return true;
}

static bool set_tui(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    ((struct debug_options *)into)->face = FACE_PANES;
    return true;
}

const struct option debug_options[] = {
    {"gdb", "[HOST]:PORT",
     "waits there for a debugger instead of starting one. Without HOST it listens on this machine only; port 0 is any "
     "free port",
     set_gdb},
    {"exec", "COMMAND",
     "the debugger to start, as a shell would. Options that load the firmware and connect are added. On a terminal the "
     "default is the debugger for the firmware's processor",
     set_exec},
    {"line", NULL,
     "Motet's own debugger, by lines on standard input. This is the default without a terminal, or without a gdb for "
     "the firmware's processor",
     set_line},
    {"tui", NULL, "Motet's own debugger on the whole terminal: source, variables, call stack, nodes and packets",
     set_tui},
    {"dap", "[HOST]:PORT",
     "waits there for an editor that attaches by the Debug Adapter Protocol (see motet dap). If it detaches, the next "
     "one goes on from there; - is standard input and output",
     set_dap},
    {"memory", "MEGABYTES", "for snapshots to go back to, 256 by default", set_memory},
    {NULL, NULL, NULL, NULL},
};

/* ---- what is debugged ---- */

struct debugged {
    struct stage stage;
    struct debug_options *o;
    motet_saved_run *saved; /* the network is of this one, or NULL */
    uint64_t start;         /* where to begin, of a saved run */
};

/* ---- actors: the scenario, stimuli and ports, each at its times ---- */

static uint64_t debug_next_change(struct stage *s)
{
    show_pending(s, false);
    if (s->scenario)
        return motet_scenario_over(s->scenario) ? MOTET_NEVER : motet_scenario_next(s->scenario);
    return stimuli_next(s->stimuli);
}

static uint64_t debug_next(void *context)
{
    struct stage *s = context;
    uint64_t port = ports_next(s->ports), change = debug_next_change(s);
    return s->broken ? MOTET_NEVER : port < change ? port : change;
}

static void debug_act(void *context)
{
    struct stage *s = context;
    uint64_t now = motet_network_now(s->network);
    bool due = debug_next_change(s) <= now;
    if (ports_next(s->ports) <= now)
        s->broken = !ports_give(s->ports, &s->error);
    if (!due || s->broken)
        return;
    if (s->scenario)
        s->broken = !motet_scenario_act(s->scenario, &s->error);
    else
        stimuli_apply(s->stimuli);
}

static struct motet_debug_options debug_how(struct debugged *d)
{
    return (struct motet_debug_options){
        .memory = (size_t)d->o->megabytes << 20, .until = d->stage.until, .actor = {&d->stage, debug_next, debug_act}};
}

/* ---- a debugger that connects ---- */

static int debug_serve(struct debugged *d, int listener, struct launched *l)
{
    struct stage *s = &d->stage;
    struct motet_debug_options how = debug_how(d);
    int connection = launch_accept(listener, l);
    if (connection < 0)
        return 0;
    motet_debugger *debugger = d->saved ? motet_debugger_of_saved_run(d->saved, how.memory, d->start)
                                        : motet_debugger_of_network(s->network, &how);
    motet_debugger_serve(debugger, connection);
    motet_debugger_free(debugger);
    show_pending(s, true);
    fflush(stdout);
    close(connection);
    s->broken |= !ports_close(s->ports, &s->error);
    return s->broken ? complain("%s", s->error.text) : 0;
}

/* The first node's, since a debugger knows one instruction set. */
static const char *debug_usual(const struct stage *s, const char **package)
{
    return motet_machine_debugger(motet_node_machine(motet_network_at(s->network, 0)), package);
}

/* ---- our own debugger ---- */

static void debug_flush(void *context)
{
    show_pending(context, true);
}

static int debug_ourselves(struct debugged *d, enum debug_face which)
{
    struct stage *s = &d->stage;
    struct motet_debug_options how = debug_how(d);
    struct face face = {.flush = debug_flush, .context = s, .panes = which == FACE_PANES};
    struct motet_session_face shown = face_of(&face);
    motet_session *session = d->saved ? motet_session_saved_run(d->saved, how.memory, &shown)
                                      : motet_session_network(s->network, &how, &shown);
    if (d->start)
        motet_session_seek(session, d->start);
    int status = which == FACE_PANES ? face_panes(&face, session) : face_lines(&face, session);
    motet_session_free(session);
    free(face.output);
    return status ? status : s->broken ? complain("%s", s->error.text) : 0;
}

/* ---- an editor ---- */

static void debug_flush_adapter(void *context, motet_dap_client *c, bool standing)
{
    show_pending(context, standing);
    dap_show(c);
}

static int debug_adapter(struct debugged *d)
{
    struct stage *s = &d->stage;
    struct motet_dap_options how = {.debug = debug_how(d), .context = s, .flush = debug_flush_adapter};
    motet_dap *a = d->saved ? motet_dap_of_saved_run(d->saved, &how, d->start) : motet_dap_of_network(s->network, &how);
    int status = dap_serve(a, d->o);
    motet_dap_free(a);
    return status ? status : s->broken ? complain("%s", s->error.text) : 0;
}

/* Motet's own debugger is used without a terminal, or without another debugger. */
static enum debug_face debug_face_for(const struct debugged *d, const char *usual)
{
    const struct debug_options *o = d->o;
    if (o->face || o->listen || o->exec)
        return o->face;
    return isatty(STDIN_FILENO) && usual && launch_is_there(usual) ? FACE_USUAL : FACE_LINES;
}

static void debug_invite(const char *usual, const char *host, unsigned port, const char *file)
{
    if (usual && launch_is_lldb(usual))
        fprintf(stderr, "motet: waiting for a debugger; type: %s -o 'gdb-remote %s:%u' %s\n", usual, host, port,
                file ? file : "");
    else
        fprintf(stderr, "motet: waiting for a debugger; type: %s -ex 'target extended-remote %s:%u'%s%s\n",
                usual ? usual : "gdb", host, port, file ? " " : " -ex 'set schedule-multiple on'", file ? file : "");
}

static int debug_connect(struct debugged *d, const char *usual, const char *package)
{
    const struct debug_options *o = d->o;
    struct motet_error e = {""};
    struct launched l = {.process = 0};
    unsigned port;
    const char *command = o->exec ? o->exec : isatty(STDIN_FILENO) && !o->listen ? usual : NULL;
    bool many = motet_network_count(d->stage.network) > 1; /* gdb finds the firmware of all nodes by itself */
    bool lldb = command && launch_is_lldb(command);
    bool by_itself = (many && !lldb) || d->stage.scenario || d->saved;
    const char *file = by_itself ? NULL : o->run.file;
    if (d->stage.scenario && lldb) /* lldb knows one firmware: the first node's */
        file = motet_machine_path(motet_node_machine(motet_network_at(d->stage.network, 0)));
    int listener = launch_listen(o->host, o->port, &port, &e);
    if (listener < 0)
        return complain("%s", e.text);
    signal(SIGPIPE, SIG_IGN);
    if (!command)
        debug_invite(usual, o->host, port, file);
    else if (!launch(&l, command, file, port, d->saved != NULL, &e))
        return complain("%s", e.text);
    int status = debug_serve(d, listener, &l);
    close(listener);
    if (!command)
        return status;
    if (!launch_end(&l))
        return complain("cannot start %s; install it%s%s, or name another with --exec", command,
                        o->exec || !package ? "" : " from Debian's package ", o->exec || !package ? "" : package);
    return status ? status : WIFEXITED(l.status) ? WEXITSTATUS(l.status) : 0;
}

/* ---- the verb ---- */

static int debug_begin(struct debugged *d)
{
    struct stage *s = &d->stage;
    const char *package, *usual = debug_usual(s, &package);
    if (s->scenario && motet_scenario_has_conditions(s->scenario))
        return complain("%s acts by when(), at times that only a run finds; "
                        "keep one with motet run --save FILE and debug it with motet open --debug FILE",
                        d->o->run.file);
    s->again = true;
    s->explains = d->o->face == FACE_ADAPTER;
    stage_observe(s);
    if (!ports_open(s->ports, false, &s->error))
        return complain("%s", s->error.text);
    enum debug_face face = debug_face_for(d, usual);
    return face == FACE_ADAPTER ? debug_adapter(d) : face ? debug_ourselves(d, face) : debug_connect(d, usual, package);
}

static int debug_end(struct debugged *d, int status)
{
    struct motet_error ignored;
    if (d->stage.ports)
        ports_close(d->stage.ports, &ignored);
    stage_free(&d->stage);
    return status;
}

int debug_saved_run(motet_saved_run *r, const struct motet_span *at, struct debug_options *o)
{
    struct debugged d = {.o = o, .saved = r};
    struct stage *s = &d.stage;
    bool good = stage_hold(s, &o->run, motet_saved_run_network(r)) &&
                (!at || stage_time(s->network, "at", at, &d.start, &s->error));
    return debug_end(&d, good ? debug_begin(&d) : complain("%s", s->error.text));
}

int debug_network(motet_network *n, struct debug_options *o)
{
    struct debugged d = {.o = o};
    bool good = stage_hold(&d.stage, &o->run, n);
    return debug_end(&d, good ? debug_begin(&d) : complain("%s", d.stage.error.text));
}

/* A saved run is debugged as motet open --debug does it. Its parts have their wiring: --part says where they are. */
static int debug_open(struct debug_options *o, const char *firmware)
{
    struct motet_error e = {""};
    const char **parts = cli_array(o->run.part_count, sizeof *parts);
    for (size_t i = 0; i < o->run.part_count; i++)
        parts[i] = o->run.parts[i].wish;
    struct motet_saved_run_options how = {.threads = o->run.threads, .parts = parts, .part_count = o->run.part_count};
    motet_saved_run *r = motet_saved_run_open(o->run.file, &how, &e);
    free(parts);
    if (!r)
        return complain("%s", e.text);
    bool good = !firmware || motet_saved_run_is_of(r, firmware, &e);
    int status = good ? debug_saved_run(r, NULL, o) : complain("%s: %s", o->run.file, e.text);
    motet_saved_run_free(r);
    return status;
}

static bool debug_is_saved_run(const char *file)
{
    size_t length = strlen(file), tail = strlen(".motet");
    return length > tail && strcmp(file + length - tail, ".motet") == 0;
}

static int debug_load(struct debug_options *o)
{
    struct debugged d = {.o = o};
    bool good = stage_load(&d.stage, &o->run, false);
    return debug_end(&d, good ? debug_begin(&d) : complain("%s", d.stage.error.text));
}

static int debug_run(const struct verb *v, int argc, char **argv)
{
    struct debug_options o = {.megabytes = 0};
    const char *files[2] = {NULL, NULL};
    int status;
    run_options_init(&o.run);
    if (options_parse(v, argc, argv, &o, files, 2, &status)) {
        o.run.file = files[0];
        status = debug_is_saved_run(o.run.file) ? debug_open(&o, files[1])
                 : files[1] ? complain("debug does not know what to do with '%s'; see motet debug --help", files[1])
                            : debug_load(&o);
    }
    run_options_free(&o.run);
    return status;
}

static const char *const borrowed[] = {"board",  "for",    "seed",  "clock",  "fuses",    "lock",    "fault",
                                       "serial", "analog", "drive", "nodes",  "topology", "link",    "medium",
                                       "noise",  "loss",   "boot",  "drift",  "set",      "threads", "flash",
                                       "eeprom", "sense",  "part",  "engine", NULL};

extern const struct verb verb_debug;
const struct verb verb_debug = {
    .name = "debug",
    .operands = "FILE [FIRMWARE]",
    .about = "run a firmware under a debugger, forward and backward",
    .more =
        "Starts a server for gdb and, on a terminal, a gdb connected to it; with --gdb it prints what to type. Without "
        "a terminal, or without a gdb for the firmware, Motet's own debugger reads commands. All commands of gdb work, "
        "also those that go backward; monitor help lists more. With --nodes or --topology, or for a scenario (a file "
        "whose name ends in .lua), each node is an inferior of gdb, and time passes for all of them. A saved run (a "
        "file "
        "whose name ends in .motet), a counterexample of motet check for example, is debugged as motet open does it, "
        "with the firmware that is in it. A FIRMWARE named beside it must be that one, byte for byte.",
    .options = debug_options,
    .lent = run_options,
    .borrowed = borrowed,
    .run = debug_run,
};
