#include "export/pcap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decibel.h"
#include "base/memory.h"
#include "part/framing.h"
#include "part/reception.h"

/* Blocks and options of pcapng, as its specification numbers them. */
enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6, BYTE_ORDER_MAGIC = 0x1a2b3c4d };
enum { OPTION_END = 0, OPTION_COMMENT = 1, OPTION_NAME = 2, OPTION_RESOLUTION = 9 };
enum { LINKTYPE_TAP = 283, LINKTYPE_USER0 = 147 };
enum { INTERFACE_TAP, INTERFACE_TINYOS };
enum { SNAPLEN = 384, BLOCK_ROOM = SNAPLEN + 160 };

/* The TLVs of the TAP header, as its specification numbers them. */
enum {
    TAP_FCS = 0,
    TAP_RSS = 1,
    TAP_BIT_RATE = 2,
    TAP_CHANNEL = 3,
    TAP_SOF = 5,
    TAP_EOF = 6,
    TAP_LQI = 10,
    TAP_FREQUENCY = 11,
};
enum { FCS_NONE = 0, FCS_16 = 1, FCS_BYTES = 2 };

/* What a node has on the air. */
struct capture {
    uint64_t begun;
    uint32_t sender;
    double hertz, bit_rate;
    struct medium_listener *listeners; /* the first `heard_by` of them, by number; the gain is the power in dBm */
    size_t heard_by;
    uint32_t best;      /* of them the node that hears it loudest */
    float dbm;          /* and how loud */
    double disturbance; /* what else is heard there meanwhile, in milliwatts times nanoseconds */
    bool on_air;
    struct framing_bytes bytes;
};

struct pcap {
    FILE *file;
    char *path;
    int failed; /* errno of the first write that did; 0: none */
    const struct network *network;
    struct capture *captures; /* by node */
    size_t count;
    uint32_t *on_air; /* the nodes that send; with room for all */
    size_t on_air_count;
    uint64_t ended, written; /* transmissions; frames */
    bool tinyos;             /* its interface is declared */
};

/* ---- blocks of the file, little end first ---- */

struct block {
    uint8_t bytes[BLOCK_ROOM];
    size_t used;
};

static void pcap_put(struct block *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->bytes[b->used++] = (uint8_t)(value >> 8 * i);
}

static void pcap_put_bytes(struct block *b, const void *bytes, size_t count)
{
    memcpy(b->bytes + b->used, bytes, count);
    b->used += count;
}

static void pcap_pad(struct block *b)
{
    while (b->used % 4)
        b->bytes[b->used++] = 0;
}

static void pcap_put_text(struct block *b, unsigned option, const char *text)
{
    pcap_put(b, option, 2);
    pcap_put(b, strlen(text), 2);
    pcap_put_bytes(b, text, strlen(text));
    pcap_pad(b);
}

static struct block pcap_block(unsigned type)
{
    struct block b = {.used = 0};
    pcap_put(&b, type, 4);
    pcap_put(&b, 0, 4); /* the length, when it is known */
    return b;
}

static void pcap_write(struct pcap *p, struct block *b)
{
    size_t length = b->used + 4;
    b->used = 4;
    pcap_put(b, length, 4);
    b->used = length - 4;
    pcap_put(b, length, 4);
    if (fwrite(b->bytes, 1, b->used, p->file) != b->used && !p->failed)
        p->failed = errno;
}

/* What is written so far is in the file now: a reader of a FIFO sees each frame when it ends. */
static void pcap_flush(struct pcap *p)
{
    if (fflush(p->file) != 0 && !p->failed)
        p->failed = errno;
}

static void pcap_declare_interface(struct pcap *p, unsigned link_type, const char *name)
{
    struct block b = pcap_block(BLOCK_INTERFACE);
    pcap_put(&b, link_type, 2);
    pcap_put(&b, 0, 2);
    pcap_put(&b, SNAPLEN, 4);
    pcap_put_text(&b, OPTION_NAME, name);
    pcap_put(&b, OPTION_RESOLUTION, 2); /* nanoseconds */
    pcap_put(&b, 1, 2);
    pcap_put(&b, 9, 4);
    pcap_put(&b, OPTION_END, 4);
    pcap_write(p, &b);
}

struct pcap *pcap_open(const char *path, const struct network *network, struct motet_error *e)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        error_set(e, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    struct pcap *p = memory_new(sizeof *p);
    struct block b = pcap_block(BLOCK_SECTION);
    p->path = memory_string(path);
    p->file = file;
    p->network = network;
    pcap_put(&b, BYTE_ORDER_MAGIC, 4);
    pcap_put(&b, 1, 2); /* version 1.0 */
    pcap_put(&b, 0, 2);
    pcap_put(&b, UINT64_MAX, 8); /* how long the section is, is not said */
    pcap_write(p, &b);
    pcap_declare_interface(p, LINKTYPE_TAP, "IEEE 802.15.4");
    pcap_flush(p);
    return p;
}

uint64_t pcap_empty(const struct pcap *p)
{
    return p->written ? 0 : p->ended;
}

bool pcap_close(struct pcap *p, struct motet_error *e)
{
    if (!p)
        return true;
    if (fclose(p->file) != 0 && !p->failed)
        p->failed = errno;
    bool good = !p->failed;
    if (!good)
        error_set(e, "cannot write all of %s: %s", p->path, strerror(p->failed));
    for (size_t i = 0; i < p->count; i++)
        free(p->captures[i].listeners);
    free(p->captures);
    free(p->on_air);
    free(p->path);
    free(p);
    return good;
}

/* ---- frames ---- */

/* Channels 11 to 26 of page 0: 2405 MHz and 5 MHz on for each. 0 for anywhere else. */
static unsigned channel_of(double hertz)
{
    double steps = (hertz - 2405e6) / 5e6 + 0.5;
    return steps >= 0 && steps < 16 ? 11 + (unsigned)steps : 0;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint8_t link_quality(const struct pcap *p, const struct capture *c, uint64_t ended)
{
    float noise = p->network ? network_noise(p->network, c->best, c->begun) : AIR_NOISE;
    double others = c->disturbance / (double)(ended > c->begun ? ended - c->begun : 1);
    return reception_link_quality(decibel_of(decibel_ratio((double)c->dbm) / (decibel_ratio((double)noise) + others)));
}

static void pcap_put_tlv(struct block *b, unsigned type, uint64_t value, unsigned bytes)
{
    pcap_put(b, type, 2);
    pcap_put(b, bytes, 2);
    pcap_put(b, value, (bytes + 3) / 4 * 4);
}

static void pcap_put_tap(const struct pcap *p, struct block *b, const struct capture *c, unsigned fcs, uint64_t ended)
{
    size_t start = b->used;
    pcap_put(b, 0, 4); /* version, reserved, and the length when it is known */
    pcap_put_tlv(b, TAP_FCS, fcs, 1);
    if (c->heard_by)
        pcap_put_tlv(b, TAP_RSS, float_bits(c->dbm), 4);
    if (fcs == FCS_NONE) /* not at 2.4 GHz: a rate and a frequency that no page of channels has */
        pcap_put_tlv(b, TAP_BIT_RATE, (uint64_t)c->bit_rate, 4);
    if (channel_of(c->hertz))
        pcap_put_tlv(b, TAP_CHANNEL, channel_of(c->hertz), 3);
    else
        pcap_put_tlv(b, TAP_FREQUENCY, float_bits((float)(c->hertz / 1e3)), 4);
    pcap_put_tlv(b, TAP_SOF, c->begun, 8);
    pcap_put_tlv(b, TAP_EOF, ended, 8);
    if (c->heard_by && fcs == FCS_16) /* a CC1000 measures none */
        pcap_put_tlv(b, TAP_LQI, link_quality(p, c, ended), 1);
    b->bytes[start + 2] = (uint8_t)(b->used - start);
}

static struct block pcap_packet(unsigned interface, uint64_t nanosecond, size_t length)
{
    struct block b = pcap_block(BLOCK_PACKET);
    pcap_put(&b, interface, 4);
    pcap_put(&b, nanosecond >> 32, 4);
    pcap_put(&b, nanosecond, 4);
    pcap_put(&b, length, 4);
    pcap_put(&b, length, 4);
    return b;
}

static void pcap_write_tap(struct pcap *p, const struct capture *c, struct motet_framing frame, uint64_t ended)
{
    bool standard = frame.format == MOTET_FRAMING_154;
    size_t length = standard ? frame.count : frame.count - FCS_BYTES;
    struct block tap = {.used = 0};
    pcap_put_tap(p, &tap, c, standard ? FCS_16 : FCS_NONE, ended);
    struct block b = pcap_packet(INTERFACE_TAP, c->begun, tap.used + length);
    pcap_put_bytes(&b, tap.bytes, tap.used);
    pcap_put_bytes(&b, c->bytes.bytes + frame.start, length);
    pcap_pad(&b);
    pcap_write(p, &b);
}

static void pcap_write_tinyos(struct pcap *p, const struct capture *c, struct motet_framing frame)
{
    char comment[120], power[64] = "";
    if (!p->tinyos)
        pcap_declare_interface(p, LINKTYPE_USER0, "TinyOS on a CC1000");
    p->tinyos = true;
    if (c->heard_by)
        snprintf(power, sizeof power, ", heard loudest at %.1f dBm", (double)c->dbm);
    snprintf(comment, sizeof comment, "node %" PRIu32 ", %.3f MHz%s", c->sender, c->hertz / 1e6, power);
    struct block b = pcap_packet(INTERFACE_TINYOS, c->begun, frame.count);
    pcap_put_bytes(&b, c->bytes.bytes + frame.start, frame.count);
    pcap_pad(&b);
    pcap_put_text(&b, OPTION_COMMENT, comment);
    pcap_put(&b, OPTION_END, 4);
    pcap_write(p, &b);
}

static void pcap_write_frame(struct pcap *p, const struct capture *c, uint64_t ended)
{
    struct motet_framing frame = framing_find(c->bytes.bytes, c->bytes.count);
    p->ended++;
    switch (frame.format) {
    case MOTET_FRAMING_NONE: return;
    case MOTET_FRAMING_154:
    case MOTET_FRAMING_KIT: pcap_write_tap(p, c, frame, ended); break;
    case MOTET_FRAMING_TINYOS:
    case MOTET_FRAMING_TINYOS_ACK: pcap_write_tinyos(p, c, frame); break;
    }
    p->written++;
    pcap_flush(p);
}

static struct capture *capture_of(struct pcap *p, uint32_t node)
{
    if (node >= p->count) {
        size_t count = p->count ? p->count : 16;
        while (count <= node)
            count *= 2;
        p->captures = memory_resize(p->captures, count, sizeof *p->captures);
        memset(p->captures + p->count, 0, (count - p->count) * sizeof *p->captures);
        p->on_air = memory_resize(p->on_air, count, sizeof *p->on_air);
        p->count = count;
    }
    return &p->captures[node];
}

/* ---- listeners ---- */

void pcap_heard(struct pcap *p, uint32_t node, const struct medium_listener *listeners, size_t count)
{
    struct capture *c = capture_of(p, node);
    struct medium_listener *list = memory_resize(c->listeners, count + 1, sizeof *list);
    if (count)
        memcpy(list, listeners, count * sizeof *list);
    *c = (struct capture){.listeners = list, .heard_by = count};
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i].gain > c->dbm) {
            c->best = list[i].node;
            c->dbm = list[i].gain;
        }
}

/* Milliwatts of a transmission at a node. */
static double pcap_power_at(const struct capture *c, uint32_t node)
{
    size_t low = 0, high = c->heard_by;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->listeners[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->heard_by && c->listeners[low].node == node ? decibel_ratio((double)c->listeners[low].gain) : 0;
}

/* One of them ends: for how long they were on the air together, and what it did to the other. */
static void disturb(struct capture *c, const struct capture *by, uint64_t ended)
{
    uint64_t from = c->begun > by->begun ? c->begun : by->begun;
    double apart = c->hertz > by->hertz ? c->hertz - by->hertz : by->hertz - c->hertz;
    if (c->heard_by && apart < 1e6 && ended > from)
        c->disturbance += pcap_power_at(by, c->best) * (double)(ended - from);
}

static void leave_air(struct pcap *p, uint32_t node)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->on_air_count; i++)
        if (p->on_air[i] != node)
            p->on_air[kept++] = p->on_air[i];
    p->on_air_count = kept;
    p->captures[node].on_air = false;
}

static void pcap_end(struct pcap *p, uint32_t node, uint64_t ended)
{
    struct capture *c = &p->captures[node];
    leave_air(p, node);
    for (size_t i = 0; i < p->on_air_count; i++) {
        struct capture *other = &p->captures[p->on_air[i]];
        disturb(c, other, ended);
        disturb(other, c, ended);
    }
    pcap_write_frame(p, c, ended);
}

/* ---- messages ---- */

static void pcap_begin(struct pcap *p, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct capture *c = &p->captures[node];
    leave_air(p, node);
    p->on_air[p->on_air_count++] = node;
    c->begun = nanosecond;
    c->sender = m->sender;
    c->hertz = m->hertz;
    c->bit_rate = m->bit_rate;
    c->disturbance = 0;
    c->bytes = (struct framing_bytes){.count = 0};
    c->on_air = true;
}

void pcap_said(struct pcap *p, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct capture *c = capture_of(p, node);
    if (m->kind == AIR_BEGIN)
        pcap_begin(p, node, nanosecond, m);
    if (!c->on_air)
        return;
    if (m->kind == AIR_BYTES)
        framing_take(&c->bytes, m);
    if (m->kind == AIR_END)
        pcap_end(p, node, nanosecond);
}
