#include "monitor/sampler.h"

struct followed {
    struct sampler *sampler;
    const char *expression;
    unsigned bits;
    bool seen;
    double last;
};

struct sampler {
    sampler_callback *reported;
    void *context;
    struct followed *list; /* of fixed size while taps know its elements */
    size_t count;
};

static bool is_number(const struct motet_value *v)
{
    return v->kind == MOTET_VALUE_INTEGER || v->kind == MOTET_VALUE_ENUM || v->kind == MOTET_VALUE_REAL ||
           v->kind == MOTET_VALUE_POINTER;
}

/* Asked after each change, as an assertion that always holds. */
static bool sampler_take(void *context, const motet_node *n)
{
    struct followed *f = context;
    struct motet_value v;
    struct motet_error ignored;
    if (!motet_node_value(n, f->expression, &v, &ignored) || !is_number(&v))
        return true; /* a pointer on the way leads nowhere now */
    double value = v.kind == MOTET_VALUE_REAL ? v.real : (double)v.number;
    if (f->seen && value == f->last)
        return true;
    f->seen = true;
    f->last = value;
    f->sampler->reported(f->sampler->context, (size_t)(f - f->sampler->list), motet_node_now(n), value);
    return true;
}

static void never(void *context, const motet_node *n, uint32_t pc)
{
    (void)context, (void)n, (void)pc;
}

static bool sampler_follow(struct followed *f, motet_node *n, struct motet_error *e)
{
    struct motet_value v;
    bool named = motet_node_value(n, f->expression, &v, e);
    if (named && !is_number(&v))
        return monitor_sentence(e, "%.100s is %s, not a number; name one of its %s", f->expression,
                                v.kind == MOTET_VALUE_ARRAY ? "an array" : "a struct",
                                v.kind == MOTET_VALUE_ARRAY ? "elements" : "members");
    if (!named && strstr(e->text, "null pointer"))
        return monitor_sentence(e,
                                "%.100s: a pointer on the way is null before the firmware has run; name what it will "
                                "point to, or watch it from a script",
                                f->expression);
    if (!named && !strstr(f->expression, "::"))
        return false;
    f->bits = named && v.kind != MOTET_VALUE_REAL ? v.bits ? v.bits : 8 * v.size : 0;
    return motet_assert(n, f->expression, sampler_take, never, f, e) != NULL;
}

struct sampler *sampler_of(motet_node *n, const char *const *expressions, size_t count, sampler_callback *reported,
                           void *context, struct motet_error *e)
{
    struct sampler *s = memory_new(sizeof *s);
    s->reported = reported;
    s->context = context;
    s->count = count;
    s->list = memory_array(count + 1, sizeof *s->list);
    for (size_t i = 0; i < count; i++) {
        s->list[i] = (struct followed){.sampler = s, .expression = expressions[i]};
        if (!sampler_follow(&s->list[i], n, e)) {
            sampler_free(s);
            return NULL;
        }
    }
    return s;
}

struct sampler *sampler_new(const struct monitor_site *site, const char *name, sampler_callback *reported,
                            void *context, struct motet_error *e)
{
    const char **expressions = NULL, *expression;
    size_t count = 0, room = 0;
    while ((expression = monitor_option_at(site, name, count))) {
        expressions = memory_grow(expressions, &room, count, sizeof *expressions);
        expressions[count++] = expression;
    }
    struct sampler *s = sampler_of(site->node, expressions, count, reported, context, e);
    free(expressions);
    return s;
}

void sampler_free(struct sampler *s)
{
    if (!s)
        return;
    free(s->list);
    free(s);
}

size_t sampler_count(const struct sampler *s)
{
    return s->count;
}

const char *sampler_name(const struct sampler *s, size_t number)
{
    return s->list[number].expression;
}

unsigned sampler_bits(const struct sampler *s, size_t number)
{
    return s->list[number].bits;
}
