#include "rewrite/expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEEPEST = 64 };

struct reader {
    const struct constants *known;
    const char *at;
    unsigned depth;
};

static int64_t expression_sum(struct reader *r, unsigned level, bool *good);

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static int64_t expression_name(struct reader *r, bool *good)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_' || r->at[n] == '.' || r->at[n] == '$')
        n++;
    for (size_t i = r->known->count; i-- > 0;) /* the last one counts */
        if (strlen(r->known->list[i].name) == n && strncmp(r->known->list[i].name, r->at, n) == 0) {
            r->at += n;
            return r->known->list[i].value;
        }
    *good = false;
    return 0;
}

static int64_t term(struct reader *r, bool *good)
{
    blanks(r);
    if (++r->depth > DEEPEST)
        *good = false;
    int64_t value = 0;
    char c = *r->at;
    if (!*good) {
        ;
    } else if (c == '(') {
        r->at++;
        value = expression_sum(r, 0, good);
        blanks(r);
        *good = *good && *r->at == ')';
        r->at += *good;
    } else if (c == '-' || c == '~') {
        r->at++;
        value = term(r, good);
        value = c == '-' ? -value : ~value;
    } else if (isdigit((unsigned char)c)) {
        char *end;
        bool binary = c == '0' && (r->at[1] == 'b' || r->at[1] == 'B');
        value = (int64_t)strtoull(r->at + (binary ? 2 : 0), &end, binary ? 2 : 0);
        *good = !isalnum((unsigned char)*end);
        r->at = end;
    } else {
        value = expression_name(r, good);
    }
    r->depth--;
    return value;
}

/* What binds less is of a lower level. */
static bool expression_operator_at(const struct reader *r, unsigned level, char *which)
{
    static const char *const levels[] = {"|", "^", "&", "<>", "+-", "*"};
    *which = *r->at;
    if (!*which || !strchr(levels[level], *which))
        return false;
    return *which != '<' && *which != '>' ? true : r->at[1] == *which;
}

static int64_t expression_apply(char which, uint64_t a, uint64_t b)
{
    switch (which) {
    case '|': return (int64_t)(a | b);
    case '^': return (int64_t)(a ^ b);
    case '&': return (int64_t)(a & b);
    case '<': return (int64_t)(a << (b & 63));
    case '>': return (int64_t)(a >> (b & 63));
    case '+': return (int64_t)(a + b);
    case '-': return (int64_t)(a - b);
    default: return (int64_t)(a * b);
    }
}

static int64_t expression_sum(struct reader *r, unsigned level, bool *good)
{
    enum { LEVELS = 6 };
    if (level == LEVELS)
        return term(r, good);
    int64_t value = expression_sum(r, level + 1, good);
    char which;
    for (blanks(r); *good && expression_operator_at(r, level, &which); blanks(r)) {
        r->at += which == '<' || which == '>' ? 2 : 1;
        value = expression_apply(which, (uint64_t)value, (uint64_t)expression_sum(r, level + 1, good));
    }
    return value;
}

bool expression_value(const struct constants *c, const char *text, int64_t *value)
{
    struct reader r = {.known = c, .at = text};
    bool good = true;
    *value = expression_sum(&r, 0, &good);
    blanks(&r);
    return good && !*r.at && *text;
}

void constants_define(struct constants *c, const char *name, size_t length, int64_t value)
{
    c->list = memory_resize(c->list, c->count + 1, sizeof *c->list);
    struct constant *one = &c->list[c->count++];
    snprintf(one->name, sizeof one->name, "%.*s", (int)length, name);
    one->value = value;
}

void constants_free(struct constants *c)
{
    free(c->list);
    *c = (struct constants){0};
}
