/* Local variables: their names, the code in which they can be seen, and the programs that say where they are. */
#include "image/locals.h"

#include <dwarf.h>
#include <string.h>

enum { RANGE_LIMIT = 64, PLACE_LIMIT = 256, OPERATION_LIMIT = 64, LOCAL_LIMIT = 1 << 20 };

static bool program_take(struct store *s, Dwarf_Op *op, size_t count, struct place_program *p)
{
    if (count == 0 || count > OPERATION_LIMIT)
        return false;
    struct place_operation *operations = store_take(s, count * sizeof *operations);
    for (size_t n = 0; n < count; n++)
        operations[n] = (struct place_operation){.atom = op[n].atom, .number = op[n].number, .second = op[n].number2};
    *p = (struct place_program){.operations = operations, .count = (uint32_t)count};
    return true;
}

static const struct place_program *frame_base(struct locals *l, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t count;
    struct place_program p;
    if (!dwarf_attr_integrate(die, DW_AT_frame_base, &a) || dwarf_getlocation(&a, &op, &count) != 0 ||
        !program_take(&l->image->store, op, count, &p))
        return NULL;
    return store_copy(&l->image->store, &p, sizeof p);
}

bool locals_scope(struct locals *l, Dwarf_Die *die, const struct scope *outer, struct scope *inner)
{
    struct growing ranges = {0};
    Dwarf_Addr base, start, end;
    bool skip_zero = dwarf_zero_is_nowhere(l->image);
    ptrdiff_t offset = 0;
    while (ranges.count < RANGE_LIMIT && (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
        if (start < end && end <= IMAGE_ADDRESS_LIMIT && !(start == 0 && skip_zero)) {
            struct code_range *r = growing_add(&ranges, sizeof *r);
            *r = (struct code_range){(uint32_t)start, (uint32_t)end};
        }
    if (ranges.count == 0)
        return false;
    inner->range_count = (uint32_t)ranges.count;
    inner->ranges = growing_keep(&ranges, sizeof(struct code_range), &l->image->store);
    inner->frame_base = dwarf_tag(die) == DW_TAG_subprogram ? frame_base(l, die) : outer ? outer->frame_base : NULL;
    inner->inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine || (outer && outer->inlined);
    return true;
}

static void places_take(struct locals *l, Dwarf_Die *die, struct debug_local *to)
{
    struct growing places = {0};
    Dwarf_Attribute a;
    Dwarf_Addr base, start, end;
    Dwarf_Op *op;
    size_t count;
    ptrdiff_t offset = 0;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a))
        return;
    while (places.count < PLACE_LIMIT &&
           (offset = dwarf_getlocations(&a, offset, &base, &start, &end, &op, &count)) > 0) {
        struct place_program program;
        if (!program_take(&l->image->store, op, count, &program))
            continue;
        struct debug_place *p = growing_add(&places, sizeof *p);
        uint32_t last = end > IMAGE_ADDRESS_LIMIT ? IMAGE_ADDRESS_LIMIT : (uint32_t)end;
        *p = (struct debug_place){{start > last ? last : (uint32_t)start, last}, program};
    }
    to->place_count = (uint32_t)places.count;
    to->places = growing_keep(&places, sizeof(struct debug_place), &l->image->store);
}

void locals_add(struct locals *l, Dwarf_Die *die, const struct scope *scope, struct types *types)
{
    const char *name = dwarf_diename(die);
    if (!name || !name[0] || l->found.count >= LOCAL_LIMIT)
        return;
    struct debug_local local = {
        .name = store_string(&l->image->store, name),
        .parameter = dwarf_tag(die) == DW_TAG_formal_parameter && !scope->inlined,
        .type = types_of(types, die),
        .ranges = scope->ranges,
        .range_count = scope->range_count,
        .frame_base = scope->frame_base,
    };
    local.constant = dwarf_number(die, DW_AT_const_value, &local.value);
    places_take(l, die, &local);
    *(struct debug_local *)growing_add(&l->found, sizeof local) = local;
}

void locals_finish(struct locals *l)
{
    l->image->local_count = l->found.count;
    l->image->locals = growing_keep(&l->found, sizeof(struct debug_local), &l->image->store);
}
