#include "native/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/tree.h"

/* What the evaluation of an expression touches. */
struct order_effects {
    struct order_touch {
        int variable;         /* an entry */
        uint32_t first, last; /* bits of it */
        bool written;
    } * list;
    size_t count, room;
    bool reads, writes; /* through a pointer, or in a function that is not known */
    bool outside;       /* accesses that the world sees: volatile, or in a function that is not known */
};

enum order_state { ORDER_NEW, ORDER_UNDER_WAY, ORDER_KNOWN };

struct order_function {
    enum order_state state;
    struct order_effects effects;
};

/* A name that several files share: the variable or function that is called so. */
struct order_shared {
    const char *name;
    int entry;
};

/* All files together. An *entry* is a node of one of their trees, counted on from file to file. */
struct order {
    struct tree **trees;
    int *first; /* by file: its first entry; one more at the end */
    size_t files;
    struct tree *t; /* the file at hand, and its first entry */
    int base;
    bool *reachable;                  /* by variable: pointers may lead to it */
    int *definition;                  /* by declaration of a function: its definition, -1 if it has none */
    struct order_function *functions; /* by definition */
    struct order_shared *shared;      /* by name */
    size_t shared_count, shared_room;
    struct refusals *refusals;
};

/* ---- effects ---- */

static bool order_meet(const struct order_touch *a, const struct order_touch *b)
{
    return a->variable == b->variable && a->first <= b->last && b->first <= a->last;
}

static void order_touch(struct order_effects *f, struct order_touch t)
{
    for (size_t i = 0; i < f->count; i++) {
        struct order_touch *known = &f->list[i];
        if (known->variable == t.variable && known->first == t.first && known->last == t.last) {
            known->written |= t.written;
            return;
        }
    }
    f->list = memory_grow(f->list, &f->room, f->count, sizeof *f->list);
    f->list[f->count++] = t;
}

static void order_everything(struct order_effects *f)
{
    f->reads = f->writes = f->outside = true;
}

static void order_join(struct order_effects *f, const struct order_effects *other)
{
    for (size_t i = 0; i < other->count; i++)
        order_touch(f, other->list[i]);
    f->reads |= other->reads;
    f->writes |= other->writes;
    f->outside |= other->outside;
}

/* Whether what `f` writes is anything that `g` reads or writes. */
static bool order_disturbs(const struct order *o, const struct order_effects *f, const struct order_effects *g)
{
    if (f->writes && (g->reads || g->writes))
        return true;
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].written && (g->reads || g->writes) && o->reachable[f->list[i].variable])
            return true;
    for (size_t k = 0; k < g->count; k++) {
        if (f->writes && o->reachable[g->list[k].variable])
            return true;
        for (size_t i = 0; i < f->count; i++)
            if (f->list[i].written && order_meet(&f->list[i], &g->list[k]))
                return true;
    }
    return false;
}

/* ---- what is evaluated ---- */

static void order_in_file(struct order *o, size_t file)
{
    o->t = o->trees[file];
    o->base = o->first[file];
}

static size_t order_file(const struct order *o, int entry)
{
    size_t file = 0;
    while (o->first[file + 1] <= entry)
        file++;
    return file;
}

static void order_value(struct order *o, int node, struct order_effects *f);

static bool order_is_part_of_object(const struct order *o, int node)
{
    const struct tree_node *base = tree_at(o->t, tree_inner(o->t, tree_child(o->t, node, 0)));
    return tree_at(o->t, node)->kind == NODE_MEMBER ? !base->is_pointer : base->is_array;
}

static int order_by_name(const void *a, const void *b)
{
    return strcmp(((const struct order_shared *)a)->name, ((const struct order_shared *)b)->name);
}

static int order_shared(const struct order *o, const char *name)
{
    struct order_shared wanted = {.name = name};
    const struct order_shared *found =
        o->shared_count ? bsearch(&wanted, o->shared, o->shared_count, sizeof wanted, order_by_name) : NULL;
    return found ? found->entry : -1;
}

static bool order_is_shared(const struct tree *t, int declaration)
{
    return !tree_at(t, declaration)->is_static && tree_function(t, declaration) < 0;
}

/* The variable that a declaration of the file at hand is about; -1: not known. */
static int order_variable(const struct order *o, int declaration)
{
    if (declaration < 0 || !order_is_shared(o->t, declaration))
        return declaration < 0 ? -1 : o->base + declaration;
    return order_shared(o, tree_at(o->t, declaration)->name);
}

/* The variable that an lvalue is of, or which part of it; false: it is what a pointer leads to. */
static bool order_part(const struct order *o, int node, struct order_touch *part)
{
    node = tree_inner(o->t, node);
    const struct tree_node *n = tree_at(o->t, node);
    if (n->kind == NODE_REFERENCE) {
        *part = (struct order_touch){.variable = order_variable(o, n->declaration), .last = UINT32_MAX};
        return part->variable >= 0;
    }
    if ((n->kind != NODE_MEMBER && n->kind != NODE_SUBSCRIPT) || n->child < 0 || !order_is_part_of_object(o, node) ||
        !order_part(o, n->child, part))
        return false;
    if (n->kind == NODE_MEMBER && n->bit_width) {
        part->first += n->bit_offset;
        part->last = part->first + n->bit_width - 1;
    }
    return true;
}

/* Working out where an lvalue is, without reading it. */
static void order_place(struct order *o, int node, struct order_effects *f)
{
    node = tree_inner(o->t, node);
    const struct tree_node *n = tree_at(o->t, node);
    if (n->kind == NODE_REFERENCE)
        return;
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW) {
        order_value(o, n->child, f);
    } else if (n->kind == NODE_MEMBER && n->child >= 0) {
        (order_is_part_of_object(o, node) ? order_place : order_value)(o, n->child, f);
    } else if (n->kind == NODE_SUBSCRIPT) {
        (order_is_part_of_object(o, node) ? order_place : order_value)(o, n->child, f);
        order_value(o, tree_child(o->t, node, 1), f);
    } else {
        order_value(o, node, f);
    }
}

/* A volatile variable is memory as any other, unless it has the address of a register. */
static bool order_is_outside(const struct order *o, int node, const struct order_touch *part)
{
    if (!tree_at(o->t, tree_inner(o->t, node))->is_volatile || !part)
        return tree_at(o->t, tree_inner(o->t, node))->is_volatile;
    size_t file = order_file(o, part->variable);
    return tree_at(o->trees[file], part->variable - o->first[file])->fixed_address >= 0;
}

static void order_access(struct order *o, int node, bool write, struct order_effects *f)
{
    struct order_touch part;
    bool known = order_part(o, node, &part);
    part.written = write;
    if (known)
        order_touch(f, part);
    else if (write)
        f->writes = true;
    else
        f->reads = true;
    f->outside |= order_is_outside(o, node, known ? &part : NULL);
}

static void order_children(struct order *o, int node, struct order_effects *f)
{
    for (int c = tree_at(o->t, node)->child; c >= 0; c = tree_at(o->t, c)->next)
        order_value(o, c, f);
}

static bool order_is_local(const struct order *o, int variable)
{
    const struct tree *t = o->trees[order_file(o, variable)];
    int node = variable - o->first[order_file(o, variable)];
    return !tree_at(t, node)->is_static && tree_function(t, node) >= 0;
}

static const struct order_effects *order_of_function(struct order *o, int definition)
{
    struct order_function *function = &o->functions[definition];
    struct order_effects inside = {0};
    if (function->state == ORDER_UNDER_WAY) /* it calls itself */
        order_everything(&function->effects);
    if (function->state != ORDER_NEW)
        return &function->effects;
    function->state = ORDER_UNDER_WAY;
    size_t from = order_file(o, o->base), file = order_file(o, definition);
    order_in_file(o, file);
    order_value(o, tree_last_child(o->t, definition - o->base), &inside);
    order_in_file(o, from);
    for (size_t i = 0; i < inside.count; i++)
        if (!order_is_local(o, inside.list[i].variable))
            order_touch(&function->effects, inside.list[i]);
    function->effects.reads |= inside.reads;
    function->effects.writes |= inside.writes;
    function->effects.outside |= inside.outside;
    function->state = ORDER_KNOWN;
    free(inside.list);
    return &function->effects;
}

static int order_definition(const struct order *o, int declaration)
{
    int here = o->definition[o->base + declaration];
    int elsewhere = here < 0 ? order_shared(o, tree_at(o->t, declaration)->name) : -1;
    return elsewhere >= 0 ? o->definition[elsewhere] : here;
}

static void order_call(struct order *o, int node, struct order_effects *f)
{
    int called = tree_inner(o->t, tree_child(o->t, node, 0));
    const struct tree_node *n = called >= 0 ? tree_at(o->t, called) : NULL;
    order_children(o, node, f);
    const char *name = n && n->name ? n->name : "";
    bool direct = n && n->kind == NODE_REFERENCE && n->declaration >= 0;
    int definition = direct ? order_definition(o, n->declaration) : -1;
    if (strncmp(name, "motet_look", 10) == 0 || strncmp(name, "motet_seen", 10) == 0)
        return; /* a component's reads are taken from its log by their addresses (target/native/component.c) */
    if (strncmp(name, "motet_out_", 10) == 0 || strncmp(name, "motet_via_", 10) == 0)
        order_everything(f);
    else if (strncmp(name, "motet_", 6) == 0)
        f->outside = true; /* the recorder's: an event of the log, which touches no variable of the firmware */
    else if (definition >= 0)
        order_join(f, order_of_function(o, definition));
    else if (strncmp(name, "__builtin_", 10) != 0)
        order_everything(f);
}

static void order_unary(struct order *o, int node, struct order_effects *f)
{
    const struct tree_node *n = tree_at(o->t, node);
    if (n->operator== OPERATOR_ADDRESS || n->operator== OPERATOR_STEP)
        order_place(o, n->child, f);
    else
        order_value(o, n->child, f);
    if (n->operator== OPERATOR_STEP) {
        order_access(o, n->child, false, f);
        order_access(o, n->child, true, f);
    } else if (n->operator== OPERATOR_FOLLOW && !n->is_array) {
        order_access(o, node, false, f);
    }
}

static void order_value(struct order *o, int node, struct order_effects *f)
{
    if (node < 0)
        return;
    const struct tree_node *n = tree_at(o->t, node);
    switch (n->kind) {
    case NODE_SIZEOF:
    case NODE_LITERAL: return;
    case NODE_ASM: order_everything(f); return;
    case NODE_CALL: order_call(o, node, f); return;
    case NODE_REFERENCE:
        if (!n->is_array && n->declaration >= 0 && tree_at(o->t, n->declaration)->kind != NODE_FUNCTION)
            order_access(o, node, false, f);
        return;
    case NODE_MEMBER:
    case NODE_SUBSCRIPT:
        order_place(o, node, f);
        if (!n->is_array)
            order_access(o, node, false, f);
        return;
    case NODE_UNARY: order_unary(o, node, f); return;
    case NODE_ASSIGN_OPERATION: order_access(o, n->child, false, f); /* fall through */
    case NODE_BINARY:
        if (n->kind == NODE_BINARY && n->operator!= OPERATOR_ASSIGN)
            break;
        order_place(o, n->child, f);
        order_value(o, tree_child(o->t, node, 1), f);
        order_access(o, n->child, true, f);
        return;
    default: break;
    }
    order_children(o, node, f);
}

/* ---- places ---- */

static void order_refuse(struct order *o, int node, const char *what)
{
    unsigned line, column;
    const char *file = tree_place(o->t, node, &line, &column);
    refusals_add(o->refusals, file, line, "the result depends on which of %s is evaluated first", what);
}

static void order_compare(struct order *o, int node, const struct order_effects *f, const struct order_effects *g,
                          const char *what)
{
    if ((f->outside && g->outside) || order_disturbs(o, f, g) || order_disturbs(o, g, f))
        order_refuse(o, node, what);
}

static void order_arguments(struct order *o, int node)
{
    struct order_effects before = {0};
    for (int c = tree_at(o->t, node)->child; c >= 0; c = tree_at(o->t, c)->next) {
        struct order_effects here = {0};
        order_value(o, c, &here);
        order_compare(o, node, &before, &here, "these arguments");
        order_join(&before, &here);
        free(here.list);
    }
    free(before.list);
}

/* Of an assignment: the place on its left, and its right. */
static void order_assignment(struct order *o, int node)
{
    const struct tree_node *n = tree_at(o->t, node);
    struct order_effects left = {0}, right = {0};
    order_place(o, n->child, &left);
    if (n->kind == NODE_ASSIGN_OPERATION)
        order_access(o, n->child, false, &left);
    order_value(o, tree_child(o->t, node, 1), &right);
    order_compare(o, node, &left, &right, "these operands");
    free(left.list);
    free(right.list);
}

static bool order_is_sum(const struct tree_node *n)
{
    return n->kind == NODE_BINARY &&
           (n->operator== OPERATOR_ADD || n->operator== OPERATOR_SUBTRACT || n->operator== OPERATOR_AND ||
            n->
            operator== OPERATOR_OR || n->
            operator== OPERATOR_XOR || n->
            operator== OPERATOR_OTHER);
}

/* The plain variables among the terms of an operand. */
static void order_terms(struct order *o, int node, struct order_effects *f)
{
    const struct tree_node *n = tree_at(o->t, node = tree_inner(o->t, node));
    if (n->kind == NODE_CAST || n->kind == NODE_UNARY) {
        order_terms(o, tree_last_child(o->t, node), f);
    } else if (order_is_sum(n)) {
        order_terms(o, n->child, f);
        order_terms(o, tree_child(o->t, node, 1), f);
    } else if (n->kind == NODE_REFERENCE) {
        order_value(o, node, f);
    }
}

/* Both compilers evaluate the left operand first, but gcc puts plain variables last, also across terms of a sum. */
static void order_operands(struct order *o, int node)
{
    int operand[2] = {tree_child(o->t, node, 0), tree_child(o->t, node, 1)};
    for (unsigned i = 0; i < 2; i++) {
        struct order_effects terms = {0}, other = {0};
        order_terms(o, operand[i], &terms);
        order_value(o, operand[1 - i], &other);
        order_compare(o, node, &terms, &other, "these operands");
        free(terms.list);
        free(other.list);
    }
}

static void order_look(struct order *o, int node)
{
    const struct tree_node *n = tree_at(o->t, node);
    enum operator x = n->operator;
    bool in_order = x == OPERATOR_BOTH || x == OPERATOR_EITHER || x == OPERATOR_COMMA;
    if (n->kind == NODE_CALL)
        order_arguments(o, node);
    else if (n->kind == NODE_ASSIGN_OPERATION || (n->kind == NODE_BINARY && x == OPERATOR_ASSIGN))
        order_assignment(o, node);
    else if (n->kind == NODE_SUBSCRIPT || (n->kind == NODE_BINARY && !in_order))
        order_operands(o, node);
}

/* ---- all files ---- */

static bool order_is_definition(const struct tree *t, int node)
{
    const struct tree_node *n = tree_at(t, node);
    int last = n->kind == NODE_FUNCTION ? tree_last_child(t, node) : -1;
    return last >= 0 && tree_at(t, last)->kind == NODE_COMPOUND;
}

/* Of a name that is declared several times the first stays, of a function its definition. */
static void order_share(struct order *o)
{
    for (size_t f = 0; f < o->files; f++)
        for (int i = 0; i < (int)tree_count(o->trees[f]); i++) {
            const struct tree_node *n = tree_at(o->trees[f], i);
            bool variable = n->kind == NODE_VARIABLE && order_is_shared(o->trees[f], i);
            if (!n->name || !(variable || (!n->is_static && order_is_definition(o->trees[f], i))))
                continue;
            o->shared = memory_grow(o->shared, &o->shared_room, o->shared_count, sizeof *o->shared);
            o->shared[o->shared_count++] = (struct order_shared){n->name, o->first[f] + i};
        }
    if (o->shared_count)
        qsort(o->shared, o->shared_count, sizeof *o->shared, order_by_name);
    size_t kept = 0;
    for (size_t i = 0; i < o->shared_count; i++)
        if (!kept || strcmp(o->shared[kept - 1].name, o->shared[i].name) != 0)
            o->shared[kept++] = o->shared[i];
    o->shared_count = kept;
}

static void order_find_definitions(struct order *o)
{
    for (int i = 0; i < (int)tree_count(o->t); i++)
        o->definition[o->base + i] = -1;
    for (int i = 0; i < (int)tree_count(o->t); i++)
        if (order_is_definition(o->t, i)) {
            int declaration = tree_at(o->t, i)->declaration;
            o->definition[o->base + i] = o->base + i;
            if (declaration >= 0)
                o->definition[o->base + declaration] = o->base + i;
        }
}

/* A pointer may lead to arrays, and to that whose address is taken. */
static void order_find_reachable(struct order *o)
{
    for (int i = 0; i < (int)tree_count(o->t); i++) {
        const struct tree_node *n = tree_at(o->t, i);
        struct order_touch part;
        bool address = n->kind == NODE_UNARY && n->operator== OPERATOR_ADDRESS;
        int variable = n->kind == NODE_VARIABLE && n->is_array ? order_variable(o, i) : -1;
        if ((address || (n->kind == NODE_MEMBER && n->is_array)) && order_part(o, address ? n->child : i, &part))
            variable = part.variable;
        if (variable >= 0)
            o->reachable[variable] = true;
    }
}

static void order_each(struct order *o, void (*what)(struct order *o))
{
    for (size_t f = 0; f < o->files; f++) {
        order_in_file(o, f);
        what(o);
    }
}

static void order_look_at_all(struct order *o)
{
    for (int i = 0; i < (int)tree_count(o->t); i++)
        order_look(o, i);
}

static void order_judge(struct order *o)
{
    size_t entries = (size_t)o->first[o->files];
    o->reachable = memory_array(entries, sizeof *o->reachable);
    o->functions = memory_array(entries, sizeof *o->functions);
    o->definition = memory_array(entries, sizeof *o->definition);
    order_share(o);
    order_each(o, order_find_definitions);
    order_each(o, order_find_reachable);
    order_each(o, order_look_at_all);
    for (size_t i = 0; i < entries; i++)
        free(o->functions[i].effects.list);
}

bool order_check(char *const *paths, size_t count, const char *target, const char *const *types,
                 struct refusals *refusals, struct motet_error *e)
{
    struct order o = {.trees = memory_array(count, sizeof *o.trees), .refusals = refusals};
    o.first = memory_array(count + 1, sizeof *o.first);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        o.trees[i] = tree_parse(paths[i], target, false, types, e);
        good = o.trees[i] != NULL;
        o.files += good;
        o.first[o.files] = o.first[o.files - good] + (good ? (int)tree_count(o.trees[i]) : 0);
    }
    if (good)
        order_judge(&o);
    for (size_t i = 0; i < o.files; i++)
        tree_free(o.trees[i]);
    free(o.trees);
    free(o.first);
    free(o.reachable);
    free(o.definition);
    free(o.functions);
    free(o.shared);
    return good;
}
