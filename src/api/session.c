#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/saved_run.h"
#include "api/timeline.h"
#include "debug/session.h"
#include "motet/debug.h"

struct motet_session {
    struct session *session;
    struct motet_session_face face;
    motet_timeline *timeline;
    motet_saved_run *saved; /* what is debugged, or NULL */
    struct node **nodes;
};

static void api_session_say(void *context, const char *text)
{
    const motet_session *s = context;
    s->face.say(s->face.context, text);
}

static bool api_session_interrupted(void *context)
{
    const motet_session *s = context;
    return s->face.interrupted && s->face.interrupted(s->face.context);
}

static size_t api_session_explain(void *context, uint32_t node, char *text, size_t size)
{
    const motet_node *n = motet_timeline_node(((const motet_session *)context)->timeline, node);
    const struct motet_fault *f = motet_node_fault(n);
    return f ? motet_node_explain(n, f, text, size) : 0;
}

/* ---- saving ---- */

/* A firmware file of the machines in the notes. */
static const uint8_t *api_session_file_of(void *context, size_t number, const char **name, size_t *size)
{
    const struct save_inputs *c = context;
    if (number >= c->machine_count)
        return NULL;
    *name = image_path(c->machines[number]->machine->image);
    return image_file(c->machines[number]->machine->image, size);
}

static struct save_inputs *save_inputs_of(const motet_session *s)
{
    const motet_timeline *t = s->timeline;
    return t->network ? *network_save_inputs(t->network) : t->alone->save_inputs;
}

/* What is read again after going back cannot be told from what is read in another life. */
static bool is_mixed_up(const struct saved_inputs *j)
{
    bool boots = false, reads = false;
    for (size_t i = 0; i < j->count; i++)
        boots |= j->entries[i].kind == SAVED_BOOT;
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < SAVED_CHANNELS; c++)
            reads |= j->readings[i].channels[c].count > 0;
    return boots && reads;
}

static bool api_session_save(void *context, const char *path, struct error *e)
{
    motet_session *s = context;
    uint64_t now = motet_timeline_now(s->timeline);
    if (s->saved)
        return saved_run_save_again(&s->saved->saved.inputs, saved_run_firmware, s->saved, now, path, e);
    struct save_inputs *c = save_inputs_of(s);
    if (c && is_mixed_up(&c->inputs))
        return error_set(e, "%s: nodes with analog inputs were booted again; save this run with motet run --save",
                         path);
    if (!c)
        return error_set(e, "%s: what was done to the nodes before is not known", path);
    return saved_run_save_again(&c->inputs, api_session_file_of, c, now, path, e);
}

/* ---- life ---- */

static motet_session *session_handle(const struct motet_session_face *face)
{
    motet_session *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->face = *face;
    return s;
}

static struct motet_timeline_options api_session_options(motet_session *s, size_t memory, struct motet_actor actor)
{
    return (struct motet_timeline_options){memory, actor, api_session_interrupted, s};
}

static motet_session *api_session_begin(motet_session *s, motet_timeline *t, uint64_t until)
{
    s->timeline = t;
    s->nodes = calloc(t->count, sizeof *s->nodes);
    if (!s->nodes)
        abort();
    for (uint32_t i = 0; i < t->count; i++) {
        s->nodes[i] = timeline_node(t, i)->node;
        if (!s->saved)
            node_listen(timeline_node(t, i), save_inputs_of(s));
    }
    struct session_target target = {
        .timeline = t->timeline,
        .nodes = s->nodes,
        .count = t->count,
        .network = t->network ? network_of(t->network) : NULL,
        .air = &t->air,
        .until = until,
    };
    struct session_face inner = {.context = s,
                                 .say = api_session_say,
                                 .interrupted = api_session_interrupted,
                                 .explain = api_session_explain,
                                 .save = api_session_save};
    s->session = session_new(&target, &inner);
    return s;
}

motet_session *motet_session_node(motet_node *n, const struct motet_debug_options *o,
                                  const struct motet_session_face *face)
{
    motet_session *s = session_handle(face);
    struct motet_timeline_options how = api_session_options(s, o->memory, o->actor);
    return api_session_begin(s, motet_timeline_of_node(n, &how), o->until);
}

motet_session *motet_session_network(motet_network *n, const struct motet_debug_options *o,
                                     const struct motet_session_face *face)
{
    motet_session *s = session_handle(face);
    struct motet_timeline_options how = api_session_options(s, o->memory, o->actor);
    return api_session_begin(s, motet_timeline_of_network(n, &how), o->until);
}

motet_session *motet_session_saved_run(motet_saved_run *r, size_t memory, const struct motet_session_face *face)
{
    motet_session *s = session_handle(face);
    struct motet_timeline_options how = api_session_options(s, memory, (struct motet_actor){.act = NULL});
    s->saved = r;
    motet_timeline *t = motet_timeline_of_saved_run(r, &how);
    return api_session_begin(s, t, t->until);
}

void motet_session_free(motet_session *s)
{
    if (!s)
        return;
    session_free(s->session);
    motet_timeline_free(s->timeline);
    free(s->nodes);
    free(s);
}

bool motet_session_command(motet_session *s, const char *line)
{
    return session_command(s->session, line);
}

void motet_session_ask(motet_session *s, const char *line, char *text, size_t size)
{
    session_ask(s->session, line, text, size);
}

char *motet_session_complete(motet_session *s, const char *line, size_t number)
{
    return session_complete(s->session, line, number);
}

bool motet_session_place(motet_session *s, const char **file, unsigned *line)
{
    return session_place(s->session, file, line);
}

bool motet_session_has_break(const motet_session *s, const char *file, unsigned line)
{
    return session_has_break(s->session, file, line);
}
