/* packets: each transmission with its receivers, its losses, and the header of its frame, a line each.
 *
 * Taps on senders see what was sent, taps on receivers what became of it. Both go to spools. At the end of the run they
 * are merged by time and joined, by the sender's id and its count of transmissions. A transmission waits for its fates
 * as long as the latest fate of any was late, so that few of them are in memory at once. */
#include <stdarg.h>

#include "base/merge.h"
#include "monitor/packet_frame.h"
#include "monitor/records.h"

enum { ROUNDED = 1000000 }; /* nanoseconds: times of different nodes are rounded to their own ticks */

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
    uint64_t time;
    uint32_t sender, transmission, receiver;
    int32_t why; /* -1: it was received */
};

/* A transmission that waits for its fates. */
struct waiting {
    struct sent sent;
    struct fate *fates;
    size_t count, room;
};

struct packets {
    struct records records;
    const struct monitor_site *site;
    struct spool sent, fates;
    uint64_t latest; /* from the beginning of a transmission to its fate here, at most */
    uint64_t back;   /* how far a time was before one that was told earlier, at most */
    uint64_t last_sent, last_fate;
    struct waiting *waiting; /* while they are joined, by time */
    size_t waiting_count, waiting_room;
    struct fate *early; /* of transmissions that did not begin yet: a link loses them at once, at a node that sleeps */
    size_t early_count, early_room;
};

static const char *const columns[] = {"ended",       "hertz",    "dbm",      "bytes", "length",
                                      "kind",        "sequence", "network",  "to",    "from",
                                      "acknowledge", "type",     "received", "lost",  NULL};

/* ---- while it runs ---- */

static void packets_in_order(struct packets *p, uint64_t *last, uint64_t time)
{
    if (time<*last && * last - time> p->back)
        p->back = *last - time;
    *last = time > *last ? time : *last;
}

static void packets_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct packets *p = context;
    uint64_t begun = monitor_time(p->site, h->radio.begun), now = monitor_time(p->site, h->tick);
    if (h->what == MOTET_ON_RADIO_SEND) {
        struct sent s;
        memset(&s, 0, sizeof s); /* no bytes without a value */
        s.begun = begun;
        s.ended = now;
        s.hertz = h->radio.hertz;
        s.dbm = h->radio.dbm;
        s.transmission = h->radio.transmission;
        s.count = h->radio.count;
        s.framed = packet_frame_read(&s.frame, h->radio.bytes, h->radio.frame);
        packets_in_order(p, &p->last_sent, begun);
        spool_add(&p->sent, &s, sizeof s);
        return;
    }
    struct fate f = {now, h->radio.sender, h->radio.transmission, motet_node_id(n),
                     h->what == MOTET_ON_RADIO_RECEIVE ? -1 : (int32_t)h->radio.why};
    p->latest = now > begun && now - begun > p->latest ? now - begun : p->latest;
    packets_in_order(p, &p->last_fate, now);
    spool_add(&p->fates, &f, sizeof f);
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
    spool_begin(&p->sent, site->spool);
    spool_begin(&p->fates, site->spool);
    records_begin(&p->records, site, "packets", columns);
    motet_hook(site->node, MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS), packets_told, p);
    return p;
}

static void packets_end(void *state)
{
    struct packets *p = state;
    records_end(&p->records);
    spool_end(&p->sent);
    spool_end(&p->fates);
    free(p->waiting);
    free(p->early);
    free(p);
}

/* ---- when it is over ---- */

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

static void spell_fates(struct fates_text *t, const struct fate *list, size_t count)
{
    for (const struct fate *f = list; f < list + count; f++) {
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

/* ---- bringing both together ---- */

static int by_receiver(const void *left, const void *right)
{
    const struct fate *a = left, *b = right;
    return (a->receiver > b->receiver) - (a->receiver < b->receiver);
}

/* Tells of the transmissions that no fate can come for any more. */
static void packets_tell(struct packets *p, uint64_t begun_before)
{
    size_t done = 0;
    for (; done < p->waiting_count && p->waiting[done].sent.begun < begun_before; done++) {
        struct waiting *w = &p->waiting[done];
        struct fates_text t = {"", ""};
        if (w->count)
            qsort(w->fates, w->count, sizeof *w->fates, by_receiver);
        spell_fates(&t, w->fates, w->count);
        log_packet(p, &w->sent, &t);
        free(w->fates);
    }
    p->waiting_count -= done;
    if (done)
        memmove(p->waiting, p->waiting + done, p->waiting_count * sizeof *p->waiting);
}

/* States come in the order of their nodes' ids. */
static struct packets *packets_of(void *const *states, size_t count, uint32_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (motet_node_id(((const struct packets *)states[middle])->site->node) < id)
            low = middle + 1;
        else
            high = middle;
    }
    struct packets *p = low < count ? states[low] : NULL;
    return p && motet_node_id(p->site->node) == id ? p : NULL;
}

static void packets_add_fate(struct waiting *w, const struct fate *f)
{
    w->fates = memory_grow(w->fates, &w->room, w->count, sizeof *w->fates);
    w->fates[w->count++] = *f;
}

static void packets_join(struct packets *sender, const struct fate *f)
{
    for (size_t i = sender->waiting_count; i-- > 0;)
        if (sender->waiting[i].sent.transmission == f->transmission) {
            packets_add_fate(&sender->waiting[i], f);
            return;
        }
    sender->early = memory_grow(sender->early, &sender->early_room, sender->early_count, sizeof *sender->early);
    sender->early[sender->early_count++] = *f;
}

static void packets_wait(struct packets *p, const struct sent *s)
{
    struct waiting w = {.sent = *s};
    size_t kept = 0;
    for (size_t i = 0; i < p->early_count; i++)
        if (p->early[i].transmission == s->transmission)
            packets_add_fate(&w, &p->early[i]);
        else
            p->early[kept++] = p->early[i];
    p->early_count = kept;
    p->waiting = memory_grow(p->waiting, &p->waiting_room, p->waiting_count, sizeof *p->waiting);
    p->waiting[p->waiting_count++] = w;
}

/* What was sent by node i is sequence 2i, its fates 2i + 1: of the same time, what was sent comes first. */
struct joining {
    struct spool_reader reader;
    struct sent sent;
    struct fate fate;
};

static void joining_step(struct joining *j, struct merge *m, size_t sequence)
{
    if (sequence % 2 && spool_read(&j->reader, &j->fate, sizeof j->fate))
        merge_put(m, j->fate.time, sequence);
    else if (sequence % 2 == 0 && spool_read(&j->reader, &j->sent, sizeof j->sent))
        merge_put(m, j->sent.begun, sequence);
}

static struct joining *joining_begin(void *const *states, size_t count, struct merge *m)
{
    struct joining *all = memory_array(2 * count, sizeof *all);
    merge_begin(m);
    for (size_t i = 0; i < 2 * count; i++) {
        const struct packets *p = states[i / 2];
        spool_reader_begin(&all[i].reader, i % 2 ? &p->fates : &p->sent);
        joining_step(&all[i], m, i);
    }
    return all;
}

static void bring_together(void *const *states, size_t count)
{
    struct merge m;
    struct merge_head h;
    struct joining *all = joining_begin(states, count, &m);
    uint64_t patience = 0;
    for (size_t i = 0; i < count; i++) {
        const struct packets *p = states[i];
        uint64_t own = p->latest + p->back + ROUNDED;
        patience = own > patience ? own : patience;
    }
    while (merge_take(&m, &h)) {
        struct joining *j = &all[h.sequence];
        struct packets *p = states[h.sequence / 2];
        if (h.sequence % 2) {
            struct packets *sender = packets_of(states, count, j->fate.sender);
            if (sender)
                packets_join(sender, &j->fate);
        } else {
            packets_tell(p, h.time > patience ? h.time - patience : 0);
            packets_wait(p, &j->sent);
        }
        joining_step(j, &m, h.sequence);
    }
    for (size_t i = 0; i < count; i++)
        packets_tell(states[i], UINT64_MAX);
    for (size_t i = 0; i < 2 * count; i++)
        spool_reader_end(&all[i].reader);
    free(all);
    merge_end(&m);
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
