#include "debug/airlog.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "part/frame154.h"

enum { DELIMITER = 0xa7, SHORT = 2, LONG = 3 };

/* Sorted by their end; what is there already is there. */
void airlog_heard(struct airlog *l, const struct airlog_packet *p)
{
    size_t at = l->count;
    if (!l->frames && !(l->frames = calloc(AIRLOG_PACKETS, sizeof *l->frames)))
        abort();
    while (at > 0 && l->frames[at - 1].ended > p->ended)
        at--;
    for (size_t i = at; i > 0 && l->frames[i - 1].ended == p->ended; i--)
        if (l->frames[i - 1].sender == p->sender)
            return;
    if (l->count == AIRLOG_PACKETS) { /* the oldest goes */
        if (at == 0)
            return;
        memmove(l->frames, l->frames + 1, --l->count * sizeof *l->frames);
        at--;
    }
    memmove(l->frames + at + 1, l->frames + at, (l->count - at) * sizeof *l->frames);
    struct airlog_frame *f = &l->frames[at];
    *f = (struct airlog_frame){.begun = p->begun, .ended = p->ended, .sender = p->sender, .count = p->count};
    memcpy(f->bytes, p->bytes, p->count < sizeof f->bytes ? p->count : sizeof f->bytes);
    l->count++;
}

void airlog_forget(struct airlog *l, uint64_t now)
{
    while (l->count && l->frames[l->count - 1].ended > now)
        l->count--;
}

void airlog_free(struct airlog *l)
{
    free(l->frames);
    *l = (struct airlog){.frames = NULL};
}

struct line {
    char *text;
    size_t size, length;
};

static void airlog_say_line(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void airlog_say_line(struct line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(l->text + l->length, l->size - l->length, format, arguments);
    va_end(arguments);
    if (count > 0)
        l->length += (size_t)count < l->size - l->length ? (size_t)count : l->size - l->length - 1;
}

static void airlog_say_bytes(struct line *l, const uint8_t *bytes, size_t count)
{
    enum { SHOWN = 24 };
    for (size_t i = 0; i < count && i < SHOWN; i++)
        airlog_say_line(l, " %02x", bytes[i]);
    if (count > SHOWN)
        airlog_say_line(l, " ...");
}

static unsigned address_at(struct line *l, const uint8_t *at, unsigned mode)
{
    if (mode == SHORT)
        airlog_say_line(l, "%04x", at[0] | at[1] << 8);
    else if (mode == LONG)
        for (unsigned i = 8; i-- > 0;)
            airlog_say_line(l, "%02x", at[i]);
    else
        airlog_say_line(l, "-");
    return mode == SHORT ? 2 : mode == LONG ? 8 : 0;
}

/* A frame of IEEE 802.15.4 without its length. */
static void airlog_say_frame(struct line *l, const uint8_t *frame, size_t count)
{
    static const char *const types[] = {"beacon", "data", "ack", "command"};
    enum frame154_type type = frame154_type(frame);
    unsigned header = frame154_header_length(frame), at = 3;
    unsigned to = frame[1] >> 2 & 3, from = frame[1] >> 6 & 3;
    airlog_say_line(l, " %s", type <= FRAME154_COMMAND ? types[type] : "reserved");
    if (count < header + 2u || type > FRAME154_COMMAND) {
        airlog_say_line(l, ", %zu bytes:", count);
        airlog_say_bytes(l, frame, count);
        return;
    }
    airlog_say_line(l, " %u", frame[2]);
    if (to || from) {
        at += to ? 2 : 0;
        airlog_say_line(l, " to ");
        at += address_at(l, frame + at, to);
        at += from && !(frame[0] & FRAME154_INTRA_PAN) ? 2 : 0;
        airlog_say_line(l, " from ");
        address_at(l, frame + at, from);
    }
    if (frame[0] & FRAME154_ACK_REQUEST)
        airlog_say_line(l, ", to be acknowledged");
    if (count > header + 2u)
        airlog_say_line(l, ", %zu bytes:", count - header - 2);
    airlog_say_bytes(l, frame + header, count - header - 2);
}

static void say_one(struct line *l, const struct airlog_frame *f)
{
    size_t count = f->count < AIRLOG_BYTES ? f->count : AIRLOG_BYTES, at = 0;
    airlog_say_line(l, "%.6f s, node %" PRIu32 ", %.3f ms:", (double)f->begun * 1e-9, f->sender,
                    (double)(f->ended - f->begun) * 1e-6);
    while (at < count && f->bytes[at] == 0)
        at++;
    if (at > 0 && at + 5 <= count && f->bytes[at] == DELIMITER && at + 2 + (f->bytes[at + 1] & 0x7fu) <= count &&
        (f->bytes[at + 1] & 0x7f) >= 5)
        airlog_say_frame(l, f->bytes + at + 2, f->bytes[at + 1] & 0x7f);
    else
        airlog_say_bytes(l, f->bytes, count);
    airlog_say_line(l, "\n");
}

void airlog_say(const struct airlog *log, uint64_t now, size_t most, char *text, size_t size)
{
    struct line l = {text, size, 0};
    size_t end = log->count;
    while (end > 0 && log->frames[end - 1].ended > now)
        end--;
    if (end == 0)
        airlog_say_line(&l, "nothing was sent so far\n");
    for (size_t i = end > most ? end - most : 0; i < end; i++)
        say_one(&l, &log->frames[i]);
}
