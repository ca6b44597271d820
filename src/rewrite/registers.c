#include "rewrite/registers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { WORTH_A_RANGE = 2 }; /* bytes that may be saved in vain so that two ranges are one */

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

/* The words after the class: the bits, except of a fixed register, and perhaps how it may be read. */
static bool parse_rest(char *rest, struct chip_register *r)
{
    const char *word = strtok(rest, " \t\r\n");
    if (r->class != REGISTER_FIXED) {
        char *end;
        unsigned long bits = word ? strtoul(word, &end, 16) : 0;
        if (!word || *end || bits == 0 || bits >= 1ul << 8 * r->size)
            return false;
        r->bits = (uint16_t)bits;
        word = strtok(NULL, " \t\r\n");
    }
    for (; word; word = strtok(NULL, " \t\r\n")) {
        char *end = "";
        if (strcmp(word, "acts") == 0)
            r->acts = true;
        else if (strcmp(word, "cpu") == 0)
            r->cpu = true;
        else if (strcmp(word, "speed") == 0)
            r->speed = true;
        else if (strncmp(word, "fills=", 6) == 0)
            r->fills = (uint16_t)strtoul(word + 6, &end, 16);
        else if (strncmp(word, "programs=", 9) == 0)
            r->programs = (uint16_t)strtoul(word + 9, &end, 16);
        else
            return false;
        if (*end)
            return false;
    }
    return true;
}

static bool parse_line(char *line, struct chip_register *r)
{
    *r = (struct chip_register){0};
    unsigned address, size;
    char class[8];
    int end = 0;
    if (sscanf(line, "%x %19s %u %7s%n", &address, r->name, &size, class, &end) != 4 || address > 0xffff ||
        (size != 1 && size != 2) || !class_named(class, &r->class))
        return false;
    r->address = (uint16_t)address;
    r->size = (uint8_t)size;
    return parse_rest(line + end, r);
}

static bool parse_area(struct registers *r, const char *line)
{
    unsigned first, last;
    struct area *a = &r->areas[r->area_count];
    if (r->area_count == sizeof r->areas / sizeof *r->areas ||
        sscanf(line, "area %x %x %19s", &first, &last, a->name) != 3 || first > last || last > 0xffff)
        return false;
    a->first = (uint16_t)first;
    a->last = (uint16_t)last;
    r->area_count++;
    return true;
}

const struct area *registers_area(const struct registers *r, uint32_t address)
{
    for (size_t i = 0; i < r->area_count; i++)
        if (address >= r->areas[i].first && address <= r->areas[i].last)
            return &r->areas[i];
    return NULL;
}

/* Facts name registers, which may come later in the file. */
static bool load_facts(struct registers *r, const char *path, FILE *f, struct motet_error *e)
{
    char line[512];
    bool good = true;
    rewind(f);
    for (unsigned number = 1; good && fgets(line, sizeof line, f); number++) {
        struct motet_error why = {""};
        good = !facts_is_line(line) || facts_parse(&r->facts, r, line, &why) ||
               error_set(e, "%s:%u: %s", path, number, why.text);
    }
    return good;
}

bool registers_load(struct registers *r, const char *path, struct motet_error *e)
{
    *r = (struct registers){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return error_set(e, "cannot read the register file %s: %s", path, strerror(errno));
    char line[512];
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, f); number++) {
        if (facts_is_line(line) || line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (strncmp(line, "area ", 5) == 0) {
            good =
                parse_area(r, line) ||
                error_set(e, "%s:%u: not an area: the first and the last address and a name are wanted", path, number);
            continue;
        }
        struct chip_register *list = memory_resize(r->list, r->count + 1, sizeof *list);
        r->list = list;
        good = parse_line(line, &list[r->count]) ||
               error_set(e, "%s:%u: not a register: address, name, size, class and bits are wanted", path, number);
        if (good && list[r->count].address + list[r->count].size > r->limit)
            r->limit = (uint16_t)(list[r->count].address + list[r->count].size);
        r->count++;
    }
    good = good && load_facts(r, path, f, e);
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

/* The register that holds a byte, and which of its bytes that is. */
static const struct chip_register *holder(const struct registers *r, uint32_t address, unsigned *byte)
{
    for (size_t i = 0; i < r->count; i++)
        if (address >= r->list[i].address && address < r->list[i].address + (uint32_t)r->list[i].size) {
            *byte = address - r->list[i].address;
            return &r->list[i];
        }
    return NULL;
}

bool registers_covering(const struct registers *r, uint32_t address, unsigned size, struct chip_register *is)
{
    const struct chip_register *exact = registers_at(r, address, size);
    if (exact) {
        *is = *exact;
        return true;
    }
    *is = (struct chip_register){.class = REGISTER_FIXED, .address = (uint16_t)address, .size = (uint8_t)size};
    for (unsigned i = 0; i < size; i++) {
        unsigned byte;
        const struct chip_register *one = holder(r, address + i, &byte);
        if (!one || size > 2)
            return false;
        uint16_t bits = (uint16_t)((one->bits >> 8 * byte & 0xff) << 8 * i);
        if (i == 0)
            memcpy(is->name, one->name, sizeof is->name);
        if (bits && is->class == REGISTER_FIXED)
            is->class = one->class;
        is->bits |= bits;
        is->acts |= one->acts;
    }
    return size > 0;
}

const struct chip_register *registers_named(const struct registers *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->list[i].name, name) == 0)
            return &r->list[i];
    return NULL;
}

/* ---- what a checkpoint holds ---- */

enum { SAFE = 1, CONFIGURES = 2, FORBIDDEN = 4 };

static bool is_between(const uint8_t *what, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!(what[i] & SAFE) || what[i] & FORBIDDEN)
            return false;
    return true;
}

static uint32_t next_configuring(const uint8_t *what, uint32_t from, uint32_t limit)
{
    while (from < limit && (!(what[from] & CONFIGURES) || what[from] & FORBIDDEN))
        from++;
    return from;
}

char *registers_ranges(const struct registers *r)
{
    uint8_t *what = memory_array(r->limit + 1u, 1);
    char *text = NULL;
    size_t size;
    FILE *f = memory_must(open_memstream(&text, &size));
    for (size_t i = 0; i < r->count; i++) {
        const struct chip_register *one = &r->list[i];
        /* A compare register may also capture, but what is written into it is often made of what it has. */
        bool configures = one->bits != (one->size == 1 ? 0xff : 0xffff) || one->class == REGISTER_TIMER;
        for (unsigned b = 0; b < one->size; b++)
            what[one->address + b] |= one->acts || one->cpu ? FORBIDDEN : configures ? SAFE | CONFIGURES : SAFE;
    }
    for (uint32_t first = next_configuring(what, 0, r->limit); first < r->limit;) {
        uint32_t last = first, next;
        while ((next = next_configuring(what, last + 1, r->limit)) < r->limit && next - last <= WORTH_A_RANGE + 1 &&
               is_between(what, last, next))
            last = next;
        fprintf(f, "%s{0x%x,0x%x}", ftell(f) ? "," : "", first, last);
        first = next;
    }
    memory_written(f);
    free(what);
    return text;
}
