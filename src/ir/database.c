#include "ir/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LARGEST = 64 << 20 };

/* Text in JSON, and how far it is read. */
struct reader {
    const char *at, *end;
    bool bad;
};

/* ---- JSON, as far as these files need it ---- */

static void database_space(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at))
        r->at++;
}

static bool database_take(struct reader *r, char wanted)
{
    database_space(r);
    if (r->at >= r->end || *r->at != wanted)
        return false;
    r->at++;
    return true;
}

static void database_expect(struct reader *r, char wanted)
{
    if (!database_take(r, wanted))
        r->bad = true;
}

/* A string, allocated. Characters by number are not resolved but in ASCII. */
static char *database_string(struct reader *r)
{
    database_expect(r, '"');
    char *text = memory_bytes((size_t)(r->end - r->at) + 1), *to = text;
    while (!r->bad && r->at < r->end && *r->at != '"') {
        char c = *r->at++;
        if (c == '\\' && r->at < r->end) {
            static const char from[] = "nrtbf", into[] = "\n\r\t\b\f";
            c = *r->at++;
            const char *known = strchr(from, c);
            if (c == 'u' && r->end - r->at >= 4) {
                char number[5] = {r->at[0], r->at[1], r->at[2], r->at[3], 0};
                c = (char)strtoul(number, NULL, 16);
                r->at += 4;
            } else if (known && *known) {
                c = into[known - from];
            }
        }
        *to++ = c;
    }
    *to = '\0';
    database_expect(r, '"');
    return memory_resize(text, (size_t)(to - text) + 1, 1);
}

/* Goes over a value of any kind. */
static void database_skip(struct reader *r)
{
    unsigned depth = 0;
    do {
        database_space(r);
        if (r->at >= r->end) {
            r->bad = true;
        } else if (*r->at == '"') {
            free(database_string(r));
        } else {
            depth += *r->at == '[' || *r->at == '{';
            depth -= depth && (*r->at == ']' || *r->at == '}');
            r->at++;
        }
        database_space(r);
    } while (!r->bad && (depth || (r->at < r->end && !strchr(",]}", *r->at))));
}

/* ---- entries ---- */

static void database_add_word(struct database_entry *d, char *word)
{
    d->words = memory_grow(d->words, &d->room, d->count, sizeof *d->words);
    d->words[d->count++] = word;
}

/* A command as a shell reads it: quotes, and backslashes. */
static void database_split(struct database_entry *d, const char *text)
{
    while (*text) {
        text += strspn(text, " \t\n");
        if (!*text)
            return;
        char *word = memory_bytes(strlen(text) + 1), *to = word, quote = 0;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '"' || *text == '\'')
                quote = quote ? 0 : *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                *to++ = *++text;
            else
                *to++ = *text;
        }
        *to = '\0';
        database_add_word(d, word);
    }
}

static void database_member(struct reader *r, struct database_entry *d)
{
    char *name = database_string(r);
    database_expect(r, ':');
    if (strcmp(name, "directory") == 0 && !d->folder) {
        d->folder = database_string(r);
    } else if (strcmp(name, "command") == 0 && !d->count) {
        char *text = database_string(r);
        database_split(d, text);
        free(text);
    } else if (strcmp(name, "arguments") == 0 && !d->count) {
        database_expect(r, '[');
        while (!r->bad && !database_take(r, ']')) {
            database_add_word(d, database_string(r));
            database_take(r, ',');
        }
    } else {
        database_skip(r);
    }
    free(name);
}

static const char *database_source(const struct database_entry *d)
{
    for (size_t i = 1; i < d->command.count; i++)
        if (d->command.is_source[i])
            return d->command.arguments[i];
    return "";
}

static bool database_has(const struct database *d, const struct database_entry *new)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(database_source(&d->entries[i]), database_source(new)) == 0 &&
            strcmp(d->entries[i].folder, new->folder) == 0)
            return true;
    return false;
}

static void database_free_entry(struct database_entry *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->words[i]);
    free(d->words);
    free(d->folder);
    command_free(&d->command);
}

static bool database_entry(struct reader *r, struct database *d, const char *path, struct motet_error *e)
{
    struct database_entry new = {0};
    database_expect(r, '{');
    while (!r->bad && !database_take(r, '}')) {
        database_member(r, &new);
        database_take(r, ',');
    }
    if (!new.folder)
        new.folder = memory_string(".");
    bool good = !r->bad || error_set(e, "%s is not a compilation database: it ends early, or is damaged", path);
    good = good && (new.count || error_set(e, "%s: an entry has neither a command nor arguments", path));
    good = good && command_parse(&new.command, new.words, new.count, e);
    if (!good || database_has(d, &new)) {
        database_free_entry(&new);
        return good;
    }
    d->entries = memory_grow(d->entries, &d->room, d->count, sizeof *d->entries);
    d->entries[d->count++] = new;
    return true;
}

static char *database_read(const char *path, size_t *size, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        error_set(e, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    *size = 0;
    for (size_t got = 1; got && *size < LARGEST; *size += got) {
        text = memory_resize(text, *size + 65536, 1);
        got = fread(text + *size, 1, 65536, f);
    }
    fclose(f);
    return text;
}

bool database_load(struct database *d, const char *path, struct motet_error *e)
{
    size_t size;
    char *text = database_read(path, &size, e);
    if (!text)
        return false;
    struct reader r = {text, text + size, false};
    bool good = database_take(&r, '[') || error_set(e, "%s is not a compilation database: it has no list", path);
    while (good && !database_take(&r, ']')) {
        good = database_entry(&r, d, path, e);
        database_take(&r, ',');
    }
    free(text);
    return good;
}

void database_free(struct database *d)
{
    for (size_t i = 0; i < d->count; i++)
        database_free_entry(&d->entries[i]);
    free(d->entries);
    *d = (struct database){0};
}
