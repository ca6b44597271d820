#include "motet/variable.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/handles.h"
#include "base/line.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "debug/assign.h"
#include "debug/members.h"
#include "debug/source.h"
#include "debug/space.h"
#include "isa/isa.h"

enum { VARIABLE_LOCALS = 256, VARIABLE_NAME = 256, VARIABLE_NO_REGISTER = -1 };

struct motet_variable {
    struct value_scope at;
    struct value value;
    int reg;      /* the number of a register, or VARIABLE_NO_REGISTER */
    bool missing; /* the compiler has optimised it out */
    char name[VARIABLE_NAME], expression[VARIABLE_NAME];
};

/* ---- the call chain ---- */

bool motet_node_call(const motet_node *n, size_t level, struct motet_call *c)
{
    const struct image *i = n->node->machine->image;
    struct debug_frame frame;
    struct image_row row;
    uint32_t cfa;
    if (!frames_find(n->node, level, &frame, &cfa))
        return false;
    *c = (struct motet_call){.pc = frame.pc, .place = source_pc(&frame)};
    const struct image_symbol *f = image_symbol_at(i, c->place);
    snprintf(c->function, sizeof c->function, "??");
    if (f)
        image_readable(f->name, c->function, sizeof c->function);
    if (image_row_at(i, c->place, &row)) {
        c->file = row.file;
        c->line = row.line;
    }
    return true;
}

/* ---- source ---- */

size_t motet_machine_files(const motet_machine *m, const char **files, size_t count)
{
    return image_files(m->machine->image, files, count);
}

size_t motet_machine_lines(const motet_machine *m, const char *file, unsigned *line, uint32_t *addresses, size_t count)
{
    unsigned wanted = *line;
    for (const char *end = file; end; end = strchr(end, '/') ? strchr(end, '/') + 1 : NULL) {
        unsigned found = wanted;
        size_t places = *end ? image_line_places(m->machine->image, end, &found, addresses, count) : 0;
        if (places) {
            *line = found;
            return places;
        }
    }
    return 0;
}

bool motet_machine_body(const motet_machine *m, const char *function, uint32_t *address)
{
    return source_body(m->machine->image, function, address);
}

const char *motet_source_path(const char *file)
{
    return source_path(file);
}

bool motet_node_instruction(const motet_node *n, uint32_t address, struct motet_instruction *i)
{
    uint8_t now[sizeof i->bytes];
    if (!motet_machine_instruction(n->machine, address, i))
        return false;
    size_t count = space_read(n->node, address, now, sizeof now);
    if (count < i->size || memcmp(now, i->bytes, i->size) == 0)
        return true;
    unsigned size = n->node->machine->chip->isa->disassemble(now, count, address, i->text, sizeof i->text);
    i->kind = MOTET_CODE_INSTRUCTION;
    i->size = size && size <= count ? size : 1;
    memcpy(i->bytes, now, i->size);
    return true;
}

/* ---- making values ---- */

static motet_variable *variable_new(const struct value_scope *at, const char *name, const char *expression)
{
    motet_variable *v = memory_new(sizeof *v);
    v->at = *at;
    v->reg = VARIABLE_NO_REGISTER;
    snprintf(v->name, sizeof v->name, "%s", name);
    if (strlen(expression) < sizeof v->expression)
        snprintf(v->expression, sizeof v->expression, "%s", expression);
    return v;
}

void motet_variable_free(motet_variable *v)
{
    free(v);
}

motet_variable *motet_variable_find(const motet_node *n, size_t level, const char *expression, struct motet_error *e)
{
    struct value_scope at = {n->node, level};
    const struct isa *isa = n->node->machine->chip->isa;
    motet_variable *v = variable_new(&at, expression, expression);
    for (unsigned i = 0; expression[0] == '$' && i < isa->registers; i++)
        if (strcasecmp(expression + 1, isa->register_name(i)) == 0)
            v->reg = (int)i;
    if (value_find(&at, expression, &v->value, e))
        return v;
    motet_variable_free(v);
    return NULL;
}

static motet_variable *variable_of_local(const struct value_scope *at, const struct debug_local *l,
                                         struct debug_scope *scope)
{
    motet_variable *v = variable_new(at, debug_local_name(l), debug_local_name(l));
    v->value.object = true;
    scope->held_count = 0;
    v->missing = !debug_local_find(at->node->machine->image, l, scope, value_memory, at->node, &v->value.address,
                                   &v->value.type);
    v->value.scope = *scope;
    v->value.scope.frame = NULL; /* it is on this function's stack */
    return v;
}

static size_t variable_locals(const struct value_scope *at, size_t first, motet_variable **variables, size_t count)
{
    const struct debug_local *locals[VARIABLE_LOCALS];
    struct debug_frame frame;
    struct debug_scope scope;
    size_t number = 0;
    if (!value_frame(at, &frame, &scope))
        return 0;
    size_t all = debug_locals_at(at->node->machine->image, source_pc(&frame), locals, VARIABLE_LOCALS);
    all = all < VARIABLE_LOCALS ? all : VARIABLE_LOCALS;
    for (unsigned others = 0; others < 2; others++)
        for (size_t i = 0; i < all; i++) {
            if (debug_local_is_parameter(locals[i]) == others)
                continue;
            if (number >= first && number - first < count)
                variables[number - first] = variable_of_local(at, locals[i], &scope);
            number++;
        }
    return number;
}

/* By the last component, as in `file.c::name`: tables of lines and of variables may spell folders differently. */
static bool variable_same_file(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    return strcmp(end_a ? end_a + 1 : a, end_b ? end_b + 1 : b) == 0;
}

static bool variable_is_shown(const struct debug_variable *v, enum motet_variables which, const char *file)
{
    if (which == MOTET_VARIABLES_GLOBALS)
        return v->global;
    return which == MOTET_VARIABLES_DEVICES || (!v->global && (!file || !v->file || variable_same_file(v->file, file)));
}

static size_t variable_fixed(const struct value_scope *at, enum motet_variables which, size_t first,
                             motet_variable **variables, size_t count)
{
    const struct image *i = at->node->machine->image;
    const struct debug_variable *all;
    struct debug_frame frame;
    struct image_row row = {.file = NULL};
    uint32_t cfa;
    size_t total = which == MOTET_VARIABLES_DEVICES ? debug_registers(i, &all) : debug_variables(i, &all), number = 0;
    if (which == MOTET_VARIABLES_STATICS && frames_find(at->node, at->level, &frame, &cfa))
        image_row_at(i, source_pc(&frame), &row);
    for (size_t k = 0; k < total; k++) {
        if (!variable_is_shown(&all[k], which, row.file))
            continue;
        if (number >= first && number - first < count) {
            char name[VARIABLE_NAME];
            snprintf(name, sizeof name, "%s%s%s", all[k].function ? all[k].function : "", all[k].function ? "::" : "",
                     all[k].name);
            motet_variable *v = variable_new(at, name, name);
            v->value = (struct value){.object = true, .type = all[k].type, .address = all[k].address};
            variables[number - first] = v;
        }
        number++;
    }
    return number;
}

static motet_variable *variable_of_register(const struct value_scope *at, unsigned number)
{
    const char *name = at->node->machine->chip->isa->register_name(number);
    char expression[32];
    uint32_t is = 0;
    snprintf(expression, sizeof expression, "$%s", name);
    motet_variable *v = variable_new(at, name, expression);
    v->reg = (int)number;
    v->missing = !value_register(at, number, &is);
    v->value.number = is;
    return v;
}

size_t motet_node_variables(const motet_node *n, size_t level, enum motet_variables which, size_t first,
                            motet_variable **variables, size_t count)
{
    struct value_scope at = {n->node, level};
    if (which == MOTET_VARIABLES_LOCALS)
        return variable_locals(&at, first, variables, count);
    if (which != MOTET_VARIABLES_REGISTERS)
        return variable_fixed(&at, which, first, variables, count);
    unsigned all = n->node->machine->chip->isa->registers;
    for (size_t i = first; i < all && i - first < count; i++)
        variables[i - first] = variable_of_register(&at, (unsigned)i);
    return all;
}

/* ---- members ---- */

size_t motet_variable_members(const motet_variable *v, enum motet_members *kind)
{
    static const enum motet_members kinds[] = {[MEMBERS_NONE] = MOTET_MEMBERS_NONE,
                                               [MEMBERS_FIELDS] = MOTET_MEMBERS_FIELDS,
                                               [MEMBERS_ELEMENTS] = MOTET_MEMBERS_ELEMENTS,
                                               [MEMBERS_TARGET] = MOTET_MEMBERS_TARGET};
    enum members_kind is = MEMBERS_NONE;
    size_t count = v->missing ? 0 : members_count(&v->at, &v->value, &is);
    *kind = kinds[is];
    return count;
}

motet_variable *motet_variable_member(const motet_variable *v, size_t number)
{
    struct value member;
    char name[VARIABLE_NAME], expression[VARIABLE_NAME];
    members_at(&v->at, &v->value, v->expression, number, &member, name, expression, sizeof name);
    motet_variable *m = variable_new(&v->at, name, strlen(expression) + 1 < sizeof expression ? expression : "");
    m->value = member;
    return m;
}

/* ---- what it is ---- */

const char *motet_variable_name(const motet_variable *v)
{
    return v->name;
}

const char *motet_variable_expression(const motet_variable *v)
{
    return v->expression;
}

const char *motet_variable_type(const motet_variable *v)
{
    return v->value.object && !v->missing ? v->value.type->name : "";
}

/* The text that a pointer to characters leads to, as far as it is one. */
static void variable_add_string(const motet_variable *v, char *text, size_t size)
{
    enum { VARIABLE_STRING = 60 };
    const struct debug_type *t = v->value.object ? v->value.type : NULL;
    struct line l = {text, size, strlen(text)};
    uint32_t address;
    char c = 0;
    if (!t || t->kind != DEBUG_POINTER || !t->of || t->of->kind != DEBUG_CHAR || !motet_variable_address(v, &address) ||
        !address || !value_memory(v->at.node, address, &c, 1))
        return;
    line_say(&l, " \"");
    for (unsigned i = 0; i < VARIABLE_STRING && value_memory(v->at.node, address + i, &c, 1) && c; i++)
        line_say(&l, isprint((unsigned char)c) ? "%c" : "\\%03o", (unsigned char)c);
    line_say(&l, c ? "\"..." : "\"");
}

void motet_variable_text(const motet_variable *v, char format, char *text, size_t size)
{
    if (v->missing)
        snprintf(text, size, v->reg >= 0 ? "<unavailable>" : "<optimised out>");
    else if (v->reg >= 0 && !format)
        snprintf(text, size, "0x%" PRIx32 " (%" PRIu32 ")", (uint32_t)v->value.number, (uint32_t)v->value.number);
    else
        value_text(&v->at, &v->value, format, text, size);
    if (!v->missing && !format)
        variable_add_string(v, text, size);
}

bool motet_variable_place(const motet_variable *v, uint32_t *address, uint32_t *size)
{
    if (!v->value.object || v->missing || v->value.address >= DEBUG_HELD)
        return false;
    *address = v->value.address;
    *size = value_size(&v->value);
    return true;
}

bool motet_variable_address(const motet_variable *v, uint32_t *address)
{
    struct motet_error ignored;
    int64_t number;
    bool points = !v->value.object || (!v->missing && v->value.type->kind == DEBUG_POINTER);
    if (!points || !value_number(&v->at, &v->value, &number, &ignored) || number < 0 || number > UINT32_MAX)
        return false;
    *address = (uint32_t)number;
    return true;
}

/* ---- setting ---- */

static bool variable_set_register(motet_variable *v, motet_timeline *t, uint32_t node, const char *text,
                                  struct motet_error *e)
{
    struct value from;
    int64_t number;
    if (v->at.level)
        return error_set(e, "a register of a caller cannot be set: the functions it called have saved it somewhere");
    if (!value_find(&v->at, text, &from, e) || !value_number(&v->at, &from, &number, e))
        return false;
    struct motet_input i = {.kind = MOTET_INPUT_REGISTER, .where = (uint32_t)v->reg, .value = (uint32_t)number};
    if (!motet_timeline_give(t, node, &i))
        return error_set(e, "the node has ended, or has no such register; go back before you change it");
    uint32_t is = 0;
    v->missing = !value_register(&v->at, (unsigned)v->reg, &is);
    v->value = (struct value){.number = is};
    return true;
}

bool motet_variable_set(motet_variable *v, motet_timeline *t, uint32_t node, const char *text, struct motet_error *e)
{
    struct assignment a;
    if (v->reg >= 0)
        return variable_set_register(v, t, node, text, e);
    if (v->missing)
        return error_set(e, "the compiler has optimised it out");
    if (!assign_make(&v->at, &v->value, text, &a, e))
        return false;
    struct motet_input i = {.kind = MOTET_INPUT_DATA, .where = a.data, .bytes = a.bytes, .size = a.size};
    return motet_timeline_give(t, node, &i) || error_set(e, "the node has ended; go back before you change it");
}
