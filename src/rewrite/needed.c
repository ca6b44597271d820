#include "rewrite/needed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Entries that many programs do without, and what the recorder's sources call them. motet_page is also the beginning of
 * names that belong to it. */
static const struct {
    const char *name, *option;
} needed_entries[] = {
    {"motet_page", "PAGE"},           {"motet_block", "BLOCK"},   {"motet_pointer8", "POINTER8"},
    {"motet_pointer16", "POINTER16"}, {"motet_freeze", "FREEZE"}, {"motet_clear", "CLEAR"},
};
enum { ENTRIES = sizeof needed_entries / sizeof *needed_entries };
_Static_assert(ENTRIES <= sizeof((struct run *)0)->needed * 8, "a bit for each");

/* Libraries of the compiler and of avr-libc: none of them knows the recorder. */
static bool needed_is_standard(const char *library)
{
    static const char *const standard[] = {"c",   "m",          "gcc",        "g",         "stdc++",    "supc++",
                                           "crt", "printf_flt", "printf_min", "scanf_flt", "scanf_min", NULL};
    for (const char *const *s = standard; *s; s++)
        if (strcmp(library, *s) == 0)
            return true;
    return false;
}

static bool needed_is_in(const char *name, const char *text, size_t size)
{
    size_t length = strlen(name);
    for (const char *at = text, *end = text + size; (at = memchr(at, name[0], (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* The entries that a file names; all of them if it cannot be read. */
static unsigned needed_by(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, size = 0;
    unsigned needed = f ? 0 : ~0u;
    for (size_t got = 1; f && got; size += got) {
        text = memory_grow(text, &room, size + 65536, 1);
        got = fread(text + size, 1, room - size, f);
    }
    for (unsigned i = 0; f && i < ENTRIES; i++)
        if (needed_is_in(needed_entries[i].name, text, size))
            needed |= 1u << i;
    if (f && ferror(f))
        needed = ~0u;
    if (f)
        fclose(f);
    free(text);
    return needed;
}

/* Whether options for the linker may name a file that is linked. */
static bool needed_is_file(const char *options)
{
    for (const char *at = options, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        if (cc_starts(at, "-l") || *at == '@' || (end - at > 2 && end[-2] == '.' && (end[-1] == 'a' || end[-1] == 'o')))
            return true;
    }
    return false;
}

void needed_look(struct run *r, const struct words *link, const char *recorder)
{
    unsigned needed = 0;
    for (size_t i = 1; i < link->count; i++) {
        const char *word = link->list[i];
        if (strcmp(word, "-l") == 0 || strcmp(word, "-Xlinker") == 0 ||
            (cc_starts(word, "-Wl,") && needed_is_file(word)))
            needed = ~0u;
        else if (command_takes_next(word))
            i++;
        else if (cc_starts(word, "-l"))
            needed |= needed_is_standard(word + 2) ? 0 : ~0u;
        else if (word[0] != '-' && strcmp(word, recorder) != 0)
            needed |= needed_by(word);
    }
    r->needed = needed;
}

void needed_options(const struct run *r, struct words *w)
{
    for (unsigned i = 0; i < ENTRIES; i++)
        if (!(r->needed & 1u << i))
            cc_word(w, "-DMOTET_WITHOUT_%s", needed_entries[i].option);
}
