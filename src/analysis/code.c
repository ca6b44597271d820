#include "analysis/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/abstract.h"
#include "isa/isa.h"
#include "node/machine.h"

static bool code_is_code(const struct machine *m, uint32_t address)
{
    return address < m->code_size && m->flash_known[address] == FLASH_CODE;
}

/* The address that a pointer to a function holds; UINT32_MAX: it is none. */
static uint32_t code_address(const struct code *c, uint32_t pointer)
{
    uint32_t bits = c->isa->pointer_bits;
    return (pointer & bits) == bits ? (pointer & ~bits) * c->isa->pointer_unit : UINT32_MAX;
}

uint32_t code_pointer(const struct code *c, uint32_t at)
{
    uint32_t pointer = 0;
    if (at > c->machine->code_size - c->isa->pointer_size)
        return UINT32_MAX;
    for (unsigned i = 0; i < c->isa->pointer_size; i++)
        pointer |= (uint32_t)c->machine->flash[at + i] << 8 * i;
    return code_address(c, pointer);
}

/* ---- functions ---- */

static void code_add_entry(struct code *c, size_t *room, uint32_t address)
{
    if (!code_is_code(c->machine, address) || (c->entry_count && c->entries[c->entry_count - 1] == address))
        return;
    c->entries = memory_grow(c->entries, room, c->entry_count, sizeof *c->entries);
    c->entries[c->entry_count++] = address;
}

static int code_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct abstract_step code_step(const struct code *c, uint32_t at)
{
    struct abstract_state s = {0};
    struct abstract_step step;
    c->isa->step(c->machine, at, &s, &step);
    return step;
}

static const uint32_t *code_entry_at(const struct code *c, uint32_t address, size_t count)
{
    return count ? bsearch(&address, c->entries, count, sizeof *c->entries, code_compare) : NULL;
}

/* Jumps to functions that the linker adds where a pointer is too short for an address. There are others, for tables. */
static void code_add_trampolines(struct code *c, size_t *room)
{
    size_t functions = c->entry_count;
    const struct image_symbol *first = image_symbol_named(c->machine->image, "__trampolines_start");
    const struct image_symbol *end = image_symbol_named(c->machine->image, "__trampolines_end");
    for (uint32_t at = first && end ? first->address : 0; end && at < end->address;) {
        struct abstract_step step = code_step(c, at);
        if (step.flow == ABSTRACT_JUMP && code_entry_at(c, step.target, functions))
            code_add_entry(c, room, at);
        at += step.size;
    }
}

static void code_find_entries(struct code *c)
{
    const struct image_symbol *s;
    size_t count = image_symbols(c->machine->image, &s), room = 0;
    for (size_t i = 0; i < count; i++)
        if (s[i].kind == IMAGE_SYMBOL_FUNCTION)
            code_add_entry(c, &room, s[i].address);
    if (c->entry_count)
        code_add_trampolines(c, &room);
    if (c->entry_count)
        qsort(c->entries, c->entry_count, sizeof *c->entries, code_compare);
}

bool code_function(const struct code *c, uint32_t address, uint32_t *first, uint32_t *end)
{
    const struct image_symbol *s = image_symbol_at(c->machine->image, address);
    if (!s || s->kind == IMAGE_SYMBOL_OBJECT || address - s->address >= s->size)
        return false;
    *first = s->address;
    *end = s->address + s->size;
    return true;
}

/* ---- code and data ---- */

/* A function covers its bytes, one instruction after the other. */
static void code_cover(struct code *c, const struct image_symbol *s)
{
    uint32_t end = s->address + s->size;
    if (s->kind == IMAGE_SYMBOL_OBJECT || !s->size || end < s->address || end > c->machine->code_size)
        return;
    for (uint32_t at = s->address; at < end && code_is_code(c->machine, at);) {
        uint32_t data = image_data_end(c->machine->image, at);
        if (data) {
            at = data;
            continue;
        }
        unsigned size = code_step(c, at).size;
        c->known[at] |= CODE_BOUNDARY;
        for (uint32_t k = at; k < at + size && k < end; k++)
            c->known[k] |= CODE_REACHED;
        at += size;
    }
}

struct code_list {
    uint32_t *list;
    size_t count, room;
};

static void code_push(struct code *c, struct code_list *l, uint32_t at)
{
    if (!code_is_code(c->machine, at) || (c->known[at] & CODE_BOUNDARY))
        return;
    l->list = memory_grow(l->list, &l->room, l->count, sizeof *l->list);
    l->list[l->count++] = at;
}

static bool code_goes_on(const struct abstract_step *step)
{
    return step->flow == ABSTRACT_NEXT || step->flow == ABSTRACT_BRANCH || step->flow == ABSTRACT_CALL ||
           step->flow == ABSTRACT_CALL_ANYWHERE;
}

/* Follows jumps and calls from an address. */
static void code_reach(struct code *c, struct code_list *l)
{
    while (l->count) {
        uint32_t at = l->list[--l->count];
        if (c->known[at] & CODE_BOUNDARY)
            continue;
        struct abstract_step step = code_step(c, at);
        c->known[at] |= CODE_BOUNDARY;
        for (uint32_t k = at; k < at + step.size && k < c->machine->code_size; k++)
            c->known[k] |= CODE_REACHED;
        if (step.flow == ABSTRACT_JUMP || step.flow == ABSTRACT_BRANCH || step.flow == ABSTRACT_CALL)
            code_push(c, l, step.target);
        if (code_goes_on(&step))
            code_push(c, l, at + step.size);
    }
}

static void code_find_code(struct code *c)
{
    const struct image_symbol *s;
    struct code_list l = {0};
    uint32_t address;
    size_t count = image_symbols(c->machine->image, &s);
    for (size_t i = 0; i < count; i++)
        if (code_is_code(c->machine, s[i].address))
            code_cover(c, &s[i]);
    /* What a function covers is done; jumps out of it, and its end, lead on. */
    for (uint32_t at = 0; at < c->machine->code_size; at += c->isa->code_alignment) {
        if (!(c->known[at] & CODE_BOUNDARY))
            continue;
        struct abstract_step step = code_step(c, at);
        if (step.flow == ABSTRACT_JUMP || step.flow == ABSTRACT_BRANCH || step.flow == ABSTRACT_CALL)
            code_push(c, &l, step.target);
        if (code_goes_on(&step))
            code_push(c, &l, at + step.size);
    }
    for (unsigned line = 0; line < MACHINE_LINES; line++)
        if (c->isa->vector(c->machine, line, &address))
            code_push(c, &l, address);
    code_reach(c, &l);
    free(l.list);
}

/* ---- addresses that are taken ---- */

/* Numbers that the instructions of one function load: the bytes of each pair of registers. */
struct code_numbers {
    uint8_t bytes[ABSTRACT_REGISTERS / 2][2][32];
    bool any;
};

static bool code_has(const struct code_numbers *n, unsigned pair, bool high, uint32_t value)
{
    return n->bytes[pair][high][value / 8] >> value % 8 & 1;
}

static void code_take(struct code *c, bool *taken, uint32_t address)
{
    const uint32_t *found = code_entry_at(c, address, c->entry_count);
    if (found)
        taken[found - c->entries] = true;
}

/* Both bytes may come from different paths: any low one with any high one. A high byte of 0 may come from anywhere. */
static void code_take_pairs(struct code *c, bool *taken, const struct code_numbers *n)
{
    for (size_t i = 0; i < c->entry_count && n->any; i++) {
        uint32_t pointer = c->entries[i] / c->isa->pointer_unit, low = pointer % 256, high = pointer / 256;
        for (unsigned pair = 0; pair < ABSTRACT_REGISTERS / 2 && high < 256; pair++)
            taken[i] |= code_has(n, pair, false, low) && (!high || code_has(n, pair, true, high));
    }
}

static void code_take_instruction(struct code *c, bool *taken, struct code_numbers *n, uint32_t at)
{
    unsigned pair;
    bool high;
    uint32_t value;
    if (!c->isa->immediate(c->machine, at, &pair, &high, &value))
        return;
    if (pair == ABSTRACT_NO_PAIR) {
        code_take(c, taken, code_address(c, value));
        return;
    }
    n->bytes[pair][high][value / 8] |= (uint8_t)(1u << value % 8);
    n->any = true;
}

static void code_take_from_code(struct code *c, bool *taken)
{
    struct code_numbers n = {0};
    uint32_t first, end, function_end = 0;
    bool covered = false, was = false;
    for (uint32_t at = 0; at < c->machine->code_size; at += c->isa->code_alignment) {
        if (!(c->known[at] & CODE_BOUNDARY))
            continue;
        if (at >= function_end) {
            was = covered;
            covered = code_function(c, at, &first, &end);
            function_end = covered ? end : 0; /* what no function covers is taken together */
        }
        if (covered ? at == first : was) {
            code_take_pairs(c, taken, &n);
            n = (struct code_numbers){0};
            was = false;
        }
        code_take_instruction(c, taken, &n, at);
    }
    code_take_pairs(c, taken, &n);
}

static void code_take_from_data(struct code *c, bool *taken)
{
    for (uint32_t at = 0; at + c->isa->pointer_size <= c->machine->code_size; at += c->isa->data_alignment) {
        bool reached = c->machine->flash_known[at] == FLASH_ERASED;
        for (unsigned i = 0; i < c->isa->pointer_size; i++)
            reached |= c->known[at + i] & CODE_REACHED;
        if (!reached && !(c->isa->is_vector && c->isa->is_vector(c->machine, at)))
            code_take(c, taken, code_pointer(c, at));
    }
}

void code_find(struct code *c, const struct machine *m)
{
    *c = (struct code){.machine = m, .isa = m->chip->isa->abstract, .known = memory_new(m->code_size + 8)};
    c->isa->vector(m, c->isa->reset_line, &c->reset);
    code_find_entries(c);
    code_find_code(c);
    if (!c->entry_count)
        return;
    bool *taken = memory_array(c->entry_count, sizeof *taken);
    code_take_from_code(c, taken);
    code_take_from_data(c, taken);
    c->taken = memory_array(c->entry_count, sizeof *c->taken);
    for (size_t i = 0; i < c->entry_count; i++)
        if (taken[i])
            c->taken[c->taken_count++] = c->entries[i];
    free(taken);
}

/* ---- calls through pointers ---- */

static struct code_calls *code_calls_of(const struct code *c, uint32_t caller)
{
    for (size_t i = 0; i < c->call_count; i++)
        if (c->calls[i].caller == caller)
            return &c->calls[i];
    return NULL;
}

void code_allow(struct code *c, uint32_t caller, uint32_t callee)
{
    struct code_calls *calls = code_calls_of(c, caller);
    if (!calls) {
        c->calls = memory_grow(c->calls, &c->call_room, c->call_count, sizeof *c->calls);
        calls = &c->calls[c->call_count++];
        *calls = (struct code_calls){.caller = caller};
    }
    calls->callees = memory_grow(calls->callees, &calls->room, calls->count, sizeof *calls->callees);
    calls->callees[calls->count++] = callee;
}

const uint32_t *code_callees(const struct code *c, uint32_t at, size_t *count)
{
    uint32_t first, end;
    const struct code_calls *calls = code_function(c, at, &first, &end) ? code_calls_of(c, first) : NULL;
    *count = calls ? calls->count : c->taken_count;
    return calls ? calls->callees : c->taken;
}

void code_free(struct code *c)
{
    for (size_t i = 0; i < c->call_count; i++)
        free(c->calls[i].callees);
    free(c->calls);
    free(c->entries);
    free(c->taken);
    free(c->known);
}
