#include "endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "motet/amount.h"
#include "forwarder.h"
#include "sentence.h"
#include "terminal.h"

static bool endpoint_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

const char *endpoint_files(const char *spec)
{
    return endpoint_begins(spec, "file:") ? spec + 5 : endpoint_begins(spec, "timed:") ? spec + 6 : NULL;
}

bool endpoint_check(const char *spec, struct motet_error *e)
{
    uint64_t port;
    if (strcmp(spec, "stdio") == 0 || strcmp(spec, "null") == 0 || strcmp(spec, "pty") == 0)
        return true;
    if (endpoint_begins(spec, "tcp:"))
        return motet_read_number(spec + 4, 65535, &port, e) ||
               sentence(e, "'%s' is not a TCP port (0 to 65535; 0 lets the system choose)", spec + 4);
    if (endpoint_begins(spec, "sf:"))
        return forwarder_check(spec + 3, e);
    if (endpoint_begins(spec, "file:") && spec[5] && strcmp(spec, "file:,") != 0)
        return true;
    if (endpoint_begins(spec, "timed:"))
        return (spec[6] && spec[6] != ',') || sentence(e, "'%s' names no input; write it like timed:INPUT", spec);
    return sentence(e,
                    "'%s' is not a place to connect to; write stdio, null, pty, tcp:PORT, sf:PORT, "
                    "file:INPUT,OUTPUT or timed:INPUT,OUTPUT",
                    spec);
}

/* ---- opening ---- */

static bool is_regular(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

static void open_stdio(struct endpoint *p)
{
    p->out = STDOUT_FILENO;
    p->standard = true;
    if (p->line == MOTET_CONSOLE)
        return; /* a firmware only talks there */
    p->in = terminal_raw() ? STDIN_FILENO : -1;
    p->paced = !is_regular(STDIN_FILENO);
}

static void endpoint_name(struct endpoint *p, const motet_node *of)
{
    int used = p->line == MOTET_CONSOLE ? snprintf(p->name, sizeof p->name, "the console")
                                        : snprintf(p->name, sizeof p->name, "serial %u", p->line);
    if (motet_network_count(motet_node_network(of)) > 1)
        snprintf(p->name + used, sizeof p->name - (size_t)used, " of node %" PRIu32, motet_node_id(of));
}

/* Whether a file is there and can be written, or can be made. */
static bool can_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (access(path, F_OK) == 0)
        return access(path, W_OK) == 0;
    char *folder = slash ? cli_text(path, (size_t)(slash - path + 1)) : cli_text(".", 1);
    bool good = access(folder, W_OK | X_OK) == 0;
    int error = errno;
    free(folder);
    errno = error;
    return good;
}

bool endpoint_check_files(const motet_node *of, unsigned line, const char *spec, struct motet_error *e)
{
    struct endpoint p = {.line = line};
    const char *files = endpoint_files(spec), *comma;
    if (!files)
        return true;
    comma = strchr(files, ',');
    char *input = cli_text(files, comma ? (size_t)(comma - files) : strlen(files));
    endpoint_name(&p, of);
    bool good =
        !*input || access(input, R_OK) == 0 || sentence(e, "cannot read %s for %s: %s", input, p.name, strerror(errno));
    if (good && comma && comma[1] && !can_write(comma + 1))
        good = sentence(e, "cannot write %s for %s: %s", comma + 1, p.name, strerror(errno));
    if (good && endpoint_begins(spec, "timed:")) {
        struct timed_input *t = timed_input_load(input, of, e); /* to check what it says */
        good = t;
        timed_input_free(t);
    }
    free(input);
    return good;
}

static bool open_input(struct endpoint *p, const char *path, struct motet_error *e)
{
    struct stat s;
    p->in = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (p->in < 0)
        return sentence(e, "cannot read %s for %s: %s", path, p->name, strerror(errno));
    p->paced = !is_regular(p->in);
    if (fstat(p->in, &s) == 0 && S_ISDIR(s.st_mode))
        return sentence(e, "cannot read %s for %s: it is a directory", path, p->name);
    return true;
}

static bool open_files(struct endpoint *p, const char *spec, const motet_node *timed, struct motet_error *e)
{
    const char *comma = strchr(spec, ',');
    char *input = cli_text(spec, comma ? (size_t)(comma - spec) : strlen(spec));
    bool good = true;
    if (timed)
        good = (p->timed = timed_input_load(input, timed, e)) != NULL;
    else if (*input)
        good = open_input(p, input, e);
    free(input);
    if (good && comma && comma[1]) {
        p->out = open(comma + 1, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        good = p->out >= 0 || sentence(e, "cannot write %s for %s: %s", comma + 1, p->name, strerror(errno));
    } else if (good && !comma && p->line == 0) {
        p->out = STDOUT_FILENO;
        p->standard = true;
    }
    return good;
}

static bool open_pty(struct endpoint *p, bool quiet, struct motet_error *e)
{
    struct termios raw;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const char *path = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    int slave = path ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (slave < 0)
        return sentence(e, "cannot open a pseudo-terminal for %s: %s", p->name, strerror(errno));
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    close(slave); /* from here on the master reports a hang-up while no program has it open */
    p->in = p->out = master;
    p->paced = p->pty = true;
    if (!quiet)
        fprintf(stderr, "motet: %s is %s\n", p->name, path);
    return true;
}

static bool open_tcp(struct endpoint *p, const char *text, bool quiet, struct motet_error *e)
{
    uint64_t port = 0;
    int yes = 1;
    motet_read_number(text, 65535, &port, e);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return sentence(e, "cannot listen on TCP port %s for %s: %s", text, p->name, strerror(error));
    }
    p->listener = fd;
    p->paced = p->socket = true;
    if (!quiet)
        fprintf(stderr, "motet: %s waits for a connection to 127.0.0.1 port %u\n", p->name, ntohs(at.sin_port));
    return true;
}

static bool open_forwarder(struct endpoint *p, const char *place, bool quiet, struct motet_error *e)
{
    p->forwarder = forwarder_open(place, p->name, quiet, e);
    if (!p->forwarder)
        return false;
    p->in = p->out = forwarder_descriptor(p->forwarder);
    p->paced = true;
    return true;
}

bool endpoint_open(struct endpoint *p, const motet_node *of, unsigned line, const char *spec, bool quiet,
                   struct motet_error *e)
{
    *p = (struct endpoint){.line = line, .in = -1, .out = -1, .listener = -1, .last = -1};
    endpoint_name(p, of);
    if (!endpoint_check(spec, e))
        return false;
    if (strcmp(spec, "stdio") == 0)
        open_stdio(p);
    else if (strcmp(spec, "pty") == 0)
        return open_pty(p, quiet, e);
    else if (endpoint_begins(spec, "tcp:"))
        return open_tcp(p, spec + 4, quiet, e);
    else if (endpoint_begins(spec, "sf:"))
        return open_forwarder(p, spec + 3, quiet, e);
    else if (endpoint_begins(spec, "file:"))
        return open_files(p, spec + 5, NULL, e);
    else if (endpoint_begins(spec, "timed:"))
        return open_files(p, spec + 6, of, e);
    return true;
}

bool endpoint_wait(struct endpoint *p, struct motet_error *e)
{
    if (p->forwarder)
        return forwarder_wait(p->forwarder, e);
    if (p->listener < 0)
        return true;
    struct pollfd knock = {.fd = p->listener, .events = POLLIN};
    while (!terminal_interrupted() && poll(&knock, 1, 100) <= 0)
        ;
    if (terminal_interrupted())
        return sentence(e, "interrupted before a client connected to %s", p->name);
    int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return sentence(e, "cannot accept a connection for %s: %s", p->name, strerror(errno));
    close(p->listener);
    p->listener = -1;
    p->in = p->out = fd;
    return true;
}

/* ---- input ---- */

static void end_input(struct endpoint *p)
{
    if (p->in >= 0 && p->in != p->out && p->in != STDIN_FILENO)
        close(p->in);
    p->in = -1;
}

/* Whether reading would give something (or the end) now. A file always would; for the rest the system is asked. */
static bool endpoint_readable(const struct endpoint *p)
{
    if (!p->paced)
        return true;
    struct pollfd f = {.fd = p->in, .events = POLLIN};
    return poll(&f, 1, 0) > 0 && (f.revents & (POLLIN | (p->pty ? 0 : POLLHUP | POLLERR | POLLNVAL)));
}

static bool refill(struct endpoint *p, struct motet_error *e)
{
    if (p->in < 0 || p->pending_count || !endpoint_readable(p))
        return true;
    ssize_t got = read(p->in, p->pending, sizeof p->pending);
    if (got > 0) {
        p->pending_first = 0;
        p->pending_count = (size_t)got;
        return true;
    }
    if (got == 0 || p->socket || errno == EBADF) {
        end_input(p);
        return true;
    }
    if (errno == EAGAIN || errno == EINTR || (p->pty && errno == EIO))
        return true;
    return sentence(e, "cannot read the input of %s: %s", p->name, strerror(errno));
}

static void forward_output(struct endpoint *p)
{
    forwarder_from_node(p->forwarder, p->output, p->output_count);
    p->output_count = 0;
}

/* What the node has sent comes first: an acknowledgement counts when it was sent, not when output happens to be
 * flushed. */
static void refill_with_frame(struct endpoint *p, const motet_node *n)
{
    uint64_t hz = motet_machine_hz(motet_node_machine(n));
    uint64_t now = (uint64_t)((unsigned __int128)motet_node_now(n) * MOTET_SECOND / hz);
    _Static_assert((int)FRAME_LINE_MAX <= (int)ENDPOINT_BUFFER, "a frame fits");
    forward_output(p);
    if (p->pending_count)
        return;
    p->pending_first = 0;
    p->pending_count = forwarder_to_node(p->forwarder, now, p->pending);
}

bool endpoint_feed(struct endpoint *p, motet_node *n, struct motet_error *e)
{
    do {
        if (p->forwarder)
            refill_with_frame(p, n);
        else if (!refill(p, e))
            return false;
        size_t taken = motet_node_send(n, p->line, p->pending + p->pending_first, p->pending_count);
        p->pending_first += taken;
        p->pending_count -= taken;
    } while (!p->pending_count && p->in >= 0 && !p->paced);
    return true;
}

bool endpoint_has_input(const struct endpoint *p)
{
    return p->in >= 0 || p->pending_count || (p->timed && timed_input_pending(p->timed));
}

/* ---- output ---- */

void endpoint_put(struct endpoint *p, uint8_t byte)
{
    if (p->out < 0)
        return;
    if (p->output_count == sizeof p->output) {
        struct motet_error e;
        if (!endpoint_flush(p, &e))
            return; /* reported again at the next flush, whose result is checked */
    }
    if (p->output_count < sizeof p->output)
        p->output[p->output_count++] = byte;
    p->last = byte;
}

static bool nobody_there(const struct endpoint *p)
{
    struct pollfd f = {.fd = p->out, .events = POLLOUT};
    return p->pty && poll(&f, 1, 0) > 0 && (f.revents & POLLHUP);
}

/* What a connection brought before its other end went away is still to be read. */
static void end_output(struct endpoint *p)
{
    p->output_count = 0;
    if (p->out != p->in && !p->standard)
        close(p->out);
    p->out = -1;
}

bool endpoint_flush(struct endpoint *p, struct motet_error *e)
{
    size_t done = 0;
    if (p->forwarder)
        forward_output(p);
    if (p->out < 0 || nobody_there(p))
        p->output_count = 0;
    while (done < p->output_count) {
        ssize_t wrote = p->socket ? send(p->out, p->output + done, p->output_count - done, MSG_NOSIGNAL)
                                  : write(p->out, p->output + done, p->output_count - done);
        if (wrote >= 0) {
            done += (size_t)wrote;
            continue;
        }
        if (errno == EINTR && !terminal_interrupted())
            continue;
        if (errno == EAGAIN && !terminal_interrupted()) {
            struct pollfd f = {.fd = p->out, .events = POLLOUT};
            poll(&f, 1, 100);
            continue;
        }
        if (p->standard && errno == EPIPE)
            terminal_die_of_pipe();
        int error = errno;
        end_output(p);
        return p->socket || p->pty || error == EINTR || error == EAGAIN ||
               sentence(e, "cannot write the output of %s: %s", p->name, strerror(error));
    }
    p->output_count = 0;
    return true;
}

/* What the other side of a pseudo-terminal has not read, as long as there is one. */
static int unread(const struct endpoint *p)
{
    int count = 0, slave = nobody_there(p) ? -1 : open(ptsname(p->out), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0)
        return 0;
    poll(&(struct pollfd){.fd = slave, .events = POLLIN}, 1, 0); /* the system counts what it has passed on: now all */
    if (ioctl(slave, FIONREAD, &count) != 0)
        count = 0;
    close(slave);
    return count;
}

/* Closing our side of a pseudo-terminal throws away what the other has not read yet: gives it ten seconds for that,
 * as the host may be busy, and one after an interrupt. */
static void drain_pty(const struct endpoint *p)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int left = terminal_interrupted() ? 100 : 1000;
    do
        nanosleep(&moment, NULL);
    while (--left && unread(p) > 0);
}

bool endpoint_close(struct endpoint *p, struct motet_error *e)
{
    bool good = endpoint_flush(p, e);
    timed_input_free(p->timed);
    p->timed = NULL;
    if (p->forwarder) {
        forwarder_close(p->forwarder);
        p->forwarder = NULL;
        p->in = p->out = -1;
    }
    if (p->pty && p->out >= 0)
        drain_pty(p);
    if (p->out >= 0 && !p->standard && close(p->out) != 0 && !p->socket && !p->pty && good)
        good = sentence(e, "cannot write the output of %s: %s", p->name, strerror(errno));
    if (p->in >= 0 && p->in != p->out && p->in != STDIN_FILENO)
        close(p->in);
    if (p->listener >= 0)
        close(p->listener);
    p->in = p->out = p->listener = -1;
    return good;
}
