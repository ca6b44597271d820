#include "isa/own_flash.h"

#include <stdbool.h>
#include <string.h>

#include "base/pages.h"
#include "node/machine.h"

void own_flash_begin(struct own_flash *o, const struct machine *m, uint8_t *room, uint32_t size)
{
    *o = (struct own_flash){.bytes = room, .known = room + size};
    memcpy(o->bytes, m->flash, size);
    memcpy(o->known, m->flash_known, size);
}

static bool own_flash_is_original(const struct own_flash *o, const struct machine *m, uint32_t at)
{
    return memcmp(o->bytes + at, m->flash + at, 2) == 0;
}

static uint32_t own_flash_count(const struct own_flash *o, const struct machine *m, uint32_t first, uint32_t last)
{
    uint32_t changed = 0;
    for (uint32_t at = first; at < last; at += 2)
        changed += !own_flash_is_original(o, m, at);
    return changed;
}

void own_flash_read(struct own_flash *o, const struct machine *m, struct pages *now, uint32_t first, uint32_t last)
{
    o->changed -= own_flash_count(o, m, first, last);
    pages_read(now, first, o->bytes + first, last - first);
    o->changed += own_flash_count(o, m, first, last);
    for (uint32_t at = first; at < last; at += 2) {
        bool erased = o->bytes[at] == 0xff && o->bytes[at + 1] == 0xff;
        uint8_t kind = erased ? FLASH_ERASED : FLASH_CODE;
        o->known[at] = o->known[at + 1] = own_flash_is_original(o, m, at) ? m->flash_known[at] : kind;
    }
}
