#include "rewrite/component.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static bool component_is_description(const char *text)
{
    size_t length = strlen(text), ending = strlen(".interface");
    return length > ending && strcmp(text + length - ending, ".interface") == 0;
}

static bool component_load_own(struct component *c, const char *folder, struct motet_error *e)
{
    static const char *const names[] = {"kit.interface", "nesc.interface"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!descriptions_load(&c->descriptions, path, e))
            return false;
    }
    return true;
}

bool component_make(struct component *c, const char *text, const char *folder, struct motet_error *e)
{
    char *copy = memory_string(text), *rest = copy, *piece;
    bool good = true;
    size_t room = 0;
    *c = (struct component){.target = memory_string("")};
    while (good && (piece = strsep(&rest, ","))) {
        if (!*piece) {
            good = error_set(e, "--log-interface '%s' is not PIECE,...: a piece is empty", text);
        } else if (component_is_description(piece)) {
            good = descriptions_load(&c->descriptions, piece, e);
        } else {
            char *longer = memory_format("%s%s%s", c->target, c->count ? "," : "", piece);
            free(c->target);
            c->target = longer;
            c->pieces = memory_grow(c->pieces, &room, c->count, sizeof *c->pieces);
            c->pieces[c->count++] = piece_new(piece);
        }
    }
    free(copy);
    if (good && !c->count)
        good = error_set(e, "--log-interface '%s' names no code, only how buffers are described", text);
    return good && component_load_own(c, folder, e);
}

void component_forget(struct component *c)
{
    for (size_t i = 0; i < c->name_count; i++)
        free(c->names[i]);
    c->name_count = 0;
}

void component_free(struct component *c)
{
    component_forget(c);
    pieces_free(c->pieces, c->count);
    descriptions_free(&c->descriptions);
    free(c->names);
    free(c->target);
    *c = (struct component){.count = 0};
}

bool component_has_source(const struct component *c, const char *source)
{
    for (size_t i = 0; i < c->count; i++)
        if ((c->pieces[i].kind == PIECE_FILE || c->pieces[i].kind == PIECE_FOLDER) &&
            piece_matches(&c->pieces[i], "", source))
            return true;
    return false;
}

bool component_defines(const struct component *c, const char *name)
{
    for (size_t i = 0; i < c->name_count; i++)
        if (strcmp(c->names[i], name) == 0)
            return true;
    return false;
}

static void component_add_name(struct component *c, const char *name)
{
    c->names = memory_grow(c->names, &c->name_room, c->name_count, sizeof *c->names);
    c->names[c->name_count++] = memory_string(name);
}

bool component_read(struct component *c, const char *path, const char *target, const char *const *types,
                    struct motet_error *e)
{
    struct tree *t = tree_parse(path, target, false, types, e);
    if (!t)
        return false;
    for (size_t i = 0; i < tree_count(t); i++) {
        const struct tree_node *n = tree_at(t, (int)i);
        int last = n->kind == NODE_FUNCTION ? tree_last_child(t, (int)i) : -1;
        bool function = last >= 0 && tree_at(t, last)->kind == NODE_COMPOUND;
        bool variable = n->kind == NODE_VARIABLE && n->parent < 0 && !n->is_extern;
        if ((function || variable) && !n->is_static)
            component_add_name(c, n->name);
    }
    tree_free(t);
    return true;
}

/* ---- the other files ---- */

struct component_search {
    const struct component *c;
    const char *source; /* which is left out */
    bool (*each)(void *context, const char *path);
    void *context;
};

static bool component_same_file(const char *a, const char *b)
{
    char first[PATH_MAX], second[PATH_MAX];
    return realpath(a, first) && realpath(b, second) && strcmp(first, second) == 0;
}

static bool component_try(const struct component_search *s, const char *path)
{
    return access(path, R_OK) != 0 || component_same_file(path, s->source) || s->each(s->context, path);
}

/* The folder of the source, with its / at the end; "" for the current one. */
static void component_folder(const char *source, char *folder, size_t size)
{
    const char *slash = strrchr(source, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash + 1 - source) : 0, source);
}

/* A file by its whole path from here, or with the folders that the source and the piece have in common. */
static bool component_file(const struct component_search *s, const char *piece)
{
    char folder[PATH_MAX], path[PATH_MAX + 300];
    if (access(piece, R_OK) == 0)
        return component_try(s, piece);
    component_folder(s->source, folder, sizeof folder);
    for (;;) {
        snprintf(path, sizeof path, "%s%s", folder, piece);
        if (access(path, R_OK) == 0)
            return component_try(s, path);
        size_t length = strlen(folder);
        if (!length)
            return true;
        folder[length - 1] = '\0';
        char *slash = strrchr(folder, '/');
        *(slash ? slash + 1 : folder) = '\0';
    }
}

static bool component_sources(const struct component_search *s)
{
    char folder[PATH_MAX], path[PATH_MAX + 300];
    component_folder(s->source, folder, sizeof folder);
    DIR *d = opendir(*folder ? folder : ".");
    bool good = true;
    for (struct dirent *entry; good && d && (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        if (length < 2 || strcmp(entry->d_name + length - 2, ".c") != 0)
            continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        good = component_try(s, path);
    }
    if (d)
        closedir(d);
    return good;
}

bool component_others(const struct component *c, const char *source, bool (*each)(void *context, const char *path),
                      void *context)
{
    struct component_search s = {c, source, each, context};
    bool good = true;
    for (size_t i = 0; good && i < c->count; i++) {
        if (c->pieces[i].kind == PIECE_FILE)
            good = component_file(&s, c->pieces[i].text);
        else if (c->pieces[i].kind == PIECE_FOLDER && piece_matches(&c->pieces[i], "", source))
            good = component_sources(&s);
    }
    return good;
}
