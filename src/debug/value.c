#include "debug/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "debug/frames.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "record/replay.h"

enum { NESTING = 64, NAME = 200, GENERAL = 32 /* registers that have the same numbers in debug information */ };

struct parser {
    const struct value_scope *scope;
    const char *at;
    int nesting;
    struct motet_error *e;
};

bool value_memory(void *node, uint32_t address, void *to, uint32_t size)
{
    return space_read(node, address, to, size) == size;
}

bool value_frame(const struct value_scope *s, struct debug_frame *frame, struct debug_scope *scope)
{
    scope->frame = frame;
    scope->held_count = 0;
    return frames_find(s->node, s->level, frame, &scope->cfa);
}

/* ---- registers ---- */

bool value_register(const struct value_scope *s, unsigned number, uint32_t *value)
{
    const struct isa *isa = s->node->machine->chip->isa;
    const char *name = isa->register_name(number);
    struct debug_frame frame;
    struct debug_scope scope;
    *value = isa->get_register(s->node, number);
    if (s->level == 0)
        return true;
    if (!value_frame(s, &frame, &scope))
        return false;
    if (strcasecmp(name, "pc") == 0)
        *value = frame.pc;
    else if (strcasecmp(name, "sp") == 0)
        *value = frame.registers[isa->stack_register];
    else if (number < GENERAL)
        *value = frame.registers[number];
    else
        return false;
    return number >= GENERAL || strcasecmp(name, "pc") == 0 || !(frame.unknown >> number & 1);
}

/* ---- values ---- */

bool value_bytes(const struct value_scope *s, const struct value *v, uint8_t *bytes, uint32_t size)
{
    return debug_scope_read(&v->scope, value_memory, s->node, v->address, bytes, size);
}

uint32_t value_size(const struct value *v)
{
    if (!v->object)
        return 1;
    return v->bits.bit_size ? (v->bits.bit_offset + v->bits.bit_size + 7u) / 8 : v->type->size;
}

bool value_number(const struct value_scope *s, const struct value *v, int64_t *number, struct motet_error *e)
{
    uint8_t bytes[9] = {0};
    *number = v->number;
    if (!v->object)
        return true;
    if (v->type->kind == DEBUG_ARRAY) { /* it stands for its address */
        *number = v->address;
        return true;
    }
    if (value_size(v) > sizeof bytes || !value_bytes(s, v, bytes, value_size(v)))
        return error_set(e, "it cannot be read as a number");
    if (!debug_number(v->type, &v->bits, bytes, number))
        return error_set(e, "a value of type `%s` is not a number", v->type->name);
    bool to_data = v->type->kind == DEBUG_POINTER && v->type->of && v->type->of->kind != DEBUG_FUNCTION;
    if (to_data && *number) /* an address as & gives it, and x takes it */
        *number = space_of_data(s->node, (uint32_t)*number);
    return true;
}

static void print_number(int64_t number, char format, uint32_t size, char *text, size_t room)
{
    uint64_t bits = size && size < 8 ? (uint64_t)number & ((UINT64_C(1) << 8 * size) - 1) : (uint64_t)number;
    switch (format) {
    case 'x': snprintf(text, room, "0x%" PRIx64, bits); break;
    case 'o': snprintf(text, room, "0%" PRIo64, bits); break;
    case 'u': snprintf(text, room, "%" PRIu64, bits); break;
    case 'c':
        snprintf(text, room, isprint((int)(bits & 0xff)) ? "%" PRIu64 " '%c'" : "%" PRIu64, bits, (char)bits);
        break;
    case 't': {
        unsigned top = 63, used = 0;
        while (top && !(bits >> top & 1))
            top--;
        for (unsigned i = top + 1; i-- > 0 && used + 1 < room;)
            text[used++] = bits >> i & 1 ? '1' : '0';
        text[used] = 0;
        break;
    }
    default: snprintf(text, room, "%" PRId64, number);
    }
}

/* In a replay memory holds bytes that the log says nothing of. */
static bool value_is_unknown(const struct value_scope *s, const struct value *v)
{
    uint32_t first = v->address - s->node->machine->chip->isa->spaces.data, count = v->object ? value_size(v) : 0;
    if (!replay_is(s->node) || v->address >= DEBUG_HELD)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (unknown_is(s->node, first + i))
            return true;
    return false;
}

static void value_plain_text(const struct value_scope *s, const struct value *v, char format, char *text, size_t size)
{
    struct motet_error ignored;
    int64_t number;
    if (!v->object || format) {
        if (value_number(s, v, &number, &ignored)) {
            print_number(number, format || !v->pointer ? format : 'x', v->object ? value_size(v) : 0, text, size);
            return;
        }
    }
    uint32_t count = value_size(v);
    uint8_t *bytes = memory_new(count + 1);
    if (!value_bytes(s, v, bytes, count) && v->address >= DEBUG_HELD)
        snprintf(text, size, "<optimised out, or a part of it>");
    else if (!value_bytes(s, v, bytes, count))
        snprintf(text, size, "(there is no memory at 0x%" PRIx32 ")", v->address);
    else if (v->bits.bit_size)
        debug_format_bits(&v->bits, bytes, text, size);
    else
        debug_format(v->type, bytes, text, size);
    free(bytes);
}

void value_text(const struct value_scope *s, const struct value *v, char format, char *text, size_t size)
{
    value_plain_text(s, v, format, text, size);
    size_t used = strlen(text);
    if (value_is_unknown(s, v))
        snprintf(text + used, size - used, " <not in the log: it may have been another>");
}

/* ---- parsing ---- */

static bool value_binary(struct parser *p, int level, struct value *v);

static void skip(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool value_accept(struct parser *p, const char *token)
{
    skip(p);
    size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0)
        return false;
    p->at += length;
    return true;
}

static struct value number_value(int64_t number)
{
    return (struct value){.number = number};
}

static bool value_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The end of brackets that begin here; NULL if they do not end. */
static const char *closed(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

/* How far a place reaches: a name with what follows it, such as `file.c::head->next[2].etx`. */
static const char *place_end(const char *at)
{
    while (*at == '*' || *at == ' ')
        at++;
    if (*at == '(') {
        at = closed(at);
        if (!at)
            return NULL;
    }
    for (;;) {
        if (value_is_name(*at) || (*at == '.' && value_is_name(at[1])))
            at++;
        else if (at[0] == ':' && at[1] == ':')
            at += 2;
        else if (at[0] == '-' && at[1] == '>')
            at += 2;
        else if (*at == '[') {
            at = closed(at);
            if (!at)
                return NULL;
        } else
            return at;
    }
}

static bool value_register_value(struct parser *p, struct value *v)
{
    char name[16] = "";
    size_t length = 0;
    const struct node *n = p->scope->node;
    const struct isa *isa = n->machine->chip->isa;
    while (value_is_name(p->at[length]) && length + 1 < sizeof name)
        length++;
    memcpy(name, p->at, length);
    p->at += length;
    uint32_t value;
    for (unsigned i = 0; i < isa->registers; i++)
        if (strcasecmp(name, isa->register_name(i)) == 0) {
            if (!value_register(p->scope, i, &value))
                return error_set(p->e, "$%s is unavailable in this frame: a function that was called need not keep it",
                                 name);
            *v = number_value(value);
            return true;
        }
    return error_set(p->e, "there is no register $%s; see info registers", name);
}

static bool function_value(struct parser *p, const char *text, struct value *v)
{
    const struct image_symbol *symbol = image_symbol_named(p->scope->node->machine->image, text);
    if (!symbol || symbol->kind != IMAGE_SYMBOL_FUNCTION)
        return false;
    *v = number_value(symbol->address);
    return true;
}

/* A variable of which only the symbol is known, as in firmware with stabs: an unsigned number of its size. */
static const struct debug_type untyped[] = {
    {.kind = DEBUG_UNSIGNED, .name = "", .size = 1},
    {.kind = DEBUG_UNSIGNED, .name = "", .size = 2},
    {.kind = DEBUG_UNSIGNED, .name = "", .size = 4},
    {.kind = DEBUG_UNSIGNED, .name = "", .size = 8},
};
enum { UNTYPED = sizeof untyped / sizeof untyped[0] };

bool value_is_untyped(const struct value *v)
{
    return v->object && v->type >= untyped && v->type < untyped + UNTYPED;
}

static bool symbol_value(struct parser *p, const char *text, struct value *v)
{
    const struct image_symbol *symbol = image_symbol_named(p->scope->node->machine->image, text);
    if (!symbol || symbol->kind == IMAGE_SYMBOL_FUNCTION)
        return false;
    for (unsigned i = 0; i < UNTYPED; i++)
        if (untyped[i].size == symbol->size) {
            *v = (struct value){.object = true, .type = &untyped[i], .address = symbol->address};
            return true;
        }
    return error_set(p->e,
                     "the firmware does not say of which type `%s` is: compile it with -gdwarf-4, or see its bytes "
                     "with x/%" PRIu32 "xb 0x%" PRIx32,
                     text, symbol->size ? symbol->size : 1, symbol->address);
}

/* An index is an expression of its own; functions that find places take numbers. */
static bool index_text(struct parser *p, const char *from, const char *end, char *text, size_t room)
{
    char inside[NAME];
    struct value v;
    int64_t number;
    struct parser inner = {.scope = p->scope, .at = inside, .nesting = p->nesting + 1, .e = p->e};
    if (inner.nesting > NESTING || (size_t)(end - from) >= sizeof inside)
        return error_set(p->e, "the expression is nested too deeply");
    memcpy(inside, from, (size_t)(end - from));
    inside[end - from] = 0;
    if (!value_binary(&inner, 0, &v) || !value_number(p->scope, &v, &number, p->e))
        return false;
    skip(&inner);
    if (*inner.at)
        return error_set(p->e, "`%.40s` is not understood", inner.at);
    snprintf(text, room, "[%" PRId64 "]", number);
    return true;
}

/* A place as it was typed, but for its indices. */
static bool place_text(struct parser *p, const char *end, char text[NAME])
{
    size_t used = 0;
    for (const char *at = p->at; at < end;) {
        const char *behind = *at == '[' ? closed(at) : NULL;
        if (used + 24 >= NAME)
            return error_set(p->e, "the expression is too long");
        if (behind && behind <= end) {
            if (!index_text(p, at + 1, behind - 1, text + used, NAME - used))
                return false;
            used += strlen(text + used);
            at = behind;
        } else {
            text[used++] = *at++;
        }
    }
    text[used] = 0;
    return true;
}

static bool place_value(struct parser *p, struct value *v)
{
    char text[NAME];
    struct debug_frame frame;
    const char *end = place_end(p->at);
    struct node *n = p->scope->node;
    if (!end || end == p->at)
        return error_set(p->e, "a value is expected at `%.40s`", *p->at ? p->at : "the end");
    if (!place_text(p, end, text))
        return false;
    *v = (struct value){.object = true};
    struct debug_scope *scope = value_frame(p->scope, &frame, &v->scope) ? &v->scope : NULL;
    bool found =
        debug_resolve_in(n->machine->image, scope, text, value_memory, n, &v->address, &v->type, &v->bits, p->e);
    v->scope.frame = NULL; /* it is on this function's stack */
    if (!found && !function_value(p, text, v) && !symbol_value(p, text, v))
        return false;
    p->at = end;
    return true;
}

static bool literal(struct parser *p, struct value *v)
{
    char *end;
    if (*p->at == '\'') {
        bool escaped = p->at[1] == '\\';
        char c = escaped ? p->at[2] : p->at[1];
        if (!c || p->at[escaped ? 3 : 2] != '\'')
            return error_set(p->e, "a character is expected at `%.40s`", p->at);
        *v = number_value(!escaped ? c : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c == '0' ? 0 : c);
        p->at += escaped ? 4 : 3;
        return true;
    }
    *v = number_value((int64_t)strtoull(p->at, &end, 0));
    p->at = end;
    while (*p->at == 'u' || *p->at == 'U' || *p->at == 'l' || *p->at == 'L')
        p->at++;
    return !value_is_name(*p->at) || error_set(p->e, "`%.40s` is not a number", p->at);
}

static bool primary(struct parser *p, struct value *v)
{
    skip(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '\'')
        return literal(p, v);
    if (*p->at == '$') {
        p->at++;
        return value_register_value(p, v);
    }
    const char *inside = p->at;
    while (*inside == '(' || *inside == ' ')
        inside++;
    bool of_place = *inside == '*' && *p->at == '('; /* (*p).x */
    if (*p->at == '(' && !of_place) {
        p->at++;
        if (!value_binary(p, 0, v))
            return false;
        return value_accept(p, ")") || error_set(p->e, "`)` is missing");
    }
    return place_value(p, v);
}

static bool value_unary(struct parser *p, struct value *v)
{
    int64_t number;
    skip(p);
    char sign = *p->at;
    if (++p->nesting > NESTING)
        return error_set(p->e, "the expression is nested too deeply");
    bool done = true;
    if (sign == '&' && p->at[1] != '&') {
        p->at++;
        done =
            value_unary(p, v) && (v->object && v->address < DEBUG_HELD ? true : error_set(p->e, "it has no address"));
        if (done)
            *v = (struct value){.number = v->address, .pointer = true};
    } else if (sign && strchr("!~-+", sign)) {
        p->at++;
        done = value_unary(p, v) && value_number(p->scope, v, &number, p->e);
        if (done)
            *v = number_value(sign == '!'   ? !number
                              : sign == '~' ? ~number
                              : sign == '-' ? (int64_t)(0 - (uint64_t)number)
                                            : number);
    } else {
        done = primary(p, v);
    }
    p->nesting--;
    return done;
}

static const char *const operators[][5] = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
enum { LEVELS = sizeof operators / sizeof operators[0] };

/* The operator of a level that is next; a longer one of another level is not taken for its beginning. */
static const char *value_operator_at(struct parser *p, int level)
{
    skip(p);
    for (int i = 0; i < 5 && operators[level][i]; i++) {
        const char *o = operators[level][i];
        size_t length = strlen(o);
        if (strncmp(p->at, o, length) != 0)
            continue;
        bool longer = length == 1 && (p->at[1] == p->at[0] || p->at[1] == '=') && strchr("|&<>", o[0]);
        if (longer && !(p->at[1] == '=' && strchr("|&", o[0])))
            continue;
        return o;
    }
    return NULL;
}

static bool value_compute(const char *o, int64_t a, int64_t b, int64_t *result, struct motet_error *e)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if (strchr("/%", o[0]) && b == 0)
        return error_set(e, "it divides by zero");
    if (o[0] == '<' && o[1] == '<')
        *result = y < 64 ? (int64_t)(x << y) : 0;
    else if (o[0] == '>' && o[1] == '>')
        *result = a >> (y < 63 ? y : 63);
    else if (o[0] == '=' || o[0] == '!')
        *result = (a == b) == (o[0] == '=');
    else if (o[1] == '=')
        *result = o[0] == '<' ? a <= b : a >= b;
    else if (o[1])
        *result = o[0] == '|' ? a || b : a && b;
    else
        switch (o[0]) {
        case '|': *result = a | b; break;
        case '^': *result = a ^ b; break;
        case '&': *result = a & b; break;
        case '<': *result = a < b; break;
        case '>': *result = a > b; break;
        case '+': *result = (int64_t)(x + y); break;
        case '-': *result = (int64_t)(x - y); break;
        case '*': *result = (int64_t)(x * y); break;
        default: *result = b == -1 ? (o[0] == '/' ? (int64_t)(0 - x) : 0) : o[0] == '/' ? a / b : a % b;
        }
    return true;
}

static bool value_binary(struct parser *p, int level, struct value *v)
{
    if (level == LEVELS)
        return value_unary(p, v);
    if (!value_binary(p, level + 1, v))
        return false;
    for (const char *o = value_operator_at(p, level); o; o = value_operator_at(p, level)) {
        struct value right;
        int64_t a, b, result = 0;
        p->at += strlen(o);
        if (!value_binary(p, level + 1, &right) || !value_number(p->scope, v, &a, p->e) ||
            !value_number(p->scope, &right, &b, p->e) || !value_compute(o, a, b, &result, p->e))
            return false;
        *v = number_value(result);
    }
    return true;
}

bool value_find(const struct value_scope *s, const char *expression, struct value *v, struct motet_error *e)
{
    struct parser p = {.scope = s, .at = expression, .e = e};
    if (!value_binary(&p, 0, v))
        return false;
    skip(&p);
    return !*p.at || error_set(e, "`%.40s` is not understood", p.at);
}

bool value_locate(const struct value_scope *s, const char *expression, struct value_place *p, struct motet_error *e)
{
    struct value v;
    if (value_find(s, expression, &v, e)) {
        if (v.object && v.address >= DEBUG_HELD)
            return error_set(e, "'%s' is in registers here, not in memory", expression);
        *p = (struct value_place){.address = v.object ? v.address : (uint32_t)v.number,
                                  .size = value_size(&v),
                                  .type = v.object && !v.bits.bit_size ? v.type : NULL};
        return true;
    }
    const struct image_symbol *symbol = image_symbol_named(s->node->machine->image, expression);
    if (!symbol || symbol->kind == IMAGE_SYMBOL_FUNCTION)
        return false;
    *p = (struct value_place){.address = symbol->address, .size = symbol->size ? symbol->size : 1};
    return true;
}
