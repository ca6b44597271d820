#include "debug/air_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "part/frame154.h"

enum { SHORT = 2, LONG = 3, SHORTEST = 5, CHECK = 2, TINYOS_HEADER = 7 };

bool air_history_begins(struct air_history *l, uint64_t now)
{
    if (now >= l->from && now <= l->to)
        return false;
    l->count = 0;
    l->from = l->to = now;
    return true;
}

void air_history_ended(struct air_history *l, uint64_t now)
{
    l->to = now > l->to ? now : l->to;
}

/* Sorted by their end; what is there already is there. */
void air_history_heard(struct air_history *l, const struct air_history_packet *p)
{
    size_t at = l->count;
    if (p->begun < l->from)
        return; /* a part of it is not known */
    if (!l->frames)
        l->frames = memory_array(AIR_HISTORY_PACKETS, sizeof *l->frames);
    while (at > 0 && l->frames[at - 1].ended > p->ended)
        at--;
    for (size_t i = at; i > 0 && l->frames[i - 1].ended == p->ended; i--)
        if (l->frames[i - 1].sender == p->sender)
            return;
    if (l->count == AIR_HISTORY_PACKETS) { /* the oldest goes */
        if (at == 0)
            return;
        l->from = l->frames[0].begun + 1;
        memmove(l->frames, l->frames + 1, --l->count * sizeof *l->frames);
        at--;
    }
    memmove(l->frames + at + 1, l->frames + at, (l->count - at) * sizeof *l->frames);
    struct air_history_frame *f = &l->frames[at];
    *f = (struct air_history_frame){.begun = p->begun, .ended = p->ended, .sender = p->sender, .count = p->count};
    memcpy(f->bytes, p->bytes, p->count < sizeof f->bytes ? p->count : sizeof f->bytes);
    l->count++;
}

void air_history_forget(struct air_history *l, uint64_t now)
{
    while (l->count && l->frames[l->count - 1].ended > now)
        l->count--;
    l->to = now < l->to ? now : l->to;
    l->from = l->to < l->from ? l->to : l->from;
}

void air_history_free(struct air_history *l)
{
    free(l->frames);
    *l = (struct air_history){.frames = NULL};
}

static void air_history_say_bytes(struct line *l, const uint8_t *bytes, size_t count)
{
    enum { SHOWN = 24 };
    for (size_t i = 0; i < count && i < SHOWN; i++)
        line_say(l, " %02x", bytes[i]);
    if (count > SHOWN)
        line_say(l, " ...");
}

static unsigned address_at(struct line *l, const uint8_t *at, unsigned mode)
{
    if (mode == SHORT)
        line_say(l, "%04x", at[0] | at[1] << 8);
    else if (mode == LONG)
        for (unsigned i = 8; i-- > 0;)
            line_say(l, "%02x", at[i]);
    else
        line_say(l, "-");
    return mode == SHORT ? 2 : mode == LONG ? 8 : 0;
}

void air_history_say_frame(struct line *l, const uint8_t *frame, size_t count)
{
    static const char *const types[] = {"beacon", "data", "ack", "command"};
    enum frame154_type type = frame154_type(frame);
    unsigned header = frame154_header_length(frame), at = 3;
    unsigned to = frame[1] >> 2 & 3, from = frame[1] >> 6 & 3;
    line_say(l, " %s", type <= FRAME154_COMMAND ? types[type] : "reserved");
    if (count < header + 2u || type > FRAME154_COMMAND) {
        line_say(l, ", %zu bytes:", count);
        air_history_say_bytes(l, frame, count);
        return;
    }
    line_say(l, " %u", frame[2]);
    if (to || from) {
        at += to ? 2 : 0;
        line_say(l, " to ");
        at += address_at(l, frame + at, to);
        at += from && !(frame[0] & FRAME154_INTRA_PAN) ? 2 : 0;
        line_say(l, " from ");
        address_at(l, frame + at, from);
    }
    if (frame[0] & FRAME154_ACK_REQUEST)
        line_say(l, ", to be acknowledged");
    if (count > header + 2u)
        line_say(l, ", %zu bytes:", count - header - 2);
    air_history_say_bytes(l, frame + header, count - header - 2);
}

/* Destination, source, length, group and type, high bytes first (part/framing.h). */
static void air_history_say_tinyos(struct line *l, const uint8_t *frame, size_t count)
{
    size_t data = count - TINYOS_HEADER - CHECK;
    line_say(l, " data to %02x%02x from %02x%02x, group %02x, type %02x", frame[0], frame[1], frame[2], frame[3],
             frame[5], frame[6]);
    if (data > 0)
        line_say(l, ", %zu bytes:", data);
    air_history_say_bytes(l, frame + TINYOS_HEADER, data);
}

char *air_history_text(const struct air_history_packet *p, char *text, size_t size)
{
    struct line l = {text, size, 0};
    size_t count = p->count < AIR_HISTORY_BYTES ? p->count : AIR_HISTORY_BYTES;
    struct motet_framing f = framing_find(p->bytes, count);
    const uint8_t *frame = p->bytes + f.start;
    line_say(&l, "%.6f s, node %" PRIu32 ", %.3f ms:", (double)p->begun * 1e-9, p->sender,
             (double)(p->ended - p->begun) * 1e-6);
    if (f.format == MOTET_FRAMING_TINYOS)
        air_history_say_tinyos(&l, frame, f.count);
    else if (f.format == MOTET_FRAMING_TINYOS_ACK)
        line_say(&l, " ack");
    else if (f.format != MOTET_FRAMING_NONE && f.count >= SHORTEST)
        air_history_say_frame(&l, frame, f.count);
    else
        air_history_say_bytes(&l, p->bytes, count);
    return text;
}

size_t air_history_count(const struct air_history *l, uint64_t now)
{
    size_t count = now >= l->from && now <= l->to ? l->count : 0;
    while (count > 0 && l->frames[count - 1].ended > now)
        count--;
    return count;
}

const struct air_history_frame *air_history_last(const struct air_history *l, uint64_t now, size_t number)
{
    size_t count = air_history_count(l, now);
    return number < count ? &l->frames[count - 1 - number] : NULL;
}
