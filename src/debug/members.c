#include "debug/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/space.h"

/* What a pointer leads to, if that is in memory. */
static bool members_follow(const struct value_scope *s, const struct value *v, struct value *target)
{
    struct motet_error ignored;
    int64_t number = 0;
    uint32_t data;
    const struct debug_type *of = v->type->of;
    if (!of || !of->size || of->kind == DEBUG_FUNCTION || of->kind == DEBUG_VOID ||
        !value_number(s, v, &number, &ignored) || !number || number > UINT32_MAX ||
        !space_data(s->node, (uint32_t)number, of->size, &data))
        return false;
    *target = (struct value){.object = true, .type = of, .address = (uint32_t)number};
    return true;
}

static bool members_has_fields(const struct debug_type *t)
{
    return t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION;
}

size_t members_count(const struct value_scope *s, const struct value *v, enum members_kind *kind)
{
    struct value target;
    *kind = MEMBERS_NONE;
    if (!v->object || v->bits.bit_size)
        return 0;
    bool followed = v->type->kind == DEBUG_POINTER && members_follow(s, v, &target);
    const struct debug_type *t = followed ? target.type : v->type;
    if (members_has_fields(t)) {
        *kind = MEMBERS_FIELDS;
        return t->field_count;
    }
    if (followed || t->kind != DEBUG_ARRAY || !t->of) {
        *kind = followed ? MEMBERS_TARGET : MEMBERS_NONE;
        return followed;
    }
    *kind = MEMBERS_ELEMENTS;
    return t->of->size ? t->count : 0;
}

/* A path as something that `.`, `->` and `[` can follow. */
static const char *members_owner(const char *path, char *text, size_t size)
{
    if (path[0] != '*')
        return path;
    snprintf(text, size, "(%s)", path);
    return text;
}

static void members_field(const struct value *owner, const char *path, bool followed, const struct debug_field *f,
                          struct value *member, char *name, char *expression, size_t size)
{
    member->type = f->type;
    member->address = owner->address + f->offset;
    member->bits = f->bit_size ? *f : (struct debug_field){.bit_size = 0};
    member->bits.offset = 0;
    snprintf(name, size, "%s", f->name[0] ? f->name : "(anonymous)");
    if (!f->name[0] || !path[0])
        snprintf(expression, size, "%s", f->name[0] ? "" : path);
    else
        snprintf(expression, size, "%s%s%s", path, followed ? "->" : ".", f->name);
}

void members_at(const struct value_scope *s, const struct value *v, const char *path, size_t number,
                struct value *member, char *name, char *expression, size_t size)
{
    struct value owner = *v;
    char grouped[512];
    bool followed = v->type->kind == DEBUG_POINTER && members_follow(s, v, &owner);
    const struct debug_type *t = owner.type;
    *member = owner;
    expression[0] = '\0';
    if (members_has_fields(t)) {
        members_field(&owner, members_owner(path, grouped, sizeof grouped), followed, &t->fields[number], member, name,
                      expression, size);
        return;
    }
    if (followed) {
        snprintf(name, size, "*%s", path);
        if (path[0])
            snprintf(expression, size, "*%s", path);
        return;
    }
    member->type = t->of;
    member->address = owner.address + (uint32_t)number * t->of->size;
    snprintf(name, size, "[%zu]", number);
    if (path[0])
        snprintf(expression, size, "%s[%zu]", members_owner(path, grouped, sizeof grouped), number);
}
