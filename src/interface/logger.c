#include "interface/logger.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/map.h"

void logger_begin(struct logger *l, const struct boundary *b, uint32_t id, uint64_t hertz, uint64_t origin, FILE *out)
{
    *l = (struct logger){.boundary = b, .header = b->header};
    l->header.node = id;
    l->header.hertz = hertz;
    l->header.origin = origin;
    l->header.time_bits = 64;
    l->known = memory_array(b->machine->ram->size, 1);
    l->shadow = memory_array(b->machine->ram->size, 1);
    interface_write_begin(&l->writer, &l->header, out);
}

bool logger_end(struct logger *l)
{
    bool good = interface_write_end(&l->writer);
    free(l->known);
    free(l->shadow);
    free(l->bytes);
    free(l->frames);
    return good;
}

/* ---- the shadow ---- */

/* A replay has these bytes. */
static void logger_know(struct logger *l, uint32_t address, const uint8_t *bytes, uint32_t size)
{
    const struct region *ram = l->boundary->machine->ram;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t at = address + i - ram->first;
        if (at >= ram->size)
            continue;
        l->known[at] = 1;
        l->shadow[at] = bytes[i];
    }
}

/* Whether a replay would read the same. */
static bool logger_knows(const struct logger *l, uint32_t address, const uint8_t *bytes, uint32_t size)
{
    const struct region *ram = l->boundary->machine->ram;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t at = address + i - ram->first;
        if (at >= ram->size)
            return address + i >= ram->first; /* constants in program memory are the firmware's; registers are not */
        if (!l->known[at] || l->shadow[at] != bytes[i])
            return false;
    }
    return true;
}

static void logger_read(struct logger *l, uint64_t tick, uint64_t position, uint32_t address, const uint8_t *bytes,
                        uint32_t size)
{
    struct interface_event e = {.kind = INTERFACE_READ, .time = tick, .position = position};
    e.bytes[0] = (struct interface_bytes){.address = address, .size = size, .bytes = bytes};
    interface_write(&l->writer, &e);
}

bool logger_access(struct logger *l, uint64_t tick, uint64_t position, const struct motet_access *a)
{
    uint8_t bytes[4];
    if (!l->begun)
        return false;
    for (unsigned i = 0; i < a->size; i++)
        bytes[i] = (uint8_t)(a->value >> (8 * i));
    if (!a->write) {
        if (logger_knows(l, a->address, bytes, a->size))
            return false;
        logger_read(l, tick, position, a->address, bytes, a->size);
    }
    logger_know(l, a->address, bytes, a->size);
    return !a->write;
}

/* Bytes that the component hands out without having read them, and that others wrote. */
static void logger_hand_out(struct logger *l, uint64_t tick, uint64_t *position, const struct interface_bytes *b)
{
    for (uint32_t i = 0, end; i < b->size; i = end + 1) {
        for (end = i; end < b->size && !logger_knows(l, b->address + end, b->bytes + end, 1);)
            end++;
        if (end == i)
            continue;
        logger_read(l, tick, *position, b->address + i, b->bytes + i, end - i);
        logger_know(l, b->address + i, b->bytes + i, end - i);
        *position = 0;
    }
}

static void logger_state(struct logger *l, uint64_t tick)
{
    const struct region *ram = l->boundary->machine->ram;
    struct digest d = {0, 0};
    for (uint32_t i = 0; i < l->header.variable_count; i++)
        d = digest_join(
            d, digest_of(l->shadow + l->header.variables[i].address - ram->first, l->header.variables[i].size));
    struct interface_event e = {.kind = INTERFACE_STATE, .time = tick, .value = d.low};
    interface_write(&l->writer, &e);
}

/* ---- where logging begins ---- */

static void logger_start(struct logger *l, const struct node *n, uint64_t tick)
{
    struct interface_event e = {.kind = INTERFACE_BEGIN, .time = tick, .reason = l->reason};
    interface_write(&l->writer, &e);
    l->begun = true;
    memset(l->known, 0, l->boundary->machine->ram->size);
    for (uint32_t i = 0; i < l->header.variable_count; i++) {
        const struct interface_variable *v = &l->header.variables[i];
        uint8_t *bytes = memory_bytes(v->size);
        if (map_peek(n, v->address, bytes, v->size)) {
            e = (struct interface_event){.kind = INTERFACE_SNAPSHOT, .time = tick, .variable = i};
            e.bytes[0] = (struct interface_bytes){.address = v->address, .size = v->size, .bytes = bytes};
            interface_write(&l->writer, &e);
            logger_know(l, v->address, bytes, v->size);
        }
        free(bytes);
    }
}

static void logger_stop(struct logger *l, uint64_t tick, enum interface_kind why, enum interface_reason next)
{
    struct interface_event e = {.kind = why, .time = tick};
    if (l->begun)
        interface_write(&l->writer, &e);
    l->begun = false;
    l->reason = next;
    l->frame_count = 0;
}

void logger_reset(struct logger *l, uint64_t tick)
{
    logger_stop(l, tick, INTERFACE_RESET, INTERFACE_AT_START);
}

void logger_off(struct logger *l, uint64_t tick)
{
    logger_stop(l, tick, INTERFACE_OFF, INTERFACE_SWITCHED_ON);
}

/* ---- calls ---- */

struct logger_memory {
    const struct node *node;
};

static bool logger_peek(void *context, uint32_t address, void *to, uint32_t size)
{
    const struct logger_memory *m = context;
    return map_peek(m->node, address, to, size);
}

static uint8_t *logger_room(struct logger *l, size_t size)
{
    while (l->byte_room < l->byte_count + size)
        l->bytes = memory_grow(l->bytes, &l->byte_room, l->byte_count + size, 1);
    l->byte_count += size;
    return l->bytes + l->byte_count - size;
}

/* Reads a value into the event. The bytes of wide ones are put in their place when all are there. */
static void logger_take(struct logger *l, const struct node *n, const struct debug_call_place *p,
                        const struct interface_type *t, struct interface_event *e, size_t offsets[])
{
    uint32_t i = e->value_count++;
    uint8_t small[8] = {0};
    offsets[i] = SIZE_MAX;
    if (t->size > sizeof small) {
        uint8_t *bytes = logger_room(l, t->size);
        memset(bytes, 0, t->size);
        offsets[i] = l->byte_count - t->size;
        if (p->known)
            boundary_value(n, p, t->size, bytes);
        return;
    }
    if (p->known)
        boundary_value(n, p, t->size, small);
    e->values[i] = 0;
    for (unsigned k = 0; k < sizeof small; k++)
        e->values[i] |= (uint64_t)small[k] << (8 * k);
}

static void logger_values(struct logger *l, const struct node *n, struct interface_event *e)
{
    const struct boundary_function *f = &l->boundary->functions[e->function];
    const struct interface_function *to = &l->header.functions[e->function];
    size_t offsets[INTERFACE_VALUES_MAX];
    if (interface_is_return(e)) {
        if (to->result.kind != INTERFACE_VOID)
            logger_take(l, n, &f->result, &to->result, e, offsets);
    } else {
        for (uint32_t i = 0; i < to->parameter_count; i++)
            logger_take(l, n, &f->places[i], &to->parameters[i].type, e, offsets);
    }
    for (uint32_t i = 0; i < e->value_count; i++)
        e->wide[i] = offsets[i] == SIZE_MAX ? NULL : l->bytes + offsets[i];
}

static void logger_buffers(struct logger *l, const struct node *n, struct interface_event *e,
                           const uint64_t *parameters)
{
    const struct interface_function *f = &l->header.functions[e->function];
    struct logger_memory memory = {n};
    struct expression_call call = l->boundary->functions[e->function].call;
    size_t offsets[INTERFACE_BYTES_MAX] = {0};
    bool is_return = interface_is_return(e);
    call.parameters = parameters;
    call.result = is_return ? e->values : NULL;
    call.read = logger_peek;
    call.context = &memory;
    for (uint32_t i = 0; i < f->buffer_count; i++) {
        struct expression_bytes b;
        struct motet_error ignored;
        if (!(is_return ? f->buffers[i].at_return : f->buffers[i].at_call) ||
            !expression_bytes(f->buffers[i].expression, &call, &b, &ignored) || !b.size || !b.address)
            continue;
        uint8_t *to = logger_room(l, b.size);
        if (!map_peek(n, b.address, to, b.size))
            continue;
        offsets[e->byte_count] = l->byte_count - b.size;
        e->bytes[e->byte_count++] = (struct interface_bytes){.buffer = i, .address = b.address, .size = b.size};
    }
    for (uint32_t i = 0; i < e->byte_count; i++)
        e->bytes[i].bytes = l->bytes + offsets[i];
}

/* The parameters of the call that returns: those it began with. Calls that ended otherwise are forgotten. */
static const uint64_t *logger_parameters(struct logger *l, struct interface_event *e)
{
    static const uint64_t none[INTERFACE_VALUES_MAX];
    if (interface_is_call(e)) {
        l->frames = memory_grow(l->frames, &l->frame_room, l->frame_count, sizeof *l->frames);
        struct logger_frame *f = &l->frames[l->frame_count++];
        f->function = e->function;
        memcpy(f->parameters, e->values, sizeof f->parameters);
        return f->parameters;
    }
    while (l->frame_count && l->frames[l->frame_count - 1].function != e->function)
        l->frame_count--;
    return l->frame_count ? l->frames[--l->frame_count].parameters : none;
}

void logger_cross(struct logger *l, const struct node *n, uint64_t tick, const struct logger_crossing *c)
{
    struct interface_event e = {
        .kind = c->is_return ? (c->in ? INTERFACE_RETURN_IN : INTERFACE_RETURN_OUT)
                             : (c->in ? INTERFACE_CALL_IN : INTERFACE_CALL_OUT),
        .time = tick,
        .function = c->function,
        .interrupts = c->interrupts,
        .position = c->position,
        .pc = c->pc,
    };
    if (!l->begun && e.kind != INTERFACE_CALL_IN)
        return;
    if (!l->begun)
        logger_start(l, n, tick);
    if (e.kind == INTERFACE_CALL_IN)
        e.sp = n->machine->chip->isa->sp(n);
    l->byte_count = 0;
    logger_values(l, n, &e);
    size_t values = l->byte_count;
    const uint8_t *before = l->bytes;
    logger_buffers(l, n, &e, logger_parameters(l, &e));
    for (uint32_t i = 0; values && i < e.value_count; i++)
        if (e.wide[i])
            e.wide[i] = l->bytes + (e.wide[i] - before);
    bool leaves = e.kind == INTERFACE_CALL_OUT || e.kind == INTERFACE_RETURN_IN;
    for (uint32_t i = 0; leaves && i < e.byte_count; i++)
        logger_hand_out(l, tick, &e.position, &e.bytes[i]);
    interface_write(&l->writer, &e);
    for (uint32_t i = 0; !leaves && i < e.byte_count; i++)
        logger_know(l, e.bytes[i].address, e.bytes[i].bytes, e.bytes[i].size);
    if (leaves && l->states)
        logger_state(l, tick);
}
