#include "rewrite/near.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/listing.h"

enum { REACH = 4000 /* bytes, of 4094 */, NAME = 128 };

struct place {
    const char *label;
    long at;
};

/* The word that follows, if the line is of this instruction and has nothing but that. */
static bool near_operand(const char *line, const char *instruction, char name[NAME])
{
    char rest;
    line = listing_trimmed(line);
    size_t length = strlen(instruction);
    return listing_starts(line, instruction) && isspace((unsigned char)line[length]) &&
           sscanf(line + length, " %127[A-Za-z0-9_.$] %c", name, &rest) == 1;
}

static bool is_instruction(const char *line)
{
    return isspace((unsigned char)line[0]) && isalpha((unsigned char)listing_trimmed(line)[0]);
}

static long near_size_of(const char *line)
{
    static const char *const long_ones[] = {"call", "jmp", "lds", "sts"};
    line = listing_trimmed(line);
    size_t length = strcspn(line, " \t");
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        if (strlen(long_ones[i]) == length && strncmp(line, long_ones[i], length) == 0)
            return 4;
    return 2;
}

static bool is_section(const char *line)
{
    line = listing_trimmed(line);
    return listing_starts(line, ".section") || listing_starts(line, ".text") || listing_starts(line, ".data") ||
           listing_starts(line, ".bss");
}

static bool near_is_code(const char *line)
{
    line = listing_trimmed(line);
    return listing_starts(line, ".section") && listing_starts(listing_trimmed(line + strlen(".section")), ".text.");
}

/* Where each line lies, -1 if it is no code, and the functions. */
static size_t near_find_places(const struct listing *l, long *at, struct place *places)
{
    long now = 0;
    size_t count = 0;
    bool code = false;
    for (size_t i = 0; i < l->count; i++) {
        const char *line = l->list[i];
        if (is_section(line))
            code = near_is_code(line);
        at[i] = code ? now : -1;
        if (!code)
            continue;
        if (isalpha((unsigned char)line[0]) || line[0] == '_')
            places[count++] = (struct place){line, now};
        else if (is_instruction(line))
            now += near_size_of(line);
        else if (listing_starts(listing_trimmed(line), ".word"))
            now += 2;
    }
    return count;
}

static bool reaches(const struct place *places, size_t count, long at, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count && at >= 0; i++)
        if (strncmp(places[i].label, name, length) == 0 && places[i].label[length] == ':')
            return labs(places[i].at - at) < REACH;
    return false;
}

bool near_calls(const char *path, struct motet_error *e)
{
    struct listing l = {0};
    if (!listing_read(&l, path, e))
        return false;
    long *at = memory_array(l.count + 1, sizeof *at);
    struct place *places = memory_array(l.count + 1, sizeof *places);
    size_t count = near_find_places(&l, at, places);
    FILE *f = fopen(path, "wb");
    for (size_t i = 0; f && i < l.count; i++) {
        char name[NAME];
        bool call = near_operand(l.list[i], "call", name);
        if ((call || near_operand(l.list[i], "jmp", name)) && reaches(places, count, at[i], name))
            fprintf(f, "\t%s %s\n", call ? "rcall" : "rjmp", name);
        else
            fprintf(f, "%s\n", l.list[i]);
    }
    bool good = f && !ferror(f);
    good = (!f || fclose(f) == 0) && good;
    free(at);
    free(places);
    listing_free(&l);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
