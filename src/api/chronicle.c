#include "api/chronicle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "image/debug.h"
#include "node/machine.h"
#include "node/map.h"

enum {
    CHRONICLE_NESTED = 16,     /* handlers within handlers that are told apart */
    CHRONICLE_BYTES = 8,       /* of a value that is kept */
    CHRONICLE_COMMON = 100000, /* changes of one value that are kept; more often, they are the rule */
    CHRONICLE_SHOWN = 4,       /* changes of an event that are told */
    CHRONICLE_TOLD = 40,       /* events, in all */
    CHRONICLE_LAST = 8,        /* events between the last choice and the error */
    CHRONICLE_SPANS = 64,      /* times between choices that are looked at, the last */
    CHRONICLE_EACH = 3,        /* events between two choices */
};

/* ---- what there is ---- */

/* A program: the variables of a machine, by their places in data memory. */
struct program {
    const struct machine *machine;
    const struct debug_variable **owners; /* by place from `first` on; NULL: no variable */
    uint32_t first, size;                 /* places of variables */
    uint32_t *changes;                    /* how often the value that begins at a place has changed */
    uint32_t *kept;                       /* and how many of these changes were kept */
    bool *read;                           /* by a property */
};

/* A task or handler under way, or main() itself. */
struct doing {
    uint64_t at;
    uint32_t function;  /* of a task, its address */
    const char *device; /* of a handler: who asked for it; NULL for a task */
    size_t event;       /* SIZE_MAX: nothing has changed yet */
};

struct teller {
    struct chronicle *chronicle;
    struct program *program;
    struct node *node;
    uint32_t number, main_first, main_end;
    uint8_t *before;   /* its variables, as they were last */
    bool starts;       /* start-up code initialises them */
    struct doing idle; /* main() itself, since the last look */
    struct doing doing[CHRONICLE_NESTED];
    unsigned depth;
    motet_tap *tap;
};

struct event {
    uint64_t at;
    uint32_t node; /* number */
    uint32_t function;
    const char *device;
    size_t score;        /* how often the rarest of what it changed changes */
    size_t first, count; /* of its changes, once they are sorted */
    bool told;
};

struct change {
    size_t event;
    uint32_t place;
    size_t order;
    uint8_t before[CHRONICLE_BYTES], after[CHRONICLE_BYTES];
};

struct told {
    uint64_t at;
    uint32_t node; /* id */
    char *what;
    struct motet_check_change changes[CHRONICLE_SHOWN];
    size_t count, more;
};

struct chronicle {
    motet_network *network;
    uint64_t from;
    struct program *programs;
    size_t program_count;
    struct teller *tellers;
    uint32_t nodes;
    struct event *events;
    size_t event_count, event_room;
    struct change *changes;
    size_t change_count, change_room;
    struct told *told;
    size_t told_count;
};

/* ---- values: the parts of a variable that C reads and writes at once ---- */

struct leaf {
    uint32_t offset, size; /* in the variable; bytes */
    const struct debug_type *type;
    const struct debug_field *bits; /* or NULL */
    char path[96];                  /* "[2].etx" */
};

static bool chronicle_bits_changed(const struct debug_field *f, const uint8_t *before, const uint8_t *after)
{
    for (unsigned i = f->bit_offset; i < f->bit_offset + f->bit_size && i < 8 * CHRONICLE_BYTES; i++)
        if ((before[i / 8] ^ after[i / 8]) >> i % 8 & 1)
            return true;
    return false;
}

/* The member that has a byte; of bit-fields, one that has changed, where it is known what they were. */
static const struct debug_field *chronicle_member(const struct debug_type *t, uint32_t offset, const uint8_t *before,
                                                  const uint8_t *after)
{
    for (uint32_t i = 0; i < t->field_count; i++) {
        const struct debug_field *f = &t->fields[i];
        uint32_t size = f->bit_size ? (f->bit_offset + f->bit_size + 7u) / 8u : f->type->size;
        if (offset < f->offset || offset - f->offset >= size)
            continue;
        if (!f->bit_size || !before || chronicle_bits_changed(f, before, after))
            return f;
    }
    return NULL;
}

static void chronicle_add_path(struct leaf *l, const char *format, const char *name, uint32_t number)
{
    size_t used = strlen(l->path);
    snprintf(l->path + used, sizeof l->path - used, format, name, number);
}

/* The value that has a byte of a variable. `before` and `after` begin there, or are NULL. */
static struct leaf chronicle_leaf(const struct debug_variable *v, uint32_t offset, const uint8_t *before,
                                  const uint8_t *after)
{
    struct leaf l = {.size = v->type->size, .type = v->type};
    for (unsigned depth = 0; depth < 16; depth++) {
        uint32_t inner = offset - l.offset;
        if (l.type->kind == DEBUG_ARRAY && l.type->of && l.type->of->size) {
            uint32_t element = inner / l.type->of->size;
            chronicle_add_path(&l, "%s[%u]", "", element);
            l.offset += element * l.type->of->size;
            l.type = l.type->of;
        } else if (l.type->kind == DEBUG_STRUCT || l.type->kind == DEBUG_UNION) {
            const struct debug_field *f = chronicle_member(l.type, inner, before, after);
            if (!f)
                break;
            chronicle_add_path(&l, *f->name ? ".%s" : "%s", f->name, 0);
            l.offset += f->offset;
            l.bits = f->bit_size ? f : NULL;
            l.type = f->type;
        } else {
            break;
        }
        l.size = l.bits ? (l.bits->bit_offset + l.bits->bit_size + 7u) / 8u : l.type->size;
    }
    l.size = l.size ? l.size : 1;
    return l;
}

/* ---- watching ---- */

static uint64_t chronicle_now(const struct teller *t, uint64_t tick)
{
    return motet_network_time(t->chronicle->network, motet_network_at(t->chronicle->network, t->number), tick);
}

static size_t chronicle_begin_event(struct chronicle *s, const struct teller *t, const struct doing *d)
{
    s->events = memory_grow(s->events, &s->event_room, s->event_count, sizeof *s->events);
    s->events[s->event_count] =
        (struct event){.at = d->at, .node = t->number, .function = d->function, .device = d->device};
    return s->event_count++;
}

/* The byte at a place has changed: the value that it belongs to. Returns the place after that value. */
static uint32_t chronicle_note(struct teller *t, struct doing *d, uint32_t place)
{
    struct chronicle *s = t->chronicle;
    struct program *p = t->program;
    const struct debug_variable *v = p->owners[place - p->first];
    if (!v)
        return place + 1;
    uint32_t begin = map_place(p->machine, map_of_image(p->machine, v->address));
    struct leaf l = chronicle_leaf(v, place - begin, NULL, NULL);
    uint32_t at = begin + l.offset, index = at - p->first, size = l.size < CHRONICLE_BYTES ? l.size : CHRONICLE_BYTES;
    p->changes[index]++;
    if (p->kept[index] < CHRONICLE_COMMON && at >= p->first && at + size <= p->first + p->size) {
        p->kept[index]++;
        if (d->event == SIZE_MAX)
            d->event = chronicle_begin_event(s, t, d);
        s->changes = memory_grow(s->changes, &s->change_room, s->change_count, sizeof *s->changes);
        struct change *c = &s->changes[s->change_count++];
        *c = (struct change){.event = d->event, .place = at, .order = s->change_count};
        memcpy(c->before, t->before + index, size);
        memcpy(c->after, t->node->data + at, size);
    }
    return at + l.size > place ? at + l.size : place + 1;
}

/* What has changed since the last look was done by what is under way. */
static void chronicle_look(struct teller *t, uint64_t now)
{
    const struct program *p = t->program;
    const uint8_t *is = t->node->data + p->first;
    struct doing *d = t->depth ? &t->doing[(t->depth < CHRONICLE_NESTED ? t->depth : CHRONICLE_NESTED) - 1] : &t->idle;
    if (!t->starts && memcmp(t->before, is, p->size) != 0)
        for (uint32_t i = 0; i < p->size;)
            i = t->before[i] == is[i] ? i + 1 : chronicle_note(t, d, p->first + i) - p->first;
    memcpy(t->before, is, p->size);
    t->starts = false;
    t->idle = (struct doing){now, t->main_first, NULL, SIZE_MAX};
}

static void chronicle_push(struct teller *t, uint64_t now, uint32_t function, const char *device)
{
    if (t->depth < CHRONICLE_NESTED)
        t->doing[t->depth] = (struct doing){now, function, device, SIZE_MAX};
    t->depth++;
}

static bool chronicle_in_main(const struct teller *t, uint32_t pc)
{
    return pc >= t->main_first && pc < t->main_end;
}

static bool chronicle_in_handler(const struct teller *t)
{
    return t->depth && (t->depth > CHRONICLE_NESTED || t->doing[t->depth - 1].device);
}

static bool chronicle_begins_task(const struct teller *t, const struct motet_happened *h)
{
    return h->what == MOTET_ON_CALL && !chronicle_in_handler(t) && chronicle_in_main(t, h->call.from);
}

static bool chronicle_ends(const struct teller *t, const struct motet_happened *h)
{
    return (h->what == MOTET_ON_INTERRUPT_EXIT && chronicle_in_handler(t)) ||
           (h->what == MOTET_ON_RETURN && t->depth && !chronicle_in_handler(t) && chronicle_in_main(t, h->call.to));
}

static void chronicle_hooked(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct teller *t = context;
    bool enters = h->what == MOTET_ON_INTERRUPT_ENTRY, begins = chronicle_begins_task(t, h),
         ends = chronicle_ends(t, h);
    (void)n;
    if (h->what == MOTET_ON_RESET) {
        t->depth = 0;
        t->starts = true;
    }
    if (!enters && !begins && !ends && h->what != MOTET_ON_FAULT)
        return;
    uint64_t now = chronicle_now(t, h->tick);
    if (now >= t->chronicle->from)
        chronicle_look(t, now);
    if (enters) {
        chronicle_push(t, now, 0, h->interrupt.name);
    } else if (begins) {
        t->depth = 0;
        chronicle_push(t, now, h->call.to, NULL);
    } else if (ends) {
        t->depth--;
    }
}

/* ---- life ---- */

static struct program *chronicle_program(struct chronicle *s, const struct machine *m)
{
    const struct debug_variable *list;
    size_t count = debug_variables(m->image, &list);
    for (size_t i = 0; i < s->program_count; i++)
        if (s->programs[i].machine == m)
            return &s->programs[i];
    struct program *p = &s->programs[s->program_count++];
    uint32_t end = m->stack_limit ? map_place(m, m->stack_limit) : MAP_NOWHERE;
    *p = (struct program){.machine = m, .first = m->register_size};
    p->size = (end != MAP_NOWHERE && end > p->first ? end : m->data_size) - p->first;
    p->owners = memory_array(p->size, sizeof *p->owners);
    p->changes = memory_array(p->size, sizeof *p->changes);
    p->kept = memory_array(p->size, sizeof *p->kept);
    p->read = memory_array(p->size, sizeof *p->read);
    for (size_t i = 0; i < count; i++) {
        uint32_t place = map_place(m, map_of_image(m, list[i].address));
        for (uint32_t k = 0; place != MAP_NOWHERE && k < list[i].type->size; k++)
            if (place + k >= p->first && place + k - p->first < p->size && !p->owners[place + k - p->first])
                p->owners[place + k - p->first] = &list[i];
    }
    return p;
}

struct chronicle *chronicle_new(motet_network *n, uint64_t from)
{
    struct chronicle *s = memory_new(sizeof *s);
    *s = (struct chronicle){.network = n, .from = from, .nodes = (uint32_t)motet_network_count(n)};
    s->programs = memory_array(s->nodes, sizeof *s->programs);
    s->tellers = memory_array(s->nodes, sizeof *s->tellers);
    for (uint32_t i = 0; i < s->nodes; i++) {
        struct teller *t = &s->tellers[i];
        motet_node *node = motet_network_at(n, i);
        const struct image_symbol *entry = image_symbol_named(node->node->machine->image, "main");
        *t = (struct teller){.chronicle = s, .node = node->node, .number = i, .starts = true};
        t->program = chronicle_program(s, node->node->machine);
        t->main_first = entry ? entry->address : 0;
        t->main_end = entry ? entry->address + entry->size : 0;
        t->before = memory_new(t->program->size);
        t->tap = motet_hook(node,
                            MOTET_ON(RESET) | MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT) | MOTET_ON(CALL) |
                                MOTET_ON(RETURN) | MOTET_ON(FAULT),
                            chronicle_hooked, t);
    }
    return s;
}

static void chronicle_unhook(struct chronicle *s)
{
    for (uint32_t i = 0; i < s->nodes; i++) {
        motet_tap_remove(s->tellers[i].tap);
        s->tellers[i].tap = NULL;
    }
}

static void chronicle_free_watching(struct chronicle *s)
{
    chronicle_unhook(s);
    for (size_t i = 0; i < s->program_count; i++) {
        free(s->programs[i].owners);
        free(s->programs[i].changes);
        free(s->programs[i].kept);
        free(s->programs[i].read);
    }
    for (uint32_t i = 0; i < s->nodes; i++)
        free(s->tellers[i].before);
    free(s->programs);
    free(s->tellers);
    free(s->events);
    free(s->changes);
    s->programs = NULL;
    s->tellers = NULL;
    s->events = NULL;
    s->changes = NULL;
    s->program_count = s->event_count = s->change_count = 0;
    s->nodes = 0;
}

void chronicle_free(struct chronicle *s)
{
    if (!s)
        return;
    chronicle_free_watching(s);
    for (size_t i = 0; i < s->told_count; i++) {
        free(s->told[i].what);
        for (size_t k = 0; k < s->told[i].count; k++) {
            free((char *)(uintptr_t)s->told[i].changes[k].name);
            free((char *)(uintptr_t)s->told[i].changes[k].before);
            free((char *)(uintptr_t)s->told[i].changes[k].after);
        }
    }
    free(s->told);
    free(s);
}

/* ---- what is worth telling ---- */

static int chronicle_by_event(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* Each value once for an event: from what it was at first to what it became at last, if that is something else. */
static void chronicle_merge(struct chronicle *s)
{
    size_t kept = 0;
    if (s->change_count)
        qsort(s->changes, s->change_count, sizeof *s->changes, chronicle_by_event);
    for (size_t i = 0; i < s->change_count;) {
        struct change one = s->changes[i];
        for (; i < s->change_count && s->changes[i].event == one.event && s->changes[i].place == one.place; i++)
            memcpy(one.after, s->changes[i].after, CHRONICLE_BYTES);
        if (memcmp(one.before, one.after, CHRONICLE_BYTES) != 0)
            s->changes[kept++] = one;
    }
    s->change_count = kept;
}

/* The lower, the rarer. */
static size_t chronicle_rarity(const struct chronicle *s, const struct change *c)
{
    const struct program *p = s->tellers[s->events[c->event].node].program;
    return p->read[c->place - p->first] ? 0 : p->changes[c->place - p->first];
}

static void chronicle_score(struct chronicle *s, const struct properties *judged)
{
    for (uint32_t i = 0; judged && i < s->nodes; i++) {
        struct program *p = s->tellers[i].program;
        for (uint32_t k = 0; k < p->size; k++)
            p->read[k] |= properties_has_read(judged, i, k);
    }
    for (size_t i = 0; i < s->event_count; i++)
        s->events[i].score = SIZE_MAX;
    for (size_t i = 0; i < s->change_count; i++) {
        struct event *e = &s->events[s->changes[i].event];
        size_t rarity = chronicle_rarity(s, &s->changes[i]);
        e->score = rarity < e->score ? rarity : e->score;
    }
}

/* Tells the rarest events of a time, so many at most; of those that are as rare, the first or the last. */
static unsigned chronicle_choose(struct chronicle *s, uint64_t from, uint64_t until, unsigned most, bool last)
{
    unsigned chosen = 0;
    for (unsigned i = 0; i < most && chosen == i; i++) {
        struct event *best = NULL;
        for (size_t k = 0; k < s->event_count; k++) {
            struct event *e = &s->events[k];
            if (!e->told && e->score != SIZE_MAX && e->at >= from && e->at <= until &&
                (!best || e->score < best->score ||
                 (e->score == best->score && (last ? e->at > best->at : e->at < best->at))))
                best = e;
        }
        if (best) {
            best->told = true;
            chosen++;
        }
    }
    return chosen;
}

/* The last that the node did before the error is told however common it is. */
static void chronicle_choose_last(struct chronicle *s, uint64_t until, uint32_t node)
{
    struct event *last = NULL;
    for (size_t i = 0; i < s->event_count; i++) {
        struct event *e = &s->events[i];
        if (e->score != SIZE_MAX && e->at <= until && motet_node_id(motet_network_at(s->network, e->node)) == node &&
            (!last || e->at >= last->at))
            last = e;
    }
    if (last)
        last->told = true;
}

/* Between choices a few, and more after the last. Of very many choices only the last have any. */
static void chronicle_select(struct chronicle *s, const struct trace *choices, uint64_t until, uint32_t node)
{
    uint64_t end = until;
    unsigned left = CHRONICLE_TOLD, quota = CHRONICLE_LAST, spans = 0;
    chronicle_choose_last(s, until, node);
    for (size_t i = choices->count + 1; i-- > 0 && left && spans < CHRONICLE_SPANS;) {
        uint64_t begin = i ? choices->list[i - 1].at : s->from;
        if (begin < s->from || begin > end || (!i && choices->count))
            continue;
        left -= chronicle_choose(s, begin, end, quota < left ? quota : left, end == until);
        quota = CHRONICLE_EACH;
        end = begin ? begin - 1 : 0;
        spans++;
    }
}

/* ---- in words ---- */

static const char *chronicle_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* As the firmware's author knows it; with its file or function where the name alone would be ambiguous. */
static char *chronicle_name(const struct machine *m, const struct debug_variable *v, const char *path)
{
    const struct debug_variable *list;
    size_t count = debug_variables(m->image, &list), same = 0;
    for (size_t i = 0; i < count; i++)
        same += strcmp(list[i].name, v->name) == 0;
    if (same > 1 && v->function)
        return memory_format("%s::%s%s", v->function, v->name, path);
    if (same > 1 && v->file)
        return memory_format("%s::%s%s", chronicle_base(v->file), v->name, path);
    return memory_format("%s%s", v->name, path);
}

static char *chronicle_value(const struct leaf *l, const uint8_t *bytes)
{
    char text[48] = "?";
    if (l->bits)
        debug_format_bits(l->bits, bytes, text, sizeof text);
    else if (l->size <= CHRONICLE_BYTES)
        debug_format(l->type, bytes, text, sizeof text);
    return memory_format("%s", text);
}

static char *chronicle_what(const struct chronicle *s, const struct event *e)
{
    char name[128];
    const struct image *image = s->tellers[e->node].program->machine->image;
    if (!e->device && e->function == s->tellers[e->node].main_first)
        return memory_format("main");
    const struct image_symbol *f = e->device ? NULL : image_symbol_at(image, e->function);
    if (e->device)
        return memory_format("interrupt of %s", e->device);
    return f ? memory_format("task %s", image_readable(f->name, name, sizeof name))
             : memory_format("task at 0x%x", e->function);
}

static void chronicle_tell_change(const struct chronicle *s, const struct change *c, struct told *t)
{
    const struct program *p = s->tellers[s->events[c->event].node].program;
    const struct debug_variable *v = p->owners[c->place - p->first];
    struct leaf l =
        chronicle_leaf(v, c->place - map_place(p->machine, map_of_image(p->machine, v->address)), c->before, c->after);
    t->changes[t->count++] = (struct motet_check_change){chronicle_name(p->machine, v, l.path),
                                                         chronicle_value(&l, c->before), chronicle_value(&l, c->after)};
}

/* The rarest changes of an event. */
static void chronicle_tell_event(const struct chronicle *s, struct change *list, size_t count, const struct event *e,
                                 struct told *t)
{
    *t = (struct told){.at = e->at, .node = motet_node_id(motet_network_at(s->network, e->node))};
    t->what = chronicle_what(s, e);
    for (unsigned shown = 0; shown < CHRONICLE_SHOWN && shown < count; shown++) {
        size_t best = shown;
        for (size_t i = shown + 1; i < count; i++)
            if (chronicle_rarity(s, &list[i]) < chronicle_rarity(s, &list[best]))
                best = i;
        struct change rarest = list[best];
        memmove(&list[shown + 1], &list[shown], (best - shown) * sizeof *list);
        list[shown] = rarest;
        chronicle_tell_change(s, &list[shown], t);
    }
    t->more = count - t->count;
}

static int chronicle_by_time(const void *a, const void *b)
{
    const struct told *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

void chronicle_tell(struct chronicle *s, const struct trace *choices, uint64_t until, uint32_t node,
                    const struct properties *p)
{
    chronicle_unhook(s);
    for (uint32_t i = 0; i < s->nodes; i++) /* what the error has interrupted */
        if (!s->tellers[i].starts)
            chronicle_look(&s->tellers[i], until);
    chronicle_merge(s);
    chronicle_score(s, p);
    chronicle_select(s, choices, until, node);
    s->told = memory_array(s->event_count + 1, sizeof *s->told);
    for (size_t i = 0; i < s->change_count;) {
        size_t event = s->changes[i].event, end = i;
        while (end < s->change_count && s->changes[end].event == event)
            end++;
        if (s->events[event].told)
            chronicle_tell_event(s, s->changes + i, end - i, &s->events[event], &s->told[s->told_count++]);
        i = end;
    }
    qsort(s->told, s->told_count, sizeof *s->told, chronicle_by_time);
    chronicle_free_watching(s);
}

bool chronicle_event(const struct chronicle *s, size_t number, struct motet_check_event *e)
{
    if (!s || number >= s->told_count)
        return false;
    const struct told *t = &s->told[number];
    *e = (struct motet_check_event){t->at, t->node, t->what, t->changes, t->count, t->more};
    return true;
}
