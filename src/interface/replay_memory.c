/* Memory and registers of a component: what the log puts there, and what is compared with it. */
#include <string.h>

#include "interface/replay_internal.h"
#include "isa/isa.h"
#include "node/map.h"

/* The byte of memory at a data address; NULL: there is none. */
static uint8_t *component_byte(const struct node *n, uint32_t address)
{
    uint32_t place = map_place(n->machine, address);
    return place < n->machine->data_size ? n->data + place : NULL;
}

/* ---- putting ---- */

/* Of a log that the node made itself: what each byte of RAM was made last by the log. NULL: it is not kept. */
static uint8_t *component_given(struct node *n, uint32_t address)
{
    const struct component_replay *r = n->machine->log->config;
    uint32_t at = address - n->machine->ram->first;
    if (!r->of_node || at >= COMPONENT_GIVEN)
        return NULL;
    return (uint8_t *)(component_state_of(n, n->machine->log) + 1) + at;
}

void component_poke(struct node *n, uint32_t address, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        uint8_t *byte = component_byte(n, address + i), *given = byte ? component_given(n, address + i) : NULL;
        if (byte)
            *byte = bytes[i];
        if (given)
            *given = bytes[i];
    }
}

/* Bytes that the component hands out and that code outside had changed meanwhile, which the node did not log by
 * themselves: the component has not written them since the log did. */
static bool component_hands_on(struct node *n, uint32_t address, uint8_t byte)
{
    const uint8_t *given = component_given(n, address);
    if (!given || *component_byte(n, address) != *given)
        return false;
    component_poke(n, address, &byte, 1);
    const struct component_replay *r = n->machine->log->config;
    if (r->listener.changed)
        r->listener.changed(r->listener.context, address, n->data);
    return true;
}

void component_put_bytes(struct node *n, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        component_poke(n, e->bytes[i].address, e->bytes[i].bytes, e->bytes[i].size);
}

void component_put_value(struct node *n, const struct debug_call_place *p, const struct interface_event *e, uint32_t i,
                         uint32_t size)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned width = p->in_registers ? isa->register_size(p->first) : 1;
    for (uint32_t k = 0; p->known && k < size; k++) {
        uint8_t byte = e->wide[i] ? e->wide[i][k] : (uint8_t)(e->values[i] >> (8 * k));
        if (k < p->in_registers) {
            unsigned number = p->first + k / width, shift = 8 * (k % width);
            uint32_t old = shift ? isa->get_register(n, number) : 0;
            isa->set_register(n, number, (old & ((1u << shift) - 1)) | (uint32_t)byte << shift);
        } else {
            uint32_t after = isa->sp(n) + isa->stack_gap + isa_call_bytes(isa, n->machine);
            component_poke(n, after + p->stack + k - p->in_registers, &byte, 1);
        }
    }
}

void component_save(const struct node *n, struct component_frame *f)
{
    const struct isa *isa = n->machine->chip->isa;
    for (unsigned i = 0; i < isa->registers && i < COMPONENT_REGISTERS; i++)
        f->registers[i] = isa->get_register(n, i);
    f->pc = isa->pc(n);
}

void component_restore(struct node *n, const struct component_frame *f)
{
    const struct isa *isa = n->machine->chip->isa;
    for (unsigned i = 0; i < isa->registers && i < COMPONENT_REGISTERS; i++)
        isa->set_register(n, i, f->registers[i]);
    isa->set_pc(n, f->pc);
}

/* ---- comparing ---- */

bool component_same_value(struct node *n, struct component_state *s, const struct debug_call_place *p,
                          const struct interface_type *t, const struct interface_event *e, uint32_t i)
{
    uint8_t bytes[8] = {0};
    uint64_t found = 0;
    if (!p->known || t->size > sizeof bytes || t->kind == INTERFACE_STRUCT)
        return true; /* structures have bytes between their members that nobody sets */
    boundary_value(n, p, t->size, bytes);
    for (unsigned k = 0; k < sizeof bytes; k++)
        found |= (uint64_t)bytes[k] << (8 * k);
    if (found == e->values[i])
        return true;
    s->index = i;
    s->found = found;
    s->said = e->values[i];
    component_deviate(n, s, COMPONENT_OTHER_VALUE);
    return false;
}

bool component_same_bytes(struct node *n, struct component_state *s, const struct interface_event *e)
{
    for (uint32_t i = 0; i < e->byte_count; i++)
        for (uint32_t k = 0; k < e->bytes[i].size; k++) {
            uint32_t at = e->bytes[i].address + k;
            const uint8_t *byte = component_byte(n, at);
            if (!byte || *byte == e->bytes[i].bytes[k] || component_hands_on(n, at, e->bytes[i].bytes[k]))
                continue;
            s->index = i;
            s->at = k;
            s->found = *byte;
            s->said = e->bytes[i].bytes[k];
            component_deviate(n, s, COMPONENT_OTHER_BYTES);
            return false;
        }
    return true;
}

bool component_same_state(struct node *n, const struct device *d, const struct interface_event *e)
{
    const struct interface_header *h = &component_of(d)->log.header;
    struct digest x = {0, 0};
    for (uint32_t i = 0; i < h->variable_count; i++)
        x = digest_join(x, digest_of(component_byte(n, h->variables[i].address), h->variables[i].size));
    if (x.low == e->value)
        return true;
    component_deviate(n, component_state_of(n, d), COMPONENT_OTHER_STATE);
    return false;
}
