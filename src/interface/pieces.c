#include "interface/pieces.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool pieces_ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool pieces_is_source(const char *path)
{
    static const char *const endings[] = {".c", ".nc", ".cpp", ".cc", ".ino", ".S", ".s"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (pieces_ends_in(path, endings[i]))
            return true;
    return false;
}

/* nesC puts `__` or `$` where its sources have a point. */
static char *pieces_glob(const char *text, const char *separator)
{
    char *glob = memory_bytes(strlen(separator) * strlen(text) + 1), *to = glob;
    for (const char *at = text; *at; at++)
        if (*at == '.')
            to = stpcpy(to, separator);
        else
            *to++ = *at;
    *to = 0;
    return glob;
}

bool pieces_is_named(const char *glob, const char *name)
{
    bool same = false;
    static const char *const separators[] = {"__", "$"};
    for (unsigned i = 0; i < 2 && !same; i++) {
        char *is = pieces_glob(glob, separators[i]);
        same = fnmatch(is, name, 0) == 0;
        free(is);
    }
    return same;
}

struct piece piece_new(const char *text)
{
    size_t length = strlen(text);
    if (length && text[length - 1] == '/')
        return (struct piece){.kind = PIECE_FOLDER, .text = memory_string(text)};
    if (pieces_is_source(text) && !strpbrk(text, "*?["))
        return (struct piece){.kind = PIECE_FILE, .text = memory_string(text)};
    if (strpbrk(text, "*?["))
        return (struct piece){.kind = PIECE_GLOB, .text = pieces_glob(text, "__"), .other = pieces_glob(text, "$")};
    return (struct piece){.kind = PIECE_FUNCTION, .text = memory_string(text)};
}

/* Whole components of a path: `kit/route.c` is the end of `firmware/kit/route.c`. */
static bool pieces_is_file(const char *path, const char *end)
{
    size_t length = path ? strlen(path) : 0, tail = strlen(end);
    return path && pieces_ends_in(path, end) && (length == tail || path[length - tail - 1] == '/');
}

static bool pieces_in_folder(const char *path, const char *folder)
{
    for (const char *at = path; at && (at = strstr(at, folder)); at++)
        if (at == path || at[-1] == '/' || folder[0] == '/')
            return true;
    return false;
}

/* What is defined in a header belongs to the source that includes it. */
const char *pieces_source(const char *file, const char *unit)
{
    return file && pieces_is_source(file) ? file : unit;
}

bool piece_matches(const struct piece *p, const char *name, const char *source)
{
    if (p->kind != PIECE_FUNCTION && strncmp(name, "motet_", 6) == 0)
        return false; /* a wrapper (src/rewrite/wrappers.h), which may be declared in the file it is for */
    switch (p->kind) {
    case PIECE_FILE: return pieces_is_file(source, p->text);
    case PIECE_FOLDER: return pieces_in_folder(source, p->text);
    case PIECE_GLOB: return fnmatch(p->text, name, 0) == 0 || fnmatch(p->other, name, 0) == 0;
    default: return strcmp(name, p->text) == 0;
    }
}

bool pieces_inside(struct piece *pieces, size_t count, const char *name, const char *source)
{
    bool inside = false;
    for (size_t i = 0; i < count; i++)
        if (piece_matches(&pieces[i], name, source))
            inside = pieces[i].found = true;
    return inside;
}

void pieces_free(struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(pieces[i].text);
        free(pieces[i].other);
    }
    free(pieces);
}
