#include "debug/source.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"
#include "node/machine.h"

enum { LOCALS = 64, VALUE = 120, NAME = 200 };

/* ---- frames ---- */

uint32_t source_pc(const struct debug_frame *f)
{
    return f->pc - f->after_call; /* the call under way is just before a return address */
}

void source_local(const struct value_scope *s, const struct debug_local *l, struct debug_scope *scope, char *text,
                  size_t size)
{
    struct value v = {.object = true};
    scope->held_count = 0;
    if (!debug_local_find(s->node->machine->image, l, scope, value_memory, s->node, &v.address, &v.type)) {
        snprintf(text, size, "<optimized out>");
        return;
    }
    v.scope = *scope;
    value_text(s, &v, 0, text, size);
}

static void source_arguments(const struct value_scope *s, const struct debug_frame *frame, struct debug_scope *scope,
                             struct line *l)
{
    const struct debug_local *locals[LOCALS];
    char text[VALUE];
    size_t count = debug_locals_at(s->node->machine->image, source_pc(frame), locals, LOCALS), shown = 0;
    line_say(l, " (");
    for (size_t i = 0; i < count && i < LOCALS; i++) {
        if (!debug_local_is_parameter(locals[i]))
            continue;
        source_local(s, locals[i], scope, text, sizeof text);
        line_say(l, "%s%s=%s", shown++ ? ", " : "", debug_local_name(locals[i]), text);
    }
    line_say(l, ")");
}

static const char *source_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t source_frame(const struct value_scope *s, char *text, size_t size)
{
    struct line l = {text, size, 0};
    struct debug_frame frame;
    struct debug_scope scope;
    struct image_row row;
    char name[NAME];
    const struct image *i = s->node->machine->image;
    if (!value_frame(s, &frame, &scope))
        return 0;
    const struct image_symbol *f = image_symbol_at(i, source_pc(&frame));
    bool known = image_row_at(i, source_pc(&frame), &row);
    if (!known || s->level > 0 || row.start != frame.pc)
        line_say(&l, "0x%06" PRIx32 " in ", frame.pc);
    line_say(&l, "%s", f ? image_readable(f->name, name, sizeof name) : "??");
    source_arguments(s, &frame, &scope, &l);
    if (known)
        line_say(&l, " at %s:%u", source_base_name(row.file), row.line);
    const struct node_state *state = s->node->state;
    if (s->level == 0 && !state->exit && state->sleeping)
        line_say(&l, ", asleep");
    return l.length;
}

bool source_body(const struct image *i, const char *function, uint32_t *address)
{
    const struct image_symbol *found = image_symbol_named(i, function), *symbols;
    char text[NAME];
    size_t count = found || !strstr(function, "::") ? 0 : image_symbols(i, &symbols);
    for (size_t n = 0; n < count && !found; n++)
        if (symbols[n].name[0] == '_' && strcmp(image_readable(symbols[n].name, text, sizeof text), function) == 0)
            found = &symbols[n];
    if (found && found->kind != IMAGE_SYMBOL_OBJECT)
        *address = image_body(i, found);
    return found && found->kind != IMAGE_SYMBOL_OBJECT;
}

/* ---- lines ---- */

const char *source_path(const char *file)
{
    while (file && access(file, R_OK) != 0) { /* the sources may have moved: as much of the path as there is here */
        file = strchr(file, '/');
        file += file != NULL;
    }
    return file;
}

FILE *source_open(const char *file)
{
    const char *path = source_path(file);
    return path ? fopen(path, "r") : NULL;
}

bool source_line(FILE *f, unsigned number, char *text, size_t size)
{
    int used = snprintf(text, size, "%u\t", number);
    if (!fgets(text + used, (int)size - used - 1, f))
        return false;
    if (strchr(text, '\n'))
        return true;
    strcat(text, "\n");
    for (int c = 0; c != '\n' && c != EOF;)
        c = getc(f);
    return true;
}

size_t source_at(const struct image *i, uint32_t address, char *text, size_t size)
{
    struct image_row row;
    if (!image_row_at(i, address, &row))
        return 0;
    FILE *f = source_open(row.file);
    bool found = f != NULL;
    for (unsigned line = 1; found && line <= row.line; line++)
        found = source_line(f, line, text, size);
    if (f)
        fclose(f);
    if (!found)
        snprintf(text, size, "%u\tin %s\n", row.line, row.file);
    return strlen(text);
}
