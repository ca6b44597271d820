#include "api/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/saved_subject.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/map.h"
#include "node/pins.h"

_Static_assert(MOTET_NEVER == TIMELINE_NEVER, "public and internal times agree");
_Static_assert((int)MOTET_TIMELINE_LIMIT == (int)TIMELINE_LIMIT, "public and internal events agree");
_Static_assert((int)MOTET_PHASE_ENDED == (int)PHASE_ENDED, "public and internal phases agree");
_Static_assert(MOTET_TIMELINE_WATCHES == STOPS_WATCHES, "public and internal limits agree");

motet_node *timeline_node(const motet_timeline *t, uint32_t number)
{
    assert(number < t->count);
    return motet_network_at(t->network, number);
}

/* ---- life ---- */

static void api_timeline_on_radio(void *context, const struct motet_transmission *is)
{
    motet_timeline *t = context;
    struct air_history_packet p = {is->begun, is->ended, is->sender, is->count, is->bytes};
    air_history_heard(&t->air, &p);
}

static void api_timeline_begins(void *context, uint64_t now)
{
    motet_timeline *t = context;
    if (air_history_begins(&t->air, now))
        network_overhear(t->network, api_timeline_on_radio, t); /* what began before is not known */
}

static void api_timeline_ended(void *context, uint64_t now)
{
    air_history_ended(&((motet_timeline *)context)->air, now);
}

static motet_timeline *timeline(motet_network *n, struct subject s, const struct motet_timeline_options *o)
{
    motet_timeline *t = memory_new(sizeof *t);
    *t = (motet_timeline){.network = n, .count = s.nodes, .until = MOTET_NEVER};
    t->timeline = timeline_new(s, o->memory ? o->memory : TIMELINE_MEMORY, o->interrupted, o->context);
    if (o->actor.act)
        timeline_actor(t->timeline, (struct timeline_actor){o->actor.context, o->actor.next, o->actor.act});
    t->begun = t->air.from = t->air.to = timeline_now(t->timeline);
    timeline_witness(t->timeline, (struct timeline_witness){t, api_timeline_begins, api_timeline_ended});
    network_overhear(n, api_timeline_on_radio, t);
    return t;
}

motet_timeline *motet_timeline_of_network(motet_network *n, const struct motet_timeline_options *o)
{
    motet_timeline *t = timeline(n, subject_of_network(network_of(n)), o);
    timeline_take_notes(t);
    return t;
}

motet_timeline *motet_timeline_of_saved_run(motet_saved_run *r, const struct motet_timeline_options *o)
{
    saved_run_rewind(r);
    struct subject told = subject_of_saved_run(r);
    motet_timeline *t = timeline(r->saved.network, told, o);
    t->until = saved_run_until(r);
    t->saved = r;
    saved_run_lend(r, t->timeline, told.context);
    return t;
}

void motet_timeline_free(motet_timeline *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->count; i++)
        stops_set(timeline_node(t, i)->node, NULL, 0, NULL, 0);
    network_overhear(t->network, NULL, NULL);
    timeline_free(t->timeline);
    air_history_free(&t->air);
    free(t);
}

uint32_t motet_timeline_count(const motet_timeline *t)
{
    return t->count;
}

const motet_node *motet_timeline_node(const motet_timeline *t, uint32_t number)
{
    return number < t->count ? timeline_node(t, number) : NULL;
}

/* ---- where it is ---- */

static struct motet_position position_out(struct position p)
{
    return (struct motet_position){p.now, (enum motet_phase)p.phase, p.node, p.instructions, p.inputs};
}

static struct position position_in(struct motet_position p)
{
    return (struct position){p.now, (enum phase)p.phase, p.node, p.instructions, p.inputs};
}

struct motet_position motet_timeline_position(const motet_timeline *t)
{
    return position_out(timeline_position(t->timeline));
}

int motet_position_compare(struct motet_position a, struct motet_position b)
{
    struct position x = position_in(a), y = position_in(b);
    return timeline_same(x, y) ? 0 : timeline_before(x, y) ? -1 : 1;
}

uint64_t motet_timeline_now(const motet_timeline *t)
{
    return timeline_now(t->timeline);
}

uint64_t motet_timeline_until(const motet_timeline *t)
{
    return t->until;
}

uint64_t motet_timeline_time(const motet_timeline *t, uint32_t node, uint64_t tick)
{
    return tick == MOTET_NEVER ? MOTET_NEVER : network_time(network_of(t->network), node, tick);
}

void motet_timeline_digest(const motet_timeline *t, char text[MOTET_DIGEST_TEXT])
{
    digest_print(timeline_digest(t->timeline), text);
}

bool motet_timeline_powered(const motet_timeline *t, uint32_t node)
{
    const struct network *n = network_of(t->network);
    return network_tick(n, node, 0) != NEVER && network_time(n, node, 0) <= timeline_now(t->timeline);
}

/* ---- going ---- */

struct motet_timeline_event timeline_event_out(struct timeline_event e)
{
    unsigned kind = (e.kind & WATCH_READ ? MOTET_READ : 0) | (e.kind & WATCH_WRITE ? MOTET_WRITE : 0);
    return (struct motet_timeline_event){(enum motet_timeline_why)e.why, e.node, e.address, kind};
}

struct motet_timeline_event motet_timeline_step(motet_timeline *t, uint32_t node, uint64_t until)
{
    return timeline_event_out(timeline_step(t->timeline, node, until));
}

struct motet_timeline_event motet_timeline_run(motet_timeline *t, uint64_t until)
{
    return timeline_event_out(timeline_run_until(t->timeline, until));
}

struct motet_timeline_event motet_timeline_seek(motet_timeline *t, uint64_t time)
{
    return timeline_event_out(timeline_seek(t->timeline, time));
}

struct motet_timeline_event motet_timeline_go(motet_timeline *t, struct motet_position to)
{
    return timeline_event_out(timeline_go(t->timeline, position_in(to)));
}

struct motet_timeline_event motet_timeline_step_back(motet_timeline *t, uint32_t node)
{
    return timeline_event_out(timeline_step_back(t->timeline, node));
}

struct motet_timeline_event motet_timeline_run_back(motet_timeline *t)
{
    return timeline_event_out(timeline_run_back(t->timeline));
}

/* ---- stops ---- */

bool motet_timeline_stops(motet_timeline *t, uint32_t node, const uint32_t *addresses, size_t address_count,
                          const struct motet_timeline_watch *watches, size_t watch_count)
{
    struct watch inner[STOPS_WATCHES];
    if (watch_count > STOPS_WATCHES || address_count > UINT16_MAX)
        return false;
    for (size_t i = 0; i < watch_count; i++) {
        unsigned kinds =
            (watches[i].kinds & MOTET_READ ? WATCH_READ : 0) | (watches[i].kinds & MOTET_WRITE ? WATCH_WRITE : 0);
        inner[i] = (struct watch){watches[i].first, watches[i].last, (uint8_t)kinds};
    }
    stops_set(timeline_node(t, node)->node, addresses, (unsigned)address_count, inner, (unsigned)watch_count);
    return true;
}

void motet_timeline_filter(motet_timeline *t, motet_timeline_counts *counts, void *context)
{
    timeline_filter(t->timeline, counts, context);
}

void motet_timeline_heed(motet_timeline *t)
{
    timeline_heed(t->timeline);
}

/* ---- giving ---- */

/* Whether there is what the input is for. */
static bool has_place(const struct node *n, const struct motet_input *i)
{
    const struct machine *m = n->machine;
    switch (i->kind) {
    case MOTET_INPUT_SERIAL: return i->where < MACHINE_BUSES && m->serial[i->where].count;
    case MOTET_INPUT_PIN: return i->where < strlen(m->chip->ports) * 8 && i->value <= PIN_HIGH;
    case MOTET_INPUT_REGISTER: return i->where < m->chip->isa->registers;
    case MOTET_INPUT_DATA: return map_holds(m, i->where, i->size);
    case MOTET_INPUT_EEPROM: return i->where < space_eeprom_size(n) && i->size <= space_eeprom_size(n) - i->where;
    case MOTET_INPUT_CODE: return node_program_memory(n) && space_code(n, i->where, i->size);
    case MOTET_INPUT_RESET: return true;
    }
    return false;
}

bool motet_timeline_give(motet_timeline *t, uint32_t node, const struct motet_input *i)
{
    static const enum input_kind kinds[] = {
        [MOTET_INPUT_SERIAL] = INPUT_SERIAL,     [MOTET_INPUT_PIN] = INPUT_PIN,
        [MOTET_INPUT_REGISTER] = INPUT_REGISTER, [MOTET_INPUT_DATA] = INPUT_MEMORY,
        [MOTET_INPUT_EEPROM] = INPUT_EEPROM,     [MOTET_INPUT_CODE] = INPUT_CODE,
        [MOTET_INPUT_RESET] = INPUT_RESET,
    };
    if (!has_place(timeline_node(t, node)->node, i))
        return false;
    uint64_t now = timeline_now(t->timeline);
    if (!timeline_give(t->timeline, node, kinds[i->kind], i->where, i->value, i->bytes, i->size))
        return false;
    air_history_forget(&t->air, now);
    return true;
}

/* ---- what was on the air, and what is kept ---- */

bool motet_timeline_find_air(motet_timeline *t, size_t most)
{
    uint64_t span = MOTET_SECOND / 10, now = timeline_now(t->timeline), from = motet_timeline_air_since(t);
    most = most < AIR_HISTORY_PACKETS ? most : AIR_HISTORY_PACKETS;
    while (air_history_count(&t->air, now) < most && from > t->begun) {
        from = timeline_again(t->timeline, now - t->begun > span ? now - span : t->begun);
        if (from == TIMELINE_NEVER)
            return false;
        span = span < UINT64_MAX / 8 ? 4 * span : span;
    }
    return true;
}

uint64_t motet_timeline_air_since(const motet_timeline *t)
{
    uint64_t now = timeline_now(t->timeline);
    return now >= t->air.from && now <= t->air.to ? t->air.from : now;
}

bool motet_timeline_transmission(const motet_timeline *t, size_t number, struct motet_transmission *is)
{
    const struct air_history_frame *f = air_history_last(&t->air, timeline_now(t->timeline), number);
    if (f) {
        size_t count = f->count < AIR_HISTORY_BYTES ? f->count : AIR_HISTORY_BYTES;
        *is = (struct motet_transmission){.sender = f->sender,
                                          .begun = f->begun,
                                          .ended = f->ended,
                                          .bytes = f->bytes,
                                          .count = count,
                                          .frame = framing_find(f->bytes, count)};
    }
    return f;
}

char *motet_transmission_text(const struct motet_transmission *is, char *text, size_t size)
{
    struct air_history_packet p = {is->begun, is->ended, is->sender, is->count, is->bytes};
    return air_history_text(&p, text, size);
}

void motet_timeline_kept(const motet_timeline *t, struct motet_timeline_kept *k)
{
    *k = (struct motet_timeline_kept){timeline_snapshots(t->timeline), timeline_memory(t->timeline),
                                      timeline_spilled(t->timeline)};
}
