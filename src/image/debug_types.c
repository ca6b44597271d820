/* Types from DWARF entries (DWARF 5, chapter 5), as the tables that debug.h promises. */
#include "base/memory.h"
#include "image/types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_LIMIT = 1 << 18, FIELD_LIMIT = 1 << 16, CHAIN_LIMIT = 64 };

struct built_type {
    struct debug_type type; /* first, so that one is the other */
    Dwarf_Die die;
    const struct built_type *same_as; /* for a typedef, or a declaration whose definition was found */
    bool settled;
};

static struct built_type *built_new(struct types *t, Dwarf_Die *die)
{
    struct built_type *b = store_take(t->store, sizeof *b);
    b->type.name = "";
    if (die)
        b->die = *die;
    *(struct built_type **)growing_add(&t->built, sizeof b) = b;
    return b;
}

static struct built_type **slot_of(struct built_type **slots, size_t count, const void *address)
{
    size_t at = ((uintptr_t)address * 0x9e3779b97f4a7c15u >> 20) & (count - 1);
    while (slots[at] && slots[at]->die.addr != address)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void slots_grow(struct types *t)
{
    size_t count = t->slot_count * 2;
    struct built_type **bigger = memory_array(count, sizeof *bigger);
    for (size_t n = 0; n < t->slot_count; n++)
        if (t->slots[n])
            *slot_of(bigger, count, t->slots[n]->die.addr) = t->slots[n];
    free(t->slots);
    t->slots = bigger;
    t->slot_count = count;
}

void types_start(struct types *t, struct store *s, unsigned pointer_size)
{
    *t = (struct types){.store = s, .pointer_size = pointer_size, .slot_count = 256, .budget = 4 << 20};
    t->slots = memory_array(t->slot_count, sizeof(struct built_type *));
    t->nothing = built_new(t, NULL);
    t->nothing->type.name = "void";
    t->nothing->settled = true;
}

bool dwarf_number(Dwarf_Die *die, unsigned attribute, int64_t *value)
{
    Dwarf_Attribute a;
    Dwarf_Sword number;
    if (!dwarf_attr_integrate(die, attribute, &a))
        return false;
    switch (dwarf_whatform(&a)) {
    case DW_FORM_data1: /* the form does not say whether it is signed; what is read here is not negative in these forms
                         */
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
        if (dwarf_formudata(&a, (Dwarf_Word *)&number) != 0)
            return false;
        break;
    default:
        if (dwarf_formsdata(&a, &number) != 0)
            return false;
    }
    *value = number;
    return true;
}

bool dwarf_next(size_t *budget, Dwarf_Die *die)
{
    Dwarf_Die next;
    if (*budget == 0 || dwarf_siblingof(die, &next) != 0)
        return false;
    --*budget;
    *die = next;
    return true;
}

static bool first_child(struct types *t, Dwarf_Die *die, Dwarf_Die *child)
{
    if (t->budget == 0 || dwarf_child(die, child) != 0)
        return false;
    t->budget--;
    return true;
}

static uint32_t size_attribute(Dwarf_Die *die, unsigned attribute, uint32_t otherwise)
{
    int64_t value;
    if (!dwarf_number(die, attribute, &value) || value < 0 || value > IMAGE_ADDRESS_LIMIT)
        return otherwise;
    return (uint32_t)value;
}

static bool type_entry(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, type);
}

/* Finds the type that an entry is, or makes one to be filled in later. */
static struct built_type *built_for(struct types *t, Dwarf_Die *die)
{
    if (t->built.count * 2 >= t->slot_count)
        slots_grow(t);
    struct built_type **slot = slot_of(t->slots, t->slot_count, die->addr);
    if (!*slot) {
        if (t->built.count >= TYPE_LIMIT)
            return t->nothing;
        *slot = built_new(t, die);
    }
    return *slot;
}

/* The type that an entry names, without its qualifiers. */
static struct built_type *built_of(struct types *t, Dwarf_Die *die)
{
    Dwarf_Die type = *die;
    for (int hops = 0; hops < CHAIN_LIMIT; hops++) {
        Dwarf_Die next;
        if (t->budget == 0 || !type_entry(&type, &next))
            return t->nothing;
        t->budget--;
        type = next;
        switch (dwarf_tag(&type)) {
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_packed_type: continue;
        default: return built_for(t, &type);
        }
    }
    return t->nothing;
}

const struct debug_type *types_of(struct types *t, Dwarf_Die *die)
{
    return &built_of(t, die)->type;
}

const struct debug_type *types_of_function(struct types *t, Dwarf_Die *die)
{
    return &built_for(t, die)->type;
}

static const char *entry_name(struct types *t, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    return name ? store_string(t->store, name) : "";
}

static bool is_c_plus_plus(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    int language = dwarf_srclang(&unit);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

static const char *tagged_name(struct types *t, Dwarf_Die *die, const char *keyword)
{
    const char *name = entry_name(t, die);
    if (!name[0] || is_c_plus_plus(die))
        return name;
    return store_text(t->store, "%s %s", keyword, name);
}

static void base_fill(struct types *t, struct built_type *b)
{
    struct debug_type *type = &b->type;
    int64_t encoding = 0;
    dwarf_number(&b->die, DW_AT_encoding, &encoding);
    type->name = entry_name(t, &b->die);
    type->size = size_attribute(&b->die, DW_AT_byte_size, 0);
    switch (encoding) {
    case DW_ATE_boolean: type->kind = DEBUG_BOOL; break;
    case DW_ATE_float: type->kind = DEBUG_FLOAT; break;
    case DW_ATE_signed: type->kind = DEBUG_SIGNED; break;
    case DW_ATE_unsigned: type->kind = DEBUG_UNSIGNED; break;
    case DW_ATE_UTF: type->kind = DEBUG_UNSIGNED; break;
    /* uint8_t is an `unsigned char` but no character; only plain `char` is one. */
    case DW_ATE_signed_char: type->kind = strcmp(type->name, "char") ? DEBUG_SIGNED : DEBUG_CHAR; break;
    case DW_ATE_unsigned_char: type->kind = strcmp(type->name, "char") ? DEBUG_UNSIGNED : DEBUG_CHAR; break;
    default: type->kind = DEBUG_VOID;
    }
}

/* Where a member begins, in bytes: a constant, or in old files an expression that adds one. */
static bool member_offset(Dwarf_Die *die, int64_t *offset)
{
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t count;
    *offset = 0;
    if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &a))
        return true; /* in a union, or placed by DW_AT_data_bit_offset */
    if (dwarf_number(die, DW_AT_data_member_location, offset))
        return true;
    if (dwarf_getlocation(&a, &op, &count) != 0 || count != 1 || op->atom != DW_OP_plus_uconst)
        return false;
    *offset = (int64_t)op->number;
    return true;
}

/* A bit-field is placed by DW_AT_data_bit_offset, from the start of the structure, or up to DWARF 3 (and in gcc's DWARF
 * 4) by DW_AT_bit_offset, from the most significant bit of a storage unit of the member's size. */
static bool bits_place(Dwarf_Die *die, const struct built_type *of, struct debug_field *f, int64_t offset)
{
    int64_t size, at, from_top;
    if (!dwarf_number(die, DW_AT_bit_size, &size) || size == 0)
        return true;
    if (size < 0 || size > 64)
        return false;
    if (dwarf_number(die, DW_AT_data_bit_offset, &at)) {
        at += offset * 8;
    } else if (dwarf_number(die, DW_AT_bit_offset, &from_top)) {
        Dwarf_Die type = of->die;
        uint32_t unit = size_attribute(die, DW_AT_byte_size, 0);
        for (int hops = 0; unit == 0 && type.addr && hops < CHAIN_LIMIT; hops++) {
            unit = size_attribute(&type, DW_AT_byte_size, 0);
            if (!type_entry(&type, &type))
                break;
        }
        if (from_top < -64 || from_top > 64)
            return false;
        at = offset * 8 + (int64_t)unit * 8 - from_top - size;
    } else {
        at = offset * 8;
    }
    if (at < 0 || at / 8 > IMAGE_ADDRESS_LIMIT)
        return false;
    f->offset = (uint32_t)(at / 8);
    f->bit_offset = (uint8_t)(at % 8);
    f->bit_size = (uint8_t)size;
    return true;
}

static void member_add(struct types *t, struct growing *fields, Dwarf_Die *die)
{
    int64_t offset;
    if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_external)) /* a static member of a class */
        return;
    if (!member_offset(die, &offset) || offset < 0 || offset > IMAGE_ADDRESS_LIMIT)
        return;
    struct built_type *of = built_of(t, die);
    struct debug_field f = {.name = dwarf_tag(die) == DW_TAG_inheritance ? "" : entry_name(t, die),
                            .offset = (uint32_t)offset,
                            .type = &of->type};
    if (bits_place(die, of, &f, offset))
        *(struct debug_field *)growing_add(fields, sizeof f) = f;
}

static void fields_fill(struct types *t, struct built_type *b)
{
    struct growing fields = {0};
    Dwarf_Die child;
    for (bool more = first_child(t, &b->die, &child); more && fields.count < FIELD_LIMIT;
         more = dwarf_next(&t->budget, &child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
            member_add(t, &fields, &child);
        else if (tag == DW_TAG_formal_parameter && b->type.kind == DEBUG_FUNCTION)
            *(struct debug_field *)growing_add(&fields, sizeof(struct debug_field)) =
                (struct debug_field){.name = entry_name(t, &child), .type = types_of(t, &child)};
    }
    b->type.field_count = (uint32_t)fields.count;
    b->type.fields = growing_keep(&fields, sizeof(struct debug_field), t->store);
}

static void enumerators_fill(struct types *t, struct built_type *b)
{
    struct growing found = {0};
    Dwarf_Die child;
    for (bool more = first_child(t, &b->die, &child); more && found.count < FIELD_LIMIT;
         more = dwarf_next(&t->budget, &child)) {
        int64_t value;
        if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_number(&child, DW_AT_const_value, &value))
            *(struct debug_enumerator *)growing_add(&found, sizeof(struct debug_enumerator)) =
                (struct debug_enumerator){.name = entry_name(t, &child), .value = value};
    }
    b->type.enumerator_count = (uint32_t)found.count;
    b->type.enumerators = growing_keep(&found, sizeof(struct debug_enumerator), t->store);
}

static uint32_t subrange_count(Dwarf_Die *die)
{
    int64_t count, lower = 0, upper;
    if (!dwarf_number(die, DW_AT_count, &count)) {
        dwarf_number(die, DW_AT_lower_bound, &lower);
        if (!dwarf_number(die, DW_AT_upper_bound, &upper) || upper < lower || upper - lower >= IMAGE_ADDRESS_LIMIT)
            return 0;
        count = upper - lower + 1;
    }
    return count < 0 || count > IMAGE_ADDRESS_LIMIT ? 0 : (uint32_t)count;
}

/* int a[3][4] is one entry with two subranges; here it is an array of three arrays. */
static void array_fill(struct types *t, struct built_type *b)
{
    struct built_type *element = built_of(t, &b->die), *outer = b;
    Dwarf_Die child;
    unsigned dimensions = 0;
    b->type.kind = DEBUG_ARRAY;
    for (bool more = first_child(t, &b->die, &child); more && dimensions < CHAIN_LIMIT;
         more = dwarf_next(&t->budget, &child)) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        if (dimensions++) {
            struct built_type *inner = built_new(t, NULL);
            inner->type.kind = DEBUG_ARRAY;
            outer->type.of = &inner->type;
            outer = inner;
        }
        outer->type.count = subrange_count(&child);
        *(uint32_t *)growing_add(&t->arrays, sizeof(uint32_t)) = outer->type.count;
    }
    outer->type.of = &element->type;
}

struct definition {
    const char *name; /* libdw's */
    Dwarf_Die die;
};

void types_see(struct types *t, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    if (!name || dwarf_hasattr(die, DW_AT_declaration) || t->definitions.count >= TYPE_LIMIT)
        return;
    *(struct definition *)growing_add(&t->definitions, sizeof(struct definition)) =
        (struct definition){.name = name, .die = *die};
}

static int definition_order(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* A structure that one file only declares is the one that another file defines under the same name. */
static const struct built_type *debug_types_definition_of(struct types *t, Dwarf_Die *declaration)
{
    struct definition wanted = {.name = dwarf_diename(declaration)}, *found = NULL;
    if (wanted.name && t->definitions.count)
        found = bsearch(&wanted, t->definitions.items, t->definitions.count, sizeof wanted, definition_order);
    return found ? built_for(t, &found->die) : NULL;
}

static void structure_fill(struct types *t, struct built_type *b, enum debug_kind kind, const char *keyword)
{
    b->type.kind = kind;
    b->type.name = tagged_name(t, &b->die, keyword);
    b->type.size = size_attribute(&b->die, DW_AT_byte_size, 0);
    if (dwarf_hasattr(&b->die, DW_AT_declaration))
        b->same_as = debug_types_definition_of(t, &b->die);
    if (b->same_as)
        return;
    if (kind == DEBUG_ENUM)
        enumerators_fill(t, b);
    else
        fields_fill(t, b);
}

static void built_fill(struct types *t, struct built_type *b)
{
    switch (dwarf_tag(&b->die)) {
    case DW_TAG_base_type: base_fill(t, b); break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type: structure_fill(t, b, DEBUG_STRUCT, "struct"); break;
    case DW_TAG_union_type: structure_fill(t, b, DEBUG_UNION, "union"); break;
    case DW_TAG_enumeration_type: structure_fill(t, b, DEBUG_ENUM, "enum"); break;
    case DW_TAG_array_type: array_fill(t, b); break;
    case DW_TAG_typedef:
        b->type.name = entry_name(t, &b->die);
        b->same_as = built_of(t, &b->die);
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        b->type.kind = DEBUG_POINTER;
        b->type.size = size_attribute(&b->die, DW_AT_byte_size, t->pointer_size);
        b->type.of = types_of(t, &b->die);
        break;
    case DW_TAG_subprogram:
    case DW_TAG_subroutine_type:
        b->type.kind = DEBUG_FUNCTION;
        b->type.of = types_of(t, &b->die);
        fields_fill(t, b);
        break;
    }
}

static const char *spelled(const struct debug_type *type)
{
    if (type->name[0])
        return type->name;
    switch (type->kind) {
    case DEBUG_STRUCT: return "struct {...}";
    case DEBUG_UNION: return "union {...}";
    case DEBUG_ENUM: return "enum {...}";
    default: return "?";
    }
}

/* Puts a declarator where C has it: `int` + "*" is `int *`, `int [4]` + "*" is `int (*)[4]`, `void (*)(int)` + "[2]" is
 * `void (*[2])(int)`. */
static const char *declared(struct types *t, const struct debug_type *of, const char *declarator)
{
    const char *name = spelled(of), *inside = strstr(name, "(*");
    if (inside) {
        inside += 1 + strspn(inside + 1, "*");
        return store_text(t->store, "%.*s%s%s", (int)(inside - name), name, declarator, inside);
    }
    size_t base = strcspn(name, "[(");
    bool pointer = declarator[0] == '*' || declarator[0] == '&';
    if (name[base] && pointer && (of->kind == DEBUG_ARRAY || of->kind == DEBUG_FUNCTION))
        return store_text(t->store, "%.*s(%s)%s", (int)base, name, declarator, name + base);
    if (name[base] && !pointer && of->kind == DEBUG_ARRAY)
        return store_text(t->store, "%.*s%s%s", (int)base, name, declarator, name + base);
    bool stars = pointer && name[0] && name[strlen(name) - 1] == '*';
    return store_text(t->store, "%s%s%s", name, stars ? "" : " ", declarator);
}

static const char *function_name(struct types *t, const struct debug_type *type)
{
    char list[300] = "";
    size_t used = 0;
    for (uint32_t n = 0; n < type->field_count && used < sizeof list; n++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", spelled(type->fields[n].type));
    return store_text(t->store, "%s (%s)", spelled(type->of), type->field_count ? list : "void");
}

static void debug_types_settle(struct types *t, struct built_type *b, int depth);

static void settle_needed(struct types *t, const struct debug_type *type, int depth)
{
    debug_types_settle(t, (struct built_type *)type, depth + 1);
}

/* Sizes, names and what typedefs stand for; these depend on other types, but never on a structure's members. */
static void debug_types_settle(struct types *t, struct built_type *b, int depth)
{
    if (b->settled || depth > CHAIN_LIMIT)
        return;
    b->settled = true;
    struct debug_type *type = &b->type;
    if (b->same_as) {
        settle_needed(t, &b->same_as->type, depth);
        const char *name = type->name;
        *type = b->same_as->type;
        type->name = name;
    } else if (type->kind == DEBUG_POINTER) {
        settle_needed(t, type->of, depth);
        type->name = declared(t, type->of, dwarf_tag(&b->die) == DW_TAG_pointer_type ? "*" : "&");
    } else if (type->kind == DEBUG_ARRAY) {
        settle_needed(t, type->of, depth);
        uint64_t size = (uint64_t)type->count * type->of->size;
        type->size = size <= IMAGE_ADDRESS_LIMIT ? (uint32_t)size : 0;
        char dimension[16];
        snprintf(dimension, sizeof dimension, type->count ? "[%u]" : "[]", type->count);
        type->name = declared(t, type->of, dimension);
    } else if (type->kind == DEBUG_FUNCTION) {
        settle_needed(t, type->of, depth);
        for (uint32_t n = 0; n < type->field_count; n++)
            settle_needed(t, type->fields[n].type, depth);
        type->name = function_name(t, type);
    }
}

/* Leaves out members that reach beyond their structure. */
static void fields_check(struct debug_type *type)
{
    struct debug_field *fields = (struct debug_field *)type->fields;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < type->field_count; n++) {
        uint64_t bits =
            fields[n].bit_size ? fields[n].bit_offset + fields[n].bit_size : fields[n].type->size * UINT64_C(8);
        if (fields[n].offset + (bits + 7) / 8 <= type->size)
            fields[kept++] = fields[n];
    }
    type->field_count = kept;
}

void types_finish(struct types *t)
{
    if (t->definitions.count)
        qsort(t->definitions.items, t->definitions.count, sizeof(struct definition), definition_order);
    for (size_t n = 0; n < t->built.count; n++) { /* grows while it is walked */
        struct built_type *b = ((struct built_type **)t->built.items)[n];
        if (b->die.addr)
            built_fill(t, b);
    }
    struct built_type **all = t->built.items;
    for (size_t n = 0; n < t->built.count; n++)
        debug_types_settle(t, all[n], 0);
    for (size_t n = 0; n < t->built.count; n++)
        if (!all[n]->same_as && (all[n]->type.kind == DEBUG_STRUCT || all[n]->type.kind == DEBUG_UNION))
            fields_check(&all[n]->type);
    for (size_t n = 0; n < t->built.count; n++) {
        const struct built_type *origin = all[n];
        for (int hops = 0; origin->same_as && hops < CHAIN_LIMIT; hops++)
            origin = origin->same_as;
        if (all[n]->type.fields == origin->type.fields)
            all[n]->type.field_count = origin->type.field_count;
    }
    growing_free(&t->definitions);
    growing_free(&t->built);
    free(t->slots);
    t->slots = NULL;
}
