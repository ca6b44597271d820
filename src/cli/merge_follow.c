#include "merge_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "motet/merge.h"
#include "sentence.h"
#include "terminal.h"

enum { FOLLOW_PIECE = 65536, FOLLOW_ROUND = 50 /* milliseconds between two looks at files */ };

struct feed {
    const char *name;
    int fd;     /* -1: it has ended */
    bool file;  /* it may grow: its end is not the feed's */
    bool begun; /* something has come */
};

struct following {
    struct feed *feeds;
    struct pollfd *polled;
    size_t count, open;
    motet_follow *follow;
};

static uint64_t follow_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- opening ---- */

static bool follow_connect(struct feed *f, const char *place, struct motet_error *e)
{
    char host[256];
    const char *colon = strrchr(place, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
    snprintf(host, sizeof host, "%.*s", colon ? (int)(colon - place) : 0, place);
    if (getaddrinfo(*host ? host : "127.0.0.1", colon ? colon + 1 : place, &hints, &list) != 0)
        return sentence(e, "there is no host and port %s", place);
    f->fd = -1;
    for (const struct addrinfo *a = list; a && f->fd < 0; a = a->ai_next) {
        f->fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (f->fd >= 0 && connect(f->fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(f->fd);
            f->fd = -1;
        }
    }
    freeaddrinfo(list);
    return f->fd >= 0 || sentence(e, "cannot connect to %s: %s", place, strerror(errno));
}

/* Bytes as they are, at the speed of the kit's boards. */
static void follow_make_raw(int fd)
{
    struct termios t;
    if (!isatty(fd) || tcgetattr(fd, &t) != 0)
        return;
    cfmakeraw(&t);
    cfsetspeed(&t, B115200);
    tcsetattr(fd, TCSANOW, &t);
}

static bool follow_open(struct feed *f, const char *name, struct motet_error *e)
{
    struct stat s;
    f->name = name;
    if (strncmp(name, "tcp:", 4) == 0)
        return follow_connect(f, name + 4, e);
    f->fd = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd < 0)
        return sentence(e, "cannot read %s: %s", name, strerror(errno));
    f->file = fstat(f->fd, &s) == 0 && S_ISREG(s.st_mode);
    follow_make_raw(f->fd);
    return true;
}

/* ---- reading ---- */

static void follow_ended(struct following *f, size_t i)
{
    close(f->feeds[i].fd);
    f->feeds[i].fd = -1;
    f->open--;
    motet_follow_end(f->follow, i);
}

/* All that is there now. */
static bool follow_read(struct following *f, size_t i, struct motet_error *e)
{
    static uint8_t bytes[FOLLOW_PIECE];
    struct feed *feed = &f->feeds[i];
    ssize_t got;
    while ((got = read(feed->fd, bytes, sizeof bytes)) > 0) {
        feed->begun = true;
        if (!motet_follow_take(f->follow, i, bytes, (size_t)got, follow_now(), e))
            return false;
        if ((size_t)got < sizeof bytes)
            return true;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got < 0 && errno != EIO) /* EIO: the other end of a pseudo-terminal is closed */
        return sentence(e, "%s: %s", feed->name, strerror(errno));
    if (!feed->file)
        follow_ended(f, i);
    return true;
}

/* A pipe that no writer has opened yet has not ended, though some systems say so. */
static bool follow_is_ready(const struct following *f, size_t i)
{
    const struct feed *feed = &f->feeds[i];
    short events = f->polled[i].revents;
    return feed->fd >= 0 && (feed->file || events & POLLIN || (events && feed->begun));
}

/* Waits for any of them, and reads what has come. */
static bool follow_round(struct following *f, struct motet_error *e)
{
    bool any = false;
    for (size_t i = 0; i < f->count; i++)
        f->polled[i] = (struct pollfd){.fd = f->feeds[i].file ? -1 : f->feeds[i].fd, .events = POLLIN};
    poll(f->polled, (nfds_t)f->count, FOLLOW_ROUND);
    for (size_t i = 0; i < f->count; i++) {
        bool ready = follow_is_ready(f, i);
        any |= ready;
        if (ready && !follow_read(f, i, e))
            return false;
    }
    motet_follow_pass(f->follow, follow_now());
    if (!any)
        poll(NULL, 0, FOLLOW_ROUND);
    return true;
}

static bool follow_all(struct following *f, struct motet_error *e)
{
    bool good = true;
    for (bool last = false; good && f->open && !last;) {
        last = terminal_interrupted(); /* what has come until then is taken */
        good = follow_round(f, e) && (!ferror(stdout) || sentence(e, "cannot write to standard output"));
    }
    return good;
}

static int follow_tell(const motet_follow *f)
{
    struct motet_follow_summary s;
    motet_follow_summary(f, &s);
    fprintf(stderr,
            "motet: %" PRIu64 " nodes, %" PRIu64 " events; %" PRIu64 " sends; %" PRIu64 " of %" PRIu64
            " receives have their send",
            s.nodes, s.events, s.sends, s.matched, s.receives);
    if (s.undecided)
        fprintf(stderr, ", %" PRIu64 " could have come from several nodes", s.undecided);
    if (s.late)
        fprintf(stderr, ", %" PRIu64 " sends came in too late (--patience)", s.late);
    fputs("\n", stderr);
    return s.late ? STATUS_FAULT : 0;
}

int merge_follow(const struct merge_follow_options *o, const char *const *feeds)
{
    struct motet_error e = {""};
    struct following f = {.count = 0};
    bool good = true;
    while (feeds[f.count])
        f.count++;
    f.feeds = cli_array(f.count, sizeof *f.feeds);
    f.polled = cli_array(f.count, sizeof *f.polled);
    for (; f.open < f.count && good; f.open += good)
        good = follow_open(&f.feeds[f.open], feeds[f.open], &e);
    f.follow = motet_follow_new(&(struct motet_follow_options){
        .feeds = f.count, .names = feeds, .delay = o->delay, .patience = o->patience, .json = o->json, .to = stdout});
    size_t opened = f.open;
    terminal_catch_signals();
    good = good && follow_all(&f, &e);
    if (good)
        motet_follow_finish(f.follow);
    int status = good ? follow_tell(f.follow) : complain("%s", e.text);
    for (size_t i = 0; i < opened; i++)
        if (f.feeds[i].fd >= 0)
            close(f.feeds[i].fd);
    motet_follow_free(f.follow);
    free(f.feeds);
    free(f.polled);
    return status;
}
