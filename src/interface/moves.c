#include "interface/moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"
#include "isa/isa.h"

enum { MOVES_DEPTH = 64 };

/* What follows it is private to this file. */
struct moves_work {
    struct moves is; /* first */
    struct component_replay *replay;
    enum move_kind kind;              /* of the pieces that are added: */
    const uint8_t *bytes;             /* so many, */
    uint32_t address, size;           /* from this address of the node on */
    size_t known[MOVES_DEPTH], depth; /* objects at each call in that is under way */
    uint32_t addresses[MOVES_FUNCTIONS];
    const char *names[MOVES_FUNCTIONS];
    char refusal[200];
};

/* ---- functions ---- */

static uint32_t moves_long(const uint8_t *at)
{
    return (uint32_t)(at[0] | at[1] << 8 | at[2] << 16) | (uint32_t)at[3] << 24;
}

/* docs/interface-log-format.md, sections .motet.crossings: an address, a number, the kind, a text. */
static void moves_find_functions(struct moves_work *w)
{
    enum { TEXT = 9 };
    const uint8_t *at;
    size_t size;
    for (size_t n = 0; (at = image_section(w->is.places.machine->image, ".motet.crossings", n, &size)); n++)
        for (const uint8_t *end = at + size; end - at > TEXT && memchr(at + TEXT, 0, (size_t)(end - at - TEXT));
             at += TEXT + strlen((const char *)at + TEXT) + 1)
            if (moves_long(at + 4) < MOVES_FUNCTIONS) {
                w->addresses[moves_long(at + 4)] = moves_long(at);
                w->names[moves_long(at + 4)] = "";
            }
}

static uint32_t moves_number(struct moves_work *w, const struct interface_event *e)
{
    const struct interface_function *f = &component_replay_header(w->replay)->functions[e->function];
    for (uint32_t i = 0; i < MOVES_FUNCTIONS; i++)
        if (w->names[i] && w->addresses[i] == f->address) {
            w->names[i] = f->name;
            return i;
        }
    snprintf(w->refusal, sizeof w->refusal, "%s crosses the boundary, and the firmware's file does not name it",
             f->name);
    return 0;
}

const char *moves_function(const struct moves *m, uint32_t number)
{
    const struct moves_work *w = (const struct moves_work *)m;
    return number < MOVES_FUNCTIONS ? w->names[number] : NULL;
}

/* ---- moves ---- */

static void moves_add(struct moves_work *w, enum move_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    struct move m = {kind, a, b, c};
    pack_bytes(&w->is.list, &m, sizeof m);
}

static void moves_add_bytes(struct moves_work *w, const uint8_t *bytes, uint32_t size)
{
    static const uint8_t zero[sizeof(struct move)];
    pack_bytes(&w->is.list, bytes, size);
    pack_bytes(&w->is.list, zero, (sizeof zero - size % sizeof zero) % sizeof zero);
}

/* Objects that were met for the first time since `before`. */
static void moves_add_objects(struct moves_work *w, size_t before)
{
    for (size_t i = before; i < w->is.places.count; i++)
        moves_add(w, MOVE_OBJECT, PLACE_FIRST + (uint32_t)i, w->is.places.objects[i].there, 0);
}

static struct place moves_pointer(struct moves_work *w, const struct debug_type *t, uint32_t value)
{
    size_t before = w->is.places.count;
    struct place to = places_of_pointer(&w->is.places, t, value);
    moves_add_objects(w, before);
    return to;
}

static void moves_piece(void *context, const struct places_piece *p)
{
    struct moves_work *w = context;
    if (!p->pointer) {
        moves_add(w, w->kind, p->place.object, p->place.offset, p->size);
        moves_add_bytes(w, w->bytes + (p->address - w->address), p->size);
        return;
    }
    if (p->address < w->address || p->address + p->size > w->address + w->size) /* a half of a pointer */
        return;
    const uint8_t *bytes = w->bytes + (p->address - w->address);
    uint32_t value = (uint32_t)(bytes[0] | bytes[1] << 8);
    struct place to = moves_pointer(w, p->pointer, value);
    moves_add(w, w->kind + 1, p->place.object, p->place.offset, 0);
    moves_add(w, MOVE_POINTER, to.object, to.offset, value);
}

static void moves_add_memory(struct moves_work *w, enum move_kind kind, uint32_t address, const uint8_t *bytes,
                             uint32_t size)
{
    size_t before = w->is.places.count;
    if (!size)
        return;
    places_of(&w->is.places, address, NULL, size);
    moves_add_objects(w, before);
    w->kind = kind;
    w->bytes = bytes;
    w->address = address;
    w->size = size;
    places_pieces(&w->is.places, address, size, moves_piece, w);
}

static void moves_add_buffers(struct moves_work *w, enum move_kind kind, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        moves_add_memory(w, kind, e->bytes[i].address, e->bytes[i].bytes, e->bytes[i].size);
}

/* ---- values ---- */

static const struct debug_type *moves_type(const struct moves_work *w, const struct interface_event *e, uint32_t i)
{
    const struct debug_type *f = component_replay_function(w->replay, e)->call.function;
    return interface_is_return(e) ? f->of : i < f->field_count ? f->fields[i].type : NULL;
}

static void moves_value(struct moves_work *w, const struct interface_event *e, uint32_t i)
{
    const struct debug_type *t = moves_type(w, e, i);
    if (!t || e->wide[i] || t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION) {
        snprintf(w->refusal, sizeof w->refusal, "%s takes or gives a structure by value, which only the simulator can",
                 component_replay_header(w->replay)->functions[e->function].name);
        return;
    }
    if (t->kind == DEBUG_POINTER) {
        struct place to = moves_pointer(w, t, (uint32_t)e->values[i]);
        moves_add(w, MOVE_POINTER, to.object, to.offset, (uint32_t)e->values[i]);
    } else {
        moves_add(w, MOVE_VALUE, t->size, (uint32_t)e->values[i], (uint32_t)(e->values[i] >> 32));
    }
}

/* Objects that parameters lead to have the types of the parameters. */
static void moves_meet(struct moves_work *w, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->value_count; i++) {
        const struct debug_type *t = moves_type(w, e, i);
        if (t && t->kind == DEBUG_POINTER)
            moves_pointer(w, t, (uint32_t)e->values[i]);
    }
}

static void moves_call(struct moves_work *w, enum move_kind kind, const struct interface_event *e)
{
    moves_meet(w, e);
    if (kind == MOVE_CALL_IN || kind == MOVE_RETURN_OUT)
        moves_add_buffers(w, MOVE_PUT, e);
    moves_add(w, kind, moves_number(w, e), e->value_count, (uint32_t)w->is.events);
    for (uint32_t i = 0; i < e->value_count; i++)
        moves_value(w, e, i);
    if (kind == MOVE_CALL_OUT || kind == MOVE_RETURN_IN)
        moves_add_buffers(w, MOVE_SAME, e);
}

/* ---- the listener ---- */

static void moves_event(void *context, const struct interface_event *e)
{
    struct moves_work *w = context;
    w->is.events++;
    switch (e->kind) {
    case INTERFACE_CALL_IN:
        if (w->depth < MOVES_DEPTH)
            w->known[w->depth] = w->is.places.count;
        w->depth++;
        moves_call(w, MOVE_CALL_IN, e);
        break;
    case INTERFACE_RETURN_IN:
        moves_call(w, MOVE_RETURN_IN, e);
        w->depth -= w->depth != 0;
        if (w->depth < MOVES_DEPTH)
            places_forget(&w->is.places, w->known[w->depth]);
        break;
    case INTERFACE_CALL_OUT: moves_call(w, MOVE_CALL_OUT, e); break;
    case INTERFACE_RETURN_OUT: moves_call(w, MOVE_RETURN_OUT, e); break;
    case INTERFACE_READ: moves_add_buffers(w, MOVE_READ, e); break;
    case INTERFACE_SNAPSHOT: moves_add_buffers(w, MOVE_PUT, e); break;
    case INTERFACE_BEGIN:
        moves_add(w, MOVE_RESTART, (uint32_t)w->is.events, 0, 0);
        w->depth = 0;
        places_forget(&w->is.places, 0);
        break;
    default: break;
    }
}

/* A byte of a pointer brings the other one with it. */
static void moves_changed(void *context, uint32_t address, const uint8_t *memory)
{
    struct moves_work *w = context;
    size_t before = w->is.places.count;
    places_of(&w->is.places, address, NULL, 1);
    moves_add_objects(w, before);
    w->kind = MOVE_PUT;
    w->bytes = memory;
    w->address = 0;
    w->size = w->is.places.machine->data_size;
    places_pieces(&w->is.places, address, 1, moves_piece, w);
}

struct moves *moves_new(struct component_replay *r, const struct machine *m, uint32_t growth, struct motet_error *e)
{
    if (image_symbol_named(m->image, "motet_target")) {
        error_set(e, "%s logs one of several components at a time: their logs are replayed in the simulator alone",
                  image_path(m->image));
        return NULL;
    }
    if (!component_replay_is_of_node(r)) {
        error_set(e, "the interface log was made by probes, which place reads by instructions of the chip; only a log "
                     "that the node made itself (motet cc --log-interface) can be executed elsewhere");
        return NULL;
    }
    struct moves_work *w = memory_new(sizeof *w);
    w->replay = r;
    places_make(&w->is.places, m, growth);
    moves_find_functions(w);
    component_replay_listen(r, (struct component_listener){w, moves_event, moves_changed});
    return &w->is;
}

bool moves_end(struct moves *m, bool deviates, struct motet_error *e)
{
    struct moves_work *w = (struct moves_work *)m;
    component_replay_listen(w->replay, (struct component_listener){.context = NULL});
    moves_add(w, MOVE_END, deviates, 0, 0);
    return !w->refusal[0] || error_set(e, "%s", w->refusal);
}

void moves_free(struct moves *m)
{
    struct moves_work *w = (struct moves_work *)m;
    if (!m)
        return;
    places_free(&m->places);
    pack_free(&m->list);
    free(w);
}
