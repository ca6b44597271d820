#include "rewrite/live.h"

enum { DEEPEST = 8 }; /* variables that a value is followed through */

static uint32_t all_of(unsigned size)
{
    return size >= 4 ? UINT32_MAX : (1u << 8 * size) - 1;
}

/* Where a value is used: the nearest parent that is not a pair of parentheses, and the child of it that holds the
 * value. */
static int user_of(const struct tree *t, int node, int *child)
{
    *child = node;
    int above = tree_at(t, node)->parent;
    while (above >= 0 && tree_at(t, above)->kind == NODE_PARENTHESES) {
        *child = above;
        above = tree_at(t, above)->parent;
    }
    return above;
}

/* Whether the value of the expression is not used. */
static bool unused(const struct tree *t, int node)
{
    int child, above = user_of(t, node, &child);
    if (above < 0)
        return false;
    const struct tree_node *a = tree_at(t, above);
    if (a->kind == NODE_COMPOUND) /* but the last of ({ ... }) is its value */
        return tree_at(t, child)->next >= 0 || a->parent < 0 || tree_at(t, a->parent)->kind != NODE_OTHER;
    if (a->kind == NODE_BINARY && a->operator== OPERATOR_COMMA)
        return child == a->child || unused(t, above);
    if (a->kind == NODE_CONDITIONAL) /* Arduino's bitWrite chooses between two operations */
        return child != a->child && unused(t, above);
    if (a->kind == NODE_IF || a->kind == NODE_WHILE || a->kind == NODE_SWITCH)
        return child != tree_child(t, above, 0);
    if (a->kind == NODE_DO)
        return child == tree_child(t, above, 0);
    if (a->kind == NODE_CASE)
        return tree_at(t, child)->next < 0;
    return a->kind == NODE_LABEL || (a->kind == NODE_CAST && a->is_void);
}

/* Whether a reference is made to it, or to what it is chosen for. */
static bool is_bound(const struct tree *t, int node)
{
    int child, above = user_of(t, node, &child);
    if (tree_at(t, node)->is_bound || tree_at(t, child)->is_bound)
        return true;
    bool chosen = above >= 0 && tree_at(t, above)->kind == NODE_CONDITIONAL && tree_at(t, above)->child != child;
    return chosen && is_bound(t, above);
}

enum use live_use(const struct tree *t, int lvalue)
{
    int child, above = user_of(t, lvalue, &child);
    if (above < 0)
        return USE_READ;
    if (is_bound(t, lvalue))
        return USE_ADDRESS;
    const struct tree_node *a = tree_at(t, above);
    switch (a->kind) {
    case NODE_BINARY:
        if (a->operator== OPERATOR_ASSIGN && a->child == child)
            return USE_WRITE;
        break;
    case NODE_ASSIGN_OPERATION:
        if (a->child == child)
            return unused(t, above) ? USE_UPDATE : USE_READ;
        break;
    case NODE_UNARY:
        if (a->operator== OPERATOR_ADDRESS)
            return USE_ADDRESS;
        if (a->operator== OPERATOR_STEP)
            return unused(t, above) ? USE_UPDATE : USE_READ;
        break;
    case NODE_SIZEOF: return USE_NONE;
    default: break;
    }
    return unused(t, lvalue) ? USE_NONE : USE_READ;
}

/* A value on its way: bit i of it is bit i + shift of what was read. */
struct value {
    uint32_t live; /* bits of what was read that are still in it */
    int shift;
    bool negative;  /* can be: its highest bit then stands for all above it */
    unsigned width; /* bits, where it can be negative */
};

static uint32_t live_moved(uint32_t bits, int shift)
{
    if (shift >= 32 || shift <= -32)
        return 0;
    return shift >= 0 ? bits << shift : bits >> -shift;
}

/* The value becomes one of that type. */
static void live_convert(struct value *v, const struct tree_node *type)
{
    v->live &= live_moved(all_of(type->size), v->shift);
    if (type->is_signed && live_moved(v->live, -v->shift) >> (8 * type->size - 1) & 1) {
        v->negative = true;
        v->width = 8u * type->size;
    }
}

static uint32_t live_follow(struct tree *t, int node, struct value v, int depth);

static bool is_bitwise(const struct tree_node *n)
{
    return n->operator== OPERATOR_OR || n->operator== OPERATOR_XOR || n->operator== OPERATOR_AND;
}

/* Into a variable: what its readers need, of all values it is ever given. */
static uint32_t into_variable(struct tree *t, int declaration, struct value v, int depth)
{
    if (declaration < 0 || depth == DEEPEST)
        return v.live;
    const struct tree_node *d = tree_at(t, declaration);
    int function = tree_function(t, declaration);
    if ((d->kind != NODE_VARIABLE && d->kind != NODE_PARAMETER) || function < 0 || d->is_static || d->is_extern ||
        d->is_volatile || !d->integer || d->boolean)
        return v.live;
    live_convert(&v, d);
    uint32_t wanted = 0;
    uint32_t end = tree_at(t, function)->end;
    for (size_t i = (size_t)declaration + 1; i < tree_count(t) && tree_at(t, (int)i)->start < end; i++) {
        const struct tree_node *n = tree_at(t, (int)i);
        if (n->kind != NODE_REFERENCE || n->declaration != declaration)
            continue;
        int child, above = user_of(t, (int)i, &child);
        const struct tree_node *a = tree_at(t, above);
        if (a->kind == NODE_ASM || a->kind == NODE_OTHER)
            return v.live;
        switch (live_use(t, (int)i)) {
        case USE_READ: wanted |= live_follow(t, (int)i, v, depth + 1); break;
        case USE_UPDATE: /* bit by bit it stays in the variable, whose readers are all looked at */
            if (a->kind != NODE_ASSIGN_OPERATION || !is_bitwise(a))
                wanted |= v.live;
            break;
        case USE_ADDRESS: return v.live;
        case USE_WRITE:
        case USE_NONE: break;
        }
    }
    return wanted;
}

/* Compared with a constant: x < C is decided without the bits below the lowest one of C, since these are zero in it;
 * and x <= C is x < C + 1. */
static uint32_t live_compared(struct value v, enum operator operator, bool left, int64_t c)
{
    bool next =
        left ? operator== OPERATOR_AT_MOST || operator== OPERATOR_GREATER : operator== OPERATOR_LESS || operator==
                                                                            OPERATOR_AT_LEAST;
    uint32_t bound = (uint32_t)c + next;
    if (v.negative || c < 0 || c >= UINT32_MAX || !bound)
        return v.live;
    return v.live & ~live_moved((bound & -bound) - 1, v.shift);
}

static uint32_t through_binary(struct tree *t, int above, int child, struct value v, int depth)
{
    const struct tree_node *a = tree_at(t, above);
    bool left = a->child == child;
    int other = left ? tree_child(t, above, 1) : a->child;
    int64_t c = 0;
    bool constant = other >= 0 && tree_constant(t, other, &c);
    switch (a->operator) {
    case OPERATOR_AND:
        if (!constant)
            return v.live;
        if (v.negative && (c < 0 || c >> (v.width - 1)))
            return v.live;
        v.negative = false;
        v.live &= live_moved((uint32_t)c, v.shift);
        return live_follow(t, above, v, depth);
    case OPERATOR_OR:
        if (!constant || v.negative)
            return live_follow(t, above, v, depth);
        v.live &= ~live_moved((uint32_t)c, v.shift);
        return live_follow(t, above, v, depth);
    case OPERATOR_XOR: return live_follow(t, above, v, depth);
    case OPERATOR_LEFT:
    case OPERATOR_RIGHT:
        if (!left || !constant || c < 0 || c > 31 || v.negative)
            return v.live;
        v.shift += a->operator== OPERATOR_RIGHT ? (int)c : -(int) c;
        v.live &= live_moved(UINT32_MAX, v.shift);
        return live_follow(t, above, v, depth);
    case OPERATOR_LESS:
    case OPERATOR_AT_MOST:
    case OPERATOR_GREATER:
    case OPERATOR_AT_LEAST: return constant ? live_compared(v, a->operator, left, c) : v.live;
    case OPERATOR_COMMA: return left ? 0 : live_follow(t, above, v, depth);
    case OPERATOR_ASSIGN: {
        if (left)
            return v.live;
        const struct tree_node *to = tree_at(t, a->child);
        uint32_t wanted = unused(t, above) ? 0 : live_follow(t, above, v, depth);
        if (to->kind == NODE_REFERENCE)
            return wanted | into_variable(t, to->declaration, v, depth);
        return to->integer && to->size && !to->boolean ? v.live & live_moved(all_of(to->size), v.shift) : v.live;
    }
    default: return v.live;
    }
}

/* x |= value and the like: bit by bit. */
static uint32_t through_update(struct tree *t, int above, int child, struct value v, int depth)
{
    const struct tree_node *a = tree_at(t, above);
    if (a->child == child || !is_bitwise(a) || v.negative || depth == DEEPEST)
        return v.live;
    const struct tree_node *to = tree_at(t, tree_inner(t, a->child));
    if (to->kind != NODE_REFERENCE || !unused(t, above))
        return v.live;
    return into_variable(t, to->declaration, v, depth + 1);
}

static int live_definition_of(const struct tree *t, int declaration)
{
    for (size_t i = declaration < 0 ? tree_count(t) : (size_t)declaration; i < tree_count(t); i++) {
        const struct tree_node *n = tree_at(t, (int)i);
        int last = n->kind == NODE_FUNCTION && n->declaration == declaration ? tree_last_child(t, (int)i) : -1;
        if (last >= 0 && tree_at(t, last)->kind == NODE_COMPOUND)
            return (int)i;
    }
    return -1;
}

/* Given to a function of this file that no other can take the place of: what it does with its parameter. */
static uint32_t into_call(struct tree *t, int call, int child, struct value v, int depth)
{
    int function = depth == DEEPEST ? -1 : live_definition_of(t, tree_at(t, call)->declaration);
    if (function < 0 || !tree_at(t, function)->is_static || tree_at(t, call)->child == child)
        return v.live;
    int parameter = tree_at(t, function)->child;
    for (int argument = tree_child(t, call, 1); parameter >= 0; parameter = tree_at(t, parameter)->next) {
        if (tree_at(t, parameter)->kind != NODE_PARAMETER)
            continue;
        if (argument == child)
            return into_variable(t, parameter, v, depth + 1);
        argument = argument < 0 ? -1 : tree_at(t, argument)->next;
    }
    return v.live;
}

/* The result of a function that only this file can call: what is done with it at its calls. */
static uint32_t out_of_function(struct tree *t, int node, struct value v, int depth)
{
    const struct tree_node *f = tree_at(t, tree_function(t, node));
    uint32_t wanted = 0;
    if (depth == DEEPEST || !f->is_static || f->declaration < 0)
        return v.live;
    for (size_t i = 0; i < tree_count(t); i++) {
        const struct tree_node *n = tree_at(t, (int)i);
        if (n->kind != NODE_REFERENCE || n->declaration != f->declaration)
            continue;
        int call = tree_above(t, (int)i);
        const struct tree_node *c = call < 0 ? NULL : tree_at(t, call);
        if (!c || c->kind != NODE_CALL || tree_inner(t, c->child) != (int)i || !c->integer || c->boolean || !c->size)
            return v.live;
        struct value result = v;
        live_convert(&result, c);
        wanted |= unused(t, call) ? 0 : live_follow(t, call, result, depth + 1);
    }
    return wanted;
}

static uint32_t live_follow(struct tree *t, int node, struct value v, int depth)
{
    int child, above = user_of(t, node, &child);
    if (above < 0 || !v.live)
        return v.live;
    const struct tree_node *a = tree_at(t, above);
    switch (a->kind) {
    case NODE_CAST:
        if (a->is_void)
            return 0;
        if (!a->integer || a->boolean || !a->size)
            return v.live;
        live_convert(&v, a);
        return live_follow(t, above, v, depth);
    case NODE_BINARY: return through_binary(t, above, child, v, depth);
    case NODE_UNARY: return a->operator== OPERATOR_COMPLEMENT ? live_follow(t, above, v, depth) : v.live;
    case NODE_CONDITIONAL: return a->child == child ? v.live : live_follow(t, above, v, depth);
    case NODE_VARIABLE: return into_variable(t, above, v, depth);
    case NODE_ASSIGN_OPERATION: return through_update(t, above, child, v, depth);
    case NODE_CALL: return into_call(t, above, child, v, depth);
    case NODE_RETURN: return out_of_function(t, above, v, depth);
    default: return unused(t, node) ? 0 : v.live;
    }
}

uint32_t live_bits(struct tree *t, int expression, unsigned size)
{
    struct value v = {.live = all_of(size)};
    live_convert(&v, tree_at(t, expression));
    return live_follow(t, expression, v, 0);
}
