#include "interface/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "interface/print.h"
#include "isa/isa.h"
#include "node/stops.h"
#include "node/wiring.h"

enum { EVENT_RESUME, EVENT_SILENCE, EVENTS };
enum { COMPONENT_FRAMES = 16, COMPONENT_REGISTERS = 40 };

/* Ticks without an event after which none will come. */
#define COMPONENT_SILENCE (UINT64_C(1) << 28)

struct component_replay {
    struct chip_device device;
    struct interface_reader log;
    struct boundary *boundary;
    uint32_t *numbers; /* by a function's number in the log: that in the boundary; UINT32_MAX: there is none */
    uint32_t home;     /* where calls in return to: code that the component never calls */
};

/* A place in the log, as plain data. */
struct component_place {
    uint64_t at, end, next_block, order, time;
    uint32_t epoch, depth;
};

enum component_end { COMPONENT_GOES_ON, COMPONENT_LOG_ENDED, COMPONENT_DEVIATES };

enum component_deviation {
    COMPONENT_OTHER_CALL,   /* the component calls what the log does not have next */
    COMPONENT_OTHER_RETURN, /* it returns where the log has something else next */
    COMPONENT_OTHER_VALUE,  /* a parameter or result is another */
    COMPONENT_OTHER_BYTES,  /* a buffer is another */
    COMPONENT_OTHER_STATE,  /* variables are others */
    COMPONENT_SILENT,       /* it does not get to the next event */
    COMPONENT_NO_ORDER,     /* the events of the log do not follow from each other */
};

/* A call that is under way. Of a call in that interrupted the component: all registers as they were. */
struct component_frame {
    uint32_t function; /* number in the log */
    uint8_t in, interrupts;
    uint32_t pc, sp;
    uint32_t registers[COMPONENT_REGISTERS];
};

struct component_state {
    struct component_place place, before; /* before: that of the event under way */
    uint64_t events, interrupts;
    uint64_t base; /* instructions executed at the last event */
    uint8_t end, deviation;
    uint8_t cut; /* the log ended while the component was executed: it goes on with what the node did not log */
    uint8_t frame_count;
    uint32_t others;         /* reads of own variables that others had changed */
    uint32_t other_variable; /* the first of them, */
    uint64_t other_event;    /* and where */
    uint32_t index;          /* of the value or buffer that differs */
    uint32_t at;             /* the byte of it; or the function that is called */
    uint64_t found, said;    /* here and in the log */
    struct component_frame frames[COMPONENT_FRAMES];
};

enum { COMPONENT_GIVEN = 16384 }; /* bytes of RAM at most */
static const struct device_type component_type_of_node;

static const struct component_replay *component_of(const struct device *d)
{
    return d->config;
}

static struct component_state *component_state_of(struct node *n, const struct device *d)
{
    return device_state(n, d);
}

/* ---- the log ---- */

static struct interface_reader component_reader(const struct component_replay *r, const struct component_place *p)
{
    struct interface_reader reader = r->log;
    reader.block = (struct unpack){.at = r->log.bytes + p->at, .end = r->log.bytes + p->end};
    reader.next_block = p->next_block;
    reader.order = p->order;
    reader.time = p->time;
    reader.epoch = p->epoch;
    reader.depth = p->depth;
    return reader;
}

static struct component_place component_place_of(const struct interface_reader *r)
{
    bool open = r->block.at != NULL;
    return (struct component_place){
        .at = open ? (uint64_t)(r->block.at - r->bytes) : 0,
        .end = open ? (uint64_t)(r->block.end - r->bytes) : 0,
        .next_block = r->next_block,
        .order = r->order,
        .time = r->time,
        .epoch = r->epoch,
        .depth = r->depth,
    };
}

/* The event at a place, and the place after it; false past the last. */
static bool component_read(const struct component_replay *r, const struct component_place *p, struct interface_event *e,
                           struct component_place *after)
{
    struct interface_reader reader = component_reader(r, p);
    if (!interface_next(&reader, e))
        return false;
    *after = component_place_of(&reader);
    return true;
}

static bool component_next(struct node *n, const struct device *d, struct interface_event *e)
{
    struct component_place after;
    return component_read(component_of(d), &component_state_of(n, d)->place, e, &after);
}

static void component_take(struct node *n, const struct device *d, struct interface_event *e)
{
    struct component_state *s = component_state_of(n, d);
    struct component_place after;
    if (!component_read(component_of(d), &s->place, e, &after))
        return;
    s->before = s->place;
    s->place = after;
    s->events++;
    s->base = n->state->instructions;
    event_in(n, d, EVENT_SILENCE, CLOCK_TICK, COMPONENT_SILENCE);
}

/* ---- ends ---- */

static void component_end(struct node *n, struct component_state *s, enum component_end why)
{
    s->end = (uint8_t)why;
    node_exit(n, NODE_EXIT_LOG, 0);
}

static void component_deviate(struct node *n, struct component_state *s, enum component_deviation what)
{
    s->deviation = (uint8_t)what;
    component_end(n, s, COMPONENT_DEVIATES);
}

/* ---- memory and registers ---- */

/* Of a log that the node made itself: what each byte of RAM was made last by the log. NULL: it is not kept. */
static uint8_t *component_given(struct node *n, uint32_t address)
{
    const struct component_replay *r = n->machine->log->config;
    uint32_t at = address - n->machine->ram->first;
    if (r->device.type != &component_type_of_node || at >= COMPONENT_GIVEN || address >= n->machine->data_size)
        return NULL;
    return (uint8_t *)(component_state_of(n, n->machine->log) + 1) + at;
}

static void component_poke(struct node *n, uint32_t address, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (address + i < n->machine->data_size) {
            uint8_t *given = component_given(n, address + i);
            n->data[address + i] = bytes[i];
            if (given)
                *given = bytes[i];
        }
}

/* Bytes that the component hands out and that code outside had changed meanwhile, which the node did not log by
 * themselves: the component has not written them since the log did. */
static bool component_hands_on(struct node *n, uint32_t address, uint8_t byte)
{
    const uint8_t *given = component_given(n, address);
    if (!given || n->data[address] != *given)
        return false;
    component_poke(n, address, &byte, 1);
    return true;
}

static void component_put_bytes(struct node *n, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        component_poke(n, e->bytes[i].address, e->bytes[i].bytes, e->bytes[i].size);
}

static void component_put_value(struct node *n, const struct debug_call_place *p, const struct interface_event *e,
                                uint32_t i, uint32_t size)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned width = p->in_registers ? isa->register_size(p->first) : 1;
    for (uint32_t k = 0; p->known && k < size; k++) {
        uint8_t byte = e->wide[i] ? e->wide[i][k] : (uint8_t)(e->values[i] >> (8 * k));
        if (k < p->in_registers) {
            unsigned number = p->first + k / width, shift = 8 * (k % width);
            uint32_t old = shift ? isa->get_register(n, number) : 0;
            isa->set_register(n, number, (old & ((1u << shift) - 1)) | (uint32_t)byte << shift);
        } else {
            uint32_t after = isa->sp(n) + isa->stack_gap + isa->return_size(n->machine);
            component_poke(n, after + p->stack + k - p->in_registers, &byte, 1);
        }
    }
}

static void component_save(const struct node *n, struct component_frame *f)
{
    const struct isa *isa = n->machine->chip->isa;
    for (unsigned i = 0; i < isa->registers && i < COMPONENT_REGISTERS; i++)
        f->registers[i] = isa->get_register(n, i);
    f->pc = isa->pc(n);
}

static void component_restore(struct node *n, const struct component_frame *f)
{
    const struct isa *isa = n->machine->chip->isa;
    for (unsigned i = 0; i < isa->registers && i < COMPONENT_REGISTERS; i++)
        isa->set_register(n, i, f->registers[i]);
    isa->set_pc(n, f->pc);
}

/* ---- calls ---- */

/* One instruction at a time while the next event has a position. */
static void component_inside(struct node *n, const struct device *d)
{
    struct interface_event e;
    n->unsure = component_next(n, d, &e) && ((e.kind == INTERFACE_READ && e.position != INTERFACE_NO_POSITION) ||
                                             (e.kind == INTERFACE_CALL_IN && e.interrupts));
}

static bool component_call_in(struct node *n, const struct device *d)
{
    const struct component_replay *r = component_of(d);
    const struct isa *isa = n->machine->chip->isa;
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    uint8_t home[4];
    component_take(n, d, &e);
    if (s->frame_count == COMPONENT_FRAMES || r->numbers[e.function] == UINT32_MAX) {
        component_deviate(n, s, COMPONENT_NO_ORDER);
        return false;
    }
    const struct boundary_function *f = &r->boundary->functions[r->numbers[e.function]];
    const struct interface_function *to = &r->log.header.functions[e.function];
    struct component_frame *frame = &s->frames[s->frame_count++];
    *frame = (struct component_frame){.function = e.function, .in = 1, .interrupts = e.interrupts};
    s->interrupts += e.interrupts;
    component_save(n, frame);
    isa->set_sp(n, e.sp ? e.sp : isa->sp(n) - isa->return_size(n->machine));
    frame->sp = isa->sp(n);
    unsigned width = debug_return_bytes(n->machine->image, r->home, home);
    component_poke(n, frame->sp + isa->stack_gap, home, width);
    for (uint32_t i = 0; i < e.value_count && i < to->parameter_count; i++)
        component_put_value(n, &f->places[i], &e, i, to->parameters[i].type.size);
    component_put_bytes(n, &e);
    isa->set_pc(n, f->address);
    component_inside(n, d);
    return true;
}

static bool component_return_out(struct node *n, const struct device *d)
{
    const struct component_replay *r = component_of(d);
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    component_take(n, d, &e);
    struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    if (!top || top->in || top->function != e.function) {
        component_deviate(n, s, COMPONENT_NO_ORDER);
        return false;
    }
    s->frame_count--;
    component_put_bytes(n, &e);
    if (e.value_count)
        component_put_value(n, &r->boundary->functions[r->numbers[e.function]].result, &e, 0,
                            r->log.header.functions[e.function].result.size);
    n->machine->chip->isa->leave(n, 0, 0);
    component_inside(n, d);
    return true;
}

/* ---- comparing ---- */

static bool component_same_value(struct node *n, struct component_state *s, const struct debug_call_place *p,
                                 const struct interface_type *t, const struct interface_event *e, uint32_t i)
{
    uint8_t bytes[8] = {0};
    uint64_t found = 0;
    if (!p->known || t->size > sizeof bytes || t->kind == INTERFACE_STRUCT)
        return true; /* structures have bytes between their members that nobody sets */
    boundary_value(n, p, t->size, bytes);
    for (unsigned k = 0; k < sizeof bytes; k++)
        found |= (uint64_t)bytes[k] << (8 * k);
    if (found == e->values[i])
        return true;
    s->index = i;
    s->found = found;
    s->said = e->values[i];
    component_deviate(n, s, COMPONENT_OTHER_VALUE);
    return false;
}

static bool component_same_bytes(struct node *n, struct component_state *s, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        for (uint32_t k = 0; k < e->bytes[i].size; k++) {
            uint32_t at = e->bytes[i].address + k;
            if (at >= n->machine->data_size || n->data[at] == e->bytes[i].bytes[k] ||
                component_hands_on(n, at, e->bytes[i].bytes[k]))
                continue;
            s->index = i;
            s->at = k;
            s->found = n->data[at];
            s->said = e->bytes[i].bytes[k];
            component_deviate(n, s, COMPONENT_OTHER_BYTES);
            return false;
        }
    return true;
}

static bool component_same_state(struct node *n, const struct device *d, const struct interface_event *e)
{
    const struct interface_header *h = &component_of(d)->log.header;
    struct digest x = {0, 0};
    for (uint32_t i = 0; i < h->variable_count; i++)
        x = digest_join(x, digest_of(n->data + h->variables[i].address, h->variables[i].size));
    if (x.low == e->value)
        return true;
    component_deviate(n, component_state_of(n, d), COMPONENT_OTHER_STATE);
    return false;
}

/* ---- what the log does while control is outside ---- */

static void component_outside(struct node *n, const struct device *d)
{
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    bool skipping = false; /* what comes after a gap, up to where logging begins again */
    n->unsure = false;
    while (!s->end) {
        if (!component_next(n, d, &e)) {
            component_end(n, s, COMPONENT_LOG_ENDED);
            return;
        }
        if (skipping && e.kind != INTERFACE_BEGIN && e.kind != INTERFACE_RESET) {
            component_take(n, d, &e);
            continue;
        }
        switch (e.kind) {
        case INTERFACE_CALL_IN: component_call_in(n, d); return;
        case INTERFACE_RETURN_OUT: component_return_out(n, d); return;
        case INTERFACE_SNAPSHOT:
            component_take(n, d, &e);
            component_poke(n, e.bytes[0].address, e.bytes[0].bytes, e.bytes[0].size);
            break;
        case INTERFACE_STATE:
            component_take(n, d, &e);
            component_same_state(n, d, &e);
            break;
        case INTERFACE_BEGIN:
        case INTERFACE_RESET:
        case INTERFACE_OFF:
        case INTERFACE_TARGET:
        case INTERFACE_GAP:
            component_take(n, d, &e);
            s->frame_count = 0;
            skipping = e.kind != INTERFACE_BEGIN;
            break;
        default: component_deviate(n, s, COMPONENT_NO_ORDER);
        }
    }
}

/* ---- what the component does ---- */

static bool component_changes(const struct node *n, const struct interface_event *e)
{
    const struct interface_bytes *b = &e->bytes[0];
    for (uint32_t i = 0; i < b->size && b->address + i < n->machine->data_size; i++)
        if (n->data[b->address + i] != b->bytes[i])
            return true;
    return false;
}

/* Puts what is read into memory. Counts where others have changed the component's own variables. */
static void component_read_in(struct node *n, const struct device *d)
{
    const struct interface_header *h = &component_of(d)->log.header;
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    component_take(n, d, &e);
    bool changed = component_changes(n, &e);
    component_put_bytes(n, &e);
    for (uint32_t i = 0; changed && i < h->variable_count; i++)
        if (e.address - h->variables[i].address < h->variables[i].size && !s->others++) {
            s->other_variable = i;
            s->other_event = s->events;
        }
}

/* Bytes that it hands out and did not read have their events before the call. */
static void component_reads(struct node *n, const struct device *d)
{
    struct interface_event e;
    while (component_next(n, d, &e) && e.kind == INTERFACE_READ && e.position != INTERFACE_NO_POSITION)
        component_read_in(n, d);
}

/* ---- reads that the node logged itself ---- */

static uint32_t component_parameter(const struct node *n, const struct boundary_function *f, uint32_t i)
{
    uint8_t bytes[4] = {0};
    uint32_t size = f->call.function->field_count > i ? f->call.function->fields[i].type->size : 0;
    if (size && size <= sizeof bytes && f->places[i].known)
        boundary_value(n, &f->places[i], size, bytes);
    return (uint32_t)(bytes[0] | bytes[1] << 8 | bytes[2] << 16) | (uint32_t)bytes[3] << 24;
}

/* Whether it is one of the logger's functions by which the component says what it reads (target/interface/logger.h). */
static bool component_is_read(const struct component_replay *r, uint32_t function)
{
    const char *name = r->boundary->header.functions[function].name;
    return strncmp(name, "motet_seen", 10) == 0 || strcmp(name, "motet_look") == 0;
}

/* The value is that of the log, or where that has none what memory holds: nothing else can have changed it. */
static void component_reads_here(struct node *n, const struct device *d, uint32_t function)
{
    const struct component_replay *r = component_of(d);
    const struct boundary_function *f = &r->boundary->functions[function];
    const char *name = r->boundary->header.functions[function].name;
    uint32_t at = component_parameter(n, f, 0), second = component_parameter(n, f, 1);
    uint32_t size = name[10] ? (uint32_t)(name[10] - '0') : 0;
    bool look = strcmp(name, "motet_look") == 0;
    struct interface_event value = {.values = {second}}, e;
    if (look)
        size = second;
    else if (!size)
        size = component_parameter(n, f, 2);
    for (uint32_t done = 0; component_next(n, d, &e) && e.kind == INTERFACE_READ &&
                            e.position == INTERFACE_NO_POSITION && e.address - at < size && done < size;) {
        component_read_in(n, d);
        done += e.bytes[0].size;
        if (!look && !name[10])
            component_poke(n, second, e.bytes[0].bytes, e.bytes[0].size);
        value.values[0] = 0;
        for (uint32_t i = 0; i < e.bytes[0].size && i < 4; i++)
            value.values[0] |= (uint64_t)e.bytes[0].bytes[i] << (8 * i);
    }
    if (!look && name[10])
        component_put_value(n, &f->result, &value, 0, size);
    n->machine->chip->isa->leave(n, 0, 0);
    component_inside(n, d);
}

/* The component has called a function outside. */
static void component_called(struct node *n, const struct device *d, uint32_t function)
{
    const struct component_replay *r = component_of(d);
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    bool reads = component_is_read(r, function);
    if (!reads)
        component_reads(n, d);
    bool more = component_next(n, d, &e);
    if (reads && more && e.kind != INTERFACE_GAP && e.kind != INTERFACE_RESET && e.kind != INTERFACE_OFF) {
        component_reads_here(n, d, function);
        return;
    }
    if (!more || e.kind == INTERFACE_GAP || e.kind == INTERFACE_RESET || e.kind == INTERFACE_OFF) {
        s->cut = !more;
        s->at = function;
        component_outside(n, d);
        return;
    }
    if (e.kind != INTERFACE_CALL_OUT || r->numbers[e.function] != function) {
        s->at = function;
        component_deviate(n, s, COMPONENT_OTHER_CALL);
        return;
    }
    component_take(n, d, &e);
    const struct boundary_function *f = &r->boundary->functions[function];
    const struct interface_function *to = &r->log.header.functions[e.function];
    for (uint32_t i = 0; i < e.value_count; i++)
        if (!component_same_value(n, s, &f->places[i], &to->parameters[i].type, &e, i))
            return;
    if (!component_same_bytes(n, s, &e))
        return;
    if (s->frame_count == COMPONENT_FRAMES) {
        component_deviate(n, s, COMPONENT_NO_ORDER);
        return;
    }
    s->frames[s->frame_count++] = (struct component_frame){.function = e.function, .sp = n->machine->chip->isa->sp(n)};
    component_outside(n, d);
}

/* The function that was called in has returned. */
static void component_returned(struct node *n, const struct device *d)
{
    const struct component_replay *r = component_of(d);
    struct component_state *s = component_state_of(n, d);
    struct component_frame top = s->frames[s->frame_count - 1];
    struct interface_event e;
    component_reads(n, d);
    bool more = component_next(n, d, &e);
    if (!more || e.kind == INTERFACE_GAP || e.kind == INTERFACE_RESET || e.kind == INTERFACE_OFF) {
        s->cut = !more;
        s->at = UINT32_MAX;
        component_outside(n, d);
        return;
    }
    if (e.kind != INTERFACE_RETURN_IN || e.function != top.function) {
        component_deviate(n, s, COMPONENT_OTHER_RETURN);
        return;
    }
    component_take(n, d, &e);
    const struct boundary_function *f = &r->boundary->functions[r->numbers[e.function]];
    if (e.value_count && !component_same_value(n, s, &f->result, &r->log.header.functions[e.function].result, &e, 0))
        return;
    if (!component_same_bytes(n, s, &e))
        return;
    s->frame_count--;
    component_restore(n, &top);
    if (!top.interrupts) {
        component_outside(n, d);
        return;
    }
    while (component_next(n, d, &e) && e.kind == INTERFACE_STATE && !s->end) {
        component_take(n, d, &e);
        component_same_state(n, d, &e);
    }
    component_inside(n, d);
}

/* ---- the device ---- */

static void component_connect(const struct device *d, struct wiring *w)
{
    wire_log(w, d);
}

static void component_set_traps(struct node *n, const struct device *d)
{
    const struct component_replay *r = component_of(d);
    stops_trap(n, r->home);
    for (uint32_t i = 0; i < r->boundary->header.function_count; i++)
        if (r->boundary->functions[i].side == BOUNDARY_OUTSIDE)
            stops_trap(n, r->boundary->functions[i].address);
    n->stops->trap_pass = UINT64_MAX;
}

static void component_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct component_replay *r = component_of(d);
    struct component_state *s = component_state_of(n, d);
    (void)cause;
    memset(s, 0, d->type->state_size);
    s->place = s->before = component_place_of(&r->log);
    component_set_traps(n, d);
    event_in(n, d, EVENT_RESUME, CLOCK_TICK, 0);
}

static void component_event(struct node *n, const struct device *d, unsigned which)
{
    if (which == EVENT_SILENCE) {
        component_deviate(n, component_state_of(n, d), COMPONENT_SILENT);
        return;
    }
    n->state->starting = 0;
    component_outside(n, d);
}

static void component_restored(struct node *n, const struct device *d)
{
    component_set_traps(n, d);
    component_inside(n, d);
}

static void component_acknowledge(struct node *n, const struct device *d, unsigned line)
{
    (void)n, (void)d, (void)line;
}

/* At a trap: the beginning of a function outside, or where calls in return to. Asleep, the component waits for nothing
 * that could come. */
static bool component_due(struct node *n, const struct device *d)
{
    const struct component_replay *r = component_of(d);
    const struct isa *isa = n->machine->chip->isa;
    struct component_state *s = component_state_of(n, d);
    uint32_t pc = isa->pc(n), function = boundary_entry(r->boundary, pc);
    const struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    if (s->end)
        return true;
    if (n->state->sleeping)
        component_deviate(n, s, COMPONENT_SILENT);
    else if (top && top->in && pc == r->home && isa->sp(n) == top->sp + isa->return_size(n->machine))
        component_returned(n, d);
    else if (function != UINT32_MAX)
        component_called(n, d, function);
    else
        component_deviate(n, s, COMPONENT_SILENT);
    return true;
}

/* While the next event has a position: puts what is read into memory, and lets an interrupt's call come. */
static void component_before(struct node *n, const struct device *d)
{
    struct component_state *s = component_state_of(n, d);
    struct interface_event e;
    while (component_next(n, d, &e) && n->state->instructions - s->base == e.position) {
        if (e.kind == INTERFACE_READ) {
            component_read_in(n, d);
        } else if (e.kind == INTERFACE_CALL_IN && e.interrupts) {
            component_call_in(n, d);
            return;
        } else {
            break;
        }
    }
    component_inside(n, d);
}

/* A log by probes has every change; the state for one that a node made itself is larger. */
#define COMPONENT_TYPE(bytes)                                                                     \
    {                                                                                             \
        .name = "log", .state_size = (bytes), .events = EVENTS, .connect = component_connect,     \
        .reset = component_reset, .event = component_event, .acknowledge = component_acknowledge, \
        .due = component_due, .before = component_before, .restored = component_restored,         \
    }
static const struct device_type component_type = COMPONENT_TYPE(sizeof(struct component_state));
static const struct device_type component_type_of_node =
    COMPONENT_TYPE(sizeof(struct component_state) + COMPONENT_GIVEN);

/* ---- life ---- */

struct component_replay *component_replay_new(struct interface_reader *log, const struct image *image,
                                              struct motet_error *e)
{
    struct component_replay *r = memory_new(sizeof *r);
    uint64_t build = boundary_build(image);
    r->log = *log;
    bool node = r->log.header.time_bits == INTERFACE_NODE_BITS;
    r->device = (struct chip_device){"log", node ? &component_type_of_node : &component_type, r};
    if (build == r->log.header.build)
        return r;
    error_set(e,
              "%s is build %016" PRIx64 ", but the interface log was made by build %016" PRIx64
              "; give the firmware that was logged",
              image_path(image), build, r->log.header.build);
    component_replay_free(r);
    return NULL;
}

bool component_replay_connect(struct component_replay *r, const struct machine *m, struct motet_error *e)
{
    const struct interface_header *h = &r->log.header;
    r->boundary = boundary_of(m, h->target, e);
    if (!r->boundary)
        return false;
    r->numbers = memory_array(h->function_count, sizeof *r->numbers);
    for (uint32_t i = 0; i < h->function_count; i++) {
        r->numbers[i] = boundary_entry(r->boundary, h->functions[i].address);
        if (r->numbers[i] == UINT32_MAX ||
            r->boundary->header.functions[r->numbers[i]].parameter_count != h->functions[i].parameter_count)
            return error_set(e, "the interface log has a function %s, which the firmware has not",
                             h->functions[i].name);
    }
    for (uint32_t i = 0; i < h->variable_count; i++)
        if ((uint64_t)h->variables[i].address + h->variables[i].size > m->data_size)
            return error_set(e, "the interface log has a variable %s beyond the chip's memory", h->variables[i].name);
    r->home = m->main_address;
    for (uint32_t i = 0; boundary_side(r->boundary, r->home) != BOUNDARY_OUTSIDE && i < h->function_count; i++)
        if (r->boundary->functions[r->numbers[i]].side == BOUNDARY_OUTSIDE)
            r->home = h->functions[i].address;
    return true;
}

void component_replay_free(struct component_replay *r)
{
    if (!r)
        return;
    interface_close(&r->log);
    boundary_free(r->boundary);
    free(r->numbers);
    free(r);
}

const struct chip_device *component_replay_device(const struct component_replay *r)
{
    return &r->device;
}

/* ---- how it went ---- */

static bool component_crashed(const struct node *n, const struct component_state *s)
{
    return s->end == COMPONENT_GOES_ON && n->state->exit == NODE_EXIT_FAULT;
}

/* The log has events after those that were replayed. */
static bool component_has_more(const struct component_replay *r, const struct component_state *s)
{
    struct component_place after;
    struct interface_event e;
    return component_read(r, &s->place, &e, &after);
}

void component_replay_status(const struct node *n, struct component_replay_status *to)
{
    const struct component_state *s = device_state(n, n->machine->log);
    bool crashed = component_crashed(n, s);
    *to = (struct component_replay_status){
        .events = s->events,
        .interrupts = s->interrupts,
        .ended = s->end != COMPONENT_GOES_ON || crashed,
        .deviates = s->end == COMPONENT_DEVIATES || (crashed && component_has_more(n->machine->log->config, s)),
    };
}

/* An event in words, without its bytes. */
static void component_words(const struct component_replay *r, const struct component_place *p, char *text, size_t size)
{
    struct component_place after;
    struct interface_event e;
    if (!component_read(r, p, &e, &after)) {
        snprintf(text, size, "nothing");
        return;
    }
    const char *kind = interface_kind_name(e.kind);
    if (interface_is_call(&e) || interface_is_return(&e))
        snprintf(text, size, "%s %s (%.6f s)", kind, r->log.header.functions[e.function].name,
                 r->log.header.hertz ? (double)e.time / (double)r->log.header.hertz : 0);
    else
        snprintf(text, size, "%s", kind);
}

static void component_explain_value(const struct component_replay *r, const struct component_state *s, char *text,
                                    size_t size)
{
    struct component_place after;
    struct interface_event e;
    component_read(r, &s->before, &e, &after);
    const struct interface_function *f = &r->log.header.functions[e.function];
    const char *kind = interface_kind_name(e.kind);
    if (s->deviation == COMPONENT_OTHER_BYTES)
        snprintf(text, size,
                 "event %" PRIu64 ", %s %s: byte %" PRIu32 " of `%s` is 0x%02" PRIx64 " here and 0x%02" PRIx64
                 " in the log",
                 s->events, kind, f->name, s->at, f->buffers[e.bytes[s->index].buffer].expression, s->found, s->said);
    else
        snprintf(text, size, "event %" PRIu64 ", %s %s: %s is %" PRIu64 " here and %" PRIu64 " in the log", s->events,
                 kind, f->name, interface_is_return(&e) ? "the result" : f->parameters[s->index].name, s->found,
                 s->said);
}

static void component_explain_deviation(const struct node *n, const struct component_replay *r,
                                        const struct component_state *s, char *text, size_t size)
{
    char next[200], place[200];
    component_words(r, &s->place, next, sizeof next);
    image_place(n->machine->image, n->machine->chip->isa->pc(n), place, sizeof place);
    switch ((enum component_deviation)s->deviation) {
    case COMPONENT_OTHER_CALL:
        snprintf(text, size, "after event %" PRIu64 " the component calls %s, but the log has %s", s->events,
                 r->boundary->header.functions[s->at].name, next);
        break;
    case COMPONENT_OTHER_RETURN:
        snprintf(text, size, "after event %" PRIu64 " the component returns from %s, but the log has %s", s->events,
                 r->log.header.functions[s->frames[s->frame_count - 1].function].name, next);
        break;
    case COMPONENT_OTHER_VALUE:
    case COMPONENT_OTHER_BYTES: component_explain_value(r, s, text, size); break;
    case COMPONENT_OTHER_STATE:
        snprintf(text, size,
                 "event %" PRIu64 ": the component's variables are not those of the node; something outside has "
                 "changed them",
                 s->events);
        break;
    case COMPONENT_SILENT:
        snprintf(text, size, "after event %" PRIu64 " the log has %s, which the component never reaches (now at %s)",
                 s->events, next, place);
        break;
    case COMPONENT_NO_ORDER:
        snprintf(text, size, "after event %" PRIu64 " the log has %s, which cannot come there", s->events, next);
        break;
    }
}

/* A node that crashed leaves a log that ends where it was: inside the component, or in what that had called. */
static void component_explain_end(const struct component_replay *r, const struct component_state *s, char *text,
                                  size_t size)
{
    const struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    const char *function = top ? r->log.header.functions[top->function].name : "";
    int used = snprintf(text, size, "the log ends after %" PRIu64 " events", s->events);
    if (s->cut && s->at != UINT32_MAX)
        used += snprintf(text + used, size - (size_t)used,
                         ", inside %s: the component goes on to call %s, which the node did not", function,
                         r->boundary->header.functions[s->at].name);
    else if (s->cut)
        used += snprintf(text + used, size - (size_t)used,
                         ", inside %s: the component goes on to return, which the node did not", function);
    else if (top)
        used += snprintf(text + used, size - (size_t)used, ", outside the component, in %s", function);
    if (s->others)
        snprintf(text + used, size - (size_t)used,
                 "; others had changed its variables at %" PRIu32 " reads, first %s at event %" PRIu64, s->others,
                 r->log.header.variables[s->other_variable].name, s->other_event);
}

/* A fault inside: the node crashed there, too, if its log has nothing after it. */
static void component_explain_crash(const struct component_replay *r, const struct component_state *s, char *text,
                                    size_t size)
{
    const struct component_frame *top = s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
    const char *function = top ? r->log.header.functions[top->function].name : "nothing";
    char next[200];
    component_words(r, &s->place, next, sizeof next);
    if (component_has_more(r, s))
        snprintf(text, size,
                 "the component crashes after event %" PRIu64 ", inside %s, which the node did not: the log has %s",
                 s->events, function, next);
    else
        snprintf(text, size,
                 "the component crashes after event %" PRIu64 ", inside %s, where the log ends: so did the node",
                 s->events, function);
}

char *component_replay_explain(const struct node *n, char *text, size_t size)
{
    const struct component_state *s = device_state(n, n->machine->log);
    const struct component_replay *r = n->machine->log->config;
    text[0] = 0;
    if (s->end == COMPONENT_LOG_ENDED)
        component_explain_end(r, s, text, size);
    else if (s->end == COMPONENT_DEVIATES)
        component_explain_deviation(n, r, s, text, size);
    else if (component_crashed(n, s))
        component_explain_crash(r, s, text, size);
    return text;
}
