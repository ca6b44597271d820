#include "rewrite/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void identity_add_text(struct run *r, const char *text)
{
    cc_hash(r, text, strlen(text) + 1);
}

/* Of a file that is linked the contents, not the path, which may be another on another machine. Not of one that the
 * linker writes, such as a map. */
static void identity_add_word(struct run *r, const char *word, const char *before)
{
    size_t length = strlen(word);
    bool linked = strcmp(before, "-T") == 0 || strcmp(before, "--script") == 0 ||
                  (length > 2 && (strcmp(word + length - 2, ".a") == 0 || strcmp(word + length - 2, ".o") == 0));
    if (!linked || !cc_hash_file(r, word))
        identity_add_text(r, word);
}

/* A library of the program's own. Others belong to the compiler, which has its version in the recorder's assembly. */
static void identity_add_library(struct run *r, const char *name)
{
    const struct command *c = &r->c;
    char path[PATH_MAX];
    identity_add_text(r, name);
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i];
        if (!cc_starts(a, "-L"))
            continue;
        const char *folder = a[2] ? a + 2 : i + 1 < c->count ? c->arguments[i + 1] : ".";
        snprintf(path, sizeof path, "%s/lib%s.a", folder, name);
        if (cc_hash_file(r, path))
            return;
    }
}

/* -Wl,-T,FILE,--defsym=a=1: each word on its own. */
static void identity_add_list(struct run *r, const char *list)
{
    char word[PATH_MAX], before[PATH_MAX] = "";
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        identity_add_word(r, word, before);
        memcpy(before, word, sizeof before);
        at += length + (at[length] == ',');
    }
}

void identity_add_options(struct run *r)
{
    const struct command *c = &r->c;
    struct words w = {0};
    cc_step_options(c, 0, &w);
    for (size_t i = 1; i < w.count; i++)
        identity_add_text(r, w.list[i]);
    cc_words_free(&w);
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i], *next = i + 1 < c->count ? c->arguments[i + 1] : "";
        if (cc_starts(a, "-Wl,"))
            identity_add_list(r, a + 4);
        else if (cc_starts(a, "-l"))
            identity_add_library(r, a[2] ? a + 2 : next);
        else if (cc_starts(a, "-T"))
            identity_add_word(r, a[2] ? a + 2 : next, "-T");
        else if (command_takes_next(a) && cc_is_linker_argument(c, i) && !cc_starts(a, "-L"))
            identity_add_word(r, next, "");
        i += command_takes_next(a);
    }
}

bool identity_add_assembly(struct run *r, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, folder = strlen(r->folder);
    while (f && getline(&line, &room, f) > 0) {
        const char *rest = line;
        for (const char *at; (at = strstr(rest, r->folder)); rest = at + folder)
            cc_hash(r, rest, (size_t)(at - rest));
        cc_hash(r, rest, strlen(rest));
    }
    free(line);
    if (f)
        fclose(f);
    return f != NULL;
}
