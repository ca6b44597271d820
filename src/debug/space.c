#include "debug/space.h"

#include <string.h>

#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"

static const struct isa_spaces *spaces(const struct node *n)
{
    return &n->machine->chip->isa->spaces;
}

uint32_t space_eeprom_size(const struct node *n)
{
    const struct region *r = chip_region(n->machine->chip, REGION_EEPROM);
    return r ? r->size : 0;
}

bool space_data(const struct node *n, uint32_t address, size_t count, uint32_t *data)
{
    uint32_t at = address - spaces(n)->data;
    if (address < spaces(n)->data || !count || !map_holds(n->machine, at, count))
        return false;
    *data = at;
    return true;
}

/* The region that holds all the bytes from an address on. */
static const struct region *space_region(const struct node *n, uint32_t address, size_t count)
{
    const struct chip *c = n->machine->chip;
    for (size_t i = 0; i < c->region_count; i++) {
        const struct region *r = &c->regions[i];
        if (address - r->first < r->size && count <= r->size - (address - r->first))
            return r;
    }
    return NULL;
}

bool space_eeprom(const struct node *n, uint32_t address, size_t count, uint32_t *at)
{
    const struct region *r = space_region(n, address, count);
    if (!r || r->kind != REGION_EEPROM)
        return false;
    *at = address - r->first + r->backing;
    return true;
}

bool space_code(const struct node *n, uint32_t address, size_t count)
{
    const struct region *r = space_region(n, address, count);
    return r && (r->kind == REGION_FLASH || r->kind == REGION_INFORMATION);
}

uint32_t space_of_data(const struct node *n, uint32_t data)
{
    return data + spaces(n)->data;
}

void space_program(const struct node *n, uint32_t *first, uint32_t *end)
{
    const struct region *r = chip_region(n->machine->chip, REGION_FLASH);
    *first = r->first;
    *end = r->first + r->size;
}

/* ---- reading ---- */

/* Registers say what they hold when they are read; the node is put back as it was. */
static void space_read_registers(struct node *n, uint32_t at, uint8_t *to, size_t count)
{
    struct snapshot *s = snapshot_take(n);
    uint32_t hooked = n->hooked;
    bool stopped = n->stopped;
    n->hooked = 0;
    map_read(n, at, to, count);
    snapshot_restore(n, s);
    n->hooked = hooked;
    n->stopped = stopped;
    snapshot_free(s);
}

static void read_program(const struct node *n, uint32_t at, uint8_t *to, size_t count)
{
    const struct pages *p = node_program_memory(n);
    if (p)
        pages_read(p, at, to, count);
    else
        memcpy(to, n->machine->flash + at, count);
}

static void read_region(struct node *n, const struct region *r, uint32_t address, uint8_t *to, size_t count)
{
    uint32_t place = address - r->first + r->backing;
    switch (r->kind) {
    case REGION_FLASH:
    case REGION_INFORMATION:
    case REGION_ROM: read_program(n, place, to, count); break;
    case REGION_EEPROM: pages_read(node_eeprom(n), place, to, count); break;
    case REGION_REGISTERS: space_read_registers(n, address - spaces(n)->data, to, count); break;
    case REGION_CORE:
    case REGION_RAM: memcpy(to, n->data + place, count); break;
    case REGION_ALIAS: space_read(n, place, to, count); break;
    }
}

size_t space_read(struct node *n, uint32_t address, uint8_t *to, size_t count)
{
    size_t done = 0;
    while (done < count) {
        uint32_t at = address + (uint32_t)done;
        const struct region *r = at >= address ? space_region(n, at, 1) : NULL;
        if (!r)
            break;
        size_t room = r->size - (at - r->first), piece = count - done < room ? count - done : room;
        read_region(n, r, at, to + done, piece);
        done += piece;
    }
    return done;
}
