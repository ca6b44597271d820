#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "interface/replay_internal.h"
#include "isa/abstract.h"
#include "isa/isa.h"
#include "node/map.h"
#include "node/stops.h"
#include "node/wiring.h"

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
    isa->set_sp(n, e.sp ? e.sp : isa->sp(n) - isa_call_bytes(isa, n->machine));
    frame->sp = isa->sp(n);
    unsigned width = debug_return_bytes(n->machine->image, r->home, home);
    if (isa->links)
        isa->set_register(n, isa->link_register, r->home | isa->abstract->pointer_bits);
    else
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
            if (component_of(d)->target_at)
                component_poke(n, component_of(d)->target_at, &component_of(d)->target, 1);
            /* fall through */
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
    for (uint32_t i = 0; i < b->size; i++) {
        uint8_t byte;
        if (map_peek(n, b->address + i, &byte, 1) && byte != b->bytes[i])
            return true;
    }
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
    if (f->call.function->field_count == 1) { /* on an AVR it reads the value itself */
        uint8_t bytes[8] = {0};
        map_peek(n, at, bytes, size < sizeof bytes ? size : sizeof bytes);
        value.values[0] = 0;
        for (uint32_t i = 0; i < sizeof bytes; i++)
            value.values[0] |= (uint64_t)bytes[i] << (8 * i);
    }
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
    bool same = true;
    for (uint32_t i = 0; same && i < e.value_count; i++)
        same = component_same_value(n, s, &f->places[i], &to->parameters[i].type, &e, i);
    same = same && component_same_bytes(n, s, &e);
    component_tell(r, &e);
    if (!same)
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
    bool same =
        !e.value_count || component_same_value(n, s, &f->result, &r->log.header.functions[e.function].result, &e, 0);
    same = same && component_same_bytes(n, s, &e);
    component_tell(r, &e);
    if (!same)
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
        if (r->boundary->functions[i].side == BOUNDARY_OUTSIDE || r->boundary->functions[i].side == BOUNDARY_RECORDER)
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
    event_in(n, d, COMPONENT_RESUME, CLOCK_TICK, 0);
}

static void component_event(struct node *n, const struct device *d, unsigned which)
{
    if (which == COMPONENT_SILENCE) {
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
    else if (top && top->in && pc == r->home && isa->sp(n) == top->sp + isa_call_bytes(isa, n->machine))
        component_returned(n, d);
    else if (function != UINT32_MAX && r->boundary->functions[function].side == BOUNDARY_RECORDER)
        isa->leave(n, 0, 0); /* it leaves everything as it was */
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
#define COMPONENT_TYPE(bytes)                                                                           \
    {                                                                                                   \
        .name = "log", .state_size = (bytes), .events = COMPONENT_EVENTS, .connect = component_connect, \
        .reset = component_reset, .event = component_event, .acknowledge = component_acknowledge,       \
        .due = component_due, .before = component_before, .restored = component_restored,               \
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
    r->of_node = node;
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

/* Code of a component asks whether it is the one that is logged (target/interface/logger.h). */
static void component_find_target(struct component_replay *r, const struct machine *m)
{
    const struct image_symbol *variable = image_symbol_named(m->image, "motet_target");
    size_t size, length = strlen(r->log.header.target);
    const char *at = (const char *)image_section(m->image, ".motet.component", 0, &size);
    if (!variable || !at || !memchr(at, 0, size))
        return;
    r->target_at = variable->address - m->chip->isa->spaces.data;
    for (; *at && (strncmp(at, r->log.header.target, length) != 0 || (at[length] && at[length] != ':')); r->target++) {
        at += strcspn(at, ":");
        at += *at == ':';
    }
}

bool component_replay_connect(struct component_replay *r, const struct machine *m, struct motet_error *e)
{
    const struct interface_header *h = &r->log.header;
    r->boundary = boundary_of(m, h->target, e);
    if (!r->boundary)
        return false;
    component_find_target(r, m);
    r->numbers = memory_array(h->function_count, sizeof *r->numbers);
    for (uint32_t i = 0; i < h->function_count; i++) {
        r->numbers[i] = boundary_entry(r->boundary, h->functions[i].address);
        if (r->numbers[i] == UINT32_MAX ||
            r->boundary->header.functions[r->numbers[i]].parameter_count != h->functions[i].parameter_count)
            return error_set(e, "the interface log has a function %s, which the firmware has not",
                             h->functions[i].name);
    }
    for (uint32_t i = 0; i < h->variable_count; i++)
        if (!map_holds(m, h->variables[i].address, h->variables[i].size))
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

void component_replay_listen(struct component_replay *r, struct component_listener l)
{
    r->listener = l;
}

const struct interface_header *component_replay_header(const struct component_replay *r)
{
    return &r->log.header;
}

bool component_replay_is_of_node(const struct component_replay *r)
{
    return r->of_node;
}

const struct boundary_function *component_replay_function(const struct component_replay *r,
                                                          const struct interface_event *e)
{
    return &r->boundary->functions[r->numbers[e->function]];
}

const struct chip_device *component_replay_device(const struct component_replay *r)
{
    return &r->device;
}
