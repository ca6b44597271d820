#include "check/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pack.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "network/choices.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"

#define PROPERTIES_NONE   UINT32_MAX
#define PROPERTIES_SETTLE NETWORK_SECOND /* after which a program that never sleeps counts as up */

/* What is late since when, of a property: one for the network, or one for each node. */
struct slot {
    uint64_t since; /* NEVER: nothing is */
    uint32_t blame;
    bool cause; /* PROPERTY_LEADS_TO: it held before */
};

/* What changes about a node: part of what is kept. */
struct member_state {
    uint64_t started; /* its last reset, in nanoseconds */
    uint32_t depth;   /* handlers under way */
    bool rests;       /* main is not inside of anything it calls */
    bool slept;       /* since the reset */
    bool up;          /* as judged */
};

struct watched {
    struct properties *owner;
    struct node *node;
    uint32_t number, first, size; /* places of its variables in data memory */
    struct member_state state;
    uint8_t *quiet, *latest; /* views */
    struct motet_tap **taps;
    size_t tap_count, tap_room;
};

/* Bytes of a view: 0xff for those that were read, all of them in [low, end). */
struct mask {
    uint8_t *bytes;
    uint32_t low, end;
};

enum record_kind { RECORD_QUIET, RECORD_HANDLER, RECORD_RESET, RECORD_EVENT };

struct record {
    uint64_t at;
    enum record_kind kind;
    uint32_t node;
    bool up;
    uint8_t *bytes; /* of the first two kinds */
    size_t property;
    unsigned operand;
    int64_t value;
};

struct properties {
    struct network *network;
    const struct property *list;
    size_t count;
    struct property_judge judge;
    uint64_t from;
    uint32_t nodes;
    struct watched *members;
    struct record *queue;
    size_t queued, queue_room;
    uint8_t **spare; /* blocks for copies */
    size_t spare_count, spare_room;
    uint32_t largest; /* of a copy */

    struct mask **masks; /* what each property has read, by property and node */
    size_t judged;       /* the property under way */
    bool elsewhere;      /* it has read something that is in no view */
    bool *always;        /* by property: it has ever done so */

    struct slot *slots; /* by property and node */
    uint64_t now, generation;
    bool begun;
    bool is_found;
    struct property_found found;
    struct motet_error error;
};

/* ---- copies of variables ---- */

static uint8_t *properties_block(struct properties *p)
{
    return p->spare_count ? p->spare[--p->spare_count] : memory_new(p->largest);
}

static void properties_spare(struct properties *p, uint8_t *block)
{
    p->spare = memory_grow(p->spare, &p->spare_room, p->spare_count, sizeof *p->spare);
    p->spare[p->spare_count++] = block;
}

static struct record *properties_queue(struct properties *p)
{
    p->queue = memory_grow(p->queue, &p->queue_room, p->queued, sizeof *p->queue);
    return &p->queue[p->queued++];
}

/* A node alone has no windows: its network judges at once. */
static void properties_at_once(const struct watched *m)
{
    if (!network_is_sole(m->owner->network))
        return;
    properties_judge(m->owner);
    if (m->owner->is_found)
        m->node->cut = m->node->stopped = m->node->asked = true;
}

static uint64_t properties_time(const struct watched *m)
{
    if (m->node->glance.slice)
        node_show(m->node);
    return network_time(m->owner->network, m->number, m->node->time);
}

static void properties_copy(struct watched *m, enum record_kind kind)
{
    struct properties *p = m->owner;
    if (p->is_found)
        return;
    struct record *r = properties_queue(p);
    *r = (struct record){.at = properties_time(m), .kind = kind, .node = m->number, .bytes = properties_block(p)};
    memcpy(r->bytes, m->node->data + m->first, m->size);
    r->up = m->state.slept || r->at >= m->state.started + PROPERTIES_SETTLE;
    properties_at_once(m);
}

/* ---- when nodes are quiet ---- */

static void properties_hooked(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct watched *m = context;
    (void)n;
    if (h->what == MOTET_ON_INTERRUPT_ENTRY) {
        m->state.depth++;
    } else if (h->what == MOTET_ON_SLEEP && !m->state.depth) {
        m->state.rests = m->state.slept = true;
        properties_copy(m, RECORD_QUIET);
    } else if (h->what == MOTET_ON_RESET) {
        uint64_t at = network_time(m->owner->network, m->number, h->tick);
        m->state = (struct member_state){.started = at, .up = m->state.up};
        *properties_queue(m->owner) = (struct record){.at = m->state.started, .kind = RECORD_RESET, .node = m->number};
        properties_at_once(m);
    }
}

static void properties_returned(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *m = context;
    (void)n, (void)pc, (void)after;
    m->state.depth -= m->state.depth > 0;
    if (!m->state.depth)
        properties_copy(m, m->state.rests ? RECORD_QUIET : RECORD_HANDLER);
}

static void properties_calls(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct watched *m = context;
    (void)n, (void)pc, (void)after;
    if (m->state.depth)
        return;
    properties_copy(m, RECORD_QUIET);
    m->state.rests = false;
}

void properties_event(struct properties *p, size_t property, unsigned operand, uint32_t node, int64_t value)
{
    struct watched *m = &p->members[node];
    if (p->is_found)
        return;
    *properties_queue(p) = (struct record){.at = properties_time(m),
                                           .kind = RECORD_EVENT,
                                           .node = node,
                                           .property = property,
                                           .operand = operand,
                                           .value = value};
    properties_at_once(m);
}

static void properties_tap(struct watched *m, struct motet_tap *t)
{
    m->taps = memory_grow(m->taps, &m->tap_room, m->tap_count, sizeof *m->taps);
    m->taps[m->tap_count++] = t;
}

static void properties_watch(struct watched *m)
{
    const struct machine *machine = m->node->machine;
    const struct image_symbol *entry = image_symbol_named(machine->image, "main");
    uint32_t last = entry ? entry->address + entry->size : 0;
    properties_tap(
        m, tap_hook(m->node, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(SLEEP) | MOTET_ON(RESET), properties_hooked, m));
    for (uint32_t at = 0; at < machine->code_size; at += 2) {
        enum motet_flow flow = machine->chip->isa->flow(m->node, at);
        if (flow == MOTET_FLOW_INTERRUPT_RETURN)
            properties_tap(m, tap_probe(m->node, at, at, MOTET_AFTER, properties_returned, m));
        else if (flow == MOTET_FLOW_CALL && entry && at >= entry->address && at < last)
            properties_tap(m, tap_probe(m->node, at, at, MOTET_BEFORE, properties_calls, m));
    }
}

/* ---- what a judge sees ---- */

bool properties_up(const struct properties *p, uint32_t node)
{
    return p->members[node].state.up && network_powered(p->network, node);
}

uint64_t properties_generation(const struct properties *p)
{
    return p->generation;
}

static void properties_note(struct properties *p, uint32_t node, uint32_t place, uint32_t size)
{
    struct mask *mask = &p->masks[p->judged][node];
    if (!mask->bytes)
        *mask = (struct mask){memory_new(p->largest), p->largest, 0};
    memset(mask->bytes + place, 0xff, size);
    mask->low = place < mask->low ? place : mask->low;
    mask->end = place + size > mask->end ? place + size : mask->end;
}

bool properties_read(struct properties *p, uint32_t node, uint32_t address, void *to, uint32_t size)
{
    const struct watched *m = &p->members[node];
    uint32_t place = map_place(m->node->machine, address);
    if (place == MAP_NOWHERE || place < m->first || size > m->size || place - m->first > m->size - size) {
        p->elsewhere = true;
        return map_peek(m->node, address, to, size);
    }
    properties_note(p, node, place - m->first, size);
    memcpy(to, (p->list[p->judged].handlers ? m->latest : m->quiet) + (place - m->first), size);
    return true;
}

bool properties_has_read(const struct properties *p, uint32_t node, uint32_t byte)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct mask *m = &p->masks[i][node];
        if (m->bytes && byte >= m->low && byte < m->end && m->bytes[byte])
            return true;
    }
    return false;
}

bool properties_hears(const struct properties *p, uint32_t from, uint32_t to, double dbm)
{
    const struct medium_listener *near;
    size_t count = medium_listeners(network_medium(p->network), from, &near);
    for (size_t i = 0; i < count; i++)
        if (near[i].node == to)
            return (double)near[i].gain >= dbm;
    return false;
}

/* ---- judging ---- */

static void properties_find(struct properties *p, size_t property, uint32_t node, uint64_t at)
{
    if (p->is_found)
        return;
    p->is_found = true;
    p->found = (struct property_found){.property = property, .node = node, .at = at};
}

static bool properties_holds(struct properties *p, size_t property, unsigned operand, uint32_t node, uint32_t *blame,
                             uint64_t at)
{
    p->judged = property;
    p->elsewhere = false;
    int answer = p->judge.holds(p->judge.context, property, operand, node, blame, &p->error);
    p->always[property] |= p->elsewhere;
    if (answer < 0 && !p->is_found) {
        properties_find(p, property, node == PROPERTIES_NONE ? *blame : node, at);
        p->found.failed = p->error.text;
    }
    return answer > 0;
}

static struct slot *properties_slot(struct properties *p, size_t property, uint32_t node)
{
    return &p->slots[property * p->nodes + (p->list[property].operands[0] == OPERAND_NETWORK ? 0 : node)];
}

static bool properties_is_hard(const struct property *one)
{
    return one->within != PROPERTY_NO_BOUND;
}

/* Since when something is wrong; without any time for it, it is an error at once. */
static void properties_wrong(struct properties *p, size_t property, struct slot *s, uint32_t blame, uint64_t at)
{
    s->blame = blame;
    if (s->since == NEVER)
        s->since = at;
    if (p->list[property].within == 0)
        properties_find(p, property, blame, at);
}

/* An operand about one node or all. */
static void properties_judge_state(struct properties *p, size_t property, uint32_t node, uint32_t acting, uint64_t at)
{
    const struct property *one = &p->list[property];
    uint32_t about = one->operands[0] == OPERAND_NETWORK ? PROPERTIES_NONE : node, blame = acting;
    struct slot *s = properties_slot(p, property, node);
    bool holds = properties_holds(p, property, 0, about, &blame, at);
    if (one->kind == PROPERTY_LEADS_TO) {
        if (holds && !s->cause && s->since == NEVER) {
            s->since = at;
            s->blame = about == PROPERTIES_NONE ? blame : node;
        }
        s->cause = holds;
    } else if (holds == (one->kind == PROPERTY_NEVER)) {
        properties_wrong(p, property, s, about == PROPERTIES_NONE ? blame : node, at);
    } else {
        s->since = NEVER;
    }
}

/* The second operand of PROPERTY_LEADS_TO, for what waits for it. */
static void properties_judge_effect(struct properties *p, size_t property, uint64_t at)
{
    const struct property *one = &p->list[property];
    uint32_t slots = one->operands[0] == OPERAND_NETWORK ? 1 : p->nodes;
    for (uint32_t i = 0; i < slots; i++) {
        struct slot *s = &p->slots[property * p->nodes + i];
        uint32_t blame = s->blame;
        if (s->since == NEVER)
            continue;
        bool each = one->operands[1] == OPERAND_EACH;
        if (one->operands[1] != OPERAND_EVENT &&
            properties_holds(p, property, 1, each ? i : PROPERTIES_NONE, &blame, at))
            s->since = NEVER;
        else if (one->within == 0)
            properties_find(p, property, s->blame, at);
    }
}

static void properties_judge_one(struct properties *p, size_t property, uint32_t acting, bool all, uint64_t at)
{
    const struct property *one = &p->list[property];
    if (one->operands[0] == OPERAND_NETWORK)
        properties_judge_state(p, property, 0, acting, at);
    for (uint32_t i = 0; one->operands[0] == OPERAND_EACH && i < p->nodes; i++)
        if ((all || i == acting) && properties_up(p, i))
            properties_judge_state(p, property, i, i, at);
    if (one->kind == PROPERTY_LEADS_TO)
        properties_judge_effect(p, property, at);
}

static void properties_judge_all(struct properties *p, uint32_t acting, uint64_t at)
{
    for (size_t i = 0; i < p->count && !p->is_found; i++)
        properties_judge_one(p, i, acting, true, at);
}

/* ---- what is late ---- */

/* The last choice of the environment, after which time counts for what has no bound of its own. */
static uint64_t properties_disturbed(const struct properties *p)
{
    uint64_t last = network_disturbed(p->network);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct node *n = p->members[i].node;
        uint64_t held = n->disturbed ? network_time(p->network, i, n->disturbed) : 0;
        last = held > last ? held : last;
    }
    return last;
}

static uint64_t properties_deadline(const struct properties *p, const struct property *one, const struct slot *s)
{
    uint64_t bound = properties_is_hard(one) ? one->within : one->patience, since = s->since;
    if (since == NEVER)
        return NEVER;
    if (!properties_is_hard(one) && properties_disturbed(p) > since)
        since = properties_disturbed(p);
    return since < NEVER - bound ? since + bound : NEVER;
}

static void properties_look_for_late(struct properties *p, uint64_t now)
{
    uint64_t first = now;
    size_t property = SIZE_MAX;
    uint32_t blame = 0;
    for (size_t i = 0; i < p->count * p->nodes; i++) {
        uint64_t due =
            p->slots[i].since == NEVER ? NEVER : properties_deadline(p, &p->list[i / p->nodes], &p->slots[i]);
        if (due < first) {
            first = due;
            property = i / p->nodes;
            blame = p->slots[i].blame;
        }
    }
    if (property != SIZE_MAX)
        properties_find(p, property, blame, first);
}

/* ---- the queue ---- */

static uint64_t properties_word(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static bool properties_differ(const uint8_t *a, const uint8_t *b, const struct mask *m)
{
    uint64_t different = 0;
    for (uint32_t i = m->low & ~7u; i < m->end; i += 8)
        different |= (properties_word(a + i) ^ properties_word(b + i)) & properties_word(m->bytes + i);
    return different != 0;
}

/* A node comes up or goes down: what it owes is forgotten, and all properties are about other nodes. */
static void properties_turn(struct properties *p, uint32_t node, bool up, uint64_t at)
{
    p->members[node].state.up = up;
    p->generation++;
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].operands[0] != OPERAND_NETWORK)
            *properties_slot(p, i, node) = (struct slot){.since = up && p->list[i].kind == PROPERTY_EVENTUALLY &&
                                                                          p->list[i].operands[0] == OPERAND_EVENT
                                                                      ? at
                                                                      : NEVER,
                                                         .blame = node};
}

static void properties_take_copy(struct properties *p, struct record *r)
{
    struct watched *m = &p->members[r->node];
    bool quiet = r->kind == RECORD_QUIET, turned = quiet && r->up && !m->state.up;
    uint64_t changed = 0; /* a bit for each property */
    for (size_t i = 0; p->begun && !turned && i < p->count; i++) {
        const uint8_t *old = p->list[i].handlers ? m->latest : m->quiet;
        bool sees = quiet || p->list[i].handlers;
        if (sees && (p->always[i] || properties_differ(old, r->bytes, &p->masks[i][r->node])))
            changed |= UINT64_C(1) << i % 64;
    }
    memcpy(m->latest, r->bytes, m->size);
    if (quiet)
        memcpy(m->quiet, r->bytes, m->size);
    properties_spare(p, r->bytes);
    if (turned)
        properties_turn(p, r->node, true, r->at);
    for (size_t i = 0; p->begun && i < p->count && !p->is_found; i++)
        if (turned || changed >> i % 64 & 1)
            properties_judge_one(p, i, r->node, turned, r->at);
}

static void properties_take_event(struct properties *p, const struct record *r)
{
    const struct property *one = &p->list[r->property];
    struct slot *s = properties_slot(p, r->property, r->node);
    if (!p->begun || !properties_up(p, r->node))
        return;
    int counts = p->judge.counts(p->judge.context, r->property, r->operand, r->node, r->value, &p->error);
    if (counts < 0) {
        properties_find(p, r->property, r->node, r->at);
        p->found.failed = p->error.text;
    }
    if (counts <= 0)
        return;
    if (one->kind == PROPERTY_NEVER)
        properties_find(p, r->property, r->node, r->at);
    else if (one->kind == PROPERTY_EVENTUALLY)
        s->since = r->at;
    else if (one->kind == PROPERTY_LEADS_TO && r->operand == 1)
        s->since = NEVER;
    else if (s->since == NEVER)
        *s = (struct slot){.since = r->at, .blame = r->node};
    if (one->kind == PROPERTY_LEADS_TO && r->operand == 0)
        properties_judge_effect(p, r->property, r->at);
}

static void properties_begin(struct properties *p)
{
    p->begun = true;
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t node = 0; node < p->nodes; node++)
            if (p->list[i].kind == PROPERTY_EVENTUALLY && p->list[i].operands[0] == OPERAND_EVENT)
                *properties_slot(p, i, node) =
                    (struct slot){.since = properties_up(p, node) ? p->from : NEVER, .blame = node};
    properties_judge_all(p, 0, p->from);
}

static void properties_take(struct properties *p, struct record *r)
{
    if (r->at < p->now) /* a reset between two runs of the network: the node's clock begins anew */
        r->at = p->now;
    if (!p->begun && r->at >= p->from)
        properties_begin(p);
    if (p->begun)
        properties_look_for_late(p, r->at);
    if (p->is_found) {
        if (r->bytes)
            properties_spare(p, r->bytes);
    } else if (r->kind == RECORD_EVENT) {
        properties_take_event(p, r);
    } else if (r->kind != RECORD_RESET) {
        properties_take_copy(p, r);
    } else if (p->members[r->node].state.up) {
        properties_turn(p, r->node, false, r->at);
        if (p->begun)
            properties_judge_all(p, r->node, r->at);
    }
}

/* By time, then node, then as they came. */
static void properties_sort(struct properties *p)
{
    for (size_t i = 1; i < p->queued; i++) {
        struct record one = p->queue[i];
        size_t at = i;
        while (at > 0 &&
               (p->queue[at - 1].at > one.at || (p->queue[at - 1].at == one.at && p->queue[at - 1].node > one.node))) {
            p->queue[at] = p->queue[at - 1];
            at--;
        }
        p->queue[at] = one;
    }
}

/* Nodes lose their supply between two runs of the network, so at the time that was judged last. */
static void properties_bury(struct properties *p)
{
    for (uint32_t i = 0; i < p->nodes; i++)
        if (p->members[i].state.up && !network_powered(p->network, i)) {
            properties_turn(p, i, false, p->now);
            if (p->begun && !p->is_found)
                properties_judge_all(p, i, p->now);
        }
}

void properties_judge(struct properties *p)
{
    if (p->is_found)
        return;
    properties_bury(p);
    properties_sort(p);
    for (size_t i = 0; i < p->queued; i++)
        properties_take(p, &p->queue[i]);
    p->queued = 0;
    p->now = network_now(p->network);
    if (!p->is_found && !p->begun && p->now >= p->from)
        properties_begin(p);
    if (!p->is_found && p->begun)
        properties_look_for_late(p, p->now);
}

static bool properties_window_over(void *context)
{
    struct properties *p = context;
    properties_judge(p);
    return p->is_found;
}

bool properties_found(const struct properties *p, struct property_found *f)
{
    *f = p->found;
    return p->is_found;
}

/* ---- life ---- */

static void properties_add_member(struct properties *p, uint32_t number)
{
    struct watched *m = &p->members[number];
    struct node *n = network_node(p->network, number);
    *m = (struct watched){.owner = p, .node = n, .number = number, .first = n->machine->register_size};
    uint32_t end = n->machine->stack_limit ? map_place(n->machine, n->machine->stack_limit) : MAP_NOWHERE;
    m->size = (end != MAP_NOWHERE && end > m->first ? end : n->machine->data_size) - m->first;
    p->largest = m->size > p->largest ? m->size : p->largest;
}

struct properties *properties_new(struct network *n, const struct property *list, size_t count,
                                  const struct property_judge *judge, uint64_t from)
{
    struct properties *p = memory_new(sizeof *p);
    *p = (struct properties){.network = n, .list = list, .count = count, .judge = *judge, .from = from};
    p->nodes = network_count(n);
    p->members = memory_array(p->nodes, sizeof *p->members);
    p->slots = memory_array(count * p->nodes + 1, sizeof *p->slots);
    p->always = memory_array(count + 1, sizeof *p->always);
    p->masks = memory_array(count + 1, sizeof *p->masks);
    for (size_t i = 0; i < count * p->nodes; i++)
        p->slots[i].since = NEVER;
    for (size_t i = 0; i < count; i++)
        p->masks[i] = memory_array(p->nodes, sizeof **p->masks);
    for (uint32_t i = 0; i < p->nodes; i++)
        properties_add_member(p, i);
    p->largest = (p->largest + 7) / 8 * 8; /* words are compared */
    for (uint32_t i = 0; i < p->nodes; i++) {
        p->members[i].quiet = memory_new(p->largest);
        p->members[i].latest = memory_new(p->largest);
        properties_watch(&p->members[i]);
    }
    network_follow(n, &(struct network_follower){p, properties_window_over});
    return p;
}

void properties_free(struct properties *p)
{
    if (!p)
        return;
    network_follow(p->network, &(struct network_follower){NULL, NULL});
    for (uint32_t i = 0; i < p->nodes; i++) {
        for (size_t k = 0; k < p->members[i].tap_count; k++)
            tap_remove(p->members[i].taps[k]);
        free(p->members[i].taps);
        free(p->members[i].quiet);
        free(p->members[i].latest);
    }
    for (size_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->nodes; k++)
            free(p->masks[i][k].bytes);
        free(p->masks[i]);
    }
    for (size_t i = 0; i < p->queued; i++)
        free(p->queue[i].bytes);
    for (size_t i = 0; i < p->spare_count; i++)
        free(p->spare[i]);
    free(p->masks);
    free(p->always);
    free(p->slots);
    free(p->spare);
    free(p->queue);
    free(p->members);
    free(p);
}

/* ---- state as data ---- */

struct properties_state {
    uint64_t now;
    bool begun;
    uint64_t disturbed;
    struct slot *slots;
    struct {
        struct member_state state;
        uint8_t *quiet, *latest;
        uint64_t disturbed;
    } * members;
    uint32_t nodes;
};

struct properties_state *properties_keep(const struct properties *p)
{
    struct properties_state *s = memory_new(sizeof *s);
    s->now = p->now;
    s->begun = p->begun;
    s->disturbed = network_disturbed(p->network);
    s->slots = memory_copy(p->slots, (p->count * p->nodes + 1) * sizeof *p->slots);
    s->nodes = p->nodes;
    s->members = memory_array(p->nodes, sizeof *s->members);
    for (uint32_t i = 0; i < p->nodes; i++) {
        s->members[i].state = p->members[i].state;
        s->members[i].quiet = memory_copy(p->members[i].quiet, p->largest);
        s->members[i].latest = memory_copy(p->members[i].latest, p->largest);
        s->members[i].disturbed = p->members[i].node->disturbed;
    }
    return s;
}

void properties_back(struct properties *p, const struct properties_state *s)
{
    for (size_t i = 0; i < p->queued; i++)
        if (p->queue[i].bytes)
            properties_spare(p, p->queue[i].bytes);
    p->queued = 0;
    p->now = s->now;
    p->begun = s->begun;
    p->is_found = false;
    p->generation++;
    network_set_disturbed(p->network, s->disturbed);
    memcpy(p->slots, s->slots, p->count * p->nodes * sizeof *p->slots);
    for (uint32_t i = 0; i < p->nodes; i++) {
        p->members[i].state = s->members[i].state;
        memcpy(p->members[i].quiet, s->members[i].quiet, p->members[i].size);
        memcpy(p->members[i].latest, s->members[i].latest, p->members[i].size);
        p->members[i].node->disturbed = s->members[i].disturbed;
    }
}

void properties_state_free(struct properties_state *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->nodes; i++) {
        free(s->members[i].quiet);
        free(s->members[i].latest);
    }
    free(s->members);
    free(s->slots);
    free(s);
}

/* ---- for searches that compare states ---- */

static void properties_pack_slot(struct pack *k, const struct slot *s)
{
    pack_number(k, s->since, 8);
    pack_number(k, s->blame, 4);
    pack_number(k, s->cause, 1);
}

static void properties_pack_member(struct pack *k, const struct member_state *m)
{
    pack_number(k, m->started, 8);
    pack_number(k, m->depth, 4);
    pack_number(k, (uint64_t)m->rests | (uint64_t)m->slept << 1 | (uint64_t)m->up << 2, 1);
}

bool properties_form(const struct properties *p, struct digest *d)
{
    struct pack k = {.bytes = NULL};
    bool known = !p->queued && !p->is_found, patient = false;
    for (size_t i = 0; i < p->count; i++) {
        known = known && !p->always[i];
        patient = patient || !properties_is_hard(&p->list[i]);
    }
    pack_number(&k, p->begun, 1);
    pack_number(&k, patient ? properties_disturbed(p) : 0, 8);
    for (size_t i = 0; i < p->count * p->nodes; i++)
        properties_pack_slot(&k, &p->slots[i]);
    for (uint32_t i = 0; i < p->nodes; i++)
        properties_pack_member(&k, &p->members[i].state);
    *d = digest_of(k.bytes, k.count);
    pack_free(&k);
    return known;
}

/* Of each node: what was quiet, then the latest. */
size_t properties_views_size(const struct properties *p)
{
    return (size_t)2 * p->nodes * p->largest;
}

void properties_copy_views(const struct properties *p, uint8_t *to)
{
    for (uint32_t i = 0; i < p->nodes; i++) {
        memcpy(to + (size_t)2 * i * p->largest, p->members[i].quiet, p->largest);
        memcpy(to + (size_t)(2 * i + 1) * p->largest, p->members[i].latest, p->largest);
    }
}

static void properties_set_bit(uint8_t *bits, size_t at)
{
    bits[at / 8] |= (uint8_t)(1u << at % 8);
}

void properties_add_reads(const struct properties *p, uint8_t *bits)
{
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t node = 0; node < p->nodes; node++) {
            const struct mask *m = &p->masks[i][node];
            size_t view = (2 * node + p->list[i].handlers) * (size_t)p->largest;
            for (uint32_t at = m->low; m->bytes && at < m->end; at++)
                if (m->bytes[at])
                    properties_set_bit(bits, view + at);
        }
}

void properties_add_sources(const struct properties *p, const uint8_t *bits, uint32_t node, uint8_t *arena)
{
    const struct watched *m = &p->members[node];
    for (unsigned view = 0; view < 2; view++)
        for (uint32_t at = 0; at < m->size; at++) {
            size_t bit = (2 * node + view) * (size_t)p->largest + at;
            if (bits[bit / 8] >> bit % 8 & 1)
                properties_set_bit(arena, m->node->machine->data_offset + m->first + at);
        }
}
