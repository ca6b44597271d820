/* Breakpoints and watchpoints. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "debug/session_internal.h"
#include "debug/source.h"
#include "debug/space.h"
#include "node/machine.h"

enum { SESSION_LINE = 64 }; /* places of one line in a firmware: once in each function it is part of */

/* ---- what is armed ---- */

static void arm_node(struct session *s, uint32_t node, uint32_t extra)
{
    uint32_t *at = NULL;
    size_t count = 0, room = 0;
    struct watch watches[STOPS_WATCHES];
    unsigned watched = 0;
    for (unsigned i = 0; i < s->point_count && !s->alone; i++) {
        const struct point *p = &s->points[i];
        for (size_t k = 0; k < p->place_count && !p->disabled; k++)
            if (p->places[k].node == node) {
                at = memory_grow(at, &room, count, sizeof *at);
                at[count++] = p->places[k].address;
            }
        if (p->kind == SESSION_BREAK || p->node != node || p->disabled || watched == STOPS_WATCHES)
            continue;
        uint8_t kinds = p->kind == SESSION_READ    ? WATCH_READ
                        : p->kind == SESSION_WATCH ? WATCH_WRITE
                                                   : WATCH_READ | WATCH_WRITE;
        watches[watched++] = (struct watch){p->first, p->first + p->size - 1, kinds};
    }
    if (extra != UINT32_MAX) {
        at = memory_grow(at, &room, count, sizeof *at);
        at[count++] = extra;
    }
    stops_set(s->nodes[node], at, count, watches, watched);
    free(at);
}

void session_points_arm(struct session *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        arm_node(s, i, i == s->goal.node ? s->goal.address : UINT32_MAX);
}

bool session_points_condition(struct session *s, struct point *p, uint32_t node)
{
    struct value v;
    struct motet_error e = {""};
    int64_t number = 1;
    struct value_scope scope = {s->nodes[node], 0}; /* not the session's: it is asked from the threads of nodes */
    if (!p->condition[0])
        return true;
    char text[2 * SESSION_TEXT];
    bool known = session_nodes_expand(s, p->condition, text, sizeof text, &e) && value_find(&scope, text, &v, &e) &&
                 value_number(&scope, &v, &number, &e);
    if (!known)
        session_say(s, "the condition of breakpoint %u cannot be evaluated: %s\n", p->number, e.text);
    return !known || number != 0;
}

/* While nodes run, others are not at the same time: a condition over several is looked at when all have stopped. */
static struct point *session_points_find(struct session *s, uint32_t node, uint32_t pc, bool running)
{
    for (unsigned i = 0; i < s->point_count && !s->alone; i++)
        for (size_t k = 0; k < s->points[i].place_count; k++)
            if (s->points[i].places[k].node == node && s->points[i].places[k].address == pc && !s->points[i].disabled &&
                ((running && session_nodes_named(s->points[i].condition)) ||
                 session_points_condition(s, &s->points[i], node)))
                return &s->points[i];
    return NULL;
}

struct point *session_points_at(struct session *s, uint32_t node, uint32_t pc)
{
    return session_points_find(s, node, pc, false);
}

bool session_points_count(void *session, uint32_t node)
{
    struct session *s = session;
    const struct node *n = s->nodes[node];
    bool goal = node == s->goal.node && session_pc(n) == s->goal.address && session_sp(n) >= s->goal.sp;
    return goal || session_points_find(s, node, session_pc(n), true);
}

struct point *session_points_watched(struct session *s, uint32_t node, uint32_t address, uint8_t kind)
{
    for (unsigned i = 0; i < s->point_count; i++) {
        struct point *p = &s->points[i];
        bool fits = p->kind == SESSION_ACCESS || (p->kind == SESSION_READ) == (kind == WATCH_READ);
        if (p->kind != SESSION_BREAK && p->node == node && fits && !p->disabled && address >= p->first &&
            address < p->first + p->size)
            return p;
    }
    return NULL;
}

void session_points_remember(struct session *s)
{
    for (unsigned i = 0; i < s->point_count; i++) {
        struct point *p = &s->points[i];
        uint32_t size = p->size < SESSION_WATCHED ? p->size : SESSION_WATCHED;
        if (p->kind != SESSION_BREAK)
            value_memory(s->nodes[p->node], p->address, p->value, size);
    }
}

void session_points_drop(struct session *s, struct point *p)
{
    size_t at = (size_t)(p - s->points);
    free(p->places);
    memmove(p, p + 1, (--s->point_count - at) * sizeof *p);
}

static struct point *new_point(struct session *s, enum session_point_kind kind, const char *text)
{
    if (s->point_count == SESSION_POINTS) {
        session_say(s, "there are %d breakpoints already; delete some\n", SESSION_POINTS);
        return NULL;
    }
    struct point *p = &s->points[s->point_count];
    *p = (struct point){.kind = kind};
    snprintf(p->text, sizeof p->text, "%s", text);
    return p;
}

static void keep_point(struct session *s, struct point *p)
{
    p->number = ++s->numbered;
    s->point_count++;
}

/* ---- where ---- */

static void session_points_add_place(struct point *p, uint32_t node, uint32_t address)
{
    p->places = memory_grow(p->places, &p->place_room, p->place_count, sizeof *p->places);
    p->places[p->place_count++] = (struct session_place){node, address};
}

/* `function`, `file.c:12`, `12`, `*0x1a4`, of one node. */
static void session_points_find_places(struct session *s, struct point *p, uint32_t node, const char *where)
{
    const struct image *i = session_image(s->nodes[node]);
    const char *colon = strrchr(where, ':'), *digits = colon ? colon + 1 : where, *file = NULL;
    char name[SESSION_TEXT];
    unsigned here;
    if (*where == '*') {
        session_points_add_place(p, node, (uint32_t)strtoul(where + 1, NULL, 0));
        return;
    }
    uint32_t body;
    if (source_body(i, where, &body)) {
        session_points_add_place(p, node, body);
        return;
    }
    if (!isdigit((unsigned char)*digits) || (colon && colon > where && colon[-1] == ':'))
        return;
    if (colon) {
        snprintf(name, sizeof name, "%.*s", (int)(colon - where), where);
        file = name;
    } else if (!session_place(s, &file, &here)) {
        return;
    }
    uint32_t addresses[SESSION_LINE];
    unsigned line = (unsigned)strtoul(digits, NULL, 10);
    size_t count = image_line_places(i, file, &line, addresses, SESSION_LINE);
    for (size_t k = 0; k < count; k++)
        session_points_add_place(p, node, addresses[k]);
}

/* Takes " if CONDITION" and " node ID" off the end of what was typed. */
static bool take_clauses(struct session *s, char *where, struct point *p, bool *one, uint32_t *node)
{
    char *condition = strstr(where, " if ");
    if (condition) {
        snprintf(p->condition, sizeof p->condition, "%s", condition + 4);
        *condition = 0;
    }
    char *word = strstr(where, " node ");
    *one = word != NULL;
    if (word) {
        if (!session_find_node(s, word + 6, node)) {
            session_say(s, "there is no node '%s'; see nodes\n", word + 6);
            return false;
        }
        *word = 0;
    }
    for (size_t n = strlen(where); n > 0 && where[n - 1] == ' '; n--)
        where[n - 1] = 0;
    return true;
}

static void say_no_place(struct session *s, const char *where)
{
    const char *near[1];
    session_say(s, "there is no function or line '%s'", where);
    if (image_nearest_names(session_image(session_selected(s)), where, near, 1))
        session_say(s, "; did you mean %s?", near[0]);
    session_say(s, "\n");
}

static void say_point(struct session *s, const struct point *p)
{
    char place[SESSION_TEXT];
    const struct node *n = s->nodes[p->places[0].node];
    image_place(session_image(n), p->places[0].address, place, sizeof place);
    session_say(s, "%s %u at 0x%" PRIx32 ": %s%s\n", p->temporary ? "Temporary breakpoint" : "Breakpoint", p->number,
                p->places[0].address, place, p->place_count > 1 ? ", and other places" : "");
}

void session_points_break(struct session *s, const char *arguments, bool temporary)
{
    char where[SESSION_TEXT];
    bool one;
    uint32_t node = 0;
    snprintf(where, sizeof where, "%s", arguments);
    struct point *p = new_point(s, SESSION_BREAK, arguments);
    if (!p || !take_clauses(s, where, p, &one, &node))
        return;
    p->temporary = temporary;
    if (!*where)
        snprintf(where, sizeof where, "*0x%" PRIx32, session_pc(session_selected(s)));
    for (uint32_t i = 0; i < s->count; i++)
        if (!one || i == node)
            session_points_find_places(s, p, i, where);
    if (!p->place_count) {
        say_no_place(s, where);
        free(p->places);
        return;
    }
    keep_point(s, p);
    say_point(s, p);
}

bool session_points_resolve(struct session *s, const char *arguments, struct point *p)
{
    char where[SESSION_TEXT];
    bool one;
    uint32_t node = s->node, was = s->node;
    struct value_place place;
    struct motet_error e = {""};
    snprintf(where, sizeof where, "%s", arguments);
    if (!take_clauses(s, where, p, &one, &node))
        return false;
    s->node = node;
    bool found = value_locate(session_at(s), where, &place, &e);
    s->node = was;
    if (!found) {
        session_say(s, "%s\n", e.text);
        return false;
    }
    p->node = node;
    p->size = place.size;
    p->address = place.address;
    p->type = place.type;
    if (p->size && space_data(s->nodes[node], p->address, p->size, &p->first))
        return true;
    session_say(s, "'%s' is not in data memory; only what is there can be watched\n", where);
    return false;
}

void session_points_watch(struct session *s, const char *arguments, enum session_point_kind kind)
{
    static const char *const words[] = {"", "Watchpoint", "Read watchpoint", "Access watchpoint"};
    struct point *p = new_point(s, kind, arguments);
    if (!p || !session_points_resolve(s, arguments, p))
        return;
    keep_point(s, p);
    session_points_remember(s);
    session_say(s, "%s %u: %s\n", words[kind], p->number, p->text);
}

/* ---- as data ---- */

static bool session_points_wished(struct session *s, const struct session_wish *w, struct point *p,
                                  struct motet_error *e)
{
    snprintf(p->condition, sizeof p->condition, "%s", w->condition ? w->condition : "");
    if (w->condition && strlen(w->condition) >= sizeof p->condition)
        return error_set(e, "the condition is longer than %zu characters", sizeof p->condition - 1);
    for (size_t i = 0; i < w->place_count; i++)
        session_points_add_place(p, w->places[i].node, w->places[i].address);
    p->node = w->node;
    p->address = w->address;
    p->size = w->size;
    if (w->kind == SESSION_BREAK)
        return true;
    if (p->size && space_data(s->nodes[w->node], w->address, w->size, &p->first))
        return true;
    return error_set(e, "there is no data memory of %" PRIu32 " bytes at 0x%" PRIx32 "; only that can be watched",
                     w->size, w->address);
}

/* As many as a node can have; one more would be passed without a word. */
static bool session_points_room(const struct session *s, const struct session_wish *w, struct motet_error *e)
{
    unsigned watched = 0;
    for (unsigned i = 0; i < s->point_count; i++)
        watched += s->points[i].kind != SESSION_BREAK && s->points[i].node == w->node;
    if (s->point_count == SESSION_POINTS)
        return error_set(e, "there are %d breakpoints already; delete some", SESSION_POINTS);
    if (w->kind != SESSION_BREAK && watched == STOPS_WATCHES)
        return error_set(e, "the node has %d watchpoints already; delete some", STOPS_WATCHES);
    return true;
}

unsigned session_point_add(struct session *s, const struct session_wish *w, struct motet_error *e)
{
    struct point *p = session_points_room(s, w, e) ? new_point(s, w->kind, "") : NULL;
    if (!p)
        return 0;
    if (!session_points_wished(s, w, p, e)) {
        free(p->places);
        return 0;
    }
    keep_point(s, p);
    session_points_remember(s);
    return p->number;
}

void session_point_delete(struct session *s, unsigned number)
{
    for (unsigned i = s->point_count; i-- > 0;)
        if (s->points[i].number == number)
            session_points_drop(s, &s->points[i]);
}

/* ---- changing them ---- */

static struct point *numbered(struct session *s, const char *text)
{
    unsigned long number = strtoul(text, NULL, 10);
    for (unsigned i = 0; i < s->point_count; i++)
        if (s->points[i].number == number)
            return &s->points[i];
    session_say(s, "there is no breakpoint '%s'; see info breakpoints\n", text);
    return NULL;
}

void session_points_delete(struct session *s, const char *arguments)
{
    char word[SESSION_TEXT];
    while (!*arguments && s->point_count)
        session_points_drop(s, &s->points[s->point_count - 1]);
    for (size_t length; *arguments; arguments += length + strspn(arguments + length, " ")) {
        length = strcspn(arguments, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, arguments);
        struct point *p = numbered(s, word);
        if (p)
            session_points_drop(s, p);
    }
}

void session_points_condition_set(struct session *s, const char *arguments)
{
    size_t length = strcspn(arguments, " ");
    char number[SESSION_TEXT];
    snprintf(number, sizeof number, "%.*s", (int)length, arguments);
    struct point *p = numbered(s, number);
    if (!p)
        return;
    snprintf(p->condition, sizeof p->condition, "%s", arguments + length + strspn(arguments + length, " "));
    if (!p->condition[0])
        session_say(s, "Breakpoint %u now unconditional.\n", p->number);
}

void session_points_enable(struct session *s, const char *arguments, bool on)
{
    for (unsigned i = 0; i < s->point_count && !*arguments; i++)
        s->points[i].disabled = !on;
    struct point *p = *arguments ? numbered(s, arguments) : NULL;
    if (p)
        p->disabled = !on;
}

void session_points_list(struct session *s)
{
    static const char *const words[] = {"breakpoint", "watchpoint", "read watchpoint", "acc watchpoint"};
    if (!s->point_count)
        session_say(s, "No breakpoints or watchpoints.\n");
    for (unsigned i = 0; i < s->point_count; i++) {
        const struct point *p = &s->points[i];
        session_say(s, "%-3u %-15s %s%s%s", p->number, words[p->kind], p->text, p->temporary ? ", temporary" : "",
                    p->disabled ? ", disabled" : "");
        if (p->condition[0] && !strstr(p->text, " if "))
            session_say(s, ", if %s", p->condition);
        if (p->hits)
            session_say(s, ", hit %u time%s", p->hits, p->hits > 1 ? "s" : "");
        session_say(s, "\n");
    }
}
