#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/recording.h"
#include "api/retold.h"
#include "debug/airlog.h"
#include "debug/session.h"
#include "motet/debug.h"

struct motet_session {
    struct session *session;
    struct motet_session_face face;
    motet_node *alone;          /* or */
    motet_network *network;     /* all of them */
    motet_recording *recording; /* they are of, or NULL */
    struct node **nodes;
};

static const motet_node *handle(const motet_session *s, uint32_t node)
{
    return s->network ? motet_network_at(s->network, node) : s->alone;
}

static void say(void *context, const char *text)
{
    const motet_session *s = context;
    s->face.say(s->face.context, text);
}

static bool interrupted(void *context)
{
    const motet_session *s = context;
    return s->face.interrupted && s->face.interrupted(s->face.context);
}

static size_t explain(void *context, uint32_t node, char *text, size_t size)
{
    const motet_node *n = handle(context, node);
    const struct motet_fault *f = motet_node_fault(n);
    return f ? motet_node_explain(n, f, text, size) : 0;
}

static void on_radio(void *context, const struct motet_transmission *t)
{
    const motet_session *s = context;
    struct airlog_packet p = {t->begun, t->ended, t->sender, t->count, t->bytes};
    session_heard(s->session, &p);
}

/* ---- saving ---- */

/* A firmware's file, of the machines that a chronicle knows. */
static const uint8_t *file_of(void *context, size_t number, const char **name, size_t *size)
{
    const struct chronicle *c = context;
    if (number >= c->machine_count)
        return NULL;
    *name = image_path(c->machines[number]->machine->image);
    return image_file(c->machines[number]->machine->image, size);
}

static struct chronicle *chronicle_of(const motet_session *s)
{
    return s->network ? *network_chronicle(s->network) : s->alone->chronicle;
}

/* What is read again after going back cannot be told from what is read in another life. */
static bool is_mixed_up(const struct journal *j)
{
    bool boots = false, reads = false;
    for (size_t i = 0; i < j->count; i++)
        boots |= j->entries[i].kind == JOURNAL_BOOT;
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < JOURNAL_CHANNELS; c++)
            reads |= j->readings[i].channels[c].count > 0;
    return boots && reads;
}

static bool save(void *context, const char *path, struct error *e)
{
    motet_session *s = context;
    uint64_t now = timeline_now(session_timeline(s->session));
    if (s->recording)
        return recording_retell(&s->recording->story.journal, recording_firmware, s->recording, now, path, e);
    struct chronicle *c = chronicle_of(s);
    if (c && is_mixed_up(&c->journal))
        return error_set(e, "%s: nodes with analog inputs were booted again; keep this run with motet run --keep",
                         path);
    if (!c)
        return error_set(e, "%s: what was done to the nodes before is not known", path);
    return recording_retell(&c->journal, file_of, c, now, path, e);
}

/* ---- life ---- */

static motet_session *session(motet_session like, const struct subject *told, const struct motet_debug_options *o,
                              const struct motet_session_face *face)
{
    motet_session *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = like;
    s->face = *face;
    size_t count = s->network ? motet_network_count(s->network) : 1;
    s->nodes = calloc(count, sizeof *s->nodes);
    if (!s->nodes)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        motet_node *n = s->network ? motet_network_at(s->network, i) : s->alone;
        s->nodes[i] = n->node;
        if (!s->recording)
            node_listen(n, chronicle_of(s));
    }
    struct session_target t = {
        .subject = told         ? *told
                   : s->network ? subject_of_network(network_of(s->network))
                                : subject_of_node(s->alone->node),
        .nodes = s->nodes,
        .network = s->network ? network_of(s->network) : NULL,
        .until = o->until,
        .actor = {o->actor.context, o->actor.next, o->actor.act},
        .memory = o->memory ? o->memory : TIMELINE_MEMORY,
    };
    struct session_face inner = {
        .context = s, .say = say, .interrupted = interrupted, .explain = explain, .save = save};
    s->session = session_new(&t, &inner);
    if (s->network)
        motet_network_listen(s->network, on_radio, s);
    return s;
}

motet_session *motet_session_node(motet_node *n, const struct motet_debug_options *o,
                                  const struct motet_session_face *face)
{
    return session((motet_session){.alone = n}, NULL, o, face);
}

motet_session *motet_session_network(motet_network *n, const struct motet_debug_options *o,
                                     const struct motet_session_face *face)
{
    return session((motet_session){.network = n}, NULL, o, face);
}

motet_session *motet_session_recording(motet_recording *r, size_t memory, const struct motet_session_face *face)
{
    recording_rewind(r);
    struct subject told = subject_of_recording(r);
    struct motet_debug_options o = {.memory = memory, .until = recording_until(r)};
    motet_session like = {.alone = r->story.node, .network = r->story.network, .recording = r};
    motet_session *s = session(like, &told, &o, face);
    recording_lend(r, session_timeline(s->session), told.context);
    return s;
}

void motet_session_free(motet_session *s)
{
    if (!s)
        return;
    if (s->network)
        motet_network_listen(s->network, NULL, NULL);
    session_free(s->session);
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
