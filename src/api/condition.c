#include "motet/condition.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/error.h"
#include "base/line.h"
#include "base/memory.h"
#include "debug/mention.h"
#include "debug/value.h"
#include "motet/timeline.h"
#include "motet/watch.h"

enum { CONDITION_TEXT = 1024 };

struct condition_change {
    uint64_t time;
    int64_t value;
};

struct condition_variable {
    motet_condition *condition;
    motet_node *node;
    uint32_t number; /* of the node */
    struct mention mention;
    uint32_t first, last; /* data addresses */
    int64_t value;        /* while the network runs: after the changes that were looked at */
    motet_tap *tap;
    struct condition_change *changes; /* not looked at; written from the node's thread */
    size_t count, room, at;
};

struct motet_condition {
    motet_network *network;
    char *text;
    struct condition_variable *variables;
    size_t count;
    bool held; /* after the changes that were looked at */
};

/* ---- values ---- */

static bool condition_read(const struct condition_variable *v, int64_t *number, struct motet_error *e)
{
    struct value_scope scope = {v->node->node, 0};
    struct value found;
    return (value_find(&scope, v->mention.object, &found, e) && value_number(&scope, &found, number, e)) ||
           error_prefix(e, "node %" PRIu32, v->mention.id);
}

/* With these values in the places of the variables. */
static bool condition_judge(const motet_condition *c, const int64_t *values, bool *holds, struct motet_error *e)
{
    char text[CONDITION_TEXT] = "";
    struct line l = {text, sizeof text, 0};
    const char *rest = c->text;
    assert(c->variables); /* a condition has at least one */
    for (size_t i = 0; i < c->count; i++) {
        const struct mention *m = &c->variables[i].mention;
        line_say(&l, "%.*s(%" PRId64 ")", (int)(m->begin - rest), rest, values[i]);
        rest = m->end;
    }
    line_say(&l, "%s", rest);
    if (l.length + 1 >= sizeof text)
        return error_set(e, "the condition is too long");
    struct value_scope scope = {c->variables[0].node->node, 0};
    struct value found;
    int64_t number;
    if (!value_find(&scope, text, &found, e) || !value_number(&scope, &found, &number, e))
        return false;
    *holds = number != 0;
    return true;
}

bool motet_condition_holds(const motet_condition *c, bool *holds, struct motet_error *e)
{
    int64_t *values = memory_array(c->count, sizeof *values);
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++)
        good = condition_read(&c->variables[i], &values[i], e);
    good = good && condition_judge(c, values, holds, e);
    free(values);
    return good;
}

/* ---- making ---- */

static bool condition_locate(struct condition_variable *v, struct motet_error *e)
{
    enum motet_memory memory;
    uint32_t address, size;
    const struct mention *m = &v->mention;
    if (strstr(m->object, "->"))
        return error_set(e, "node[%" PRIu32 "].%s: pointers cannot be followed", m->id, m->object);
    for (const char *at = strchr(m->object, '['); at; at = strchr(at + 1, '['))
        if (!isdigit((unsigned char)at[1]))
            return error_set(e, "node[%" PRIu32 "].%s: an index must be a number", m->id, m->object);
    if (!motet_node_named(v->node, 0, m->object, &address, &size, e))
        return error_prefix(e, "node %" PRIu32, m->id);
    if (!size || !motet_node_locate(v->node, address, size, &memory, &v->first) || memory != MOTET_MEMORY_DATA)
        return error_set(e, "node[%" PRIu32 "].%s is not in data memory", m->id, m->object);
    v->last = v->first + size - 1;
    return true;
}

static bool condition_add(motet_condition *c, const struct mention *m, struct motet_error *e)
{
    uint32_t number = 0, count = (uint32_t)motet_network_count(c->network);
    while (number < count && motet_node_id(motet_network_at(c->network, number)) != m->id)
        number++;
    if (number == count)
        return error_set(e, "there is no node %" PRIu32, m->id);
    c->variables = memory_resize(c->variables, c->count + 1, sizeof *c->variables);
    struct condition_variable *v = &c->variables[c->count++];
    *v = (struct condition_variable){.node = motet_network_at(c->network, number), .number = number, .mention = *m};
    return condition_locate(v, e);
}

/* A variable without its node would be read and not watched. */
static bool condition_names_nodes(const motet_condition *c, struct motet_error *e)
{
    const char *rest = c->text;
    for (size_t i = 0; i <= c->count; i++) {
        const char *end = i < c->count ? c->variables[i].mention.begin : rest + strlen(rest);
        for (; rest < end; rest++) {
            if (isalpha((unsigned char)*rest) && (rest == c->text || !isalnum((unsigned char)rest[-1])))
                return error_set(e, "which node's %.*s? write node[ID].NAME", (int)strcspn(rest, " ()+-*/<>=&|!"),
                                 rest);
        }
        rest = i < c->count ? c->variables[i].mention.end : rest;
    }
    return c->count || error_set(e, "'%s' names no node; write node[ID].NAME, as in node[5].cost > 10", c->text);
}

motet_condition *motet_condition_new(motet_network *n, const char *text, struct motet_error *e)
{
    motet_condition *c = memory_new(sizeof *c);
    *c = (motet_condition){.network = n, .text = memory_string(text)};
    bool good = true;
    struct mention m;
    for (const char *at = c->text; good && mention_find(at, &m); at = m.end)
        good = condition_add(c, &m, e);
    if (good && condition_names_nodes(c, e) && motet_condition_holds(c, &c->held, e))
        return c;
    motet_condition_free(c);
    return NULL;
}

void motet_condition_free(motet_condition *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++) {
        motet_tap_remove(c->variables[i].tap);
        free(c->variables[i].changes);
    }
    free(c->variables);
    free(c->text);
    free(c);
}

const char *motet_condition_text(const motet_condition *c)
{
    return c->text;
}

bool motet_condition_place(const motet_condition *c, size_t number, uint32_t *node, uint32_t *first, uint32_t *last)
{
    if (number >= c->count)
        return false;
    const struct condition_variable *v = &c->variables[number];
    *node = v->number;
    *first = v->first;
    *last = v->last;
    return true;
}

/* ---- while the network runs ---- */

static bool condition_changes(void *variable, const motet_node *n)
{
    struct condition_variable *v = variable;
    struct motet_error e;
    int64_t value;
    if (!condition_read(v, &value, &e))
        return true;
    v->changes = memory_grow(v->changes, &v->room, v->count, sizeof *v->changes);
    v->changes[v->count++] =
        (struct condition_change){motet_network_time(v->condition->network, n, motet_node_now(n)), value};
    motet_node_stop(n);
    return true;
}

static void condition_cannot_fail(void *context, const motet_node *n, uint32_t pc)
{
    (void)context, (void)n, (void)pc;
}

bool motet_condition_follow(motet_condition *c, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++) {
        struct condition_variable *v = &c->variables[i];
        v->condition = c;
        v->tap = motet_assert(v->node, v->mention.object, condition_changes, condition_cannot_fail, v, e);
        good = v->tap && condition_read(v, &v->value, e);
    }
    return good;
}

bool motet_condition_changed(const motet_condition *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->variables[i].at < c->variables[i].count)
            return true;
    return false;
}

/* The variable that changed first; of several at one time, that of the first node. NULL: there are no more changes. */
static struct condition_variable *condition_first(motet_condition *c)
{
    struct condition_variable *first = NULL;
    for (size_t i = 0; i < c->count; i++) {
        struct condition_variable *v = &c->variables[i];
        if (v->at == v->count)
            continue;
        uint64_t time = v->changes[v->at].time;
        if (!first || time < first->changes[first->at].time ||
            (time == first->changes[first->at].time && v->number < first->number))
            first = v;
    }
    return first;
}

static bool condition_judge_kept(const motet_condition *c)
{
    struct motet_error e;
    bool holds = false;
    int64_t *values = memory_array(c->count, sizeof *values);
    for (size_t i = 0; i < c->count; i++)
        values[i] = c->variables[i].value;
    bool known = condition_judge(c, values, &holds, &e); /* not where it divides by zero */
    free(values);
    return known && holds;
}

bool motet_condition_next(motet_condition *c, uint64_t *time, uint32_t *node)
{
    for (struct condition_variable *v; (v = condition_first(c));) {
        bool held = c->held;
        *time = v->changes[v->at].time;
        *node = v->mention.id;
        v->value = v->changes[v->at++].value;
        if (v->at == v->count)
            v->at = v->count = 0;
        c->held = condition_judge_kept(c);
        if (c->held && !held)
            return true;
    }
    return false;
}
