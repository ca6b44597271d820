#include "rewrite/loops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/listing.h"

enum { NAME = 200 };

/* ---- what a line is ---- */

/* A label's name, or "". */
static void label_of(const char *line, char name[NAME])
{
    line = listing_trimmed(line);
    size_t n = strcspn(line, ": \t\"");
    name[0] = '\0';
    if (line[n] == ':' && n < NAME)
        snprintf(name, NAME, "%.*s", (int)n, line);
}

/* Where a jump leads, or "". Calls come back, and are none. */
static void target_of(const char *line, char name[NAME])
{
    line = listing_trimmed(line);
    name[0] = '\0';
    if (!listing_starts(line, "br") && !listing_starts(line, "j") && !listing_starts(line, "rjmp"))
        return;
    const char *operand = line + strcspn(line, " \t"), *comma;
    if ((comma = strrchr(operand, ',')))
        operand = comma + 1;
    operand = listing_trimmed(operand);
    operand += *operand == '#';
    snprintf(name, NAME, "%.*s", (int)strcspn(operand, " \t;"), operand);
}

/* A function's own section begins, or goes on. */
static bool is_text_section(const char *line)
{
    line = listing_trimmed(line);
    return listing_starts(line, ".section") && listing_starts(listing_trimmed(line + strlen(".section")), ".text.");
}

/* The number of a label 1b, 2b, ... */
static bool is_backward(const char *target)
{
    size_t n = strspn(target, "0123456789");
    return n > 0 && strcmp(target + n, "b") == 0;
}

/* ---- loops ---- */

/* The line of the label a jump goes back to, if it does. */
static bool find_back(const struct listing *l, size_t first, size_t jump, size_t *to)
{
    char target[NAME], label[NAME];
    target_of(l->list[jump], target);
    if (!target[0])
        return false;
    if (listing_starts(target, ".-") || listing_starts(target, "$-"))
        return (*to = jump), true;
    if (is_backward(target))
        target[strlen(target) - 1] = '\0';
    for (size_t i = jump + 1; i-- > first;) {
        label_of(l->list[i], label);
        if (strcmp(label, target) == 0)
            return (*to = i), true;
    }
    return false;
}

/* Anything of ours in it: a count, an entry of the recorder, the mark of a polling loop. */
static bool is_known(const struct listing *l, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (strstr(l->list[i], "motet_") || strstr(l->list[i], ".motet.polls"))
            return true;
    return false;
}

static bool has_loop(const struct listing *l, size_t first, size_t last)
{
    size_t to;
    for (size_t i = first; i <= last; i++)
        if (find_back(l, first, i, &to) && !is_known(l, to, i))
            return true;
    return false;
}

/* ---- functions ---- */

/* The line that ends a function of that name with its size; 0: none. */
static size_t find_end(const struct listing *l, size_t first, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = first; i < l->count; i++) {
        const char *line = listing_trimmed(l->list[i]);
        if (!listing_starts(line, ".size"))
            continue;
        line = listing_trimmed(line + 5);
        if (listing_starts(line, name) && line[n] == ',')
            return i;
    }
    return 0;
}

static bool is_function(const struct listing *l, size_t label, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = label, seen = 0; i-- > 0 && seen < 16; seen++) {
        const char *line = listing_trimmed(l->list[i]);
        if (listing_starts(line, ".type") && listing_starts(listing_trimmed(line + 5), name) &&
            listing_trimmed(line + 5)[n] == ',')
            return strstr(line, "function") != NULL;
    }
    return false;
}

/* Marks the sections of functions with such loops, by the lines that begin them. */
static unsigned find_late(const struct listing *l, const char **late)
{
    const char *section = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < l->count; i++) {
        char name[NAME];
        if (is_text_section(l->list[i]))
            section = listing_trimmed(l->list[i]);
        label_of(l->list[i], name);
        if (!name[0] || name[0] == '.' || !section || !is_function(l, i, name))
            continue;
        size_t last = find_end(l, i, name);
        if (last && has_loop(l, i, last))
            late[count++] = section;
    }
    return count;
}

/* How long the line is up to the name of its section: behind a table of jumps it goes on by that alone. */
static size_t section_length(const char *line)
{
    return strcspn(line, ",");
}

/* The line that begins a section, with the section under its other name if it is to have one; constants of any length
 * may lie before it there. */
static void write_line(FILE *f, const char *line, const char *const *late, unsigned count, const char *prefix)
{
    const char *begins = listing_trimmed(line);
    size_t length = section_length(begins);
    for (unsigned i = 0; i < count && is_text_section(line); i++)
        if (section_length(late[i]) == length && strncmp(begins, late[i], length) == 0) {
            fprintf(f, "\t.section\t%s%s\n\t.p2align 1\n", prefix,
                    listing_trimmed(begins + strlen(".section")) + strlen(".text."));
            return;
        }
    fprintf(f, "%s\n", line);
}

bool loops_move(const char *path, const char *prefix, unsigned *moved, struct error *e)
{
    struct listing l = {0};
    if (!listing_read(&l, path, e))
        return false;
    const char **late = calloc(l.count + 1, sizeof *late);
    if (!late)
        abort();
    *moved = find_late(&l, late);
    FILE *f = fopen(path, "wb");
    for (size_t i = 0; f && i < l.count; i++)
        write_line(f, l.list[i], late, *moved, prefix);
    bool good = f && !ferror(f);
    good = (!f || fclose(f) == 0) && good;
    free(late);
    listing_free(&l);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
