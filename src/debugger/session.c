/* Motet's own debugger: an inspector (motet/inspect.h) and the shared commands, by lines of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "debugger/commands.h"
#include "motet/debug.h"
#include "motet/inspect.h"

struct motet_session {
    struct commands commands;
    struct motet_session_face face;
    motet_inspector *inspector;
    struct command *own;  /* the inspector's commands, and quit */
    struct answer *asked; /* where what the inspector says goes, instead of to the face */
    char last[40];        /* for an empty line */
    bool over;
};

static void session_say(void *context, const char *text)
{
    motet_session *s = context;
    if (s->asked)
        answer_say(s->asked, "%s", text);
    else
        s->face.say(s->face.context, text);
}

static bool session_interrupted(void *context)
{
    const motet_session *s = context;
    return s->face.interrupted && s->face.interrupted(s->face.context);
}

/* ---- life ---- */

/* The inspector's commands as ours, by the same numbers; quit comes after them. */
static void session_take_commands(motet_session *s)
{
    struct motet_inspector_command is;
    size_t count = 0;
    while (motet_inspector_command(count, &is))
        count++;
    s->own = memory_array(count + 1, sizeof *s->own);
    for (size_t i = 0; i < count && motet_inspector_command(i, &is); i++)
        s->own[i] = (struct command){is.name, is.alias, is.arguments, is.help, NULL, is.repeats};
    s->own[count] = (struct command){"quit", "q", "", "ends the session", NULL, false};
    s->commands.more = s->own;
    s->commands.more_count = count + 1;
}

static motet_session *session_new(const struct motet_session_face *face)
{
    motet_session *s = memory_new(sizeof *s);
    s->face = *face;
    return s;
}

static struct motet_timeline_options session_options(motet_session *s, size_t memory, struct motet_actor actor)
{
    return (struct motet_timeline_options){memory, actor, session_interrupted, s};
}

static motet_session *session_begin(motet_session *s, motet_timeline *t, uint64_t until)
{
    struct motet_inspector_face inner = {s, session_say, session_interrupted};
    s->commands.timeline = t;
    s->commands.until = until;
    s->inspector = motet_inspector_new(t, until, &inner);
    session_take_commands(s);
    return s;
}

motet_session *motet_session_network(motet_network *n, const struct motet_debug_options *o,
                                     const struct motet_session_face *face)
{
    motet_session *s = session_new(face);
    struct motet_timeline_options how = session_options(s, o->memory, o->actor);
    return session_begin(s, motet_timeline_of_network(n, &how), o->until);
}

motet_session *motet_session_saved_run(motet_saved_run *r, size_t memory, const struct motet_session_face *face)
{
    motet_session *s = session_new(face);
    struct motet_timeline_options how = session_options(s, memory, (struct motet_actor){.act = NULL});
    motet_timeline *t = motet_timeline_of_saved_run(r, &how);
    return session_begin(s, t, motet_timeline_until(t));
}

void motet_session_free(motet_session *s)
{
    if (!s)
        return;
    motet_inspector_free(s->inspector);
    motet_timeline_free(s->commands.timeline);
    free(s->own);
    free(s);
}

/* ---- commands ---- */

static void session_obey(motet_session *s, const char *line, struct answer *a)
{
    struct commands *c = &s->commands;
    char arguments[COMMANDS_LINE];
    const struct command *is = commands_parse(c, line, arguments, a);
    if (!is)
        return;
    snprintf(s->last, sizeof s->last, "%s", is->repeats ? is->name : "");
    size_t number = is->run ? 0 : (size_t)(is - s->own);
    if (!is->run && number + 1 == c->more_count) {
        s->over = true;
    } else if (!is->run) {
        motet_inspector_obey(s->inspector, number, arguments);
    } else {
        c->node = motet_inspector_node(s->inspector);
        c->level = motet_inspector_level(s->inspector);
        is->run(c, arguments, a);
        if (a->moved)
            motet_inspector_moved(s->inspector);
    }
}

bool motet_session_command(motet_session *s, const char *line)
{
    char last[sizeof s->last];
    struct answer a = {.text = NULL};
    line += strspn(line, " \t\r\n");
    memcpy(last, s->last, sizeof last);
    if (*line != '#' && (*line || *last))
        session_obey(s, *line ? line : last, &a);
    if (a.text)
        session_say(s, a.text);
    answer_free(&a);
    return !s->over;
}

void motet_session_ask(motet_session *s, const char *line, char *text, size_t size)
{
    struct answer a = {.text = NULL};
    char last[sizeof s->last];
    memcpy(last, s->last, sizeof last);
    s->asked = &a;
    session_obey(s, line, &a);
    s->asked = NULL;
    memcpy(s->last, last, sizeof last);
    snprintf(text, size, "%s", a.text ? a.text : "");
    answer_free(&a);
}

void motet_session_seek(motet_session *s, uint64_t time)
{
    motet_timeline_seek(s->commands.timeline, time);
    motet_inspector_moved(s->inspector);
}

char *motet_session_complete(motet_session *s, const char *line, size_t number)
{
    const char *space = strrchr(line, ' ');
    const struct command *is;
    if (space)
        return motet_inspector_complete(s->inspector, space + 1, number);
    for (size_t i = 0; (is = commands_at(&s->commands, i)); i++)
        if (strncmp(is->name, line, strlen(line)) == 0 && number-- == 0)
            return memory_string(is->name);
    return NULL;
}

bool motet_session_place(motet_session *s, const char **file, unsigned *line)
{
    return motet_inspector_place(s->inspector, file, line);
}

bool motet_session_has_break(const motet_session *s, const char *file, unsigned line)
{
    return motet_inspector_has_break(s->inspector, file, line);
}
