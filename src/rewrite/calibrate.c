#include "rewrite/calibrate.h"

#include <stdlib.h>

#include "rewrite/live.h"
#include "rewrite/poll.h"
#include "rewrite/reads_loops.h"

enum { MOST_LOCALS = 4 };

/* Variables of the function that the loop mentions, by their declarations. */
struct locals {
    int list[MOST_LOCALS];
    unsigned count;
};

static bool calibrate_add(const struct pass *p, int declaration, struct locals *l)
{
    if (!poll_is_own(p->t, declaration) || tree_at(p->t, declaration)->size > 4)
        return false;
    for (unsigned i = 0; i < l->count; i++)
        if (l->list[i] == declaration)
            return true;
    if (l->count == MOST_LOCALS)
        return false;
    l->list[l->count++] = declaration;
    return true;
}

/* What can be part of such a loop. Shifts and the like may be calls. */
static bool calibrate_allows(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    switch (n->kind) {
    case NODE_COMPOUND:
    case NODE_EMPTY:
    case NODE_IF:
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_DECLARATIONS:
    case NODE_PARENTHESES:
    case NODE_LITERAL: return true;
    case NODE_VARIABLE: return n->integer && !n->is_static && !n->is_extern && !n->is_volatile;
    case NODE_CAST: return n->integer;
    case NODE_UNARY:
        return n->operator== OPERATOR_NOT || n->operator== OPERATOR_COMPLEMENT || n->operator== OPERATOR_STEP;
    case NODE_BINARY:
        return n->operator!= OPERATOR_OTHER && n->operator!= OPERATOR_LEFT && n->operator!= OPERATOR_RIGHT;
    default: return false;
    }
}

/* Whether the loop only counts by a timer, on variables of the function. */
static bool calibrate_counts(struct pass *p, int loop, struct locals *l)
{
    bool timer = false;
    int end = loop + (int)pass_nodes_in(p, loop);
    for (int i = loop; i < end; i++) {
        const struct tree_node *n = tree_at(p->t, i);
        struct place at;
        int64_t value;
        if (pass_is_register(p, i, &at)) {
            if (!at.in_file || at.computed || at.is.class == REGISTER_DATA || n->kind == NODE_MEMBER || !n->integer ||
                live_use(p->t, i) != USE_READ ||
                (n->kind == NODE_REFERENCE && n->declaration >= 0 && tree_at(p->t, n->declaration)->fixed_address >= 0))
                return false;
            timer |= at.is.class == REGISTER_TIMER;
            i += (int)pass_nodes_in(p, i) - 1;
        } else if (n->integer && tree_constant(p->t, i, &value)) {
            i += (int)pass_nodes_in(p, i) - 1;
        } else if (n->kind == NODE_REFERENCE) {
            bool inside = n->declaration > loop && n->declaration < end;
            if (n->declaration < 0 || (!inside && !calibrate_add(p, n->declaration, l)))
                return false;
        } else if (!calibrate_allows(p, i)) {
            return false;
        }
    }
    return timer;
}

/* Whether the function goes from its beginning to its end past the loop once. */
static bool calibrate_is_once(const struct pass *p, int loop)
{
    int function = tree_function(p->t, loop), end = function + (int)pass_nodes_in(p, function);
    for (int i = function; i < end; i++)
        if (tree_at(p->t, i)->kind == NODE_LABEL)
            return false;
    for (int above = tree_at(p->t, loop)->parent; above > function; above = tree_at(p->t, above)->parent) {
        enum node_kind k = tree_at(p->t, above)->kind;
        if (k == NODE_FOR || k == NODE_WHILE || k == NODE_DO || k == NODE_SWITCH)
            return false;
    }
    return true;
}

/* Whether what the variable has after the loop is never used: it is not mentioned again, or next as what a statement
 * beside the loop assigns to. */
static bool calibrate_is_dead(const struct pass *p, int loop, int variable)
{
    int function = tree_function(p->t, loop), end = function + (int)pass_nodes_in(p, function);
    for (int i = loop + (int)pass_nodes_in(p, loop); i < end; i++) {
        const struct tree_node *n = tree_at(p->t, i);
        if (n->kind != NODE_REFERENCE || n->declaration != variable)
            continue;
        int assignment = tree_above(p->t, i), last = assignment + (int)pass_nodes_in(p, assignment);
        if (live_use(p->t, i) != USE_WRITE || tree_at(p->t, assignment)->parent != tree_at(p->t, loop)->parent)
            return false;
        for (int k = i + 1; k < last; k++)
            if (tree_at(p->t, k)->kind == NODE_REFERENCE && tree_at(p->t, k)->declaration == variable)
                return false;
        return true;
    }
    return true;
}

static void calibrate_write(struct pass *p, int loop, const struct locals *l)
{
    const struct tree_node *n = tree_at(p->t, loop);
    uint32_t before = tree_at(p->t, tree_function(p->t, loop))->start, end = pass_statement_end(p, loop);
    char *text = pass_flat(p, n->start, end);
    edits_add(&p->edits, before, EDIT_OPEN, "static __attribute__((noinline)) void motet_whole_%d(", loop);
    edits_add(&p->edits, n->start, EDIT_OPEN, "{motet_whole_%d(", loop);
    for (unsigned i = 0; i < l->count; i++) {
        const struct tree_node *v = tree_at(p->t, l->list[i]);
        edits_add(&p->edits, before, EDIT_OPEN, "%s%s %s", i ? "," : "", reads_type(v), v->name);
        edits_add(&p->edits, n->start, EDIT_OPEN, "%s%s", i ? "," : "", v->name);
    }
    edits_add(&p->edits, before, EDIT_OPEN, "%s){%s}", l->count ? "" : "void", text);
    edits_add(&p->edits, n->start, EDIT_OPEN, ");%sif(0)", reads_clear(p));
    edits_add(&p->edits, end, EDIT_CLOSE, "}");
    free(text);
}

void calibrate_find(struct pass *p)
{
    for (int loop = 0; !p->o->cpp && !p->o->stamp && loop < (int)tree_count(p->t); loop++) {
        enum node_kind k = tree_at(p->t, loop)->kind;
        int function = k == NODE_FOR || k == NODE_WHILE || k == NODE_DO ? tree_function(p->t, loop) : -1;
        struct locals l = {.count = 0};
        if (function < 0 || p->skipped[loop] || !pass_is_in_use(p, function) || !calibrate_is_once(p, loop) ||
            !calibrate_counts(p, loop, &l))
            continue;
        bool dead = true;
        for (unsigned i = 0; i < l.count; i++)
            dead &= calibrate_is_dead(p, loop, l.list[i]);
        if (!dead)
            continue;
        for (size_t i = 0, nodes = pass_nodes_in(p, loop); i < nodes; i++)
            p->quiet[(size_t)loop + i] = p->skipped[(size_t)loop + i] = true;
        calibrate_write(p, loop, &l);
        p->r->polls++;
    }
}
