#include "chip/chip.h"

#include <strings.h>

#include "chip/chips.h"

const struct chip *const chips[] = {
#define X(name) &chip_##name,
    CHIPS(X)
#undef X
        NULL,
};

const struct chip *chip_named(const char *name)
{
    for (size_t i = 0; chips[i]; i++)
        if (strcasecmp(chips[i]->name, name) == 0)
            return chips[i];
    return NULL;
}

const struct region *chip_region(const struct chip *c, enum region_kind kind)
{
    for (size_t i = 0; i < c->region_count; i++)
        if (c->regions[i].kind == kind && c->regions[i].size)
            return &c->regions[i];
    return NULL;
}
