#include "launch.h"

#include <errno.h>
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

#include "sentence.h"

enum { LAUNCH_LOOK_MS = 100, LAUNCH_NOT_FOUND = 127 };

/* ---- the connection ---- */

int launch_listen(const char *wanted_host, unsigned wanted, unsigned *port, struct motet_error *e)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    struct sockaddr_in bound = {0};
    socklen_t size = sizeof bound;
    const char *host = wanted_host[0] ? wanted_host : "127.0.0.1";
    char service[8];
    int one = 1;
    snprintf(service, sizeof service, "%u", wanted);
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
        sentence(e, "cannot listen on port %u of %s: %s; choose another one", wanted, host, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(bound.sin_port);
    return fd;
}

/* ---- the debugger ---- */

static void launch_write_quoted(FILE *f, const char *file)
{
    putc('"', f);
    for (; *file; file++)
        fprintf(f, *file == '"' || *file == '\\' ? "\\%c" : "%c", *file);
    fputs("\"\n", f);
}

/* The first commands for gdb. In a network it loads the firmware of every node by itself, and all nodes move. A
 * `monitor` command is about the selected inferior, which gdb shows by reading a register; and it may have moved the
 * target. `elsewhere`: the firmware is in a saved run, and comes through the connection. */
static void launch_write_gdb(FILE *f, const char *file, unsigned port, bool elsewhere)
{
    fprintf(f, "set confirm off\nset sysroot%s\n", elsewhere ? " target:" : "");
    if (file) {
        fputs("file ", f);
        launch_write_quoted(f, file);
    } else {
        fputs("set schedule-multiple on\nset print inferior-events off\n", f);
    }
    fprintf(f,
            "define hook-monitor\nmaintenance flush register-cache\nset $motet = $pc\nend\n"
            "define hookpost-monitor\nmaintenance flush register-cache\nmaintenance flush dcache\nend\n"
            "target extended-remote 127.0.0.1:%u\n%s",
            port, file ? "" : "inferior 1\n");
}

static void launch_write_lldb(FILE *f, const char *file, unsigned port)
{
    fputs("settings set auto-confirm true\n", f);
    if (file) {
        fputs("target create ", f);
        launch_write_quoted(f, file);
    }
    fprintf(f, "gdb-remote 127.0.0.1:%u\n", port);
}

/* By the name of the program, independent of its folder and arguments. */
bool launch_is_lldb(const char *command)
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

static bool launch_write_script(struct launched *d, const char *command, const char *file, unsigned port,
                                bool elsewhere, struct motet_error *e)
{
    strcpy(d->script, "/tmp/motet-debug-XXXXXX");
    int fd = mkstemp(d->script);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    if (launch_is_lldb(command))
        launch_write_lldb(f, file, port);
    else
        launch_write_gdb(f, file, port, elsewhere);
    if (fclose(f) != 0)
        return sentence(e, "cannot write %s: %s", d->script, strerror(errno));
    return true;
}

static bool launch_start(struct launched *d, const char *command, struct motet_error *e)
{
    char line[1024];
    if ((size_t)snprintf(line, sizeof line, "exec %s \"$@\"", command) >= sizeof line)
        return sentence(e, "the command of --exec is too long");
    d->process = fork();
    if (d->process < 0)
        return sentence(e, "cannot start %s: %s", command, strerror(errno));
    if (d->process == 0) {
        signal(SIGINT, SIG_DFL);
        execl("/bin/sh", "sh", "-c", line, command, launch_is_lldb(command) ? "-S" : "-ix", d->script, (char *)NULL);
        _exit(LAUNCH_NOT_FOUND);
    }
    return true;
}

static bool launch_has_ended(struct launched *d, bool wait)
{
    if (d->process && !d->ended)
        d->ended = waitpid(d->process, &d->status, wait ? 0 : WNOHANG) == d->process;
    return d->ended;
}

int launch_accept(int listener, struct launched *d)
{
    struct pollfd f = {.fd = listener, .events = POLLIN};
    int one = 1;
    while (poll(&f, 1, LAUNCH_LOOK_MS) <= 0)
        if (launch_has_ended(d, false))
            return -1;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

bool launch(struct launched *d, const char *command, const char *file, unsigned port, bool elsewhere,
            struct motet_error *e)
{
    signal(SIGINT, SIG_IGN); /* the debugger has it, and tells us */
    if (launch_write_script(d, command, file, port, elsewhere, e) && launch_start(d, command, e))
        return true;
    unlink(d->script);
    return false;
}

bool launch_end(struct launched *d)
{
    launch_has_ended(d, true);
    unlink(d->script);
    return !WIFEXITED(d->status) || WEXITSTATUS(d->status) != LAUNCH_NOT_FOUND;
}

bool launch_is_there(const char *command)
{
    char line[200];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0;
}
