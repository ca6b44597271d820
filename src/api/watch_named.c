/* Taps by the names of the source: functions, lines, variables. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/named.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "debug/frames.h"
#include "isa/isa.h"
#include "node/map.h"
#include "node/taps.h"

/* ---- places in the code ---- */

struct places {
    const struct machine *machine;
    uint32_t *addresses;
    size_t room, count;
};

static void watch_named_give(struct places *p, uint32_t address)
{
    if (p->count < p->room)
        p->addresses[p->count] = address;
    p->count++;
}

static bool no_such_name(const struct machine *m, const char *name, struct motet_error *e)
{
    const char *near[3];
    size_t count = image_nearest_names(m->image, name, near, 3), used;
    error_set(e, "%s has no function or line '%s'", image_path(m->image), name);
    for (size_t i = 0; i < count; i++) {
        used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, "%s '%s'", i ? " or" : "; did you mean", near[i]);
    }
    if (count) {
        used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, "?");
    }
    return false;
}

static unsigned length_at(const struct machine *m, uint32_t at)
{
    char text[80];
    unsigned length = m->chip->isa->disassemble(m->flash + at, m->code_size - at, at, text, sizeof text);
    return length ? length : 2;
}

static bool returns_of(struct places *p, const struct image_symbol *s, struct motet_error *e)
{
    struct node *n = memory_new(sizeof *n); /* only its code is looked at */
    n->machine = p->machine;
    n->code = p->machine->code;
    uint32_t end = s->address + s->size;
    for (uint32_t at = s->address; at < end && at < p->machine->code_size; at += length_at(p->machine, at)) {
        enum motet_flow flow = p->machine->chip->isa->flow(n, at);
        if (flow == MOTET_FLOW_RETURN || flow == MOTET_FLOW_INTERRUPT_RETURN)
            watch_named_give(p, at);
    }
    free(n);
    return p->count || error_set(e, "%s: '%s' has no instruction that returns; it may jump to another function instead",
                                 image_path(p->machine->image), s->name);
}

static bool is_file(const char *path, const char *name, size_t length)
{
    size_t have = strlen(path);
    return have >= length && strncmp(path + have - length, name, length) == 0 &&
           (have == length || path[have - length - 1] == '/');
}

static bool no_such_line(const struct machine *m, const char *file, unsigned wanted, unsigned below, unsigned above,
                         struct motet_error *e)
{
    const char *path = image_path(m->image);
    if (below && above)
        return error_set(e, "%s: no code was made of line %u of %s; the nearest with code are %u and %u", path, wanted,
                         file, below, above);
    return error_set(e, "%s: no code was made of line %u of %s; the nearest with code is %u", path, wanted, file,
                     below ? below : above);
}

static bool no_such_file(const struct machine *m, const char *file, struct motet_error *e)
{
    error_set(e, "%s knows no file '%s' (firmware must be compiled with -g)", image_path(m->image), file);
    image_suggest_file(m->image, file, e);
    return false;
}

/* The first instruction of each run of them that came from the line. */
static bool lines_at(struct places *p, const char *file, size_t length, unsigned wanted, struct motet_error *e)
{
    const struct machine *m = p->machine;
    bool before = false, known = false;
    unsigned below = 0, above = 0;
    for (uint32_t at = 0; at < m->code_size;) {
        struct image_line line;
        bool code = m->flash_known[at] == FLASH_CODE && image_line_at(m->image, at, &line);
        bool ours = code && is_file(line.file, file, length);
        known |= ours;
        if (ours && line.line < wanted && line.line > below)
            below = line.line;
        if (ours && line.line > wanted && (!above || line.line < above))
            above = line.line;
        bool here = ours && line.line == wanted;
        if (here && !before)
            watch_named_give(p, at);
        before = here;
        at += code ? length_at(m, at) : 2;
    }
    if (p->count)
        return true;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)length, file);
    return known ? no_such_line(m, name, wanted, below, above, e) : no_such_file(m, name, e);
}

static bool watch_named_find(struct places *p, const char *where, struct motet_error *e)
{
    const struct machine *m = p->machine;
    char *end;
    if (isdigit((unsigned char)*where)) {
        unsigned long address = strtoul(where, &end, 0);
        if (*end || address >= m->code_size)
            return error_set(e, "'%s' is not a code address of %s", where, m->chip->name);
        watch_named_give(p, (uint32_t)address);
        return true;
    }
    const char *colon = strrchr(where, ':'), *plus = strrchr(where, '+');
    if (colon && isdigit((unsigned char)colon[1]))
        return lines_at(p, where, (size_t)(colon - where), (unsigned)strtoul(colon + 1, NULL, 10), e);
    const char *stop = colon ? colon : plus ? plus : where + strlen(where);
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(stop - where), where);
    const struct image_symbol *s = image_symbol_named(m->image, name);
    if (!s || s->address >= m->code_size || s->kind == IMAGE_SYMBOL_OBJECT)
        return no_such_name(m, name, e);
    if (colon && strcmp(colon, ":returns") == 0)
        return returns_of(p, s, e);
    if (colon && strcmp(colon, ":body") != 0)
        return error_set(e, "'%s': after the colon write a line number, 'returns' or 'body'", where);
    watch_named_give(p,
                     colon ? image_body(m->image, s) : s->address + (plus ? (uint32_t)strtoul(plus + 1, NULL, 0) : 0));
    return true;
}

size_t motet_machine_find(const motet_machine *m, const char *where, uint32_t *addresses, size_t room,
                          struct motet_error *e)
{
    struct places p = {.machine = m->machine, .addresses = addresses, .room = room};
    if (watch_named_find(&p, where, e))
        return p.count;
    return 0;
}

/* ---- probes ---- */

struct named_probe {
    motet_tap *group;
    motet_tap **taps;
    size_t count;
    motet_probed *probed;
    void *context;
};

static void watch_named_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    const struct named_probe *p = context;
    if (!p->group->dead)
        p->probed(p->context, n, pc, after);
}

static void release_probe(void *context)
{
    struct named_probe *p = context;
    for (size_t i = 0; i < p->count; i++)
        tap_remove(p->taps[i]);
    free(p->taps);
    free(p);
}

motet_tap *motet_probe_named(motet_node *n, const char *where, unsigned when, motet_probed *f, void *context,
                             struct motet_error *e)
{
    size_t count = motet_machine_find(n->machine, where, NULL, 0, e);
    if (!count)
        return NULL;
    uint32_t *addresses = memory_array(count, sizeof *addresses);
    motet_machine_find(n->machine, where, addresses, count, e);
    struct named_probe *p = memory_new(sizeof *p);
    *p = (struct named_probe){.probed = f, .context = context, .count = count};
    p->taps = memory_array(count, sizeof(motet_tap *));
    p->group = tap_group(n->node, release_probe, p);
    for (size_t i = 0; i < count; i++)
        p->taps[i] = tap_probe(n->node, addresses[i], addresses[i], when, watch_named_probed, p);
    free(addresses);
    return p->group;
}

/* ---- values ---- */

static bool watch_named_read_memory(void *context, uint32_t address, void *to, uint32_t size)
{
    const struct node *n = context;
    return map_peek(n, map_of_image(n->machine, address), to, size);
}

/* Names in scope where the node is come first; what it takes to know them is only done where there are any. */
bool named_find(const motet_node *n, const char *expression, struct named *v, struct motet_error *e)
{
    return named_find_in(n, 0, expression, v, e);
}

bool named_find_in(const motet_node *n, size_t level, const char *expression, struct named *v, struct motet_error *e)
{
    const struct node *node = node_seen(n);
    const struct image *image = node->machine->image;
    void *context = (void *)(uintptr_t)node;
    struct debug_frame frame;
    struct debug_scope scope = {.frame = &frame};
    const struct debug_local *any;
    bool known = level > 0 || debug_locals_at(image, node->machine->chip->isa->pc(node), &any, 1) > 0;
    bool scoped = known && frames_find(node, level, &frame, &scope.cfa);
    *v = (struct named){.size = 0};
    if (!debug_resolve_in(image, scoped ? &scope : NULL, expression, watch_named_read_memory, context, &v->address,
                          &v->type, &v->bits, e))
        return false;
    v->size = v->bits.bit_size ? (v->bits.bit_offset + v->bits.bit_size + 7u) / 8u : v->type->size;
    v->known = v->size < sizeof v->bytes ? v->size : (uint32_t)sizeof v->bytes;
    v->in_memory = v->address < DEBUG_HELD;
    bool read = debug_scope_read(&scope, watch_named_read_memory, context, v->address, v->bytes, v->known);
    if (v->in_memory)
        v->address = map_of_image(node->machine, v->address);
    if (!read && !v->in_memory)
        return error_set(e, "'%s' has no value here: the compiler has optimised it out, or a part of it", expression);
    return read || error_set(e, "'%s' lies at 0x%x, where there is no memory", expression, v->address);
}

static enum motet_value_kind watch_named_kind_of(const struct debug_type *t)
{
    switch (t->kind) {
    case DEBUG_ENUM: return MOTET_VALUE_ENUM;
    case DEBUG_FLOAT: return MOTET_VALUE_REAL;
    case DEBUG_POINTER:
    case DEBUG_FUNCTION: return MOTET_VALUE_POINTER;
    case DEBUG_ARRAY: return MOTET_VALUE_ARRAY;
    case DEBUG_STRUCT:
    case DEBUG_UNION: return MOTET_VALUE_STRUCT;
    default: return MOTET_VALUE_INTEGER;
    }
}

static double real_of(const struct named *v)
{
    float single;
    double whole;
    if (v->size == sizeof single) {
        memcpy(&single, v->bytes, sizeof single);
        return (double)single;
    }
    memcpy(&whole, v->bytes, sizeof whole);
    return v->size == sizeof whole ? whole : 0;
}

void named_value(const struct named *found, struct motet_value *v)
{
    const struct debug_type *t = found->type;
    *v = (struct motet_value){.kind = watch_named_kind_of(t),
                              .type = t->name,
                              .in_memory = found->in_memory,
                              .address = found->in_memory ? found->address : 0,
                              .size = found->size,
                              .bits = found->bits.bit_size,
                              .shift = found->bits.bit_size ? found->bits.bit_offset : 0};
    v->count = t->kind == DEBUG_ARRAY ? t->count : v->kind == MOTET_VALUE_STRUCT ? t->field_count : 0;
    debug_number(t, found->bits.bit_size ? &found->bits : NULL, found->bytes, &v->number);
    if (v->kind == MOTET_VALUE_REAL)
        v->real = real_of(found);
    for (uint32_t i = 0; v->kind == MOTET_VALUE_ENUM && i < t->enumerator_count; i++)
        if (t->enumerators[i].value == v->number)
            v->name = t->enumerators[i].name;
}

bool motet_node_value(const motet_node *n, const char *expression, struct motet_value *v, struct motet_error *e)
{
    struct named found;
    if (!named_find(n, expression, &found, e))
        return false;
    named_value(&found, v);
    return true;
}

size_t motet_node_value_text(const motet_node *n, const char *expression, char *text, size_t size,
                             struct motet_error *e)
{
    struct named v;
    if (!named_find(n, expression, &v, e)) {
        return 0;
    }
    if (v.bits.bit_size)
        return debug_format_bits(&v.bits, v.bytes, text, size);
    if (v.known < v.size) {
        snprintf(text, size, "(%u bytes)", v.size);
        return strlen(text);
    }
    return debug_format(v.type, v.bytes, text, size);
}

const char *motet_node_member(const motet_node *n, const char *expression, uint32_t number)
{
    struct named v;
    struct motet_error ignored;
    if (!named_find(n, expression, &v, &ignored) || watch_named_kind_of(v.type) != MOTET_VALUE_STRUCT ||
        number >= v.type->field_count)
        return NULL;
    return v.type->fields[number].name;
}

/* ---- watches ---- */

motet_tap *motet_watch_named(motet_node *n, const char *expression, unsigned when, motet_watched *f, void *context,
                             struct motet_error *e)
{
    struct named v;
    e->text[0] = 0;
    motet_tap *local = named_watch_local(n, expression, when, f, context, e);
    if (local)
        return local;
    if (!e->text[0] && named_find(n, expression, &v, e)) {
        if (v.in_memory && v.size > 0)
            return tap_watch(n->node, v.address, v.address + v.size - 1, when, f, context);
        error_set(e, "'%s' is in no memory here, so that it cannot be watched", expression);
    }
    return NULL;
}

/* An assertion is checked at the first instruction after a write that does not write any more. */
struct assertion {
    motet_tap *group, *watch, *alarm;
    struct node *node;
    motet_holds *holds;
    motet_failed *failed;
    void *context;
    uint64_t writes, seen;
    uint32_t pc;
};

static void watch_named_settle(void *context, const motet_node *n, uint64_t due)
{
    struct assertion *a = context;
    (void)due;
    tap_remove(a->alarm);
    a->alarm = NULL;
    if (a->group->dead)
        return;
    if (a->writes != a->seen) {
        a->seen = a->writes;
        a->alarm = tap_alarm(a->node, MOTET_TICKS, a->node->time + 1, 0, watch_named_settle, a);
    } else if (!a->holds(a->context, n)) {
        a->failed(a->context, n, a->pc);
    }
}

static void watch_named_written(void *context, const motet_node *n, const struct motet_access *access)
{
    struct assertion *a = context;
    (void)n;
    a->writes++;
    a->pc = access->pc;
    if (!a->alarm)
        a->alarm = tap_alarm(a->node, MOTET_TICKS, a->node->time + 1, 0, watch_named_settle, a);
}

static void release_assertion(void *context)
{
    struct assertion *a = context;
    tap_remove(a->watch);
    tap_remove(a->alarm);
    free(a);
}

motet_tap *motet_assert(motet_node *n, const char *expression, motet_holds *holds, motet_failed *failed, void *context,
                        struct motet_error *e)
{
    struct assertion *a = memory_new(sizeof *a);
    *a = (struct assertion){.node = n->node, .holds = holds, .failed = failed, .context = context};
    a->watch = motet_watch_named(n, expression, MOTET_WRITE | MOTET_AFTER, watch_named_written, a, e);
    if (!a->watch) {
        free(a);
        return NULL;
    }
    return a->group = tap_group(n->node, release_assertion, a);
}
