#include "rewrite/owned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"

enum { NOWHERE = -1, UNKNOWN = -2 };

/* nesC reads members of packets so: __nesc_ntoh_uint16(source), __nesc_ntoh_leuint8(source). */
static const char owned_nesc[] = "__nesc_ntoh";

unsigned owned_copied(const char *name)
{
    const char *type = strncmp(name, owned_nesc, strlen(owned_nesc)) == 0 ? strstr(name, "int") : NULL;
    return type ? (unsigned)atoi(type + 3) / 8 : 0;
}

unsigned owned_copies(const char *name)
{
    static const struct {
        const char *name;
        unsigned reads;
    } list[] = {{"memcpy", 2}, {"memmove", 2}, {"memcmp", 3}, {"strlen", 1},
                {"strcpy", 2}, {"strcmp", 3},  {"memset", 0}};
    if (strncmp(name, "__builtin_", 10) == 0)
        name += 10;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].reads;
    return owned_copied(name) ? 1 : 0;
}

static const struct tree_node *owned_at(const struct owned *o, int node)
{
    return tree_at(o->p->t, node);
}

static bool owned_is_local(const struct owned *o, int variable)
{
    const struct tree_node *n = owned_at(o, variable);
    return n->kind == NODE_PARAMETER ||
           (n->kind == NODE_VARIABLE && tree_function(o->p->t, variable) >= 0 && !n->is_static && !n->is_extern);
}

/* The variable whose object an lvalue is part of; or of a pointer: whose value leads to it. UNKNOWN: memory, a call. */
static int owned_pointer_root(const struct owned *o, int node);

static int owned_root(const struct owned *o, int node)
{
    node = tree_inner(o->p->t, node);
    if (node < 0)
        return UNKNOWN;
    const struct tree_node *n = owned_at(o, node);
    int base = tree_inner(o->p->t, n->child);
    switch (n->kind) {
    case NODE_REFERENCE: return n->declaration >= 0 ? n->declaration : UNKNOWN;
    case NODE_MEMBER:
    case NODE_SUBSCRIPT:
        if (base < 0)
            return UNKNOWN;
        return owned_at(o, base)->is_pointer ? owned_pointer_root(o, base) : owned_root(o, base);
    case NODE_UNARY:
        if (n->operator!= OPERATOR_FOLLOW || base<0)
            return UNKNOWN;
        return owned_at(o, base)->is_array ? owned_root(o, base) : owned_pointer_root(o, base);
    default: return UNKNOWN;
    }
}

/* Of a pointer expression: the local pointer, the object whose address it is, or the function whose result it is. */
static int owned_pointer_root(const struct owned *o, int node)
{
    node = tree_inner(o->p->t, node);
    if (node < 0)
        return UNKNOWN;
    const struct tree_node *n = owned_at(o, node);
    int first = tree_child(o->p->t, node, 0), second = tree_child(o->p->t, node, 1);
    int64_t value;
    if (n->is_array)
        return owned_root(o, node);
    switch (n->kind) {
    case NODE_REFERENCE: return n->declaration >= 0 && owned_is_local(o, n->declaration) ? n->declaration : UNKNOWN;
    case NODE_UNARY:
        if (n->operator== OPERATOR_ADDRESS)
            return owned_root(o, first);
        return n->operator== OPERATOR_STEP ? owned_pointer_root(o, first) : UNKNOWN;
    case NODE_CAST:
        if (first >= 0 && tree_constant(o->p->t, first, &value) && !value)
            return NOWHERE;
        return first >= 0 ? owned_pointer_root(o, tree_last_child(o->p->t, node)) : UNKNOWN;
    case NODE_BINARY:
        if (n->operator!= OPERATOR_ADD && n->operator!= OPERATOR_SUBTRACT)
            return UNKNOWN;
        if (owned_at(o, tree_inner(o->p->t, first))->is_pointer || owned_at(o, tree_inner(o->p->t, first))->is_array)
            return owned_pointer_root(o, first);
        return owned_pointer_root(o, second);
    case NODE_CALL:
        return n->declaration >= 0 && owned_at(o, n->declaration)->kind == NODE_FUNCTION &&
                       o->sides[n->declaration] == OWNED_INSIDE && pass_definition_of(o->p, n->declaration) >= 0
                   ? n->declaration
                   : UNKNOWN;
    case NODE_LITERAL: return NOWHERE;
    default: return UNKNOWN;
    }
}

/* ---- where addresses go ---- */

static void owned_edge(struct owned *o, int from, int to)
{
    o->edges = memory_grow(o->edges, &o->edge_room, o->edge_count, sizeof *o->edges);
    o->edges[o->edge_count++] = (struct owned_edge){from, to};
}

/* The parameter that an argument becomes, of a function of this source that is inside; UNKNOWN: another function. */
static int owned_parameter(const struct owned *o, int call, int argument)
{
    const struct tree_node *n = owned_at(o, call);
    int function = n->declaration < 0 || owned_at(o, n->declaration)->kind != NODE_FUNCTION ||
                           o->sides[n->declaration] != OWNED_INSIDE
                       ? -1
                       : pass_definition_of(o->p, n->declaration);
    int number = -1, parameter = function < 0 ? -1 : owned_at(o, function)->child;
    for (int child = n->child; child >= 0 && child != argument; child = owned_at(o, child)->next)
        number++;
    for (; parameter >= 0; parameter = owned_at(o, parameter)->next)
        if (owned_at(o, parameter)->kind == NODE_PARAMETER && number-- == 0)
            return parameter;
    return UNKNOWN;
}

static bool owned_is_library_call(const struct owned *o, const struct tree_node *call)
{
    bool function = call->declaration >= 0 && owned_at(o, call->declaration)->kind == NODE_FUNCTION;
    return function && o->sides[call->declaration] == OWNED_LIBRARY;
}

/* Where the value of a pointer expression goes: a local variable, a parameter, a function's result; NOWHERE: it is
 * followed or compared; UNKNOWN: it gets out. */
static int owned_goes(const struct owned *o, int node)
{
    for (int above;; node = above) {
        above = owned_at(o, node)->parent;
        if (above < 0)
            return UNKNOWN;
        const struct tree_node *a = owned_at(o, above);
        int left;
        switch (a->kind) {
        case NODE_PARENTHESES:
        case NODE_CAST: break;
        case NODE_CONDITIONAL:
            if (a->child == node)
                return NOWHERE;
            break;
        case NODE_BINARY:
            if (a->operator== OPERATOR_ASSIGN) {
                left = tree_inner(o->p->t, a->child);
                if (a->child == node)
                    return NOWHERE;
                bool local = owned_at(o, left)->kind == NODE_REFERENCE && owned_at(o, left)->declaration >= 0 &&
                             owned_is_local(o, owned_at(o, left)->declaration);
                return local ? owned_at(o, left)->declaration : UNKNOWN;
            }
            if (!a->is_pointer && a->operator!= OPERATOR_COMMA)
                return a->operator== OPERATOR_ADD ? UNKNOWN : NOWHERE; /* differences and comparisons */
            break;
        case NODE_ASSIGN_OPERATION: return NOWHERE;
        case NODE_UNARY:
            if (a->operator== OPERATOR_FOLLOW || a->operator== OPERATOR_NOT || a->operator== OPERATOR_STEP)
                return NOWHERE;
            return UNKNOWN;
        case NODE_MEMBER:
        case NODE_SUBSCRIPT:
        case NODE_SIZEOF: return NOWHERE;
        case NODE_VARIABLE: return owned_is_local(o, above) && owned_at(o, above)->is_pointer ? above : UNKNOWN;
        case NODE_RETURN: return owned_at(o, tree_function(o->p->t, above))->declaration;
        case NODE_CALL: return owned_is_library_call(o, a) ? NOWHERE : owned_parameter(o, above, node);
        case NODE_IF:
        case NODE_WHILE:
        case NODE_DO:
        case NODE_FOR:
        case NODE_COMPOUND: return NOWHERE;
        default: return UNKNOWN;
        }
    }
}

/* Whether an expression makes an address of an lvalue: & or an array that is not indexed. */
static bool owned_makes_address(const struct owned *o, int node)
{
    const struct tree_node *n = owned_at(o, node);
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_ADDRESS)
        return true;
    if (!n->is_array || (n->kind != NODE_REFERENCE && n->kind != NODE_MEMBER && n->kind != NODE_SUBSCRIPT &&
                         !(n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW)))
        return false;
    int above = tree_above(o->p->t, node);
    const struct tree_node *a = above < 0 ? NULL : owned_at(o, above);
    return !(a && a->kind == NODE_UNARY && a->operator== OPERATOR_ADDRESS);
}

static bool owned_has_value(const struct owned *o, int node)
{
    const struct tree_node *n = owned_at(o, node);
    return n->is_pointer && ((n->kind == NODE_REFERENCE && n->declaration >= 0 && owned_is_local(o, n->declaration) &&
                              live_use(o->p->t, node) != USE_WRITE && live_use(o->p->t, node) != USE_ADDRESS) ||
                             n->kind == NODE_CALL);
}

static void owned_follow(struct owned *o, int node)
{
    int root = owned_makes_address(o, node) || owned_has_value(o, node) ? owned_pointer_root(o, node) : NOWHERE;
    if (root < 0)
        return;
    int to = owned_goes(o, node);
    if (to == UNKNOWN)
        o->leaks[root] = true;
    else if (to >= 0)
        owned_edge(o, root, to);
    /* The address of a pointer: it may be changed through that. */
    const struct tree_node *n = owned_at(o, node);
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_ADDRESS && owned_at(o, root)->is_pointer &&
        tree_inner(o->p->t, n->child) >= 0 && owned_at(o, tree_inner(o->p->t, n->child))->kind == NODE_REFERENCE)
        o->shared[root] = true;
}

/* Values whose origin is not known make what takes them lead anywhere. */
static void owned_assigned(struct owned *o, int node)
{
    const struct tree_node *n = owned_at(o, node);
    int to = -1, from = -1;
    if (n->kind == NODE_VARIABLE && n->is_pointer && owned_is_local(o, node)) {
        to = node;
        from = tree_last_child(o->p->t, node);
        if (from < 0)
            return;
    } else if (n->kind == NODE_BINARY && n->operator== OPERATOR_ASSIGN && n->is_pointer) {
        int left = tree_inner(o->p->t, n->child);
        to = owned_at(o, left)->kind == NODE_REFERENCE ? owned_at(o, left)->declaration : -1;
        from = tree_child(o->p->t, node, 1);
    } else if (n->kind == NODE_RETURN && n->child >= 0 && owned_at(o, tree_inner(o->p->t, n->child))->is_pointer) {
        to = owned_at(o, tree_function(o->p->t, node))->declaration;
        from = n->child;
    }
    if (to < 0)
        return;
    int inner = tree_inner(o->p->t, from);
    if (owned_at(o, inner)->kind == NODE_CONDITIONAL) {
        int64_t value;
        for (unsigned i = 1; i < 3; i++) {
            int branch = tree_child(o->p->t, inner, i);
            bool none = branch >= 0 && tree_constant(o->p->t, branch, &value);
            o->shared[to] |= branch < 0 || (!none && owned_pointer_root(o, branch) == UNKNOWN);
        }
        return;
    }
    o->shared[to] |= owned_pointer_root(o, from) == UNKNOWN;
}

/* Arguments of the calls of a function inside: likewise. */
static void owned_passed(struct owned *o, int call)
{
    for (int argument = tree_child(o->p->t, call, 1); argument >= 0; argument = owned_at(o, argument)->next) {
        int to = owned_parameter(o, call, argument);
        if (to >= 0 && owned_at(o, to)->is_pointer && owned_pointer_root(o, argument) == UNKNOWN)
            o->shared[to] = true;
    }
}

/* ---- all of it ---- */

static void owned_begin(struct owned *o, int node)
{
    const struct tree_node *n = owned_at(o, node);
    if (n->kind == NODE_VARIABLE && !owned_is_local(o, node) && o->foreign[node])
        o->shared[node] = true;
    int around = n->kind == NODE_REFERENCE && n->declaration >= 0 ? tree_function(o->p->t, node) : -1;
    if (around >= 0 && owned_at(o, n->declaration)->kind == NODE_VARIABLE && owned_at(o, around)->declaration >= 0 &&
        o->sides[owned_at(o, around)->declaration] == OWNED_OUTSIDE)
        o->leaks[n->declaration] = true; /* in a program of one file, code outside can name it */
    int function = n->kind == NODE_PARAMETER ? tree_function(o->p->t, node) : -1;
    if (function >= 0 && n->is_pointer) {
        int first = owned_at(o, function)->declaration;
        o->shared[node] |= first < 0 || o->sides[first] != OWNED_INSIDE || o->entered[first];
    }
}

void owned_find(struct owned *o)
{
    size_t count = tree_count(o->p->t);
    o->leaks = memory_array(count + 1, sizeof *o->leaks);
    o->shared = memory_array(count + 1, sizeof *o->shared);
    for (size_t i = 0; i < count; i++) {
        owned_begin(o, (int)i);
        owned_follow(o, (int)i);
        owned_assigned(o, (int)i);
        if (owned_at(o, (int)i)->kind == NODE_CALL)
            owned_passed(o, (int)i);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < o->edge_count; i++) {
            const struct owned_edge *e = &o->edges[i];
            more |= o->leaks[e->to] && !o->leaks[e->from];
            o->leaks[e->from] |= o->leaks[e->to];
        }
    }
    for (size_t i = 0; i < count; i++)
        if (owned_at(o, (int)i)->kind == NODE_VARIABLE && o->leaks[i] && !owned_at(o, (int)i)->is_pointer)
            o->shared[i] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < o->edge_count; i++) {
            const struct owned_edge *e = &o->edges[i];
            more |= o->shared[e->from] && !o->shared[e->to];
            o->shared[e->to] |= o->shared[e->from];
        }
    }
}

bool owned_gives(const struct owned *o, int function)
{
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct tree_node *from = owned_at(o, o->edges[i].from);
        if (o->edges[i].to != function)
            continue;
        if (from->kind == NODE_VARIABLE && !from->is_pointer
                ? !owned_is_local(o, o->edges[i].from)
                : o->edges[i].from != function && !o->shared[o->edges[i].from] && owned_gives(o, o->edges[i].from))
            return true;
    }
    return false;
}

void owned_free(struct owned *o)
{
    free(o->edges);
    free(o->leaks);
    free(o->shared);
}

/* A local pointer itself is in a register or on the stack; only its object is asked for when it is followed. */
bool owned_is_shared(const struct owned *o, int lvalue)
{
    int root = owned_root(o, lvalue), node = tree_inner(o->p->t, lvalue);
    const struct tree_node *n = owned_at(o, node);
    if (root < 0)
        return root == UNKNOWN && (n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT || n->kind == NODE_UNARY);
    if (n->kind == NODE_REFERENCE && owned_is_local(o, root) && n->is_pointer)
        return false;
    return o->shared[root];
}

bool owned_leads_to_shared(const struct owned *o, int pointer)
{
    int root = owned_pointer_root(o, pointer);
    return root == UNKNOWN || (root >= 0 && o->shared[root]);
}
