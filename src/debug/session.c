#include "debug/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "debug/session_internal.h"
#include "isa/isa.h"
#include "node/machine.h"

/* ---- shared ---- */

void session_say(struct session *s, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->face.say(s->face.context, text);
}

struct node *session_selected(const struct session *s)
{
    return s->nodes[s->node];
}

const struct image *session_image(const struct node *n)
{
    return n->machine->image;
}

uint32_t session_pc(const struct node *n)
{
    return n->machine->chip->isa->pc(n);
}

uint32_t session_sp(const struct node *n)
{
    return n->machine->chip->isa->sp(n);
}

const struct value_scope *session_at(struct session *s)
{
    s->scope = (struct value_scope){session_selected(s), s->level};
    return &s->scope;
}

bool session_find_node(const struct session *s, const char *id, uint32_t *node)
{
    char *end;
    unsigned long wanted = strtoul(id, &end, 10);
    if (!isdigit((unsigned char)*id) || *end)
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->nodes[i]->id == wanted) {
            *node = i;
            return true;
        }
    return false;
}

uint32_t session_node(const struct session *s)
{
    return s->node;
}

size_t session_level(const struct session *s)
{
    return s->level;
}

bool session_interrupted(const struct session *s)
{
    return s->face.interrupted && s->face.interrupted(s->face.context);
}

/* ---- commands ---- */

static void node(struct session *s, const char *arguments)
{
    uint32_t number;
    if (!*arguments) {
        session_say(s, "node %" PRIu32 " of %" PRIu32 "\n", session_selected(s)->id, s->count);
    } else if (!session_find_node(s, arguments, &number)) {
        session_say(s, "there is no node '%s'; see nodes\n", arguments);
    } else {
        s->node = number;
        session_run_show(s);
    }
}

static unsigned times(const char *arguments)
{
    unsigned long n = *arguments ? strtoul(arguments, NULL, 10) : 1;
    return n < 1 ? 1 : n > 1000000 ? 1000000 : (unsigned)n;
}

#define STEP(NAME, FORWARD, OVER, INSTRUCTION)                             \
    static void NAME(struct session *s, const char *arguments)             \
    {                                                                      \
        session_run_step(s, FORWARD, OVER, INSTRUCTION, times(arguments)); \
    }
STEP(step, true, false, false)
STEP(next, true, true, false)
STEP(stepi, true, false, true)
STEP(nexti, true, true, true)
STEP(reverse_step, false, false, false)
STEP(reverse_next, false, true, false)
STEP(reverse_stepi, false, false, true)
STEP(reverse_nexti, false, true, true)

#define RUN(NAME, CALL)                                        \
    static void NAME(struct session *s, const char *arguments) \
    {                                                          \
        (void)arguments;                                       \
        CALL;                                                  \
    }
RUN(go_on, session_run_continue(s, true))
RUN(reverse_continue, session_run_continue(s, false))
RUN(finish, session_run_finish(s, true))
RUN(reverse_finish, session_run_finish(s, false))
RUN(set_break, session_points_break(s, arguments, false))
RUN(set_tbreak, session_points_break(s, arguments, true))
RUN(watch, session_points_watch(s, arguments, SESSION_WATCH))
RUN(rwatch, session_points_watch(s, arguments, SESSION_READ))
RUN(awatch, session_points_watch(s, arguments, SESSION_ACCESS))
RUN(enable, session_points_enable(s, arguments, true))
RUN(disable, session_points_enable(s, arguments, false))
RUN(up, session_look_select(s, arguments, 1))
RUN(down, session_look_select(s, arguments, -1))
RUN(frame, session_look_select(s, arguments, 0))
static const struct command {
    struct session_command is;
    void (*run)(struct session *s, const char *arguments);
} commands[] = {
    {{"break", "b", "FUNCTION|LINE|FILE:LINE|*ADDRESS [node ID] [if CONDITION]", "stops there, on all nodes or one",
      false},
     set_break},
    {{"tbreak", "tb", "...", "the same, once", false}, set_tbreak},
    {{"watch", NULL, "EXPRESSION [node ID] [if CONDITION]", "stops when its value changes", false}, watch},
    {{"rwatch", NULL, "EXPRESSION", "stops when it is read", false}, rwatch},
    {{"awatch", NULL, "EXPRESSION", "stops when it is read or written", false}, awatch},
    {{"delete", "d", "[NUMBER...]", "takes away breakpoints and watchpoints, or all", false}, session_points_delete},
    {{"condition", NULL, "NUMBER [CONDITION]", "stops there only if it is true", false}, session_points_condition_set},
    {{"enable", NULL, "[NUMBER]", "lets a breakpoint stop again", false}, enable},
    {{"disable", NULL, "[NUMBER]", "lets a breakpoint be, for now", false}, disable},
    {{"continue", "c", "", "runs to the next breakpoint or watchpoint", true}, go_on},
    {{"step", "s", "[N]", "to another line, into functions", true}, step},
    {{"next", "n", "[N]", "to another line, over functions", true}, next},
    {{"stepi", "si", "[N]", "one instruction", true}, stepi},
    {{"nexti", "ni", "[N]", "one instruction, over functions", true}, nexti},
    {{"finish", "fin", "", "to where the function returns to", true}, finish},
    {{"reverse-continue", "rc", "", "back to the last breakpoint or watchpoint", true}, reverse_continue},
    {{"reverse-step", "rs", "[N]", "back to the line before, into functions", true}, reverse_step},
    {{"reverse-next", "rn", "[N]", "back to the line before, over functions", true}, reverse_next},
    {{"reverse-stepi", "rsi", "[N]", "back one instruction", true}, reverse_stepi},
    {{"reverse-nexti", "rni", "[N]", "back one instruction, over functions", true}, reverse_nexti},
    {{"reverse-finish", NULL, "", "back to where the function was called", true}, reverse_finish},
    {{"frame", "f", "[NUMBER]", "selects one of the functions that led here", false}, frame},
    {{"up", NULL, "[N]", "selects the function that called", true}, up},
    {{"down", NULL, "[N]", "selects the function that was called", true}, down},
    {{"print", "p", "[/FORMAT] EXPRESSION", "variables, fields, elements, $registers (formats x d u o t c)", false},
     session_look_print},
    {{"x", NULL, "[/COUNT FORMAT UNIT] ADDRESS", "memory (also formats i for instructions, s for text; units b h w g)",
      true},
     session_look_examine},
    {{"set", NULL, "EXPRESSION = VALUE", "changes a variable; going back before it undoes it", false},
     session_look_set},
    {{"info", "i", "locals|args|registers|breakpoints|variables|frame|line", "what is known of them", false},
     session_look_info},
    {{"list", "l", "[FUNCTION|LINE|-]", "source", true}, session_look_list},
    {{"disassemble", NULL, "[FUNCTION]", "its instructions", false}, session_look_disassemble},
    {{"node", NULL, "[ID]", "selects a node", false}, node},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const struct session_command *session_command(size_t number)
{
    return number < COMMANDS ? &commands[number].is : NULL;
}

void session_obey(struct session *s, size_t number, const char *arguments)
{
    commands[number].run(s, arguments);
}

void session_select(struct session *s, uint32_t node, size_t level)
{
    s->node = node;
    s->level = level;
}

void session_moved(struct session *s)
{
    s->level = 0;
    s->list_file = NULL;
}

/* ---- completion ---- */

char *session_complete(struct session *s, const char *word, size_t number)
{
    size_t length = strlen(word);
    const struct image *i = session_image(session_selected(s));
    const struct debug_variable *v;
    const struct image_symbol *symbols;
    size_t variables = debug_variables(i, &v), count = image_symbols(i, &symbols);
    for (size_t k = 0; k < variables; k++)
        if (strncmp(v[k].name, word, length) == 0 && number-- == 0)
            return memory_string(v[k].name);
    for (size_t k = 0; k < count; k++)
        if (symbols[k].kind == IMAGE_SYMBOL_FUNCTION && strncmp(symbols[k].name, word, length) == 0 && number-- == 0)
            return memory_string(symbols[k].name);
    return NULL;
}

bool session_has_break(const struct session *s, const char *file, unsigned line)
{
    struct image_row row;
    for (unsigned i = 0; i < s->point_count; i++)
        for (size_t k = 0; k < s->points[i].place_count; k++)
            if (image_row_at(session_image(s->nodes[s->points[i].places[k].node]), s->points[i].places[k].address,
                             &row) &&
                row.line == line && strcmp(row.file, file) == 0)
                return true;
    return false;
}

/* ---- life ---- */

struct session *session_new(const struct session_target *t, const struct session_face *face)
{
    struct session *s = memory_new(sizeof *s);
    s->timeline = t->timeline;
    s->nodes = t->nodes;
    s->count = t->count;
    s->until = t->until;
    s->face = *face;
    s->goal.address = UINT32_MAX;
    timeline_filter(s->timeline, session_points_count, s);
    return s;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    timeline_filter(s->timeline, NULL, NULL);
    while (s->point_count)
        session_points_drop(s, &s->points[s->point_count - 1]);
    free(s);
}
