#include "rewrite/poll.h"

#include <string.h>

#include "rewrite/assembly.h"

static bool is_loop(enum node_kind k)
{
    return k == NODE_WHILE || k == NODE_DO || k == NODE_FOR;
}

static int condition_of(const struct tree *t, int loop)
{
    switch (tree_at(t, loop)->kind) {
    case NODE_WHILE: return tree_child(t, loop, 0);
    case NODE_DO: return tree_child(t, loop, 1);
    default: return -1; /* the parts of a for cannot be told apart by counting */
    }
}

static int body_of(const struct tree *t, int loop)
{
    switch (tree_at(t, loop)->kind) {
    case NODE_WHILE: return tree_child(t, loop, 1);
    case NODE_DO: return tree_child(t, loop, 0);
    default: return -1;
    }
}

static bool does_nothing(struct tree *t, int node, const char *target)
{
    const struct tree_node *n = tree_at(t, node);
    if (n->kind == NODE_EMPTY || n->kind == NODE_CONTINUE)
        return true;
    if (n->kind == NODE_ASM) {
        size_t size;
        const char *text = tree_text(t, &size);
        struct assembly a;
        assembly_look(text + n->start, n->end - n->start, target, &a);
        return !a.sleeps && !a.enables && !a.loops && !a.reads && !a.returns && !a.calls[0];
    }
    if (n->kind != NODE_COMPOUND)
        return false;
    for (int child = n->child; child >= 0; child = tree_at(t, child)->next)
        if (!does_nothing(t, child, target))
            return false;
    return true;
}

static bool body_is_empty(struct tree *t, int loop, const char *target)
{
    int body = body_of(t, loop);
    return body >= 0 && does_nothing(t, body, target);
}

/* The condition with the read replaced by a value. False if it is not a pure function of it. */
static bool evaluate(struct tree *t, int node, int read, int64_t v, int64_t *result)
{
    const struct tree_node *n = tree_at(t, node);
    if (node == read) {
        *result = v;
        return true;
    }
    if (tree_constant(t, node, result))
        return true;
    int64_t a, b;
    switch (n->kind) {
    case NODE_PARENTHESES: return evaluate(t, n->child, read, v, result);
    case NODE_CAST:
        if (!n->integer || n->size > 4 || !evaluate(t, n->child, read, v, &a))
            return false;
        *result = n->boolean ? a != 0 : n->size >= 4 ? a : a & ((1ll << 8 * n->size) - 1);
        return !n->is_signed || *result < 1ll << (8 * n->size - 1);
    case NODE_UNARY:
        if ((n->operator!= OPERATOR_NOT && n->operator!= OPERATOR_COMPLEMENT) || !evaluate(t, n->child, read, v, &a))
            return false;
        *result = n->operator== OPERATOR_NOT ? !a : ~a;
        return true;
    case NODE_BINARY: break;
    default: return false;
    }
    if (!evaluate(t, n->child, read, v, &a) || !evaluate(t, tree_child(t, node, 1), read, v, &b))
        return false;
    switch (n->operator) {
    case OPERATOR_AND: *result = a & b; return true;
    case OPERATOR_OR: *result = a | b; return true;
    case OPERATOR_XOR: *result = a ^ b; return true;
    case OPERATOR_EQUAL: *result = a == b; return true;
    case OPERATOR_DIFFERENT: *result = a != b; return true;
    case OPERATOR_BOTH: *result = a && b; return true;
    case OPERATOR_EITHER: *result = a || b; return true;
    default: return false;
    }
}

static bool find_value(struct tree *t, int condition, int read, uint32_t live, bool wanted, uint32_t *found)
{
    for (int i = -2; i < 16; i++) {
        uint32_t v = i == -2 ? live : i == -1 ? 0 : live & 1u << i;
        int64_t result;
        if (!evaluate(t, condition, read, v, &result))
            return false;
        if ((result != 0) == wanted) {
            *found = v;
            return true;
        }
    }
    return false;
}

bool poll_at(struct tree *t, int read, uint32_t live, const char *target, struct poll *p)
{
    int above = read, loop = -1;
    while (above >= 0 && loop < 0) {
        int parent = tree_at(t, above)->parent;
        if (parent >= 0 && is_loop(tree_at(t, parent)->kind) && condition_of(t, parent) == above)
            loop = parent;
        else
            above = parent;
    }
    if (loop < 0 || !body_is_empty(t, loop, target))
        return false;
    return find_value(t, above, read, live, false, &p->leave) && find_value(t, above, read, live, true, &p->stay);
}
