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
