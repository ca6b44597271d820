/* Expressions that name a value:
 *     value  = "*" value | place
 *     place  = ( name | "(" value ")" ) { "[" index "]" | "." name | "->" name }
 *     name   = [ ( function | file ) "::" ] identifier
 *     index  = number | value
 */
#include "image/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { NESTING_LIMIT = 32, NAME_LIMIT = 200, LOCALS_SEEN = 128 };

struct value {
    uint32_t address;
    const struct debug_type *type;
    struct debug_field bits; /* bit_size 0 if it is not a bit-field */
};

struct resolver {
    const struct image *image;
    struct debug_scope *scope; /* or NULL */
    const char *start, *at;
    debug_read *read;
    void *context;
    int nesting;
    struct motet_error *e;
};

static bool value_parse(struct resolver *r, struct value *v);

static char debug_resolve_peek(struct resolver *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
    return *r->at;
}

static bool debug_resolve_accept(struct resolver *r, const char *token)
{
    debug_resolve_peek(r);
    size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* What has been read so far, for messages: `head->next`. */
static int so_far(const struct resolver *r)
{
    size_t length = (size_t)(r->at - r->start);
    return length < NAME_LIMIT ? (int)length : NAME_LIMIT;
}

static bool debug_resolve_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool name_read(struct resolver *r, char name[NAME_LIMIT], bool qualified)
{
    debug_resolve_peek(r);
    const char *end = r->at;
    while (debug_resolve_is_name(*end))
        end++;
    const char *colons = qualified ? strstr(r->at, "::") : NULL;
    if (colons) { /* the part before them that can be a file's or function's name */
        const char *c = r->at;
        while (debug_resolve_is_name(*c) || *c == '.' || *c == '-' || *c == '+')
            c++;
        if (c == colons)
            for (end = colons + 2; debug_resolve_is_name(*end) || (end[0] == ':' && end[1] == ':');)
                end += *end == ':' ? 2 : 1;
    }
    size_t length = (size_t)(end - r->at);
    if (length == 0 || isdigit((unsigned char)*r->at))
        return error_set(r->e, "a name is expected at `%.40s`", *r->at ? r->at : "the end");
    if (length >= NAME_LIMIT)
        return error_set(r->e, "a name of %zu characters is longer than any here", length);
    memcpy(name, r->at, length);
    name[length] = 0;
    r->at = end;
    return true;
}

/* `function::name`: the function's own variables, or functions if there is none of that name. */
static bool no_such_local(struct resolver *r, const char *name, const char *colons)
{
    const struct image *i = r->image;
    char function[NAME_LIMIT];
    snprintf(function, sizeof function, "%.*s", (int)(colons - name), name);
    const struct image_symbol *s = image_symbol_named(i, function);
    bool known = s && s->kind == IMAGE_SYMBOL_FUNCTION;
    struct nearest n = {.wanted = known ? colons + 2 : function};
    for (size_t k = 0; known && k < i->local_count; k++)
        if (i->locals[k].range_count && i->locals[k].ranges[0].start - s->address < s->size) {
            if (strcmp(i->locals[k].name, n.wanted) == 0)
                return error_set(r->e, "`%s` is a local variable of `%s`, which is not under way here", n.wanted,
                                 function);
            nearest_offer(&n, i->locals[k].name);
        }
    for (size_t k = 0; !known && k < i->symbol_count; k++)
        if (i->symbols[k].kind == IMAGE_SYMBOL_FUNCTION)
            nearest_offer(&n, i->symbols[k].name);
    if (known)
        error_set(r->e, "the function `%s` has no variable `%s`", function, colons + 2);
    else
        error_set(r->e, "there is no function or file `%s` with a variable `%s`", function, colons + 2);
    nearest_suggest(&n, r->e);
    return false;
}

static bool no_such_variable(struct resolver *r, const char *name)
{
    const struct image *i = r->image;
    const char *colons = strstr(name, "::");
    if (i->variable_count == i->register_count && !i->line_count)
        return error_set(r->e, "%s says nothing about variables; compile it with -gdwarf-4", i->path);
    if (i->variable_count == i->register_count)
        return error_set(r->e,
                         "%s says nothing about variables, only about lines: plain -g makes such debug information "
                         "(stabs) with avr-gcc up to 12; compile it with -gdwarf-4",
                         i->path);
    if (image_symbol_named(i, name))
        return error_set(r->e, "`%s` is a symbol, but not a variable of known type", name);
    if (colons && !strchr(name, '.'))
        return no_such_local(r, name, colons);
    error_set(r->e, "there is no global or static variable `%s`", name);
    struct nearest n = {.wanted = colons ? colons + 2 : name};
    for (size_t k = 0; k < i->variable_count; k++)
        nearest_offer(&n, i->variable_names[k]->name);
    nearest_suggest(&n, r->e);
    return false;
}

static bool value_read(struct resolver *r, uint32_t address, void *to, uint32_t size)
{
    return debug_scope_read(r->scope, r->read, r->context, address, to, size);
}

static bool pointer_follow(struct resolver *r, struct value *v)
{
    uint8_t bytes[8] = {0};
    int64_t target;
    const struct debug_type *of = v->type->of;
    if (v->bits.bit_size || v->type->kind != DEBUG_POINTER || !of || v->type->size > sizeof bytes)
        return error_set(r->e, "`%.*s` is not a pointer but `%s`", so_far(r), r->start, v->type->name);
    if (!value_read(r, v->address, bytes, v->type->size))
        return error_set(r->e, "the pointer `%.*s` at 0x%x cannot be read", so_far(r), r->start, v->address);
    if (!debug_number(v->type, NULL, bytes, &target) || target == 0)
        return error_set(r->e, "`%.*s` is a null pointer", so_far(r), r->start);
    v->address = (uint32_t)target;
    const struct image_target *t = r->image->target;
    v->address = of->kind == DEBUG_FUNCTION ? v->address * t->code_unit : v->address + t->data_space;
    v->type = of;
    return true;
}

static bool index_parse(struct resolver *r, int64_t *index)
{
    char c = debug_resolve_peek(r);
    if (isdigit((unsigned char)c) || c == '-') {
        char *end;
        *index = strtoll(r->at, &end, 0);
        if (end == r->at)
            return error_set(r->e, "a number is expected at `%.40s`", r->at);
        r->at = end;
        return true;
    }
    struct value v;
    const char *start = r->at;
    if (!value_parse(r, &v))
        return false;
    uint8_t bytes[9] = {0};
    uint32_t size = v.bits.bit_size ? (v.bits.bit_offset + v.bits.bit_size + 7u) / 8 : v.type->size;
    if (size > sizeof bytes || v.type->kind == DEBUG_POINTER || !value_read(r, v.address, bytes, size) ||
        !debug_number(v.type, &v.bits, bytes, index))
        return error_set(r->e, "`%.*s` cannot be used as an index", (int)(r->at - start), start);
    return true;
}

static bool element_take(struct resolver *r, struct value *v)
{
    struct value base = *v;
    int before = so_far(r) - 1;
    int64_t index;
    if (!index_parse(r, &index))
        return false;
    if (!debug_resolve_accept(r, "]"))
        return error_set(r->e, "`]` is missing in `%.200s`", r->start);
    if (base.type->kind == DEBUG_POINTER) {
        if (!pointer_follow(r, &base))
            return false;
    } else if (base.type->kind == DEBUG_ARRAY) {
        if (base.type->count && (index < 0 || index >= base.type->count))
            return error_set(r->e, "`%.*s` has %u elements; there is no [%lld]", before, r->start, base.type->count,
                             (long long)index);
        base.type = base.type->of;
    } else {
        return error_set(r->e, "`%.*s` is not an array but `%s`", before, r->start, base.type->name);
    }
    if (base.type->size == 0 || index > IMAGE_ADDRESS_LIMIT || index < -(int64_t)IMAGE_ADDRESS_LIMIT)
        return error_set(r->e, "the place of `%.*s` cannot be computed", so_far(r), r->start);
    *v = (struct value){.address = base.address + (uint32_t)(index * base.type->size), .type = base.type};
    return true;
}

/* Looks for a member, in anonymous ones too; `offset` is that of the structure it is found in. */
static const struct debug_field *field_named(const struct debug_type *type, const char *name, uint32_t *offset,
                                             int depth)
{
    for (uint32_t n = 0; n < type->field_count; n++)
        if (strcmp(type->fields[n].name, name) == 0)
            return &type->fields[n];
    for (uint32_t n = 0; n < type->field_count && depth < 4; n++) {
        const struct debug_field *f = &type->fields[n], *found;
        if (f->name[0] || (f->type->kind != DEBUG_STRUCT && f->type->kind != DEBUG_UNION))
            continue;
        found = field_named(f->type, name, offset, depth + 1);
        if (found) {
            *offset += f->offset;
            return found;
        }
    }
    return NULL;
}

static bool no_such_field(struct resolver *r, const struct debug_type *type, const char *name)
{
    error_set(r->e, "`%s` has no member `%s`", type->name[0] ? type->name : "the structure", name);
    struct nearest n = {.wanted = name};
    for (uint32_t k = 0; k < type->field_count; k++)
        nearest_offer(&n, type->fields[k].name);
    if (n.count) {
        nearest_suggest(&n, r->e);
        return false;
    }
    size_t used = strlen(r->e->text);
    for (uint32_t k = 0; k < type->field_count && k < 12 && used < sizeof r->e->text; k++)
        used += (size_t)snprintf(r->e->text + used, sizeof r->e->text - used, "%s%s", k ? ", " : "; it has ",
                                 type->fields[k].name[0] ? type->fields[k].name : "{...}");
    return false;
}

static bool member_take(struct resolver *r, struct value *v, const char *separator)
{
    char name[NAME_LIMIT];
    if (v->type->kind != DEBUG_STRUCT && v->type->kind != DEBUG_UNION)
        return error_set(r->e, "`%.*s` has no members: it is `%s`", so_far(r), r->start, v->type->name);
    if (!debug_resolve_accept(r, separator) || !name_read(r, name, false))
        return false;
    uint32_t offset = 0;
    const struct debug_field *f = field_named(v->type, name, &offset, 0);
    if (!f)
        return no_such_field(r, v->type, name);
    *v = (struct value){.address = v->address + offset + f->offset, .type = f->type};
    if (f->bit_size) {
        v->bits = *f;
        v->bits.offset = 0;
    }
    return true;
}

static bool local_resolve(struct resolver *r, const struct debug_local *l, struct value *v)
{
    if (debug_local_find(r->image, l, r->scope, r->read, r->context, &v->address, &v->type))
        return true;
    return error_set(r->e, "`%s` has no value here: the compiler has optimised it out", debug_local_name(l));
}

/* `name` without the function before it, where the scope is in that function. */
static const char *own_name(const struct resolver *r, const char *name)
{
    const char *colons = strstr(name, "::");
    const struct image_symbol *s =
        colons ? image_symbol_at(r->image, r->scope->frame->pc - r->scope->frame->after_call) : NULL;
    bool here = s && strlen(s->name) == (size_t)(colons - name) && strncmp(s->name, name, strlen(s->name)) == 0;
    return here ? colons + 2 : name;
}

static bool name_resolve(struct resolver *r, const char *name, struct value *v)
{
    const struct debug_local *locals[LOCALS_SEEN];
    size_t count =
        r->scope ? debug_locals_at(r->image, r->scope->frame->pc - r->scope->frame->after_call, locals, LOCALS_SEEN)
                 : 0;
    const char *own = count ? own_name(r, name) : name;
    for (size_t n = 0; n < count && n < LOCALS_SEEN; n++)
        if (strcmp(debug_local_name(locals[n]), own) == 0)
            return local_resolve(r, locals[n], v);
    const struct debug_variable *variable = debug_variable_named(r->image, name);
    if (!variable)
        return no_such_variable(r, name);
    *v = (struct value){.address = variable->address, .type = variable->type};
    return true;
}

static bool place_parse(struct resolver *r, struct value *v)
{
    if (debug_resolve_accept(r, "(")) {
        if (!value_parse(r, v))
            return false;
        if (!debug_resolve_accept(r, ")"))
            return error_set(r->e, "`)` is missing in `%.200s`", r->start);
    } else {
        char name[NAME_LIMIT];
        if (!name_read(r, name, true))
            return false;
        if (!name_resolve(r, name, v))
            return false;
    }
    for (;;) {
        bool taken;
        if (debug_resolve_accept(r, "["))
            taken = element_take(r, v);
        else if (strncmp(r->at, "->", 2) == 0)
            taken = pointer_follow(r, v) && member_take(r, v, "->");
        else if (*r->at == '.')
            taken = member_take(r, v, ".");
        else
            return true;
        if (!taken)
            return false;
    }
}

static bool value_parse(struct resolver *r, struct value *v)
{
    static const struct debug_type nothing = {.kind = DEBUG_VOID, .name = "void"};
    *v = (struct value){.type = &nothing};
    if (++r->nesting > NESTING_LIMIT)
        return error_set(r->e, "the expression is nested too deeply");
    bool parsed = debug_resolve_accept(r, "*") ? value_parse(r, v) && pointer_follow(r, v) : place_parse(r, v);
    r->nesting--;
    return parsed;
}

bool debug_resolve(const struct image *i, const char *expression, debug_read *read, void *context, uint32_t *address,
                   const struct debug_type **type, struct debug_field *bit_field, struct motet_error *e)
{
    return debug_resolve_in(i, NULL, expression, read, context, address, type, bit_field, e);
}

bool debug_resolve_in(const struct image *i, struct debug_scope *scope, const char *expression, debug_read *read,
                      void *context, uint32_t *address, const struct debug_type **type, struct debug_field *bit_field,
                      struct motet_error *e)
{
    struct resolver r = {
        .image = i, .scope = scope, .start = expression, .at = expression, .read = read, .context = context, .e = e};
    struct value v;
    if (!value_parse(&r, &v))
        return false;
    if (debug_resolve_peek(&r))
        return error_set(e, "`%.40s` after `%.*s` is not understood", r.at, so_far(&r), r.start);
    *address = v.address;
    *type = v.type;
    if (bit_field)
        *bit_field = v.bits;
    return true;
}
