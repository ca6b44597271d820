#include "interface/node_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "interface/boundary.h"
#include "interface/buffers.h"
#include "isa/isa.h"

/* As target/recorder/page.h and target/interface/logger.h have them. */
enum {
    PAGE_MAGIC = 0x4e,
    PAGE_CODEC = 7,
    PAGE_INTERFACE = 4,
    PAGE_SERIAL = 5,
    PAGE_HEADER = 16,
    PAGE_CHECKED = 14,
    PAGE_BUILD = 8
};
enum { PAGE_MOST = 4096 };
enum {
    EVENT_RETURN = 0x80,
    EVENT_READ = 0x70,
    EVENT_BEGIN,
    EVENT_BYTES,
    EVENT_BEGUN,
    EVENT_GAP,
    EVENT_OFF,
    EVENT_TARGET,
};
enum { NODE_LOG_COMPONENTS = 4 };

/* A function that crosses, by its number on the node. */
struct node_log_crossing {
    struct boundary *boundary; /* of the component it belongs to */
    uint32_t function;         /* in the boundary's table */
    char kind;                 /* 'i' in, 'o' out, 'v' through a pointer */
    uint32_t buffers;          /* that the node logs: the first of the function's */
};

struct node_log {
    const struct machine *machine;
    struct boundary *boundaries[NODE_LOG_COMPONENTS];
    size_t boundary_count;
    struct boundary *boundary; /* of the component that the log is made of */
    uint64_t target;           /* the component that the node logs; all ones: not known */
    uint64_t wanted;           /* the one that is asked for */
    struct descriptions descriptions;
    struct node_log_crossing crossings[EVENT_READ]; /* kind 0: there is no such function */
    size_t crossing_count;
    bool timed;
    bool even; /* fields begin at even places */
    struct interface_header header;
    struct interface_writer writer;
    struct node_log_result *result;
    uint64_t time;
    bool started;                 /* logging has begun, so that events can be used */
    bool snapshot;                /* the variables are being logged */
    enum interface_reason reason; /* why logging begins */
    uint8_t *memory;              /* of them: what is known so far */
    uint8_t *left;                /* of the pages so far: the beginning of an event that goes on in the next */
    size_t left_count;
    uint64_t parameters[64][INTERFACE_VALUES_MAX];
    size_t depth;
};

bool node_log_is_of(const struct image *i)
{
    size_t size;
    return image_section(i, ".motet.component", 0, &size) != NULL;
}

/* ---- what the firmware says ---- */

static bool node_log_damaged(const struct image *i, struct motet_error *e)
{
    return error_set(e, "%s: what it says about its interface log is damaged; build it anew", image_path(i));
}

/* A function as its crossing describes it, by the name that a user knows. */
static bool node_log_describe(struct node_log *l, uint32_t address, uint32_t number, char kind, const char *line,
                              struct motet_error *e)
{
    uint32_t component = number >> 24;
    if (component >= l->boundary_count)
        return node_log_damaged(l->machine->image, e);
    struct boundary *b = l->boundaries[component];
    struct node_log_crossing c = {.boundary = b, .function = boundary_entry(b, address), .kind = kind};
    size_t before = l->descriptions.count;
    number &= 0xffffff;
    if (c.function == UINT32_MAX)
        return error_set(e, "%s has no function at 0x%" PRIx32 ", which its interface log has; compile it with -g",
                         image_path(l->machine->image), address);
    if (!descriptions_parse(&l->descriptions, image_path(l->machine->image), line, e) ||
        l->descriptions.count != before + 1)
        return false;
    const struct description *d = &l->descriptions.list[before];
    struct interface_function *f = &b->header.functions[c.function];
    if (!f->buffer_count && !buffers_apply(b, c.function, d, e))
        return false;
    c.buffers = d->buffer_count;
    if (kind == 'o' && strncmp(f->name, "motet_out", 9) == 0) /* and the component's number, if it is not the first */
        f->name += strcspn(f->name + 9, "_") + 10;
    if (number >= EVENT_READ)
        return node_log_damaged(l->machine->image, e);
    l->crossings[number] = c;
    l->crossing_count++;
    return true;
}

static uint32_t node_log_long(const uint8_t *at)
{
    return (uint32_t)(at[0] | at[1] << 8 | at[2] << 16) | (uint32_t)at[3] << 24;
}

static bool node_log_read_crossings(struct node_log *l, struct motet_error *e)
{
    enum { TEXT = 9 }; /* after an address, a number and the kind */
    const struct image *i = l->machine->image;
    const uint8_t *at;
    size_t size;
    for (size_t n = 0; (at = image_section(i, ".motet.crossings", n, &size)); n++)
        for (const uint8_t *end = at + size, *text; at < end; at = text + strlen((const char *)text) + 1) {
            text = at + TEXT;
            if (end - at <= TEXT || !memchr(text, 0, (size_t)(end - text)))
                return node_log_damaged(i, e);
            if (!node_log_describe(l, node_log_long(at), node_log_long(at + 4), (char)at[8], (const char *)text, e))
                return false;
        }
    return l->crossing_count || node_log_damaged(i, e);
}

/* A boundary for each component; the one that is asked for, by its pieces or its number. */
static bool node_log_read_components(struct node_log *l, const char *about, const char *target, struct motet_error *e)
{
    char *copy = memory_string(about), *rest = copy, *one, number[12];
    bool good = true, found = !target && !strchr(about, ':');
    while (good && (one = strsep(&rest, ":")) && l->boundary_count < NODE_LOG_COMPONENTS) {
        snprintf(number, sizeof number, "%zu", l->boundary_count);
        if (target && (strcmp(target, one) == 0 || strcmp(target, number) == 0)) {
            l->wanted = l->boundary_count;
            found = true;
        }
        struct boundary *b = boundary_of(l->machine, one, e);
        good = b != NULL;
        if (b)
            l->boundaries[l->boundary_count++] = b;
    }
    free(copy);
    if (good && !found)
        good = error_set(e,
                         target ? "%s logs the components %s; '%s' is none of them"
                                : "%s logs one of the components %s at a time; choose one with --target",
                         image_path(l->machine->image), about, target ? target : "");
    if (good)
        l->boundary = l->boundaries[l->wanted];
    return good;
}

static bool node_log_read_firmware(struct node_log *l, uint32_t id, const char *target, struct motet_error *e)
{
    const struct image *i = l->machine->image;
    size_t size;
    const char *about = (const char *)image_section(i, ".motet.component", 0, &size);
    const char *zero = about ? memchr(about, 0, size) : NULL;
    if (!about)
        return error_set(e, "%s logs no interface; build it with motet cc --log-interface", image_path(i));
    if (!zero || !memchr(zero + 1, 0, size - (size_t)(zero + 1 - about)))
        return node_log_damaged(i, e);
    if (!node_log_read_components(l, about, target, e) || !node_log_read_crossings(l, e))
        return false;
    l->header = l->boundary->header;
    l->header.node = id;
    l->header.hertz = strtoull(zero + 1, NULL, 10);
    l->header.time_bits = INTERFACE_NODE_BITS;
    l->header.origin = UINT64_MAX;
    l->timed = l->header.hertz != 0;
    const char *rate = zero + 1, *zero2 = memchr(rate, 0, size - (size_t)(rate - about));
    l->even = zero2 + 1 < about + size && zero2[1] == '2';
    return true;
}

/* ---- variables ---- */

static void node_log_initial(const struct node_log *l, const struct interface_variable *v, uint8_t *to)
{
    const struct image_segment *s;
    size_t count = image_segments(l->machine->image, &s);
    uint32_t address = v->address + l->machine->chip->isa->spaces.data;
    memset(to, 0, v->size);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < v->size; k++)
            if (address + k - s[i].run_address < s[i].size)
                to[k] = s[i].bytes[address + k - s[i].run_address];
}

static void node_log_write(struct node_log *l, struct interface_event *e)
{
    e->time = l->time;
    interface_write(&l->writer, e);
    l->result->events++;
}

static void node_log_snapshot(struct node_log *l, bool initial)
{
    for (uint32_t i = 0; i < l->header.variable_count; i++) {
        const struct interface_variable *v = &l->header.variables[i];
        uint8_t *bytes = memory_bytes(v->size);
        struct interface_event e = {.kind = INTERFACE_SNAPSHOT, .variable = i};
        if (initial)
            node_log_initial(l, v, bytes);
        else
            memcpy(bytes, l->memory + v->address, v->size);
        e.bytes[0] = (struct interface_bytes){.address = v->address, .size = v->size, .bytes = bytes};
        node_log_write(l, &e);
        free(bytes);
    }
}

/* ---- events ---- */

/* The byte after the first of an event. */
static void node_log_fill(const struct node_log *l, struct unpack *u)
{
    if (l->even)
        unpack_number(u, 1);
}

/* Bytes, and what fills them up. */
static const uint8_t *node_log_take(const struct node_log *l, struct unpack *u, uint32_t size)
{
    const uint8_t *bytes = unpack_bytes(u, size);
    if (l->even && size % 2)
        unpack_number(u, 1);
    return bytes;
}

static void node_log_time(struct node_log *l, struct unpack *u)
{
    if (l->timed)
        l->time += (uint16_t)(unpack_number(u, 2) - l->time);
}

static void node_log_gap(struct node_log *l, uint64_t lost)
{
    struct interface_event e = {.kind = INTERFACE_GAP, .lost = lost};
    if (l->started)
        node_log_write(l, &e);
    l->started = l->snapshot = false;
    l->depth = 0;
}

static void node_log_off(struct node_log *l)
{
    struct interface_event e = {.kind = INTERFACE_OFF};
    if (l->started)
        node_log_write(l, &e);
    l->started = l->snapshot = false;
    l->depth = 0;
}

static void node_log_begin(struct node_log *l, struct unpack *u)
{
    static const enum interface_reason reasons[] = {INTERFACE_AT_START, INTERFACE_SWITCHED_ON, INTERFACE_AFTER_OVERFLOW,
                                                    INTERFACE_RETARGETED};
    uint64_t reason = unpack_number(u, 1);
    node_log_time(l, u);
    if (u->failed)
        return;
    l->depth = 0;
    if (l->target != l->wanted)
        return;
    l->snapshot = reason != 0;
    l->reason = reasons[reason % 4];
    l->started = !l->snapshot;
    if (l->snapshot)
        return; /* it counts when all the variables are there */
    struct interface_event e = {.kind = INTERFACE_BEGIN, .reason = l->reason};
    node_log_write(l, &e);
    node_log_snapshot(l, true);
}

static void node_log_begun(struct node_log *l)
{
    struct interface_event e = {.kind = INTERFACE_BEGIN, .reason = l->reason};
    if (!l->snapshot)
        return;
    l->snapshot = false;
    l->started = true;
    node_log_write(l, &e);
    node_log_snapshot(l, false);
}

static void node_log_bytes(struct node_log *l, struct unpack *u)
{
    uint32_t size = (uint32_t)unpack_number(u, 1), address = (uint32_t)unpack_number(u, 2);
    const uint8_t *bytes = node_log_take(l, u, size);
    if (bytes && address + size <= l->machine->data_size)
        memcpy(l->memory + address, bytes, size);
}

static void node_log_read(struct node_log *l, struct unpack *u)
{
    uint32_t size = (uint32_t)unpack_number(u, 1), address = (uint32_t)unpack_number(u, 2);
    const uint8_t *bytes = node_log_take(l, u, size);
    struct interface_event e = {.kind = INTERFACE_READ, .position = INTERFACE_NO_POSITION};
    e.bytes[0] = (struct interface_bytes){.address = address, .size = size, .bytes = bytes};
    if (bytes && l->started)
        node_log_write(l, &e);
}

static void node_log_value(const struct node_log *l, struct unpack *u, const struct interface_type *t,
                           struct interface_event *e)
{
    uint32_t i = e->value_count++;
    const uint8_t *bytes = node_log_take(l, u, t->size);
    if (t->size > 8)
        e->wide[i] = bytes;
    for (uint32_t k = 0; bytes && t->size <= 8 && k < t->size; k++)
        e->values[i] |= (uint64_t)bytes[k] << (8 * k);
}

/* Whether the buffer is what a parameter points to: it has neither address nor size. */
static bool node_log_whole(const struct node_log_crossing *c, const char *expression, const uint64_t *parameters,
                           struct expression_bytes *b)
{
    struct motet_error ignored;
    const struct boundary_function *f = &c->boundary->functions[c->function];
    struct expression_call call = f->call;
    if (expression[0] != '*' || expression[1 + strspn(expression + 1, "abcdefghijklmnopqrstuvwxyz_"
                                                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
        return false;
    if (strcmp(expression + 1, "result") == 0)
        return false;
    call.parameters = NULL;
    if (!expression_bytes(expression, &call, b, &ignored))
        return false;
    b->size = b->element->size;
    b->address = 0;
    for (uint32_t i = 0; i < c->boundary->header.functions[c->function].parameter_count; i++)
        if (strcmp(f->names[i], expression + 1) == 0)
            b->address = (uint32_t)parameters[i];
    if (!b->address)
        b->size = 0;
    return true;
}

static void node_log_buffers(struct node_log *l, struct unpack *u, const struct node_log_crossing *c,
                             const uint64_t *parameters, struct interface_event *e)
{
    const struct interface_function *f = &c->boundary->header.functions[c->function];
    bool is_return = interface_is_return(e);
    for (uint32_t i = 0; i < c->buffers && i < f->buffer_count; i++) {
        struct expression_bytes b;
        if (!(is_return ? f->buffers[i].at_return : f->buffers[i].at_call))
            continue;
        if (!node_log_whole(c, f->buffers[i].expression, parameters, &b)) {
            b.address = (uint32_t)unpack_number(u, 2);
            b.size = (uint32_t)unpack_number(u, 2);
        }
        const uint8_t *bytes = node_log_take(l, u, b.size);
        if (bytes && b.size)
            e->bytes[e->byte_count++] =
                (struct interface_bytes){.buffer = i, .address = b.address, .size = b.size, .bytes = bytes};
    }
}

/* Parameters of calls that are under way: returns log the same buffers. */
static uint64_t *node_log_frame(struct node_log *l, bool is_return)
{
    size_t most = sizeof l->parameters / sizeof l->parameters[0];
    if (is_return && l->depth)
        l->depth--;
    size_t at = l->depth < most ? l->depth : most - 1;
    if (!is_return)
        l->depth++;
    return l->parameters[at];
}

static void node_log_call(struct node_log *l, struct unpack *u, uint8_t number)
{
    const struct node_log_crossing *c = &l->crossings[number & (EVENT_RETURN - 1)];
    const struct interface_function *f = &c->boundary->header.functions[c->function];
    bool is_return = number & EVENT_RETURN, in = c->kind == 'i';
    struct interface_event e = {.function = c->function,
                                .kind = is_return ? (in ? INTERFACE_RETURN_IN : INTERFACE_RETURN_OUT)
                                        : in      ? INTERFACE_CALL_IN
                                                  : INTERFACE_CALL_OUT};
    uint64_t *parameters = node_log_frame(l, is_return);
    node_log_fill(l, u);
    if (!is_return)
        node_log_time(l, u);
    if (e.kind == INTERFACE_CALL_IN)
        e.sp = (uint32_t)unpack_number(u, 2) - (l->even ? l->machine->chip->isa->return_size(l->machine) : 0);
    if (is_return && f->result.kind != INTERFACE_VOID)
        node_log_value(l, u, &f->result, &e);
    for (uint32_t i = 0; !is_return && i < f->parameter_count; i++)
        node_log_value(l, u, &f->parameters[i].type, &e);
    if (!is_return)
        memcpy(parameters, e.values, sizeof e.values);
    node_log_buffers(l, u, c, parameters, &e);
    if (!u->failed && l->started)
        node_log_write(l, &e);
}

static void node_log_lost(struct node_log *l, struct unpack *u)
{
    node_log_fill(l, u);
    uint64_t lost = unpack_number(u, 2), interrupts = unpack_number(u, 2);
    if (u->failed || l->target != l->wanted)
        return;
    l->result->lost += lost;
    l->result->interrupts += interrupts;
    node_log_gap(l, lost);
}

/* What is logged of another component counts as if logging were off. */
static void node_log_target(struct node_log *l, struct unpack *u)
{
    uint64_t target = unpack_number(u, 1);
    if (u->failed)
        return;
    if (target != l->wanted)
        node_log_off(l);
    l->target = target;
}

static bool node_log_event(struct node_log *l, struct unpack *u)
{
    uint8_t number = (uint8_t)unpack_number(u, 1);
    switch (number) {
    case EVENT_READ: node_log_read(l, u); break;
    case EVENT_BEGIN: node_log_begin(l, u); break;
    case EVENT_BYTES: node_log_bytes(l, u); break;
    case EVENT_BEGUN:
        node_log_fill(l, u);
        if (!u->failed)
            node_log_begun(l);
        break;
    case EVENT_TARGET: node_log_target(l, u); break;
    case EVENT_OFF:
        node_log_fill(l, u);
        if (!u->failed)
            node_log_off(l);
        break;
    case EVENT_GAP: node_log_lost(l, u); break;
    default:
        if ((number & (EVENT_RETURN - 1)) >= EVENT_READ || !l->crossings[number & (EVENT_RETURN - 1)].kind)
            return false;
        node_log_call(l, u, number);
    }
    return !u->failed;
}

/* ---- pages ---- */

struct node_log_page {
    uint16_t build, index, used;
    uint32_t sequence;
    const uint8_t *payload;
};

static uint16_t node_log_crc(uint16_t crc, const uint8_t *bytes, size_t count)
{
    while (count--) { /* as src/record/crc.h has it */
        crc = (uint16_t)((crc >> 8 | crc << 8) ^ *bytes++);
        crc ^= (uint8_t)crc >> 4;
        crc ^= (uint16_t)(crc << 12);
        crc ^= (uint16_t)((crc & 0xff) << 5);
    }
    return crc;
}

static uint16_t node_log_word(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

/* In a flash memory the check ends the header and covers the payload first; over a serial port it comes last. */
static bool node_log_page_at(const uint8_t *at, size_t left, struct node_log_page *p)
{
    unsigned codec = left < PAGE_HEADER || at[0] != PAGE_MAGIC ? 0 : at[1] & PAGE_CODEC;
    bool serial = codec == PAGE_SERIAL;
    if (codec != PAGE_INTERFACE && !serial)
        return false;
    *p = (struct node_log_page){.build = node_log_word(at + 2),
                                .sequence = node_log_word(at + 4) | (uint32_t)node_log_word(at + 6) << 16,
                                .index = node_log_word(at + 10),
                                .used = node_log_word(at + 12),
                                .payload = at + (serial ? PAGE_CHECKED : PAGE_HEADER)};
    if (p->used > PAGE_MOST || p->used > left - PAGE_HEADER)
        return false;
    uint16_t check = serial ? node_log_crc(0, at, (size_t)PAGE_CHECKED + p->used)
                            : node_log_crc(node_log_crc(0, p->payload, p->used), at, PAGE_CHECKED);
    return check == node_log_word(serial ? p->payload + p->used : at + PAGE_CHECKED);
}

struct node_log_pages {
    struct node_log_page *list;
    size_t count, room;
};

static int node_log_by_sequence(const void *a, const void *b)
{
    const struct node_log_page *x = a, *y = b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Wherever they begin: a serial line may have other bytes between them, a flash memory pages of one size. */
static void node_log_find_pages(const uint8_t *bytes, size_t size, struct node_log_pages *to)
{
    struct node_log_page p;
    for (size_t at = 0; at < size;) {
        if (!node_log_page_at(bytes + at, size - at, &p)) {
            at++;
            continue;
        }
        to->list = memory_grow(to->list, &to->room, to->count, sizeof *to->list);
        to->list[to->count++] = p;
        at += PAGE_HEADER + (size_t)p.used;
    }
    if (to->count)
        qsort(to->list, to->count, sizeof *to->list, node_log_by_sequence);
}

static bool node_log_check_build(const struct node_log *l, const char *name, const struct node_log_page *p,
                                 struct motet_error *e)
{
    uint64_t build = 0;
    for (unsigned i = 0; p->index == 0 && p->used >= PAGE_BUILD && i < PAGE_BUILD; i++)
        build |= (uint64_t)p->payload[i] << (8 * i);
    bool whole = p->index == 0 && p->used >= PAGE_BUILD;
    if (whole ? build == l->header.build : p->build == (uint16_t)l->header.build)
        return true;
    return error_set(e, "%s was written by another firmware than %s (build %016" PRIx64 ")", name,
                     image_path(l->machine->image), l->header.build);
}

static void node_log_forget(struct node_log *l)
{
    free(l->left);
    l->left = NULL;
    l->left_count = 0;
}

/* Events, also those that began in the page before. What is incomplete at the end waits for the next page. */
static void node_log_events(struct node_log *l, const uint8_t *bytes, size_t size)
{
    uint8_t *all = memory_bytes(l->left_count + size + 1);
    memcpy(all, l->left ? l->left : bytes, l->left_count);
    memcpy(all + l->left_count, bytes, size);
    struct unpack u = {.at = all, .end = all + l->left_count + size};
    node_log_forget(l);
    while (unpack_left(&u)) {
        const uint8_t *begin = u.at;
        uint64_t time = l->time;
        size_t depth = l->depth;
        if (node_log_event(l, &u))
            continue;
        if (u.failed && u.end - begin < PAGE_MOST) {
            l->time = time;
            l->depth = depth;
            l->left_count = (size_t)(u.end - begin);
            l->left = memory_bytes(l->left_count);
            memcpy(l->left, begin, l->left_count);
        } else {
            node_log_gap(l, UINT64_MAX);
        }
        break;
    }
    free(all);
}

static void node_log_use_page(struct node_log *l, const struct node_log_page *p)
{
    size_t build = p->index == 0 && p->used >= PAGE_BUILD ? PAGE_BUILD : 0;
    struct interface_event reset = {.kind = INTERFACE_RESET};
    if (p->index == 0) {
        node_log_forget(l);
        if (l->result->starts++) {
            l->time = 0;
            node_log_write(l, &reset);
        }
        l->started = l->snapshot = false;
        l->target = 0;
    }
    l->result->pages++;
    l->result->bytes += p->used;
    node_log_events(l, p->payload + build, p->used - build);
}

static void node_log_use(struct node_log *l, const struct node_log_pages *pages)
{
    const struct node_log_page *before = NULL;
    for (size_t i = 0; i < pages->count; before = &pages->list[i++]) {
        const struct node_log_page *p = &pages->list[i];
        if (before && p->sequence != before->sequence + 1) {
            l->result->missing += p->sequence - before->sequence - 1;
            node_log_forget(l);
            node_log_gap(l, UINT64_MAX);
            if (l->boundary_count > 1)
                l->target = UINT64_MAX;
        }
        node_log_use_page(l, p);
    }
}

/* Pages that another firmware has left in a flash memory do not count, unless there are no others. */
static bool node_log_own_pages(const struct node_log *l, const char *name, struct node_log_pages *pages,
                               struct motet_error *e)
{
    struct motet_error why = {""};
    size_t kept = 0;
    for (size_t i = 0; i < pages->count; i++)
        if (node_log_check_build(l, name, &pages->list[i], &why))
            pages->list[kept++] = pages->list[i];
    if (!pages->count)
        return error_set(e, "%s has no page of an interface log", name);
    pages->count = kept;
    return kept || error_set(e, "%s", why.text);
}

bool node_log_convert(const char *name, const uint8_t *bytes, size_t size, const struct machine *m, uint32_t id,
                      const char *target, FILE *out, struct node_log_result *result, struct motet_error *e)
{
    struct node_log l = {.machine = m, .result = result};
    struct node_log_pages pages = {.count = 0};
    *result = (struct node_log_result){.pages = 0};
    l.memory = memory_array(m->data_size + 1, 1);
    bool good = node_log_read_firmware(&l, id, target, e);
    if (good) {
        interface_write_begin(&l.writer, &l.header, out);
        node_log_find_pages(bytes, size, &pages);
        good = node_log_own_pages(&l, name, &pages, e);
        if (good)
            node_log_use(&l, &pages);
        if (!interface_write_end(&l.writer) && good)
            good = error_set(e, "the interface log cannot be written");
    }
    for (size_t i = 0; i < l.boundary_count; i++)
        boundary_free(l.boundaries[i]);
    descriptions_free(&l.descriptions);
    node_log_forget(&l);
    free(l.memory);
    free(pages.list);
    return good;
}
