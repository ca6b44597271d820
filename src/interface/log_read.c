#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "interface/format.h"
#include "interface/log.h"

enum { READ_FRAME = 8, READ_SIZE_MAX = 1 << 24 }; /* size and check; bytes of anything in one event */

/* ---- the header ---- */

static void read_type(struct unpack *u, struct interface_type *t)
{
    t->kind = (enum interface_value_kind)unpack_below(u, INTERFACE_STRUCT + 1);
    t->size = (uint32_t)unpack_below(u, READ_SIZE_MAX);
    t->name = unpack_text(u);
}

/* A table of as many elements as the bytes that are left can hold, of at least one byte each. */
static void *read_table(struct unpack *u, uint32_t *count, size_t size)
{
    *count = (uint32_t)unpack_below(u, unpack_left(u) + 1);
    return memory_array(*count, size);
}

static void read_parameters(struct unpack *u, struct interface_function *f)
{
    f->parameters = read_table(u, &f->parameter_count, sizeof *f->parameters);
    u->failed |= f->parameter_count > INTERFACE_VALUES_MAX;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        f->parameters[i].name = unpack_text(u);
        read_type(u, &f->parameters[i].type);
    }
}

static void read_fields(struct unpack *u, struct interface_function *f)
{
    f->fields = read_table(u, &f->field_count, sizeof *f->fields);
    for (uint32_t i = 0; i < f->field_count; i++) {
        struct interface_field *d = &f->fields[i];
        d->name = unpack_text(u);
        unsigned bits = (unsigned)unpack_number(u, 1);
        d->place = (enum interface_place)(bits & FIELD_PLACE);
        d->big_endian = bits & FIELD_BIG_ENDIAN;
        d->index = (uint32_t)unpack_count(u);
        d->offset = (uint32_t)unpack_below(u, READ_SIZE_MAX);
        d->size = (uint32_t)unpack_below(u, 9);
        uint32_t limit = d->place == INTERFACE_IN_BUFFER      ? f->buffer_count
                         : d->place == INTERFACE_IN_PARAMETER ? f->parameter_count
                                                              : 1;
        u->failed |= d->place > INTERFACE_IN_RESULT || d->index >= limit;
    }
}

static void read_function(struct unpack *u, struct interface_function *f)
{
    f->name = unpack_text(u);
    f->file = unpack_text(u);
    f->line = (uint32_t)unpack_count(u);
    f->address = (uint32_t)unpack_count(u);
    unsigned bits = (unsigned)unpack_number(u, 1);
    f->inside = bits & FUNCTION_INSIDE;
    f->handler = bits & FUNCTION_HANDLER;
    f->role = (enum interface_role)unpack_below(u, INTERFACE_ROLE_RECEIVE + 1);
    read_type(u, &f->result);
    read_parameters(u, f);
    f->buffers = read_table(u, &f->buffer_count, sizeof *f->buffers);
    for (uint32_t i = 0; i < f->buffer_count; i++) {
        f->buffers[i].expression = unpack_text(u);
        bits = (unsigned)unpack_number(u, 1);
        f->buffers[i].at_call = bits & BUFFER_AT_CALL;
        f->buffers[i].at_return = bits & BUFFER_AT_RETURN;
        f->buffers[i].content = bits & BUFFER_CONTENT;
    }
    read_fields(u, f);
}

static void read_header(struct unpack *u, struct interface_header *h)
{
    h->build = unpack_number(u, 8);
    h->node = (uint32_t)unpack_count(u);
    h->epoch = (uint32_t)unpack_count(u);
    h->hertz = unpack_count(u);
    h->time_bits = (uint32_t)unpack_below(u, 65);
    h->origin = unpack_number(u, 8);
    h->firmware = unpack_text(u);
    h->target = unpack_text(u);
    h->pointer_size = (uint32_t)unpack_below(u, 9);
    h->functions = read_table(u, &h->function_count, sizeof *h->functions);
    for (uint32_t i = 0; i < h->function_count; i++)
        read_function(u, &h->functions[i]);
    h->variables = read_table(u, &h->variable_count, sizeof *h->variables);
    for (uint32_t i = 0; i < h->variable_count; i++) {
        struct interface_variable *v = &h->variables[i];
        v->name = unpack_text(u);
        v->file = unpack_text(u);
        v->line = (uint32_t)unpack_count(u);
        v->address = (uint32_t)unpack_count(u);
        v->size = (uint32_t)unpack_below(u, READ_SIZE_MAX);
        v->kind = (enum interface_variable_kind)unpack_below(u, INTERFACE_SHARED + 1);
    }
}

static void read_free(const char *text)
{
    free((void *)(uintptr_t)text);
}

static void read_free_function(struct interface_function *f)
{
    read_free(f->name);
    read_free(f->file);
    read_free(f->result.name);
    for (uint32_t i = 0; f->parameters && i < f->parameter_count; i++) {
        read_free(f->parameters[i].name);
        read_free(f->parameters[i].type.name);
    }
    for (uint32_t i = 0; f->buffers && i < f->buffer_count; i++)
        read_free(f->buffers[i].expression);
    for (uint32_t i = 0; f->fields && i < f->field_count; i++)
        read_free(f->fields[i].name);
    free(f->parameters);
    free(f->buffers);
    free(f->fields);
}

void interface_header_free(struct interface_header *h)
{
    read_free(h->firmware);
    read_free(h->target);
    for (uint32_t i = 0; h->functions && i < h->function_count; i++)
        read_free_function(&h->functions[i]);
    for (uint32_t i = 0; h->variables && i < h->variable_count; i++) {
        read_free(h->variables[i].name);
        read_free(h->variables[i].file);
    }
    free(h->functions);
    free(h->variables);
    *h = (struct interface_header){.functions = NULL};
}

/* ---- opening ---- */

bool interface_recognised(const void *bytes, size_t size)
{
    return size >= INTERFACE_MAGIC_SIZE && memcmp(bytes, INTERFACE_MAGIC, INTERFACE_MAGIC_SIZE - 1) == 0;
}

/* What is framed at `offset`; false if it is not all there. `*good` is whether its check is right. */
static bool read_framed(const struct interface_reader *r, size_t offset, struct unpack *body, bool *good)
{
    struct unpack frame = {.at = r->bytes + offset, .end = r->bytes + r->size};
    size_t size = unpack_number(&frame, 4);
    uint32_t check = (uint32_t)unpack_number(&frame, 4);
    const uint8_t *bytes = unpack_bytes(&frame, size);
    if (frame.failed || !bytes)
        return false;
    *body = (struct unpack){.at = bytes, .end = bytes + size};
    *good = (uint32_t)digest_of(bytes, size).low == check;
    return true;
}

bool interface_open_bytes(struct interface_reader *r, const char *name, const void *bytes, size_t size,
                          struct motet_error *e)
{
    struct unpack header;
    bool good = false;
    *r = (struct interface_reader){.bytes = bytes, .size = size};
    if (!interface_recognised(bytes, size))
        return error_set(e, "%s is no interface log; motet run --log-interface and motet collect write them", name);
    if (r->bytes[INTERFACE_MAGIC_SIZE - 1] != INTERFACE_MAGIC[INTERFACE_MAGIC_SIZE - 1])
        return error_set(e, "%s is an interface log of another version of Motet; log again, or read it with that one",
                         name);
    if (!read_framed(r, INTERFACE_MAGIC_SIZE, &header, &good))
        return error_set(e, "%s ends within its header: nothing of it can be read", name);
    r->next_block = (size_t)(header.end - r->bytes);
    if (good)
        read_header(&header, &r->header);
    if (!good || header.failed || unpack_left(&header)) {
        interface_header_free(&r->header);
        return error_set(e, "the header of %s is damaged: nothing of it can be read", name);
    }
    r->epoch = r->header.epoch;
    return true;
}

static uint8_t *read_file(const char *path, size_t *size, struct motet_error *e)
{
    uint8_t *bytes = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "rb");
    if (!in) {
        error_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    *size = 0;
    for (size_t got = 1; got; *size += got) {
        bytes = memory_grow(bytes, &room, *size + 65536, 1);
        got = fread(bytes + *size, 1, room - *size, in);
    }
    bool failed = ferror(in);
    fclose(in);
    if (!failed)
        return bytes;
    error_set(e, "%s cannot be read", path);
    free(bytes);
    return NULL;
}

bool interface_open(struct interface_reader *r, const char *path, struct motet_error *e)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size, e);
    if (!bytes)
        return false;
    if (!interface_open_bytes(r, path, bytes, size, e)) {
        free(bytes);
        return false;
    }
    r->file = bytes;
    return true;
}

void interface_close(struct interface_reader *r)
{
    interface_header_free(&r->header);
    free(r->file);
    *r = (struct interface_reader){.bytes = NULL};
}

/* ---- events ---- */

static void read_value(struct unpack *u, const struct interface_type *t, struct interface_event *e)
{
    uint32_t i = e->value_count++;
    e->values[i] = 0;
    e->wide[i] = t->size > 8 ? unpack_bytes(u, t->size) : NULL;
    if (t->size <= 8)
        e->values[i] = unpack_number(u, t->size);
}

static void read_values(struct unpack *u, const struct interface_function *f, struct interface_event *e)
{
    if (interface_is_return(e)) {
        if (f->result.kind != INTERFACE_VOID)
            read_value(u, &f->result, e);
        return;
    }
    for (uint32_t i = 0; i < f->parameter_count; i++)
        read_value(u, &f->parameters[i].type, e);
}

static void read_bytes(struct unpack *u, uint32_t size, struct interface_bytes *b)
{
    b->size = size;
    b->bytes = unpack_bytes(u, size);
}

static void read_buffers(struct unpack *u, const struct interface_function *f, struct interface_event *e)
{
    e->byte_count = (uint32_t)unpack_below(u, INTERFACE_BYTES_MAX + 1);
    for (uint32_t i = 0; i < e->byte_count; i++) {
        struct interface_bytes *b = &e->bytes[i];
        b->buffer = (uint32_t)unpack_below(u, f->buffer_count);
        b->address = (uint32_t)unpack_count(u);
        read_bytes(u, (uint32_t)unpack_below(u, READ_SIZE_MAX), b);
    }
}

static void read_call(struct interface_reader *r, struct unpack *u, struct interface_event *e)
{
    e->function = (uint32_t)unpack_below(u, r->header.function_count);
    if (u->failed)
        return;
    const struct interface_function *f = &r->header.functions[e->function];
    if (e->kind == INTERFACE_CALL_IN)
        e->sp = (uint32_t)unpack_count(u);
    read_values(u, f, e);
    read_buffers(u, f, e);
    if (interface_is_return(e) && r->depth)
        r->depth--;
    e->depth = r->depth;
    if (interface_is_call(e))
        r->depth++;
}

static void read_body(struct interface_reader *r, struct unpack *u, struct interface_event *e)
{
    switch (e->kind) {
    case INTERFACE_CALL_IN:
    case INTERFACE_RETURN_IN:
    case INTERFACE_CALL_OUT:
    case INTERFACE_RETURN_OUT: read_call(r, u, e); break;
    case INTERFACE_READ:
        e->byte_count = 1;
        e->position = unpack_count(u);
        e->address = (uint32_t)unpack_count(u);
        e->bytes[0] = (struct interface_bytes){.address = e->address};
        read_bytes(u, (uint32_t)unpack_below(u, READ_SIZE_MAX), &e->bytes[0]);
        break;
    case INTERFACE_SNAPSHOT:
        e->variable = (uint32_t)unpack_below(u, r->header.variable_count);
        if (u->failed)
            return;
        e->byte_count = 1;
        e->address = r->header.variables[e->variable].address;
        e->bytes[0] = (struct interface_bytes){.address = e->address};
        read_bytes(u, r->header.variables[e->variable].size, &e->bytes[0]);
        break;
    case INTERFACE_BEGIN:
        e->reason = (enum interface_reason)unpack_below(u, INTERFACE_RETARGETED + 1);
        r->depth = 0;
        break;
    case INTERFACE_GAP: e->lost = unpack_count(u); break;
    case INTERFACE_TARGET: e->value = unpack_count(u); break;
    case INTERFACE_STATE: e->value = unpack_number(u, 8); break;
    case INTERFACE_RESET:
        r->epoch++;
        r->depth = 0;
        break;
    case INTERFACE_OFF: break;
    default: u->failed = true;
    }
    e->epoch = r->epoch;
}

/* Between blocks there may be a gap: of blocks that are damaged. Makes the next good block the one under way and gives
 * the gap before it, if any, as an event. */
static bool read_block(struct interface_reader *r, struct interface_event *gap, bool *missing)
{
    bool good = false;
    uint64_t before = r->damaged;
    while (!good) {
        if (r->next_block == r->size)
            break;
        if (!read_framed(r, r->next_block, &r->block, &good)) {
            r->cut = true;
            break;
        }
        r->next_block = (size_t)(r->block.end - r->bytes);
        r->damaged += !good;
    }
    *missing = r->damaged > before;
    *gap = (struct interface_event){.kind = INTERFACE_GAP, .order = r->order, .time = r->time, .epoch = r->epoch};
    if (!good) { /* nothing comes after the damage */
        r->block = (struct unpack){.at = NULL};
        gap->lost = UINT64_MAX;
        return *missing;
    }
    uint64_t order = unpack_count(&r->block);
    r->time = unpack_count(&r->block);
    gap->lost = order > r->order ? order - r->order : 0;
    *missing |= gap->lost > 0;
    r->order = order;
    if (*missing)
        r->depth = 0;
    return true;
}

static void read_event(struct interface_reader *r, struct interface_event *e)
{
    struct unpack *u = &r->block;
    unsigned bits = (unsigned)unpack_number(u, 1);
    e->kind = (enum interface_kind)(bits & EVENT_KIND);
    e->order = r->order;
    e->interrupts = bits & EVENT_INTERRUPTS;
    e->value_count = e->byte_count = e->function = e->depth = e->pc = e->sp = e->variable = e->address = 0;
    e->position = e->lost = e->value = 0;
    if (e->kind == INTERFACE_RESET)
        r->time = 0;
    r->time += unpack_count(u);
    e->time = r->time;
    if (e->interrupts) {
        e->position = unpack_count(u);
        e->pc = (uint32_t)unpack_count(u);
    }
    read_body(r, u, e);
    r->order += e->kind == INTERFACE_GAP && e->lost != UINT64_MAX ? e->lost : 1;
}

bool interface_next(struct interface_reader *r, struct interface_event *e)
{
    while (!unpack_left(&r->block)) {
        bool missing;
        if (!read_block(r, e, &missing))
            return false;
        if (missing)
            return true;
    }
    uint64_t order = r->order;
    read_event(r, e);
    if (!r->block.failed)
        return true;
    /* A check that is right over bytes that make no sense: what is left of the block is lost. */
    r->damaged++;
    r->order = order;
    r->block = (struct unpack){.at = NULL};
    *e = (struct interface_event){.kind = INTERFACE_GAP, .order = order, .time = r->time, .epoch = r->epoch};
    e->lost = UINT64_MAX;
    return true;
}

uint64_t interface_count(const struct interface_reader *r)
{
    struct interface_reader pass = *r;
    struct interface_event e;
    uint64_t count = 0;
    struct unpack header;
    bool good;
    if (!read_framed(r, INTERFACE_MAGIC_SIZE, &header, &good))
        return 0;
    pass.block = (struct unpack){.at = NULL};
    pass.next_block = (size_t)(header.end - r->bytes);
    pass.order = pass.time = 0;
    while (interface_next(&pass, &e))
        count += e.kind != INTERFACE_GAP;
    return count;
}

/* ---- what events mean ---- */

const struct interface_bytes *interface_content(const struct interface_header *h, const struct interface_event *e)
{
    if (!interface_is_call(e) && !interface_is_return(e))
        return NULL;
    const struct interface_function *f = &h->functions[e->function];
    for (uint32_t i = 0; i < e->byte_count; i++)
        if (f->buffers[e->bytes[i].buffer].content)
            return &e->bytes[i];
    return NULL;
}

static const struct interface_bytes *log_buffer(const struct interface_event *e, uint32_t buffer)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        if (e->bytes[i].buffer == buffer)
            return &e->bytes[i];
    return NULL;
}

static bool log_field(const struct interface_field *d, const struct interface_event *e, uint64_t *value)
{
    if (d->place != INTERFACE_IN_BUFFER) {
        bool result = d->place == INTERFACE_IN_RESULT;
        uint32_t index = result ? 0 : d->index;
        if (result != interface_is_return(e) || index >= e->value_count || e->wide[index])
            return false;
        *value = e->values[index] >> (8 * (d->offset & 7));
        if (d->size < 8)
            *value &= (UINT64_C(1) << (8 * d->size)) - 1;
        return true;
    }
    const struct interface_bytes *b = log_buffer(e, d->index);
    if (!b || (uint64_t)d->offset + d->size > b->size)
        return false;
    *value = 0;
    for (uint32_t i = 0; i < d->size; i++)
        *value = *value << 8 | b->bytes[d->offset + (d->big_endian ? i : d->size - 1 - i)];
    return true;
}

bool interface_number(const struct interface_header *h, const struct interface_event *e, const char *name,
                      uint64_t *value)
{
    if (!interface_is_call(e) && !interface_is_return(e))
        return false;
    const struct interface_function *f = &h->functions[e->function];
    for (uint32_t i = 0; i < f->field_count; i++)
        if (strcmp(f->fields[i].name, name) == 0)
            return log_field(&f->fields[i], e, value);
    return false;
}

const char *interface_kind_name(enum interface_kind kind)
{
    static const char *const names[] = {
        [INTERFACE_CALL_IN] = "call-in",
        [INTERFACE_RETURN_IN] = "return-in",
        [INTERFACE_CALL_OUT] = "call-out",
        [INTERFACE_READ] = "read",
        [INTERFACE_RETURN_OUT] = "return-out",
        [INTERFACE_SNAPSHOT] = "snapshot",
        [INTERFACE_BEGIN] = "begin",
        [INTERFACE_GAP] = "gap",
        [INTERFACE_OFF] = "off",
        [INTERFACE_TARGET] = "target",
        [INTERFACE_RESET] = "reset",
        [INTERFACE_STATE] = "state",
    };
    return names[kind];
}
