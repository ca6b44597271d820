/* Looking: frames, values, memory, source, instructions. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "debug/assign.h"
#include "debug/frames.h"
#include "debug/session_internal.h"
#include "debug/source.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/machine.h"

enum { LOCALS = 64, LINES = 10, TEXT = 600, LINE_TEXT = 400, FRAME_TEXT = 2000 };

/* ---- frames ---- */

void session_look_frame(struct session *s, size_t level, bool numbered)
{
    char text[FRAME_TEXT];
    struct value_scope at = {session_selected(s), level};
    if (!source_frame(&at, text, sizeof text))
        return;
    if (numbered)
        session_say(s, "#%-2zu ", level);
    session_say(s, "%s\n", text);
}

void session_look_select(struct session *s, const char *arguments, int by)
{
    struct debug_frame frame;
    uint32_t cfa;
    long steps = *arguments ? strtol(arguments, NULL, 10) : by ? 1 : (long)s->level;
    long level = by ? (long)s->level + by * steps : steps;
    if (level < 0 || !frames_find(session_selected(s), (size_t)level, &frame, &cfa)) {
        session_say(s, by < 0 || level < 0 ? "Bottom (innermost) frame selected; you cannot go down.\n"
                                           : "Initial frame selected; you cannot go up.\n");
        return;
    }
    s->level = (size_t)level;
    s->list_file = NULL;
    session_look_frame(s, s->level, true);
    session_look_source(s);
}

/* ---- source ---- */

bool session_place(struct session *s, const char **file, unsigned *line)
{
    struct debug_frame frame;
    struct image_row row;
    uint32_t cfa;
    if (!frames_find(session_selected(s), s->level, &frame, &cfa) ||
        !image_row_at(session_image(session_selected(s)), source_pc(&frame), &row))
        return false;
    *file = row.file;
    *line = row.line;
    return true;
}

/* Prints lines of a file; false if it cannot be read. */
static bool say_lines(struct session *s, const char *file, unsigned first, unsigned last)
{
    char text[LINE_TEXT];
    FILE *f = source_open(file);
    if (!f)
        return false;
    for (unsigned line = 1; line <= last && source_line(f, line, text, sizeof text); line++)
        if (line >= first)
            session_say(s, "%s", text);
    fclose(f);
    return true;
}

void session_look_source(struct session *s)
{
    struct debug_frame frame;
    uint32_t cfa, pc = session_pc(session_selected(s));
    char text[LINE_TEXT];
    bool found = frames_find(session_selected(s), s->level, &frame, &cfa);
    if (found && source_at(session_image(session_selected(s)), source_pc(&frame), text, sizeof text)) {
        session_say(s, "%s", text);
    } else {
        session_look_instruction(session_selected(s), pc, text, sizeof text);
        session_say(s, "0x%06" PRIx32 ":\t%s\n", pc, text);
    }
}

void session_look_list(struct session *s, const char *arguments)
{
    const struct image *i = session_image(session_selected(s));
    const struct image_symbol *f = *arguments ? image_symbol_named(i, arguments) : NULL;
    const char *file;
    unsigned line;
    struct image_row row;
    if (f && image_row_at(i, f->address, &row)) {
        s->list_file = row.file;
        s->list_from = row.line > LINES / 2 ? row.line - LINES / 2 : 1;
    } else if (isdigit((unsigned char)*arguments) && session_place(s, &file, &line)) {
        unsigned middle = (unsigned)strtoul(arguments, NULL, 10);
        s->list_file = file;
        s->list_from = middle > LINES / 2 ? middle - LINES / 2 : 1;
    } else if (*arguments == '-' && s->list_file) {
        unsigned shown = s->list_to - s->list_from + 1;
        s->list_from = s->list_from > shown + LINES ? s->list_from - LINES : 1;
    } else if (*arguments && *arguments != '-') {
        session_say(s, "there is no function '%s'\n", arguments);
        return;
    } else if (s->list_file) {
        s->list_from = s->list_to + 1;
    } else if (session_place(s, &file, &line)) {
        s->list_file = file;
        s->list_from = line > LINES / 2 ? line - LINES / 2 : 1;
    } else {
        session_say(s, "nothing is known of the source here; compile with -g\n");
        return;
    }
    s->list_to = s->list_from + LINES - 1;
    if (!say_lines(s, s->list_file, s->list_from, s->list_to))
        session_say(s, "%s: cannot be read\n", s->list_file);
}

/* ---- instructions ---- */

unsigned session_look_instruction(const struct node *n, uint32_t address, char *text, size_t size)
{
    uint8_t bytes[8];
    size_t count =
        space_read((struct node *)(uintptr_t)n, address, bytes, sizeof bytes); /* program memory: looks only */
    text[0] = 0;
    return count ? n->machine->chip->isa->disassemble(bytes, count, address, text, size) : 2;
}

/* Where the selected frame goes on. */
static uint32_t session_look_pc(struct session *s)
{
    struct debug_frame frame;
    struct debug_scope scope;
    return value_frame(session_at(s), &frame, &scope) ? frame.pc : session_pc(session_selected(s));
}

void session_look_disassemble(struct session *s, const char *arguments)
{
    const struct image *i = session_image(session_selected(s));
    const struct image_symbol *f =
        *arguments ? image_symbol_named(i, arguments) : image_symbol_at(i, session_look_pc(s));
    if (!f) {
        session_say(s, "there is no function '%s'\n", arguments);
        return;
    }
    char text[100];
    uint32_t end = f->size ? f->address + f->size : f->address + 32, here = session_look_pc(s);
    session_say(s, "%s:\n", f->name);
    for (uint32_t at = f->address; at < end;) {
        unsigned size = session_look_instruction(session_selected(s), at, text, sizeof text);
        session_say(s, "%s 0x%06" PRIx32 " <+%" PRIu32 ">:\t%s\n", at == here ? "=>" : "  ", at, at - f->address, text);
        at += size ? size : 2;
    }
}

/* ---- values ---- */

/* "/x", "/4xb" in front of arguments. */
struct format {
    unsigned count;
    char letter, unit;
};

static const char *take_format(const char *text, struct format *f)
{
    *f = (struct format){.count = 1};
    if (*text != '/')
        return text + strspn(text, " ");
    text++;
    if (isdigit((unsigned char)*text)) {
        char *end;
        unsigned long count = strtoul(text, &end, 10);
        f->count = count < 1000 ? (unsigned)count : 1000;
        text = end;
    }
    for (; *text && *text != ' '; text++)
        if (strchr("bhwg", *text))
            f->unit = *text;
        else
            f->letter = *text;
    return text + strspn(text, " ");
}

void session_look_print(struct session *s, const char *arguments)
{
    struct format f;
    struct value v;
    struct motet_error e = {""};
    char text[4096];
    const char *expression = take_format(arguments, &f);
    if (!*expression) {
        session_say(s, "print what? such as print total, print table[2].etx, print/x $sp\n");
    } else if (!value_find(session_at(s), expression, &v, &e)) {
        session_say(s, "%s\n", e.text);
    } else {
        value_text(session_at(s), &v, f.letter, text, sizeof text);
        session_say(s, "%s = %s%s\n", expression, text,
                    value_is_untyped(&v) ? " (as an unsigned number: the firmware says nothing of types; compile it "
                                           "with -gdwarf-4)"
                                         : "");
    }
}

static void say_string(struct session *s, uint32_t *at)
{
    uint8_t c;
    session_say(s, "0x%06" PRIx32 ":\t\"", *at);
    for (unsigned n = 0; n < 200 && value_memory(session_selected(s), (*at)++, &c, 1) && c; n++)
        session_say(s, isprint(c) ? "%c" : "\\%03o", c);
    session_say(s, "\"\n");
}

static void say_units(struct session *s, const struct format *f, uint32_t *at)
{
    unsigned size = f->unit == 'g' ? 8 : f->unit == 'w' ? 4 : f->unit == 'h' ? 2 : 1;
    unsigned in_line = size == 1 ? 8 : size == 8 ? 2 : 4;
    for (unsigned i = 0; i < f->count; i++) {
        uint8_t bytes[8] = {0};
        char text[100];
        uint64_t number = 0;
        if (!value_memory(session_selected(s), *at, bytes, size)) {
            session_say(s, "%sthere is no memory at 0x%" PRIx32 "\n", i % in_line ? "\n" : "", *at);
            return;
        }
        for (unsigned k = 0; k < size; k++)
            number |= (uint64_t)bytes[k] << 8 * k;
        struct value v = {.number = (int64_t)number};
        if (f->letter == 'd' && size < 8 && number >> (8 * size - 1))
            v.number = (int64_t)(number - (UINT64_C(1) << 8 * size));
        value_text(session_at(s), &v, f->letter, text, sizeof text);
        if (i % in_line == 0)
            session_say(s, "0x%06" PRIx32 ":", *at);
        session_say(s, "\t%s%s", text, i % in_line == in_line - 1 || i + 1 == f->count ? "\n" : "");
        *at += size;
    }
}

void session_look_examine(struct session *s, const char *arguments)
{
    struct format f;
    struct value v;
    struct motet_error e = {""};
    int64_t address = s->examine;
    const char *expression = take_format(arguments, &f);
    if (*expression &&
        (!value_find(session_at(s), expression, &v, &e) || !value_number(session_at(s), &v, &address, &e))) {
        session_say(s, "%s\n", e.text);
        return;
    }
    uint32_t at = (uint32_t)address;
    f.letter = f.letter ? f.letter : 'x';
    for (unsigned i = 0; i < f.count && f.letter == 's'; i++)
        say_string(s, &at);
    for (unsigned i = 0; i < f.count && f.letter == 'i'; i++) {
        char text[100], place[SESSION_TEXT];
        unsigned size = session_look_instruction(session_selected(s), at, text, sizeof text);
        image_place(session_image(session_selected(s)), at, place, sizeof place);
        session_say(s, "%s 0x%06" PRIx32 " %s:\t%s\n", at == session_look_pc(s) ? "=>" : "  ", at, place, text);
        at += size ? size : 2;
    }
    if (f.letter != 's' && f.letter != 'i')
        say_units(s, &f, &at);
    s->examine = at;
}

void session_look_set(struct session *s, const char *arguments)
{
    char place[SESSION_TEXT];
    struct value v;
    struct assignment to;
    struct motet_error e = {""};
    if (strncmp(arguments, "var ", 4) == 0)
        arguments += 4;
    const char *equals = strchr(arguments, '=');
    if (!equals || (size_t)(equals - arguments) >= sizeof place) {
        session_say(s, "set what? such as set limit = 9\n");
        return;
    }
    memcpy(place, arguments, (size_t)(equals - arguments));
    place[equals - arguments] = 0;
    if (!value_find(session_at(s), place, &v, &e) || !assign_make(session_at(s), &v, equals + 1, &to, &e)) {
        session_say(s, "%s\n", e.text);
        return;
    }
    if (!s->face.give(s->face.context, s->node, to.data, to.bytes, to.size))
        session_say(s, "the node has ended; go back before you change it\n");
}

/* ---- info ---- */

static void say_locals(struct session *s, bool parameters)
{
    const struct debug_local *locals[LOCALS];
    struct debug_frame frame;
    struct debug_scope scope;
    char text[TEXT];
    size_t shown = 0;
    if (!value_frame(session_at(s), &frame, &scope))
        return;
    size_t count = debug_locals_at(session_image(session_selected(s)), source_pc(&frame), locals, LOCALS);
    for (size_t i = 0; i < count && i < LOCALS; i++) {
        if (debug_local_is_parameter(locals[i]) != parameters)
            continue;
        source_local(session_at(s), locals[i], &scope, text, sizeof text);
        session_say(s, "%s = %s\n", debug_local_name(locals[i]), text);
        shown++;
    }
    const struct debug_variable *any;
    if (!shown && !debug_variables(session_image(session_selected(s)), &any))
        session_say(s, "the firmware says nothing of variables; compile it with -gdwarf-4\n");
    else if (!shown)
        session_say(s, parameters ? "No arguments.\n" : "No locals.\n");
}

static void say_registers(struct session *s)
{
    const struct isa *isa = session_selected(s)->machine->chip->isa;
    for (unsigned i = 0; i < isa->registers; i++) {
        uint32_t value;
        if (value_register(session_at(s), i, &value))
            session_say(s, "%-8s 0x%-8" PRIx32 " %" PRIu32 "\n", isa->register_name(i), value, value);
        else
            session_say(s, "%-8s <unavailable>\n", isa->register_name(i));
    }
}

static void say_variables(struct session *s)
{
    const struct debug_variable *v;
    size_t count = debug_variables(session_image(session_selected(s)), &v);
    for (size_t i = 0; i < count; i++)
        session_say(s, "%s %s%s%s\n", v[i].type->name, v[i].function ? v[i].function : "", v[i].function ? "::" : "",
                    v[i].name);
}

void session_look_info(struct session *s, const char *arguments)
{
    size_t length = strlen(arguments);
    if (length && strncmp(arguments, "locals", length) == 0)
        say_locals(s, false);
    else if (length && strncmp(arguments, "args", length) == 0)
        say_locals(s, true);
    else if (length && strncmp(arguments, "registers", length) == 0)
        say_registers(s);
    else if (length &&
             (strncmp(arguments, "breakpoints", length) == 0 || strncmp(arguments, "watchpoints", length) == 0))
        session_points_list(s);
    else if (length && strncmp(arguments, "variables", length) == 0)
        say_variables(s);
    else if (length && strncmp(arguments, "frame", length) == 0)
        session_look_frame(s, s->level, true);
    else if (length && strncmp(arguments, "line", length) == 0)
        session_look_source(s);
    else
        session_say(s, "info locals, args, registers, breakpoints, variables, frame, line\n");
}
