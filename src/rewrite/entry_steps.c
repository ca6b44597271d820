#include "rewrite/entry_steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What is known of a function's name in the file. */
struct mention {
    const char *name;
    struct emitted *function;
    unsigned times;    /* that something leads there */
    bool global, none; /* known to other files; needs no step */
    bool unsure;       /* not always by a call in a function whose steps tell its calls apart */
};

struct mentions {
    struct mention *list; /* by name */
    size_t count;
};

static int entry_compare(const void *a, const void *b)
{
    return strcmp(((const struct mention *)a)->name, ((const struct mention *)b)->name);
}

static bool entry_is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static struct mention *entry_named(const struct mentions *m, const char *name, size_t length)
{
    char key[FLOW_NAME];
    if (length >= sizeof key)
        return NULL;
    memcpy(key, name, length);
    key[length] = '\0';
    return bsearch(&(struct mention){.name = key}, m->list, m->count, sizeof *m->list, entry_compare);
}

static bool entry_is_one_of(const char *line, const char *const *words)
{
    size_t n = strcspn(line, " \t");
    for (; *words; words++)
        if (strlen(*words) == n && strncmp(line, *words, n) == 0)
            return true;
    return false;
}

/* Lines that say something of a name, without leading there. */
static bool entry_only_describes(const char *line)
{
    static const char *const words[] = {".type",  ".size",  ".local",  ".section", ".pushsection", ".file", ".ident",
                                        ".ascii", ".asciz", ".string", ".loc",     ".popsection",  NULL};
    return *line == ';' || listing_starts(line, "/*") || listing_starts(line, ".cfi_") || entry_is_one_of(line, words);
}

static bool entry_makes_global(const char *line)
{
    static const char *const words[] = {".global", ".globl", ".weak", NULL};
    return entry_is_one_of(line, words);
}

/* A call, or a jump out of the function, to what is named at `at` alone. */
static bool entry_calls(const char *line, const char *at)
{
    static const char *const words[] = {"call", "rcall", "jmp", "rjmp", "br", NULL};
    const char *operand = listing_trimmed(line + strcspn(line, " \t"));
    operand += *operand == '#';
    return operand == at && entry_is_one_of(line, words);
}

static const struct emitted *entry_around(const struct emitted *functions, size_t count, size_t line)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (functions[middle].last < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && functions[low].first <= line ? &functions[low] : NULL;
}

/* The name of the function that a compiler has made a copy or a part of. */
static size_t entry_stem(const char *name)
{
    return strcspn(name, ".");
}

static void entry_note_none(struct mentions *m, const char *line)
{
    const char *at = strstr(line, ENTRY_STEPS_NONE);
    if (!at)
        return;
    at += strlen(ENTRY_STEPS_NONE);
    size_t n = 0;
    while (entry_is_part(at[n]))
        n++;
    for (size_t i = 0; i < m->count; i++)
        m->list[i].none |= entry_stem(m->list[i].name) == n && strncmp(m->list[i].name, at, n) == 0;
}

/* The names in one line. */
static void entry_look(struct mentions *m, const char *line, const struct emitted *in)
{
    bool describes = entry_only_describes(line), global = entry_makes_global(line);
    if (describes)
        return;
    for (const char *at = line; *at;) {
        size_t n = 0;
        while (entry_is_part(at[n]))
            n++;
        struct mention *to = n ? entry_named(m, at, n) : NULL;
        if (to && global) {
            to->global = true;
        } else if (to && at[n] != ':') {
            to->times++;
            to->unsure |= !in || in->late || !entry_calls(line, at);
        }
        at += n ? n : 1;
    }
}

/* Handlers have an event before them; constructors run before all that is recorded, each once; what is seldom executed
 * of a function is jumped to with registers in use; the recorder's own do not count. */
static bool entry_is_special(const char *name)
{
    return listing_starts(name, "__vector_") || listing_starts(name, "motet_") || listing_starts(name, "_GLOBAL__") ||
           strstr(name, ".cold") || strcmp(name, "main") == 0;
}

void entry_steps_find(const struct listing *l, struct emitted *functions, size_t count)
{
    struct mentions m = {.list = memory_array(count + 1, sizeof *m.list), .count = count};
    for (size_t i = 0; i < count; i++)
        m.list[i] = (struct mention){.name = functions[i].name, .function = &functions[i]};
    qsort(m.list, m.count, sizeof *m.list, entry_compare);
    for (size_t i = 0; i < l->count; i++) {
        const char *line = listing_trimmed(l->list[i]);
        entry_note_none(&m, line);
        entry_look(&m, line, entry_around(functions, count, i));
    }
    for (size_t i = 0; i < m.count; i++) {
        const struct mention *of = &m.list[i];
        bool told = !of->global && of->times <= 1 && !of->unsure;
        of->function->enters = !told && !of->none && !entry_is_special(of->name);
    }
    free(m.list);
}
