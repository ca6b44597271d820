#include "rewrite/cortex_chip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool cortex_chip_is(const char *line, const char *word, char *rest)
{
    char first[16];
    int after = 0;
    if (sscanf(line, " %15s %n", first, &after) != 1 || strcmp(first, word) != 0)
        return false;
    strcpy(rest, line + after);
    return true;
}

static bool cortex_chip_add(struct cortex_chip *c, enum cortex_write write, const char *rest)
{
    struct cortex_register r = {.write = write};
    if (sscanf(rest, "%x %31s", &r.address, r.name) != 2)
        return false;
    c->list = memory_resize(c->list, c->count + 1, sizeof *c->list);
    c->list[c->count++] = r;
    return true;
}

static bool cortex_chip_line(struct cortex_chip *c, const char *line)
{
    char rest[200], core[8];
    if (cortex_chip_is(line, "cortex", rest))
        return sscanf(rest, "%7s", core) == 1 && (strcmp(core, "m3") == 0 || strcmp(core, "m4") == 0);
    if (cortex_chip_is(line, "code", rest))
        return sscanf(rest, "%x %x", &c->code_first, &c->code_last) == 2;
    if (cortex_chip_is(line, "ram", rest))
        return sscanf(rest, "%x %x", &c->ram_first, &c->ram_last) == 2;
    if (cortex_chip_is(line, "log", rest))
        return sscanf(rest, "%x %x %x", &c->log_first, &c->log_size, &c->log_erase) == 3 && c->log_erase &&
               c->log_size % c->log_erase == 0;
    if (cortex_chip_is(line, "flash", rest))
        return sscanf(rest, "%15s", c->flash) == 1;
    if (cortex_chip_is(line, "vectors", rest)) /* their table is aligned by its size */
        return sscanf(rest, "%u", &c->vectors) == 1 && c->vectors >= 32 && !(c->vectors & (c->vectors - 1));
    if (cortex_chip_is(line, "fills", rest))
        return cortex_chip_add(c, CORTEX_FILLS, rest);
    if (cortex_chip_is(line, "programs", rest))
        return cortex_chip_add(c, CORTEX_PROGRAMS, rest);
    return cortex_chip_is(line, "own", rest) && cortex_chip_add(c, CORTEX_OWN, rest);
}

bool cortex_chip_load(struct cortex_chip *c, const char *path, struct motet_error *e)
{
    char line[200];
    unsigned number = 0;
    bool good = true;
    FILE *f = fopen(path, "r");
    *c = (struct cortex_chip){0};
    if (!f)
        return error_set(e, "cannot read %s: %s", path, strerror(errno));
    while (good && fgets(line, sizeof line, f)) {
        number++;
        size_t blanks = strspn(line, " \t\r\n");
        if (line[blanks] && line[blanks] != '#')
            good = cortex_chip_line(c, line) || error_set(e, "%s:%u: this line is not understood", path, number);
    }
    fclose(f);
    bool whole = c->code_last && c->ram_last && c->log_size && c->flash[0] && c->vectors;
    return good && (whole || error_set(e, "%s: code, ram, log, flash or vectors is missing", path));
}

void cortex_chip_free(struct cortex_chip *c)
{
    free(c->list);
    *c = (struct cortex_chip){0};
}

const struct cortex_register *cortex_chip_register(const struct cortex_chip *c, uint32_t address)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].address == address)
            return &c->list[i];
    return NULL;
}

void cortex_chip_write(const struct cortex_chip *c, FILE *to)
{
    fprintf(to,
            "/* Facts of the chip, by motet cc from its table. */\n"
            "#define CHIP_CODE_FIRST 0x%x\n#define CHIP_CODE_END 0x%x\n#define CHIP_RAM_FIRST 0x%x\n"
            "#define CHIP_RAM_LAST 0x%x\n#define CHIP_LOG_FIRST 0x%x\n#define CHIP_LOG_SIZE 0x%x\n"
            "#define CHIP_LOG_ERASE 0x%x\n#define CHIP_VECTORS %u\n",
            c->code_first, c->code_last + 1, c->ram_first, c->ram_last, c->log_first, c->log_size, c->log_erase,
            c->vectors);
}
