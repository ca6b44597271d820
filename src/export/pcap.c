#include "export/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decibel.h"
#include "base/memory.h"
#include "part/reception.h"

enum {
    MAGIC_NANOSECONDS = 0xa1b23c4d,
    LINKTYPE_TAP = 283,
    SNAPLEN = 256,
    DELIMITER = 0xa7, /* IEEE 802.15.4-2006, 6.3.2 */
    PREAMBLE_LIMIT = 16,
    FRAME_LIMIT = 127,
};

/* The TLVs of the TAP header, as its specification numbers them. */
enum { TAP_FCS = 0, TAP_RSS = 1, TAP_CHANNEL = 3, TAP_SOF = 5, TAP_EOF = 6, TAP_LQI = 10 };

/* What a node has on the air. */
struct capture {
    uint64_t begun;
    double hertz;
    struct medium_listener *listeners; /* the first `heard_by` of them, by number; the gain is the power in dBm */
    size_t heard_by;
    uint32_t best;      /* of them the node that hears it loudest */
    float dbm;          /* and how loud */
    double disturbance; /* what else is heard there meanwhile, in milliwatts times nanoseconds */
    bool on_air, whole;
    uint16_t count;
    uint8_t bytes[PREAMBLE_LIMIT + 2 + FRAME_LIMIT];
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
};

/* ---- bytes of the file, little end first ---- */

struct packet {
    uint8_t bytes[SNAPLEN];
    size_t used;
};

static void pcap_put(struct packet *p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p->bytes[p->used++] = (uint8_t)(value >> 8 * i);
}

static void put_option(struct packet *p, unsigned type, uint64_t value, unsigned bytes)
{
    pcap_put(p, type, 2);
    pcap_put(p, bytes, 2);
    pcap_put(p, value, (bytes + 3) / 4 * 4);
}

static void pcap_write_out(struct pcap *p, const struct packet *packet)
{
    if (fwrite(packet->bytes, 1, packet->used, p->file) != packet->used && !p->failed)
        p->failed = errno;
}

/* What is written so far is in the file now: a reader of a FIFO sees each frame when it ends. */
static void pcap_flush(struct pcap *p)
{
    if (fflush(p->file) != 0 && !p->failed)
        p->failed = errno;
}

struct pcap *pcap_open(const char *path, const struct network *network, struct motet_error *e)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        error_set(e, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    struct pcap *p = memory_new(sizeof *p);
    struct packet header = {.used = 0};
    p->path = memory_string(path);
    p->file = file;
    p->network = network;
    pcap_put(&header, MAGIC_NANOSECONDS, 4);
    pcap_put(&header, 2, 2); /* version 2.4 */
    pcap_put(&header, 4, 2);
    pcap_put(&header, 0, 8);
    pcap_put(&header, SNAPLEN, 4);
    pcap_put(&header, LINKTYPE_TAP, 4);
    pcap_write_out(p, &header);
    pcap_flush(p);
    return p;
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

static void put_tap(const struct pcap *pcap, struct packet *p, const struct capture *c, uint64_t ended)
{
    size_t start = p->used;
    pcap_put(p, 0, 4);            /* version, reserved, and the length when it is known */
    put_option(p, TAP_FCS, 1, 1); /* 16 bits of CRC */
    if (c->heard_by)
        put_option(p, TAP_RSS, float_bits(c->dbm), 4);
    if (channel_of(c->hertz))
        put_option(p, TAP_CHANNEL, channel_of(c->hertz), 3);
    put_option(p, TAP_SOF, c->begun, 8);
    put_option(p, TAP_EOF, ended, 8);
    if (c->heard_by)
        put_option(p, TAP_LQI, link_quality(pcap, c, ended), 1);
    p->bytes[start + 2] = (uint8_t)(p->used - start);
}

/* The frame after preamble, delimiter and length; NULL if it is incomplete. */
static const uint8_t *pcap_frame_of(const struct capture *c, unsigned *length)
{
    unsigned at = 0;
    while (at < c->count && at < PREAMBLE_LIMIT && c->bytes[at] == 0)
        at++;
    if (at == 0 || at + 2 > c->count || c->bytes[at] != DELIMITER)
        return NULL;
    *length = c->bytes[at + 1] & 0x7f;
    return at + 2 + *length <= c->count ? c->bytes + at + 2 : NULL;
}

static void write_frame(struct pcap *p, const struct capture *c, uint64_t ended)
{
    unsigned length;
    const uint8_t *frame = c->whole ? pcap_frame_of(c, &length) : NULL;
    struct packet record = {.used = 0}, body = {.used = 0};
    if (!frame)
        return;
    put_tap(p, &body, c, ended);
    memcpy(body.bytes + body.used, frame, length);
    body.used += length;
    pcap_put(&record, c->begun / 1000000000, 4);
    pcap_put(&record, c->begun % 1000000000, 4);
    pcap_put(&record, body.used, 4);
    pcap_put(&record, body.used, 4);
    pcap_write_out(p, &record);
    pcap_write_out(p, &body);
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
    write_frame(p, c, ended);
}

/* ---- messages ---- */

static void pcap_begin(struct pcap *p, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct capture *c = &p->captures[node];
    leave_air(p, node);
    p->on_air[p->on_air_count++] = node;
    c->begun = nanosecond;
    c->hertz = m->hertz;
    c->disturbance = 0;
    c->count = 0;
    c->on_air = c->whole = true;
}

void pcap_said(struct pcap *p, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct capture *c = capture_of(p, node);
    if (m->modulation != AIR_OQPSK_250K)
        return;
    if (m->kind == AIR_BEGIN)
        pcap_begin(p, node, nanosecond, m);
    if (!c->on_air)
        return;
    if (m->kind == AIR_BYTES) {
        c->whole = c->whole && m->first == c->count && m->count <= sizeof c->bytes - c->count;
        if (c->whole) {
            memcpy(c->bytes + c->count, m->bytes, m->count);
            c->count = (uint16_t)(c->count + m->count);
        }
    }
    if (m->kind == AIR_END)
        pcap_end(p, node, nanosecond);
}
