#include "record/dump.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../target/recorder/dump_protocol.h"
#include "base/memory.h"
#include "record/crc.h"

enum { PAGE_MOST = 4096, AGAIN_EVERY = 500 /* milliseconds */, QUIET_AT_END = 100, REPETITIONS = 16 };
enum { LATE_MOST = 2 * PAGE_MOST, RESTARTS = 8 };

struct dump {
    const char *name;
    int descriptor;
    const struct dump_options *options;
    struct motet_error *error;
    uint64_t until; /* when the answer waited for is late */
    size_t late;    /* bytes that are taken nevertheless, if they are here: this process may have been held up itself */
    uint8_t input[512];
    size_t taken, count;
    unsigned unanswered; /* requests */
    unsigned number;     /* of the page that came last */
    uint8_t page[PAGE_MOST];
    unsigned page_size, page_count, pages, restarts;
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

static bool dump_say(struct dump *d, const uint8_t *bytes, size_t count)
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

static void answer_within(struct dump *d, unsigned time)
{
    d->until = milliseconds() + time;
    d->late = LATE_MOST;
}

static enum heard dump_hear(struct dump *d, uint8_t *byte)
{
    while (d->taken == d->count) {
        uint64_t now = milliseconds();
        bool late = now >= d->until;
        struct pollfd p = {.fd = d->descriptor, .events = POLLIN};
        bool ready = (!late || d->late) && poll(&p, 1, late ? 0 : (int)(d->until - now)) > 0;
        if (!ready && late)
            return NOTHING;
        if (!ready)
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
        if (late)
            d->late -= d->late < d->count ? d->late : d->count;
    }
    *byte = d->input[d->taken++];
    return HEARD;
}

/* ---- frames ---- */

static enum heard hear_all(struct dump *d, uint8_t *bytes, unsigned count)
{
    enum heard h = HEARD;
    for (unsigned i = 0; h == HEARD && i < count; i++)
        h = dump_hear(d, &bytes[i]);
    return h;
}

static unsigned number_at(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* A whole frame whose check fits, or NOTHING. */
static enum heard hear_frame(struct dump *d)
{
    uint8_t byte = 0, before, head[6], check[2];
    enum heard h;
    do {
        before = byte;
        if ((h = dump_hear(d, &byte)) != HEARD)
            return h;
    } while (before != DUMP_SYNC_0 || byte != DUMP_SYNC_1);
    if ((h = hear_all(d, head, sizeof head)) != HEARD)
        return h;
    unsigned size = number_at(head), count = number_at(head + 2), number = number_at(head + 4);
    unsigned length = number == count ? 0 : size;
    if (length > PAGE_MOST || number > count || (d->flash && (size != d->page_size || count != d->page_count)))
        return NOTHING;
    if ((h = hear_all(d, d->page, length)) != HEARD || (h = hear_all(d, check, sizeof check)) != HEARD)
        return h;
    if (crc16(crc16(0, head, sizeof head), d->page, length) != number_at(check))
        return NOTHING;
    d->page_size = size;
    d->page_count = count;
    d->number = number;
    d->unanswered -= d->unanswered > 0;
    return HEARD;
}

/* ---- a dump ---- */

static void forget_pages(struct dump *d)
{
    memset(d->flash, 0xff, (size_t)d->page_size * d->page_count);
    memset(d->have, 0, d->page_count * sizeof *d->have);
    d->pages = 0;
}

static bool introduced(struct dump *d)
{
    if (d->page_size < 32 || d->page_size > PAGE_MOST || !d->page_count)
        return error_set(d->error, "the node at %s has %u pages of %u bytes: Motet does not know such a flash memory",
                         d->name, d->page_count, d->page_size);
    d->flash = memory_array(d->page_count, d->page_size);
    d->have = memory_array(d->page_count, sizeof *d->have);
    forget_pages(d);
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

/* For an application, which may be slower than its port. */
static bool say_slowly(struct dump *d, const uint8_t *bytes, size_t count)
{
    const struct timespec between = {.tv_nsec = 1000L * d->options->gap};
    for (size_t i = 0; i < count; i++) {
        if (!dump_say(d, bytes + i, 1))
            return false;
        nanosleep(&between, NULL);
    }
    return true;
}

/* In one breath, each third time, where the recorder itself looks at the port, and only now and then; byte by byte for
 * an application. */
static bool say_command(struct dump *d, unsigned round)
{
    uint8_t command[DUMP_LENGTH];
    for (unsigned i = 0; i < DUMP_LENGTH; i++)
        command[i] = (uint8_t)(DUMP_FIRST + i * DUMP_STEP);
    if (round % 3 != 2)
        return say_slowly(d, command, sizeof command);
    for (unsigned i = 0; i < REPETITIONS; i++)
        if (!dump_say(d, command, sizeof command))
            return false;
    return true;
}

struct request {
    uint8_t bytes[4];
};

static struct request dump_request(unsigned page)
{
    uint8_t low = (uint8_t)page, high = (uint8_t)(page >> 8);
    return (struct request){{DUMP_ASK, low, high, (uint8_t)(DUMP_ASK ^ low ^ high)}};
}

static bool ask(struct dump *d, unsigned page)
{
    struct request r = dump_request(page);
    d->unanswered++;
    return dump_say(d, r.bytes, sizeof r.bytes);
}

static unsigned left_until(uint64_t end)
{
    uint64_t now = milliseconds(), left = end > now ? end - now : 0;
    return left < AGAIN_EVERY ? (unsigned)left : AGAIN_EVERY;
}

/* Until there is a first frame. A node whose first frame was lost is past the command and waits to be asked, as long as
 * there are bytes: it is asked as well. */
static bool dump_begin(struct dump *d)
{
    const struct request first = dump_request(0);
    uint64_t end = milliseconds() + d->options->patience;
    for (unsigned round = 0; !round || milliseconds() < end; round++) {
        if ((round && !say_slowly(d, first.bytes, sizeof first.bytes)) || !say_command(d, round))
            return false;
        answer_within(d, left_until(end));
        enum heard h = hear_frame(d);
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

/* What was asked for before is not to be taken for an answer to what is asked next. */
static void let_pass(struct dump *d)
{
    do
        answer_within(d, AGAIN_EVERY);
    while (d->unanswered && hear_frame(d) == HEARD);
    d->unanswered = 0;
}

/* The first page from this one on, asked for until it comes. Late answers with earlier pages are skipped. A node
 * that was not asked for some seconds has gone on with its application and needs the command again. Then an earlier
 * page is the first of a new dump, of a log that has changed. */
static bool dump_get(struct dump *d, unsigned page)
{
    uint64_t end = milliseconds() + d->options->patience;
    bool repeated = false;
    for (unsigned round = 0; !round || milliseconds() < end; round++) {
        bool tell = round && round % 2 == 0 && d->restarts < RESTARTS;
        enum heard h;
        if ((tell && !say_command(d, round / 2)) || !ask(d, page))
            return false;
        repeated |= tell;
        answer_within(d, left_until(end));
        while ((h = hear_frame(d)) == HEARD && d->number < page && !repeated)
            ;
        if (h == BROKEN)
            return false;
        if (h == HEARD && d->number >= page)
            return true;
        if (h == HEARD) {
            forget_pages(d);
            d->unanswered++; /* it was the command that this page answered */
            let_pass(d);
            d->restarts++;
            repeated = false;
            page = 0;
        }
    }
    return error_set(d->error, "the node at %s stopped sending after %u pages", d->name, d->pages);
}

/* A node that is sending does not hear: what was asked for twice is to come first. */
static bool dump_end(struct dump *d)
{
    if (d->unanswered)
        let_pass(d);
    unsigned left = REPETITIONS;
    do {
        if (!ask(d, DUMP_ENOUGH))
            return false;
        answer_within(d, QUIET_AT_END);
    } while (hear_frame(d) == HEARD && --left);
    return true;
}

static bool dump_receive_bytes(struct dump *d)
{
    if (!dump_begin(d))
        return false;
    while (d->number < d->page_count) {
        keep_page(d);
        if (!dump_get(d, d->number + 1))
            return false;
    }
    return dump_end(d);
}

struct log *dump_receive(const char *name, int descriptor, const struct dump_options *o, struct motet_error *e)
{
    struct dump *d = memory_new(sizeof *d);
    struct log *log = NULL;
    *d = (struct dump){.name = name, .descriptor = descriptor, .options = o, .error = e};
    if (dump_receive_bytes(d))
        log = log_parse(name, d->flash, (size_t)d->page_size * d->page_count, d->page_size, e);
    free(d->flash);
    free(d->have);
    free(d);
    return log;
}
