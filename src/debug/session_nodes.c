/* Expressions over several nodes: node[5].cost stands for the value of `cost` on the node with id 5. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/line.h"
#include "debug/session_internal.h"

static const char nodes_word[] = "node[";

/* The next mention of a node, or NULL. */
static const char *nodes_mention(const char *text)
{
    for (const char *at = text; (at = strstr(at, nodes_word)); at++) {
        const char *id = at + strlen(nodes_word);
        size_t digits = strspn(id, "0123456789");
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (begins && digits && !strncmp(id + digits, "].", 2))
            return at;
    }
    return NULL;
}

bool session_nodes_named(const char *expression)
{
    return nodes_mention(expression) != NULL;
}

/* The length of names, members and elements from here on. */
static size_t nodes_object(const char *text)
{
    size_t at = 0;
    for (unsigned brackets = 0; text[at]; at++) {
        brackets += text[at] == '[';
        if (text[at] == ']' && brackets)
            brackets--;
        else if (text[at] == '-' && text[at + 1] == '>')
            at++;
        else if (!brackets && !isalnum((unsigned char)text[at]) && !strchr("_.[", text[at]))
            break;
    }
    return at;
}

static bool nodes_value(struct session *s, const char *mention, const char **end, int64_t *number,
                        struct motet_error *e)
{
    const char *id = mention + strlen(nodes_word), *object = strchr(id, '.') + 1;
    size_t length = nodes_object(object);
    char name[SESSION_TEXT], digits[SESSION_TEXT];
    uint32_t node;
    struct value v;
    snprintf(digits, sizeof digits, "%.*s", (int)strspn(id, "0123456789"), id);
    snprintf(name, sizeof name, "%.*s", (int)length, object);
    *end = object + length;
    if (!session_find_node(s, digits, &node))
        return error_set(e, "there is no node %s; see nodes", digits);
    struct value_scope scope = {s->nodes[node], 0};
    return (value_find(&scope, name, &v, e) && value_number(&scope, &v, number, e)) ||
           error_prefix(e, "node %s", digits);
}

bool session_nodes_expand(struct session *s, const char *expression, char *text, size_t size, struct motet_error *e)
{
    struct line l = {text, size, 0};
    text[0] = '\0';
    for (const char *mention; (mention = nodes_mention(expression));) {
        int64_t number;
        line_say(&l, "%.*s", (int)(mention - expression), expression);
        if (!nodes_value(s, mention, &expression, &number, e))
            return false;
        line_say(&l, "(%" PRId64 ")", number);
    }
    line_say(&l, "%s", expression);
    return l.length + 1 < size || error_set(e, "the expression is too long");
}
