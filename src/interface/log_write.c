#include <string.h>

#include "interface/format.h"
#include "interface/log.h"

static void write_type(struct pack *p, const struct interface_type *t)
{
    pack_count(p, t->kind);
    pack_count(p, t->size);
    pack_text(p, t->name);
}

static void write_function(struct pack *p, const struct interface_function *f)
{
    pack_text(p, f->name);
    pack_text(p, f->file);
    pack_count(p, f->line);
    pack_count(p, f->address);
    pack_number(p, (f->inside ? FUNCTION_INSIDE : 0) | (f->handler ? FUNCTION_HANDLER : 0), 1);
    pack_count(p, f->role);
    write_type(p, &f->result);
    pack_count(p, f->parameter_count);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        pack_text(p, f->parameters[i].name);
        write_type(p, &f->parameters[i].type);
    }
    pack_count(p, f->buffer_count);
    for (uint32_t i = 0; i < f->buffer_count; i++) {
        const struct interface_buffer *b = &f->buffers[i];
        pack_text(p, b->expression);
        pack_number(p,
                    (b->at_call ? BUFFER_AT_CALL : 0) | (b->at_return ? BUFFER_AT_RETURN : 0) |
                        (b->content ? BUFFER_CONTENT : 0),
                    1);
    }
    pack_count(p, f->field_count);
    for (uint32_t i = 0; i < f->field_count; i++) {
        const struct interface_field *d = &f->fields[i];
        pack_text(p, d->name);
        pack_number(p, (unsigned)d->place | (d->big_endian ? FIELD_BIG_ENDIAN : 0), 1);
        pack_count(p, d->index);
        pack_count(p, d->offset);
        pack_count(p, d->size);
    }
}

static void write_header(struct pack *p, const struct interface_header *h)
{
    pack_number(p, h->build, 8);
    pack_count(p, h->node);
    pack_count(p, h->epoch);
    pack_count(p, h->hertz);
    pack_count(p, h->time_bits);
    pack_number(p, h->origin, 8);
    pack_text(p, h->firmware);
    pack_text(p, h->target);
    pack_count(p, h->pointer_size);
    pack_count(p, h->function_count);
    for (uint32_t i = 0; i < h->function_count; i++)
        write_function(p, &h->functions[i]);
    pack_count(p, h->variable_count);
    for (uint32_t i = 0; i < h->variable_count; i++) {
        const struct interface_variable *v = &h->variables[i];
        pack_text(p, v->name);
        pack_text(p, v->file);
        pack_count(p, v->line);
        pack_count(p, v->address);
        pack_count(p, v->size);
        pack_count(p, v->kind);
    }
}

static void write_out(struct interface_writer *w, const void *bytes, size_t size)
{
    w->failed |= fwrite(bytes, 1, size, w->out) != size;
}

/* Size and check, then the bytes themselves. */
static void write_checked(struct interface_writer *w, const struct pack *body)
{
    struct pack frame = {.count = 0};
    pack_number(&frame, body->count, 4);
    pack_number(&frame, digest_of(body->bytes, body->count).low, 4);
    write_out(w, frame.bytes, frame.count);
    write_out(w, body->bytes, body->count);
    pack_free(&frame);
}

void interface_write_begin(struct interface_writer *w, const struct interface_header *h, FILE *out)
{
    struct pack header = {.count = 0};
    *w = (struct interface_writer){.out = out, .header = h};
    write_header(&header, h);
    write_out(w, INTERFACE_MAGIC, INTERFACE_MAGIC_SIZE);
    write_checked(w, &header);
    pack_free(&header);
}

static void write_block(struct interface_writer *w)
{
    if (!w->block.count)
        return;
    write_checked(w, &w->block);
    pack_free(&w->block);
    w->block = (struct pack){.count = 0};
    w->block_events = 0;
}

static void write_value(struct pack *p, const struct interface_type *t, const struct interface_event *e, uint32_t i)
{
    if (t->size <= 8)
        pack_number(p, e->values[i], t->size);
    else
        pack_bytes(p, e->wide[i], t->size);
}

static void write_values(struct pack *p, const struct interface_function *f, const struct interface_event *e)
{
    if (interface_is_return(e)) {
        if (f->result.kind != INTERFACE_VOID)
            write_value(p, &f->result, e, 0);
        return;
    }
    for (uint32_t i = 0; i < f->parameter_count; i++)
        write_value(p, &f->parameters[i].type, e, i);
}

static void write_buffers(struct pack *p, const struct interface_event *e)
{
    pack_count(p, e->byte_count);
    for (uint32_t i = 0; i < e->byte_count; i++) {
        const struct interface_bytes *b = &e->bytes[i];
        pack_count(p, b->buffer);
        pack_count(p, b->address);
        pack_count(p, b->size);
        pack_bytes(p, b->bytes, b->size);
    }
}

static void write_body(struct pack *p, const struct interface_header *h, const struct interface_event *e)
{
    switch (e->kind) {
    case INTERFACE_CALL_IN:
    case INTERFACE_RETURN_IN:
    case INTERFACE_CALL_OUT:
    case INTERFACE_RETURN_OUT:
        pack_count(p, e->function);
        if (e->kind == INTERFACE_CALL_IN)
            pack_count(p, e->sp);
        write_values(p, &h->functions[e->function], e);
        write_buffers(p, e);
        break;
    case INTERFACE_READ:
        pack_count(p, e->position);
        pack_count(p, e->bytes[0].address);
        pack_count(p, e->bytes[0].size);
        pack_bytes(p, e->bytes[0].bytes, e->bytes[0].size);
        break;
    case INTERFACE_SNAPSHOT:
        pack_count(p, e->variable);
        pack_bytes(p, e->bytes[0].bytes, h->variables[e->variable].size);
        break;
    case INTERFACE_BEGIN: pack_count(p, e->reason); break;
    case INTERFACE_GAP: pack_count(p, e->lost); break;
    case INTERFACE_TARGET: pack_count(p, e->value); break;
    case INTERFACE_STATE: pack_number(p, e->value, 8); break;
    case INTERFACE_OFF:
    case INTERFACE_RESET: break;
    }
}

void interface_write(struct interface_writer *w, struct interface_event *e)
{
    struct pack *p = &w->block;
    e->order = w->order;
    if (!p->count) { /* a block can be read without those before it */
        pack_count(p, w->order);
        pack_count(p, w->time);
    }
    pack_number(p, (unsigned)e->kind | (e->interrupts ? EVENT_INTERRUPTS : 0), 1);
    if (e->kind == INTERFACE_RESET)
        w->time = 0;
    pack_count(p, e->time - w->time);
    w->time = e->time;
    if (e->interrupts) {
        pack_count(p, e->position);
        pack_count(p, e->pc);
    }
    write_body(p, w->header, e);
    w->order += e->kind == INTERFACE_GAP && e->lost != UINT64_MAX ? e->lost : 1;
    if (p->count >= INTERFACE_BLOCK)
        write_block(w);
}

bool interface_write_end(struct interface_writer *w)
{
    write_block(w);
    return !(w->failed | (fflush(w->out) != 0));
}
