#include "interface/places.h"

#include <stdlib.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "chip/region.h"
#include "isa/isa.h"

uint32_t places_pointers(const struct debug_type *t)
{
    uint32_t count = 0;
    if (!t)
        return 0;
    if (t->kind == DEBUG_POINTER)
        return 1;
    if (t->kind == DEBUG_ARRAY)
        return t->of ? t->count * places_pointers(t->of) : 0;
    for (uint32_t i = 0; t->kind == DEBUG_STRUCT && i < t->field_count; i++)
        count += places_pointers(t->fields[i].type);
    return count;
}

/* ---- objects ---- */

static void places_add(struct places *p, struct places_object o)
{
    o.there = o.size + p->growth * places_pointers(o.type);
    p->objects = memory_grow(p->objects, &p->room, p->count, sizeof *p->objects);
    p->objects[p->count++] = o;
}

void places_make(struct places *p, const struct machine *m, uint32_t growth)
{
    const struct debug_variable *all;
    size_t count = debug_variables(m->image, &all);
    uint32_t data = m->chip->isa->spaces.data;
    uint8_t two[4] = {0};
    unsigned width = debug_return_bytes(m->image, 2, two), sum = 0;
    *p = (struct places){.machine = m, .growth = growth};
    for (unsigned i = 0; i < width; i++)
        sum += two[i];
    p->code_unit = sum ? 2 / sum : 1;
    for (size_t i = 0; i < count; i++)
        if (all[i].type && all[i].type->size && all[i].address >= data && all[i].address - data < m->data_size &&
            all[i].address - data >= m->ram->first)
            places_add(p, (struct places_object){.variable = &all[i],
                                                 .type = all[i].type,
                                                 .address = all[i].address - data,
                                                 .size = all[i].type->size});
    p->variables = p->count;
}

void places_free(struct places *p)
{
    free(p->objects);
    *p = (struct places){.objects = NULL};
}

void places_forget(struct places *p, size_t count)
{
    if (count < p->count)
        p->count = count > p->variables ? count : p->variables;
}

/* ---- addresses ---- */

static uint32_t places_offset(const struct places *p, const struct debug_type *t, uint32_t offset);

static uint32_t places_offset_in_struct(const struct places *p, const struct debug_type *t, uint32_t offset)
{
    uint32_t before = 0, found = 0, pointers = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (t->fields[i].offset <= offset && t->fields[i].offset >= t->fields[found].offset) {
            found = i;
            before = pointers;
        }
        pointers += places_pointers(t->fields[i].type);
    }
    if (!t->field_count || t->fields[found].offset > offset)
        return offset;
    return t->fields[found].offset + p->growth * before +
           places_offset(p, t->fields[found].type, offset - t->fields[found].offset);
}

/* From an offset in an object of the type to that of the same member there. */
static uint32_t places_offset(const struct places *p, const struct debug_type *t, uint32_t offset)
{
    uint32_t pointers = places_pointers(t);
    if (!t || !pointers || !p->growth)
        return offset;
    if (offset >= t->size)
        return offset + p->growth * pointers;
    if (t->kind == DEBUG_STRUCT)
        return places_offset_in_struct(p, t, offset);
    if (t->kind != DEBUG_ARRAY || !t->of->size)
        return offset;
    uint32_t each = t->of->size;
    return offset / each * (each + p->growth * places_pointers(t->of)) + places_offset(p, t->of, offset % each);
}

static struct places_object *places_around(struct places *p, uint32_t address)
{
    for (size_t i = p->count; i-- > 0;) {
        struct places_object *o = &p->objects[i];
        if (address - o->address < o->size || (!o->variable && address == o->address))
            return o;
    }
    return NULL;
}

static struct place places_in(const struct places *p, const struct places_object *o, uint32_t address)
{
    return (struct place){PLACE_FIRST + (uint32_t)(o - p->objects), places_offset(p, o->type, address - o->address)};
}

struct place places_of(struct places *p, uint32_t address, const struct debug_type *type, uint32_t size)
{
    if (!address)
        return (struct place){PLACE_NULL, 0};
    if (address < p->machine->ram->first || address >= p->machine->data_size)
        return (struct place){PLACE_REGISTERS, address};
    struct places_object *o = places_around(p, address);
    uint32_t wanted = type && type->size > size ? type->size : size;
    bool other = o && !o->variable && address == o->address && places_pointers(type) && !places_pointers(o->type);
    if (o && !other) {
        if (!o->variable && o->address == address && wanted > o->size)
            o->size = wanted;
        return places_in(p, o, address);
    }
    places_add(p, (struct places_object){.type = type, .address = address, .size = wanted});
    return places_in(p, &p->objects[p->count - 1], address);
}

struct place places_of_pointer(struct places *p, const struct debug_type *pointer, uint32_t value)
{
    const struct debug_type *to = pointer->of;
    if (!value)
        return (struct place){PLACE_NULL, 0};
    if (to && to->kind == DEBUG_FUNCTION)
        return (struct place){PLACE_CODE, value * p->code_unit};
    return places_of(p, value, to && to->size ? to : NULL, 0);
}

/* ---- pieces ---- */

struct places_walk {
    struct places *places;
    uint32_t first, last; /* addresses of bytes that are wanted */
    uint32_t object;
    void (*each)(void *context, const struct places_piece *piece);
    void *context;
};

static void places_piece(const struct places_walk *w, uint32_t address, uint32_t there, uint32_t size,
                         const struct debug_type *pointer)
{
    uint32_t skip = !pointer && address < w->first ? w->first - address : 0;
    uint32_t end = address + size;
    if (!pointer && end - 1 > w->last)
        end = w->last + 1;
    struct places_piece piece = {.address = address + skip,
                                 .size = end - address - skip,
                                 .place = {w->object, there + skip},
                                 .pointer = pointer};
    w->each(w->context, &piece);
}

static void places_visit(const struct places_walk *w, const struct debug_type *t, uint32_t address, uint32_t there)
{
    uint32_t before = 0, growth = w->places->growth;
    if (!t->size || address > w->last || address + t->size - 1 < w->first)
        return;
    switch (t->kind) {
    case DEBUG_POINTER: places_piece(w, address, there, t->size, t); return;
    case DEBUG_ARRAY:
        if (!places_pointers(t->of) && t->of->kind != DEBUG_STRUCT)
            break;
        for (uint32_t i = 0; i < t->count; i++)
            places_visit(w, t->of, address + i * t->of->size,
                         there + i * (t->of->size + growth * places_pointers(t->of)));
        return;
    case DEBUG_STRUCT: /* without the bytes between members, which nothing sets */
        for (uint32_t i = 0; i < t->field_count; i++) {
            const struct debug_field *f = &t->fields[i];
            uint32_t at = there + f->offset + growth * before, bytes = (f->bit_offset + f->bit_size + 7u) / 8;
            if (!f->bit_size)
                places_visit(w, f->type, address + f->offset, at);
            else if (address + f->offset <= w->last && address + f->offset + bytes > w->first)
                places_piece(w, address + f->offset, at, bytes, NULL);
            before += places_pointers(f->type);
        }
        return;
    default: break;
    }
    places_piece(w, address, there, t->size, NULL);
}

void places_pieces(struct places *p, uint32_t address, uint32_t size,
                   void (*each)(void *context, const struct places_piece *piece), void *context)
{
    while (size) {
        struct place at = places_of(p, address, NULL, size);
        struct places_walk w = {.places = p,
                                .first = address,
                                .last = address + size - 1,
                                .object = at.object,
                                .each = each,
                                .context = context};
        uint32_t done = size;
        if (at.object >= PLACE_FIRST) {
            struct places_object o = p->objects[at.object - PLACE_FIRST];
            if (address - o.address + size > o.size)
                done = o.size - (address - o.address);
            w.last = address + done - 1;
            if (o.type)
                places_visit(&w, o.type, o.address, 0);
            else
                places_piece(&w, address, at.offset, done, NULL);
            if (o.type && o.size > o.type->size && w.last >= o.address + o.type->size) { /* more than one of them */
                w.first = address > o.address + o.type->size ? address : o.address + o.type->size;
                places_piece(&w, w.first, places_offset(p, o.type, w.first - o.address), w.last + 1 - w.first, NULL);
            }
        } else {
            places_piece(&w, address, at.offset, size, NULL);
        }
        address += done;
        size -= done;
    }
}
