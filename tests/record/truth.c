#include "truth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"
#include "record/replay_unknown.h"
#include "recorded.h"

enum { EVERY = 16 /* instructions between two looks at memory */, DEEPEST = 64, ROUND = 64 };

int fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "exact: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(1);
}

void *grown(void *p, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return p;
    *room = *room ? 2 * *room : 65536;
    p = realloc(p, *room * size);
    return p ? p : (abort(), NULL);
}

void set_variables(struct node *n, const struct run *r, uint32_t id)
{
    struct motet_error e = {""};
    static const char *const ids[] = {"node_id", "TOS_NODE_ID", "ActiveMessageAddressC__addr"}; /* as motet run does */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (image_symbol_named(n->machine->image, ids[i]) && !node_set_variable(n, ids[i], id, &e))
            fail("%s", e.text);
    if (r->variable[0] && !node_set_variable(n, r->variable, r->value, &e))
        fail("%s", e.text);
}

static void add_poll(struct polls *p, uint32_t at)
{
    if (p->count == sizeof p->at / sizeof *p->at)
        fail("too many polling loops");
    p->at[p->count++] = at;
}

/* Loops of what comes compiled. */
static void find_waits(struct polls *p, const struct machine *m)
{
    const struct isa *isa = m->chip->isa;
    const struct image_segment *s;
    struct isa_wait wait;
    size_t count = image_segments(m->image, &s);
    for (size_t i = 0; isa->waits && i < count; i++)
        for (uint32_t at = 0; s[i].executable && at < s[i].size; at += 2)
            if (isa->waits(s[i].bytes, s[i].size, at, &wait))
                add_poll(p, s[i].address + at);
}

void find_polls(struct polls *p, const struct machine *m)
{
    size_t size;
    const uint8_t *bytes;
    p->count = 0;
    find_waits(p, m);
    p->waits = p->count;
    for (size_t i = 0; (bytes = image_section(m->image, ".motet.polls", i, &size)); i++)
        for (size_t at = 0; at + 4 < size; at++) { /* four bytes of address, then a line */
            uint32_t loop = bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16;
            for (at += 4; at < size && bytes[at] != '\n';)
                at++;
            if (bytes[at - 1] != '=') /* not a loop, but where replay puts something */
                add_poll(p, loop);
        }
}

bool is_output(const struct node *n, uint32_t address)
{
    enum { AVR_SREG = 0x5f };
    const struct chip *c = n->machine->chip;
    return address < chip_region(c, REGION_RAM)->backing && !(c->isa->spaces.data && address == AVR_SREG);
}

/* ---- looking at memory ---- */

static uint32_t symbol(const struct machine *m, const char *name)
{
    const struct image_symbol *s = image_symbol_named(m->image, name);
    return s ? s->address & 0xffff : 0;
}

/* Where the application may have bytes of its own outside what start-up code initialises: the heap. */
static uint32_t heap_end(const struct node *n, uint32_t bss_end)
{
    uint32_t at = n->machine->heap_break;
    uint32_t end = at ? n->data[at] | (uint32_t)n->data[at + 1] << 8 : 0;
    return end > bss_end ? end : bss_end;
}

uint32_t look_at_register(const struct node *n, unsigned number)
{
    const struct isa *isa = n->machine->chip->isa;
    const char *name = isa->register_name(number);
    bool result = isa->spaces.data ? strcmp(name, "r24") == 0 || strcmp(name, "r25") == 0 : strcmp(name, "r12") == 0;
    if (result)
        return 0; /* bits that are not live are as they were read */
    uint32_t value = isa->get_register(n, number);
    if (strcmp(name, "SREG") == 0 || strcmp(name, "sr") == 0)
        value &= ~0x107fu; /* flags may be left over from the value that was read, before it was recorded */
    return value;
}

/* Leaves out what replay says hardware writes to at any time. */
static void leave_out_filled(const struct machine *m, uint8_t *data)
{
    const uint8_t *at;
    size_t size;
    for (size_t i = 0; (at = image_section(m->image, ".motet.filled", i, &size)); i++)
        for (; size >= 8; at += 8, size -= 8)
            memset(data + (at[0] | at[1] << 8), 0, at[4] | (size_t)at[5] << 8);
}

/* Variables: all but one that is a stack of its own, where the recorder leaves bytes below the stack pointer. */
static struct digest look_at_variables(const struct node *n, uint32_t end)
{
    const struct image *image = n->machine->image;
    const struct image_symbol *stack = image_symbol_named(image, "other_stack");
    uint32_t first = n->machine->ram->first, from = stack ? stack->address & 0xffff : end;
    uint32_t to = stack ? from + stack->size : end;
    const uint8_t *data = n->data;
    size_t size;
    if (image_section(image, ".motet.filled", 0, &size)) {
        static uint8_t copy[DATA_SPACE];
        memcpy(copy + first, data + first, end - first);
        leave_out_filled(n->machine, copy);
        data = copy;
    }
    return digest_join(digest_of(data + first, from - first), digest_of(data + to, end - to));
}

struct digest look(const struct node *n, const struct moment *m, const bool application[DATA_SPACE])
{
    static uint8_t bytes[DATA_SPACE]; /* those the application wrote, with their addresses folded in */
    const struct machine *machine = n->machine;
    uint32_t bss_end = symbol(machine, "__bss_end"), heap = heap_end(n, bss_end), count = 0;
    struct digest d = look_at_variables(n, bss_end);
    for (uint32_t i = bss_end; i < heap; i++)
        bytes[count++] = application[i] ? n->data[i] : 0;
    uint32_t low = m->stack_low < bss_end ? (uint32_t)machine->data_size : m->stack_low; /* else in other_stack */
    for (uint32_t i = low; i < machine->data_size; i++)
        bytes[count++] = application[i] ? n->data[i] : 0;
    return digest_join(d, digest_of(bytes, count));
}

/* ---- which instructions are the application's ---- */

static const char *const entries[] = {"motet_idle",      "motet_begin",  "motet_read8",   "motet_pointer8",
                                      "motet_pointer16", "motet_read16", "motet_wrapped", "motet_breathe",
                                      "motet_block",     "motet_polled", "motet_flush",   "motet_freeze"};
enum { IDLE, BEGIN, LAST_HOST = 7, FLUSH = 10, ENTRIES = sizeof entries / sizeof *entries };

/* In the recorder's memory (struct recorder): its worker is at work, and interrupts are let in. */
enum { INSIDE = 1 };

/* What was begun and has not ended: a call of the recorder, or a handler. */
struct under_way {
    uint32_t until, sp; /* it has ended there */
    bool call, interrupted;
    uint32_t lowest; /* that the stack came to */
    bool in_c;       /* a function of the application */
    bool shallow;    /* an entry that replay takes to need no more of the stack than UNKNOWN_RESIDUE */
};

struct tracker {
    uint32_t entry[ENTRIES];
    uint32_t stub[64], handler[64],
        routine[64]; /* recorded as a whole: calls of routines in assembly, functions in C */
    bool in_c[64];   /* what these leave in registers is not recorded */
    unsigned stubs, routines;
    struct under_way stack[DEEPEST];
    unsigned depth;
    uint32_t skip_to;      /* in a vector's stub: the handler; 0: not */
    uint32_t own, own_end; /* memory of the recorder, where its worker has its stack */
    uint32_t inside;       /* of that: not zero while interrupts are let in */
    bool led;              /* the interrupt came in the worker: the recorder leads it to where it was called */
    uint32_t jump;         /* then: the vector's instruction, where it has one */
    bool returned;         /* from the recorder, just now */
    bool application;      /* the instruction under way is */
    struct polls polls;
    uint32_t poll_now; /* the loop whose round began at instruction poll_at, and nothing came since */
    size_t poll_at;
    struct digest poll_digest; /* of memory then */
    uint32_t poll_sp;          /* no call or return since */
    size_t since;              /* the instruction after the last entry of the recorder, interrupt, or step counted */
    uint32_t count_at;         /* data address of motet_count */
    unsigned steps;            /* what it was */
    bool owned[DATA_SPACE];    /* by the application */
    uint32_t deepest;          /* that the stack came to since motet_idle was called */
    bool known[DATA_SPACE];    /* as truth.owners says */
    uint32_t resets;           /* that it knows of */
    bool starting;             /* after a reset, and variables may be as it found them */
};

static void find(struct tracker *t, const struct machine *m)
{
    const struct image_symbol *s;
    size_t count = image_symbols(m->image, &s);
    find_polls(&t->polls, m);
    t->count_at = symbol(m, "motet_count");
    const struct image_symbol *own = image_symbol_named(m->image, "motet_recorder");
    t->own = own->address & 0xffff;
    t->own_end = t->own + own->size;
    t->inside = t->own + INSIDE;
    for (unsigned i = 0; i < ENTRIES; i++) {
        const struct image_symbol *entry = image_symbol_named(m->image, entries[i]);
        t->entry[i] = entry ? entry->address : UINT32_MAX; /* the linker leaves out what is not called */
    }
    for (size_t i = 0; i < count; i++) {
        char name[64];
        unsigned number;
        const struct image_symbol *handler = NULL;
        if (sscanf(s[i].name, "__vector_%u", &number) == 1 && !strstr(s[i].name, "motet")) {
            snprintf(name, sizeof name, "__vector_%u_motet", number);
            handler = image_symbol_named(m->image, name);
        } else if (sscanf(s[i].name, "motet_vector_%u", &number) == 1) {
            snprintf(name, sizeof name, "motet_handler_%u", number);
            handler = image_symbol_named(m->image, name);
        }
        const struct image_symbol *call = NULL;
        if (strncmp(s[i].name, "motet_routine_", 14) == 0)
            call = image_symbol_named(m->image, s[i].name + 14);
        bool in_c = strncmp(s[i].name, "motet_whole_", 12) == 0;
        if (in_c)
            call = &s[i];
        if (call && t->routines == sizeof t->routine / sizeof *t->routine)
            fail("too many routines that are recorded as a whole");
        if (call) {
            t->in_c[t->routines] = in_c;
            t->routine[t->routines++] = call->address;
        }
        if (handler) {
            t->stub[t->stubs] = s[i].address;
            t->handler[t->stubs++] = handler->address;
        }
    }
}

/* Bytes of a return address. */
static uint32_t return_size(const struct node *n)
{
    return n->machine->code_size > 0x20000 ? 3 : 2;
}

static uint32_t return_to(const struct node *n)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    if (return_size(n) == 3)
        return 2u * (uint32_t)(n->data[sp + 1] << 16 | n->data[sp + 2] << 8 | n->data[sp + 3]);
    if (n->machine->chip->isa->spaces.data)
        return 2u * (uint32_t)(n->data[sp + 1] << 8 | n->data[sp + 2]);
    return n->data[sp] | (uint32_t)n->data[sp + 1] << 8;
}

static void begin(struct tracker *t, uint32_t until, uint32_t sp, bool call)
{
    const struct under_way *top = t->depth ? &t->stack[t->depth - 1] : NULL;
    if (top && !call && !top->call && top->until == until && top->sp == sp)
        return; /* one interrupt after the other, and no instruction in between */
    if (t->depth == DEEPEST)
        fail("too deep");
    if (t->depth && t->stack[t->depth - 1].call)
        t->stack[t->depth - 1].interrupted = true;
    t->stack[t->depth++] = (struct under_way){until, sp, call, false, sp, false, false};
}

/* The outermost call of the recorder under way, or NULL. */
static struct under_way *outermost_call(struct tracker *t)
{
    for (unsigned i = 0; i < t->depth; i++)
        if (t->stack[i].call)
            return &t->stack[i];
    return NULL;
}

/* A checkpoint may be of this moment. */
static void add_idle(struct truth *t)
{
    t->idles = grown(t->idles, t->idle_count, &t->idle_room, sizeof *t->idles);
    t->idles[t->idle_count++] = t->count;
}

/* What has just ended. Handlers of interrupts in the recorder are higher on the stack in replay: whatever they left
 * below is at other places. And every handler has left there what was in the registers, perhaps just read, with bits
 * that are never used and not recorded. */
static void ended(struct tracker *t, struct truth *truth)
{
    const struct under_way *u = &t->stack[--t->depth];
    struct under_way *below = t->depth ? &t->stack[t->depth - 1] : NULL;
    t->returned = u->call && !u->in_c;
    if (!u->call && below && below->call)
        add_idle(truth); /* if it was one */
    if (below && u->lowest < below->lowest)
        below->lowest = u->lowest;
    for (uint32_t i = u->lowest; (u->interrupted || !u->call) && i < u->sp; i++)
        t->owned[i] = false;
}

/* In the worker, or in the stub of an interrupt that came in it. */
static bool is_worker(const struct tracker *t, uint32_t sp)
{
    return sp >= t->own && sp < t->own_end;
}

/* An interrupt that came in the worker has been led to where motet_idle is entered, and its handler begins. */
static void begin_led(struct tracker *t, const struct node *n, uint32_t sp)
{
    bool avr = n->machine->chip->isa->spaces.data != 0;
    uint32_t until = avr ? return_to(n) : n->data[sp + 2] | (uint32_t)n->data[sp + 3] << 8;
    begin(t, until, sp + (avr ? return_size(n) : 4), false);
    t->led = false;
}

/* A checkpoint does not have what lies below the stack pointer. */
static void forget_below(struct tracker *t, uint32_t sp)
{
    for (; t->deepest && t->deepest < sp; t->deepest++)
        t->owned[t->deepest] = false;
    t->deepest = sp;
}

/* Whether the instruction at pc is the application's. */
static bool outside(struct tracker *t, struct truth *truth, const struct node *n, uint32_t pc)
{
    uint32_t sp = n->machine->chip->isa->sp(n);
    struct under_way *top = t->depth ? &t->stack[t->depth - 1] : NULL;
    if (top && sp < top->lowest && !is_worker(t, sp))
        top->lowest = sp;
    if (sp < t->deepest && !is_worker(t, sp))
        t->deepest = sp;
    t->returned = false;
    if (t->skip_to && pc != t->skip_to)
        return false;
    if (t->skip_to && t->led)
        begin_led(t, n, sp);
    t->skip_to = 0;
    while (t->depth && pc == t->stack[t->depth - 1].until && sp == t->stack[t->depth - 1].sp)
        ended(t, truth);
    bool inside = t->depth && t->stack[t->depth - 1].call;
    for (unsigned i = 0; i < t->stubs && (t->led || !inside); i++)
        if (t->stub[i] == pc) {
            t->skip_to = t->handler[i];
            return false;
        }
    if (inside)
        return false;
    for (unsigned i = 0; i < t->routines; i++)
        if (t->routine[i] == pc) {
            begin(t, return_to(n), sp + return_size(n), true);
            t->stack[t->depth - 1].in_c = t->in_c[i];
            return false;
        }
    for (unsigned i = 0; i < ENTRIES; i++)
        if (t->entry[i] == pc) {
            begin(t, return_to(n), sp + return_size(n), true);
            if (i != BEGIN && i <= LAST_HOST) {
                add_idle(truth);
                forget_below(t, sp);
            }
            t->stack[t->depth - 1].shallow = i != BEGIN && i < FLUSH;
            t->starting &= i != BEGIN;
            return false;
        }
    return true;
}

/* ---- polling loops ---- */

static void drop_from(struct truth *t, size_t index)
{
    t->left_out += t->count - index;
    t->count = index;
    while (t->moment_count && t->moments[t->moment_count - 1].index >= index)
        t->moment_count--;
    while (t->output_count && t->outputs[t->output_count - 1].index > index)
        t->output_count--;
}

/* An interrupt in a polling loop: in replay it comes when its place is first reached, no matter in which round. */
static void drop_before_interrupt(struct tracker *t, struct truth *truth, uint32_t pc)
{
    size_t i = t->poll_at > t->since + ROUND ? t->poll_at - ROUND : t->since;
    for (unsigned k = 0; k < t->polls.waits; k++)
        if (t->polls.at[k] == t->poll_now) /* begins with the loop; what lies before may be another visit of it */
            i = t->poll_at;
    for (; t->poll_now && i < truth->count && i <= t->poll_at; i++) /* what comes after it are other loops */
        if (truth->pcs[i] == (uint16_t)(pc / 2))
            drop_from(truth, i);
    t->poll_now = 0;
    t->since = truth->count;
}

/* A round of a polling loop that led to another one: replay goes through the last alone. */
static void drop_rounds(struct tracker *t, struct truth *truth, const struct node *n, uint32_t pc, uint32_t sp)
{
    if (sp != t->poll_sp)
        t->poll_now = 0;
    for (unsigned i = 0; i < t->polls.count; i++) {
        if (t->polls.at[i] != pc)
            continue;
        struct moment m = {.stack_low = (uint16_t)(sp + 1)};
        struct digest d = look(n, &m, t->owned);
        if (t->poll_now == pc) {
            if (!digest_equal(d, t->poll_digest))
                fail("a round of the polling loop at %x has changed memory, but is not recorded", pc);
            drop_from(truth, t->poll_at);
        }
        t->poll_now = pc;
        t->poll_at = truth->count;
        t->poll_digest = d;
        t->poll_sp = sp;
    }
}

/* ---- a run that is watched ---- */

static const struct isa *watched; /* the real one */
static struct truth *truths;
static struct tracker trackers[TRUTH_NODES + 1];
static const struct run *under_watch;

/* Which bytes they are, to find out why. */
static void show_difference(const struct node *was, const struct node *is, const bool owned[DATA_SPACE])
{
    char place[200];
    const struct isa *isa = was->machine->chip->isa;
    uint32_t bss_end = symbol(was->machine, "__bss_end"), sp = isa->sp(was), heap = heap_end(was, bss_end);
    for (unsigned i = 0; i < isa->registers; i++)
        if (isa->get_register(was, i) != isa->get_register(is, i))
            fprintf(stderr, "  %s is %x, was %x\n", isa->register_name(i), isa->get_register(is, i),
                    isa->get_register(was, i));
    for (uint32_t i = was->machine->ram->first; i < was->machine->data_size; i++)
        if (was->data[i] != is->data[i] && (i < bss_end || (owned[i] && (i < heap || i >= sp))))
            fprintf(stderr, "  %04x is %02x, was %02x %s\n", i, is->data[i], was->data[i],
                    i < heap ? image_place(was->machine->image, isa->spaces.data + i, place, sizeof place)
                             : "on the stack");
}

static void take_moment(struct truth *t, struct tracker *k, const struct node *n, bool whole)
{
    /* What an interrupted piece of code had in its registers, perhaps just read, lies in the handler's frame. */
    uint32_t low = watched->sp(n) + (watched->spaces.data ? 1 : 0);
    for (unsigned i = 0; i < k->depth; i++)
        if (!k->stack[i].call) {
            low = k->stack[i].sp + (watched->spaces.data ? 1 : 0);
            break;
        }
    struct moment m = {.index = t->count, .whole = whole, .stack_low = (uint16_t)low, .sp = (uint16_t)watched->sp(n)};
    uint32_t bss_end = symbol(n->machine, "__bss_end"), heap = heap_end(n, bss_end);
    for (uint32_t i = bss_end; i < n->machine->data_size; i++) {
        if (i == heap && heap < low)
            i = low;
        if (i < n->machine->data_size && k->owned[i] != k->known[i]) {
            t->owners = grown(t->owners, t->owner_count, &t->owner_room, sizeof *t->owners);
            t->owners[t->owner_count++] = (struct owner){(uint16_t)i, k->known[i] = k->owned[i]};
        }
    }
    m.changes = t->owner_count;
    m.registers = t->register_count;
    for (unsigned i = 0; whole && i < watched->registers; i++) {
        t->registers = grown(t->registers, t->register_count, &t->register_room, sizeof *t->registers);
        t->registers[t->register_count++] = look_at_register(n, i);
    }
    m.digest = look(n, &m, k->owned);
    t->moments = grown(t->moments, t->moment_count, &t->moment_room, sizeof *t->moments);
    t->moments[t->moment_count++] = m;
}

/* What counts is no round of a loop that polls. */
static void note_steps(struct tracker *k, const struct truth *t, const struct node *n)
{
    unsigned steps = n->data[k->count_at] | (unsigned)n->data[k->count_at + 1] << 8;
    if (steps != k->steps) {
        k->poll_now = 0;
        k->since = t->count;
    }
    k->steps = steps;
}

static void add_instruction(struct truth *t, uint32_t pc)
{
    t->pcs = grown(t->pcs, t->count, &t->pc_room, sizeof *t->pcs);
    t->pcs[t->count++] = (uint16_t)(pc / 2);
}

/* After a reset nothing is under way, and memory outside what start-up code initialises has no owner. */
static void start_again(struct tracker *k, struct truth *t, const struct node *n)
{
    k->resets = n->state->resets;
    k->starting = true;
    k->depth = 0;
    k->led = false;
    k->jump = k->skip_to = k->poll_now = k->deepest = 0;
    k->since = t->count;
    memset(k->owned, 0, sizeof k->owned);
    t->starts = grown(t->starts, t->start_count, &t->start_room, sizeof *t->starts);
    t->starts[t->start_count++] = t->count;
}

/* Before each instruction. */
static void watch(const struct node *n)
{
    struct tracker *k = &trackers[n->id];
    struct truth *t = &truths[n->id];
    uint32_t pc = watched->pc(n);
    if (n->state->resets != k->resets)
        start_again(k, t, n);
    k->application = outside(k, t, n, pc);
    if (!k->application) {
        k->poll_now = 0;
        k->since = t->count;
        return;
    }
    if (k->jump)
        add_instruction(t, k->jump);
    k->jump = 0;
    note_steps(k, t, n);
    drop_rounds(k, t, n, pc, watched->sp(n));
    bool whole = k->returned && k->depth == 0;
    if (under_watch->shown && under_watch->shown_id == n->id && t->count == under_watch->show_at) {
        show_difference(n, under_watch->shown, k->owned);
        exit(1); /* the run was made again for this alone */
    }
    if ((t->count % EVERY == 0 || whole) && !k->starting)
        take_moment(t, k, n, whole);
    add_instruction(t, pc);
}

static void run_watched(struct node *n)
{
    watch(n);
    n->horizon = n->state->now + 1;
    watched->run(n);
}

static bool interrupt_watched(struct node *n)
{
    uint32_t pc = watched->pc(n), sp = watched->sp(n);
    struct tracker *k = &trackers[n->id];
    bool was = k->application;
    k->application = !(k->depth && k->stack[k->depth - 1].call); /* what it pushes is */
    bool worker = n->data[k->inside] != 0, taken = watched->interrupt(n);
    if (!taken) {
        k->application = was;
        return false;
    }
    if (worker) {
        k->led = true;
        k->jump = watched->spaces.data ? watched->pc(n) : 0;
        return true;
    }
    begin(k, pc, sp, false);
    drop_before_interrupt(k, &truths[n->id], pc);
    return true;
}

/* Replay takes it that an entry of the recorder goes no deeper than that on its caller's stack. */
static void check_depth(const struct tracker *k, const struct node *n, uint32_t address)
{
    const struct under_way *top = k->depth ? &k->stack[k->depth - 1] : NULL;
    if (k->application || !top || !top->shallow || top->interrupted || address < n->machine->stack_limit)
        return;
    if (address < top->sp && top->sp - address > UNKNOWN_RESIDUE)
        fail("an entry of the recorder went %u bytes deep", top->sp - address);
}

static void written(void *context, const struct motet_node *handle, const struct motet_access *a)
{
    const struct node *n = context;
    struct tracker *k = &trackers[n->id];
    struct truth *t = &truths[n->id];
    const struct under_way *call = outermost_call(k);
    (void)handle;
    check_depth(k, n, a->address);
    for (uint32_t i = a->address; i < a->address + a->size && i < DATA_SPACE; i++)
        k->owned[i] = k->application && (!call || i >= call->sp);
    if (!is_output(n, a->address) || !k->application)
        return;
    t->outputs = grown(t->outputs, t->output_count, &t->output_room, sizeof *t->outputs);
    t->outputs[t->output_count++] = (struct output){t->count, (uint16_t)a->address, a->value, a->old};
}

static void take_flash(struct truth *t, const struct node *n)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count; i++)
        if (strcmp(m->devices[i].name, "flash") == 0 && m->devices[i].part) {
            struct pages *pages = device_pages(n, &m->devices[i]);
            t->flash_size = pages_size(pages);
            t->flash = malloc(t->flash_size);
            if (!t->flash)
                abort();
            pages_read(pages, 0, t->flash, t->flash_size);
        }
}

static uint32_t any(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 16;
}

static struct network *network_of(const struct run *r, const struct machine *m, uint32_t *random)
{
    struct medium_options medium = medium_default;
    struct motet_error e = {""};
    medium.model = MEDIUM_UNIT_DISK;
    medium.range = 15;
    struct network *network = network_new(r->seed, 1, &medium);
    for (uint32_t id = 1; id <= r->nodes; id++) {
        struct network_node o = {.id = id, .at = {.x = 10.0 * id}};
        if (r->seed > 1) {
            o.boot = any(random) * UINT64_C(20000);
            o.drift = (double)(any(random) % 100) - 50;
        }
        struct node *n = network_add(network, m, &o, &e);
        if (!n)
            fail("%s", e.text);
        set_variables(n, r, id);
        find(&trackers[id], m);
        tap_watch(n, 0, DATA_SPACE - 1, MOTET_WRITE | MOTET_AFTER, written, n);
    }
    return network;
}

void record_truth(const struct run *r, struct truth into[TRUTH_NODES + 1])
{
    static struct isa isa;
    static struct chip chip;
    uint32_t random = r->seed;
    chip = *board_named(r->board)->chip;
    watched = chip.isa;
    isa = *watched;
    isa.run = run_watched;
    isa.interrupt = interrupt_watched;
    chip.isa = &isa;
    under_watch = r;
    truths = into;
    memset(trackers, 0, sizeof trackers);
    struct machine *m = recorded_machine(r->path, r->board, &chip, NULL);
    struct network *network = network_of(r, m, &random);
    uint64_t end = (uint64_t)(r->seconds * (double)NETWORK_SECOND);
    for (uint64_t t = 0; t < end && r->line >= 0; t += 1000000 + any(&random) % 4096 * 1000) {
        network_run(network, t);
        serial_receive(network_node(network, 0), (unsigned)r->line, any(&random) % 4 ? any(&random) & 0xff : 0x7e);
        network_touched(network, 0);
    }
    if (network_run(network, end) == NETWORK_ENDED)
        fail("a node ended before its time");
    for (uint32_t id = 1; id <= r->nodes; id++)
        take_flash(&into[id], network_node(network, id - 1));
    network_free(network);
    machine_free(m);
}

void free_truth(struct truth *t)
{
    free(t->pcs);
    free(t->moments);
    free(t->owners);
    free(t->registers);
    free(t->outputs);
    free(t->idles);
    free(t->starts);
    free(t->flash);
}
