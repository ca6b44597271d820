/* A machine's firmware, taken apart. */
#include <string.h>

#include "api/handles.h"
#include "chip/chip.h"
#include "isa/isa.h"

static const struct image_symbol *label_at(const struct machine *m, uint32_t address)
{
    const struct image_symbol *s = image_symbol_at(m->image, address);
    return s && s->address == address ? s : NULL;
}

static enum motet_code kind_at(const struct machine *m, uint32_t address)
{
    switch ((enum machine_flash_kind)m->flash_known[address]) {
    case FLASH_ERASED: return MOTET_CODE_ERASED;
    case FLASH_CODE: return MOTET_CODE_INSTRUCTION;
    default: return MOTET_CODE_DATA;
    }
}

bool motet_machine_instruction(const motet_machine *handle, uint32_t address, struct motet_instruction *i)
{
    const struct machine *m = handle->machine;
    uint32_t left = address < m->code_size ? m->code_size - address : 0;
    struct image_line line;
    if (!left)
        return false;
    *i = (struct motet_instruction){.kind = kind_at(m, address), .size = 1};
    if (i->kind == MOTET_CODE_INSTRUCTION)
        i->size = m->chip->isa->disassemble(m->flash + address, left, address, i->text, sizeof i->text);
    if (i->size == 0 || i->size > sizeof i->bytes)
        i->size = 1;
    memcpy(i->bytes, m->flash + address, i->size);
    const struct image_symbol *s = label_at(m, address);
    i->label = s ? s->name : NULL;
    if (i->kind == MOTET_CODE_INSTRUCTION && image_line_at(m->image, address, &line)) {
        i->file = line.file;
        i->line = line.line;
    }
    return true;
}

static void symbol_out(const struct image_symbol *from, struct motet_symbol *to)
{
    static const enum motet_symbol_kind kinds[] = {
        [IMAGE_SYMBOL_OTHER] = MOTET_SYMBOL_LABEL,
        [IMAGE_SYMBOL_FUNCTION] = MOTET_SYMBOL_FUNCTION,
        [IMAGE_SYMBOL_OBJECT] = MOTET_SYMBOL_VARIABLE,
    };
    *to = (struct motet_symbol){from->name, kinds[from->kind], from->address, from->size, from->passage};
}

bool motet_machine_symbol(const motet_machine *m, size_t number, struct motet_symbol *s)
{
    const struct image_symbol *first;
    if (number >= image_symbols(m->machine->image, &first))
        return false;
    symbol_out(first + number, s);
    return true;
}

bool motet_machine_symbol_named(const motet_machine *m, const char *name, struct motet_symbol *s)
{
    const struct image_symbol *found = image_symbol_named(m->machine->image, name);
    if (found)
        symbol_out(found, s);
    return found;
}

const char *motet_machine_path(const motet_machine *m)
{
    return image_path(m->machine->image);
}

const uint8_t *motet_machine_file(const motet_machine *m, size_t *size)
{
    return image_file(m->machine->image, size);
}

/* What a firmware file can bring into flash. */
static uint32_t firmware_room(const struct chip *c)
{
    uint32_t all = 0;
    for (size_t i = 0; i < c->region_count; i++)
        if (c->regions[i].kind == REGION_FLASH || c->regions[i].kind == REGION_INFORMATION)
            all += c->regions[i].size;
    return all;
}

void motet_machine_firmware(const motet_machine *handle, struct motet_firmware *f)
{
    const struct machine *m = handle->machine;
    const struct chip *c = m->chip;
    static const char *const known_by[] = {
        [VARIABLES_BY_SYMBOLS] = "symbols",
        [VARIABLES_BY_HEADERS] = "section headers",
        [VARIABLES_BY_START_UP] = "start-up code",
    };
    *f = (struct motet_firmware){
        .built_for = image_device(m->image),
        .flash_size = firmware_room(c),
        .has_fuses = c->has_fuses,
        .ram_start = m->ram->first,
        .ram_size = m->ram->size,
        .ram_used = m->stack_limit > m->ram->first ? m->stack_limit - m->ram->first : 0,
        .ram_used_by = known_by[m->variables_known],
        .lock = m->lock,
    };
    memcpy(f->fuses, m->fuses, sizeof f->fuses);
    for (uint32_t i = 0; i < m->code_size; i++)
        f->flash_used += m->flash_known[i] != FLASH_ERASED;
}
