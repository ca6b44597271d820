#include "record/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "record/feed_accesses.h"
#include "record/replay_places.h"

enum { FEED_NESTED = 16 };

struct feed {
    struct node *node;
    const struct replay *replay;
    size_t turn; /* of the plan, the next */
    struct feed_record *records;
    size_t count, room;
    const uint8_t *compared;
    struct feed_accesses *accesses;
    uint8_t *last;   /* data memory at the last motet_idle */
    uint16_t *steps; /* by code address / 2: the size of a function that begins there */
    size_t step_count;
    uint32_t made;   /* steps since the last event */
    bool accepted;   /* interrupts were on before the last instruction */
    uint64_t looked; /* at the instruction with this number, */
    uint32_t at;     /* which is there */
    bool called;     /* that one calls */
    bool begun;
    struct {
        uint32_t pc, sp;
    } again[FEED_NESTED]; /* instructions that were looked at and then interrupted */
    unsigned again_count;
};

static void feed_add(struct feed *f, enum feed_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    f->records = memory_grow(f->records, &f->room, f->count, sizeof *f->records);
    f->records[f->count++] = (struct feed_record){(uint32_t)kind, a, b, c};
}

/* ---- what the replay tells ---- */

static void feed_changes(struct feed *f, bool all)
{
    size_t size = f->node->machine->data_size;
    for (size_t i = 0; i < size; i++)
        if (f->compared[i] && (all || f->last[i] != f->node->data[i]))
            feed_add(f, FEED_CHANGE, (uint32_t)i, f->node->data[i], 0);
    memcpy(f->last, f->node->data, size);
}

static void feed_block(struct feed *f, const struct replay_heard *h)
{
    feed_add(f, FEED_BLOCK, h->site, h->size, 0);
    for (unsigned i = 0; i < h->size; i += sizeof(struct feed_record)) {
        struct feed_record bytes = {0};
        memcpy(&bytes, h->bytes + i, h->size - i < sizeof bytes ? h->size - i : sizeof bytes);
        feed_add(f, (enum feed_kind)bytes.kind, bytes.a, bytes.b, bytes.c);
    }
}

static void feed_interrupt(struct feed *f, const struct replay_heard *h)
{
    const struct isa *isa = f->node->machine->chip->isa;
    enum feed_where where = h->asleep ? FEED_ASLEEP : h->read_inside ? FEED_INSIDE : FEED_IN_CODE;
    if (where != FEED_IN_CODE) /* a native program gets it just there */
        feed_accesses_step(f->accesses);
    feed_accesses_interrupt(f->accesses, f->count);
    feed_add(f, FEED_INTERRUPT, h->vector, f->made, (uint32_t)where);
    if (!h->asleep && f->looked == f->node->state->instructions && f->again_count < FEED_NESTED) {
        f->again[f->again_count].pc = f->at;
        f->again[f->again_count++].sp = (uint32_t)isa->sp(f->node);
    }
    f->accepted = false;
}

/* What the plan has before this event. */
static void feed_turns(struct feed *f, const struct replay_heard *h)
{
    const struct replay *r = f->replay;
    uint64_t taken = replay_state_of(f->node)->decoder.events + (h->kind == REPLAY_HEARD_INTERRUPT);
    for (; f->turn < r->hold_count && r->holds[f->turn].event < taken; f->turn++)
        feed_add(f, FEED_TURN, (uint32_t)r->holds[f->turn].tick, (uint32_t)(r->holds[f->turn].tick >> 32), 0);
}

static void feed_hear(void *context, struct node *n, const struct replay_heard *h)
{
    struct feed *f = context;
    (void)n;
    feed_turns(f, h);
    switch (h->kind) {
    case REPLAY_HEARD_READ: feed_add(f, FEED_READ, h->site, h->value, h->size); break;
    case REPLAY_HEARD_BLOCK: feed_block(f, h); break;
    case REPLAY_HEARD_IDLE:
        feed_changes(f, false);
        feed_add(f, FEED_IDLE, h->let_in, 0, 0);
        break;
    case REPLAY_HEARD_INTERRUPT: feed_interrupt(f, h); break;
    case REPLAY_HEARD_BEGIN:
        feed_changes(f, true);
        feed_add(f, FEED_BEGIN, 0, 0, 0);
        f->begun = true;
        break;
    }
    f->made = 0;
    feed_accesses_step(f->accesses);
}

/* ---- accesses ---- */

void feed_access(struct feed *f, uint32_t address, unsigned size, bool writes)
{
    size_t number;
    uint8_t later;
    feed_accesses_add(f->accesses, address, size, writes);
    if (feed_accesses_torn(f->accesses, &number, &later) && f->records[number].a >> 8)
        f->records[number].c |= (uint32_t)later << 24;
}

/* The handler of an interrupt returns: only now it is known what it has accessed. */
static void feed_returns(struct feed *f)
{
    size_t number;
    struct feed_after after;
    if (!feed_accesses_return(f->accesses, &number, &after) || (f->records[number].c & FEED_WHERE) != FEED_IN_CODE)
        return;
    f->records[number].a |= (after.count < FEED_MOST ? after.count : FEED_MOST) << 8;
    f->records[number].c |= (after.writes ? FEED_WRITES : 0) | (after.address & 0xffff) << 8;
}

/* ---- steps ---- */

struct feed *feed_new(struct node *n, struct replay *r, const uint8_t *compared)
{
    struct feed *f = memory_new(sizeof *f);
    f->node = n;
    f->replay = r;
    f->compared = compared;
    f->last = memory_new(n->machine->data_size);
    f->looked = UINT64_MAX;
    f->accesses = feed_accesses_new(n->machine->data_size, compared);
    replay_listen(r, feed_hear, f);
    return f;
}

void feed_free(struct feed *f)
{
    if (!f)
        return;
    feed_accesses_free(f->accesses);
    free(f->records);
    free(f->last);
    free(f->steps);
    free(f);
}

void feed_step_at(struct feed *f, uint32_t address, uint32_t size)
{
    size_t slot = address / 2;
    if (slot >= f->step_count) {
        f->steps = memory_resize(f->steps, slot + 1, sizeof *f->steps);
        memset(f->steps + f->step_count, 0, (slot + 1 - f->step_count) * sizeof *f->steps);
        f->step_count = slot + 1;
    }
    f->steps[slot] = (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX);
}

/* Whether an interrupt came between the first look at this instruction and now. */
static bool feed_is_again(struct feed *f, uint32_t pc)
{
    uint32_t sp = (uint32_t)f->node->machine->chip->isa->sp(f->node);
    while (f->again_count && f->again[f->again_count - 1].sp + 4 < sp)
        f->again_count--;
    if (!f->again_count || f->again[f->again_count - 1].pc != pc)
        return false;
    f->again_count--;
    return true;
}

/* A loop may lead back to a function's first instruction; that is no entry. */
static bool feed_enters(struct feed *f, uint32_t pc)
{
    uint32_t size = pc / 2 < f->step_count ? f->steps[pc / 2] : 0;
    return size && (f->at - pc >= size || f->called);
}

/* Whether code there is of a source in C, and not in assembly. */
static bool feed_is_in_c(const struct feed *f, uint32_t pc)
{
    struct image_line at;
    if (!image_line_at(f->node->machine->image, pc, &at))
        return false;
    const char *dot = strrchr(at.file, '.');
    return !dot || (strcmp(dot, ".S") != 0 && strcmp(dot, ".s") != 0 && strcmp(dot, ".sx") != 0);
}

/* Interrupts are on again, as the source says: not by the compiler's frames, nor in routines in assembly. */
static bool feed_turns_on(const struct feed *f, uint32_t pc, bool accepts)
{
    const struct isa *isa = f->node->machine->chip->isa;
    return accepts && !f->accepted && !(isa->frames && isa->frames(f->node, pc)) && feed_is_in_c(f, f->at);
}

void feed_instruction(struct feed *f, uint32_t pc)
{
    const struct isa *isa = f->node->machine->chip->isa;
    bool accepts = isa->accepts(f->node);
    uint32_t before = f->made;
    if (!feed_is_again(f, pc)) {
        f->made += feed_turns_on(f, pc, accepts);
        f->made += feed_enters(f, pc);
    }
    if (f->made != before)
        feed_accesses_step(f->accesses);
    enum motet_flow flow = isa->flow(f->node, pc);
    if (flow == MOTET_FLOW_INTERRUPT_RETURN)
        feed_returns(f);
    f->accepted = accepts || flow == MOTET_FLOW_INTERRUPT_RETURN;
    f->called = flow == MOTET_FLOW_CALL;
    f->looked = f->node->state->instructions;
    f->at = pc;
}

bool feed_is_placed(const struct feed_record *r, uint32_t *address)
{
    *address = r->c >> 8 & 0xffff;
    return r->kind == FEED_INTERRUPT && r->a >> 8;
}

uint32_t feed_data_address(uint32_t address)
{
    return address & 0xffff;
}

bool feed_register(const struct replay *r, const char *name, uint32_t *address)
{
    for (size_t i = 0; i < r->register_count; i++)
        if (strcmp(r->registers[i].name, name) == 0) {
            *address = r->registers[i].address;
            return true;
        }
    return false;
}

const struct feed_record *feed_records(struct feed *f, size_t *count)
{
    unsigned end = replay_state_of(f->node)->end;
    if (!f->count || f->records[f->count - 1].kind != FEED_END)
        feed_add(f, FEED_END, end, end == REPLAY_FROZEN, 0);
    *count = f->count;
    return f->records;
}
