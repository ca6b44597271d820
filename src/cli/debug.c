/* motet debug: a firmware, or a network of them, under a debugger, forward and backward. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "motet/amount.h"
#include "debug.h"
#include "debug_ports.h"
#include "face.h"
#include "lines.h"
#include "network_stimuli.h"
#include "option.h"
#include "run.h"
#include "sentence.h"

enum { LINES = 8, LOOK_MS = 100, NOT_FOUND = 127 };

/* ---- options ---- */

static bool set_gdb(void *into, const char *text, struct motet_error *e)
{
    struct debug_options *o = into;
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
     "waits there for a debugger instead of starting one; without HOST on this machine only, and port 0 is any",
     set_gdb},
    {"exec", "COMMAND",
     "the debugger to start, as a shell would; what makes it load the firmware and connect is added. By default "
     "the one for the firmware's processor on a terminal",
     set_exec},
    {"line", NULL,
     "Motet's own debugger, by lines on standard input; the default where there is no terminal, or no gdb for the "
     "firmware's processor",
     set_line},
    {"tui", NULL, "Motet's own debugger on the whole terminal: source, variables, call stack, nodes and packets",
     set_tui},
    {"memory", "MEGABYTES", "for snapshots to go back to, 256 by default", set_memory},
    {NULL, NULL, NULL, NULL},
};

/* ---- the connection ---- */

static int listen_at(const struct debug_options *o, unsigned *port, struct motet_error *e)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    const char *host = o->host[0] ? o->host : "127.0.0.1";
    char service[8];
    int one = 1;
    snprintf(service, sizeof service, "%u", o->port);
    int failure = getaddrinfo(host, service, &hints, &found);
    if (failure) {
        sentence(e, "there is no host '%s': %s", host, gai_strerror(failure));
        return -1;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool well = fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 1) == 0 &&
                getsockname(fd, (struct sockaddr *)&bound, &size) == 0;
    freeaddrinfo(found);
    if (!well) {
        sentence(e, "cannot listen on port %u of %s: %s; choose another with --gdb", o->port, host, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(bound.sin_port);
    return fd;
}

/* ---- the debugger ---- */

struct debugger {
    pid_t process; /* 0: none of ours */
    int status;
    bool ended;
    char script[64];
};

static void write_quoted(FILE *f, const char *file)
{
    putc('"', f);
    for (; *file; file++)
        fprintf(f, *file == '"' || *file == '\\' ? "\\%c" : "%c", *file);
    fputs("\"\n", f);
}

/* What gdb is told before anything else. In a network it loads the firmware of every node by itself, and all nodes
 * move. A `monitor` command is about the inferior that is selected, of which gdb tells when it reads a register; and it
 * may have moved the target. `elsewhere`: the firmware is in a saved run, and comes
 * through the connection. */
static void write_gdb(FILE *f, const char *file, unsigned port, bool elsewhere)
{
    fprintf(f, "set confirm off\nset sysroot%s\n", elsewhere ? " target:" : "");
    if (file) {
        fputs("file ", f);
        write_quoted(f, file);
    } else {
        fputs("set schedule-multiple on\nset print inferior-events off\n", f);
    }
    fprintf(f,
            "define hook-monitor\nmaintenance flush register-cache\nset $motet = $pc\nend\n"
            "define hookpost-monitor\nmaintenance flush register-cache\nmaintenance flush dcache\nend\n"
            "target extended-remote 127.0.0.1:%u\n%s",
            port, file ? "" : "inferior 1\n");
}

static void write_lldb(FILE *f, const char *file, unsigned port)
{
    fputs("settings set auto-confirm true\n", f);
    if (file) {
        fputs("target create ", f);
        write_quoted(f, file);
    }
    fprintf(f, "gdb-remote 127.0.0.1:%u\n", port);
}

/* By the name of the program, whatever folders and its arguments are called. */
static bool is_lldb(const char *command)
{
    for (const char *word = command; *word; word += strspn(word, " \t")) {
        size_t end = strcspn(word, " \t"), begin = end;
        while (begin > 0 && word[begin - 1] != '/')
            begin--;
        if (memmem(word + begin, end - begin, "lldb", 4))
            return true;
        if (memmem(word + begin, end - begin, "gdb", 3))
            return false;
        word += end;
    }
    return false;
}

static bool write_script(struct debugger *d, const char *command, const char *file, unsigned port, bool elsewhere,
                         struct motet_error *e)
{
    strcpy(d->script, "/tmp/motet-debug-XXXXXX");
    int fd = mkstemp(d->script);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    if (is_lldb(command))
        write_lldb(f, file, port);
    else
        write_gdb(f, file, port, elsewhere);
    if (fclose(f) != 0)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    return true;
}

static bool debug_start(struct debugger *d, const char *command, struct motet_error *e)
{
    char line[1024];
    if ((size_t)snprintf(line, sizeof line, "exec %s \"$@\"", command) >= sizeof line)
        return sentence(e, "the command of --exec is too long");
    d->process = fork();
    if (d->process < 0)
        return sentence(e, "cannot start %s: %s", command, strerror(errno));
    if (d->process == 0) {
        signal(SIGINT, SIG_DFL);
        execl("/bin/sh", "sh", "-c", line, command, is_lldb(command) ? "-S" : "-ix", d->script, (char *)NULL);
        _exit(NOT_FOUND);
    }
    return true;
}

static bool has_ended(struct debugger *d, bool wait)
{
    if (d->process && !d->ended)
        d->ended = waitpid(d->process, &d->status, wait ? 0 : WNOHANG) == d->process;
    return d->ended;
}

/* Waits for the debugger to connect; -1 if it has ended instead. */
static int accept_from(int listener, struct debugger *d)
{
    struct pollfd f = {.fd = listener, .events = POLLIN};
    int one = 1;
    while (poll(&f, 1, LOOK_MS) <= 0)
        if (has_ended(d, false))
            return -1;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* ---- what is debugged ---- */

struct seat {
    struct stage *stage;
    size_t number;
    uint64_t until[LINES]; /* what it prints is printed once, however often it is executed */
};

struct stage {
    struct debug_options *o;
    motet_machine *machine; /* of one firmware */
    motet_node *node;       /* alone, */
    motet_network *network; /* or these */
    motet_scenario *scenario;
    struct network_stimuli *stimuli; /* or NULL */
    uint64_t stimulus;               /* when the next of them is */
    struct debug_ports *ports;
    motet_saved_run *saved; /* they are of, or NULL */
    struct lines *lines;
    struct seat *seats;
    uint64_t until;
    struct motet_error error;
    uint64_t start; /* of a saved run: where to begin */
    bool broken;    /* the scenario: `error` says how */
};

/* A node that is booted again begins at tick 0 again: what counts is the time of the network. */
static bool is_new(struct seat *seat, const motet_node *n, uint64_t *tick, unsigned line)
{
    if (seat->stage->network)
        *tick = motet_network_time(seat->stage->network, n, *tick);
    if (line >= LINES || *tick < seat->until[line])
        return false;
    seat->until[line] = *tick + 1;
    return true;
}

static void debug_on_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    struct seat *seat = context;
    struct stage *s = seat->stage;
    if (frame & MOTET_FRAME_BREAK || !is_new(seat, n, &tick, line))
        return;
    if (s->scenario)
        motet_scenario_heard(s->scenario, seat->number, line, (uint8_t)frame);
    if (debug_ports_put(s->ports, seat->number, line, (uint8_t)frame))
        return;
    if (s->network) {
        if (line == motet_machine_terminal(motet_node_machine(n)) || line == MOTET_CONSOLE)
            lines_put(s->lines, seat->number, motet_node_id(n), tick, (uint8_t)frame);
        return;
    }
    putchar((int)(frame & 0xff));
    if (frame == '\n')
        fflush(stdout);
}

static void watch_node(struct stage *s, size_t number, motet_node *n)
{
    s->seats[number] = (struct seat){.stage = s, .number = number};
    struct motet_observer observer = {.context = &s->seats[number], .serial = debug_on_serial};
    motet_node_observe(n, &observer);
    for (unsigned i = 0; i < MOTET_FAULT_KINDS && !s->saved; i++)
        motet_node_on_fault(n, (enum motet_fault_kind)i, s->o->run.on_fault[i]);
}

static void debug_watch_nodes(struct stage *s)
{
    size_t count = s->network ? motet_network_count(s->network) : 1;
    s->seats = cli_array(count, sizeof *s->seats);
    s->lines = lines_new(count);
    for (size_t i = 0; i < count; i++)
        watch_node(s, i, s->network ? motet_network_at(s->network, i) : s->node);
}

static bool debug_check(const struct stage *s, struct motet_error *e)
{
    const struct run_options *o = &s->o->run;
    bool network = s->network != NULL;
    if (s->scenario && o->stimulated)
        return sentence(e, "--analog and --drive: a scenario says for itself what happens to its nodes");
    if (!network && o->node_stimulus_count)
        return sentence(e, "there is one node only; say what happens to it without its number");
    if (!network && o->topology.link_count)
        return sentence(e, "--link is for networks; say how many nodes with --nodes");
    if (network && o->limited && o->limit.in_ticks)
        return sentence(e, "--for: nodes have ticks of their own; give a time such as 10s");
    return true;
}

static bool debug_ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), behind = strlen(end);
    return length > behind && strcmp(path + length - behind, end) == 0;
}

static bool build(struct stage *s)
{
    struct run_options *o = &s->o->run;
    const struct topology *t = &o->topology;
    s->until = MOTET_NEVER;
    if (debug_ends_in(o->file, ".motet"))
        return sentence(&s->error, "%s: a saved run is debugged by motet open --debug", o->file);
    if (debug_ends_in(o->file, ".lua")) {
        if (o->machine.board || topology_is_network(t) || t->link_count || t->variable_count || t->medium_said)
            return sentence(&s->error, "%s says for itself which boards, nodes, links and variables there are",
                            o->file);
        s->scenario = motet_scenario_load(o->file, o->seed, o->threads, &s->error);
        s->network = s->scenario ? motet_scenario_network(s->scenario) : NULL;
        s->until = s->scenario ? motet_scenario_until(s->scenario) : MOTET_NEVER;
    } else if ((s->machine = motet_machine_load(o->file, &o->machine, &s->error))) {
        if (topology_is_network(t))
            s->network = topology_build(t, s->machine, o->seed, o->threads, &s->error);
        else
            s->node = motet_node_new(s->machine, 0, o->seed);
    }
    if (!s->node && !s->network)
        return false;
    if (s->network && o->limited)
        s->until = o->limit.nanoseconds;
    if (s->node && o->limited)
        s->until = motet_span_ticks(&o->limit, motet_machine_hz(s->machine));
    if (!debug_check(s, &s->error))
        return false;
    if (s->node && (!topology_set(t, s->node, &s->error) ||
                    !stimulus_prepare(&o->stimulus, s->machine, motet_machine_hz(s->machine), &s->error)))
        return false;
    if (s->node)
        stimulus_connect(&o->stimulus, s->node);
    if (s->network && o->stimulated && !(s->stimuli = network_stimuli_new(o, s->network, &s->error)))
        return false;
    if (!(s->ports = debug_ports_open(o, s->node, s->network, &s->error)))
        return false;
    debug_watch_nodes(s);
    return true;
}

static void debug_clear(struct stage *s)
{
    struct motet_error ignored;
    debug_ports_close(s->ports, &ignored);
    network_stimuli_free(s->stimuli);
    lines_free(s->lines);
    free(s->seats);
    if (s->saved)
        return;
    if (s->scenario)
        motet_scenario_free(s->scenario);
    else
        motet_network_free(s->network);
    motet_node_free(s->node);
    motet_machine_free(s->machine);
}

/* ---- those who act at their times: the scenario, or the pins driven from outside ---- */

static uint64_t next_of_all(struct stage *s)
{
    if (s->node)
        return stimulus_next(&s->o->run.stimulus);
    lines_print(s->lines, false);
    if (s->stimuli)
        return s->stimulus;
    return s->scenario && !motet_scenario_over(s->scenario) ? motet_scenario_next(s->scenario) : MOTET_NEVER;
}

static uint64_t next_act(void *context)
{
    struct stage *s = context;
    uint64_t port = debug_ports_next(s->ports), other = next_of_all(s);
    return s->broken ? MOTET_NEVER : port < other ? port : other;
}

static void debug_act(void *context)
{
    struct stage *s = context;
    uint64_t now = s->network ? motet_network_now(s->network) : motet_node_now(s->node);
    bool due = next_of_all(s) <= now;
    if (debug_ports_next(s->ports) <= now)
        s->broken = !debug_ports_feed(s->ports, &s->error);
    if (!due || s->broken)
        return;
    if (s->node)
        stimulus_apply(&s->o->run.stimulus, s->node);
    else if (s->stimuli)
        s->stimulus = network_stimuli_apply(s->stimuli);
    else
        s->broken = !motet_scenario_act(s->scenario, &s->error);
}

static int serve(struct stage *s, int listener, struct debugger *d)
{
    struct motet_debug_options how = {
        .memory = (size_t)s->o->megabytes << 20, .until = s->until, .actor = {s, next_act, debug_act}};
    int connection = accept_from(listener, d);
    if (connection < 0)
        return 0;
    motet_debugger *debugger = s->saved     ? motet_debugger_of_saved_run(s->saved, how.memory, s->start)
                               : s->network ? motet_debugger_of_network(s->network, &how)
                                            : motet_debugger_new(s->node, &how);
    motet_debugger_serve(debugger, connection);
    motet_debugger_free(debugger);
    if (s->lines) /* a replay says nothing */
        lines_print(s->lines, true);
    fflush(stdout);
    close(connection);
    s->broken |= !debug_ports_close(s->ports, &s->error);
    s->ports = NULL;
    return s->broken ? complain("%s", s->error.text) : 0;
}

/* The first node's, since a debugger knows one instruction set. */
static const char *usual_debugger(const struct stage *s, const char **package)
{
    const motet_node *first = s->network ? motet_network_at(s->network, 0) : s->node;
    return motet_machine_debugger(motet_node_machine(first), package);
}

/* ---- our own debugger ---- */

static void flush_lines(void *context)
{
    const struct stage *s = context;
    if (s->network)
        lines_print(s->lines, true);
}

static int debug_ourselves(struct stage *s, enum debug_face which)
{
    struct motet_debug_options how = {
        .memory = (size_t)s->o->megabytes << 20, .until = s->until, .actor = {s, next_act, debug_act}};
    struct face face = {.flush = flush_lines, .context = s, .panes = which == FACE_PANES};
    struct motet_session_face shown = face_of(&face);
    motet_session *session = s->saved     ? motet_session_saved_run(s->saved, how.memory, &shown)
                             : s->network ? motet_session_network(s->network, &how, &shown)
                                          : motet_session_node(s->node, &how, &shown);
    if (s->start)
        motet_session_seek(session, s->start);
    int status = which == FACE_PANES ? face_panes(&face, session) : face_lines(&face, session);
    motet_session_free(session);
    free(face.output);
    return status ? status : s->broken ? complain("%s", s->error.text) : 0;
}

/* Whether a shell would find the program. */
static bool is_there(const char *command)
{
    char line[200];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0;
}

/* Our own debugger is the one for where there is nobody to type into another, or no other. */
static enum debug_face face_for(const struct stage *s, const char *usual)
{
    const struct debug_options *o = s->o;
    if (o->face || o->listen || o->exec)
        return o->face;
    return isatty(STDIN_FILENO) && usual && is_there(usual) ? FACE_USUAL : FACE_LINES;
}

static int debug_debug(struct stage *s)
{
    const struct debug_options *o = s->o;
    struct motet_error e = {""};
    struct debugger d = {.process = 0};
    unsigned port;
    const char *package, *usual = usual_debugger(s, &package);
    enum debug_face face = face_for(s, usual);
    if (face)
        return debug_ourselves(s, face);
    const char *command = o->exec ? o->exec : isatty(STDIN_FILENO) && !o->listen ? usual : NULL;
    bool by_itself = s->network && !(command && is_lldb(command)); /* gdb finds the firmware of all nodes */
    const char *file = by_itself || s->scenario || s->saved ? NULL : o->run.file;
    int listener = listen_at(o, &port, &e);
    if (listener < 0)
        return complain("%s", e.text);
    signal(SIGPIPE, SIG_IGN);
    if (command) {
        signal(SIGINT, SIG_IGN); /* the debugger has it, and tells us */
        bool started = write_script(&d, command, file, port, s->saved != NULL, &e) && debug_start(&d, command, &e);
        if (!started) {
            unlink(d.script);
            return complain("%s", e.text);
        }
    } else if (usual && is_lldb(usual)) {
        fprintf(stderr, "motet: waiting for a debugger; type: %s -o 'gdb-remote %s:%u' %s\n", usual, o->host, port,
                file ? file : "");
    } else {
        fprintf(stderr, "motet: waiting for a debugger; type: %s -ex 'target extended-remote %s:%u'%s%s\n",
                usual ? usual : "gdb", o->host, port, file ? " " : " -ex 'set schedule-multiple on'", file ? file : "");
    }
    int status = serve(s, listener, &d);
    close(listener);
    if (!command)
        return status;
    has_ended(&d, true);
    unlink(d.script);
    if (WIFEXITED(d.status) && WEXITSTATUS(d.status) == NOT_FOUND)
        return complain("cannot start %s; install it%s%s, or name another with --exec", command,
                        o->exec || !package ? "" : " from Debian's package ", o->exec || !package ? "" : package);
    return status ? status : WIFEXITED(d.status) ? WEXITSTATUS(d.status) : 0;
}

int debug_saved_run(motet_saved_run *r, const struct motet_span *at, struct debug_options *o)
{
    struct stage s = {.o = o, .saved = r, .until = MOTET_NEVER};
    s.node = motet_saved_run_node(r);
    s.network = motet_saved_run_network(r);
    if (at && s.network && at->in_ticks)
        return complain("--at: nodes have ticks of their own; give a time such as 10s");
    if (at)
        s.start = s.network ? at->nanoseconds : motet_span_ticks(at, motet_machine_hz(motet_node_machine(s.node)));
    s.ports = debug_ports_open(&o->run, s.node, s.network, &s.error);
    if (!s.ports)
        return complain("%s", s.error.text);
    debug_watch_nodes(&s);
    int status = debug_debug(&s);
    debug_clear(&s);
    return status;
}

int debug_node(motet_node *n, struct debug_options *o)
{
    struct stage s = {.o = o, .node = n, .until = MOTET_NEVER};
    s.ports = debug_ports_open(&o->run, s.node, NULL, &s.error);
    if (!s.ports)
        return complain("%s", s.error.text);
    int status = debug_debug(&s);
    s.node = NULL; /* the caller's */
    debug_clear(&s);
    return status;
}

static int debug_run(const struct verb *v, int argc, char **argv)
{
    struct debug_options o = {.run.machine = MOTET_OPTIONS_DEFAULT};
    struct stage s = {.o = &o};
    int status;
    topology_init(&o.run.topology);
    if (options_parse(v, argc, argv, &o, &o.run.file, 1, &status)) {
        status = build(&s) ? debug_debug(&s) : complain("%s", s.error.text);
        debug_clear(&s);
    }
    stimulus_free(&o.run.stimulus);
    for (size_t i = 0; i < o.run.node_stimulus_count; i++)
        stimulus_free(&o.run.node_stimulus[i].stimulus);
    free(o.run.node_stimulus);
    topology_free(&o.run.topology);
    free(o.run.node_serial);
    return status;
}

static const char *const borrowed[] = {"board",  "for",    "seed",  "clock", "fuses",    "lock",    "fault",
                                       "serial", "analog", "drive", "nodes", "topology", "link",    "medium",
                                       "noise",  "loss",   "boot",  "drift", "set",      "threads", NULL};

extern const struct verb verb_debug;
const struct verb verb_debug = {
    .name = "debug",
    .operands = "FILE",
    .about = "run a firmware under a debugger, forward and backward",
    .more = "Starts a server for gdb and, on a terminal, a gdb connected to it; with --gdb it says what to type. Where "
            "there is no terminal, or no gdb for the firmware, Motet's own debugger reads commands. All of "
            "gdb's commands work, those that go backward included; monitor help lists what is added. With --nodes or "
            "--topology, or for a scenario (a file whose name ends in .lua), each node is an inferior of gdb's, and "
            "time passes for all of them.",
    .options = debug_options,
    .lent = run_options,
    .borrowed = borrowed,
    .run = debug_run,
};
