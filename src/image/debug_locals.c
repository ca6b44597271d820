/* Where local variables are: programs of DWARF operations, executed on a frame's registers (DWARF 5, 2.5 and 2.6). */
#include "image/internal.h"

#include <dwarf.h>
#include <string.h>

enum { STACK_LIMIT = 32, SEEN_LIMIT = 256 };

/* ---- names ---- */

static bool is_seen(const struct debug_local *l, uint32_t pc)
{
    for (uint32_t n = 0; n < l->range_count; n++)
        if (pc >= l->ranges[n].start && pc < l->ranges[n].end)
            return true;
    return false;
}

static uint32_t extent(const struct debug_local *l)
{
    uint32_t sum = 0;
    for (uint32_t n = 0; n < l->range_count; n++)
        sum += l->ranges[n].end - l->ranges[n].start;
    return sum;
}

size_t debug_locals_at(const struct image *i, uint32_t pc, const struct debug_local **locals, size_t count)
{
    size_t found = 0;
    for (size_t n = 0; n < i->local_count && found < SEEN_LIMIT && found < count; n++) {
        const struct debug_local *l = &i->locals[n];
        if (!is_seen(l, pc))
            continue;
        size_t at = found++;
        for (; at > 0 && extent(locals[at - 1]) > extent(l); at--)
            locals[at] = locals[at - 1];
        locals[at] = l;
    }
    return found;
}

const char *debug_local_name(const struct debug_local *l)
{
    return l->name;
}

bool debug_local_is_parameter(const struct debug_local *l)
{
    return l->parameter;
}

/* ---- what is held ---- */

bool debug_scope_read(const struct debug_scope *scope, debug_read *read, void *context, uint32_t address, void *to,
                      uint32_t size)
{
    if (address < DEBUG_HELD)
        return read && read(context, address, to, size);
    uint32_t at = address - DEBUG_HELD;
    if (!scope || at > scope->held_count || size > scope->held_count - at)
        return false;
    if (memchr(scope->unknown + at, true, size))
        return false;
    memcpy(to, scope->held + at, size);
    return true;
}

/* A place for a value that is in no memory; NULL if there is no room for more. */
static uint8_t *debug_locals_hold(struct debug_scope *s, uint32_t size, uint32_t *address)
{
    if (size > sizeof s->held - s->held_count)
        return NULL;
    *address = DEBUG_HELD + s->held_count;
    memset(s->unknown + s->held_count, 0, size);
    s->held_count += size;
    return s->held + s->held_count - size;
}

/* ---- programs ---- */

struct evaluation {
    const struct image *image;
    struct debug_scope *scope;
    debug_read *read;
    void *context;
    const struct place_program *frame_base;
    uint64_t stack[STACK_LIMIT];
    unsigned depth;
    bool in_register, is_value; /* what the top of the stack is: a register's number, the value itself */
    bool failed;
};

static unsigned register_width(const struct image *i)
{
    return i->target->register_width;
}

static uint64_t address_mask(const struct image *i)
{
    return i->target->pointer_mask;
}

/* Bytes from a register on; values wider than one register go on in the next. */
static bool registers_read(const struct evaluation *e, uint64_t number, uint8_t *to, uint32_t size)
{
    unsigned width = register_width(e->image);
    for (uint32_t n = 0; n < size; n++) {
        uint64_t r = number + n / width;
        if (r >= DEBUG_REGISTERS || e->scope->frame->unknown >> r & 1)
            return false;
        to[n] = (uint8_t)(e->scope->frame->registers[r] >> 8 * (n % width));
    }
    return true;
}

/* An address in a register: a pair of them where registers are bytes. */
static uint64_t pointer_in(struct evaluation *e, uint64_t number)
{
    uint8_t bytes[2];
    if (number >= DEBUG_REGISTERS - 1 || e->scope->frame->unknown >> number & 1) {
        e->failed = true;
        return 0;
    }
    if (register_width(e->image) > 1 || number >= 32)
        return e->scope->frame->registers[number];
    if (!registers_read(e, number, bytes, sizeof bytes)) {
        e->failed = true;
        return 0;
    }
    return bytes[0] | (uint64_t)bytes[1] << 8;
}

static void debug_locals_push(struct evaluation *e, uint64_t value)
{
    if (e->depth == STACK_LIMIT)
        e->failed = true;
    else
        e->stack[e->depth++] = value;
}

static uint64_t debug_locals_pop(struct evaluation *e)
{
    if (e->depth == 0) {
        e->failed = true;
        return 0;
    }
    return e->stack[--e->depth];
}

/* Data addresses computed from registers lie in the image's data space. */
static uint32_t data_address(const struct image *i, uint64_t address)
{
    if (address < i->target->data_space)
        return (uint32_t)(address & i->target->pointer_mask) + i->target->data_space;
    return (uint32_t)(address & (IMAGE_ADDRESS_LIMIT - 1));
}

static void dereference(struct evaluation *e, uint64_t size)
{
    uint8_t bytes[8] = {0};
    uint64_t value = 0;
    uint32_t address = data_address(e->image, debug_locals_pop(e));
    if (e->failed || size > sizeof bytes || !e->read || !e->read(e->context, address, bytes, (uint32_t)size)) {
        e->failed = true;
        return;
    }
    for (unsigned n = 0; n < size; n++)
        value |= (uint64_t)bytes[n] << 8 * n;
    debug_locals_push(e, value);
}

static void debug_locals_compute(struct evaluation *e, uint8_t atom)
{
    int64_t b = (int64_t)debug_locals_pop(e), a = (int64_t)debug_locals_pop(e);
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (atom) {
    case DW_OP_plus: debug_locals_push(e, x + y); break;
    case DW_OP_minus: debug_locals_push(e, x - y); break;
    case DW_OP_mul: debug_locals_push(e, x * y); break;
    case DW_OP_and: debug_locals_push(e, x & y); break;
    case DW_OP_or: debug_locals_push(e, x | y); break;
    case DW_OP_xor: debug_locals_push(e, x ^ y); break;
    case DW_OP_shl: debug_locals_push(e, y < 64 ? x << y : 0); break;
    case DW_OP_shr: debug_locals_push(e, y < 64 ? x >> y : 0); break;
    case DW_OP_shra: debug_locals_push(e, (uint64_t)(a >> (y < 63 ? y : 63))); break;
    case DW_OP_div:
        e->failed |= b == 0 || (a == INT64_MIN && b == -1);
        debug_locals_push(e, e->failed ? 0 : (uint64_t)(a / b));
        break;
    case DW_OP_mod:
        e->failed |= y == 0;
        debug_locals_push(e, e->failed ? 0 : x % y);
        break;
    default: e->failed = true;
    }
}

static void base_of_frame(struct evaluation *e)
{
    const struct place_program *p = e->frame_base;
    uint8_t atom = p && p->count == 1 ? p->operations[0].atom : 0;
    if (atom == DW_OP_call_frame_cfa)
        debug_locals_push(e, e->scope->cfa);
    else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        debug_locals_push(e, pointer_in(e, atom - DW_OP_reg0));
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        debug_locals_push(e, pointer_in(e, atom - DW_OP_breg0) + p->operations[0].number);
    else
        e->failed = true;
    e->failed |= atom == DW_OP_call_frame_cfa && !e->scope->cfa;
}

static void debug_locals_execute(struct evaluation *e, const struct place_operation *op)
{
    uint8_t atom = op->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        debug_locals_push(e, atom - DW_OP_lit0);
    } else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        debug_locals_push(e, atom - DW_OP_reg0);
        e->in_register = true;
    } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        debug_locals_push(e, (pointer_in(e, atom - DW_OP_breg0) + op->number) & address_mask(e->image));
    } else {
        switch (atom) {
        case DW_OP_addr:
        case DW_OP_const1u:
        case DW_OP_const1s:
        case DW_OP_const2u:
        case DW_OP_const2s:
        case DW_OP_const4u:
        case DW_OP_const4s:
        case DW_OP_const8u:
        case DW_OP_const8s:
        case DW_OP_constu:
        case DW_OP_consts: debug_locals_push(e, op->number); break;
        case DW_OP_fbreg:
            base_of_frame(e);
            debug_locals_push(e, (debug_locals_pop(e) + op->number) & address_mask(e->image));
            break;
        case DW_OP_regx:
            debug_locals_push(e, op->number);
            e->in_register = true;
            break;
        case DW_OP_bregx:
            debug_locals_push(e, (pointer_in(e, op->number) + op->second) & address_mask(e->image));
            break;
        case DW_OP_call_frame_cfa: debug_locals_push(e, e->scope->cfa); break;
        case DW_OP_plus_uconst: debug_locals_push(e, debug_locals_pop(e) + op->number); break;
        case DW_OP_not: debug_locals_push(e, ~debug_locals_pop(e)); break;
        case DW_OP_neg: debug_locals_push(e, 0 - debug_locals_pop(e)); break;
        case DW_OP_deref: dereference(e, 2); break;
        case DW_OP_deref_size: dereference(e, op->number); break;
        case DW_OP_dup: {
            uint64_t top = debug_locals_pop(e);
            debug_locals_push(e, top);
            debug_locals_push(e, top);
            break;
        }
        case DW_OP_stack_value: e->is_value = true; break;
        case DW_OP_nop: break;
        default: debug_locals_compute(e, atom);
        }
    }
}

/* The bytes of what the top of the stack stands for. */
static bool take_bytes(struct evaluation *e, uint8_t *to, uint32_t size)
{
    uint64_t top = debug_locals_pop(e);
    if (e->failed)
        return false;
    if (e->in_register)
        return registers_read(e, top, to, size);
    if (e->is_value) {
        for (uint32_t n = 0; n < size; n++)
            to[n] = (uint8_t)(n < 8 ? top >> 8 * n : 0);
        return true;
    }
    return e->read && e->read(e->context, data_address(e->image, top), to, size);
}

/* A value in several pieces, put together. */
static bool find_pieces(struct evaluation *e, const struct place_program *p, uint32_t size, uint32_t *address)
{
    uint8_t *to = debug_locals_hold(e->scope, size, address);
    uint32_t done = 0;
    for (uint32_t n = 0; to && n < p->count; n++) {
        const struct place_operation *op = &p->operations[n];
        if (op->atom != DW_OP_piece) {
            debug_locals_execute(e, op);
            continue;
        }
        if (op->number > size - done)
            return false;
        bool somewhere = e->depth > 0; /* a piece of nothing is one that is optimised out */
        if (somewhere && !take_bytes(e, to + done, (uint32_t)op->number))
            return false;
        memset(e->scope->unknown + (to + done - e->scope->held), !somewhere, op->number);
        done += (uint32_t)op->number;
        e->in_register = e->is_value = false;
    }
    if (to)
        memset(e->scope->unknown + (to + done - e->scope->held), true, size - done);
    return to && done && !e->failed;
}

static bool debug_locals_find_whole(struct evaluation *e, const struct place_program *p, uint32_t size,
                                    uint32_t *address)
{
    for (uint32_t n = 0; n < p->count; n++)
        debug_locals_execute(e, &p->operations[n]);
    if (e->failed || e->depth == 0)
        return false;
    if (!e->in_register && !e->is_value) {
        *address = data_address(e->image, debug_locals_pop(e));
        return true;
    }
    uint8_t *to = debug_locals_hold(e->scope, size, address);
    return to && take_bytes(e, to, size);
}

static bool has_pieces(const struct place_program *p)
{
    for (uint32_t n = 0; n < p->count; n++)
        if (p->operations[n].atom == DW_OP_piece)
            return true;
    return false;
}

static bool is_memory(const struct place_program *p)
{
    for (uint32_t n = 0; n < p->count; n++) {
        uint8_t atom = p->operations[n].atom;
        if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx || atom == DW_OP_stack_value ||
            atom == DW_OP_piece)
            return false;
    }
    return true;
}

bool debug_local_stays(const struct debug_local *l)
{
    return l->place_count == 1 && l->places[0].within.end == IMAGE_ADDRESS_LIMIT && is_memory(&l->places[0].program);
}

static const struct place_program *place_at(const struct debug_local *l, uint32_t pc)
{
    for (uint32_t n = 0; n < l->place_count; n++)
        if (pc >= l->places[n].within.start && pc < l->places[n].within.end)
            return &l->places[n].program;
    return NULL;
}

bool debug_local_find(const struct image *i, const struct debug_local *l, struct debug_scope *scope, debug_read *read,
                      void *context, uint32_t *address, const struct debug_type **type)
{
    struct evaluation e = {.image = i, .scope = scope, .read = read, .context = context, .frame_base = l->frame_base};
    const struct place_program *p = place_at(l, scope->frame->pc - scope->frame->after_call);
    uint32_t size = l->type->size;
    *type = l->type;
    if (p && size)
        return has_pieces(p) ? find_pieces(&e, p, size, address) : debug_locals_find_whole(&e, p, size, address);
    uint8_t *to = l->constant && size && size <= 8 ? debug_locals_hold(scope, size, address) : NULL;
    for (uint32_t n = 0; to && n < size; n++)
        to[n] = (uint8_t)((uint64_t)l->value >> 8 * n);
    return to != NULL;
}
