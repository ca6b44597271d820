#include "forwarder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"
#include "motet/amount.h"
#include "sentence.h"
#include "terminal.h"

enum {
    CLIENTS = 32,
    ATTEMPTS = 5,
    ANSWERS = 16,   /* tokens waiting to be acknowledged; more are lost, as on a line */
    PATIENCE = 100, /* tenths of a second for a client that does not read */
};

#define ANSWER_TIME UINT64_C(1000000000) /* nanoseconds; what TinyOS's own programs wait */

/* The packet whose length comes first, or what there is of it. Before it, the two bytes of the version. */
struct client {
    int fd; /* -1: none */
    bool greeted;
    uint8_t bytes[1 + FRAME_DATA_MAX];
    size_t count;
};

struct forwarder {
    char name[40];
    bool quiet;
    int listener, watch;
    struct client clients[CLIENTS];
    unsigned turn; /* whose packet is taken next */
    struct frame_reader reader;
    uint8_t answers[ANSWERS];
    unsigned answer_count;
    bool waiting; /* for the node's answer to `packet` */
    uint8_t packet[FRAME_DATA_MAX];
    size_t length;
    uint8_t token;
    unsigned attempts;
    uint64_t sent; /* when the last attempt was */
};

/* ---- opening ---- */

static bool forwarder_address_of(const char *place, struct sockaddr_in *at, struct motet_error *e)
{
    const char *colon = strrchr(place, ':'), *port = colon ? colon + 1 : place;
    char host[64] = "127.0.0.1";
    uint64_t number;
    struct motet_error ignored;
    if (colon && (size_t)(colon - place) < sizeof host) {
        memcpy(host, place, (size_t)(colon - place));
        host[colon - place] = 0;
    }
    *at = (struct sockaddr_in){.sin_family = AF_INET};
    if (strcmp(host, "localhost") == 0)
        strcpy(host, "127.0.0.1");
    if (inet_pton(AF_INET, host, &at->sin_addr) != 1 || !motet_read_number(port, 65535, &number, &ignored))
        return sentence(e,
                        "'%s' is not a place for a serial forwarder; write a TCP port (0 to 65535; 0 lets the system "
                        "choose), with an address of this machine before it if it is to be another than 127.0.0.1",
                        place);
    at->sin_port = htons((uint16_t)number);
    return true;
}

bool forwarder_check(const char *place, struct motet_error *e)
{
    struct sockaddr_in at;
    return forwarder_address_of(place, &at, e);
}

static void forwarder_watch(struct forwarder *f, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(f->watch, EPOLL_CTL_ADD, fd, &event);
}

struct forwarder *forwarder_open(const char *place, const char *name, bool quiet, struct motet_error *e)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    char host[INET_ADDRSTRLEN];
    int yes = 1;
    struct forwarder *f = cli_array(1, sizeof *f);
    snprintf(f->name, sizeof f->name, "%s", name);
    f->quiet = quiet;
    for (unsigned i = 0; i < CLIENTS; i++)
        f->clients[i].fd = -1;
    f->watch = epoll_create1(EPOLL_CLOEXEC);
    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (!forwarder_address_of(place, &at, e)) {
        forwarder_close(f);
        return NULL;
    }
    if (f->watch < 0 || f->listener < 0 || setsockopt(f->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(f->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(f->listener, CLIENTS) != 0 ||
        getsockname(f->listener, (struct sockaddr *)&at, &size) != 0) {
        sentence(e, "cannot listen on %s for the serial forwarder of %s: %s", place, name, strerror(errno));
        forwarder_close(f);
        return NULL;
    }
    forwarder_watch(f, f->listener);
    if (!quiet)
        fprintf(stderr, "motet: %s has its serial forwarder at %s port %u and waits for a client\n", name,
                inet_ntop(AF_INET, &at.sin_addr, host, sizeof host), ntohs(at.sin_port));
    return f;
}

void forwarder_close(struct forwarder *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < CLIENTS; i++)
        if (f->clients[i].fd >= 0)
            close(f->clients[i].fd);
    if (f->listener >= 0)
        close(f->listener);
    if (f->watch >= 0)
        close(f->watch);
    free(f);
}

int forwarder_descriptor(const struct forwarder *f)
{
    return f->watch;
}

/* ---- clients ---- */

static void dismiss(struct forwarder *f, struct client *c, const char *why)
{
    if (why && !f->quiet)
        fprintf(stderr, "motet: %s: %s\n", f->name, why);
    close(c->fd); /* which takes it from the watch too */
    *c = (struct client){.fd = -1};
}

/* Everything, or the client is dismissed. */
static void forwarder_tell(struct forwarder *f, struct client *c, const uint8_t *bytes, size_t count)
{
    size_t done = 0;
    for (unsigned tries = 0; done < count;) {
        ssize_t wrote = send(c->fd, bytes + done, count - done, MSG_NOSIGNAL);
        if (wrote > 0) {
            done += (size_t)wrote;
            continue;
        }
        struct pollfd room = {.fd = c->fd, .events = POLLOUT};
        if (errno != EAGAIN && errno != EINTR) {
            dismiss(f, c, NULL);
            return;
        }
        if (terminal_interrupted() || tries++ == PATIENCE) {
            dismiss(f, c, "a client of the serial forwarder does not read what it is sent, and is disconnected");
            return;
        }
        poll(&room, 1, 100);
    }
}

static void welcome(struct forwarder *f)
{
    for (;;) {
        int fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        struct client *c = f->clients;
        if (fd < 0)
            return;
        while (c < f->clients + CLIENTS && c->fd >= 0)
            c++;
        if (c == f->clients + CLIENTS) {
            close(fd);
            continue;
        }
        *c = (struct client){.fd = fd};
        forwarder_watch(f, fd);
        forwarder_tell(f, c, (const uint8_t *)"U ", 2);
    }
}

static bool whole_packet(const struct client *c)
{
    return c->greeted && c->count >= 1 && c->count == 1u + c->bytes[0];
}

static size_t forwarder_wanted(const struct client *c)
{
    return !c->greeted ? 2 : c->count == 0 ? 1 : 1u + c->bytes[0];
}

/* Reads up to the end of one packet; the rest stays in the connection until that one is under way. */
static void forwarder_hear(struct forwarder *f, struct client *c)
{
    while (c->fd >= 0 && !whole_packet(c)) {
        ssize_t got = recv(c->fd, c->bytes + c->count, forwarder_wanted(c) - c->count, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            dismiss(f, c, NULL);
            return;
        }
        c->count += (size_t)got;
        if (c->greeted || c->count < 2)
            continue;
        if (c->bytes[0] != 'U') {
            dismiss(f, c, "who connected does not speak TinyOS's serial-forwarder protocol, and is disconnected");
            return;
        }
        c->greeted = true; /* a version later than ' ' goes down to ours */
        c->count = 0;
    }
}

static void look_around(struct forwarder *f)
{
    struct pollfd any = {.fd = f->watch, .events = POLLIN};
    if (poll(&any, 1, 0) <= 0)
        return;
    welcome(f);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (f->clients[i].fd >= 0)
            forwarder_hear(f, &f->clients[i]);
}

static bool someone_there(const struct forwarder *f)
{
    for (unsigned i = 0; i < CLIENTS; i++)
        if (f->clients[i].fd >= 0 && f->clients[i].greeted)
            return true;
    return false;
}

bool forwarder_wait(struct forwarder *f, struct motet_error *e)
{
    while (!terminal_interrupted() && !someone_there(f)) {
        struct pollfd any = {.fd = f->watch, .events = POLLIN};
        poll(&any, 1, 100);
        look_around(f);
    }
    return !terminal_interrupted() ||
           sentence(e, "interrupted before a client connected to the serial forwarder of %s", f->name);
}

/* ---- packets ---- */

static void spread(struct forwarder *f, const struct frame *frame)
{
    uint8_t bytes[1 + FRAME_DATA_MAX] = {(uint8_t)frame->length};
    memcpy(bytes + 1, frame->data, frame->length);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (f->clients[i].fd >= 0 && f->clients[i].greeted)
            forwarder_tell(f, &f->clients[i], bytes, 1 + frame->length);
}

void forwarder_from_node(struct forwarder *f, const uint8_t *bytes, size_t count)
{
    struct frame frame;
    for (size_t i = 0; i < count; i++) {
        if (!frame_read(&f->reader, bytes[i], &frame))
            continue;
        if (frame.protocol == FRAME_ACK) {
            f->waiting = f->waiting && frame.token != f->token;
            continue;
        }
        if (frame.protocol == FRAME_ACKNOWLEDGED && f->answer_count < ANSWERS)
            f->answers[f->answer_count++] = frame.token;
        spread(f, &frame);
    }
}

/* The next packet of the client whose turn it is. */
static bool take_packet(struct forwarder *f)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct client *c = &f->clients[f->turn++ % CLIENTS];
        if (c->fd < 0 || !whole_packet(c))
            continue;
        f->length = c->bytes[0];
        memcpy(f->packet, c->bytes + 1, f->length);
        c->count = 0;
        f->token++;
        f->attempts = 0;
        return f->waiting = true;
    }
    return false;
}

static bool is_due(struct forwarder *f, uint64_t now)
{
    if (now < f->sent)
        f->sent = now; /* the node has booted again */
    if (f->waiting && f->attempts && now - f->sent < ANSWER_TIME)
        return false;
    if (f->waiting && f->attempts == ATTEMPTS) {
        if (!f->quiet)
            fprintf(stderr, "motet: %s: the node has not acknowledged a packet in %d attempts; it is dropped\n",
                    f->name, ATTEMPTS);
        f->waiting = false;
    }
    return f->waiting || take_packet(f);
}

size_t forwarder_to_node(struct forwarder *f, uint64_t now, uint8_t bytes[FRAME_LINE_MAX])
{
    look_around(f);
    if (f->answer_count) {
        struct frame answer = {.protocol = FRAME_ACK, .token = f->answers[0]};
        memmove(f->answers, f->answers + 1, --f->answer_count);
        return frame_write(&answer, bytes);
    }
    if (!is_due(f, now))
        return 0;
    f->attempts++;
    f->sent = now;
    return frame_write(
        &(struct frame){.protocol = FRAME_ACKNOWLEDGED, .token = f->token, .data = f->packet, .length = f->length},
        bytes);
}
