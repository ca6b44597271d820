#include <string.h>

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

static void position(void *context, struct position *p)
{
    const struct node *n = context;
    p->instructions = n->state->instructions;
    p->now = n->state->now;
    p->phase = phase_of(n);
}

static bool at_stop(const void *context)
{
    const struct node *n = context;
    return phase_of(n) == PHASE_READY && stops_has(n, n->machine->chip->isa->pc(n));
}

/* ---- watches among the registers: instructions reach some of them without anybody being told ---- */

struct before {
    uint8_t bytes[STOPS_WATCHES][REGISTER_BYTES];
};

static uint32_t compared(const struct node *n, const struct watch *w)
{
    uint32_t last = w->last < n->machine->data_size ? w->last : (uint32_t)n->machine->data_size - 1;
    uint32_t size = w->first <= last ? last - w->first + 1 : 0;
    return size < REGISTER_BYTES ? size : REGISTER_BYTES;
}

static void remember(const struct node *n, struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++)
        memcpy(b->bytes[i], n->data + n->stops->watch[i].first, compared(n, &n->stops->watch[i]));
}

static void compare(struct node *n, const struct before *b)
{
    for (unsigned i = 0; i < n->stops->watch_count; i++) {
        const struct watch *w = &n->stops->watch[i];
        for (uint32_t k = 0; k < compared(n, w); k++)
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
    compare(n, &b);
}

static struct meeting met(struct node *n)
{
    struct stops *s = n->stops;
    struct meeting m = {.what = MET_STOP, .instructions = n->state->instructions};
    if (s->hit.met)
        m = (struct meeting){MET_WATCH, s->hit.before, s->hit.address, s->hit.kind};
    s->hit.met = false;
    n->stopped = false;
    return m;
}

static struct meeting nothing(struct node *n)
{
    n->stopped = false;
    return (struct meeting){.what = MET_NOTHING};
}

static struct meeting advance(void *context, uint64_t instructions, uint64_t tick, bool blind)
{
    struct node *n = context;
    struct node_state *s = n->state;
    bool by_step = !blind && n->stops && n->stops->registers;
    uint64_t first = s->instructions;
    if (n->stops) {
        n->stops->pass = first;
        n->stops->blind = blind;
    }
    for (;;) {
        bool ready = node_settle(n, tick);
        if (n->stopped) {
            struct meeting m = met(n);
            node_settle(n, s->now);
            return m;
        }
        if (!ready || s->instructions >= instructions || s->now >= tick)
            return nothing(n);
        if (by_step && s->instructions != first && at_stop(n))
            return (struct meeting){.what = MET_STOP, .instructions = s->instructions};
        if (by_step)
            step_and_compare(n);
        else
            approach(n, instructions - s->instructions, tick);
    }
}

/* ---- inputs ---- */

static void write_memory(struct node *n, const struct input *i)
{
    for (size_t k = 0; k < i->size && i->where + k < n->machine->data_size; k++)
        if (i->where + k < n->machine->chip->ram_start && i->where + k >= 0x20)
            node_write(n, (uint16_t)(i->where + k), i->bytes[k]);
        else
            n->data[i->where + k] = i->bytes[k];
}

static void give(void *context, const struct input *i)
{
    struct node *n = context;
    if (n->stops)
        n->stops->blind = true;
    switch (i->kind) {
    case INPUT_SERIAL:
        for (size_t k = 0; k < i->size; k++)
            serial_receive(n, i->where, i->bytes[k]);
        break;
    case INPUT_PIN: pin_drive(n, i->where, (enum pin_drive)i->value); break;
    case INPUT_REGISTER: n->machine->chip->isa->set_register(n, i->where, i->value); break;
    case INPUT_MEMORY: write_memory(n, i); break;
    case INPUT_RESET: node_request_reset(n, RESET_EXTERNAL); break;
    }
    node_settle(n, n->state->now);
}

/* ---- state ---- */

static void *take(const void *context)
{
    return snapshot_take(context);
}

static void restore(void *context, const void *snapshot)
{
    struct node *n = context;
    snapshot_restore(n, snapshot);
    n->stopped = false;
}

static void release(void *snapshot)
{
    snapshot_free(snapshot);
}

static size_t cost(const void *context)
{
    const struct node *n = context;
    return n->machine->arena_size + 256 * (1 + n->machine->pages_count);
}

static struct digest digest(const void *context)
{
    return node_digest(context);
}

struct subject subject_of_node(struct node *n)
{
    return (struct subject){n, position, advance, at_stop, give, take, restore, release, cost, digest, n->machine->hz};
}
