#include "check/reach.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/debug.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"

enum { REACH_FACETS = 1024, REACH_ELEMENTS = 8, REACH_DEPTH = 6, REACH_RESTLESS = 20 /* changes in 100 samples */ };
enum { REACH_AFTER = 10 }; /* seconds after the steady state that the plain run is watched */

/* A value whose coarse state counts. */
struct facet {
    uint32_t place;
    uint8_t size;
    bool exact;             /* its value, else whether it is 0, 1 or more */
    uint32_t last, changes; /* in the plain run */
    bool restless;          /* it changes all the time there, and says nothing */
};

/* A program, alike in all worlds: by the order in which nodes have it. */
struct program {
    const struct machine *machine; /* of the world that found it; others have their own */
    uint32_t *code;                /* addresses of instructions */
    size_t code_count;
    uint8_t *plain;     /* reached by the plain run, by address / 2 */
    atomic_uchar *ever; /* by any worker */
    struct facet *facets;
    size_t facet_count;
};

/* Coarse states that were seen: a hash table, 0 for what is empty. */
struct states {
    uint64_t *slots;
    size_t count, room; /* room is a power of two */
};

struct shared_reach {
    pthread_mutex_t lock;
    uint64_t until;
    bool known;
    struct program *programs;
    size_t program_count;
    struct states plain;
    atomic_uint_fast64_t reached, all; /* instructions */
};

struct scout {
    struct reach *reach;
    struct node *node;
    size_t program;
    struct motet_tap **taps; /* by address / 2; NULL: reached, or no instruction */
};

struct reach {
    struct shared_reach *shared;
    struct network *network;
    struct scout *scouts; /* by node */
    uint32_t nodes;
    bool fresh;
    struct states seen;
};

/* ---- coarse states ---- */

static bool states_add(struct states *s, uint64_t state)
{
    state += !state;
    if (2 * s->count >= s->room) {
        struct states larger = {.room = s->room ? 2 * s->room : 256};
        larger.slots = memory_array(larger.room, sizeof *larger.slots);
        for (size_t i = 0; i < s->room; i++)
            if (s->slots[i])
                states_add(&larger, s->slots[i]);
        free(s->slots);
        *s = larger;
    }
    for (size_t at = state;; at++) {
        uint64_t *slot = &s->slots[at & (s->room - 1)];
        if (*slot == state)
            return false;
        if (*slot)
            continue;
        *slot = state;
        s->count++;
        return true;
    }
}

static void states_copy(struct states *to, const struct states *from)
{
    free(to->slots);
    *to = *from;
    to->slots = memory_array(from->room + 1, sizeof *to->slots);
    if (from->room)
        memcpy(to->slots, from->slots, from->room * sizeof *to->slots);
}

/* Whether elements of an array count: buffers of numbers hold anything. */
static bool reach_is_telling(const struct debug_type *element)
{
    return element && element->kind != DEBUG_UNSIGNED && element->kind != DEBUG_SIGNED && element->kind != DEBUG_CHAR;
}

static void reach_add_facets(struct program *p, const struct debug_type *t, uint32_t place, unsigned depth)
{
    bool exact = t->kind == DEBUG_BOOL || t->kind == DEBUG_ENUM;
    bool number = t->kind == DEBUG_UNSIGNED || t->kind == DEBUG_SIGNED || t->kind == DEBUG_CHAR;
    if (p->facet_count == REACH_FACETS || depth == REACH_DEPTH)
        return;
    for (uint32_t i = 0; t->kind == DEBUG_ARRAY && reach_is_telling(t->of) && i < t->count && i < REACH_ELEMENTS; i++)
        reach_add_facets(p, t->of, place + i * t->of->size, depth + 1);
    for (uint32_t i = 0; t->kind == DEBUG_STRUCT && i < t->field_count; i++)
        if (!t->fields[i].bit_size)
            reach_add_facets(p, t->fields[i].type, place + t->fields[i].offset, depth + 1);
    if ((exact && t->size && t->size <= 4) || (number && t->size == 1) ||
        (t->kind == DEBUG_POINTER && t->size && t->size <= 4))
        p->facets[p->facet_count++] = (struct facet){.place = place, .size = (uint8_t)t->size, .exact = exact};
}

static void reach_find_facets(struct program *p)
{
    const struct machine *m = p->machine;
    const struct debug_variable *list;
    size_t count = debug_variables(m->image, &list);
    p->facets = memory_array(REACH_FACETS, sizeof *p->facets);
    for (size_t i = 0; i < count; i++) {
        uint32_t place = map_place(m, map_of_image(m, list[i].address));
        if (place != MAP_NOWHERE && place >= m->register_size && list[i].type->size &&
            place + (uint64_t)list[i].type->size <= m->data_size)
            reach_add_facets(p, list[i].type, place, 0);
    }
}

static uint32_t reach_coarse(const struct scout *s, const struct facet *f)
{
    uint32_t value = 0;
    for (unsigned k = 0; k < f->size; k++)
        value |= (uint32_t)s->node->data[f->place + k] << 8 * k;
    return f->exact || value < 2 ? value : 2;
}

static uint64_t reach_state(const struct scout *s)
{
    const struct program *p = &s->reach->shared->programs[s->program];
    uint64_t state = s->program + 1;
    for (size_t i = 0; i < p->facet_count; i++)
        if (!p->facets[i].restless)
            state = (state ^ reach_coarse(s, &p->facets[i])) * UINT64_C(0x100000001b3); /* FNV-1a, value by value */
    return state;
}

static bool reach_is_first(const struct reach *r, uint32_t node)
{
    for (uint32_t i = 0; i < node; i++)
        if (r->scouts[i].program == r->scouts[node].program)
            return false;
    return true;
}

/* What changes from second to second, on the first node that has the program. */
static void reach_look_for_restless(struct reach *r, uint64_t samples)
{
    for (uint32_t i = 0; i < r->nodes; i++) {
        struct program *p = &r->shared->programs[r->scouts[i].program];
        for (size_t k = 0; reach_is_first(r, i) && k < p->facet_count; k++) {
            struct facet *f = &p->facets[k];
            uint32_t value = reach_coarse(&r->scouts[i], f);
            f->changes += value != f->last;
            f->last = value;
            f->restless = 100 * (uint64_t)f->changes > 200 + REACH_RESTLESS * samples;
        }
    }
}

static bool reach_add_states(struct reach *r, struct states *to)
{
    bool fresh = false;
    for (uint32_t i = 0; i < r->nodes; i++)
        if (network_powered(r->network, i))
            fresh |= states_add(to, reach_state(&r->scouts[i]));
    return fresh;
}

/* ---- code ---- */

/* The instructions of all functions, in order. */
static void reach_find_code(struct program *p)
{
    const struct machine *m = p->machine;
    const struct image_symbol *list;
    size_t count = image_symbols(m->image, &list), room = 0;
    uint32_t end = 0;
    char text[128];
    for (size_t i = 0; i < count; i++) {
        uint64_t last = (uint64_t)list[i].address + list[i].size;
        uint32_t at = list[i].address > end ? list[i].address : end;
        if (list[i].kind != IMAGE_SYMBOL_FUNCTION || last > m->code_size)
            continue;
        while (at < last && m->flash_known[at] == FLASH_CODE) {
            p->code = memory_grow(p->code, &room, p->code_count, sizeof *p->code);
            p->code[p->code_count++] = at;
            unsigned size = m->chip->isa->disassemble(m->flash + at, m->code_size - at, at, text, sizeof text);
            at += size ? size : 2;
        }
        end = at > end ? at : end;
    }
}

static void reach_met(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct scout *s = context;
    struct shared_reach *all = s->reach->shared;
    (void)n, (void)after;
    tap_remove(s->taps[pc / 2]);
    s->taps[pc / 2] = NULL;
    s->reach->fresh = true;
    if (!atomic_exchange(&all->programs[s->program].ever[pc / 2], 1))
        atomic_fetch_add(&all->reached, 1);
}

/* Probes for what the plain run does not reach. */
static void reach_arm(struct reach *r)
{
    for (uint32_t i = 0; i < r->nodes; i++) {
        struct scout *s = &r->scouts[i];
        const struct program *p = &r->shared->programs[s->program];
        for (size_t k = 0; k < p->code_count; k++)
            if (!s->taps[p->code[k] / 2] && !p->plain[p->code[k] / 2])
                s->taps[p->code[k] / 2] = tap_probe(s->node, p->code[k], p->code[k], MOTET_BEFORE, reach_met, s);
    }
}

/* ---- life ---- */

struct shared_reach *shared_reach_new(uint64_t until)
{
    struct shared_reach *s = memory_new(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->until = until;
    return s;
}

void shared_reach_free(struct shared_reach *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->program_count; i++) {
        free(s->programs[i].code);
        free(s->programs[i].plain);
        free(s->programs[i].ever);
        free(s->programs[i].facets);
    }
    free(s->programs);
    free(s->plain.slots);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

double shared_reach_share(struct shared_reach *s)
{
    uint64_t all = atomic_load(&s->all);
    return all ? (double)atomic_load(&s->reached) / (double)all : -1;
}

static void reach_free(void *context)
{
    struct reach *r = context;
    for (uint32_t i = 0; i < r->nodes; i++) {
        for (uint32_t k = 0; k < r->scouts[i].node->machine->code_size / 2; k++)
            tap_remove(r->scouts[i].taps[k]);
        free(r->scouts[i].taps);
    }
    free(r->scouts);
    free(r->seen.slots);
    free(r);
}

/* The programs of a network, and which one each node has. */
static void reach_find_programs(struct reach *r, bool first)
{
    struct shared_reach *s = r->shared;
    const struct machine **machines = memory_array(r->nodes, sizeof *machines);
    size_t count = 0;
    for (uint32_t i = 0; i < r->nodes; i++) {
        size_t k = 0;
        while (k < count && machines[k] != r->scouts[i].node->machine)
            k++;
        r->scouts[i].program = k;
        if (k < count)
            continue;
        machines[count++] = r->scouts[i].node->machine;
        if (!first)
            continue;
        struct program *p = &s->programs[s->program_count++];
        p->machine = machines[k];
        p->plain = memory_new(p->machine->code_size / 2 + 1);
        p->ever = memory_array(p->machine->code_size / 2 + 1, sizeof *p->ever);
        reach_find_facets(p);
        reach_find_code(p);
        atomic_fetch_add(&s->all, p->code_count);
    }
    free(machines);
}

/* What the plain run reaches is nothing new for a walk: up to the steady state, and a while longer. */
static void reach_learn(struct reach *r, struct world *w)
{
    struct shared_reach *s = r->shared;
    struct violation v;
    world_settle(w, NULL, 0, 0, &v);
    reach_arm(r);
    for (uint64_t at = 0; at < s->until + REACH_AFTER * NETWORK_SECOND;) {
        bool steady = at >= s->until;
        at = at + NETWORK_SECOND < s->until || steady ? at + NETWORK_SECOND : s->until;
        world_run(w, &(struct driver){.next = NULL}, at);
        if (steady)
            reach_add_states(r, &s->plain);
        else
            reach_look_for_restless(r, at / NETWORK_SECOND);
    }
    for (size_t i = 0; i < s->program_count; i++)
        for (uint32_t k = 0; k < s->programs[i].machine->code_size / 2; k++)
            s->programs[i].plain[k] = atomic_load(&s->programs[i].ever[k]);
}

struct reach *reach_of(struct shared_reach *s, struct world *w)
{
    struct reach *r = world_attached(w);
    if (r)
        return r;
    r = memory_new(sizeof *r);
    *r = (struct reach){.shared = s, .network = world_network(w), .nodes = network_count(world_network(w))};
    r->scouts = memory_array(r->nodes, sizeof *r->scouts);
    for (uint32_t i = 0; i < r->nodes; i++) {
        struct node *n = network_node(r->network, i);
        r->scouts[i] = (struct scout){.reach = r, .node = n};
        r->scouts[i].taps = memory_array(n->machine->code_size / 2 + 1, sizeof *r->scouts[i].taps);
    }
    world_attach(w, r, reach_free);
    pthread_mutex_lock(&s->lock);
    if (!s->known)
        s->programs = memory_array(r->nodes, sizeof *s->programs);
    reach_find_programs(r, !s->known);
    if (!s->known)
        reach_learn(r, w);
    s->known = true;
    pthread_mutex_unlock(&s->lock);
    reach_begin(r);
    return r;
}

void reach_begin(struct reach *r)
{
    reach_arm(r);
    states_copy(&r->seen, &r->shared->plain);
    r->fresh = false;
}

bool reach_took(struct reach *r)
{
    bool fresh = reach_add_states(r, &r->seen) || r->fresh;
    r->fresh = false;
    return fresh;
}
