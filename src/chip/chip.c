#include "chip/chip.h"

#include <stdio.h>
#include <string.h>
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

bool chip_pin_name(const struct chip *c, unsigned pin, char name[CHIP_PIN_NAME])
{
    if (pin >= strlen(c->ports) * 8)
        return false;
    unsigned byte = pin / 8, first = byte;
    char port = c->ports[byte];
    while (first > 0 && c->ports[first - 1] == port) /* ports of more than eight pins stand in the table as often */
        first--;
    bool letters = port >= 'A'; /* PB5 on one family, P1.5 on the others */
    snprintf(name, CHIP_PIN_NAME, letters ? "P%c%u" : "P%c.%u", port, pin - 8 * first);
    return true;
}

int chip_pin_named(const struct chip *c, const char *name)
{
    char candidate[CHIP_PIN_NAME];
    for (unsigned pin = 0; chip_pin_name(c, pin, candidate); pin++)
        if (strcmp(candidate, name) == 0)
            return (int)pin;
    return -1;
}
