/* What an access to a place of the data space does: devices that are wired to a register answer, memory is plain. */
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/uses.h"

/* Most registers have no device that must be asked. */
static inline __attribute__((always_inline)) void tell_readers(struct node *n, const struct machine_register *r)
{
    if (!(r->mode & WIRE_READ))
        return;
    const struct wire *w = machine_wires(n->machine, r->wires), *end = w + r->wires.count;
    for (; w != end; w++)
        if (w->mode & WIRE_READ)
            w->device->type->read(n, w->device, w->role);
}

static inline __attribute__((always_inline)) void tell_writers(struct node *n, const struct machine_register *r,
                                                               unsigned value, unsigned old)
{
    const struct wire *w = machine_wires(n->machine, r->wires), *end = w + r->wires.count;
    for (; w != end; w++)
        if (w->mode & (WIRE_STORE | WIRE_WRITE))
            w->device->type->write(n, w->device, w->role, value, old);
}

/* The register at a place; a byte inside a wider one belongs to that. */
static const struct machine_register *register_at(const struct machine *m, uint32_t place)
{
    const struct machine_register *r = &m->registers[place];
    return r - r->within;
}

uint8_t node_read_register(struct node *n, uint32_t place)
{
    tell_readers(n, register_at(n->machine, place));
    return n->data[place];
}

uint8_t node_read(struct node *n, uint32_t address)
{
    uint32_t place = map_place(n->machine, address);
    if (place < n->machine->register_size)
        return node_read_register(n, place);
    if (place == MAP_NOWHERE)
        return 0;
    uses_data(n, place, 1, false);
    return n->data[place];
}

static uint32_t kept(const struct node *n, uint32_t place, unsigned size)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)n->data[place + i] << 8 * i;
    return value;
}

/* All of a register that is `size` bytes wide. */
static void write_register(struct node *n, uint32_t place, uint32_t value, unsigned size)
{
    const struct machine_register *r = &n->machine->registers[place];
    uint32_t old = kept(n, place, size), stored = (old & ~r->writable) | (value & r->writable);
    for (unsigned i = 0; i < size; i++)
        n->data[place + i] = (uint8_t)(stored >> 8 * i);
    tell_writers(n, r, value, old);
}

void node_write_register(struct node *n, uint32_t place, uint8_t value)
{
    const struct machine_register *r = &n->machine->registers[place];
    if (r->within) /* the bytes after the first of a wider register read as zero from the bus (SLAU049, 1.4.5) */
        return;
    if (r->mode & (WIRE_WORD | WIRE_LONG)) {
        write_register(n, place, value, r->mode & WIRE_LONG ? 4 : 2);
        return;
    }
    uint8_t old = n->data[place];
    n->data[place] = (uint8_t)((old & ~r->writable) | (value & r->writable));
    tell_writers(n, r, value, old);
}

void node_write(struct node *n, uint32_t address, uint8_t value)
{
    uint32_t place = map_place(n->machine, address);
    if (place < n->machine->register_size) {
        node_write_register(n, place, value);
    } else if (place != MAP_NOWHERE) {
        uses_data(n, place, 1, true);
        n->data[place] = value;
    }
}

static bool is_wide(const struct node *n, uint32_t place, unsigned mode)
{
    return place < n->machine->register_size && (n->machine->registers[place].mode & mode);
}

uint16_t node_read_word(struct node *n, uint32_t address)
{
    uint32_t place = map_place(n->machine, address);
    if (!is_wide(n, place, WIRE_WORD))
        return (uint16_t)(node_read(n, address) | node_read(n, address + 1) << 8);
    tell_readers(n, &n->machine->registers[place]);
    return (uint16_t)kept(n, place, 2);
}

void node_write_word(struct node *n, uint32_t address, uint16_t value)
{
    uint32_t place = map_place(n->machine, address);
    if (is_wide(n, place, WIRE_WORD)) {
        write_register(n, place, value, 2);
    } else {
        node_write(n, address, (uint8_t)value);
        node_write(n, address + 1, (uint8_t)(value >> 8));
    }
}

uint32_t node_read_long(struct node *n, uint32_t address)
{
    uint32_t place = map_place(n->machine, address);
    if (!is_wide(n, place, WIRE_LONG))
        return node_read_word(n, address) | (uint32_t)node_read_word(n, address + 2) << 16;
    tell_readers(n, &n->machine->registers[place]);
    return kept(n, place, 4);
}

void node_write_long(struct node *n, uint32_t address, uint32_t value)
{
    uint32_t place = map_place(n->machine, address);
    if (is_wide(n, place, WIRE_LONG)) {
        write_register(n, place, value, 4);
    } else {
        node_write_word(n, address, (uint16_t)value);
        node_write_word(n, address + 2, (uint16_t)(value >> 16));
    }
}
