#include "record/dump.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../target/recorder/dump_protocol.h"
#include "record/crc.h"

enum { FRAME_MOST = 2 + 4096, COMMAND_EVERY = 500 /* milliseconds */, REPETITIONS = 16 };

struct dump {
    const char *name;
    int descriptor;
    const struct dump_options *options;
    struct error *error;
    uint8_t input[512];
    size_t taken, count;
    uint8_t type;
    unsigned length;
    uint8_t payload[FRAME_MOST];
    unsigned page_size, page_count, pages;
    uint8_t *flash;
    bool *have;
};

static uint64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- bytes ---- */

static bool say(struct dump *d, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(d->descriptor, bytes, count);
        if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
            poll(&(struct pollfd){.fd = d->descriptor, .events = POLLOUT}, 1, 100);
            continue;
        }
        if (done <= 0)
            return error_set(d->error, "cannot write to %s: %s", d->name, strerror(errno));
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

enum heard { HEARD, NOTHING, BROKEN };

static enum heard hear(struct dump *d, uint64_t until, uint8_t *byte)
{
    while (d->taken == d->count) {
        uint64_t now = milliseconds();
        struct pollfd p = {.fd = d->descriptor, .events = POLLIN};
        if (now >= until)
            return NOTHING;
        if (poll(&p, 1, (int)(until - now)) <= 0)
            continue;
        ssize_t count = read(d->descriptor, d->input, sizeof d->input);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (count <= 0) {
            error_set(d->error, "%s was closed at the other end after %u pages", d->name, d->pages);
            return BROKEN;
        }
        d->taken = 0;
        d->count = (size_t)count;
    }
    *byte = d->input[d->taken++];
    return HEARD;
}

/* ---- frames ---- */

static enum heard hear_number(struct dump *d, uint64_t until, unsigned *number)
{
    uint8_t low = 0, high = 0;
    enum heard h = hear(d, until, &low);
    if (h == HEARD)
        h = hear(d, until, &high);
    *number = low | (unsigned)high << 8;
    return h;
}

static enum heard hear_body(struct dump *d, uint64_t until)
{
    for (unsigned i = 0; i < d->length; i++) {
        enum heard h = hear(d, until, &d->payload[i]);
        if (h != HEARD)
            return h;
    }
    return HEARD;
}

/* A whole frame whose check fits; one that is not is asked for again by the caller's silence. */
static enum heard hear_frame(struct dump *d, uint64_t until)
{
    uint8_t byte = 0, before;
    unsigned check;
    for (;;) {
        enum heard h;
        do {
            before = byte;
            if ((h = hear(d, until, &byte)) != HEARD)
                return h;
        } while (before != DUMP_SYNC_0 || byte != DUMP_SYNC_1);
        if ((h = hear(d, until, &d->type)) != HEARD || (h = hear_number(d, until, &d->length)) != HEARD)
            return h;
        if (d->length > sizeof d->payload)
            continue;
        if ((h = hear_body(d, until)) != HEARD || (h = hear_number(d, until, &check)) != HEARD)
            return h;
        uint8_t head[3] = {d->type, (uint8_t)d->length, (uint8_t)(d->length >> 8)};
        if (crc16(crc16(0, head, sizeof head), d->payload, d->length) == check)
            return HEARD;
        if (!say(d, &(uint8_t){DUMP_AGAIN}, 1))
            return BROKEN;
    }
}

static unsigned number_at(const struct dump *d, unsigned at)
{
    return d->length >= at + 2 ? d->payload[at] | (unsigned)d->payload[at + 1] << 8 : 0;
}

/* ---- a dump ---- */

static bool introduced(struct dump *d)
{
    if (d->flash)
        return true;
    d->page_size = number_at(d, 0);
    d->page_count = number_at(d, 2);
    if (d->page_size < 32 || d->page_size > 4096 || !d->page_count)
        return error_set(d->error, "the node at %s has %u pages of %u bytes: this is no flash memory Motet knows",
                         d->name, d->page_count, d->page_size);
    d->flash = malloc((size_t)d->page_size * d->page_count);
    d->have = calloc(d->page_count, sizeof *d->have);
    if (!d->flash || !d->have)
        abort();
    memset(d->flash, 0xff, (size_t)d->page_size * d->page_count);
    return true;
}

static void keep_page(struct dump *d)
{
    unsigned number = number_at(d, 0);
    if (!d->flash || number >= d->page_count || d->length != 2 + d->page_size)
        return;
    memcpy(d->flash + (size_t)number * d->page_size, d->payload + 2, d->page_size);
    d->pages += !d->have[number];
    d->have[number] = true;
    if (d->options->progress)
        d->options->progress(d->options->context, d->pages);
}

/* In one breath where the recorder itself looks at the port, and only now and then; byte by byte for an application,
 * which may be slower than its port. */
static bool say_command(struct dump *d, bool in_one_breath)
{
    static const uint8_t command[] = DUMP_COMMAND;
    const struct timespec between = {.tv_nsec = 1000L * d->options->gap};
    for (unsigned i = 0; in_one_breath && i < REPETITIONS; i++)
        if (!say(d, command, sizeof command))
            return false;
    for (unsigned i = 0; !in_one_breath && i < sizeof command; i++) {
        if (!say(d, command + i, 1))
            return false;
        nanosleep(&between, NULL);
    }
    return true;
}

static bool ask(struct dump *d)
{
    uint64_t end = milliseconds() + d->options->patience;
    for (unsigned round = 0; milliseconds() < end; round++) {
        if (!say_command(d, round % 3 == 2))
            return false;
        uint64_t until = milliseconds() + COMMAND_EVERY;
        enum heard h = hear_frame(d, until < end ? until : end);
        if (h == BROKEN)
            return false;
        if (h == HEARD && d->type == DUMP_INTRODUCTION)
            return introduced(d) && say(d, &(uint8_t){DUMP_GOOD}, 1);
    }
    return error_set(d->error,
                     "no recorder answers at %s; is the baud rate right, does the firmware read that port, or was it "
                     "built with -DMOTET_DUMP?",
                     d->name);
}

static bool receive(struct dump *d)
{
    if (!ask(d))
        return false;
    for (;;) {
        enum heard h = hear_frame(d, milliseconds() + d->options->patience);
        if (h == BROKEN)
            return false;
        if (h == NOTHING)
            return error_set(d->error, "the node at %s stopped sending after %u pages", d->name, d->pages);
        if (d->type == DUMP_PAGE)
            keep_page(d);
        if (!say(d, &(uint8_t){DUMP_GOOD}, 1))
            return false;
        if (d->type != DUMP_END)
            continue;
        return number_at(d, 0) == d->pages || error_set(d->error, "the node at %s has sent %u pages, but %u have come",
                                                        d->name, number_at(d, 0), d->pages);
    }
}

struct log *dump_receive(const char *name, int descriptor, const struct dump_options *o, struct error *e)
{
    struct dump *d = calloc(1, sizeof *d);
    struct log *log = NULL;
    if (!d)
        abort();
    *d = (struct dump){.name = name, .descriptor = descriptor, .options = o, .error = e};
    if (receive(d))
        log = log_parse(name, d->flash, (size_t)d->page_size * d->page_count, d->page_size, e);
    free(d->flash);
    free(d->have);
    free(d);
    return log;
}
