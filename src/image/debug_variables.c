/* Variables that have one address for as long as the program runs; and, in the same walk, calls of abort(). */
#include "image/functions.h"
#include "image/locals.h"
#include "image/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 64, UNIT_LIMIT = 1 << 16 };

enum rank { GLOBAL, STATIC, REGISTER };

struct found {
    struct debug_variable variable;
    enum rank rank;
};

struct walk {
    struct image *image;
    struct types types;
    struct growing found;
    struct growing aborts; /* uint32_t */
    struct locals locals;
    struct functions functions;
};

/* Where clang finds that a variable has two values, it keeps one byte, 0 or 1, and says: that times A plus B. With 1
 * and 0 this is the variable itself, if it has one byte. */
static bool debug_variables_is_shrunk(const Dwarf_Op *op, size_t count)
{
    static const uint8_t atoms[] = {DW_OP_deref_size, DW_OP_lit1, DW_OP_mul, DW_OP_lit0, DW_OP_plus, DW_OP_stack_value};
    bool is = count == 1 + sizeof atoms && op[1].number == 1;
    for (size_t i = 0; is && i < sizeof atoms; i++)
        is = op[1 + i].atom == atoms[i];
    return is;
}

static bool debug_variables_has_one_byte(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die type, plain;
    return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, &type) &&
           dwarf_peel_type(&type, &plain) == 0 && dwarf_bytesize(&plain) == 1;
}

static bool debug_variables_fixed_address(Dwarf_Die *die, uint32_t *address)
{
    Dwarf_Attribute a, indexed;
    Dwarf_Op *op;
    size_t count;
    Dwarf_Addr value;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &count) != 0 || count == 0)
        return false;
    if (op->atom == DW_OP_addr)
        value = op->number;
    else if (op->atom != DW_OP_addrx || dwarf_getlocation_attr(&a, op, &indexed) != 0 ||
             dwarf_formaddr(&indexed, &value) != 0)
        return false;
    if (value != 0 && count == 2 && op[1].atom == DW_OP_plus_uconst && op[1].number < IMAGE_ADDRESS_LIMIT)
        value += op[1].number; /* clang, where it merges variables into one */
    else if (count != 1 && !(debug_variables_is_shrunk(op, count) && debug_variables_has_one_byte(die)))
        return false;
    *address = (uint32_t)value;
    return value != 0 && value < IMAGE_ADDRESS_LIMIT; /* 0 is what the linker leaves of a variable it threw away */
}

/* A C++ variable in a namespace or class is named with it: `zone::where` for _ZN4zone5whereE. */
static const char *full_name(struct store *s, Dwarf_Die *die, const char *name)
{
    Dwarf_Attribute a;
    const char *linkage = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
        linkage = dwarf_formstring(&a);
    char full[200];
    return store_string(s, linkage && mangled_read(linkage, full, sizeof full) ? full : name);
}

static void variable_add(struct walk *w, Dwarf_Die *die, const char *function, const struct scope *scope)
{
    uint32_t address = 0;
    const char *name = dwarf_diename(die);
    bool fixed = debug_variables_fixed_address(die, &address);
    if (scope && (!fixed || function))
        locals_add(&w->locals, die, scope, &w->types);
    if (!name || !name[0] || !fixed)
        return;
    struct store *s = &w->image->store;
    int64_t line = 0;
    dwarf_number(die, DW_AT_decl_line, &line);
    const char *file = line > 0 ? dwarf_decl_file(die) : NULL;
    Dwarf_Attribute external;
    bool global = false;
    if (dwarf_attr_integrate(die, DW_AT_external, &external))
        dwarf_formflag(&external, &global);
    struct found *f = growing_add(&w->found, sizeof *f);
    f->variable = (struct debug_variable){
        .name = full_name(s, die, name),
        .function = function ? store_string(s, function) : NULL,
        .file = file ? store_string(s, file) : NULL,
        .line = line > 0 && line < INT32_MAX ? (unsigned)line : 0,
        .address = address,
        .global = global,
        .type = types_of(&w->types, die),
    };
    bool is_register = w->image->target->registers_as_variables && line == 0;
    f->rank = is_register ? REGISTER : global ? GLOBAL : STATIC;
}

/* Compilers describe the calls they find in the source, not those they put in for a trap. */
static void call_add(struct walk *w, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die called;
    Dwarf_Addr after;
    bool has_origin = dwarf_attr(die, DW_AT_abstract_origin, &a) || dwarf_attr(die, DW_AT_call_origin, &a);
    const char *name = has_origin && dwarf_formref_die(&a, &called) ? dwarf_diename(&called) : NULL;
    if (!name || strcmp(name, "abort") != 0)
        return;
    bool has_place = dwarf_attr(die, DW_AT_low_pc, &a) || dwarf_attr(die, DW_AT_call_return_pc, &a);
    if (has_place && dwarf_formaddr(&a, &after) == 0 && after < IMAGE_ADDRESS_LIMIT)
        *(uint32_t *)growing_add(&w->aborts, sizeof(uint32_t)) = (uint32_t)after;
}

static void entries_walk(struct walk *w, Dwarf_Die *parent, const char *function, const struct scope *scope, int depth)
{
    Dwarf_Die die;
    struct scope inner;
    if (depth > DEPTH_LIMIT || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable: variable_add(w, &die, function, scope); break;
        case DW_TAG_GNU_call_site:
        case DW_TAG_call_site: call_add(w, &die); break;
        case DW_TAG_formal_parameter:
            if (scope)
                locals_add(&w->locals, &die, scope, &w->types);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine: {
            const char *name = dwarf_diename(&die); /* through the abstract origin, too */
            if (dwarf_tag(&die) == DW_TAG_subprogram)
                functions_add(&w->functions, &die, &w->types);
            else
                functions_add_inlined(&w->functions, &die);
            bool has_code = locals_scope(&w->locals, &die, scope, &inner);
            entries_walk(w, &die, name ? name : function, has_code ? &inner : NULL, depth + 1);
            break;
        }
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type: types_see(&w->types, &die); break;
        case DW_TAG_namespace: entries_walk(w, &die, function, NULL, depth + 1); break;
        case DW_TAG_lexical_block:
            entries_walk(w, &die, function, locals_scope(&w->locals, &die, scope, &inner) ? &inner : scope, depth + 1);
            break;
        }
    } while (dwarf_next(&w->types.budget, &die));
}

static int place_order(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->variable.address != y->variable.address)
        return x->variable.address < y->variable.address ? -1 : 1;
    int by_name = strcmp(x->variable.name, y->variable.name);
    if (by_name)
        return by_name;
    return (int)x->rank - (int)y->rank;
}

static int rank_order(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->rank != y->rank ? (int)x->rank - (int)y->rank : place_order(a, b);
}

/* The table is in the order of ranks, so that its order decides between equal names. */
static int debug_variables_name_order(const void *a, const void *b)
{
    const struct debug_variable *x = *(const struct debug_variable **)a, *y = *(const struct debug_variable **)b;
    int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : (x > y) - (x < y);
}

static void debug_variables_table_set(struct image *i, struct found *f, size_t count)
{
    qsort(f, count, sizeof *f, place_order);
    size_t kept = 0; /* inlining and repeated headers describe a variable several times */
    for (size_t n = 0; n < count; n++)
        if (n == 0 || f[n].variable.address != f[kept - 1].variable.address ||
            strcmp(f[n].variable.name, f[kept - 1].variable.name) != 0)
            f[kept++] = f[n];
    qsort(f, kept, sizeof *f, rank_order);
    struct debug_variable *variables = store_take(&i->store, kept * sizeof *variables);
    const struct debug_variable **names = store_take(&i->store, kept * sizeof *names);
    for (size_t n = 0; n < kept; n++) {
        variables[n] = f[n].variable;
        names[n] = &variables[n];
        if (f[n].rank == REGISTER)
            i->register_count++;
    }
    qsort(names, kept, sizeof *names, debug_variables_name_order);
    i->variables = variables;
    i->variable_names = names;
    i->variable_count = kept;
}

void variables_load(struct image *i, Dwarf *dwarf)
{
    struct walk w = {.image = i, .locals = {.image = i}, .functions = {.image = i}};
    types_start(&w.types, &i->store, i->target->pointer_size);
    Dwarf_Off at = 0, next;
    size_t header;
    unsigned units = 0;
    while (units++ < UNIT_LIMIT && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header, &unit)) {
            functions_unit(&w.functions, &unit);
            entries_walk(&w, &unit, NULL, NULL, 0);
        }
        at = next;
    }
    types_finish(&w.types);
    i->array_count = w.types.arrays.count;
    i->arrays = growing_keep(&w.types.arrays, sizeof(uint32_t), &i->store);
    if (w.found.count)
        debug_variables_table_set(i, w.found.items, w.found.count);
    growing_free(&w.found);
    locals_finish(&w.locals);
    functions_finish(&w.functions);
    i->abort_count = w.aborts.count;
    i->aborts = growing_keep(&w.aborts, sizeof(uint32_t), &i->store);
}

bool debug_calls_abort(const struct image *i, uint32_t after)
{
    for (size_t n = 0; n < i->abort_count; n++)
        if (i->aborts[n] == after)
            return true;
    return false;
}

size_t debug_variables(const struct image *i, const struct debug_variable **first)
{
    *first = i->variables;
    return i->variable_count - i->register_count;
}

size_t debug_registers(const struct image *i, const struct debug_variable **first)
{
    *first = i->register_count ? i->variables + (i->variable_count - i->register_count) : NULL;
    return i->register_count;
}

/* `where` is a function, or the file's last component. */
static bool is_within(const struct debug_variable *v, const char *where, size_t length)
{
    if (v->function && strlen(v->function) == length && memcmp(v->function, where, length) == 0)
        return true;
    if (!v->file)
        return false;
    const char *slash = strrchr(v->file, '/'), *file = slash ? slash + 1 : v->file;
    return strlen(file) == length && memcmp(file, where, length) == 0;
}

/* The first variable of that name that is within `where`, if that is given. */
static const struct debug_variable *variable_within(const struct image *i, const char *name, const char *where,
                                                    size_t length)
{
    size_t low = 0, high = i->variable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(i->variable_names[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < i->variable_count && strcmp(i->variable_names[low]->name, name) == 0; low++)
        if (!where || is_within(i->variable_names[low], where, length))
            return i->variable_names[low];
    return NULL;
}

const struct debug_variable *debug_variable_named(const struct image *i, const char *name)
{
    const struct debug_variable *v = variable_within(i, name, NULL, 0);
    const char *colons = strstr(name, "::");
    if (!v && colons)
        v = variable_within(i, colons + 2, name, (size_t)(colons - name));
    return v;
}

bool debug_has_array(const struct image *i, uint32_t elements)
{
    for (size_t n = 0; n < i->array_count; n++)
        if (i->arrays[n] == elements)
            return true;
    return false;
}
