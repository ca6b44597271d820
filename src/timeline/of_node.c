#include <string.h>

#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/stops.h"
#include "timeline/subject.h"

enum {
    NEAR = 4,           /* instructions from the goal, from where it is stepped */
    REGISTER_BYTES = 64 /* of a watch among the registers that are compared */
};

static enum phase phase_of(const struct node *n)
{
    const struct node_state *s = n->state;
    bool waits = s->sleeping || s->halt_at || s->stall;
    return s->exit ? PHASE_ENDED : waits ? PHASE_WAITING : PHASE_READY;
}

static void of_node_position(const void *context, struct position *p)
{
    const struct node *n = context;
    p->instructions = n->state->instructions;
    p->now = n->state->now;
    p->phase = phase_of(n);
    p->node = 0;
}

static bool of_node_at_stop(const void *context)
{
    const struct node *n = context;
    return phase_of(n) == PHASE_READY && stops_has(n, n->machine->chip->isa->pc(n));
}

/* ---- watches on registers: instructions reach some of them without a callback ---- */

struct before {
    uint8_t bytes[STOPS_WATCHES][REGISTER_BYTES];
};

static uint32_t of_node_compared(const struct node *n, const struct watch *w)
{
    uint32_t last = w->last < n->machine->data_size ? w->last : (uint32_t)n->machine->data_size - 1;
    uint32_t size = w->first <= last ? last - w->first + 1 : 0;
    return size < REGISTER_BYTES ? size : REGISTER_BYTES;
}

static void remember(const struct node *n, struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++)
        memcpy(b->bytes[i], n->data + n->stops->watch[i].first, of_node_compared(n, &n->stops->watch[i]));
}

static void of_node_compare(struct node *n, const struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++) {
        const struct watch *w = &n->stops->watch[i];
        for (uint32_t k = 0; k < of_node_compared(n, w); k++)
            if (n->data[w->first + k] != b->bytes[i][k])
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
    struct before b;
    remember(n, &b);
    node_run(n, n->state->now + 1);
    of_node_compare(n, &b);
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

void subject_arm(struct node *n, uint64_t pass, bool blind)
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

struct meeting subject_run(struct node *n, uint64_t instructions, uint64_t tick, bool exactly)
{
    struct node_state *s = n->state;
    struct meeting none = {.what = MET_NOTHING};
    bool by_step = seen_by_stepping(n);
    for (;;) {
        bool ready = exactly ? node_ready(n, tick) : node_settle(n, tick);
        if (n->stopped) {
            struct meeting m = met(n);
            if (exactly)
                node_ready(n, s->now + 1);
            else
                node_settle(n, s->now);
            return m;
        }
        if (!ready || s->instructions >= instructions || s->now >= tick)
            return none;
        if (by_step && s->instructions != n->stops->pass && of_node_at_stop(n))
            return (struct meeting){.what = MET_STOP, .instructions = s->instructions};
        if (by_step)
            step_and_compare(n);
        else
            approach(n, instructions - s->instructions, tick);
    }
}

void subject_search(struct node *n, uint32_t number, uint64_t tick, bool exactly, struct search *s)
{
    for (;;) {
        struct meeting m = subject_run(n, UINT64_MAX, tick, exactly);
        if (m.what == MET_NOTHING)
            return;
        m.node = number;
        if (m.what == MET_WATCH || s->counts(s->context, number))
            s->last[number] = m;
        subject_arm(n, m.what == MET_STOP ? n->state->instructions : UINT64_MAX, false);
    }
}

static struct meeting of_node_advance(void *context, const struct reach *r)
{
    struct node *n = context;
    subject_arm(n, n->state->instructions, r->blind);
    if (!r->search)
        return subject_run(n, r->instructions, r->tick, false);
    subject_search(n, 0, r->tick, false, r->search);
    return (struct meeting){.what = MET_NOTHING};
}

/* ---- inputs ---- */

static void of_node_write_memory(struct node *n, const struct input *i)
{
    for (size_t k = 0; k < i->size && i->where + k < n->machine->data_size; k++)
        if (i->where + k < n->machine->chip->ram_start && i->where + k >= 0x20)
            node_write(n, (uint16_t)(i->where + k), i->bytes[k]);
        else
            n->data[i->where + k] = i->bytes[k];
}

static void write_pages(struct pages *p, const struct input *i)
{
    if (p && i->where <= pages_size(p) && i->size <= pages_size(p) - i->where)
        pages_write(p, i->where, i->bytes, i->size);
}

void subject_give(struct node *n, const struct input *i)
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
    case INPUT_MEMORY: of_node_write_memory(n, i); break;
    case INPUT_CODE:
        write_pages(node_program_memory(n), i);
        n->machine->chip->isa->reprogrammed(n, i->where, (uint32_t)i->size);
        break;
    case INPUT_EEPROM: write_pages(node_eeprom(n), i); break;
    case INPUT_RESET: node_request_reset(n, RESET_EXTERNAL); break;
    case INPUT_STATE: break;
    }
}

static void of_node_look(const void *context, uint32_t node, struct subject_node *l)
{
    const struct node *n = context;
    (void)node;
    *l = (struct subject_node){n->state->instructions, phase_of(n) == PHASE_WAITING, n->state->exit != NODE_RUNNING};
}

static void of_node_give(void *context, const struct input *i)
{
    struct node *n = context;
    if (i->kind == INPUT_STATE)
        snapshot_restore(n, i->state);
    subject_give(n, i);
    node_settle(n, n->state->now);
}

static void of_node_expect(void *context, uint64_t tick)
{
    (void)context, (void)tick;
}

static void of_node_yield(void *context)
{
    (void)context;
}

static void of_node_resume(void *context)
{
    struct node *n = context;
    node_settle(n, n->state->now);
}

static bool of_node_takes(const void *context, uint32_t node)
{
    (void)node;
    return !((const struct node *)context)->state->exit;
}

/* ---- state ---- */

static void *of_node_take(const void *context)
{
    return snapshot_take(context);
}

static void of_node_restore(void *context, const void *snapshot)
{
    struct node *n = context;
    snapshot_restore(n, snapshot);
    n->stopped = false;
}

static void of_node_release(void *snapshot)
{
    snapshot_free(snapshot);
}

static uint64_t of_node_done(const void *snapshot, uint32_t node)
{
    (void)node;
    return snapshot_state(snapshot)->instructions;
}

static size_t of_node_cost(const void *context)
{
    const struct node *n = context;
    return n->machine->arena_size + 256 * (1 + n->machine->pages_count);
}

static struct digest of_node_digest(const void *context)
{
    return node_digest(context);
}

static void of_node_pack(const void *snapshot, struct pack *p)
{
    snapshot_pack(snapshot, p);
}

static void *of_node_unpack(const void *context, struct unpack *u)
{
    return snapshot_unpack(((const struct node *)context)->machine, u);
}

struct subject subject_of_node(struct node *n)
{
    return (struct subject){
        .context = n,
        .nodes = 1,
        .hz = n->machine->hz,
        .position = of_node_position,
        .advance = of_node_advance,
        .at_stop = of_node_at_stop,
        .look = of_node_look,
        .give = of_node_give,
        .takes = of_node_takes,
        .expect = of_node_expect,
        .yield = of_node_yield,
        .resume = of_node_resume,
        .take = of_node_take,
        .restore = of_node_restore,
        .release = of_node_release,
        .done = of_node_done,
        .cost = of_node_cost,
        .digest = of_node_digest,
        .pack = of_node_pack,
        .unpack = of_node_unpack,
    };
}
