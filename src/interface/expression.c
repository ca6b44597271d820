#include "interface/expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRESSION_DEPTH = 32, EXPRESSION_SIZE_MAX = 4096, EXPRESSION_NAME = 80 };

static const struct debug_type expression_int = {.kind = DEBUG_SIGNED, .name = "int", .size = 8};
static const struct debug_type expression_byte = {.kind = DEBUG_UNSIGNED, .name = "byte", .size = 1};

/* A value, or something in memory (`in_memory`: at `value`). */
struct operand {
    const struct debug_type *type;
    bool in_memory;
    int64_t value;
};

struct expression {
    const char *text, *at;
    const struct expression_call *call;
    struct motet_error *e;
    bool failed, uses_result;
    unsigned depth;
};

static struct operand expression_fail(struct expression *x, const char *what)
{
    if (!x->failed)
        error_set(x->e, "`%s`: %s", x->text, what);
    x->failed = true;
    return (struct operand){.type = &expression_int};
}

static void expression_space(struct expression *x)
{
    while (isspace((unsigned char)*x->at))
        x->at++;
}

static bool expression_take(struct expression *x, const char *token)
{
    expression_space(x);
    if (strncmp(x->at, token, strlen(token)) != 0)
        return false;
    x->at += strlen(token);
    return true;
}

static bool expression_name(struct expression *x, char name[EXPRESSION_NAME])
{
    size_t length = 0;
    expression_space(x);
    if (!isalpha((unsigned char)*x->at) && *x->at != '_')
        return false;
    while ((isalnum((unsigned char)x->at[length]) || x->at[length] == '_') && length < EXPRESSION_NAME - 1)
        length++;
    memcpy(name, x->at, length);
    name[length] = 0;
    x->at += length;
    return true;
}

/* The bytes at an address as a number. */
static int64_t expression_load(struct expression *x, const struct debug_type *type, uint32_t address)
{
    uint8_t bytes[EXPRESSION_VALUE] = {0};
    int64_t value = 0;
    if (type->size > sizeof bytes || !debug_number(type, NULL, bytes, &value))
        expression_fail(x, "a part of it is no number");
    else if (!x->call->parameters)
        return 1;
    else if (!x->call->read(x->call->context, address, bytes, type->size))
        expression_fail(x, "it leads to where there is no memory");
    else
        debug_number(type, NULL, bytes, &value);
    return value;
}

static struct operand expression_value(struct expression *x, struct operand o)
{
    if (!o.in_memory || o.type->kind == DEBUG_ARRAY || x->failed)
        return o;
    return (struct operand){.type = o.type, .value = expression_load(x, o.type, (uint32_t)o.value)};
}

/* What a pointer points to, or an array's element. */
static struct operand expression_at(struct expression *x, struct operand o, int64_t index)
{
    o = expression_value(x, o);
    if (o.type->kind != DEBUG_POINTER && o.type->kind != DEBUG_ARRAY)
        return expression_fail(x, "a part of it is no pointer");
    const struct debug_type *of = o.type->of->kind == DEBUG_VOID ? &expression_byte : o.type->of;
    return (struct operand){.type = of, .in_memory = true, .value = o.value + index * (int64_t)of->size};
}

static struct operand expression_member(struct expression *x, struct operand o)
{
    char name[EXPRESSION_NAME], what[EXPRESSION_NAME + 80];
    if (!expression_name(x, name))
        return expression_fail(x, "the name of a member is missing");
    for (uint32_t i = 0; o.in_memory && i < o.type->field_count; i++) {
        const struct debug_field *f = &o.type->fields[i];
        if (strcmp(f->name, name) == 0 && !f->bit_size)
            return (struct operand){.type = f->type, .in_memory = true, .value = o.value + f->offset};
    }
    snprintf(what, sizeof what, "%.60s has no member %s", o.type->name, name);
    return expression_fail(x, what);
}

static struct operand expression_parameter(struct expression *x, const char *name)
{
    const struct debug_type *f = x->call->function;
    char what[EXPRESSION_NAME + 40];
    if (strcmp(name, "result") == 0) {
        x->uses_result = true;
        return (struct operand){.type = f->of, .value = x->call->result ? (int64_t)*x->call->result : 1};
    }
    for (uint32_t i = 0; i < f->field_count; i++) {
        const char *own = x->call->names ? x->call->names[i] : f->fields[i].name;
        const struct debug_type *type = f->fields[i].type;
        int64_t value = 1;
        if (!own || strcmp(own, name) != 0)
            continue;
        if (x->call->parameters && type->size <= EXPRESSION_VALUE)
            debug_number(type, NULL, &x->call->parameters[i], &value);
        return (struct operand){.type = type, .value = value};
    }
    snprintf(what, sizeof what, "the function has no parameter %s", name);
    return expression_fail(x, what);
}

static struct operand expression_sum(struct expression *x);

static struct operand expression_primary(struct expression *x)
{
    char name[EXPRESSION_NAME];
    struct operand o;
    expression_space(x);
    if (isdigit((unsigned char)*x->at)) {
        char *end;
        o = (struct operand){.type = &expression_int, .value = strtoll(x->at, &end, 0)};
        x->at = end;
        return o;
    }
    if (expression_take(x, "(")) {
        o = expression_sum(x);
        return expression_take(x, ")") ? o : expression_fail(x, "a ) is missing");
    }
    if (expression_name(x, name))
        return expression_parameter(x, name);
    return expression_fail(x, "something is missing, or not understood");
}

static struct operand expression_postfix(struct expression *x)
{
    struct operand o = expression_primary(x);
    while (!x->failed) {
        if (expression_take(x, "->")) {
            o = expression_member(x, expression_at(x, o, 0));
        } else if (expression_take(x, ".")) {
            o = expression_member(x, o);
        } else if (expression_take(x, "[")) {
            struct operand index = expression_value(x, expression_sum(x));
            o = expression_at(x, o, index.value);
            if (!expression_take(x, "]"))
                expression_fail(x, "a ] is missing");
        } else {
            break;
        }
    }
    return o;
}

static struct operand expression_unary(struct expression *x)
{
    struct operand o;
    if (++x->depth > EXPRESSION_DEPTH)
        return expression_fail(x, "it is nested too deeply");
    o = expression_take(x, "*") ? expression_at(x, expression_unary(x), 0) : expression_postfix(x);
    x->depth--;
    return o;
}

static struct operand expression_product(struct expression *x)
{
    struct operand o = expression_unary(x);
    while (!x->failed && expression_take(x, "*")) {
        struct operand right = expression_value(x, expression_unary(x));
        o = (struct operand){.type = &expression_int, .value = expression_value(x, o).value * right.value};
    }
    return o;
}

static struct operand expression_add(struct expression *x, struct operand o, int64_t sign)
{
    struct operand right = expression_value(x, expression_product(x));
    o = expression_value(x, o);
    if (o.type->kind == DEBUG_POINTER || o.type->kind == DEBUG_ARRAY) {
        uint32_t unit = o.type->of->size ? o.type->of->size : 1;
        o.value += sign * right.value * (int64_t)unit;
        return o;
    }
    return (struct operand){.type = &expression_int, .value = o.value + sign * right.value};
}

static struct operand expression_sum(struct expression *x)
{
    struct operand o;
    if (++x->depth > EXPRESSION_DEPTH)
        return expression_fail(x, "it is nested too deeply");
    o = expression_product(x);
    while (!x->failed) {
        expression_space(x);
        if (*x->at == '+' || (*x->at == '-' && x->at[1] != '>'))
            o = expression_add(x, o, *x->at++ == '+' ? 1 : -1);
        else
            break;
    }
    x->depth--;
    return o;
}

/* ---- bytes ---- */

/* The bracket that the last one of the text closes: what is in it is a number of elements. NULL: it does not end in
 * one. */
static const char *expression_size_bracket(const char *text)
{
    size_t end = strlen(text);
    int open = 0;
    while (end && isspace((unsigned char)text[end - 1]))
        end--;
    if (!end || text[end - 1] != ']')
        return NULL;
    for (const char *at = text + end; at-- > text;) {
        open += *at == ']';
        open -= *at == '[';
        if (!open)
            return at;
    }
    return NULL;
}

static struct operand expression_whole(struct expression *x, const char *text)
{
    x->at = text;
    struct operand o = expression_sum(x);
    expression_space(x);
    if (!x->failed && *x->at)
        expression_fail(x, "something is missing, or not understood");
    return o;
}

static void expression_piece(char *to, size_t room, const char *from, size_t length)
{
    snprintf(to, room, "%.*s", (int)length, from);
}

bool expression_bytes(const char *text, const struct expression_call *call, struct expression_bytes *b,
                      struct motet_error *e)
{
    struct expression x = {.text = text, .call = call, .e = e};
    const char *bracket = expression_size_bracket(text);
    char piece[256];
    int64_t count = 1;
    struct operand o;
    if (strlen(text) >= sizeof piece)
        return error_set(e, "`%.60s...`: it is too long", text);
    if (bracket) {
        expression_piece(piece, sizeof piece, bracket + 1, strrchr(text, ']') - bracket - 1);
        count = expression_value(&x, expression_whole(&x, piece)).value;
        expression_piece(piece, sizeof piece, text, (size_t)(bracket - text));
        o = x.failed ? (struct operand){.type = &expression_int} : expression_at(&x, expression_whole(&x, piece), 0);
    } else {
        o = expression_whole(&x, text);
        if (!x.failed && !o.in_memory)
            expression_fail(&x, "it has no size; write how many elements there are, as in data[length]");
    }
    if (x.failed)
        return false;
    if (!o.type->size)
        return error_set(e, "`%s`: the size of %s is not known", text, o.type->name);
    int64_t size = count * (int64_t)o.type->size;
    if (size < 0 || size > EXPRESSION_SIZE_MAX)
        return error_set(e, "`%s`: its size is %lld bytes, which is not sensible", text, (long long)size);
    *b = (struct expression_bytes){(uint32_t)o.value, (uint32_t)size, o.type, x.uses_result};
    return true;
}

/* ---- places of numbers ---- */

bool expression_place(const char *text, const struct expression_call *call, struct expression_place *p,
                      struct motet_error *e)
{
    struct expression x = {.text = text, .at = text, .call = call, .e = e};
    char name[EXPRESSION_NAME];
    *p = (struct expression_place){.result = false};
    if (!expression_name(&x, name))
        return error_set(e, "`%s`: it does not begin with a parameter or `result`", text);
    struct operand o = expression_parameter(&x, name);
    p->result = x.uses_result;
    for (uint32_t i = 0; !p->result && i < call->function->field_count; i++)
        if (strcmp(call->names ? call->names[i] : call->function->fields[i].name, name) == 0)
            p->parameter = i;
    if (!x.failed && expression_take(&x, "->")) {
        o = expression_at(&x, o, 0);
        o.value = 0;
        p->indirect = true;
        do
            o = expression_member(&x, o);
        while (!x.failed && expression_take(&x, "."));
        p->offset = (uint32_t)o.value;
    }
    expression_space(&x);
    if (!x.failed && *x.at)
        expression_fail(&x, "it must be a parameter, `result`, or a member of what a parameter points to");
    p->size = o.type->size;
    if (!x.failed && (p->size == 0 || p->size > EXPRESSION_VALUE))
        expression_fail(&x, "it is no number");
    return !x.failed;
}
