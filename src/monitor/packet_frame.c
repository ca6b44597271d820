#include "monitor/packet_frame.h"

enum { DATA = 1, CHECK = 2, TINYOS_NETWORK = 0x3f }; /* TinyOS's network byte, before the type of an active message */

const char *packet_frame_kind(unsigned kind)
{
    static const char *const names[8] = {"beacon", "data", "ack", "command", "kind 4", "kind 5", "kind 6", "kind 7"};
    return names[kind & 7];
}

/* After preamble and delimiter; 0 if there is none. */
static size_t behind_delimiter(const uint8_t *bytes, size_t count)
{
    size_t at = 0;
    uint8_t preamble = count && bytes[0] == 0xaa ? 0xaa : 0;
    while (at < count && bytes[at] == preamble)
        at++;
    if (preamble)
        return at + 2 < count && bytes[at] == 0x33 && bytes[at + 1] == 0xcc ? at + 2 : 0;
    return at && at + 1 < count && bytes[at] == 0xa7 ? at + 1 : 0;
}

struct cursor {
    const uint8_t *at, *end;
    bool short_of;
};

static uint64_t packet_frame_take(struct cursor *c, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < size) {
        c->short_of = true;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)c->at[i] << 8 * i;
    c->at += size;
    return value;
}

/* 7.2.1.1: the addressing modes say which addresses and networks there are. */
static void packet_frame_read_header(struct packet_frame *f, struct cursor *c)
{
    static const unsigned sizes[] = {0, 0, 2, 8};
    unsigned control = (unsigned)packet_frame_take(c, 2);
    struct packet_frame h = *f;
    h.kind = control & 7;
    h.acknowledge = control >> 5 & 1;
    h.sequence = (unsigned)packet_frame_take(c, 1);
    h.to_size = sizes[control >> 10 & 3];
    h.from_size = sizes[control >> 14 & 3];
    if (h.to_size) {
        h.network = (int)packet_frame_take(c, 2);
        h.to = packet_frame_take(c, h.to_size);
    }
    if (h.from_size) {
        bool same = control >> 6 & 1 && h.to_size;
        int network = same ? h.network : (int)packet_frame_take(c, 2);
        h.network = h.to_size ? h.network : network;
        h.from = packet_frame_take(c, h.from_size);
    }
    bool secured = control >> 3 & 1;
    if (c->short_of)
        return;
    if (h.kind == DATA && !secured && c->at < c->end) {
        bool tinyos = *c->at == TINYOS_NETWORK && c->end - c->at > 1;
        h.type = tinyos ? c->at[1] : *c->at;
    }
    h.known = true;
    *f = h;
}

bool packet_frame_read(struct packet_frame *f, const uint8_t *bytes, size_t count)
{
    size_t start = behind_delimiter(bytes, count);
    *f = (struct packet_frame){.network = -1, .type = -1};
    if (!start)
        return false;
    f->length = bytes[start] & 0x7f;
    f->bytes = bytes + start + 1;
    if (f->length > count - start - 1)
        return false;
    struct cursor c = {f->bytes, f->bytes + (f->length > CHECK ? f->length - CHECK : 0), false};
    packet_frame_read_header(f, &c);
    return true;
}
