#include "rewrite/pairs.h"

#include "rewrite/live.h"

enum { BYTE = 0xff };

/* A read of a register at a fixed address, whole, that has no effect and takes one instruction; `class`: of these. */
static bool pairs_is_read(const struct pass *p, int node, enum register_class class, struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    return pass_is_register(p, node, at) && !pass_is_unevaluated(p, node) && !p->quiet[node] &&
           live_use(p->t, node) == USE_READ && at->in_file && !at->computed && !at->shift && at->is.class == class &&
           !at->is.acts && at->is.size == 1 && n->size == 1 && n->kind != NODE_MEMBER;
}

/* `t = TCNT0;`: the read, -1 if the statement is another. */
static int pairs_first(const struct pass *p, int statement, struct place *at)
{
    const struct tree_node *n = tree_at(p->t, statement);
    if (n->kind != NODE_BINARY || n->operator!= OPERATOR_ASSIGN)
        return -1;
    int to = tree_inner(p->t, tree_child(p->t, statement, 0)), from = tree_inner(p->t, tree_child(p->t, statement, 1));
    const struct tree_node *v = tree_at(p->t, to);
    if (v->kind != NODE_REFERENCE || v->declaration < 0 || v->is_volatile || v->is_reference || !v->integer ||
        tree_function(p->t, v->declaration) < 0)
        return -1;
    return pairs_is_read(p, from, REGISTER_TIMER, at) ? from : -1;
}

/* What a condition evaluates first, if that is a read. */
static int pairs_second(const struct pass *p, int statement, struct place *at)
{
    int node = tree_at(p->t, statement)->kind == NODE_IF ? tree_child(p->t, statement, 0) : -1;
    for (; node >= 0; node = tree_at(p->t, node)->child) {
        if (pairs_is_read(p, node, REGISTER_STATE, at))
            return node;
        enum node_kind kind = tree_at(p->t, node)->kind;
        enum operator o = tree_at(p->t, node)->operator;
        int64_t value;
        bool first =
            kind == NODE_PARENTHESES || kind == NODE_CAST || (kind == NODE_UNARY && o == OPERATOR_NOT) ||
            (kind == NODE_BINARY && (o == OPERATOR_BOTH || o == OPERATOR_EITHER)) ||
            (kind == NODE_BINARY && o == OPERATOR_AND && tree_constant(p->t, tree_child(p->t, node, 1), &value));
        if (!first)
            return -1;
    }
    return -1;
}

/* Both are read where the first stands; what stood there is not evaluated any more. */
static void pairs_write(struct pass *p, int statement, int first, const struct place *timer, int second,
                        const struct place *flags)
{
    const struct tree_node *s = tree_at(p->t, statement), *one = tree_at(p->t, first), *two = tree_at(p->t, second);
    uint32_t flag = live_bits(p->t, second, 1) & flags->is.bits, dead = flags->is.bits & ~flag & BYTE;
    uint32_t live = timer->is.bits | flag << 8;
    edits_add(&p->edits, s->start, EDIT_OPEN, "unsigned int motet_pair_%d;", second);
    edits_add(&p->edits, one->start, EDIT_OPEN, "(0?(");
    edits_add(&p->edits, one->end, EDIT_CLOSE,
              "):(unsigned char)(motet_pair_%d=motet_read16(({register unsigned int motet_v "
              "__asm__(\"r24\");__asm__ __volatile__(\"lds %%A0,%%1\\n\\tlds %%B0,%%2\":\"=r\"(motet_v):\"n\"(0x%x),"
              "\"n\"(0x%x));motet_v;})&0x%x,0x%x,%s)))",
              second, (unsigned)timer->address, (unsigned)flags->address, 0xffff & ~(dead << 8), (unsigned)live,
              pass_site(p, first, timer->name, timer->is.class, live, "a timer, read with its flag"));
    edits_add(&p->edits, two->start, EDIT_OPEN, "(0?(");
    edits_add(&p->edits, two->end, EDIT_CLOSE, "):(unsigned char)(motet_pair_%d>>8))", second);
    p->quiet[first] = p->quiet[second] = true;
}

void pairs_find(struct pass *p)
{
    for (int i = 0; pass_is_avr(p) && i < (int)tree_count(p->t); i++) {
        struct place timer, flags;
        const struct tree_node *n = tree_at(p->t, i);
        int function = n->kind == NODE_BINARY ? tree_function(p->t, i) : -1;
        if (function < 0 || n->next < 0 || n->parent < 0 || tree_at(p->t, n->parent)->kind != NODE_COMPOUND ||
            !pass_is_in_use(p, function))
            continue;
        int first = pairs_first(p, i, &timer), second = first < 0 ? -1 : pairs_second(p, n->next, &flags);
        if (second >= 0 && (live_bits(p->t, second, 1) & flags.is.bits))
            pairs_write(p, i, first, &timer, second, &flags);
    }
}
