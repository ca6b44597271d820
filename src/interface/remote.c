#include "interface/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "interface/boundary.h"
#include "isa/isa.h"

enum { REMOTE_PIECE = 200, REMOTE_READ = 100 };

struct remote_slot {
    uint32_t own, room; /* in the node's arena */
    uint32_t at;        /* that, or what the component has handed out */
    bool known;         /* the component has its address */
};

struct remote_read {
    const struct move *move;
    bool taken; /* the node has it */
};

struct remote {
    struct moves *moves;
    const struct image *image; /* of the node's firmware */
    int line;
    unsigned patience;
    const struct move *next;
    struct remote_slot *slots; /* by object */
    size_t slot_room;
    uint32_t arena, arena_end;
    size_t ahead;                      /* bytes of reads that the node can take with a call */
    uint32_t entries[MOVES_FUNCTIONS]; /* as the chip has a pointer to them */
    struct remote_read *reads;
    size_t read_count, read_room;
    uint8_t here[1024]; /* memory of the node that was asked for */
    uint32_t here_object, here_first, here_count;
    uint8_t hello;
    struct remote_end *end;
    struct motet_error *e;
};

/* ---- the line ---- */

static bool remote_send(struct remote *r, const void *bytes, size_t count)
{
    for (const uint8_t *at = bytes; count;) {
        ssize_t done = write(r->line, at, count);
        if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
            poll(&(struct pollfd){.fd = r->line, .events = POLLOUT}, 1, 100);
            continue;
        }
        if (done <= 0)
            return error_set(r->e, "the serial line cannot be written: %s", strerror(errno));
        at += done;
        count -= (size_t)done;
    }
    return true;
}

static bool remote_get(struct remote *r, void *bytes, size_t count, unsigned patience)
{
    for (uint8_t *at = bytes; count;) {
        struct pollfd f = {.fd = r->line, .events = POLLIN};
        if (poll(&f, 1, (int)patience) <= 0)
            return error_set(r->e, "the node does not answer after event %" PRIu64 " of the log", r->end->event);
        ssize_t done = read(r->line, at, count);
        if (done < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (done <= 0)
            return error_set(r->e, "the serial line has ended after event %" PRIu64 " of the log", r->end->event);
        at += done;
        count -= (size_t)done;
    }
    return true;
}

static bool remote_command(struct remote *r, char letter, uint32_t address, uint32_t size)
{
    uint8_t bytes[] = {(uint8_t)letter, (uint8_t)address, (uint8_t)(address >> 8), (uint8_t)size};
    return remote_send(r, bytes, sizeof bytes);
}

static bool remote_write(struct remote *r, uint32_t address, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t done = 0, part; done < size; done += part) {
        part = size - done < REMOTE_PIECE ? size - done : REMOTE_PIECE;
        if (!remote_command(r, 'W', address + done, part) || !remote_send(r, bytes + done, part))
            return false;
    }
    return true;
}

static bool remote_memory(struct remote *r, uint32_t address, uint8_t *bytes, uint32_t size)
{
    for (uint32_t done = 0, part; done < size; done += part) {
        part = size - done < REMOTE_PIECE ? size - done : REMOTE_PIECE;
        if (!remote_command(r, 'M', address + done, part) || !remote_get(r, bytes + done, part, r->patience))
            return false;
    }
    return true;
}

/* The node starts anew and says who it is. What it had to say before is skipped. */
static bool remote_begin(struct remote *r)
{
    enum { WAIT = 500 };
    uint64_t build = boundary_build(r->image), found = 0;
    for (unsigned waited = 0; waited <= r->patience; waited += WAIT) {
        struct motet_error quiet = {""}, *e = r->e;
        uint8_t hello[2] = {'H', ++r->hello}, byte[2] = {0}, id[8];
        if (!remote_send(r, "Z", 1))
            return false;
        usleep(50000);
        if (!remote_send(r, hello, sizeof hello))
            return false;
        r->e = &quiet;
        while (!(byte[0] == hello[0] && byte[1] == hello[1])) {
            byte[0] = byte[1];
            if (!remote_get(r, &byte[1], 1, WAIT))
                break;
        }
        bool answered = byte[0] == hello[0] && byte[1] == hello[1] && remote_get(r, id, sizeof id, WAIT);
        r->e = e;
        if (!answered)
            continue;
        for (unsigned i = 0; i < sizeof id; i++)
            found |= (uint64_t)id[i] << (8 * i);
        return found == build || error_set(r->e,
                                           "the node has build %016" PRIx64 ", and %s is build %016" PRIx64
                                           "; put that firmware on the node",
                                           found, image_path(r->image), build);
    }
    return error_set(r->e,
                     "no node answers; put a firmware of motet cc --replay-interface on it, and connect its serial "
                     "port");
}

/* ---- places ---- */

static unsigned remote_code_unit(const struct remote *r)
{
    return r->moves->places.code_unit;
}

/* A function of the logged firmware, by its name in that of the node. */
static uint32_t remote_function(const struct remote *r, uint32_t address)
{
    const struct image_symbol *s = image_symbol_at(r->moves->places.machine->image, address);
    const struct image_symbol *there = s && s->address == address ? image_symbol_named(r->image, s->name) : NULL;
    return (there ? there->address : address) / remote_code_unit(r);
}

static const char *remote_base(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

/* The variable of the node's firmware; 0: it has none. */
static uint32_t remote_variable(const struct remote *r, const struct debug_variable *v)
{
    const struct debug_variable *all;
    size_t count = debug_variables(r->image, &all);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, v->name) == 0 && all[i].line == v->line && all[i].type &&
            all[i].type->size == v->type->size && strcmp(remote_base(all[i].file), remote_base(v->file)) == 0)
            return all[i].address - r->moves->places.machine->chip->isa->spaces.data;
    return 0;
}

static bool remote_is_variable(const struct remote *r, uint32_t object)
{
    return object >= PLACE_FIRST && object - PLACE_FIRST < r->moves->places.variables;
}

static struct remote_slot *remote_slot(struct remote *r, uint32_t object)
{
    size_t index = object - PLACE_FIRST;
    if (index >= r->slot_room) {
        size_t room = index + 64;
        r->slots = memory_resize(r->slots, room, sizeof *r->slots);
        memset(r->slots + r->slot_room, 0, (room - r->slot_room) * sizeof *r->slots);
        r->slot_room = room;
    }
    return &r->slots[index];
}

/* An object of its own in the arena, or the variable. */
static bool remote_object(struct remote *r, uint32_t object, uint32_t size)
{
    enum { LEAST = 16 };
    struct remote_slot *s = remote_slot(r, object);
    if (remote_is_variable(r, object)) {
        const struct places_object *o = &r->moves->places.objects[object - PLACE_FIRST];
        size = o->size;
        s->at = s->own = s->own ? s->own : remote_variable(r, o->variable);
        if (s->own)
            return true;
    }
    size = size < LEAST ? LEAST : size + (size & 1);
    if (!s->own || s->room < size) {
        if (r->arena_end - r->arena < size)
            return error_set(r->e, "the node has too little memory for objects of the firmware outside; build its "
                                   "firmware with a larger --log-buffer");
        s->own = r->arena;
        s->room = size;
        r->arena += size;
    }
    s->at = s->own;
    s->known = false;
    return true;
}

static bool remote_place(struct remote *r, uint32_t object, uint32_t offset, uint32_t *address)
{
    *address = offset;
    if (object == PLACE_NULL || object == PLACE_REGISTERS)
        return true;
    if (object == PLACE_CODE) {
        *address = remote_function(r, offset);
        return true;
    }
    if (!remote_slot(r, object)->at && !remote_object(r, object, offset + 1))
        return false;
    *address = remote_slot(r, object)->at + offset;
    return true;
}

/* Where a pointer is to lead, which the component gets. */
static bool remote_target(struct remote *r, const struct move *m, uint32_t *address)
{
    if (!remote_place(r, m->a, m->b, address))
        return false;
    if (m->a >= PLACE_FIRST)
        remote_slot(r, m->a)->known = true;
    return true;
}

/* Whether a pointer of the node leads where that of the log does. What has no name is taken for it. */
static bool remote_same_pointer(struct remote *r, const struct move *m, uint32_t here)
{
    uint32_t there;
    if (m->a >= PLACE_FIRST && !remote_is_variable(r, m->a) && here) {
        remote_slot(r, m->a)->at = here - m->b;
        remote_slot(r, m->a)->known = true;
        return true;
    }
    return remote_place(r, m->a, m->b, &there) && here == (there & 0xffff);
}

/* ---- differences ---- */

__attribute__((format(printf, 2, 3))) static bool remote_differs(struct remote *r, const char *format, ...)
{
    va_list args;
    int used = snprintf(r->end->how, sizeof r->end->how, "event %" PRIu64 ": ", r->end->event);
    va_start(args, format);
    vsnprintf(r->end->how + used, sizeof r->end->how - (size_t)used, format, args);
    va_end(args);
    r->end->differs = true;
    return false;
}

static const char *remote_name(const struct remote *r, uint32_t number)
{
    const char *name = moves_function(r->moves, number);
    return name && *name ? name : "a function that the log has not";
}

static const char *remote_next_words(const struct remote *r, char *text, size_t size)
{
    bool call = r->next->kind == MOVE_CALL_IN || r->next->kind == MOVE_CALL_OUT;
    bool back = r->next->kind == MOVE_RETURN_IN || r->next->kind == MOVE_RETURN_OUT;
    snprintf(text, size, "%s%s",
             call   ? "a call of "
             : back ? "the return of "
                    : "something else",
             call || back ? remote_name(r, r->next->a) : "");
    return text;
}

/* ---- moves ---- */

static const struct move *remote_after(const struct move *m)
{
    switch (m->kind) {
    case MOVE_PUT:
    case MOVE_READ:
    case MOVE_SAME: return m + 1 + (m->c + sizeof *m - 1) / sizeof *m;
    case MOVE_PUT_POINTER:
    case MOVE_READ_POINTER:
    case MOVE_SAME_POINTER: return m + 2;
    default: return m + 1;
    }
}

/* The bytes that a move puts or compares, as the node is to have them; their number, 0 with an error. */
static uint32_t remote_bytes(struct remote *r, const struct move *m, uint8_t pointer[2], const uint8_t **bytes)
{
    uint32_t value;
    *bytes = pointer;
    if (m->kind == MOVE_PUT || m->kind == MOVE_READ || m->kind == MOVE_SAME) {
        *bytes = (const uint8_t *)(m + 1);
        return m->c;
    }
    if (!remote_target(r, m + 1, &value))
        return 0;
    pointer[0] = (uint8_t)value;
    pointer[1] = (uint8_t)(value >> 8);
    return 2;
}

static bool remote_put(struct remote *r, const struct move *m)
{
    uint8_t pointer[2];
    const uint8_t *bytes;
    uint32_t address, size = remote_bytes(r, m, pointer, &bytes);
    return size && remote_place(r, m->a, m->b, &address) &&
           (m->a == PLACE_REGISTERS || remote_write(r, address, bytes, size));
}

/* What comes before the next call or return. */
static bool remote_outside(struct remote *r)
{
    for (;; r->next = remote_after(r->next))
        if (r->next->kind == MOVE_OBJECT) {
            if (!remote_object(r, r->next->a, r->next->b))
                return false;
        } else if (r->next->kind == MOVE_PUT || r->next->kind == MOVE_PUT_POINTER) {
            if (!remote_put(r, r->next))
                return false;
        } else {
            return true;
        }
}

/* ---- comparing ---- */

static bool remote_same_value(struct remote *r, const struct move *m, const uint8_t *bytes, uint32_t size,
                              const char *function, unsigned number)
{
    uint64_t here = 0, there = m->b | (uint64_t)m->c << 32;
    char what[40] = "the result";
    for (uint32_t i = 0; i < size && i < 8; i++)
        here |= (uint64_t)bytes[i] << (8 * i);
    if (number)
        snprintf(what, sizeof what, "parameter %u", number);
    r->end->compared++;
    if (m->kind == MOVE_POINTER)
        return remote_same_pointer(r, m, (uint32_t)here) ||
               remote_differs(r, "%s: %s leads elsewhere on the node than 0x%04" PRIx32 " in the log", function, what,
                              m->c);
    return here == there || remote_differs(r, "%s: %s is %" PRIu64 " on the node and %" PRIu64 " in the log", function,
                                           what, here, there);
}

/* Values of a call or return; the node has sent `count` bytes of them. */
static bool remote_same_values(struct remote *r, const struct move *m, const uint8_t *bytes, uint32_t count,
                               const char *function)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->b; i++, r->next++) {
        uint32_t size = r->next->kind == MOVE_POINTER ? 2 : r->next->a;
        if (at + size > count)
            return error_set(r->e,
                             "the node has other parameters for %s than the log; build its firmware of the same "
                             "sources",
                             function);
        if (!remote_same_value(r, r->next, bytes + at, size, function, m->kind == MOVE_RETURN_IN ? 0 : i + 1))
            return false;
        at += size;
    }
    return true;
}

static uint32_t remote_size(const struct move *m)
{
    return m->kind == MOVE_SAME ? m->c : 2;
}

/* Memory of the node from a move's place on, in one piece with that of the moves after it about the same object. */
static bool remote_fetch(struct remote *r)
{
    const struct move *m = r->next;
    uint32_t last = m->b + remote_size(m), address;
    for (const struct move *n = remote_after(m); n->kind == MOVE_SAME || n->kind == MOVE_SAME_POINTER;
         n = remote_after(n)) {
        if (n->a != m->a || n->b < m->b || n->b + remote_size(n) - m->b > sizeof r->here)
            break;
        if (n->b + remote_size(n) > last)
            last = n->b + remote_size(n);
    }
    r->here_object = m->a;
    r->here_first = m->b;
    r->here_count = last - m->b < sizeof r->here ? last - m->b : sizeof r->here;
    return remote_place(r, m->a, m->b, &address) && remote_memory(r, address, r->here, r->here_count);
}

static bool remote_same_memory(struct remote *r, const char *function)
{
    const struct move *m = r->next;
    uint32_t size = remote_size(m);
    const struct places *p = &r->moves->places;
    const char *name = remote_is_variable(r, m->a) ? p->objects[m->a - PLACE_FIRST].variable->name : "an object";
    bool there = m->a == r->here_object && m->b >= r->here_first && m->b + size - r->here_first <= r->here_count;
    if (!there && !remote_fetch(r))
        return false;
    const uint8_t *here = r->here + (m->b - r->here_first), *bytes = (const uint8_t *)(m + 1);
    r->end->compared += m->kind == MOVE_SAME ? size : 1;
    if (m->kind == MOVE_SAME_POINTER)
        return remote_same_pointer(r, m + 1, here[0] | (uint32_t)here[1] << 8) ||
               remote_differs(r, "%s: the pointer at byte %" PRIu32 " of %s leads elsewhere than in the log", function,
                              m->b, name);
    for (uint32_t i = 0; i < size && i < r->here_count; i++)
        if (here[i] != bytes[i])
            return remote_differs(r, "%s: byte %" PRIu32 " of %s is 0x%02x on the node and 0x%02x in the log", function,
                                  m->b + i, name, here[i], bytes[i]);
    return true;
}

static bool remote_same_all(struct remote *r, const uint8_t *bytes, uint32_t count)
{
    const struct move *m = r->next++;
    const char *function = remote_name(r, m->a);
    r->end->event = m->c;
    r->here_count = 0;
    if (!remote_same_values(r, m, bytes, count, function))
        return false;
    for (; r->next->kind == MOVE_SAME || r->next->kind == MOVE_SAME_POINTER || r->next->kind == MOVE_OBJECT;
         r->next = remote_after(r->next))
        if (r->next->kind == MOVE_OBJECT ? !remote_object(r, r->next->a, r->next->b) : !remote_same_memory(r, function))
            return false;
    return true;
}

/* ---- reads ---- */

static bool remote_begin_inside(struct remote *r)
{
    r->read_count = 0;
    for (;; r->next = remote_after(r->next)) {
        if (r->next->kind == MOVE_OBJECT) {
            if (!remote_object(r, r->next->a, r->next->b))
                return false;
            continue;
        }
        if (r->next->kind != MOVE_READ && r->next->kind != MOVE_READ_POINTER)
            return true;
        r->reads = memory_grow(r->reads, &r->read_room, r->read_count, sizeof *r->reads);
        r->reads[r->read_count++] = (struct remote_read){r->next, false};
    }
}

static size_t remote_reads_left(const struct remote *r)
{
    size_t left = 0;
    for (size_t i = 0; i < r->read_count; i++)
        left += !r->reads[i].taken;
    return left;
}

/* Whether the component reads an object at an address that is known here: a local one's is when it is handed out. */
static bool remote_is_known(struct remote *r, uint32_t object)
{
    return object < PLACE_FIRST || remote_is_variable(r, object) || remote_slot(r, object)->known;
}

/* What the component will read until it leaves, as far as that fits; the node asks for the rest. It also asks where the
 * log ends or has a gap. */
static bool remote_send_reads(struct remote *r)
{
    struct pack p = {.count = 0};
    uint8_t pointer[2];
    const uint8_t *bytes;
    bool good = true;
    for (size_t i = 0; good && i < r->read_count; i++) {
        const struct move *m = r->reads[i].move;
        uint32_t address, size = remote_bytes(r, m, pointer, &bytes);
        good = size && remote_place(r, m->a, m->b, &address);
        if (!good || !remote_is_known(r, m->a) || size > REMOTE_READ || p.count + 3 + size > r->ahead)
            break; /* those after it are asked for, too: the first of an address comes first */
        pack_number(&p, address, 2);
        pack_number(&p, size, 1);
        pack_bytes(&p, bytes, size);
        r->reads[i].taken = true;
    }
    bool ask = r->next->kind == MOVE_RESTART || r->next->kind == MOVE_END || remote_reads_left(r);
    uint8_t head[] = {ask, (uint8_t)p.count, (uint8_t)(p.count >> 8)};
    good = good && remote_send(r, head, sizeof head) && (!p.count || remote_send(r, p.bytes, p.count));
    pack_free(&p);
    return good;
}

/* The next that was not taken, at the lowest address from `from` on. */
static struct remote_read *remote_find_read(struct remote *r, uint32_t from, uint32_t to, uint32_t *found_at)
{
    struct remote_read *found = NULL;
    uint32_t at;
    for (size_t i = 0; i < r->read_count; i++)
        if (!r->reads[i].taken && remote_place(r, r->reads[i].move->a, r->reads[i].move->b, &at) && at >= from &&
            at < to && (!found || at < *found_at)) {
            found = &r->reads[i];
            *found_at = at;
        }
    return found;
}

/* A local object whose address the log has not shown yet. */
static struct remote_read *remote_find_local(struct remote *r, uint32_t at)
{
    const struct machine *m = r->moves->places.machine;
    struct place known = {PLACE_NULL, 0};
    for (size_t i = 0; i < r->moves->places.variables && !known.object; i++) {
        const struct remote_slot *s = remote_slot(r, PLACE_FIRST + (uint32_t)i);
        if (s->at && at - s->at < r->moves->places.objects[i].size)
            known.object = PLACE_FIRST;
    }
    for (size_t i = 0; i < r->read_count && !known.object && at >= m->ram->first; i++) {
        const struct move *is = r->reads[i].move;
        if (r->reads[i].taken || is->a < PLACE_FIRST || remote_is_variable(r, is->a) || remote_slot(r, is->a)->known)
            continue;
        remote_slot(r, is->a)->at = at - is->b;
        remote_slot(r, is->a)->known = true;
        return &r->reads[i];
    }
    return NULL;
}

static bool remote_sized(struct remote *r, const uint8_t *bytes, uint32_t size)
{
    uint8_t count = (uint8_t)size;
    return remote_send(r, &count, 1) && (!size || remote_send(r, bytes, size));
}

/* The component is about to read. */
static bool remote_look(struct remote *r, uint32_t at, uint32_t size)
{
    uint8_t pointer[2], first[2];
    const uint8_t *bytes = NULL, *value = NULL;
    uint32_t found = at, value_size = 0, count;
    struct remote_read *read = remote_find_read(r, at, at + size, &found);
    if (!read)
        read = remote_find_local(r, at);
    for (uint32_t from = at; read; read = remote_find_read(r, from, at + size, &found)) {
        if (!(count = remote_bytes(r, read->move, pointer, &bytes)) || !remote_put(r, read->move))
            return false;
        read->taken = true;
        if (found == at) {
            memcpy(first, pointer, sizeof first);
            value = bytes == pointer ? first : bytes;
            value_size = count;
        }
        from = found + count;
    }
    return remote_send(r, "A", 1) && remote_sized(r, value, value_size);
}

static bool remote_end_inside(struct remote *r, unsigned left)
{
    const struct places *p = &r->moves->places;
    if (left)
        return remote_differs(r, "in the log the component reads %u times more before it leaves than on the node",
                              left);
    for (size_t i = 0; i < r->read_count; i++) {
        const struct move *m = r->reads[i].move;
        if (!r->reads[i].taken)
            return remote_differs(r, "in the log byte %" PRIu32 " of %s is read there, which the node does not", m->b,
                                  remote_is_variable(r, m->a) ? p->objects[m->a - PLACE_FIRST].variable->name
                                                              : "an object");
    }
    r->read_count = 0;
    return true;
}

/* ---- calls ---- */

static bool remote_ends(const struct remote *r)
{
    return r->next->kind == MOVE_END || r->next->kind == MOVE_RESTART;
}

/* The component has called out, or returned. */
static bool remote_leaves(struct remote *r, char letter, unsigned left, uint32_t number, const uint8_t *bytes,
                          uint32_t count)
{
    char words[200];
    bool out = letter == 'O';
    if (!remote_end_inside(r, left) || !remote_outside(r))
        return false;
    if (remote_ends(r))
        return true;
    if (out && (r->next->kind != MOVE_CALL_OUT || r->next->a != number))
        return remote_differs(r, "the component calls %s, and the log has %s", remote_name(r, number),
                              remote_next_words(r, words, sizeof words));
    if (!out && r->next->kind != MOVE_RETURN_IN)
        return remote_differs(r, "the component returns, and the log has %s",
                              remote_next_words(r, words, sizeof words));
    r->end->calls += out;
    return remote_same_all(r, bytes, count);
}

/* Listens to the component until it calls out or returns. */
static bool remote_listen(struct remote *r)
{
    for (;;) {
        uint8_t head[5], bytes[256];
        if (!remote_get(r, head, 1, r->patience))
            return false;
        if (head[0] == 'S') {
            if (!remote_get(r, head + 1, 4, r->patience))
                return false;
            if (remote_ends(r) && !remote_reads_left(r))
                return true;
            if (!remote_look(r, head[1] | (uint32_t)head[2] << 8, head[3] | (uint32_t)head[4] << 8))
                return false;
        } else if (head[0] == 'O') {
            return remote_get(r, head + 1, 3, r->patience) && remote_get(r, bytes, head[3], r->patience) &&
                   remote_leaves(r, 'O', head[1], head[2], bytes, head[3]);
        } else if (head[0] == 'R') {
            return remote_get(r, head + 1, 2, r->patience) && remote_get(r, bytes, head[2], r->patience) &&
                   remote_leaves(r, 'R', head[1], 0, bytes, head[2]);
        } else {
            return error_set(r->e, "the node says something that is not understood after event %" PRIu64 " of the log",
                             r->end->event);
        }
    }
}

/* Values as the node is to have them. */
static bool remote_values(struct remote *r, uint32_t count, uint8_t *bytes, uint32_t room, uint32_t *used)
{
    *used = 0;
    for (uint32_t i = 0; i < count; i++, r->next++) {
        const struct move *m = r->next;
        uint32_t address, size = m->kind == MOVE_POINTER ? 2 : m->a;
        uint64_t value = m->b | (uint64_t)m->c << 32;
        if (m->kind == MOVE_POINTER) {
            if (!remote_target(r, m, &address))
                return false;
            value = address;
        }
        for (uint32_t k = 0; k < size && *used < room; k++)
            bytes[(*used)++] = (uint8_t)(value >> (8 * k));
    }
    return true;
}

static bool remote_call(struct remote *r)
{
    const struct move *m = r->next++;
    uint8_t bytes[40];
    uint32_t used;
    r->end->event = m->c;
    if (!remote_values(r, m->b, bytes, sizeof bytes, &used) || !remote_begin_inside(r))
        return false;
    uint32_t entry = r->entries[m->a % MOVES_FUNCTIONS];
    uint8_t head[] = {'C', (uint8_t)entry, (uint8_t)(entry >> 8)};
    return remote_send(r, head, sizeof head) && remote_send_reads(r) && remote_sized(r, bytes, used) &&
           remote_listen(r);
}

static bool remote_return(struct remote *r)
{
    const struct move *m = r->next++;
    uint8_t bytes[16];
    uint32_t used;
    r->end->event = m->c;
    return remote_values(r, m->b, bytes, sizeof bytes, &used) && remote_begin_inside(r) && remote_send(r, "V", 1) &&
           remote_send_reads(r) && remote_sized(r, bytes, used) && remote_listen(r);
}

static bool remote_go(struct remote *r)
{
    for (;;) {
        if (!remote_outside(r))
            return false;
        switch (r->next->kind) {
        case MOVE_END: return true;
        case MOVE_RESTART:
            r->next++;
            if (!remote_begin(r))
                return false;
            break;
        case MOVE_CALL_IN:
            if (!remote_call(r))
                return false;
            break;
        case MOVE_RETURN_OUT:
            if (!remote_return(r))
                return false;
            break;
        default: return error_set(r->e, "the events of the log do not follow from each other");
        }
    }
}

/* ---- the firmware ---- */

static uint32_t remote_long(const uint8_t *at)
{
    return (uint32_t)(at[0] | at[1] << 8 | at[2] << 16) | (uint32_t)at[3] << 24;
}

/* What the logged firmware says of the function with this number, after its kind; NULL: it has none. */
static const char *remote_crossing(const struct image *i, uint32_t number, char *kind, uint32_t *address)
{
    enum { TEXT = 9 };
    const uint8_t *at;
    size_t size;
    for (size_t n = 0; (at = image_section(i, ".motet.crossings", n, &size)); n++)
        for (const uint8_t *end = at + size; end - at > TEXT && memchr(at + TEXT, 0, (size_t)(end - at - TEXT));
             at += TEXT + strlen((const char *)at + TEXT) + 1)
            if (remote_long(at + 4) == number) {
                *address = remote_long(at);
                *kind = (char)at[8];
                return (const char *)at + TEXT;
            }
    return NULL;
}

static bool remote_find(struct remote *r)
{
    const struct image *logged = r->moves->places.machine->image;
    const struct image_symbol *arena = image_symbol_named(r->image, "motet_arena");
    if (!arena)
        return error_set(r->e, "%s replays no component; build it with motet cc --replay-interface",
                         image_path(r->image));
    r->arena = arena->address - r->moves->places.machine->chip->isa->spaces.data;
    r->arena_end = r->arena + arena->size;
    r->ahead = arena->size / 2;
    for (uint32_t i = 0; i < MOVES_FUNCTIONS; i++) {
        char kind = 0, other = 0;
        uint32_t address, entry;
        const char *is = remote_crossing(logged, i, &kind, &address),
                   *there = remote_crossing(r->image, i, &other, &entry);
        if (is &&
            (!there || kind != other || strcmp(is, there) != 0)) /* the linker may have dropped some that is not used */
            return error_set(
                r->e, "%s was made of other sources or pieces than %s: function %" PRIu32 " of its boundary is another",
                image_path(r->image), image_path(logged), i);
        r->entries[i] = is && kind == 'i' ? entry / remote_code_unit(r) : 0;
    }
    return true;
}

bool remote_replay(struct moves *m, const struct image *firmware, int line, unsigned patience, struct remote_end *end,
                   struct motet_error *e)
{
    struct remote r = {.moves = m, .image = firmware, .line = line, .patience = patience, .end = end, .e = e};
    *end = (struct remote_end){.calls = 0};
    r.next = (const struct move *)m->list.bytes;
    bool good = remote_find(&r) && remote_begin(&r) && remote_go(&r);
    free(r.slots);
    free(r.reads);
    return good || end->differs;
}
