/* One node of a subject: running it to a place or a meeting, and doing something to it from outside. */
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/stops.h"
#include "timeline/subject.h"

enum {
    NEAR = 4,           /* instructions from the goal, from where it is stepped */
    REGISTER_BYTES = 64 /* of a watch among the registers that are compared */
};

/* ---- watches on registers: instructions reach some of them without a callback ---- */

struct before {
    uint8_t bytes[STOPS_WATCHES][REGISTER_BYTES];
};

static uint32_t subject_node_compared(const struct watch *w)
{
    uint32_t more = w->last - w->first;
    return w->first > w->last ? 0 : more < REGISTER_BYTES ? more + 1 : REGISTER_BYTES;
}

static uint8_t subject_node_byte(const struct node *n, uint32_t address)
{
    uint32_t place = map_place(n->machine, address);
    return place == MAP_NOWHERE ? 0 : n->data[place];
}

static void remember(const struct node *n, struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++)
        for (uint32_t k = 0; k < subject_node_compared(&n->stops->watch[i]); k++)
            b->bytes[i][k] = subject_node_byte(n, n->stops->watch[i].first + k);
}

static void subject_node_compare(struct node *n, const struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++) {
        const struct watch *w = &n->stops->watch[i];
        for (uint32_t k = 0; k < subject_node_compared(w); k++)
            if (subject_node_byte(n, w->first + k) != b->bytes[i][k])
                stops_accessed(n, w->first + k, WATCH_WRITE, n->state->instructions - 1);
    }
}

/* ---- running ---- */

/* One instruction is one cycle at least, and no cycle of the CPU is shorter than a tick: so many ticks are no more
 * instructions. */
static void approach(struct node *n, uint64_t left, uint64_t tick)
{
    uint64_t now = n->state->now;
    uint64_t until = left <= NEAR ? now + 1 : left < NEVER - now ? now + left : NEVER;
    node_run(n, until < tick ? until : tick);
}

static void step_and_compare(struct node *n)
{
    struct before b = {0};
    remember(n, &b);
    node_run(n, n->state->now + 1);
    subject_node_compare(n, &b);
}

static struct meeting met(struct node *n)
{
    struct stops *s = n->stops;
    struct meeting m = {.what = MET_STOP, .instructions = n->state->instructions};
    if (s->hit.met)
        m = (struct meeting){MET_WATCH, 0, s->hit.before, s->hit.address, s->hit.kind};
    s->hit.met = false;
    n->stopped = false;
    return m;
}

void subject_node_arm(struct node *n, uint64_t pass, bool blind)
{
    n->stopped = false;
    if (!n->stops)
        return;
    n->stops->pass = pass;
    n->stops->blind = blind;
    n->stops->hit.met = false;
}

static bool seen_by_stepping(const struct node *n)
{
    const struct stops *s = n->stops;
    return s && !s->blind && s->registers;
}

struct meeting subject_node_run(struct node *n, uint64_t instructions, uint64_t tick)
{
    struct node_state *s = n->state;
    struct meeting none = {.what = MET_NOTHING};
    bool by_step = seen_by_stepping(n);
    for (;;) {
        bool ready = node_ready(n, tick);
        if (n->stopped) {
            struct meeting m = met(n);
            node_ready(n, s->now + 1);
            return m;
        }
        if (!ready || s->instructions >= instructions || s->now >= tick)
            return none;
        if (by_step && s->instructions != n->stops->pass && stops_has(n, n->machine->chip->isa->pc(n)))
            return (struct meeting){.what = MET_STOP, .instructions = s->instructions};
        if (by_step)
            step_and_compare(n);
        else
            approach(n, instructions - s->instructions, tick);
    }
}

void subject_node_search(struct node *n, uint32_t number, uint64_t tick, struct search *s)
{
    for (;;) {
        struct meeting m = subject_node_run(n, UINT64_MAX, tick);
        if (m.what == MET_NOTHING)
            return;
        m.node = number;
        if (m.what == MET_WATCH || s->counts(s->context, number))
            s->last[number] = m;
        subject_node_arm(n, m.what == MET_STOP ? n->state->instructions : UINT64_MAX, false);
    }
}

/* ---- inputs ---- */

static void write_pages(struct pages *p, const struct input *i)
{
    if (p && i->where <= pages_size(p) && i->size <= pages_size(p) - i->where)
        pages_write(p, i->where, i->bytes, i->size);
}

void subject_node_give(struct node *n, const struct input *i)
{
    if (n->stops)
        n->stops->blind = true;
    switch (i->kind) {
    case INPUT_SERIAL:
        for (size_t k = 0; k < i->size; k++)
            serial_receive(n, i->where, i->bytes[k]);
        break;
    case INPUT_PIN: pin_drive(n, i->where, (enum pin_drive)i->value); break;
    case INPUT_REGISTER: n->machine->chip->isa->set_register(n, i->where, i->value); break;
    case INPUT_MEMORY: map_write(n, i->where, i->bytes, i->size); break;
    case INPUT_CODE:
        write_pages(node_program_memory(n), i);
        n->machine->chip->isa->reprogrammed(n, i->where, (uint32_t)i->size);
        break;
    case INPUT_EEPROM: write_pages(node_eeprom(n), i); break;
    case INPUT_RESET: node_request_reset(n, RESET_EXTERNAL); break;
    case INPUT_STATE: break;
    }
}
