#include "rewrite/poll.h"

#include <string.h>

#include "rewrite/assembly.h"
#include "rewrite/live.h"

static bool is_loop(enum node_kind k)
{
    return k == NODE_WHILE || k == NODE_DO || k == NODE_FOR;
}

/* The parts of `for (first; condition; step) body` that are there are its children; semicolons tell which they are. */
static int condition_of(const struct tree *t, int loop)
{
    switch (tree_at(t, loop)->kind) {
    case NODE_WHILE: return tree_child(t, loop, 0);
    case NODE_DO: return tree_child(t, loop, 1);
    default: return tree_part_of_for(t, loop, 1);
    }
}

static int body_of(const struct tree *t, int loop)
{
    return tree_at(t, loop)->kind == NODE_DO ? tree_child(t, loop, 0) : tree_last_child(t, loop);
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

static bool has_step(const struct tree *t, int loop)
{
    return tree_at(t, loop)->kind == NODE_FOR && tree_part_of_for(t, loop, 2) >= 0;
}

static bool never_ends(struct tree *t, int loop)
{
    int condition = condition_of(t, loop);
    int64_t value;
    return condition < 0 || (tree_constant(t, condition, &value) && value);
}

/* The only statement in braces, or the statement itself. */
static int only_statement(const struct tree *t, int node)
{
    while (tree_at(t, node)->kind == NODE_COMPOUND && tree_at(t, node)->child >= 0 &&
           tree_at(t, tree_at(t, node)->child)->next < 0)
        node = tree_at(t, node)->child;
    return node;
}

static bool is_break(const struct tree *t, int node)
{
    size_t size;
    const char *text = tree_text(t, &size);
    return tree_at(t, node)->kind == NODE_LEAVE && !strncmp(text + tree_at(t, node)->start, "break", 5);
}

/* The loop of which the expression decides whether it goes on, and that does nothing else: `while (condition);`, or
 * `for (;;) if (condition) break;`, where it `leaves`. -1: none. */
static int decided_by(struct tree *t, int condition, const char *target, bool *leaves)
{
    int above = tree_at(t, condition)->parent;
    if (above < 0)
        return -1;
    const struct tree_node *a = tree_at(t, above);
    *leaves = a->kind == NODE_IF;
    if (is_loop(a->kind))
        return condition_of(t, above) == condition && !has_step(t, above) && does_nothing(t, body_of(t, above), target)
                   ? above
                   : -1;
    if (!*leaves || a->child != condition || tree_child(t, above, 2) >= 0 ||
        !is_break(t, only_statement(t, tree_child(t, above, 1))))
        return -1;
    int loop = a->parent;
    while (loop >= 0 && tree_at(t, loop)->kind == NODE_COMPOUND)
        loop = tree_at(t, loop)->parent;
    return loop >= 0 && is_loop(tree_at(t, loop)->kind) && only_statement(t, body_of(t, loop)) == above &&
                   never_ends(t, loop) && !has_step(t, loop)
               ? loop
               : -1;
}

/* The declaration of the variable that the expression is, -1 if it is none. */
static int variable_of(const struct tree *t, int node)
{
    node = tree_inner(t, node);
    return node >= 0 && tree_at(t, node)->kind == NODE_REFERENCE ? tree_at(t, node)->declaration : -1;
}

/* variable = value, as a statement or the end of a declaration. */
static bool assignment(const struct tree *t, int node, int *variable, int *value)
{
    const struct tree_node *n = tree_at(t, node);
    if (n->kind == NODE_DECLARATIONS) {
        *variable = tree_last_child(t, node);
        *value = *variable < 0 ? -1 : tree_inner(t, tree_last_child(t, *variable));
        return *value >= 0 && tree_at(t, *variable)->kind == NODE_VARIABLE;
    }
    if (n->kind != NODE_BINARY || n->operator!= OPERATOR_ASSIGN)
        return false;
    *variable = variable_of(t, n->child);
    *value = tree_inner(t, tree_child(t, node, 1));
    return *variable >= 0;
}

bool poll_is_own(const struct tree *t, int variable)
{
    const struct tree_node *v = tree_at(t, variable);
    int function = tree_function(t, variable);
    if (v->kind != NODE_VARIABLE || function < 0 || v->is_static || v->is_extern || v->is_volatile || !v->integer)
        return false;
    for (int i = variable + 1; i < (int)tree_count(t) && tree_at(t, i)->start < tree_at(t, function)->end; i++)
        if (tree_at(t, i)->kind == NODE_REFERENCE && tree_at(t, i)->declaration == variable &&
            live_use(t, i) == USE_ADDRESS)
            return false;
    return true;
}

/* ---- functions that only forward ---- */

enum { MOST_FORWARDS = 4 };

static int definition_of(const struct tree *t, int declaration)
{
    for (size_t i = 0; declaration >= 0 && i < tree_count(t); i++) {
        int body = tree_at(t, (int)i)->kind == NODE_FUNCTION ? tree_last_child(t, (int)i) : -1;
        if (body >= 0 && tree_at(t, (int)i)->declaration == declaration && tree_at(t, body)->kind == NODE_COMPOUND)
            return (int)i;
    }
    return -1;
}

/* `return NUMBER;`, alone in braces perhaps. */
static bool gives_number(struct tree *t, int node, int64_t *number)
{
    node = node < 0 ? node : only_statement(t, node);
    return node >= 0 && tree_at(t, node)->kind == NODE_RETURN && tree_at(t, node)->child >= 0 &&
           tree_constant(t, tree_at(t, node)->child, number);
}

/* `if (value) return NUMBER; return NUMBER;`, or with else. */
static bool chooses_number(struct tree *t, int node, struct forward *f)
{
    int otherwise = tree_child(t, node, 2), after = tree_at(t, node)->next;
    if ((otherwise >= 0) == (after >= 0) || (after >= 0 && tree_at(t, after)->next >= 0))
        return false;
    *f = (struct forward){.value = tree_at(t, node)->child, .variable = -1, .chooses = true};
    return gives_number(t, tree_child(t, node, 1), &f->given[0]) &&
           gives_number(t, otherwise >= 0 ? otherwise : after, &f->given[1]);
}

bool poll_forwards(struct tree *t, int call, struct forward *f)
{
    int function = tree_at(t, call)->kind == NODE_CALL ? definition_of(t, tree_at(t, call)->declaration) : -1;
    if (function < 0 || !tree_at(t, function)->is_static || tree_child(t, call, 1) >= 0 || !tree_at(t, call)->integer)
        return false;
    int body = tree_last_child(t, function), at = tree_at(t, body)->child, assigned;
    *f = (struct forward){.value = -1, .variable = -1};
    if (at >= 0 && tree_at(t, at)->kind == NODE_IF)
        return chooses_number(t, at, f);
    if (at >= 0 && tree_at(t, at)->kind == NODE_DECLARATIONS && tree_child(t, at, 1) >= 0)
        return false;
    if (at >= 0 && tree_at(t, at)->kind == NODE_DECLARATIONS && !assignment(t, at, &f->variable, &f->value)) {
        assigned = tree_at(t, at)->next; /* declared first, and then assigned to */
        if (assigned < 0 || tree_at(t, assigned)->kind != NODE_BINARY ||
            !assignment(t, assigned, &f->variable, &f->value))
            return false;
        at = tree_at(t, assigned)->next;
    } else if (f->variable >= 0) {
        at = tree_at(t, at)->next;
    }
    if (at < 0 || tree_at(t, at)->kind != NODE_RETURN || tree_at(t, at)->next >= 0 || tree_at(t, at)->child < 0)
        return false;
    if (f->variable >= 0)
        return poll_is_own(t, f->variable) && variable_of(t, tree_at(t, at)->child) == f->variable;
    f->value = tree_at(t, at)->child;
    return true;
}

/* As a value of that type. False if it is none of these, or negative. */
static bool convert(const struct tree_node *to, int64_t value, int64_t *result)
{
    if (!to->integer || to->size > 4 || !to->size)
        return false;
    *result = to->boolean ? value != 0 : to->size >= 4 ? value : value & ((1ll << 8 * to->size) - 1);
    return !to->is_signed || *result < 1ll << (8 * to->size - 1);
}

static bool evaluate_in(struct tree *t, int node, int read, int64_t v, unsigned depth, int64_t *result);

/* A call of a function that only forwards. */
static bool evaluate_call(struct tree *t, int node, int read, int64_t v, unsigned depth, int64_t *result)
{
    struct forward f;
    int64_t value;
    if (depth >= MOST_FORWARDS || !poll_forwards(t, node, &f) || !evaluate_in(t, f.value, read, v, depth + 1, &value) ||
        (f.variable >= 0 && !convert(tree_at(t, f.variable), value, &value)))
        return false;
    return convert(tree_at(t, node), f.chooses ? f.given[!value] : value, result);
}

/* The condition with the read replaced by a value. False if it is not a pure function of it. */
static bool evaluate_in(struct tree *t, int node, int read, int64_t v, unsigned depth, int64_t *result)
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
    case NODE_PARENTHESES: return evaluate_in(t, n->child, read, v, depth, result);
    case NODE_CALL: return evaluate_call(t, node, read, v, depth, result);
    case NODE_CAST: return evaluate_in(t, n->child, read, v, depth, &a) && convert(n, a, result);
    case NODE_UNARY:
        if ((n->operator!= OPERATOR_NOT && n->operator!= OPERATOR_COMPLEMENT) ||
            !evaluate_in(t, n->child, read, v, depth, &a))
            return false;
        *result = n->operator== OPERATOR_NOT ? !a : ~a;
        return true;
    case NODE_BINARY: break;
    default: return false;
    }
    if (!evaluate_in(t, n->child, read, v, depth, &a) || !evaluate_in(t, tree_child(t, node, 1), read, v, depth, &b))
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

static bool evaluate(struct tree *t, int node, int read, int64_t v, int64_t *result)
{
    return evaluate_in(t, node, read, v, 0, result);
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

/* Whether only one value of these bits makes the condition what is wanted: then the loop ends with that value. */
static bool is_only_value(struct tree *t, int condition, int read, uint32_t live, bool wanted)
{
    enum { MOST = 256 };
    unsigned found = 0, tried = 0;
    for (uint32_t v = live;; v = (v - 1) & live) {
        int64_t result;
        if (++tried > MOST || !evaluate(t, condition, read, v, &result))
            return false;
        found += (result != 0) == wanted;
        if (!v)
            break;
    }
    return found == 1;
}

bool poll_through(struct tree *t, int place, int read, uint32_t live, const char *target, struct poll *p)
{
    bool leaves;
    for (int condition = place; condition >= 0; condition = tree_at(t, condition)->parent) {
        p->loop = decided_by(t, condition, target, &leaves);
        if (p->loop >= 0)
            return find_value(t, condition, read, live, leaves, &p->leave) &&
                   find_value(t, condition, read, live, !leaves, &p->stay) &&
                   is_only_value(t, condition, read, live, leaves);
    }
    return false;
}

bool poll_is_condition(struct tree *t, int node, const char *target)
{
    bool leaves;
    for (; node >= 0; node = tree_at(t, node)->parent)
        if (decided_by(t, node, target, &leaves) >= 0)
            return true;
    return false;
}

bool poll_at(struct tree *t, int read, uint32_t live, const char *target, struct poll *p)
{
    return poll_through(t, read, read, live, target, p);
}

int poll_condition(struct tree *t, int loop, const char *target)
{
    int body = is_loop(tree_at(t, loop)->kind) ? body_of(t, loop) : -1;
    return body >= 0 && !has_step(t, loop) && does_nothing(t, body, target) ? condition_of(t, loop) : -1;
}

/* ---- the same twice ---- */

bool poll_steady(const struct tree *t, int loop, struct steady *s)
{
    if (tree_at(t, loop)->kind != NODE_DO)
        return false;
    int body = tree_child(t, loop, 0), condition = tree_inner(t, tree_child(t, loop, 1));
    int first = tree_child(t, body, 0), second = tree_child(t, body, 1);
    if (tree_at(t, body)->kind != NODE_COMPOUND || second < 0 || tree_at(t, second)->next >= 0 ||
        tree_at(t, condition)->kind != NODE_BINARY || tree_at(t, condition)->operator!= OPERATOR_DIFFERENT)
        return false;
    int *v = s->variables, *r = s->reads;
    int left = variable_of(t, tree_at(t, condition)->child), right = variable_of(t, tree_child(t, condition, 1));
    if (!assignment(t, first, &v[0], &r[0]) || !assignment(t, second, &v[1], &r[1]) || v[0] == v[1] ||
        !poll_is_own(t, v[0]) || !poll_is_own(t, v[1]))
        return false;
    if (!(left == v[0] && right == v[1]) && !(left == v[1] && right == v[0]))
        return false;
    int of;
    if (variable_of(t, r[0]) == v[1]) { /* what was read before the loop, or in the last round */
        int before = tree_before(t, loop);
        return before >= 0 && assignment(t, before, &of, &r[0]) && of == v[1];
    }
    return true;
}
