#include "record/dump.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../target/recorder/dump_protocol.h"
#include "record/crc.h"

enum { PAGE_MOST = 4096, AGAIN_EVERY = 500 /* milliseconds */, QUIET_AT_END = 100, REPETITIONS = 16 };

struct dump {
    const char *name;
    int descriptor;
    const struct dump_options *options;
    struct error *error;
    uint8_t input[512];
    size_t taken, count;
    unsigned number; /* of the page that came last */
    uint8_t page[PAGE_MOST];
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

static enum heard hear_all(struct dump *d, uint64_t until, uint8_t *bytes, unsigned count)
{
    enum heard h = HEARD;
    for (unsigned i = 0; h == HEARD && i < count; i++)
        h = hear(d, until, &bytes[i]);
    return h;
}

static unsigned number_at(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* A whole frame whose check fits, or NOTHING. */
static enum heard hear_frame(struct dump *d, uint64_t until)
{
    uint8_t byte = 0, before, head[6], check[2];
    enum heard h;
    do {
        before = byte;
        if ((h = hear(d, until, &byte)) != HEARD)
            return h;
    } while (before != DUMP_SYNC_0 || byte != DUMP_SYNC_1);
    if ((h = hear_all(d, until, head, sizeof head)) != HEARD)
        return h;
    unsigned size = number_at(head), count = number_at(head + 2), number = number_at(head + 4);
    unsigned length = number == count ? 0 : size;
    if (length > PAGE_MOST || number > count || (d->flash && (size != d->page_size || count != d->page_count)))
        return NOTHING;
    if ((h = hear_all(d, until, d->page, length)) != HEARD || (h = hear_all(d, until, check, sizeof check)) != HEARD)
        return h;
    if (crc16(crc16(0, head, sizeof head), d->page, length) != number_at(check))
        return NOTHING;
    d->page_size = size;
    d->page_count = count;
    d->number = number;
    return HEARD;
}

/* ---- a dump ---- */

static bool introduced(struct dump *d)
{
    if (d->page_size < 32 || d->page_size > PAGE_MOST || !d->page_count)
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
    memcpy(d->flash + (size_t)d->number * d->page_size, d->page, d->page_size);
    d->pages += !d->have[d->number];
    d->have[d->number] = true;
    if (d->options->progress)
        d->options->progress(d->options->context, d->pages);
}

/* In one breath where the recorder itself looks at the port, and only now and then; byte by byte for an application,
 * which may be slower than its port. */
static bool say_command(struct dump *d, bool in_one_breath)
{
    uint8_t command[DUMP_LENGTH];
    for (unsigned i = 0; i < DUMP_LENGTH; i++)
        command[i] = (uint8_t)(DUMP_FIRST + i * DUMP_STEP);
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

/* Until there is a first frame. */
static bool begin(struct dump *d)
{
    uint64_t end = milliseconds() + d->options->patience;
    for (unsigned round = 0; milliseconds() < end; round++) {
        if (!say_command(d, round % 3 == 2))
            return false;
        uint64_t until = milliseconds() + AGAIN_EVERY;
        enum heard h = hear_frame(d, until < end ? until : end);
        if (h == BROKEN)
            return false;
        if (h == HEARD)
            return introduced(d);
    }
    return error_set(d->error,
                     "no recorder answers at %s; is the baud rate right, does the firmware read that port, or was it "
                     "built with -DMOTET_DUMP?",
                     d->name);
}

static bool ask(struct dump *d, unsigned page)
{
    uint8_t low = (uint8_t)page, high = (uint8_t)(page >> 8);
    return say(d, (uint8_t[]){DUMP_ASK, low, high, (uint8_t)(DUMP_ASK ^ low ^ high)}, 4);
}

/* The first page from this one on, asked for until it comes. What comes late, of pages before it, is passed over. */
static bool get(struct dump *d, unsigned page)
{
    uint64_t end = milliseconds() + d->options->patience;
    do {
        uint64_t until = milliseconds() + AGAIN_EVERY;
        enum heard h;
        if (!ask(d, page))
            return false;
        while ((h = hear_frame(d, until < end ? until : end)) == HEARD)
            if (d->number >= page)
                return true;
        if (h == BROKEN)
            return false;
    } while (milliseconds() < end);
    return error_set(d->error, "the node at %s stopped sending after %u pages", d->name, d->pages);
}

static bool receive(struct dump *d)
{
    if (!begin(d))
        return false;
    while (d->number < d->page_count) {
        keep_page(d);
        if (!get(d, d->number + 1))
            return false;
    }
    do /* what was asked for twice is still to come, and may have kept the node from hearing this */
        if (!ask(d, DUMP_ENOUGH))
            return false;
    while (hear_frame(d, milliseconds() + QUIET_AT_END) == HEARD);
    return true;
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
