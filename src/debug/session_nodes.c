/* Expressions over several nodes. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/line.h"
#include "debug/mention.h"
#include "debug/session_internal.h"

bool session_nodes_named(const char *expression)
{
    struct mention m;
    return mention_find(expression, &m);
}

static bool nodes_value(struct session *s, const struct mention *m, int64_t *number, struct motet_error *e)
{
    char id[16];
    uint32_t node;
    struct value v;
    snprintf(id, sizeof id, "%" PRIu32, m->id);
    if (!session_find_node(s, id, &node))
        return error_set(e, "there is no node %s; see nodes", id);
    struct value_scope scope = {s->nodes[node], 0};
    return (value_find(&scope, m->object, &v, e) && value_number(&scope, &v, number, e)) ||
           error_prefix(e, "node %s", id);
}

bool session_nodes_expand(struct session *s, const char *expression, char *text, size_t size, struct motet_error *e)
{
    struct line l = {text, size, 0};
    text[0] = '\0';
    for (struct mention m; mention_find(expression, &m); expression = m.end) {
        int64_t number;
        if (!nodes_value(s, &m, &number, e))
            return false;
        line_say(&l, "%.*s(%" PRId64 ")", (int)(m.begin - expression), expression, number);
    }
    line_say(&l, "%s", expression);
    return l.length + 1 < size || error_set(e, "the expression is too long");
}
