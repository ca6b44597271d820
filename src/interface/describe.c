#include "interface/describe.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "interface/pieces.h"

static char *describe_keep(struct descriptions *d, char *text)
{
    d->texts = memory_grow(d->texts, &d->text_room, d->text_count, sizeof *d->texts);
    d->texts[d->text_count++] = text;
    return text;
}

/* Without spaces at both ends. */
static char *describe_trim(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t end = strlen(text); end && strchr(" \t\r", text[end - 1]); end--)
        text[end - 1] = 0;
    return text;
}

static bool describe_wrong(const struct description *d, struct motet_error *e, const char *what, const char *piece)
{
    return error_set(e, "%s:%u: %s: '%s'", d->file, d->line, what, piece);
}

/* "bool arrived" is a type and a name, "arrived" a name alone. */
static bool describe_parameter(struct descriptions *d, struct description *to, char *text, struct motet_error *e)
{
    char *name = text + strlen(text);
    if (to->parameter_count == DESCRIBE_PARAMETERS)
        return describe_wrong(to, e, "too many parameters", text);
    while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    if (!*name)
        return describe_wrong(to, e, "a parameter has no name", text);
    uint32_t i = to->parameter_count++;
    to->names[i] = name;
    if (name > text) {
        char *type = describe_keep(d, memory_string(text));
        type[name - text] = 0;
        type = describe_trim(type);
        if (strncmp(type, "const ", 6) == 0)
            type += 6;
        to->types[i] = type;
    }
    return true;
}

static bool describe_pattern(struct descriptions *d, struct description *to, char *text, struct motet_error *e)
{
    char *open = strchr(text, '(');
    to->parameter_count = UINT32_MAX;
    if (open) {
        char *close = strrchr(open, ')'), *piece;
        if (!close || *describe_trim(close + 1))
            return describe_wrong(to, e, "a ) is missing", text);
        *open = *close = 0;
        to->parameter_count = 0;
        char *rest = describe_trim(open + 1);
        while (*rest && (piece = strsep(&rest, ","))) {
            if (!describe_parameter(d, to, describe_trim(piece), e))
                return false;
            if (!rest)
                break;
        }
    }
    to->glob = describe_trim(text);
    return *to->glob || describe_wrong(to, e, "the name of a function is missing; * stands for any", text);
}

static bool describe_strip(char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    if (length < end || strcmp(text + length - end, ending) != 0)
        return false;
    text[length - end] = 0;
    return true;
}

static bool describe_item(struct description *to, char *text, struct motet_error *e)
{
    char *equals = strchr(text, '=');
    if (to->buffer_count == DESCRIBE_ITEMS || to->field_count == DESCRIBE_ITEMS)
        return describe_wrong(to, e, "too many items", text);
    if (equals) {
        *equals = 0;
        to->fields[to->field_count].name = describe_trim(text);
        to->fields[to->field_count++].expression = describe_trim(equals + 1);
        return true;
    }
    struct interface_buffer *b = &to->buffers[to->buffer_count++];
    *b = (struct interface_buffer){.at_call = true};
    if (describe_strip(text, " at return"))
        *b = (struct interface_buffer){.at_return = true};
    else if (describe_strip(text, " at both"))
        b->at_return = true;
    if (strncmp(text, "content ", 8) == 0) {
        b->content = true;
        text += 8;
    }
    b->expression = describe_trim(text);
    return *b->expression || describe_wrong(to, e, "an expression is missing", text);
}

static bool describe_role(struct description *to, char **text, struct motet_error *e)
{
    static const char *const names[] = {
        [INTERFACE_ROLE_NONE] = "log",
        [INTERFACE_ROLE_SEND] = "send",
        [INTERFACE_ROLE_SENT] = "sent",
        [INTERFACE_ROLE_RECEIVE] = "receive",
    };
    size_t length = strcspn(*text, " \t");
    for (unsigned i = INTERFACE_ROLE_NONE; i <= INTERFACE_ROLE_RECEIVE; i++)
        if (strlen(names[i]) == length && strncmp(*text, names[i], length) == 0) {
            to->role = (enum interface_role)i;
            *text += length;
            *text += strspn(*text, " \t");
            return true;
        }
    return describe_wrong(to, e, "a line begins with send, sent, receive or log", *text);
}

static bool describe_line(struct descriptions *d, struct description *to, char *text, struct motet_error *e)
{
    char *piece, *items;
    if (!describe_role(to, &text, e))
        return false;
    items = strchr(text, ':');
    if (items)
        *items++ = 0;
    if (!describe_pattern(d, to, describe_trim(text), e))
        return false;
    while (items && (piece = strsep(&items, ";")))
        if (*(piece = describe_trim(piece)) && !describe_item(to, piece, e))
            return false;
    return true;
}

bool descriptions_parse(struct descriptions *d, const char *path, const char *text, struct motet_error *e)
{
    char *rest = describe_keep(d, memory_string(text)), *line;
    const char *file = describe_keep(d, memory_string(path));
    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        struct description to = {.file = file, .line = number};
        line[strcspn(line, "#")] = 0;
        line = describe_trim(line);
        if (!*line)
            continue;
        if (!describe_line(d, &to, line, e))
            return false;
        d->list = memory_grow(d->list, &d->room, d->count, sizeof *d->list);
        d->list[d->count++] = to;
    }
    return true;
}

bool descriptions_load(struct descriptions *d, const char *path, struct motet_error *e)
{
    char *text = NULL;
    size_t size = 0, room = 0;
    FILE *in = fopen(path, "r");
    if (!in)
        return error_set(e, "%s: %s", path, strerror(errno));
    for (int c; (c = fgetc(in)) != EOF;) {
        text = memory_grow(text, &room, size + 1, 1);
        text[size++] = (char)c;
    }
    bool good = !ferror(in) || error_set(e, "%s cannot be read", path);
    fclose(in);
    text = memory_grow(text, &room, size, 1);
    text[size] = 0;
    good = good && descriptions_parse(d, path, text, e);
    free(text);
    return good;
}

void descriptions_free(struct descriptions *d)
{
    for (size_t i = 0; i < d->text_count; i++)
        free(d->texts[i]);
    free(d->texts);
    free(d->list);
    *d = (struct descriptions){.list = NULL};
}

/* Types are compared without spaces; `bool` is what stdbool.h makes of it. */
static bool describe_same_type(const char *wanted, const char *type)
{
    if (strcmp(wanted, "bool") == 0)
        return strcmp(type, "_Bool") == 0 || strcmp(type, "bool") == 0;
    for (;; wanted++, type++) {
        wanted += strspn(wanted, " ");
        type += strspn(type, " ");
        if (*wanted != *type || !*wanted)
            return *wanted == *type;
    }
}

/* As interface files leave them out, qualifiers of what a pointer leads to do not count. */
static const char *describe_unqualified(const char *type)
{
    return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

static bool describe_matches(const struct description *d, const char *name, uint32_t count, const char *const *types)
{
    if (!pieces_is_named(d->glob, name))
        return false;
    if (d->parameter_count == UINT32_MAX)
        return true;
    if (d->parameter_count != count)
        return false;
    for (uint32_t i = 0; i < d->parameter_count; i++)
        if (d->types[i] && !describe_same_type(d->types[i], describe_unqualified(types[i])))
            return false;
    return true;
}

const struct description *descriptions_match(const struct descriptions *d, const char *name, uint32_t count,
                                             const char *const *types)
{
    for (size_t i = 0; i < d->count; i++)
        if (describe_matches(&d->list[i], name, count, types))
            return &d->list[i];
    return NULL;
}

const struct description *descriptions_of(const struct descriptions *d, const char *name, const struct debug_type *type)
{
    const char *types[DESCRIBE_PARAMETERS];
    uint32_t count = type->field_count < DESCRIBE_PARAMETERS ? type->field_count : DESCRIBE_PARAMETERS;
    for (uint32_t i = 0; i < count; i++)
        types[i] = type->fields[i].type->name;
    return descriptions_match(d, name, type->field_count, types);
}
