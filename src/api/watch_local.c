/* Watches on local variables: in each frame of their function, for as long as it lives.
 *
 * A variable that has one place in memory all along is watched there. One that is in registers, or here and there, in
 * pieces or at times not at all, is followed: before each instruction of the function its value is put together as
 * debug information has it there, and compared with what it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/named.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "debug/frames.h"
#include "isa/isa.h"
#include "node/taps.h"

enum { FOLLOWED = 64, UNIT = 2 /* bytes, the most that an access has */ };
#define NONE SIZE_MAX

struct framed {
    uint32_t cfa;
    motet_tap *watch; /* in memory; else: */
    uint32_t pc;      /* of its last instruction */
    uint32_t size;    /* of the value; 0: none was seen yet */
    uint8_t value[FOLLOWED];
};

struct local_watch {
    motet_tap *group, *entry, **returns;
    uint32_t *return_at, *epilogue_at; /* an epilogue is a run of instructions that give registers back */
    size_t return_count;
    struct node *node;
    char *expression;
    uint32_t first; /* instruction of the function */
    bool parameter;
    unsigned when;
    motet_watched *watched;
    void *context;
    struct framed *frames; /* innermost last */
    size_t count, room;
};

/* ---- frames ---- */

static void drop_frames(struct local_watch *w, uint32_t up_to)
{
    while (w->count && w->frames[w->count - 1].cfa <= up_to)
        tap_remove(w->frames[--w->count].watch);
}

static struct framed *add_frame(struct local_watch *w, uint32_t cfa)
{
    w->frames = memory_grow(w->frames, &w->room, w->count, sizeof *w->frames);
    struct framed *f = &w->frames[w->count++];
    *f = (struct framed){.cfa = cfa};
    return f;
}

static bool frame_now(const struct local_watch *w, const motet_node *n, uint32_t *cfa)
{
    struct debug_frame frame;
    return !w->group->dead && frames_find(node_seen(n), 0, &frame, cfa);
}

/* The function's end that comes with or after the instruction; or NONE. */
static size_t watch_local_end_at(const struct local_watch *w, uint32_t pc)
{
    for (size_t i = 0; i < w->return_count; i++)
        if (pc >= w->epilogue_at[i] && pc <= w->return_at[i])
            return i;
    return NONE;
}

/* ---- in memory ---- */

static void watch_local_accessed(void *context, const motet_node *n, const struct motet_access *a)
{
    const struct local_watch *w = context;
    if (!w->group->dead)
        w->watched(w->context, n, a);
}

static void frame_made(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct local_watch *w = context;
    struct named v;
    struct motet_error ignored;
    uint32_t cfa;
    (void)pc, (void)after;
    if (!frame_now(w, n, &cfa))
        return;
    drop_frames(w, cfa); /* of frames that were left in another way than by a return */
    if (named_find(n, w->expression, &v, &ignored) && v.in_memory && v.size)
        add_frame(w, cfa)->watch =
            tap_watch(w->node, v.address, v.address + v.size - 1, w->when, watch_local_accessed, w);
}

/* The function is under way already, perhaps several times: its frames, the innermost last. */
static void watch_local_take_frames(struct local_watch *w, const motet_node *n, uint32_t body, uint32_t end)
{
    struct debug_frame frame;
    struct named v;
    struct motet_error ignored;
    uint32_t cfa;
    size_t levels = 0;
    while (frames_find(node_seen(n), levels, &frame, &cfa))
        levels++;
    for (size_t level = levels; level-- > 0;) {
        if (!frames_find(node_seen(n), level, &frame, &cfa) || frame.pc < body || frame.pc >= end)
            continue;
        if (level == 0 && watch_local_end_at(w, frame.pc) != NONE)
            continue; /* about to end */
        if (named_find_in(n, level, w->expression, &v, &ignored) && v.in_memory && v.size)
            add_frame(w, cfa)->watch =
                tap_watch(w->node, v.address, v.address + v.size - 1, w->when, watch_local_accessed, w);
    }
}

static void frame_left(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct local_watch *w = context;
    uint32_t cfa;
    (void)pc, (void)after;
    if (w->count && frame_now(w, n, &cfa))
        drop_frames(w, cfa);
}

/* ---- here and there ---- */

static uint16_t unit_of(const uint8_t *bytes, uint32_t size)
{
    return (uint16_t)(bytes[0] | (size > 1 ? bytes[1] << 8 : 0));
}

/* Reports each changed part of the value, or all parts if there was none. */
static void watch_local_tell(const struct local_watch *w, const motet_node *n, const struct named *v, uint32_t size,
                             uint32_t pc, const uint8_t *now, const uint8_t *before)
{
    for (uint32_t at = 0; at < size && !w->group->dead; at += UNIT) {
        uint32_t length = size - at < UNIT ? size - at : UNIT;
        struct motet_access a = {.address = v->in_memory ? v->address + at : at,
                                 .pc = pc,
                                 .value = unit_of(now + at, length),
                                 .size = (uint8_t)length,
                                 .write = true,
                                 .after = true,
                                 .held = !v->in_memory};
        a.old = before ? unit_of(before + at, length) : a.value;
        if (!before || a.old != a.value)
            w->watched(w->context, n, &a);
    }
}

/* What is there now; 0 if nothing is. Of a bit-field, its number. */
static uint32_t take_value(const struct named *v, uint8_t to[FOLLOWED])
{
    int64_t number;
    if (!v->bits.bit_size) {
        memcpy(to, v->bytes, v->size);
        return v->size;
    }
    if (!debug_number(v->type, &v->bits, v->bytes, &number))
        return 0;
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)((uint64_t)number >> 8 * i);
    return (v->bits.bit_size + 7u) / 8;
}

static struct framed *watch_local_frame_of(struct local_watch *w, uint32_t cfa, bool begins)
{
    drop_frames(w, begins ? cfa : cfa - 1);
    return w->count && w->frames[w->count - 1].cfa == cfa ? &w->frames[w->count - 1] : add_frame(w, cfa);
}

/* The value at an instruction of the frame, reported if it has changed. */
static void watch_local_compare(struct local_watch *w, const motet_node *n, uint32_t cfa, uint32_t pc)
{
    struct framed *f = watch_local_frame_of(w, cfa, pc == w->first);
    struct framed before = *f;
    struct named v;
    struct motet_error ignored;
    f->pc = pc;
    if (!named_find(n, w->expression, &v, &ignored) || v.size > FOLLOWED)
        return;
    uint32_t size = take_value(&v, f->value);
    if (size == 0)
        return;
    f->size = size;
    struct framed now = *f; /* callbacks may move frames */
    if (before.size ? memcmp(before.value, now.value, size) != 0 : !w->parameter)
        watch_local_tell(w, n, &v, size, before.pc ? before.pc : pc, now.value, before.size ? before.value : NULL);
}

/* Of registers that are given back, debug information may say that they still hold what they held. */
static void followed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct local_watch *w = context;
    uint32_t cfa;
    (void)after;
    if (!frame_now(w, n, &cfa))
        return;
    size_t end = watch_local_end_at(w, pc);
    if (end == NONE || pc == w->epilogue_at[end])
        watch_local_compare(w, n, cfa, pc);
    if (end != NONE && pc == w->return_at[end] && !w->group->dead)
        drop_frames(w, cfa);
}

/* ---- life ---- */

static void watch_local_release(void *context)
{
    struct local_watch *w = context;
    drop_frames(w, UINT32_MAX);
    tap_remove(w->entry);
    for (size_t i = 0; w->returns && i < w->return_count; i++)
        tap_remove(w->returns[i]);
    free(w->returns);
    free(w->return_at);
    free(w->epilogue_at);
    free(w->frames);
    free(w->expression);
    free(w);
}

/* The local variable an expression begins with: `name`, `name.member`, `name[3]`... */
static const struct debug_local *local_named(const struct image *i, const struct image_symbol *s, const char *name)
{
    enum { MOST = 64 };
    const struct debug_local *locals[MOST];
    size_t length = strcspn(name, ".[- \t");
    for (uint32_t pc = s->address; pc < s->address + s->size; pc += 2) {
        size_t count = debug_locals_at(i, pc, locals, MOST);
        for (size_t k = 0; k < count && k < MOST; k++)
            if (strncmp(debug_local_name(locals[k]), name, length) == 0 && !debug_local_name(locals[k])[length])
                return locals[k];
    }
    return NULL;
}

/* Whether that is one place in memory all along: what is pointed to, or taken by a variable's index, may move. */
static bool watch_local_stays(const struct debug_local *local, const char *name)
{
    for (const char *at = name; (at = strchr(at, '[')); at++)
        if (!strchr("0123456789", at[1]))
            return false;
    return debug_local_stays(local) && !strstr(name, "->") && !strchr(name, '*');
}

static void find_returns(struct local_watch *w, const motet_machine *m, const char *function)
{
    char where[300];
    struct motet_error ignored;
    snprintf(where, sizeof where, "%s:returns", function);
    w->return_count = motet_machine_find(m, where, NULL, 0, &ignored);
    w->return_at = memory_array(w->return_count + 1, sizeof *w->return_at);
    w->epilogue_at = memory_array(w->return_count + 1, sizeof *w->epilogue_at);
    motet_machine_find(m, where, w->return_at, w->return_count, &ignored);
}

static void find_epilogues(struct local_watch *w)
{
    const struct machine *m = w->node->machine;
    uint32_t at = w->first, begins = at;
    for (size_t i = 0; i < w->return_count; i++) { /* in the order of their addresses */
        while (at < w->return_at[i]) {
            char text[80];
            unsigned length = m->chip->isa->disassemble(m->flash + at, m->code_size - at, at, text, sizeof text);
            at += length ? length : 2;
            if (!length || strncmp(text, "pop", 3) != 0)
                begins = at;
        }
        w->epilogue_at[i] = begins < w->return_at[i] ? begins : w->return_at[i];
    }
}

motet_tap *named_watch_local(motet_node *n, const char *expression, unsigned when, motet_watched *f, void *context,
                             struct motet_error *e)
{
    const struct image *image = n->node->machine->image;
    const char *colons = strstr(expression, "::");
    char function[256];
    snprintf(function, sizeof function, "%.*s", colons ? (int)(colons - expression) : 0, expression);
    const struct image_symbol *s = colons ? image_symbol_named(image, function) : NULL;
    const struct debug_local *local = s && s->kind == IMAGE_SYMBOL_FUNCTION ? local_named(image, s, colons + 2) : NULL;
    if (!local)
        return NULL;
    bool in_memory = watch_local_stays(local, colons + 2);
    if (!in_memory && !(when & MOTET_WRITE)) {
        error_set(e, "'%.100s' is not in one place in memory all the time, so that only its changes can be watched",
                  expression);
        return NULL;
    }
    struct local_watch *w = memory_new(sizeof *w);
    *w = (struct local_watch){.node = n->node,
                              .expression = memory_string(expression),
                              .first = s->address,
                              .parameter = debug_local_is_parameter(local),
                              .when = when,
                              .watched = f,
                              .context = context};
    find_returns(w, n->machine, function);
    find_epilogues(w);
    w->group = tap_group(n->node, watch_local_release, w);
    if (!in_memory) {
        w->entry = tap_probe(n->node, s->address, s->address + s->size - 1, MOTET_BEFORE, followed, w);
        return w->group;
    }
    uint32_t body = image_body(image, s);
    w->entry = tap_probe(n->node, body, body, MOTET_BEFORE, frame_made, w);
    w->returns = memory_array(w->return_count + 1, sizeof(motet_tap *));
    for (size_t i = 0; i < w->return_count; i++)
        w->returns[i] = tap_probe(n->node, w->return_at[i], w->return_at[i], MOTET_BEFORE, frame_left, w);
    watch_local_take_frames(w, n, body, s->address + s->size);
    return w->group;
}
