/* Functions: where they are defined, their types, and where the calling convention puts the values of a call. */
#include "image/functions.h"

#include <dwarf.h>
#include <stdlib.h>

enum { FUNCTION_LIMIT = 1 << 18 };

void functions_unit(struct functions *f, Dwarf_Die *unit)
{
    const char *name = dwarf_diename(unit);
    f->unit = name ? store_string(&f->image->store, name) : NULL;
}

/* Where its code begins; false if it has none, or the linker threw it away. */
static bool functions_begin(const struct functions *f, Dwarf_Die *die, uint32_t *address)
{
    Dwarf_Addr start;
    if (dwarf_entrypc(die, &start) != 0 || start >= IMAGE_ADDRESS_LIMIT)
        return false;
    *address = (uint32_t)start;
    return start != 0 || !dwarf_zero_is_nowhere(f->image);
}

static const char *functions_file(const struct functions *f, Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    return file ? store_string(&f->image->store, file) : NULL;
}

static bool functions_variadic(Dwarf_Die *die, size_t *budget)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            return true;
    } while (dwarf_next(budget, &child));
    return false;
}

void functions_add(struct functions *f, Dwarf_Die *die, struct types *types)
{
    uint32_t address;
    const char *name = dwarf_diename(die);
    if (!name || f->found.count >= FUNCTION_LIMIT || !functions_begin(f, die, &address))
        return;
    int64_t line = 0;
    dwarf_number(die, DW_AT_decl_line, &line);
    Dwarf_Attribute external;
    bool global = false;
    if (dwarf_attr_integrate(die, DW_AT_external, &external))
        dwarf_formflag(&external, &global);
    struct debug_function *to = growing_add(&f->found, sizeof *to);
    *to = (struct debug_function){
        .name = store_string(&f->image->store, name),
        .file = functions_file(f, die),
        .unit = f->unit,
        .line = line > 0 && line < INT32_MAX ? (unsigned)line : 0,
        .address = address,
        .global = global,
        .variadic = functions_variadic(die, &types->budget),
        .type = types_of_function(types, die),
    };
}

void functions_add_inlined(struct functions *f, Dwarf_Die *die)
{
    uint32_t address;
    const char *name = dwarf_diename(die);
    if (!name || f->within.count >= FUNCTION_LIMIT || !functions_begin(f, die, &address))
        return;
    struct debug_inlined *to = growing_add(&f->within, sizeof *to);
    *to = (struct debug_inlined){
        .address = address,
        .name = store_string(&f->image->store, name),
        .file = functions_file(f, die),
        .unit = f->unit,
    };
}

static int functions_order(const void *a, const void *b)
{
    const struct debug_function *x = a, *y = b;
    return x->address != y->address ? (x->address > y->address) - (x->address < y->address) : y->global - x->global;
}

static int functions_inlined_order(const void *a, const void *b)
{
    const struct debug_inlined *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

void functions_finish(struct functions *f)
{
    if (f->found.count)
        qsort(f->found.items, f->found.count, sizeof(struct debug_function), functions_order);
    if (f->within.count)
        qsort(f->within.items, f->within.count, sizeof(struct debug_inlined), functions_inlined_order);
    f->image->function_count = f->found.count;
    f->image->functions = growing_keep(&f->found, sizeof(struct debug_function), &f->image->store);
    f->image->inlined_count = f->within.count;
    f->image->inlined = growing_keep(&f->within, sizeof(struct debug_inlined), &f->image->store);
}

size_t debug_functions(const struct image *i, const struct debug_function **first)
{
    *first = i->functions;
    return i->function_count;
}

size_t debug_inlined(const struct image *i, const struct debug_inlined **first)
{
    *first = i->inlined;
    return i->inlined_count;
}

unsigned debug_return_bytes(const struct image *i, uint32_t address, uint8_t bytes[4])
{
    const struct image_target *t = i->target;
    unsigned width = t->return_width ? t->return_width(i->elf_flags) : 2;
    for (unsigned k = 0; k < width; k++)
        bytes[t->return_high_first ? width - 1 - k : k] = (uint8_t)(address / t->code_unit >> (8 * k));
    return width;
}

void debug_call_places(const struct image *i, const struct debug_type *function, struct debug_call_place *parameters,
                       struct debug_call_place *result)
{
    for (uint32_t n = 0; n < function->field_count; n++)
        parameters[n] = (struct debug_call_place){.known = false};
    *result = (struct debug_call_place){.known = false};
    if (i->target->call_places)
        i->target->call_places(function, parameters, result);
}
