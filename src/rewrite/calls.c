#include "rewrite/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/assembly.h"
#include "rewrite/live.h"

/* A function's name somewhere in the text. */
struct mention {
    int from; /* the function definition around it, -1: none */
    int of;   /* its declaration */
    int node;
};

static size_t find_mentions(const struct pass *p, struct mention *list)
{
    size_t count = 0;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_REFERENCE && n->declaration >= 0 && tree_at(p->t, n->declaration)->kind == NODE_FUNCTION)
            list[count++] = (struct mention){tree_function(p->t, (int)i), n->declaration, (int)i};
    }
    return count;
}

/* By declaration: all that is not static, handlers, and what these mention. */
static void find_used(struct pass *p, const struct mention *list, size_t count)
{
    uint32_t after;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_FUNCTION && n->declaration >= 0 &&
            (!n->is_static || pass_handler_of(p, (int)i) || pass_has_attribute(p, (int)i, "used", &after)))
            p->used[n->declaration] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            bool from = list[i].from < 0 || p->used[tree_at(p->t, list[i].from)->declaration];
            more |= from && !p->used[list[i].of];
            p->used[list[i].of] |= from;
        }
    }
}

/* A value of SREG that was kept: in a local variable or a parameter. It can come from where interrupts were on only
 * through memory that outlives its function, and keeps_flags sees to it that none is put there. */
static bool is_own_value(const struct pass *p, int node)
{
    node = tree_inner(p->t, node);
    const struct tree_node *n = tree_at(p->t, node);
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW)
        n = tree_at(p->t,
                    tree_inner(p->t, n->child)); /* util/atomic.h restores through a pointer to its caller's variable */
    if (n->kind != NODE_REFERENCE || n->declaration < 0)
        return false;
    const struct tree_node *d = tree_at(p->t, n->declaration);
    return d->kind == NODE_PARAMETER ||
           (d->kind == NODE_VARIABLE && tree_function(p->t, n->declaration) >= 0 && !d->is_static && !d->is_extern);
}

/* Whether no read of SREG goes anywhere but into a local variable, a result, or a test. */
static bool keeps_flags(const struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct place at;
        if (tree_function(p->t, (int)i) < 0 || !pass_is_register(p, (int)i, &at) || strcmp(at.name, "SREG") != 0 ||
            live_use(p->t, (int)i) != USE_READ)
            continue;
        int above = tree_above(p->t, (int)i);
        const struct tree_node *a = tree_at(p->t, above);
        bool assigns = a->kind == NODE_BINARY && a->operator== OPERATOR_ASSIGN && is_own_value(p, a->child);
        bool local = a->kind == NODE_VARIABLE && !a->is_static;
        if (!assigns && !local && a->kind != NODE_RETURN && !(a->kind == NODE_BINARY && a->operator== OPERATOR_AND))
            return false;
    }
    return true;
}

/* Whether the node itself can let interrupts in, or do what is not known. */
static bool may_unmask(const struct pass *p, int node)
{
    static const char *const harmless[] = {"memcpy", "memmove", "memset", "memcmp", "strlen",
                                           "strcpy", "strcmp",  "abs",    NULL};
    const struct tree_node *n = tree_at(p->t, node);
    struct place at;
    if (n->kind == NODE_ASM) {
        struct assembly a;
        assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
        return a.enables || a.sleeps || a.returns || a.calls[0] || a.sets_flags;
    }
    if (n->kind == NODE_CALL)
        return !strncmp(n->name, "__builtin_", 10)
                   ? false
                   : !pass_is_named(n, harmless) && pass_definition_of(p, n->declaration) < 0;
    if (pass_is_register(p, node, &at) && strcmp(at.name, "SREG") == 0) {
        int above = tree_above(p->t, node);
        enum use use = live_use(p->t, node);
        return use == USE_UPDATE || (use == USE_WRITE && !is_own_value(p, tree_child(p->t, above, 1)));
    }
    return false;
}

/* nesC's own: the one restores what the other has found. */
static bool is_nesc_atomic(const struct tree_node *f)
{
    return strcmp(f->name, "__nesc_atomic_start") == 0 || strcmp(f->name, "__nesc_atomic_end") == 0;
}

/* Functions that run with interrupts off from beginning to end: handlers (but those that begin with SEI, or are naked),
 * and static functions that only such call. None of them, and nothing they call, lets interrupts in. No interrupt has a
 * position in them, so nothing is counted there. By declaration. */
static void find_masked(struct pass *p, const struct mention *list, size_t count)
{
    size_t nodes = tree_count(p->t);
    bool *unmasks = memory_array(nodes + 1, sizeof *unmasks);
    bool kept = !p->o->cpp && keeps_flags(p); /* C++ calls destructors that are not in the source */
    for (size_t i = 0; i < nodes; i++) {
        int function = tree_function(p->t, (int)i);
        if (function >= 0 && function != (int)i && tree_at(p->t, function)->declaration >= 0 &&
            !is_nesc_atomic(tree_at(p->t, function)) && may_unmask(p, (int)i))
            unmasks[tree_at(p->t, function)->declaration] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            int from = list[i].from < 0 ? -1 : tree_at(p->t, list[i].from)->declaration;
            if (from >= 0 && unmasks[list[i].of] && !unmasks[from] && !is_nesc_atomic(tree_at(p->t, from)))
                unmasks[from] = more = true;
        }
    }
    uint32_t after;
    for (size_t i = 0; i < nodes; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind != NODE_FUNCTION || n->declaration < 0 || pass_body_of(p, (int)i) < 0 || unmasks[n->declaration] ||
            !kept)
            continue;
        bool handler = pass_handler_of(p, (int)i) && !pass_is_naked(p, (int)i) &&
                       !(pass_is_avr(p) && pass_has_attribute(p, (int)i, "interrupt", &after));
        p->masked[n->declaration] =
            handler || (n->is_static && p->calls[n->declaration] > 0 && !pass_handler_of(p, (int)i));
    }
    free(unmasks);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            int from = list[i].from < 0 ? -1 : tree_at(p->t, list[i].from)->declaration;
            bool in = from >= 0 && (p->masked[from] || !p->used[from]) && pass_is_called_here(p, list[i].node);
            if (p->masked[list[i].of] && !in)
                more = true, p->masked[list[i].of] = false;
        }
    }
}

void calls_count(struct pass *p)
{
    struct mention *list = memory_array(tree_count(p->t) + 1, sizeof *list);
    size_t count = find_mentions(p, list);
    find_used(p, list, count);
    for (size_t i = 0; i < count; i++)
        if (list[i].from < 0 || p->used[tree_at(p->t, list[i].from)->declaration])
            p->calls[list[i].of] += pass_is_called_here(p, list[i].node) ? 1 : 2;
    find_masked(p, list, count);
    free(list);
    for (size_t i = 0; i < tree_count(p->t); i++) { /* declared first and defined later: the same function */
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_FUNCTION && n->declaration >= 0) {
            p->calls[i] = p->calls[n->declaration];
            p->used[i] = p->used[n->declaration];
            p->masked[i] = p->masked[n->declaration];
        }
        p->says_filled |= n->kind == NODE_CALL && strcmp(n->name, "motet_filled") == 0;
    }
}
