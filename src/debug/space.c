#include "debug/space.h"

#include <string.h>

#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"

static const struct isa_spaces *spaces(const struct node *n)
{
    return &n->machine->chip->isa->spaces;
}

uint32_t space_eeprom_size(const struct node *n)
{
    struct pages *p = node_eeprom(n);
    return p ? (uint32_t)pages_size(p) : 0;
}

bool space_data(const struct node *n, uint32_t address, size_t count, uint32_t *data)
{
    uint32_t at = address - spaces(n)->data;
    if (at >= n->machine->data_size || count > n->machine->data_size - at)
        return false;
    *data = at;
    return true;
}

bool space_eeprom(const struct node *n, uint32_t address, size_t count, uint32_t *at)
{
    uint32_t size = space_eeprom_size(n), from = address - spaces(n)->eeprom;
    if (!spaces(n)->eeprom || address < spaces(n)->eeprom || from >= size || count > size - from)
        return false;
    *at = from;
    return true;
}

uint32_t space_of_data(const struct node *n, uint32_t data)
{
    return data + spaces(n)->data;
}

/* Registers say what they hold when they are read; the node is put back as it was. */
static void space_read_registers(struct node *n, uint32_t at, uint8_t *to, size_t count)
{
    struct snapshot *s = snapshot_take(n);
    uint32_t hooked = n->hooked;
    bool stopped = n->stopped;
    n->hooked = 0;
    for (size_t i = 0; i < count; i++)
        to[i] = node_read(n, (uint16_t)(at + i));
    snapshot_restore(n, s);
    n->hooked = hooked;
    n->stopped = stopped;
    snapshot_free(s);
}

static size_t read_data(struct node *n, uint32_t at, uint8_t *to, size_t count)
{
    size_t size = n->machine->data_size;
    if (at >= size)
        return 0;
    count = count < size - at ? count : size - at;
    memcpy(to, n->data + at, count);
    uint32_t ram = n->machine->chip->ram_start, end = ram < MACHINE_REGISTERS ? ram : MACHINE_REGISTERS;
    if (at < end)
        space_read_registers(n, at, to, at + count < end ? count : end - at);
    return count;
}

void space_program(const struct node *n, uint32_t *first, uint32_t *end)
{
    const struct chip *c = n->machine->chip;
    *end = c->flash_size;
    *first = c->program_bytes && !spaces(n)->data ? *end - c->program_bytes : 0;
}

static size_t read_code(const struct node *n, uint32_t at, uint8_t *to, size_t count)
{
    const struct pages *p = node_program_memory(n);
    uint32_t first, end;
    space_program(n, &first, &end);
    if (at >= end || at < first)
        return 0;
    count = count < end - at ? count : end - at;
    if (p)
        pages_read(p, at, to, count);
    else
        memcpy(to, n->machine->flash + at, count);
    return count;
}

size_t space_read(struct node *n, uint32_t address, uint8_t *to, size_t count)
{
    if (!spaces(n)->data) /* one space: RAM and registers below, program memory above */
        return address < n->machine->data_size ? read_data(n, address, to, count) : read_code(n, address, to, count);
    uint32_t size = space_eeprom_size(n);
    if (address >= spaces(n)->eeprom && address - spaces(n)->eeprom < size) {
        uint32_t at = address - spaces(n)->eeprom;
        count = count < size - at ? count : size - at;
        pages_read(node_eeprom(n), at, to, count);
        return count;
    }
    return address < spaces(n)->data ? read_code(n, address, to, count)
                                     : read_data(n, address - spaces(n)->data, to, count);
}
