#include "collect_radio.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../firmware/kit/log_radio.h"
#include "memory.h"
#include "sentence.h"
#include "serial_frame.h"

/* What the kit's base station puts before a message: from, to (2 bytes each), type; and takes: to, type. */
enum { BASE_HEAD = 5 };
/* Milliseconds to wait before asking again: at first; then by how long answers took; and at most. */
enum { WAIT_FIRST = 500, WAIT_LEAST = 20, WAIT_TIMES = 4, WAIT_MOST = 4000 };
enum { FLASH_MOST = 64 << 20, ALL_PIECES = 0xff };

struct fetch {
    const struct radio_fetch *options;
    struct motet_error *error;
    struct frame_reader reader;
    uint8_t input[512];
    size_t taken, count;
    uint64_t asked; /* when the last request went out */
    unsigned wait;  /* for the answer, milliseconds */
    unsigned page;  /* that is asked for, or is coming */
    uint8_t lacks;  /* a bit for each of its pieces that has not come */
    bool begun;     /* a piece of it has */
    unsigned page_size, page_count, pages;
    uint8_t *flash;
};

static uint64_t collect_radio_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- the line ---- */

static bool collect_radio_write(struct fetch *f, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(f->options->line, bytes, count);
        if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
            poll(&(struct pollfd){.fd = f->options->line, .events = POLLOUT}, 1, 100);
            continue;
        }
        if (done <= 0)
            return sentence(f->error, "cannot write to %s: %s", f->options->place, strerror(errno));
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

enum heard { HEARD, SILENCE, BROKEN };

/* Bytes of the line up to `until`, into the buffer. */
static enum heard collect_radio_fill(struct fetch *f, uint64_t until)
{
    for (;;) {
        uint64_t now = collect_radio_now();
        struct pollfd p = {.fd = f->options->line, .events = POLLIN};
        int ready = poll(&p, 1, now < until ? (int)(until - now) : 0);
        if (ready <= 0 && now >= until)
            return SILENCE;
        if (ready <= 0)
            continue;
        ssize_t count = read(f->options->line, f->input, sizeof f->input);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (count <= 0) {
            sentence(f->error, "%s was closed at the other end after %u pages", f->options->place, f->pages);
            return BROKEN;
        }
        f->taken = 0;
        f->count = (size_t)count;
        return HEARD;
    }
}

static enum heard collect_radio_hear(struct fetch *f, uint64_t until, struct frame *frame)
{
    for (;;) {
        while (f->taken < f->count)
            if (frame_read(&f->reader, f->input[f->taken++], frame))
                return HEARD;
        enum heard h = collect_radio_fill(f, until);
        if (h != HEARD)
            return h;
    }
}

static unsigned collect_radio_number(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static bool collect_radio_ask(struct fetch *f)
{
    uint8_t line[FRAME_LINE_MAX],
        request[] = {(uint8_t)(f->options->node >> 8), (uint8_t)f->options->node, LOG_RADIO_ASK,
                     (uint8_t)(f->page >> 8),          (uint8_t)f->page,          f->lacks};
    size_t count = frame_write(&(struct frame){FRAME_PLAIN, 0, request, sizeof request}, line);
    f->asked = collect_radio_now();
    return collect_radio_write(f, line, count);
}

/* ---- pages ---- */

static uint8_t collect_radio_pieces(const struct fetch *f)
{
    unsigned pieces = (f->page_size + LOG_RADIO_BYTES - 1) / LOG_RADIO_BYTES;
    return (uint8_t)((1u << pieces) - 1);
}

/* What the first answer says of the flash memory. */
static bool collect_radio_introduce(struct fetch *f, unsigned size, unsigned count)
{
    if (size < 32 || size > 8 * LOG_RADIO_BYTES || !count || (size_t)size * count > FLASH_MOST)
        return false;
    f->page_size = size;
    f->page_count = count;
    f->flash = cli_array(count, size);
    memset(f->flash, 0xff, (size_t)size * count);
    f->lacks = collect_radio_pieces(f);
    return true;
}

/* True if it is an answer of the node to the last request, or to one before. */
static bool collect_radio_take(struct fetch *f, const struct frame *frame)
{
    const uint8_t *at = frame->data + BASE_HEAD;
    if (frame->length < BASE_HEAD + LOG_RADIO_HEAD || collect_radio_number(frame->data) != f->options->node ||
        frame->data[4] != LOG_RADIO_PIECE)
        return false;
    unsigned size = collect_radio_number(at), count = collect_radio_number(at + 2), page = collect_radio_number(at + 4);
    unsigned piece = at[6], length = (unsigned)frame->length - BASE_HEAD - LOG_RADIO_HEAD;
    unsigned offset = piece * LOG_RADIO_BYTES, room = offset < size ? size - offset : 0;
    if (!f->flash && !collect_radio_introduce(f, size, count))
        return false;
    if (size != f->page_size || count != f->page_count || page < f->page || page > count ||
        (f->begun && page != f->page))
        return false;
    if (page < count && (piece > 7 || length != (room < LOG_RADIO_BYTES ? room : LOG_RADIO_BYTES)))
        return false;
    f->page = page;
    f->begun = true;
    if (page == count)
        return true;
    memcpy(f->flash + (size_t)page * size + offset, at + LOG_RADIO_HEAD, length);
    f->lacks &= (uint8_t) ~(1u << piece);
    return true;
}

static void collect_radio_adapt(struct fetch *f)
{
    uint64_t took = WAIT_TIMES * (collect_radio_now() - f->asked);
    unsigned wait = took > WAIT_MOST ? WAIT_MOST : took < WAIT_LEAST ? WAIT_LEAST : (unsigned)took;
    f->wait = wait > f->wait ? wait : (7 * f->wait + wait) / 8;
}

/* Answers up to the last piece that the page lacks, or until none comes for a while. */
static enum heard collect_radio_answers(struct fetch *f)
{
    struct frame frame;
    enum heard h;
    bool any = false;
    uint64_t until = f->asked + f->wait;
    while (!f->begun || (f->lacks && f->page < f->page_count)) {
        if ((h = collect_radio_hear(f, until, &frame)) != HEARD)
            return h == SILENCE && any ? HEARD : h;
        if (!collect_radio_take(f, &frame))
            continue;
        if (!any)
            collect_radio_adapt(f);
        any = true;
        until = collect_radio_now() + f->wait;
    }
    return HEARD;
}

/* The first page from f->page on, with all its pieces; f->page is its number, or that of all pages. */
static bool collect_radio_page(struct fetch *f, unsigned *asked_again)
{
    uint64_t end = collect_radio_now() + f->options->patience;
    f->begun = false;
    f->lacks = f->flash ? collect_radio_pieces(f) : ALL_PIECES;
    for (bool again = false;; again = true) {
        if (!collect_radio_ask(f))
            return false;
        *asked_again += again;
        enum heard h = collect_radio_answers(f);
        if (h == BROKEN)
            return false;
        if (f->begun && (!f->lacks || f->page == f->page_count))
            return true;
        if (h == HEARD)
            end = collect_radio_now() + f->options->patience;
        else if (collect_radio_now() >= end)
            return sentence(
                f->error,
                "node %u does not answer over the radio of the base station at %s, after %u pages; is it in "
                "reach, is its log frozen (motet_freeze), and does its firmware answer (kit/log_radio.h)?",
                f->options->node, f->options->place, f->pages);
        else
            f->wait = f->wait < WAIT_MOST / 2 ? 2 * f->wait : WAIT_MOST;
    }
}

motet_log *collect_radio(const struct radio_fetch *options, unsigned *asked_again, struct motet_error *e)
{
    struct fetch f = {.options = options, .error = e, .wait = WAIT_FIRST};
    motet_log *log = NULL;
    bool well = true;
    *asked_again = 0;
    while ((well = collect_radio_page(&f, asked_again)) && f.page < f.page_count) {
        f.page++;
        f.pages++;
        if (options->progress)
            options->progress(options->context, f.pages);
    }
    if (well)
        log = motet_log_read(options->place, f.flash, (size_t)f.page_size * f.page_count, f.page_size, e);
    free(f.flash);
    return log;
}
