#include "motet/inspect.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/handles.h"
#include "api/timeline.h"
#include "base/memory.h"
#include "debug/session.h"

struct motet_inspector {
    struct session *session;
    struct motet_inspector_face face;
    motet_timeline *timeline;
    struct node **nodes;
};

static void inspector_say(void *context, const char *text)
{
    const motet_inspector *i = context;
    i->face.say(i->face.context, text);
}

static bool inspector_interrupted(void *context)
{
    const motet_inspector *i = context;
    return i->face.interrupted && i->face.interrupted(i->face.context);
}

static size_t inspector_explain(void *context, uint32_t node, char *text, size_t size)
{
    const motet_node *n = motet_timeline_node(((const motet_inspector *)context)->timeline, node);
    const struct motet_fault *f = motet_node_fault(n);
    if (motet_node_exit(n) == MOTET_EXIT_LOG) {
        struct motet_replay r;
        motet_node_replay(n, &r);
        int length = snprintf(text, size, "The replay is over: %s.\n", r.how);
        return length < 0 ? 0 : (size_t)length;
    }
    return f ? motet_node_explain(n, f, text, size) : 0;
}

static bool inspector_give(void *context, uint32_t node, uint32_t data, const void *bytes, size_t size)
{
    struct motet_input is = {.kind = MOTET_INPUT_DATA, .where = data, .bytes = bytes, .size = size};
    return motet_timeline_give(((const motet_inspector *)context)->timeline, node, &is);
}

motet_inspector *motet_inspector_new(motet_timeline *t, uint64_t until, const struct motet_inspector_face *face)
{
    motet_inspector *i = memory_new(sizeof *i);
    struct node **nodes = memory_array(t->count, sizeof *nodes);
    for (uint32_t n = 0; n < t->count; n++)
        nodes[n] = timeline_node(t, n)->node;
    *i = (motet_inspector){.face = *face, .timeline = t, .nodes = nodes};
    struct session_target target = {.timeline = t->timeline, .nodes = nodes, .count = t->count, .until = until};
    struct session_face inner = {.context = i,
                                 .say = inspector_say,
                                 .interrupted = inspector_interrupted,
                                 .explain = inspector_explain,
                                 .give = inspector_give};
    i->session = session_new(&target, &inner);
    return i;
}

void motet_inspector_free(motet_inspector *i)
{
    if (!i)
        return;
    session_free(i->session);
    free(i->nodes);
    free(i);
}

bool motet_inspector_command(size_t number, struct motet_inspector_command *c)
{
    const struct session_command *is = session_command(number);
    if (is)
        *c = (struct motet_inspector_command){is->name, is->alias, is->arguments, is->help, is->repeats};
    return is;
}

void motet_inspector_obey(motet_inspector *i, size_t number, const char *arguments)
{
    session_obey(i->session, number, arguments);
}

uint32_t motet_inspector_node(const motet_inspector *i)
{
    return session_node(i->session);
}

size_t motet_inspector_level(const motet_inspector *i)
{
    return session_level(i->session);
}

void motet_inspector_moved(motet_inspector *i)
{
    session_moved(i->session);
}

char *motet_inspector_complete(motet_inspector *i, const char *word, size_t number)
{
    return session_complete(i->session, word, number);
}

bool motet_inspector_place(motet_inspector *i, const char **file, unsigned *line)
{
    return session_place(i->session, file, line);
}

bool motet_inspector_has_break(const motet_inspector *i, const char *file, unsigned line)
{
    return session_has_break(i->session, file, line);
}

/* ---- as data ---- */

unsigned motet_inspector_add_point(motet_inspector *i, const struct motet_point *p, struct motet_error *e)
{
    static const enum session_point_kind kinds[] = {[MOTET_POINT_BREAK] = SESSION_BREAK,
                                                    [MOTET_POINT_WATCH] = SESSION_WATCH,
                                                    [MOTET_POINT_READ] = SESSION_READ,
                                                    [MOTET_POINT_ACCESS] = SESSION_ACCESS};
    struct session_place *places = memory_array(p->place_count, sizeof *places);
    for (size_t k = 0; k < p->place_count; k++)
        places[k] = (struct session_place){p->places[k].node, p->places[k].address};
    struct session_wish w = {.kind = kinds[p->kind],
                             .places = places,
                             .place_count = p->place_count,
                             .node = p->node,
                             .address = p->address,
                             .size = p->size,
                             .condition = p->condition};
    unsigned number = session_point_add(i->session, &w, e);
    free(places);
    return number;
}

void motet_inspector_delete_point(motet_inspector *i, unsigned number)
{
    session_point_delete(i->session, number);
}

bool motet_inspector_move(motet_inspector *i, const struct motet_move *m, struct motet_moved *how,
                          struct motet_error *e)
{
    static const enum session_extent extents[] = {[MOTET_MOVE_RUN] = SESSION_RUN,
                                                  [MOTET_MOVE_INTO] = SESSION_INTO,
                                                  [MOTET_MOVE_OVER] = SESSION_OVER,
                                                  [MOTET_MOVE_OUT] = SESSION_OUT,
                                                  [MOTET_MOVE_THERE] = SESSION_THERE};
    struct session_move move = {.node = m->node,
                                .level = m->level,
                                .extent = extents[m->extent],
                                .backward = m->backward,
                                .instruction = m->instruction,
                                .address = m->address};
    struct session_stop stop;
    if (!session_move(i->session, &move, &stop, e))
        return false;
    *how = (struct motet_moved){timeline_event_out(stop.event), stop.point, stop.lost};
    return true;
}

void motet_inspector_select(motet_inspector *i, uint32_t node, size_t level)
{
    session_select(i->session, node, level);
}
