/* motet debug: a firmware under a debugger, forward and backward. */
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
#include "debug.h"
#include "option.h"
#include "sentence.h"

enum { LINES = 8, LOOK_MS = 100, NOT_FOUND = 127 };

/* ---- options ---- */

static bool set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct debug_options *)into)->machine.board = text;
    return true;
}

bool debug_set_gdb(void *into, const char *text, struct motet_error *e)
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

bool debug_set_exec(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct debug_options *)into)->exec = text;
    return true;
}

bool debug_set_memory(void *into, const char *text, struct motet_error *e)
{
    return amount_number(text, 1 << 20, &((struct debug_options *)into)->megabytes, e);
}

static bool set_seed(void *into, const char *text, struct motet_error *e)
{
    return amount_number(text, UINT64_MAX, &((struct debug_options *)into)->seed, e);
}

static const struct option options[] = {
    {"board", "BOARD", "the board or chip; by default the chip the firmware was built for", set_board},
    {"gdb", "[HOST]:PORT",
     "waits there for a debugger instead of starting one; without HOST on this machine only, and port 0 is any",
     debug_set_gdb},
    {"exec", "COMMAND",
     "the debugger to start, as a shell would; what makes it load the firmware and connect is added. By default "
     "the one for the firmware's processor on a terminal, and none elsewhere",
     debug_set_exec},
    {"memory", "MEGABYTES", "for snapshots to go back to, 256 by default", debug_set_memory},
    {"seed", "NUMBER", "starts the node's random numbers; 0 by default", set_seed},
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

/* What the debugger is told before anything else. A `monitor` command may have moved the target under it. */
static bool write_script(struct debugger *d, const char *file, unsigned port, struct motet_error *e)
{
    strcpy(d->script, "/tmp/motet-debug-XXXXXX");
    int fd = mkstemp(d->script);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    fputs("set confirm off\nfile \"", f);
    for (; *file; file++)
        fprintf(f, *file == '"' || *file == '\\' ? "\\%c" : "%c", *file);
    fprintf(f,
            "\"\ndefine hookpost-monitor\nmaintenance flush register-cache\nmaintenance flush dcache\nend\n"
            "target extended-remote 127.0.0.1:%u\n",
            port);
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
        execl("/bin/sh", "sh", "-c", line, command, "-ix", d->script, (char *)NULL);
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

/* ---- what the firmware prints: once, however often it is executed ---- */

struct output {
    uint64_t until[LINES];
};

static void on_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    struct output *o = context;
    (void)n;
    if (line >= LINES || frame & MOTET_FRAME_BREAK || tick < o->until[line])
        return;
    o->until[line] = tick + 1;
    putchar((int)(frame & 0xff));
    if (frame == '\n')
        fflush(stdout);
}

static int serve(motet_node *node, const struct debug_options *o, int listener, struct debugger *d)
{
    struct output output = {.until = {0}};
    struct motet_observer observer = {.context = &output, .serial = on_serial};
    int connection = accept_from(listener, d);
    if (connection < 0)
        return 0;
    motet_node_observe(node, &observer);
    motet_debugger *debugger = motet_debugger_new(node, (size_t)o->megabytes << 20);
    motet_debugger_serve(debugger, connection);
    motet_debugger_free(debugger);
    fflush(stdout);
    close(connection);
    return 0;
}

int debug_node(const struct debug_options *o, const char *file, motet_node *node)
{
    struct motet_error e = {""};
    struct debugger d = {.process = 0};
    unsigned port;
    const char *package, *usual = motet_machine_debugger(motet_node_machine(node), &package);
    const char *command = o->exec ? o->exec : isatty(STDIN_FILENO) && !o->listen ? usual : NULL;
    int listener = listen_at(o, &port, &e);
    if (listener < 0)
        return complain("%s", e.text);
    signal(SIGPIPE, SIG_IGN);
    if (command) {
        signal(SIGINT, SIG_IGN); /* the debugger has it, and tells us */
        bool started = write_script(&d, file, port, &e) && start(&d, command, &e);
        if (!started) {
            unlink(d.script);
            return complain("%s", e.text);
        }
    } else {
        fprintf(stderr, "motet: waiting for a debugger; type: %s -ex 'target extended-remote %s:%u' %s\n",
                usual ? usual : "gdb", o->host[0] ? o->host : "", port, file);
    }
    int status = serve(node, o, listener, &d);
    close(listener);
    if (!command)
        return status;
    has_ended(&d, true);
    unlink(d.script);
    if (WIFEXITED(d.status) && WEXITSTATUS(d.status) == NOT_FOUND)
        return complain("cannot start %s; install it%s%s, or name another with --exec", command,
                        o->exec || !package ? "" : " from Debian's package ", o->exec || !package ? "" : package);
    return WIFEXITED(d.status) ? WEXITSTATUS(d.status) : status;
}

static int run(const struct verb *v, int argc, char **argv)
{
    struct debug_options o = {.machine = MOTET_OPTIONS_DEFAULT};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_machine *m = motet_machine_load(file, &o.machine, &e);
    if (!m)
        return complain("%s", e.text);
    motet_node *node = motet_node_new(m, 0, o.seed);
    status = debug_node(&o, file, node);
    motet_node_free(node);
    motet_machine_free(m);
    return status;
}

extern const struct verb verb_debug;
const struct verb verb_debug = {
    .name = "debug",
    .operands = "FILE",
    .about = "run a firmware under a debugger, forward and backward",
    .more = "Starts a server for gdb and, on a terminal, a gdb connected to it; elsewhere it says what to type. All of "
            "gdb's commands work, those that go backward included; monitor help lists what is added.",
    .options = options,
    .run = run,
};
