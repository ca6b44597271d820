#include "debug/assign.h"

#include <stdlib.h>
#include <string.h>

#include "debug/space.h"

static bool assign_word(const struct debug_type *t, const char *text, int64_t *number)
{
    for (uint32_t i = 0; t->kind == DEBUG_ENUM && i < t->enumerator_count; i++)
        if (strcmp(t->enumerators[i].name, text) == 0) {
            *number = t->enumerators[i].value;
            return true;
        }
    *number = strcmp(text, "true") == 0;
    return t->kind == DEBUG_BOOL && (*number || strcmp(text, "false") == 0);
}

static bool assign_float(const struct debug_type *t, const char *text, struct assignment *a, struct motet_error *e)
{
    char *end;
    double number = strtod(text, &end);
    float small = (float)number;
    if (end == text || *end)
        return error_set(e, "`%.40s` is not a number", text);
    if (t->size == sizeof small)
        memcpy(a->bytes, &small, sizeof small);
    else if (t->size == sizeof number)
        memcpy(a->bytes, &number, sizeof number);
    else
        return error_set(e, "a number of type `%s` cannot be set", t->name);
    return true;
}

static void assign_bits(const struct debug_field *f, uint64_t number, struct assignment *a)
{
    for (unsigned i = 0; i < f->bit_size; i++) {
        unsigned at = f->bit_offset + i;
        uint8_t bit = (uint8_t)(1u << at % 8);
        a->bytes[at / 8] = (uint8_t)(number >> i & 1 ? a->bytes[at / 8] | bit : a->bytes[at / 8] & ~bit);
    }
}

bool assign_make(const struct value_scope *s, const struct value *to, const char *text, struct assignment *a,
                 struct motet_error *e)
{
    struct value from;
    int64_t number = 0;
    text += strspn(text, " \t");
    *a = (struct assignment){.size = to->object ? value_size(to) : 0};
    if (to->object && to->address >= DEBUG_HELD)
        return error_set(e, "it is in registers here; set the register, such as $r24");
    if (!a->size || a->size > sizeof a->bytes || to->type->kind == DEBUG_ARRAY || to->type->kind == DEBUG_STRUCT ||
        to->type->kind == DEBUG_UNION || !space_data(s->node, to->address, a->size, &a->data))
        return error_set(e, "only a number in data memory can be set");
    if (to->type->kind == DEBUG_FLOAT)
        return assign_float(to->type, text, a, e);
    if (!assign_word(to->type, text, &number) &&
        (!value_find(s, text, &from, e) || !value_number(s, &from, &number, e)))
        return false;
    if (to->bits.bit_size && !value_bytes(s, to, a->bytes, a->size))
        return error_set(e, "its neighbours in memory cannot be read");
    if (to->bits.bit_size)
        assign_bits(&to->bits, (uint64_t)number, a);
    for (unsigned i = 0; i < a->size && !to->bits.bit_size; i++)
        a->bytes[i] = (uint8_t)((uint64_t)number >> 8 * i);
    return true;
}
