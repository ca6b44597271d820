#include "rewrite/registers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = {"state", "timer", "data", "whole", "fixed"};

const char *register_class_name(enum register_class c)
{
    return class_names[c];
}

static bool class_named(const char *name, enum register_class *c)
{
    for (unsigned i = 0; i < sizeof class_names / sizeof *class_names; i++)
        if (strcmp(class_names[i], name) == 0 && i != REGISTER_WHOLE) {
            *c = (enum register_class)i;
            return true;
        }
    return false;
}

static bool parse_line(const char *line, struct chip_register *r)
{
    unsigned address, size, bits = 0;
    char class[8];
    int fields = sscanf(line, "%x %19s %u %7s %x", &address, r->name, &size, class, &bits);
    if (fields < 4 || address > 0xffff || (size != 1 && size != 2) || bits > (1u << 8 * size) - 1 ||
        !class_named(class, &r->class) || (fields == 5) == (r->class == REGISTER_FIXED))
        return false;
    r->address = (uint16_t)address;
    r->size = (uint8_t)size;
    r->bits = (uint16_t)bits;
    return true;
}

bool registers_load(struct registers *r, const char *path, struct error *e)
{
    *r = (struct registers){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return error_set(e, "cannot read the register file %s: %s", path, strerror(errno));
    char line[256];
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, f); number++) {
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0')
            continue;
        struct chip_register *list = realloc(r->list, (r->count + 1) * sizeof *list);
        if (!list)
            abort();
        r->list = list;
        good = parse_line(line, &list[r->count]) ||
               error_set(e, "%s:%u: not a register: address, name, size, class and bits are wanted", path, number);
        if (good && list[r->count].address + list[r->count].size > r->limit)
            r->limit = (uint16_t)(list[r->count].address + list[r->count].size);
        r->count++;
    }
    fclose(f);
    if (!good)
        registers_free(r);
    return good;
}

void registers_free(struct registers *r)
{
    free(r->list);
    *r = (struct registers){0};
}

const struct chip_register *registers_at(const struct registers *r, uint32_t address, unsigned size)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].address == address && r->list[i].size == size)
            return &r->list[i];
    return NULL;
}

const struct chip_register *registers_named(const struct registers *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->list[i].name, name) == 0)
            return &r->list[i];
    return NULL;
}
