#include "interface/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct interface_type buffers_type(const struct debug_type *t)
{
    static const enum interface_value_kind kinds[] = {
        [DEBUG_VOID] = INTERFACE_VOID,       [DEBUG_SIGNED] = INTERFACE_SIGNED, [DEBUG_UNSIGNED] = INTERFACE_UNSIGNED,
        [DEBUG_CHAR] = INTERFACE_CHAR,       [DEBUG_BOOL] = INTERFACE_BOOL,     [DEBUG_FLOAT] = INTERFACE_FLOAT,
        [DEBUG_POINTER] = INTERFACE_POINTER, [DEBUG_ARRAY] = INTERFACE_STRUCT,  [DEBUG_STRUCT] = INTERFACE_STRUCT,
        [DEBUG_UNION] = INTERFACE_STRUCT,    [DEBUG_ENUM] = INTERFACE_UNSIGNED, [DEBUG_FUNCTION] = INTERFACE_CODE,
    };
    bool code = t->kind == DEBUG_POINTER && t->of->kind == DEBUG_FUNCTION;
    return (struct interface_type){code ? INTERFACE_CODE : kinds[t->kind], t->size, t->name};
}

/* A function's buffers under construction. */
struct buffers {
    struct boundary *b;
    struct boundary_function *f;
    struct interface_function *to;
    size_t buffer_room, field_room;
};

static const char *buffers_keep(struct boundary *b, char *text)
{
    b->texts = memory_grow(b->texts, &b->text_room, b->text_count, sizeof *b->texts);
    b->texts[b->text_count++] = text;
    return text;
}

static struct interface_buffer *buffers_add(struct buffers *x, struct interface_buffer buffer)
{
    struct interface_function *to = x->to;
    if (to->buffer_count == INTERFACE_BYTES_MAX)
        return NULL;
    to->buffers = memory_grow(to->buffers, &x->buffer_room, to->buffer_count, sizeof *to->buffers);
    to->buffers[to->buffer_count] = buffer;
    return &to->buffers[to->buffer_count++];
}

/* ---- as described ---- */

static bool buffers_describe(struct buffers *x, const struct description *d, struct motet_error *e)
{
    for (uint32_t i = 0; i < d->buffer_count; i++) {
        struct expression_bytes bytes;
        struct interface_buffer buffer = d->buffers[i];
        if (!expression_bytes(buffer.expression, &x->f->call, &bytes, e))
            return error_prefix(e, "%s:%u: %s", d->file, d->line, x->to->name);
        if (bytes.uses_result)
            buffer.at_call = !(buffer.at_return = true);
        buffers_add(x, buffer);
    }
    return true;
}

static uint32_t buffers_of_object(const struct buffers *x, const char *name)
{
    for (uint32_t i = 0; i < x->to->buffer_count; i++)
        if (x->to->buffers[i].expression[0] == '*' && strcmp(x->to->buffers[i].expression + 1, name) == 0)
            return i;
    return UINT32_MAX;
}

static bool buffers_fields(struct buffers *x, const struct description *d, struct motet_error *e)
{
    for (uint32_t i = 0; i < d->field_count; i++) {
        struct expression_place p;
        if (!expression_place(d->fields[i].expression, &x->f->call, &p, e))
            return error_prefix(e, "%s:%u: %s", d->file, d->line, x->to->name);
        uint32_t index = p.indirect ? buffers_of_object(x, x->f->names[p.parameter]) : p.parameter;
        if (index == UINT32_MAX)
            return error_set(e, "%s:%u: %s: the object of `%s` is not logged; add *%s", d->file, d->line, x->to->name,
                             d->fields[i].expression, x->f->names[p.parameter]);
        x->to->fields = memory_grow(x->to->fields, &x->field_room, x->to->field_count, sizeof *x->to->fields);
        x->to->fields[x->to->field_count++] = (struct interface_field){
            .name = d->fields[i].name,
            .place = p.result     ? INTERFACE_IN_RESULT
                     : p.indirect ? INTERFACE_IN_BUFFER
                                  : INTERFACE_IN_PARAMETER,
            .index = p.result ? 0 : index,
            .offset = p.offset,
            .size = p.size,
        };
    }
    return true;
}

/* ---- as recognised ---- */

static bool buffers_is_byte(const struct debug_type *t)
{
    return t->kind == DEBUG_VOID ||
           (t->size == 1 && (t->kind == DEBUG_CHAR || t->kind == DEBUG_UNSIGNED || t->kind == DEBUG_SIGNED));
}

static bool buffers_is_length(const char *name, const struct debug_type *t)
{
    static const char *const names[] = {"length", "len", "size", "count", "n", "bytes", "nbytes", "num"};
    const char *last = strrchr(name, '_') ? strrchr(name, '_') + 1 : name;
    if (t->kind != DEBUG_UNSIGNED && t->kind != DEBUG_SIGNED && t->kind != DEBUG_CHAR)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(last, names[i]) == 0)
            return true;
    return false;
}

static bool buffers_is_pointer_to_bytes(const struct debug_type *t)
{
    return t->kind == DEBUG_POINTER && buffers_is_byte(t->of);
}

/* Whether an expression of the function begins at this parameter, so that nothing is to be recognised. */
static bool buffers_said(const struct buffers *x, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < x->to->buffer_count; i++) {
        const char *at = x->to->buffers[i].expression;
        at += strspn(at, "*( ");
        if (strncmp(at, name, length) == 0 && (!at[length] || strchr(" [)+", at[length])))
            return true;
    }
    return false;
}

static bool buffers_has(const struct buffers *x, const char *expression)
{
    for (uint32_t i = 0; i < x->to->buffer_count; i++)
        if (strcmp(x->to->buffers[i].expression, expression) == 0)
            return true;
    return false;
}

/* A pointer to bytes among a structure's members, with a length beside it. */
static void buffers_members(struct buffers *x, const char *name, const struct debug_type *object)
{
    for (uint32_t i = 0; i < object->field_count; i++)
        for (uint32_t k = 0; buffers_is_pointer_to_bytes(object->fields[i].type) && k < object->field_count; k++)
            if (buffers_is_length(object->fields[k].name, object->fields[k].type)) {
                char *text =
                    memory_format("%s->%s[%s->%s]", name, object->fields[i].name, name, object->fields[k].name);
                const char *kept = buffers_keep(x->b, text);
                if (!buffers_has(x, kept))
                    buffers_add(x, (struct interface_buffer){.expression = kept, .at_call = true});
                return;
            }
}

static bool buffers_refuse(const struct buffers *x, uint32_t i, struct motet_error *e)
{
    char list[200] = "";
    for (uint32_t k = 0; k < x->f->call.function->field_count; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", x->f->names[k]);
    return error_set(
        e,
        "%s:%u: `%s` of %s points to bytes, and nothing says how many; write a line `log %s(%s): %s[SIZE]` "
        "in an interface file, with a size of 0 to leave them out",
        x->to->file, x->to->line, x->f->names[i], x->to->name, x->to->name, list, x->f->names[i]);
}

static bool buffers_recognise(struct buffers *x, uint32_t i, struct motet_error *e)
{
    const struct debug_type *function = x->f->call.function, *t = function->fields[i].type;
    const char *name = x->f->names[i];
    bool object = t->kind == DEBUG_POINTER && (t->of->kind == DEBUG_STRUCT || t->of->kind == DEBUG_UNION);
    if (t->kind != DEBUG_POINTER || t->of->kind == DEBUG_FUNCTION)
        return true;
    if (!buffers_said(x, name)) {
        bool sized = i + 1 < function->field_count &&
                     buffers_is_length(function->fields[i + 1].name, function->fields[i + 1].type);
        char *text = NULL;
        if (!buffers_is_byte(t->of) && t->of->size)
            text = memory_format("*%s", name);
        else if (sized)
            text = memory_format("%s[%s]", name, x->f->names[i + 1]);
        else if (x->f->crosses && t->of->kind != DEBUG_STRUCT && t->of->kind != DEBUG_UNION)
            return buffers_refuse(x, i, e);
        if (text)
            buffers_add(x, (struct interface_buffer){
                               .expression = buffers_keep(x->b, text), .at_call = true, .at_return = true});
    }
    if (object)
        buffers_members(x, name, t->of);
    return true;
}

static bool buffers_of(struct buffers *x, const struct description *d, struct motet_error *e)
{
    uint32_t count = x->f->call.function->field_count;
    for (uint32_t i = 0; i < count; i++) {
        if (d && d->parameter_count != UINT32_MAX)
            x->f->names[i] = d->names[i];
        else if (!x->f->names[i][0])
            x->f->names[i] = buffers_keep(x->b, memory_format("p%u", i + 1));
    }
    x->f->call.names = x->f->names;
    if (d && !buffers_describe(x, d, e))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!buffers_recognise(x, i, e))
            return false;
    x->to->role = d ? d->role : INTERFACE_ROLE_NONE;
    return !d || buffers_fields(x, d, e);
}

bool buffers_apply(struct boundary *b, uint32_t function, const struct description *d, struct motet_error *e)
{
    struct buffers x = {.b = b, .f = &b->functions[function], .to = &b->header.functions[function]};
    return buffers_of(&x, d, e);
}

bool buffers_find(struct boundary *b, const struct descriptions *d, struct motet_error *e)
{
    for (uint32_t i = 0; i < b->header.function_count; i++) {
        struct buffers x = {.b = b, .f = &b->functions[i], .to = &b->header.functions[i]};
        if (x.f->opaque || x.f->side == BOUNDARY_EITHER || x.f->side == BOUNDARY_RECORDER)
            continue;
        if (!buffers_of(&x, descriptions_of(d, x.to->name, x.f->call.function), e))
            return false;
    }
    return true;
}
