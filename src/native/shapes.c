#include "native/shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "native/layout.h"

enum { POINTER_GROWTH_BITS = 8 * POINTER_GROWTH };

/* ---- reading ---- */

static const char *shapes_line_end(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* The text after `key` in the line, outside of strings; NULL: it does not have it. */
static const char *shapes_field(const char *line, const char *end, const char *key)
{
    size_t length = strlen(key);
    bool quoted = false;
    for (const char *at = line; at + length < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && (at[-1] == ' ' || at[-1] == '(') && strncmp(at, key, length) == 0)
            return at + length;
    }
    return NULL;
}

static uint64_t shapes_number(const char *line, const char *end, const char *key)
{
    const char *at = shapes_field(line, end, key);
    return at ? strtoull(at, NULL, 10) : 0;
}

static int shapes_reference(const char *line, const char *end, const char *key)
{
    const char *at = shapes_field(line, end, key);
    return at && *at == '!' ? atoi(at + 1) : -1;
}

static void shapes_string(const char *line, const char *end, const char *key, char *to, size_t size)
{
    const char *at = shapes_field(line, end, key), *close = at && *at == '"' ? strchr(at + 1, '"') : NULL;
    if (close)
        snprintf(to, size, "%.*s", (int)(close - at - 1), at + 1);
}

static enum shape_kind shapes_kind(const char *line, const char *end)
{
    const char *tag = shapes_field(line, end, "tag: DW_TAG_");
    static const struct {
        const char *tag;
        enum shape_kind kind;
    } kinds[] = {{"pointer_type", SHAPE_POINTER},  {"reference_type", SHAPE_POINTER}, {"member", SHAPE_MEMBER},
                 {"inheritance", SHAPE_MEMBER},    {"typedef", SHAPE_SAME},           {"const_type", SHAPE_SAME},
                 {"volatile_type", SHAPE_SAME},    {"atomic_type", SHAPE_SAME},       {"restrict_type", SHAPE_SAME},
                 {"structure_type", SHAPE_STRUCT}, {"class_type", SHAPE_STRUCT},      {"union_type", SHAPE_UNION},
                 {"array_type", SHAPE_ARRAY}};
    for (size_t i = 0; tag && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(tag, kinds[i].tag, strlen(kinds[i].tag)) == 0)
            return kinds[i].kind;
    return SHAPE_OTHER;
}

static void shapes_read_list(struct shape *s, const char *at, const char *end)
{
    s->kind = SHAPE_LIST;
    for (; at < end; at++)
        if (*at == '!') {
            s->list = memory_grow(s->list, &s->list_room, s->list_count, sizeof *s->list);
            s->list[s->list_count++] = atoi(at + 1);
        }
}

/* "!12 = !DI...": where what follows begins; NULL for other lines. */
static const char *shapes_numbered(const char *line, long *number)
{
    char *after;
    if (line[0] != '!' || line[1] < '0' || line[1] > '9')
        return NULL;
    *number = strtol(line + 1, &after, 10);
    if (strncmp(after, " = ", 3) != 0)
        return NULL;
    after += 3;
    return strncmp(after, "distinct ", 9) == 0 ? after + 9 : after;
}

static void shapes_read_line(struct shapes *s, const char *line, const char *end)
{
    long number;
    const char *at = shapes_numbered(line, &number);
    if (!at)
        return;
    if ((size_t)number >= s->count) {
        size_t count = (size_t)number * 2 + 64;
        s->all = memory_resize(s->all, count, sizeof *s->all);
        memset(s->all + s->count, 0, (count - s->count) * sizeof *s->all);
        s->count = count;
    }
    struct shape *shape = &s->all[number];
    *shape = (struct shape){.known = true, .pointers = -1, .base = -1, .elements = -1, .file = -1};
    if (strncmp(at, "!{", 2) == 0) {
        shapes_read_list(shape, at + 1, end);
        return;
    }
    shape->kind = shapes_kind(at, end);
    shape->size = shapes_number(at, end, "size: ");
    shape->offset = shapes_number(at, end, "offset: ");
    shape->count = shapes_number(at, end, "count: ");
    shape->base = shapes_reference(at, end, "baseType: ");
    shape->elements = shapes_reference(at, end, "elements: ");
    shape->file = shapes_reference(at, end, "file: ");
    shape->line = (int)shapes_number(at, end, "line: ");
    shapes_string(at, end, "name: ", shape->name, sizeof shape->name);
    shapes_string(at, end, "filename: ", shape->path, sizeof shape->path);
}

/* ---- pointers in types ---- */

static struct shape *shapes_at(const struct shapes *s, int number)
{
    return number >= 0 && (size_t)number < s->count && s->all[number].known ? &s->all[number] : NULL;
}

static uint64_t shapes_pointers(const struct shapes *s, int number);

static uint64_t shapes_pointers_in_members(const struct shapes *s, const struct shape *type)
{
    const struct shape *list = shapes_at(s, type->elements);
    uint64_t sum = 0, most = 0;
    for (size_t i = 0; list && i < list->list_count; i++) {
        struct shape *member = shapes_at(s, list->list[i]);
        if (!member || member->kind != SHAPE_MEMBER)
            continue;
        uint64_t pointers = shapes_pointers(s, list->list[i]);
        member->before = type->kind == SHAPE_STRUCT ? sum : 0;
        sum += pointers;
        if (pointers > most)
            most = pointers;
    }
    return type->kind == SHAPE_STRUCT ? sum : most;
}

static uint64_t shapes_pointers_in_array(const struct shapes *s, const struct shape *type)
{
    const struct shape *list = shapes_at(s, type->elements);
    uint64_t count = 1;
    for (size_t i = 0; list && i < list->list_count; i++) {
        const struct shape *range = shapes_at(s, list->list[i]);
        count *= range ? range->count : 0;
    }
    return count * shapes_pointers(s, type->base);
}

static uint64_t shapes_pointers(const struct shapes *s, int number)
{
    struct shape *type = shapes_at(s, number);
    if (!type || type->visiting)
        return 0;
    if (type->pointers >= 0)
        return (uint64_t)type->pointers;
    uint64_t found = 0;
    type->visiting = true;
    switch (type->kind) {
    case SHAPE_POINTER: found = 1; break;
    case SHAPE_MEMBER:
    case SHAPE_SAME: found = shapes_pointers(s, type->base); break;
    case SHAPE_STRUCT:
    case SHAPE_UNION: found = shapes_pointers_in_members(s, type); break;
    case SHAPE_ARRAY: found = shapes_pointers_in_array(s, type); break;
    default: break;
    }
    type->visiting = false;
    type->pointers = (int64_t)found;
    return found;
}

void shapes_read(struct shapes *s, const char *text)
{
    for (const char *line = text; *line;) {
        const char *end = shapes_line_end(line);
        shapes_read_line(s, line, end);
        line = *end ? end + 1 : end;
    }
    for (size_t i = 0; i < s->count; i++)
        shapes_pointers(s, (int)i);
}

void shapes_free(struct shapes *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->all[i].list);
    free(s->all);
    *s = (struct shapes){0};
}

/* ---- questions ---- */

/* Whether all members of a union have one shape: their pointers lie on each other, and all their bytes are pointers'.
 */
static bool shapes_is_kept(const struct shapes *s, const struct shape *u)
{
    const struct shape *list = shapes_at(s, u->elements);
    for (size_t i = 0; list && i < list->list_count; i++) {
        const struct shape *member = shapes_at(s, list->list[i]);
        if (member && member->kind == SHAPE_MEMBER && member->size != (uint64_t)member->pointers * 8 * POINTER_TARGET)
            return false;
    }
    return true;
}

void shapes_refuse_unions(const struct shapes *s, struct refusals *r)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct shape *u = &s->all[i];
        if (!u->known || u->kind != SHAPE_UNION || !u->pointers || shapes_is_kept(s, u))
            continue;
        const struct shape *file = shapes_at(s, u->file);
        refusals_add(r, file ? file->path : "", (unsigned)u->line,
                     "union%s%s overlays a pointer with something else; pointers have another size on this computer",
                     u->name[0] ? " " : "", u->name);
    }
}

uint64_t shapes_native_size(const struct shapes *s, uint64_t target_size)
{
    uint64_t found = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct shape *t = &s->all[i];
        if (!t->known || (t->kind != SHAPE_STRUCT && t->kind != SHAPE_UNION) || t->size != 8 * target_size)
            continue;
        uint64_t size = target_size + POINTER_GROWTH * (uint64_t)t->pointers;
        if (found && found != size)
            return 0;
        found = size;
    }
    return found ? found : target_size;
}

/* ---- writing ---- */

/* Writes the line up to the number at `at`, and another number in its place. */
static const char *shapes_put_number(FILE *f, const char *from, const char *at, uint64_t number)
{
    fwrite(from, 1, (size_t)(at - from), f);
    fprintf(f, "%" PRIu64, number);
    return at + strspn(at, "0123456789");
}

static void shapes_write_type(const struct shape *t, const char *line, const char *end, FILE *f)
{
    static const char *const keys[] = {"size: ", "offset: ", "extraData: i64 "};
    uint64_t wider = POINTER_GROWTH_BITS * (uint64_t)t->pointers, further = POINTER_GROWTH_BITS * t->before;
    const char *from = line;
    for (size_t i = 0; i < 3; i++) {
        const char *at = shapes_field(line, end, keys[i]);
        if (at && at >= from && (i == 0 || t->kind == SHAPE_MEMBER))
            from = shapes_put_number(f, from, at, strtoull(at, NULL, 10) + (i == 0 ? wider : further));
    }
    const char *space = shapes_field(line, end, "dwarfAddressSpace: ");
    if (space && space > from) { /* of pointers to functions; this computer has one space */
        const char *comma = space - strlen(", dwarfAddressSpace: ");
        fwrite(from, 1, (size_t)(comma - from), f);
        from = space + strspn(space, "0123456789");
    }
    fwrite(from, 1, (size_t)(end - from), f);
}

void shapes_write(const struct shapes *s, const char *text, FILE *f)
{
    for (const char *line = text; *line;) {
        const char *end = shapes_line_end(line);
        long number;
        const struct shape *t = shapes_numbered(line, &number) ? shapes_at(s, (int)number) : NULL;
        if (t && t->kind != SHAPE_OTHER && t->kind != SHAPE_LIST)
            shapes_write_type(t, line, end, f);
        else
            fwrite(line, 1, (size_t)(end - line), f);
        fputc('\n', f);
        line = *end ? end + 1 : end;
    }
}
