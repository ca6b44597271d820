#include "merge/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "merge/story_internal.h"

enum { FOLLOW_BUCKETS = 65536 };
#define FOLLOW_NONE UINT64_MAX

struct follow_event {
    enum causal_kind kind;
    uint64_t time, content; /* time: of the node's clock */
    uint32_t from;
    uint64_t packet; /* of a send: which; FOLLOW_NONE: it is a copy, or none */
    uint64_t first;  /* of a copy: the packet that it repeats */
    char *what, *details, *place, *bytes;
    bool waits, new_clock;
};

/* A packet, once its send has come in. */
struct follow_packet {
    uint64_t content, previous; /* previous: the packet before it in its bucket */
    uint64_t number;            /* of the send on its node */
    uint64_t local, global;     /* global: once it is written */
    uint32_t node;
    bool written;
    bool missed;     /* what received it was written before */
    uint32_t *clock; /* vector clock, once it is written */
};

struct follow_node {
    uint32_t id;
    bool named, ended, begun;
    uint32_t island;            /* nodes whose clocks messages have tied to each other have the same */
    struct follow_event *queue; /* from `head` on */
    size_t head, count, room;
    uint64_t taken;        /* events that have left the queue */
    uint64_t heard;        /* host's time of the last event */
    int64_t offset;        /* of its clock: local less global */
    uint64_t last;         /* global time of what was written last */
    uint64_t newest;       /* local time of what came in last */
    uint64_t packet, sent; /* the last packet that it sent, and the local time of its last copy */
    bool new_clock;        /* the next event has one */
    uint32_t *clock;       /* vector clock after what was written */
    uint64_t *carried;     /* by sender: the last packet that came from it */
};

struct follow {
    struct follow_options options;
    struct follow_node *nodes;
    struct follow_packet *packets; /* a ring */
    uint64_t packet_count;
    uint64_t buckets[FOLLOW_BUCKETS];  /* the last packet of each */
    uint64_t unknowns[FOLLOW_BUCKETS]; /* contents of receives that were written without a send; 0: none */
    struct follow_counts counts;
    uint32_t islands;            /* numbers given so far */
    uint64_t began, began_local; /* the host's time of the first event, and that event's */
};

/* ---- life ---- */

struct follow *follow_new(const struct follow_options *o)
{
    struct follow *f = memory_new(sizeof *f);
    f->options = *o;
    f->options.delay = o->delay ? o->delay : 100000000;
    f->options.copies = o->copies ? o->copies : 30000000;
    f->options.patience = o->patience ? o->patience : UINT64_C(2000000000);
    f->nodes = memory_array(o->nodes, sizeof *f->nodes);
    f->packets = memory_array(FOLLOW_PACKETS, sizeof *f->packets);
    memset(f->buckets, 0xff, sizeof f->buckets);
    for (uint32_t i = 0; i < o->nodes; i++) {
        f->nodes[i].clock = memory_array(o->nodes, sizeof(uint32_t));
        f->nodes[i].carried = memory_array(o->nodes, sizeof(uint64_t));
        f->nodes[i].packet = FOLLOW_NONE;
        f->nodes[i].island = f->islands++;
    }
    return f;
}

static void follow_free_event(struct follow_event *e)
{
    free(e->what);
    free(e->details);
    free(e->place);
    free(e->bytes);
}

void follow_free(struct follow *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->options.nodes; i++) {
        struct follow_node *n = &f->nodes[i];
        for (size_t k = n->head; k < n->count; k++)
            follow_free_event(&n->queue[k]);
        free(n->queue);
        free(n->clock);
        free(n->carried);
    }
    for (size_t i = 0; i < FOLLOW_PACKETS; i++)
        free(f->packets[i].clock);
    free(f->packets);
    free(f->nodes);
    free(f);
}

void follow_name(struct follow *f, uint32_t node, uint32_t id)
{
    f->nodes[node].id = id;
    f->nodes[node].named = true;
}

uint32_t follow_id(const struct follow *f, uint32_t node)
{
    return f->nodes[node].id;
}

/* ---- packets ---- */

static bool follow_remembers(const struct follow *f, uint64_t packet)
{
    return packet != FOLLOW_NONE && packet + FOLLOW_PACKETS >= f->packet_count && packet < f->packet_count;
}

static struct follow_packet *follow_packet(const struct follow *f, uint64_t packet)
{
    return &f->packets[packet % FOLLOW_PACKETS];
}

static void follow_add_packet(struct follow *f, uint32_t node, struct follow_event *e, uint64_t number)
{
    struct follow_packet *p = follow_packet(f, f->packet_count);
    uint64_t *bucket = &f->buckets[e->content % FOLLOW_BUCKETS];
    free(p->clock);
    uint64_t *unknown = &f->unknowns[e->content % FOLLOW_BUCKETS];
    *p = (struct follow_packet){.content = e->content,
                                .previous = *bucket,
                                .number = number,
                                .local = e->time,
                                .node = node,
                                .missed = *unknown == e->content};
    *unknown = p->missed ? 0 : *unknown;
    e->packet = *bucket = f->packet_count++;
}

/* A send, or a copy of what its node sent just before. */
static void follow_note_send(struct follow *f, uint32_t node, struct follow_event *e, uint64_t number)
{
    struct follow_node *n = &f->nodes[node];
    const struct follow_packet *last = follow_remembers(f, n->packet) ? follow_packet(f, n->packet) : NULL;
    if (last && last->content == e->content && !e->new_clock && e->time - n->sent <= f->options.copies) {
        e->first = n->packet;
    } else {
        follow_add_packet(f, node, e, number);
        n->packet = e->packet;
    }
    n->sent = e->time;
}

/* ---- coming in ---- */

static char *follow_hex(const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char *text = memory_bytes(2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    return text;
}

static void follow_make_room(struct follow_node *n)
{
    if (n->head && n->head * 2 >= n->count) {
        memmove(n->queue, n->queue + n->head, (n->count - n->head) * sizeof *n->queue);
        n->count -= n->head;
        n->head = 0;
    }
    n->queue = memory_grow(n->queue, &n->room, n->count, sizeof *n->queue);
}

/* Until messages align its clock: what a node logs first happens when it comes in. */
static void follow_begin(struct follow *f, struct follow_node *n, uint64_t local, uint64_t now)
{
    if (!f->began) {
        f->began = now;
        f->began_local = local;
    }
    n->offset = (int64_t)local - (int64_t)(f->began_local + (now - f->began));
    n->begun = true;
}

uint64_t follow_add(struct follow *f, uint32_t node, const struct story_event *e, bool waits, uint64_t now)
{
    struct follow_node *n = &f->nodes[node];
    if (!n->begun)
        follow_begin(f, n, e->time, now);
    follow_make_room(n);
    uint64_t number = n->taken + (n->count - n->head);
    struct follow_event *to = &n->queue[n->count++];
    *to = (struct follow_event){
        .kind = e->kind,
        .time = e->time,
        .content = e->kind == CAUSAL_OTHER ? 0 : digest_of(e->content, e->content_size).low,
        .from = e->from,
        .packet = FOLLOW_NONE,
        .first = FOLLOW_NONE,
        .what = memory_string(e->what),
        .details = memory_string(e->details),
        .place = memory_string(e->place),
        .bytes = follow_hex(e->content, e->content_size),
        .waits = waits,
        .new_clock = n->new_clock,
    };
    n->new_clock = false;
    n->newest = e->time;
    n->heard = now;
    if (e->kind == CAUSAL_SEND && !waits)
        follow_note_send(f, node, to, number);
    return number;
}

void follow_accept(struct follow *f, uint32_t node, uint64_t number, bool accepted)
{
    struct follow_node *n = &f->nodes[node];
    if (number < n->taken) /* written already, since the logs contradict each other */
        return;
    struct follow_event *e = &n->queue[n->head + (size_t)(number - n->taken)];
    if (!e->waits)
        return;
    e->waits = false;
    if (accepted)
        follow_note_send(f, node, e, number);
    else
        e->kind = CAUSAL_OTHER;
}

void follow_cut(struct follow *f, uint32_t node, unsigned what)
{
    f->nodes[node].new_clock |= (what & CAUSAL_NEW_CLOCK) != 0;
}

void follow_end(struct follow *f, uint32_t node)
{
    struct follow_node *n = &f->nodes[node];
    n->ended = true;
    for (size_t i = n->head; i < n->count; i++)
        follow_accept(f, node, n->taken + (i - n->head), true);
}

/* ---- times ---- */

static uint64_t follow_global(const struct follow_node *n, uint64_t local)
{
    int64_t time = (int64_t)local - n->offset;
    return time > (int64_t)n->last ? (uint64_t)time : n->last;
}

static bool follow_is_silent(const struct follow *f, const struct follow_node *n, uint64_t now)
{
    return n->ended || (n->heard && now > n->heard && now - n->heard > f->options.patience);
}

static const struct follow_event *follow_head(const struct follow_node *n)
{
    return n->head < n->count ? &n->queue[n->head] : NULL;
}

/* No event of it that is still to come is before that time of another node. */
static bool follow_is_past(const struct follow *f, const struct follow_node *n, const struct follow_node *other,
                           uint64_t time, uint64_t now)
{
    const struct follow_event *head = follow_head(n);
    if (head)
        return !head->waits || follow_global(n, head->time) >= time;
    return follow_is_silent(f, n, now) || (n->island == other->island && follow_global(n, n->newest) >= time);
}

/* ---- receives ---- */

static uint32_t follow_node_with(const struct follow *f, uint32_t id)
{
    uint32_t i = 0;
    while (i < f->options.nodes && !(f->nodes[i].named && f->nodes[i].id == id))
        i++;
    return i;
}

/* `timed`: the content was sent several times, and clocks tell which it was. */
static bool follow_fits(const struct follow *f, uint32_t receiver, const struct follow_event *e, uint64_t packet,
                        bool timed)
{
    const struct follow_packet *p = follow_packet(f, packet);
    const struct follow_node *to = &f->nodes[receiver], *from = &f->nodes[p->node];
    if (p->content != e->content || p->node == receiver || packet + 1 < to->carried[p->node])
        return false;
    if (!timed || to->island != from->island)
        return true;
    uint64_t heard = follow_global(to, e->time), sent = p->written ? p->global : follow_global(from, p->local);
    return sent <= heard + f->options.delay && heard <= sent + f->options.delay;
}

/* The packets of a receive's content: how many there are, of how many nodes, and the earliest. */
struct follow_candidates {
    uint32_t count, nodes;
    uint64_t packet;
};

static struct follow_candidates follow_search(const struct follow *f, uint32_t node, const struct follow_event *e,
                                              uint32_t sender, bool timed)
{
    struct follow_candidates found = {0, 0, FOLLOW_NONE};
    uint32_t last = UINT32_MAX;
    for (uint64_t p = f->buckets[e->content % FOLLOW_BUCKETS]; follow_remembers(f, p);
         p = follow_packet(f, p)->previous) {
        uint32_t from = follow_packet(f, p)->node;
        if ((sender != UINT32_MAX && from != sender) || !follow_fits(f, node, e, p, timed))
            continue;
        found.count++;
        found.nodes += from != last;
        found.packet = p;
        last = from;
    }
    return found;
}

enum follow_state { FOLLOW_READY, FOLLOW_WAITS };

/* What a receive that is next on its node comes from. It waits while its send may still come in. */
static enum follow_state follow_cause(struct follow *f, uint32_t node, const struct follow_event *e, uint64_t now,
                                      struct follow_candidates *c)
{
    uint32_t sender = e->from == STORY_NOBODY ? UINT32_MAX : follow_node_with(f, e->from);
    uint64_t time = follow_global(&f->nodes[node], e->time) + f->options.delay;
    *c = (struct follow_candidates){0, 0, FOLLOW_NONE};
    if (sender == f->options.nodes)
        return FOLLOW_READY; /* a node without a log */
    *c = follow_search(f, node, e, sender, false);
    if (c->count > 1)
        *c = follow_search(f, node, e, sender, true);
    if (c->packet != FOLLOW_NONE)
        return follow_packet(f, c->packet)->written ? FOLLOW_READY : FOLLOW_WAITS;
    for (uint32_t i = 0; i < f->options.nodes; i++) {
        const struct follow_node *n = &f->nodes[i];
        bool may = i != node && (sender == UINT32_MAX || i == sender);
        if (may && !follow_is_silent(f, n, now) &&
            !(n->island == f->nodes[node].island && follow_global(n, n->newest) > time))
            return FOLLOW_WAITS;
    }
    return FOLLOW_READY;
}

/* A receive ties the clocks of two nodes, and of all that are tied to them. The one that is behind goes ahead. */
static void follow_tie(struct follow *f, uint32_t node, uint64_t local, const struct follow_packet *p)
{
    uint32_t to = f->nodes[node].island, from = f->nodes[p->node].island;
    int64_t ahead = (int64_t)local - f->nodes[node].offset - (int64_t)p->global;
    uint32_t behind = ahead < 0 ? to : from;
    for (uint32_t i = 0; i < f->options.nodes; i++) {
        struct follow_node *n = &f->nodes[i];
        if (n->island == behind)
            n->offset -= ahead < 0 ? -ahead : ahead;
        if (n->island == to)
            n->island = from;
    }
}

static void follow_align(struct follow *f, uint32_t node, uint64_t local, const struct follow_packet *p)
{
    struct follow_node *to = &f->nodes[node];
    if (to->island != f->nodes[p->node].island) {
        follow_tie(f, node, local, p);
    } else if ((int64_t)local - to->offset < (int64_t)p->global) {
        to->offset = (int64_t)local - (int64_t)p->global;
        f->counts.moved++;
    }
}

/* ---- going out ---- */

static void follow_join(uint32_t *clock, const uint32_t *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

static void follow_receive(struct follow *f, uint32_t node, const struct follow_event *e, struct follow_candidates c,
                           struct story_line *line)
{
    struct follow_node *n = &f->nodes[node];
    f->counts.receives++;
    if (c.packet == FOLLOW_NONE || c.nodes > 1) {
        line->open = c.nodes > 1;
        f->counts.undecided += c.nodes > 1;
        f->counts.unknown += c.nodes <= 1;
        f->unknowns[e->content % FOLLOW_BUCKETS] = e->content;
        return;
    }
    struct follow_packet *p = follow_packet(f, c.packet);
    follow_align(f, node, e->time, p);
    follow_join(n->clock, p->clock, f->options.nodes);
    n->carried[p->node] = c.packet + 1;
    line->caused = true;
    line->cause_node = f->nodes[p->node].id;
    line->cause = p->number;
    f->counts.matched++;
}

static void follow_send(struct follow *f, uint32_t node, const struct follow_event *e, struct story_line *line)
{
    const struct follow_node *n = &f->nodes[node];
    f->counts.sends++;
    if (follow_remembers(f, e->first)) {
        line->caused = true;
        line->cause_node = n->id;
        line->cause = follow_packet(f, e->first)->number;
    }
    if (!follow_remembers(f, e->packet))
        return;
    struct follow_packet *p = follow_packet(f, e->packet);
    f->counts.late += p->missed;
    p->written = true;
    p->global = line->time;
    p->clock = memory_array(f->options.nodes, sizeof *p->clock);
    memcpy(p->clock, n->clock, f->options.nodes * sizeof *p->clock);
}

static void follow_put_clock(void *context, FILE *to)
{
    const struct follow *f = ((const void **)context)[0];
    const struct follow_node *n = ((const void **)context)[1];
    const char *comma = "";
    for (uint32_t i = 0; i < f->options.nodes; i++)
        if (n->clock[i]) {
            fprintf(to, "%s\"%u\":%u", comma, (unsigned)f->nodes[i].id, (unsigned)n->clock[i]);
            comma = ", ";
        }
}

static void follow_write(struct follow *f, uint32_t node, struct follow_candidates c)
{
    struct follow_node *n = &f->nodes[node];
    struct follow_event e = n->queue[n->head++];
    if (e.new_clock) {
        n->island = f->islands++;
        n->offset = (int64_t)e.time - (int64_t)n->last;
    }
    struct story_line line = {.id = n->id,
                              .position = n->taken++,
                              .kind = e.kind,
                              .local = e.time,
                              .what = e.what,
                              .details = e.details,
                              .place = e.place,
                              .bytes = e.bytes};
    n->clock[node]++;
    if (e.kind == CAUSAL_RECEIVE)
        follow_receive(f, node, &e, c, &line);
    n->last = line.time = follow_global(n, e.time);
    if (e.kind == CAUSAL_SEND)
        follow_send(f, node, &e, &line);
    f->counts.events++;
    if (f->options.json)
        story_line_json(f->options.to, &line, follow_put_clock, (const void *[]){f, n});
    else
        story_line_text(f->options.to, &line);
    follow_free_event(&e);
}

/* The node whose event is next, and what a receive comes from; `nodes` if there is none yet. */
static uint32_t follow_next(struct follow *f, uint64_t now, bool force, struct follow_candidates *cause)
{
    uint32_t best = f->options.nodes;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < f->options.nodes; i++) {
        const struct follow_event *e = follow_head(&f->nodes[i]);
        struct follow_candidates c = {0, 0, FOLLOW_NONE};
        if (!e || (e->waits && !force))
            continue;
        uint64_t time = follow_global(&f->nodes[i], e->time);
        if (time >= least)
            continue;
        if (e->kind == CAUSAL_RECEIVE && follow_cause(f, i, e, now, &c) == FOLLOW_WAITS) {
            if (!force)
                continue;
            c = (struct follow_candidates){0, 0, FOLLOW_NONE};
        }
        best = i;
        least = time;
        *cause = c;
    }
    return best;
}

static bool follow_all_past(const struct follow *f, uint32_t node, uint64_t now)
{
    uint64_t time = follow_global(&f->nodes[node], follow_head(&f->nodes[node])->time);
    for (uint32_t i = 0; i < f->options.nodes; i++)
        if (i != node && !follow_is_past(f, &f->nodes[i], &f->nodes[node], time, now))
            return false;
    return true;
}

/* All that is left waits for something that waits for it: the logs contradict each other. */
static bool follow_is_stuck(const struct follow *f, uint64_t now)
{
    for (uint32_t i = 0; i < f->options.nodes; i++)
        if (!follow_is_silent(f, &f->nodes[i], now))
            return false;
    return true;
}

void follow_pass(struct follow *f, uint64_t now)
{
    struct follow_candidates cause;
    for (uint32_t i = 0; i < f->options.nodes; i++) /* silence is counted from the first pass on */
        f->nodes[i].heard = f->nodes[i].heard ? f->nodes[i].heard : now;
    for (;;) {
        uint32_t node = follow_next(f, now, false, &cause);
        if (node == f->options.nodes && follow_is_stuck(f, now))
            node = follow_next(f, now, true, &cause);
        if (node == f->options.nodes || !follow_all_past(f, node, now))
            break;
        follow_write(f, node, cause);
    }
    fflush(f->options.to);
}

void follow_counts(const struct follow *f, struct follow_counts *c)
{
    *c = f->counts;
}
