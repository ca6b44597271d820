#include "rewrite/unset.h"

enum { MOST_LEVELS = 8 }; /* of calls that pass a pointer on */

/* What statements do with what a parameter leads to, before they end. */
enum unset_doing { UNSET_NOTHING, UNSET_WRITES, UNSET_LEAVES /* they may, before it is written */ };

static enum unset_doing unset_do(const struct pass *p, int statement, int parameter, unsigned level);

static bool unset_is(const struct pass *p, int node, int declaration)
{
    while (node >= 0 && (tree_at(p->t, node)->kind == NODE_CAST || tree_at(p->t, node)->kind == NODE_PARENTHESES))
        node = tree_last_child(p->t, node);
    return node >= 0 && tree_at(p->t, node)->kind == NODE_REFERENCE && tree_at(p->t, node)->declaration == declaration;
}

static int unset_end(const struct pass *p, int node)
{
    int i = node + 1;
    while (i < (int)tree_count(p->t) && tree_at(p->t, i)->start < tree_at(p->t, node)->end)
        i++;
    return i;
}

/* Whether a node of that kind is in it. */
static bool unset_has(const struct pass *p, int node, enum node_kind kind)
{
    for (int i = node, end = unset_end(p, node); i < end; i++)
        if (tree_at(p->t, i)->kind == kind)
            return true;
    return false;
}

/* The function's parameter of that number, from 0 on; -1: it has none, or it is one of several that are not named. */
static int unset_parameter(const struct pass *p, int function, unsigned number)
{
    for (int child = tree_at(p->t, function)->child; child >= 0; child = tree_at(p->t, child)->next)
        if (tree_at(p->t, child)->kind == NODE_PARAMETER && !number--)
            return child;
    return -1;
}

/* Whether the call, with a pointer as this argument, surely writes what that leads to. Of a function whose code is not
 * here that is taken for granted: those of the library do. */
static bool unset_call_writes(const struct pass *p, int call, unsigned argument, unsigned level)
{
    int function = pass_definition_of(p, tree_at(p->t, call)->declaration);
    int parameter = function < 0 ? -1 : unset_parameter(p, function, argument);
    return parameter < 0 ||
           (level < MOST_LEVELS && unset_do(p, tree_last_child(p->t, function), parameter, level + 1) == UNSET_WRITES);
}

/* An expression, a declaration or a return: all of it is evaluated, but for what && and ?: leave out. */
static bool unset_evaluates(const struct pass *p, int statement, int parameter, unsigned level)
{
    if (unset_has(p, statement, NODE_CONDITIONAL))
        return false;
    for (int i = statement, end = unset_end(p, statement); i < end; i++) {
        const struct tree_node *n = tree_at(p->t, i);
        if (n->kind == NODE_BINARY && (n->operator== OPERATOR_BOTH || n->operator== OPERATOR_EITHER))
            return false;
        int written = n->kind == NODE_BINARY && n->operator== OPERATOR_ASSIGN ? tree_inner(p->t, n->child) : - 1;
        const struct tree_node *w = written < 0 ? NULL : tree_at(p->t, written);
        if (w && ((w->kind == NODE_UNARY && w->operator== OPERATOR_FOLLOW) || w->kind == NODE_SUBSCRIPT) &&
            unset_is(p, w->child, parameter))
            return true;
        for (unsigned k = 0; n->kind == NODE_CALL && tree_child(p->t, i, k + 1) >= 0; k++)
            if (unset_is(p, tree_child(p->t, i, k + 1), parameter) && unset_call_writes(p, i, k, level))
                return true;
    }
    return false;
}

/* What a loop evaluates before its first round surely happens. */
static bool unset_loop_writes(const struct pass *p, int loop, int parameter, unsigned level)
{
    enum { BEGIN, CONDITION };
    if (tree_at(p->t, loop)->kind == NODE_WHILE)
        return unset_evaluates(p, tree_at(p->t, loop)->child, parameter, level);
    int begin = tree_part_of_for(p->t, loop, BEGIN), condition = tree_part_of_for(p->t, loop, CONDITION);
    return (begin >= 0 && unset_evaluates(p, begin, parameter, level)) ||
           (condition >= 0 && unset_evaluates(p, condition, parameter, level));
}

static enum unset_doing unset_do(const struct pass *p, int statement, int parameter, unsigned level)
{
    const struct tree_node *s = tree_at(p->t, statement);
    enum unset_doing does = UNSET_NOTHING;
    switch (s->kind) {
    case NODE_COMPOUND:
        for (int child = s->child; child >= 0 && !does; child = tree_at(p->t, child)->next)
            does = unset_do(p, child, parameter, level);
        return does;
    case NODE_IF: {
        int yes = tree_child(p->t, statement, 1), no = tree_child(p->t, statement, 2);
        if (unset_evaluates(p, s->child, parameter, level) ||
            (no >= 0 && unset_do(p, yes, parameter, level) == UNSET_WRITES &&
             unset_do(p, no, parameter, level) == UNSET_WRITES))
            return UNSET_WRITES;
        break;
    }
    case NODE_WHILE:
    case NODE_FOR:
        if (unset_loop_writes(p, statement, parameter, level))
            return UNSET_WRITES;
        break;
    case NODE_SWITCH:
    case NODE_DO:
    case NODE_LABEL:
    case NODE_CASE: break;
    default:
        if (unset_evaluates(p, statement, parameter, level))
            return UNSET_WRITES;
    }
    return unset_has(p, statement, NODE_RETURN) || unset_has(p, statement, NODE_LEAVE) ? UNSET_LEAVES : UNSET_NOTHING;
}

/* The first reference to a variable in the text; -1: none. */
static int unset_first_use(const struct pass *p, int variable, int function)
{
    for (int i = variable + 1, end = unset_end(p, function); i < end; i++)
        if (tree_at(p->t, i)->kind == NODE_REFERENCE && tree_at(p->t, i)->declaration == variable)
            return i;
    return -1;
}

/* Whether its first use gives its address to a call that may leave it as it is. */
static bool unset_may_be(const struct pass *p, int variable, int function)
{
    int use = unset_first_use(p, variable, function), address = use < 0 ? -1 : tree_at(p->t, use)->parent;
    if (address < 0 || tree_at(p->t, address)->kind != NODE_UNARY ||
        tree_at(p->t, address)->operator!= OPERATOR_ADDRESS)
        return false;
    int argument = address, call = tree_at(p->t, address)->parent;
    while (call >= 0 && (tree_at(p->t, call)->kind == NODE_CAST || tree_at(p->t, call)->kind == NODE_PARENTHESES)) {
        argument = call;
        call = tree_at(p->t, call)->parent;
    }
    if (call < 0 || tree_at(p->t, call)->kind != NODE_CALL)
        return false;
    for (unsigned k = 0; tree_child(p->t, call, k + 1) >= 0; k++)
        if (tree_child(p->t, call, k + 1) == argument)
            return !unset_call_writes(p, call, k, 0);
    return false;
}

void unset_find(struct pass *p)
{
    for (int i = 0; !p->o->cpp && i < (int)tree_count(p->t); i++) {
        const struct tree_node *v = tree_at(p->t, i);
        int function = v->kind == NODE_VARIABLE ? tree_function(p->t, i) : -1, statement = v->parent;
        if (function < 0 || v->child >= 0 || !v->integer || v->is_static || v->is_extern || v->is_volatile ||
            (v->size != 1 && v->size != 2 && v->size != 4) || !pass_is_in_use(p, function) || p->quiet[i] ||
            tree_at(p->t, statement)->kind != NODE_DECLARATIONS ||
            tree_at(p->t, tree_at(p->t, statement)->parent)->kind != NODE_COMPOUND || !unset_may_be(p, i, function))
            continue;
        unsigned part = v->size == 1 ? 1 : 2;
        const char *type = part == 1 ? "unsigned char" : "unsigned";
        for (unsigned k = 0; k < v->size / part; k++)
            edits_add(&p->edits, pass_statement_end(p, statement), EDIT_CLOSE,
                      "((volatile %s*)motet_unset(&%s))[%u]="
                      "motet_read%u(((volatile %s*)motet_unset(&%s))[%u],0x%x,%s);",
                      type, v->name, k, 8 * part, type, v->name, k, part == 1 ? 0xff : 0xffff,
                      pass_site(p, i, v->name, REGISTER_DATA, part == 1 ? 0xff : 0xffff, "a call may leave it unset"));
    }
}
