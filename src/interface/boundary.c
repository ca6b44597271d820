#include "interface/boundary.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/code.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "interface/buffers.h"
#include "interface/pieces.h"
#include "isa/abstract.h"
#include "isa/isa.h"
#include "node/map.h"

/* ---- pieces of a component ---- */

static bool boundary_all_found(const struct image *image, const struct piece *pieces, size_t count,
                               struct motet_error *e)
{
    const char *near[1];
    for (size_t i = 0; i < count; i++) {
        const struct piece *p = &pieces[i];
        if (p->found)
            continue;
        switch (p->kind) {
        case PIECE_FILE:
            error_set(e, "no function of the firmware comes from a file '%s'", p->text);
            image_suggest_file(image, p->text, e);
            return false;
        case PIECE_FOLDER: return error_set(e, "no function of the firmware comes from a file in '%s'", p->text);
        case PIECE_GLOB: return error_set(e, "no function of the firmware has a name like '%s'", p->text);
        default:
            if (image_nearest_names(image, p->text, near, 1))
                return error_set(e, "the firmware has no function '%s'; did you mean %s?", p->text, near[0]);
            return error_set(e, "the firmware has no function '%s'; see motet info --symbols", p->text);
        }
    }
    return true;
}

/* ---- functions ---- */

/* What compilers and C libraries bring, also where it was compiled with debug information. */
static bool boundary_is_library(const char *name)
{
    static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcpy",
                                        "strcmp", "strncmp", "strcat", "strchr", "abs",    "labs",   "div"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

/* A copy that a compiler made for some callers, without some of the parameters. */
static bool boundary_is_clone(const struct image *image, uint32_t address)
{
    const struct image_symbol *s = image_symbol_at(image, address);
    return s && s->address == address &&
           (strstr(s->name, ".isra") || strstr(s->name, ".constprop") || strstr(s->name, ".part"));
}

static void boundary_warn(struct boundary *b, char *sentence)
{
    b->warnings = memory_grow(b->warnings, &b->warning_room, b->warning_count, sizeof *b->warnings);
    b->warnings[b->warning_count++] = sentence;
}

static void boundary_add(struct boundary *b, const struct debug_function *d, enum boundary_side side)
{
    struct boundary_function *f = &b->functions[b->header.function_count];
    struct interface_function *to = &b->header.functions[b->header.function_count++];
    const struct image *image = b->machine->image;
    *f = (struct boundary_function){.address = d->address, .side = side, .call = {.function = d->type}};
    f->opaque = d->variadic || d->type->field_count > INTERFACE_VALUES_MAX || boundary_is_clone(image, d->address);
    *to = (struct interface_function){
        .name = d->name,
        .file = d->file ? d->file : "",
        .line = d->line,
        .address = d->address,
        .inside = side == BOUNDARY_INSIDE,
        .result = buffers_type(d->type->of),
    };
    if (!f->opaque)
        debug_call_places(image, d->type, f->places, &f->result);
    if (f->opaque || !f->result.known || f->result.by_pointer)
        to->result = (struct interface_type){.kind = INTERFACE_VOID, .name = "void"};
    uint32_t count = f->opaque ? 0 : d->type->field_count;
    to->parameters = memory_array(count + 1, sizeof *to->parameters);
    to->parameter_count = count;
    if (f->result.by_pointer && count < INTERFACE_VALUES_MAX) { /* where the result goes: an argument, unsaid */
        f->places[count] = f->result;
        f->names[count] = "result_at";
        to->parameters[to->parameter_count++] =
            (struct interface_parameter){"result_at", {INTERFACE_POINTER, b->header.pointer_size, "void *"}};
    }
    for (uint32_t i = 0; i < count; i++) {
        f->names[i] = d->type->fields[i].name;
        to->parameters[i] =
            (struct interface_parameter){d->type->fields[i].name, buffers_type(d->type->fields[i].type)};
    }
}

/* ---- the recorder ---- */

/* What an entry of the recorder gives back, if it is more than what it was given: assembly has no types. */
static const struct debug_type boundary_nothing = {.kind = DEBUG_VOID, .name = "void"};
static const struct debug_type boundary_byte = {.kind = DEBUG_UNSIGNED, .name = "uint8_t", .size = 1};
static const struct debug_type boundary_word = {.kind = DEBUG_UNSIGNED, .name = "uint16_t", .size = 2};
static const struct boundary_result {
    const char *entry;
    struct debug_type type;
} boundary_results[] = {
    {"motet_idle", {.kind = DEBUG_FUNCTION, .name = "", .of = &boundary_byte}},
    {"motet_timer16", {.kind = DEBUG_FUNCTION, .name = "", .of = &boundary_word}},
    {"motet_pointer8", {.kind = DEBUG_FUNCTION, .name = "", .of = &boundary_byte}},
    {"motet_pointer16", {.kind = DEBUG_FUNCTION, .name = "", .of = &boundary_word}},
    {"", {.kind = DEBUG_FUNCTION, .name = "", .of = &boundary_nothing}}, /* all others */
};

static const struct boundary_result *boundary_result_of(const char *entry)
{
    const struct boundary_result *r = boundary_results;
    while (*r->entry && strcmp(r->entry, entry) != 0)
        r++;
    return r;
}

/* The recorder's C is one unit; NULL: the firmware does not record itself. */
static const char *boundary_recorder(const struct debug_function *d, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(d[i].name, "motet_boot") == 0)
            return d[i].unit;
    return NULL;
}

/* An entry in the recorder's assembly: what rewritten code calls (target/recorder/motet_record.h). */
static bool boundary_is_entry(const struct image *image, const struct image_symbol *s)
{
    const struct image_symbol *first = image_symbol_named(image, "motet_stubs");
    const struct image_symbol *end = image_symbol_named(image, "motet_library");
    return first && end && s->kind == IMAGE_SYMBOL_FUNCTION && s->address >= first->address &&
           s->address < end->address && strncmp(s->name, "motet_", 6) == 0;
}

/* Those of the addresses from `first` to before `end`. One with a result is a function outside like any other. */
static void boundary_add_entries(struct boundary *b, uint32_t first, uint32_t end)
{
    const struct image_symbol *s;
    size_t total = image_symbols(b->machine->image, &s);
    for (size_t i = 0; i < total; i++) {
        if (s[i].address < first || s[i].address >= end || !boundary_is_entry(b->machine->image, &s[i]))
            continue;
        const char *name = s[i].name; /* one address may have two names: the later value of a timer is a result */
        if (strcmp(name, "motet_read16") == 0 && image_symbol_named(b->machine->image, "motet_timer16"))
            name = "motet_timer16";
        const struct boundary_result *r = boundary_result_of(name);
        boundary_add(b, &(struct debug_function){.name = s[i].name, .address = s[i].address, .type = &r->type},
                     *r->entry ? BOUNDARY_OUTSIDE : BOUNDARY_RECORDER);
        first = s[i].address + 1;
    }
}

/* ---- all functions ---- */

/* Whether a function is in one unit with arithmetic that a compiler calls, as target/msp430/float64.c has it. */
static bool boundary_is_arithmetic(const struct image *image, const char *unit)
{
    const struct debug_function *d;
    size_t total = debug_functions(image, &d);
    for (size_t i = 0; unit && i < total; i++)
        if (d[i].unit && strncmp(d[i].name, "__mspabi_", 9) == 0 && strcmp(d[i].unit, unit) == 0)
            return true;
    return false;
}

static enum boundary_side boundary_side_of(const struct image *image, const struct debug_function *d,
                                           const char *recorder, struct piece *pieces, size_t count)
{
    if (recorder && d->unit && strcmp(d->unit, recorder) == 0)
        return BOUNDARY_RECORDER;
    if (pieces_inside(pieces, count, d->name, pieces_source(d->file, d->unit)))
        return BOUNDARY_INSIDE;
    return boundary_is_library(d->name) || boundary_is_arithmetic(image, d->unit) ? BOUNDARY_EITHER : BOUNDARY_OUTSIDE;
}

static size_t boundary_count_entries(const struct image *image)
{
    const struct image_symbol *s;
    size_t total = image_symbols(image, &s), count = 0;
    for (size_t i = 0; i < total; i++)
        count += boundary_is_entry(image, &s[i]);
    return count;
}

static void boundary_find_functions(struct boundary *b, struct piece *pieces, size_t count)
{
    const struct debug_function *d;
    size_t total = debug_functions(b->machine->image, &d), room = total + boundary_count_entries(b->machine->image);
    const char *recorder = boundary_recorder(d, total);
    uint32_t next = 0;
    b->functions = memory_array(room, sizeof *b->functions);
    b->header.functions = memory_array(room, sizeof *b->header.functions);
    for (size_t i = 0; i < total; i++) {
        if (i && d[i].address == d[i - 1].address)
            continue;
        boundary_add_entries(b, next, d[i].address);
        boundary_add(b, &d[i], boundary_side_of(b->machine->image, &d[i], recorder, pieces, count));
        next = d[i].address + 1;
    }
    boundary_add_entries(b, next, UINT32_MAX);
    for (uint32_t i = 0; i < b->header.function_count; i++) {
        const struct image_symbol *s = image_symbol_at(b->machine->image, b->functions[i].address);
        b->functions[i].end = s && s->size ? s->address + s->size : UINT32_MAX;
        if (i + 1 < b->header.function_count && b->functions[i + 1].address < b->functions[i].end)
            b->functions[i].end = b->functions[i + 1].address;
    }
}

static const struct boundary_function *boundary_around(const struct boundary *b, uint32_t address)
{
    uint32_t low = 0, high = b->header.function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < b->functions[low - 1].end ? &b->functions[low - 1] : NULL;
}

static bool boundary_is_a_side(enum boundary_side side)
{
    return side == BOUNDARY_OUTSIDE || side == BOUNDARY_INSIDE;
}

enum boundary_side boundary_side(const struct boundary *b, uint32_t address)
{
    const struct boundary_function *f = boundary_around(b, address);
    return f ? f->side : BOUNDARY_EITHER;
}

uint32_t boundary_entry(const struct boundary *b, uint32_t address)
{
    const struct boundary_function *f = boundary_around(b, address);
    return f && f->address == address ? (uint32_t)(f - b->functions) : UINT32_MAX;
}

/* ---- forwarding wrappers ---- */

/* The function that all of a function's code is a jump to, or a call of followed by the return: nesC makes many of
 * them. UINT32_MAX: it does something of its own. */
static uint32_t boundary_forwards_to(const struct boundary *b, const struct boundary_function *f)
{
    const struct isa_abstract *isa = b->machine->chip->isa->abstract;
    struct abstract_state s = {0};
    struct abstract_step first, second;
    if (!isa)
        return UINT32_MAX;
    isa->step(b->machine, f->address, &s, &first);
    if (first.flow == ABSTRACT_JUMP)
        return boundary_entry(b, first.target);
    if (first.flow != ABSTRACT_CALL || f->address + first.size >= f->end)
        return UINT32_MAX;
    isa->step(b->machine, f->address + first.size, &s, &second);
    return second.flow == ABSTRACT_RETURN ? boundary_entry(b, first.target) : UINT32_MAX;
}

static bool boundary_is_named(const char *name, const struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].kind == PIECE_FUNCTION && strcmp(pieces[i].text, name) == 0)
            return true;
    return false;
}

/* A wrapper belongs to what it forwards to, unless it was asked for by its name. The call over the boundary then is the
 * wrapper's, with its name. */
static void boundary_move_wrappers(struct boundary *b, const struct piece *pieces, size_t count)
{
    enum { CHAIN = 8 }; /* wrappers of wrappers */
    size_t size;
    bool moved =
        !image_section(b->machine->image, ".motet.component", 0, &size); /* else motet cc has said who is inside */
    for (unsigned round = 0; round < CHAIN && moved; round++) {
        moved = false;
        for (uint32_t i = 0; i < b->header.function_count; i++) {
            struct boundary_function *f = &b->functions[i];
            bool fixed = !boundary_is_a_side(f->side) || boundary_is_named(b->header.functions[i].name, pieces, count);
            uint32_t to = fixed ? UINT32_MAX : boundary_forwards_to(b, f);
            if (to == UINT32_MAX || to == i || b->functions[to].side == f->side ||
                !boundary_is_a_side(b->functions[to].side))
                continue;
            f->side = b->functions[to].side;
            b->header.functions[i].inside = f->side == BOUNDARY_INSIDE;
            moved = true;
        }
    }
}

/* ---- what crosses ---- */

static void boundary_cross(struct boundary *b, enum boundary_side from, uint32_t target)
{
    uint32_t to = boundary_entry(b, target);
    if (to != UINT32_MAX && b->functions[to].side != from && boundary_is_a_side(b->functions[to].side))
        b->functions[to].crosses = true;
}

/* By calls and jumps whose target is in the instruction; and functions inside whose address is taken. */
static void boundary_find_crossings(struct boundary *b)
{
    struct code c;
    code_find(&c, b->machine);
    for (uint32_t at = 0; at < b->machine->code_size; at += c.isa->code_alignment) {
        struct abstract_state s = {0};
        struct abstract_step step;
        enum boundary_side side;
        if (!(c.known[at] & CODE_BOUNDARY) || !boundary_is_a_side(side = boundary_side(b, at)))
            continue;
        c.isa->step(b->machine, at, &s, &step);
        if (step.flow == ABSTRACT_CALL || step.flow == ABSTRACT_JUMP)
            boundary_cross(b, side, step.target);
    }
    for (size_t i = 0; i < c.taken_count; i++)
        boundary_cross(b, BOUNDARY_OUTSIDE, c.taken[i]);
    code_free(&c);
}

/* A call that the compiler has put into its caller leaves no trace. */
static void boundary_find_inlined(struct boundary *b, struct piece *pieces, size_t count)
{
    const struct debug_inlined *d;
    size_t total = debug_inlined(b->machine->image, &d), lost = 0;
    const struct debug_inlined *example = NULL;
    for (size_t i = 0; i < total; i++) {
        const char *source = pieces_source(d[i].file, d[i].unit);
        bool own_header = d[i].file && !pieces_is_source(d[i].file);
        enum boundary_side around = boundary_side(b, d[i].address);
        if (own_header || !boundary_is_a_side(around) || boundary_is_library(d[i].name))
            continue;
        if (pieces_inside(pieces, count, d[i].name, source) != (around == BOUNDARY_INSIDE)) {
            example = d[i].address && !example ? &d[i] : example;
            lost++;
        }
    }
    char place[200];
    if (example)
        boundary_warn(b, memory_format("%zu calls over the boundary are inlined and not logged, such as that of %s in "
                                       "%s; build with -fno-inline to have them",
                                       lost, example->name,
                                       image_place(b->machine->image, example->address, place, sizeof place)));
}

/* ---- variables ---- */

static bool boundary_in_ram(const struct machine *m, const struct debug_variable *v, uint32_t *address)
{
    uint32_t space = m->chip->isa->spaces.data;
    *address = v->address - space;
    return v->address >= space && *address >= m->ram->first && v->type->size &&
           (uint64_t)*address + v->type->size <= (uint64_t)m->ram->first + m->ram->size;
}

static bool boundary_owns(struct piece *pieces, size_t count, const struct debug_variable *v)
{
    bool owns = false;
    for (size_t i = 0; i < count; i++) {
        struct piece *p = &pieces[i];
        if (p->kind == PIECE_FILE || p->kind == PIECE_FOLDER || p->kind == PIECE_GLOB)
            owns |= piece_matches(p, v->name, v->file);
        if ((p->kind == PIECE_FUNCTION || p->kind == PIECE_GLOB) && v->function)
            owns |= piece_matches(p, v->function, v->file);
    }
    return owns;
}

static void boundary_find_variables(struct boundary *b, struct piece *pieces, size_t count)
{
    const struct debug_variable *v;
    size_t total = debug_variables(b->machine->image, &v);
    uint32_t address;
    b->header.variables = memory_array(total, sizeof *b->header.variables);
    for (size_t i = 0; i < total; i++)
        if (boundary_owns(pieces, count, &v[i]) && boundary_in_ram(b->machine, &v[i], &address))
            b->header.variables[b->header.variable_count++] = (struct interface_variable){
                .name = v[i].name,
                .file = v[i].file ? v[i].file : "",
                .line = v[i].line,
                .address = address,
                .size = v[i].type->size,
                .kind = INTERFACE_OWN,
            };
}

/* ---- values ---- */

void boundary_value(const struct node *n, const struct debug_call_place *p, uint32_t size, uint8_t *to)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned width = p->in_registers ? isa->register_size(p->first) : 1;
    for (uint32_t i = 0; i < p->in_registers; i++)
        to[i] = (uint8_t)(isa->get_register(n, p->first + i / width) >> (8 * (i % width)));
    if (p->in_registers < size) {
        uint32_t after = isa->sp(n) + isa->stack_gap + isa_call_bytes(isa, n->machine);
        map_peek(n, after + p->stack, to + p->in_registers, size - p->in_registers);
    }
}

/* ---- life ---- */

uint64_t boundary_build(const struct image *i)
{
    size_t size;
    const void *bytes = image_file(i, &size);
    uint64_t build = image_build(i);
    return build ? build : digest_of(bytes, size).low;
}

static char *boundary_target(const char *const *pieces, size_t count)
{
    char *text = memory_string("");
    for (size_t i = 0; i < count; i++) {
        char *longer = memory_format("%s%s%s", text, i ? "," : "", pieces[i]);
        free(text);
        text = longer;
    }
    return text;
}

static bool boundary_find(struct boundary *b, struct piece *pieces, size_t count, const struct descriptions *d,
                          struct motet_error *e)
{
    const struct image *image = b->machine->image;
    const struct debug_function *any;
    if (!b->machine->chip->isa->abstract)
        return error_set(e, "%s: interface logs are not there for the instruction set of the %s", image_path(image),
                         b->machine->chip->name);
    if (!debug_functions(image, &any))
        return error_set(
            e,
            "%s has no debug information, so nothing is known of its functions; compile it with -gdwarf-4 (plain -g of "
            "avr-gcc up to 12 makes stabs)",
            image_path(image));
    boundary_find_functions(b, pieces, count);
    if (!boundary_all_found(image, pieces, count, e))
        return false;
    boundary_move_wrappers(b, pieces, count);
    boundary_find_crossings(b);
    boundary_find_inlined(b, pieces, count);
    boundary_find_variables(b, pieces, count);
    return !d || buffers_find(b, d, e);
}

struct boundary *boundary_new(const struct machine *m, const char *const *texts, size_t count,
                              const struct descriptions *d, struct motet_error *e)
{
    struct boundary *b = memory_new(sizeof *b);
    struct piece *pieces = memory_array(count, sizeof *pieces);
    for (size_t i = 0; i < count; i++)
        pieces[i] = piece_new(texts[i]);
    b->machine = m;
    b->target = boundary_target(texts, count);
    b->header.build = boundary_build(m->image);
    b->header.firmware = image_path(m->image);
    b->header.target = b->target;
    b->header.pointer_size = m->chip->isa->abstract ? m->chip->isa->abstract->pointer_size : 0;
    bool good = boundary_find(b, pieces, count, d, e);
    pieces_free(pieces, count);
    if (good)
        return b;
    boundary_free(b);
    return NULL;
}

struct boundary *boundary_of(const struct machine *m, const char *target, struct motet_error *e)
{
    char *text = memory_string(target), *rest = text, *piece;
    const char *pieces[64];
    size_t count = 0;
    while (count < 64 && (piece = strsep(&rest, ",")))
        pieces[count++] = piece;
    struct boundary *b = boundary_new(m, pieces, count, NULL, e);
    free(text);
    return b;
}

void boundary_free(struct boundary *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->header.function_count; i++) {
        free(b->header.functions[i].parameters);
        free(b->header.functions[i].buffers);
        free(b->header.functions[i].fields);
    }
    for (size_t i = 0; i < b->warning_count; i++)
        free(b->warnings[i]);
    for (size_t i = 0; i < b->text_count; i++)
        free(b->texts[i]);
    free(b->warnings);
    free(b->texts);
    free(b->header.functions);
    free(b->header.variables);
    free(b->functions);
    free(b->target);
    free(b);
}
