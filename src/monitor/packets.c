/* packets: each transmission with its receivers, its losses, and the header of its frame, a line each.
 *
 * Taps on senders see what was sent, taps on receivers what became of it. Both are joined at the end of the run, by the
 * sender's id and its count of transmissions. */
#include <stdarg.h>

#include "monitor/packet_frame.h"
#include "monitor/records.h"

struct sent {
    uint64_t begun, ended; /* nanoseconds */
    double hertz, dbm;
    uint32_t transmission;
    size_t count; /* bytes */
    bool framed;
    struct packet_frame frame;
};

/* What became of a transmission at a node. */
struct fate {
    uint32_t sender, transmission, receiver;
    float dbm;
    int8_t why; /* -1: it was received */
};

struct packets {
    struct records records;
    const struct monitor_site *site;
    struct sent *sent;
    size_t sent_count, sent_room;
    struct fate *fates;
    size_t fate_count, fate_room;
};

static const char *const columns[] = {"ended",       "hertz",    "dbm",      "bytes", "length",
                                      "kind",        "sequence", "network",  "to",    "from",
                                      "acknowledge", "type",     "received", "lost",  NULL};

/* ---- while it runs ---- */

static void packets_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct packets *p = context;
    if (h->what == MOTET_ON_RADIO_SEND) {
        p->sent = memory_grow(p->sent, &p->sent_room, p->sent_count, sizeof *p->sent);
        struct sent *s = &p->sent[p->sent_count++];
        *s = (struct sent){.begun = monitor_time(p->site, h->radio.begun),
                           .ended = monitor_time(p->site, h->tick),
                           .hertz = h->radio.hertz,
                           .dbm = h->radio.dbm,
                           .transmission = h->radio.transmission,
                           .count = h->radio.count};
        s->framed = packet_frame_read(&s->frame, h->radio.bytes, h->radio.frame);
        return;
    }
    p->fates = memory_grow(p->fates, &p->fate_room, p->fate_count, sizeof *p->fates);
    p->fates[p->fate_count++] = (struct fate){
        h->radio.sender,
        h->radio.transmission,
        motet_node_id(n),
        (float)h->radio.dbm,
        (int8_t)(h->what == MOTET_ON_RADIO_RECEIVE ? -1 : (int)h->radio.why),
    };
}

static void *packets_attach(const struct monitor_site *site, struct motet_error *e)
{
    const char *file = monitor_option(site, "file");
    if (file && strstr(file, "%id")) {
        monitor_sentence(e, "a packet belongs to its sender and its receivers; give one file for all nodes");
        return NULL;
    }
    struct packets *p = memory_new(sizeof *p);
    p->site = site;
    records_begin(&p->records, site, "packets", columns);
    motet_hook(site->node, MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS), packets_told, p);
    return p;
}

static void packets_end(void *state)
{
    struct packets *p = state;
    records_end(&p->records);
    free(p->sent);
    free(p->fates);
    free(p);
}

/* ---- when it is over ---- */

static int by_transmission(const void *left, const void *right)
{
    const struct fate *a = left, *b = right;
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    if (a->transmission != b->transmission)
        return a->transmission < b->transmission ? -1 : 1;
    return (a->receiver > b->receiver) - (a->receiver < b->receiver);
}

static struct fate *all_fates(void *const *states, size_t count, size_t *fates)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += ((const struct packets *)states[i])->fate_count;
    struct fate *list = memory_array(all + 1, sizeof *list);
    *fates = 0;
    for (size_t i = 0; i < count; i++) {
        const struct packets *p = states[i];
        for (size_t k = 0; k < p->fate_count; k++)
            list[(*fates)++] = p->fates[k];
    }
    qsort(list, all, sizeof *list, by_transmission);
    return list;
}

static const struct fate *first_fate(const struct fate *list, size_t count, uint32_t sender, uint32_t transmission)
{
    struct fate wanted = {.sender = sender, .transmission = transmission, .receiver = 0};
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_transmission(&list[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return list + low;
}

/* "2 3" and "4:damaged 5:missed", as far as there is room. */
struct fates_text {
    char received[600], lost[600];
};

static void __attribute__((format(printf, 2, 3))) packets_append(char text[600], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, 600 - used, format, arguments);
    va_end(arguments);
}

static void spell_fates(struct fates_text *t, const struct fate *f, const struct fate *end_of_list)
{
    uint32_t sender = f->sender, transmission = f->transmission;
    for (; f < end_of_list && f->sender == sender && f->transmission == transmission; f++) {
        if (f->why < 0)
            packets_append(t->received, "%s%" PRIu32, *t->received ? " " : "", f->receiver);
        else
            packets_append(t->lost, "%s%" PRIu32 ":%s", *t->lost ? " " : "", f->receiver,
                           motet_loss_name((enum motet_loss)f->why));
    }
}

static void spell_address(char text[24], unsigned size, uint64_t address)
{
    if (size == 8)
        snprintf(text, 24, "%016" PRIx64, address);
    else
        snprintf(text, 24, size ? "0x%04" PRIx64 : "-", address);
}

static void spell_header(char *text, size_t size, const struct packet_frame *f)
{
    char to[24], from[24], type[32] = "", network[32] = "", sequence[32] = "";
    spell_address(to, f->to_size, f->to);
    spell_address(from, f->from_size, f->from);
    if (f->sequence >= 0)
        snprintf(sequence, sizeof sequence, " %d", f->sequence);
    if (f->type >= 0)
        snprintf(type, sizeof type, " type 0x%02x", (unsigned)f->type);
    if (f->network >= 0)
        snprintf(network, sizeof network, " network 0x%04x", (unsigned)f->network);
    if (f->to_size || f->from_size)
        snprintf(text, size, "%s%s from %s to %s%s%s%s", packet_frame_kind(f->kind), sequence, from, to, network, type,
                 f->acknowledge ? " acknowledge" : "");
    else
        snprintf(text, size, "%s%s", packet_frame_kind(f->kind), sequence);
}

static void log_number(struct records *l, int value) /* -1: there is none */
{
    if (value >= 0)
        records_integer(l, value);
    else
        records_none(l);
}

static void log_header(struct records *l, const struct packet_frame *f)
{
    char to[24], from[24];
    if (!f->known) {
        for (unsigned i = 0; i < 7; i++)
            records_none(l);
        return;
    }
    spell_address(to, f->to_size, f->to);
    spell_address(from, f->from_size, f->from);
    records_text(l, packet_frame_kind(f->kind));
    log_number(l, f->sequence);
    log_number(l, f->network);
    records_text(l, to);
    records_text(l, from);
    records_integer(l, f->acknowledge);
    log_number(l, f->type);
}

static void log_packet(struct packets *p, const struct sent *s, const struct fates_text *t)
{
    const struct packet_frame *f = &s->frame;
    struct records *l = &p->records;
    char header[200], length[24] = "";
    snprintf(header, sizeof header, s->framed ? "frame" : "no frame");
    if (f->length >= 0)
        snprintf(length, sizeof length, " length %d", f->length);
    if (f->known)
        spell_header(header, sizeof header, f);
    records_add(l, s->begun, "sends %s%s, %.3f MHz %.1f dBm; received by %s%s%s", header, length, s->hertz / 1e6,
                s->dbm, *t->received ? t->received : "no node", *t->lost ? "; lost at " : "", t->lost);
    records_seconds(l, s->ended);
    records_real(l, s->hertz);
    records_real(l, s->dbm);
    records_integer(l, (int64_t)s->count);
    log_number(l, f->length);
    log_header(l, f);
    records_text(l, t->received);
    records_text(l, t->lost);
}

static void bring_together(void *const *states, size_t count)
{
    size_t fates;
    struct fate *list = all_fates(states, count, &fates);
    for (size_t i = 0; i < count; i++) {
        struct packets *p = states[i];
        uint32_t id = motet_node_id(p->site->node);
        for (size_t k = 0; k < p->sent_count; k++) {
            struct fates_text t = {"", ""};
            const struct fate *f = first_fate(list, fates, id, p->sent[k].transmission);
            if (f < list + fates && f->sender == id && f->transmission == p->sent[k].transmission)
                spell_fates(&t, f, list + fates);
            log_packet(p, &p->sent[k], &t);
        }
        p->sent_count = 0;
    }
    free(list);
}

static void packets_write(void *const *states, size_t count, const char *format, FILE *out)
{
    bring_together(states, count);
    records_write(states, count, format, out);
}

static const struct monitor_format formats[] = {RECORD_FORMATS, {.name = NULL}};

extern const struct monitor monitor_packets;
const struct monitor monitor_packets = {
    .name = "packets",
    .about = "each transmission with its header, its receivers, and where it was lost and why",
    .formats = formats,
    .attach = packets_attach,
    .free = packets_end,
    .together = packets_write,
};
