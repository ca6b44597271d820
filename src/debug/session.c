#include "debug/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "debug/session_internal.h"
#include "isa/isa.h"
#include "motet/amount.h"
#include "node/machine.h"

enum { PACKETS_SHOWN = 10 };

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- shared ---- */

void session_say(struct session *s, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct session_capture *c = s->capture;
    if (!c) {
        s->face.say(s->face.context, text);
        return;
    }
    size_t length = strlen(text), room = c->size - c->used - 1;
    length = length < room ? length : room;
    memcpy(c->text + c->used, text, length);
    c->used += length;
    c->text[c->used] = 0;
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

static uint64_t hz_of(const struct session *s)
{
    return s->network ? NETWORK_SECOND : s->nodes[0]->machine->hz;
}

uint64_t session_time(const struct session *s, double *seconds)
{
    uint64_t now = timeline_now(s->timeline);
    *seconds = (double)now / (double)hz_of(s);
    return now;
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

bool session_interrupted(const struct session *s)
{
    return s->face.interrupted && s->face.interrupted(s->face.context);
}

/* ---- time ---- */

static void when(struct session *s, const char *arguments)
{
    (void)arguments;
    double seconds;
    char place[SESSION_TEXT];
    session_time(s, &seconds);
    session_say(s, "%.9f s, ", seconds);
    if (s->count > 1)
        session_say(s, "node %" PRIu32 ", ", session_selected(s)->id);
    session_say(s, "instruction %" PRIu64 ", %s %s\n", session_selected(s)->state->instructions,
                session_selected(s)->state->exit       ? "ended at"
                : session_selected(s)->state->sleeping ? "asleep at"
                                                       : "at",
                image_place(session_image(session_selected(s)), session_pc(session_selected(s)), place, sizeof place));
}

static void seek(struct session *s, const char *arguments)
{
    struct motet_span time;
    struct motet_error e;
    if (motet_read_time(arguments, &time, &e))
        session_run_seek(s, motet_span_ticks(&time, hz_of(s)));
    else
        session_say(s, "%s\n", e.text);
}

static void checkpoint(struct session *s, const char *arguments)
{
    (void)arguments;
    if (s->checkpoint_count == SESSION_CHECKPOINTS) {
        session_say(s, "there are %d checkpoints, and no room for more\n", SESSION_CHECKPOINTS);
        return;
    }
    s->checkpoints[s->checkpoint_count++] = timeline_position(s->timeline);
    session_say(s, "Checkpoint %u: ", s->checkpoint_count);
    when(s, "");
}

static void restart(struct session *s, const char *arguments)
{
    unsigned long number = strtoul(arguments, NULL, 10);
    if (!*arguments) {
        timeline_seek(s->timeline, 0);
    } else if (number < 1 || number > s->checkpoint_count) {
        session_say(s, "there is no checkpoint '%s'; restart alone goes to the beginning\n", arguments);
        return;
    } else {
        timeline_go(s->timeline, s->checkpoints[number - 1]);
    }
    session_run_show(s);
}

static void last_write(struct session *s, const char *arguments)
{
    if (*arguments)
        session_run_last_write(s, arguments);
    else
        session_say(s, "last-write of what? such as last-write total\n");
}

static void save(struct session *s, const char *arguments)
{
    struct error e = {""};
    if (!*arguments)
        session_say(s, "save to which file? such as save run.motet\n");
    else if (s->changed)
        session_say(s, "values were set by hand, and a saved run does not hold them; restart without them to save\n");
    else if (!s->face.save)
        session_say(s, "this run cannot be saved from here; use motet run --save\n");
    else if (s->face.save(s->face.context, arguments, &e))
        session_say(s, "saved to %s, up to here\n", arguments);
    else
        session_say(s, "%s\n", e.text);
}

/* ---- nodes ---- */

static void nodes(struct session *s, const char *arguments)
{
    (void)arguments;
    char place[SESSION_TEXT];
    for (uint32_t i = 0; i < s->count; i++) {
        const struct node *n = s->nodes[i];
        const struct machine *m = n->machine;
        bool alive = !s->network || network_alive(s->network, i) || n->state->exit;
        session_say(s, "%c %-4" PRIu32 " %-10s %-8s %s\n", i == s->node ? '*' : ' ', n->id,
                    m->board ? m->board->name : m->chip->name,
                    !alive               ? "off"
                    : n->state->exit     ? "ended"
                    : n->state->sleeping ? "asleep"
                                         : "running",
                    image_place(m->image, session_pc(n), place, sizeof place));
    }
}

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

/* What was on the air up to now, as far as it was executed in this session. */
static void packets(struct session *s, const char *arguments)
{
    char text[8000];
    size_t wanted = *arguments ? strtoul(arguments, NULL, 10) : PACKETS_SHOWN;
    if (!s->network) {
        session_say(s, "there is no network here\n");
        return;
    }
    airlog_say(s->air, timeline_now(s->timeline), wanted, text, sizeof text);
    session_say(s, "%s", text);
}

/* ---- commands ---- */

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
RUN(watch, session_points_watch(s, arguments, POINT_WATCH))
RUN(rwatch, session_points_watch(s, arguments, POINT_READ))
RUN(awatch, session_points_watch(s, arguments, POINT_ACCESS))
RUN(enable, session_points_enable(s, arguments, true))
RUN(disable, session_points_enable(s, arguments, false))
RUN(up, session_look_select(s, arguments, 1))
RUN(down, session_look_select(s, arguments, -1))
RUN(frame, session_look_select(s, arguments, 0))
RUN(quit, s->over = true)
static void help(struct session *s, const char *arguments);

static const struct command {
    const char *name, *alias, *about;
    void (*run)(struct session *s, const char *arguments);
    bool repeats; /* an empty line does it again */
} commands[] = {
    {"break", "b", "break FUNCTION|LINE|FILE:LINE|*ADDRESS [node ID] [if CONDITION]: stops there, on all nodes or one",
     set_break, false},
    {"tbreak", "tb", "tbreak ...: the same, once", set_tbreak, false},
    {"watch", NULL, "watch EXPRESSION [node ID] [if CONDITION]: stops when its value changes", watch, false},
    {"rwatch", NULL, "rwatch EXPRESSION: stops when it is read", rwatch, false},
    {"awatch", NULL, "awatch EXPRESSION: stops when it is read or written", awatch, false},
    {"delete", "d", "delete [NUMBER...]: takes away breakpoints and watchpoints, or all", session_points_delete, false},
    {"condition", NULL, "condition NUMBER [CONDITION]: stops there only if it is true", session_points_condition_set,
     false},
    {"enable", NULL, "enable [NUMBER]: lets a breakpoint stop again", enable, false},
    {"disable", NULL, "disable [NUMBER]: lets a breakpoint be, for now", disable, false},
    {"continue", "c", "continue: runs to the next breakpoint or watchpoint", go_on, true},
    {"step", "s", "step [N]: to another line, into functions", step, true},
    {"next", "n", "next [N]: to another line, over functions", next, true},
    {"stepi", "si", "stepi [N]: one instruction", stepi, true},
    {"nexti", "ni", "nexti [N]: one instruction, over functions", nexti, true},
    {"finish", "fin", "finish: to where the function returns to", finish, true},
    {"reverse-continue", "rc", "reverse-continue: back to the last breakpoint or watchpoint", reverse_continue, true},
    {"reverse-step", "rs", "reverse-step [N]: back to the line before, into functions", reverse_step, true},
    {"reverse-next", "rn", "reverse-next [N]: back to the line before, over functions", reverse_next, true},
    {"reverse-stepi", "rsi", "reverse-stepi [N]: back one instruction", reverse_stepi, true},
    {"reverse-nexti", "rni", "reverse-nexti [N]: back one instruction, over functions", reverse_nexti, true},
    {"reverse-finish", NULL, "reverse-finish: back to where the function was called", reverse_finish, true},
    {"seek", NULL, "seek TIME: goes there, forward or backward (12.5s, 300ms, @160000)", seek, false},
    {"when", NULL, "when: the time, and where the CPU is", when, false},
    {"checkpoint", NULL, "checkpoint: remembers this moment", checkpoint, false},
    {"restart", NULL, "restart [NUMBER]: goes to the beginning, or to a checkpoint", restart, false},
    {"last-write", NULL, "last-write EXPRESSION [node ID]: who wrote it last, and when", last_write, false},
    {"where", "bt", "where: the functions that led here; also backtrace", session_look_backtrace, false},
    {"backtrace", NULL, NULL, session_look_backtrace, false},
    {"frame", "f", "frame [NUMBER]: selects one of them", frame, false},
    {"up", NULL, "up [N]: selects the function that called", up, true},
    {"down", NULL, "down [N]: selects the function that was called", down, true},
    {"print", "p", "print[/FORMAT] EXPRESSION: variables, fields, elements, $registers (formats x d u o t c)",
     session_look_print, false},
    {"x", NULL, "x[/COUNT FORMAT UNIT] ADDRESS: memory (also formats i for instructions, s for text; units b h w g)",
     session_look_examine, true},
    {"set", NULL, "set EXPRESSION = VALUE: changes a variable; going back before it undoes it", session_look_set,
     false},
    {"info", "i", "info locals|args|registers|breakpoints|variables|frame|line", session_look_info, false},
    {"list", "l", "list [FUNCTION|LINE|-]: source", session_look_list, true},
    {"disassemble", NULL, "disassemble [FUNCTION]: its instructions", session_look_disassemble, false},
    {"nodes", NULL, "nodes: all nodes, and where they are", nodes, false},
    {"node", NULL, "node [ID]: selects a node", node, false},
    {"packets", NULL, "packets [N]: the last transmissions up to now", packets, false},
    {"save", NULL, "save FILE: the run up to here, as a saved run for motet open", save, false},
    {"help", "h", "help [COMMAND]", help, false},
    {"quit", "q", "quit: ends the session", quit, false},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static bool is_called(const struct command *c, const char *word, size_t length)
{
    return (strlen(c->name) == length && strncmp(c->name, word, length) == 0) ||
           (c->alias && strlen(c->alias) == length && strncmp(c->alias, word, length) == 0);
}

/* By name or alias, else the first that begins so. */
static const struct command *command_named(const char *word, size_t length)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (is_called(&commands[i], word, length))
            return &commands[i];
    for (size_t i = 0; i < COMMANDS; i++)
        if (strncmp(commands[i].name, word, length) == 0)
            return &commands[i];
    return NULL;
}

static void help(struct session *s, const char *arguments)
{
    const struct command *c = *arguments ? command_named(arguments, strlen(arguments)) : NULL;
    if (*arguments && !c)
        session_say(s, "there is no command '%s'; see help\n", arguments);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].about && (c ? c == &commands[i] : !*arguments))
            session_say(s, "%s%s%s%s\n", commands[i].about, commands[i].alias ? " (" : "",
                        commands[i].alias ? commands[i].alias : "", commands[i].alias ? ")" : "");
}

static void obey(struct session *s, const char *line)
{
    size_t length = 0;
    while (isalpha((unsigned char)line[length]) || line[length] == '-')
        length++;
    const struct command *c = length ? command_named(line, length) : NULL;
    if (!c) {
        session_say(s, "there is no command '%.*s'; see help\n", (int)strcspn(line, " "), line);
        return;
    }
    snprintf(s->last, sizeof s->last, "%s", c->repeats ? c->name : "");
    c->run(s, line + length + strspn(line + length, " "));
}

bool session_command(struct session *s, const char *line)
{
    char text[1024];
    line += strspn(line, " \t");
    if (*line == '#')
        return !s->over;
    snprintf(text, sizeof text, "%s", *line ? line : s->last);
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = 0;
    if (text[0])
        obey(s, text);
    return !s->over;
}

void session_ask(struct session *s, const char *line, char *text, size_t size)
{
    struct session_capture c = {text, size, 0};
    char last[SESSION_TEXT];
    memcpy(last, s->last, sizeof last);
    text[0] = 0;
    s->capture = &c;
    session_command(s, line);
    s->capture = NULL;
    memcpy(s->last, last, sizeof last);
}

/* ---- completion ---- */

char *session_complete(struct session *s, const char *line, size_t number)
{
    const char *space = strrchr(line, ' '), *word = space ? space + 1 : line;
    size_t length = strlen(word);
    for (size_t i = 0; i < COMMANDS && !space; i++)
        if (strncmp(commands[i].name, word, length) == 0 && number-- == 0)
            return must(strdup(commands[i].name));
    if (!space)
        return NULL;
    const struct image *i = session_image(session_selected(s));
    const struct debug_variable *v;
    const struct image_symbol *symbols;
    size_t variables = debug_variables(i, &v), count = image_symbols(i, &symbols);
    for (size_t k = 0; k < variables; k++)
        if (strncmp(v[k].name, word, length) == 0 && number-- == 0)
            return must(strdup(v[k].name));
    for (size_t k = 0; k < count; k++)
        if (symbols[k].kind == IMAGE_SYMBOL_FUNCTION && strncmp(symbols[k].name, word, length) == 0 && number-- == 0)
            return must(strdup(symbols[k].name));
    return NULL;
}

bool session_has_break(const struct session *s, const char *file, unsigned line)
{
    struct image_row row;
    for (unsigned i = 0; i < s->point_count; i++)
        for (unsigned k = 0; k < s->points[i].place_count; k++)
            if (image_row_at(session_image(s->nodes[s->points[i].places[k].node]), s->points[i].places[k].address,
                             &row) &&
                row.line == line && strcmp(row.file, file) == 0)
                return true;
    return false;
}

/* ---- life ---- */

struct session *session_new(const struct session_target *t, const struct session_face *face)
{
    struct session *s = must(calloc(1, sizeof *s));
    s->timeline = t->timeline;
    s->nodes = t->nodes;
    s->count = t->count;
    s->network = t->network;
    s->air = t->air;
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
    free(s);
}
