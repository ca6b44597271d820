/* Machines and nodes as debuggers address them. */
#include <strings.h>

#include "api/handles.h"
#include "chip/chip.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/map.h"
#include "motet/timeline.h"

const char *motet_machine_architecture(const motet_machine *m)
{
    return m->machine->chip->isa->architecture;
}

const char *motet_machine_feature(const motet_machine *m)
{
    return m->machine->chip->isa->feature;
}

static unsigned register_named(const struct isa *isa, const char *name, const char *other)
{
    unsigned i = 0;
    while (i + 1 < isa->registers && strcasecmp(isa->register_name(i), name) != 0 &&
           strcasecmp(isa->register_name(i), other) != 0)
        i++;
    return i;
}

void motet_machine_registers(const motet_machine *m, struct motet_registers *r)
{
    const struct isa *isa = m->machine->chip->isa;
    *r = (struct motet_registers){
        .count = isa->registers,
        .pc = register_named(isa, "PC", "PC"),
        .sp = register_named(isa, "SP", "SP"),
        .status = register_named(isa, "SREG", "SR"),
    };
}

_Static_assert((int)MOTET_REGION_ALIAS == (int)REGION_ALIAS, "public and internal kinds agree");

bool motet_machine_region(const motet_machine *m, size_t number, struct motet_region *to)
{
    const struct chip *c = m->machine->chip;
    for (size_t i = 0; i < c->region_count; i++) {
        const struct region *r = &c->regions[i];
        if (!r->size || number--)
            continue;
        *to = (struct motet_region){r->first, r->size, (enum motet_region_kind)r->kind, r->width};
        return true;
    }
    return false;
}

/* Data addresses reach no further. */
static uint32_t data_end(const struct machine *m)
{
    uint32_t end = 0;
    for (size_t i = 0; i < m->map_count; i++)
        if (map_holds(m, m->map[i].first, 1))
            end = m->map[i].first + m->map[i].size;
    return end;
}

bool motet_node_memory(const motet_node *handle, enum motet_memory which, struct motet_memory_info *info)
{
    const struct node *n = handle->node;
    const struct isa_spaces *s = &n->machine->chip->isa->spaces;
    uint32_t first, end;
    switch (which) {
    case MOTET_MEMORY_DATA: *info = (struct motet_memory_info){s->data, data_end(n->machine), true}; break;
    case MOTET_MEMORY_EEPROM: *info = (struct motet_memory_info){s->eeprom, space_eeprom_size(n), true}; break;
    case MOTET_MEMORY_CODE:
        space_program(n, &first, &end);
        *info = (struct motet_memory_info){first, end - first, node_program_memory(n) != NULL};
        break;
    default: return false;
    }
    return info->size > 0;
}

bool motet_node_locate(const motet_node *n, uint32_t address, size_t count, enum motet_memory *which, uint32_t *at)
{
    if (space_data(n->node, address, count, at)) {
        *which = MOTET_MEMORY_DATA;
        return true;
    }
    if (space_eeprom(n->node, address, count, at)) {
        *which = MOTET_MEMORY_EEPROM;
        return true;
    }
    *which = MOTET_MEMORY_CODE;
    *at = address;
    return space_code(n->node, address, count);
}

size_t motet_node_look(const motet_node *n, uint32_t address, void *to, size_t count)
{
    return space_read(n->node, address, to, count);
}
