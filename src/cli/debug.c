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

#include "amount.h"
#include "lines.h"
#include "network_stimuli.h"
#include "option.h"
#include "run.h"
#include "sentence.h"

enum { LINES = 8, LOOK_MS = 100, NOT_FOUND = 127 };

struct debug_options {
    struct run_options run; /* first: options of `motet run` are set here */
    uint64_t megabytes;
    char host[128];
    unsigned port;
    bool listen;      /* somebody else starts the debugger */
    const char *exec; /* the debugger to start */
};

/* ---- options ---- */

static bool set_gdb(void *into, const char *text, struct motet_error *e)
{
    struct debug_options *o = into;
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (!colon || (size_t)(colon - text) >= sizeof o->host)
        return sentence(e, "'%s' is not [HOST]:PORT, such as :1234", text);
    if (!amount_number(colon + 1, 65535, &port, e))
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
    return amount_number(text, 1 << 20, &((struct debug_options *)into)->megabytes, e);
}

static const struct option options[] = {
    {"gdb", "[HOST]:PORT",
     "waits there for a debugger instead of starting one; without HOST on this machine only, and port 0 is any",
     set_gdb},
    {"exec", "COMMAND",
     "the debugger to start, as a shell would; what makes it load the firmware and connect is added. By default "
     "the one for the firmware's processor on a terminal, and none elsewhere",
     set_exec},
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
 * move. A `monitor` command may have moved the target under it. */
static void write_gdb(FILE *f, const char *file, unsigned port)
{
    fputs("set confirm off\nset sysroot\n", f);
    if (file) {
        fputs("file ", f);
        write_quoted(f, file);
    } else {
        fputs("set schedule-multiple on\nset print inferior-events off\n", f);
    }
    fprintf(f,
            "define hookpost-monitor\nmaintenance flush register-cache\nmaintenance flush dcache\nend\n"
            "target extended-remote 127.0.0.1:%u\n%s",
            port, file ? "" : "inferior 1\n");
}

static void write_lldb(FILE *f, const char *file, unsigned port)
{
    fputs("settings set auto-confirm true\ntarget create ", f);
    write_quoted(f, file);
    fprintf(f, "gdb-remote 127.0.0.1:%u\n", port);
}

static bool is_lldb(const char *command)
{
    return strstr(command, "lldb") != NULL;
}

static bool write_script(struct debugger *d, const char *command, const char *file, unsigned port,
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
        write_gdb(f, file, port);
    if (fclose(f) != 0)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    return true;
}

static bool start(struct debugger *d, const char *command, struct motet_error *e)
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
    struct lines *lines;
    struct seat *seats;
    uint64_t until;
    struct motet_error error;
    bool broken; /* the scenario: `error` says how */
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

static void on_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    struct seat *seat = context;
    struct stage *s = seat->stage;
    if (frame & MOTET_FRAME_BREAK || !is_new(seat, n, &tick, line))
        return;
    if (s->scenario)
        motet_scenario_heard(s->scenario, seat->number, line, (uint8_t)frame);
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
    struct motet_observer observer = {.context = &s->seats[number], .serial = on_serial};
    motet_node_observe(n, &observer);
    for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++)
        motet_node_on_fault(n, (enum motet_fault_kind)i, s->o->run.on_fault[i]);
}

static void watch_nodes(struct stage *s)
{
    size_t count = s->network ? motet_network_count(s->network) : 1;
    s->seats = calloc(count + 1, sizeof *s->seats);
    if (!s->seats)
        abort();
    s->lines = lines_new(count);
    for (size_t i = 0; i < count; i++)
        watch_node(s, i, s->network ? motet_network_at(s->network, i) : s->node);
}

static bool check(const struct stage *s, struct motet_error *e)
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

static bool is_scenario(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".lua") == 0;
}

static bool build(struct stage *s)
{
    struct run_options *o = &s->o->run;
    const struct topology *t = &o->topology;
    s->until = MOTET_NEVER;
    if (is_scenario(o->file)) {
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
        s->until = span_ticks(&o->limit, motet_machine_hz(s->machine));
    if (!check(s, &s->error))
        return false;
    if (s->node && (!topology_set(t, s->node, &s->error) ||
                    !stimulus_prepare(&o->stimulus, s->machine, motet_machine_hz(s->machine), &s->error)))
        return false;
    if (s->node)
        stimulus_connect(&o->stimulus, s->node);
    if (s->network && o->stimulated && !(s->stimuli = network_stimuli_new(o, s->network, &s->error)))
        return false;
    watch_nodes(s);
    return true;
}

static void clear(struct stage *s)
{
    network_stimuli_free(s->stimuli);
    lines_free(s->lines);
    free(s->seats);
    if (s->scenario)
        motet_scenario_free(s->scenario);
    else
        motet_network_free(s->network);
    motet_node_free(s->node);
    motet_machine_free(s->machine);
}

/* ---- those who act at their times: the scenario, or the pins driven from outside ---- */

static uint64_t next_act(void *context)
{
    struct stage *s = context;
    if (s->node)
        return stimulus_next(&s->o->run.stimulus);
    lines_print(s->lines, false);
    if (s->stimuli)
        return s->stimulus;
    return s->scenario && !s->broken && !motet_scenario_over(s->scenario) ? motet_scenario_next(s->scenario)
                                                                          : MOTET_NEVER;
}

static void act(void *context)
{
    struct stage *s = context;
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
        .memory = (size_t)s->o->megabytes << 20, .until = s->until, .actor = {s, next_act, act}};
    int connection = accept_from(listener, d);
    if (connection < 0)
        return 0;
    motet_debugger *debugger =
        s->network ? motet_debugger_of_network(s->network, &how) : motet_debugger_new(s->node, &how);
    motet_debugger_serve(debugger, connection);
    motet_debugger_free(debugger);
    lines_print(s->lines, true);
    fflush(stdout);
    close(connection);
    return s->broken ? complain("%s", s->error.text) : 0;
}

/* The first node's, since a debugger knows one instruction set. */
static const char *usual_debugger(const struct stage *s, const char **package)
{
    const motet_node *first = s->network ? motet_network_at(s->network, 0) : s->node;
    return motet_machine_debugger(motet_node_machine(first), package);
}

static int debug(struct stage *s)
{
    const struct debug_options *o = s->o;
    struct motet_error e = {""};
    struct debugger d = {.process = 0};
    unsigned port;
    const char *package, *usual = usual_debugger(s, &package);
    const char *command = o->exec ? o->exec : isatty(STDIN_FILENO) && !o->listen ? usual : NULL;
    const char *file = s->network ? NULL : o->run.file;
    int listener = listen_at(o, &port, &e);
    if (listener < 0)
        return complain("%s", e.text);
    signal(SIGPIPE, SIG_IGN);
    if (command) {
        signal(SIGINT, SIG_IGN); /* the debugger has it, and tells us */
        bool started = write_script(&d, command, file, port, &e) && start(&d, command, &e);
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

static int run(const struct verb *v, int argc, char **argv)
{
    struct debug_options o = {.run.machine = MOTET_OPTIONS_DEFAULT};
    struct stage s = {.o = &o};
    int status;
    topology_init(&o.run.topology);
    if (options_parse(v, argc, argv, &o, &o.run.file, 1, &status)) {
        status = build(&s) ? debug(&s) : complain("%s", s.error.text);
        clear(&s);
    }
    stimulus_free(&o.run.stimulus);
    for (size_t i = 0; i < o.run.node_stimulus_count; i++)
        stimulus_free(&o.run.node_stimulus[i].stimulus);
    free(o.run.node_stimulus);
    topology_free(&o.run.topology);
    return status;
}

static const char *const borrowed[] = {"board",  "for",   "seed",  "clock",    "fuses",   "lock",   "fault",
                                       "analog", "drive", "nodes", "topology", "link",    "medium", "noise",
                                       "loss",   "boot",  "drift", "set",      "threads", NULL};

extern const struct verb verb_debug;
const struct verb verb_debug = {
    .name = "debug",
    .operands = "FILE",
    .about = "run a firmware under a debugger, forward and backward",
    .more = "Starts a server for gdb and, on a terminal, a gdb connected to it; elsewhere it says what to type. All of "
            "gdb's commands work, those that go backward included; monitor help lists what is added. With --nodes or "
            "--topology, or for a scenario (a file whose name ends in .lua), each node is an inferior of gdb's, and "
            "time passes for all of them.",
    .options = options,
    .lent = run_options,
    .borrowed = borrowed,
    .run = run,
};
