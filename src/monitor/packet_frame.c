#include "monitor/packet_frame.h"

enum {
    DATA = 1,
    ACK = 2,
    CHECK = 2,
    TINYOS_NETWORK = 0x3f
}; /* TinyOS's network byte, before the type of an active message */

const char *packet_frame_kind(unsigned kind)
{
    static const char *const names[8] = {"beacon", "data", "ack", "command", "kind 4", "kind 5", "kind 6", "kind 7"};
    return names[kind & 7];
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
    h.sequence = (int)packet_frame_take(c, 1);
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

/* Destination, source, length, group, type; high bytes first. */
static void packet_frame_read_tinyos(struct packet_frame *f, const uint8_t *header)
{
    f->known = true;
    f->kind = DATA;
    f->to_size = f->from_size = 2;
    f->to = (uint64_t)header[0] << 8 | header[1];
    f->from = (uint64_t)header[2] << 8 | header[3];
    f->length = header[4];
    f->network = header[5];
    f->type = header[6];
}

bool packet_frame_read(struct packet_frame *f, const uint8_t *bytes, struct motet_framing at)
{
    struct cursor c = {bytes + at.start, bytes + at.start + (at.count > CHECK ? at.count - CHECK : 0), false};
    *f = (struct packet_frame){.length = -1, .sequence = -1, .network = -1, .type = -1};
    switch (at.format) {
    case MOTET_FRAMING_NONE: return false;
    case MOTET_FRAMING_154:
    case MOTET_FRAMING_KIT:
        f->length = (int)at.count;
        packet_frame_read_header(f, &c);
        break;
    case MOTET_FRAMING_TINYOS: packet_frame_read_tinyos(f, bytes + at.start); break;
    case MOTET_FRAMING_TINYOS_ACK:
        f->known = true;
        f->kind = ACK;
        break;
    }
    return true;
}
