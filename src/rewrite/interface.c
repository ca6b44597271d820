#include "rewrite/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/calls.h"
#include "rewrite/handlers.h"
#include "rewrite/live.h"
#include "rewrite/owned.h"
#include "rewrite/reads.h"
#include "rewrite/sleep.h"
#include "rewrite/wrappers.h"

/* A function of which a wrapper is there, or declared. */
struct interface_wrapped {
    int declaration;
    enum wrapper_kind kind;
};

struct interface_work {
    struct pass *p;
    struct component *c;
    const char *source;
    uint8_t *sides; /* enum owned_side, by the node of a function's first declaration */
    bool *entered, *foreign;
    struct owned owned;
    struct interface_wrapped *wrapped;
    size_t wrapped_count, wrapped_room;
    unsigned numbers; /* of the next wrapper: they begin with 1 */
    bool inside;      /* some code of the source is */
};

static const struct tree_node *interface_at(const struct interface_work *k, int node)
{
    return tree_at(k->p->t, node);
}

/* ---- sides ---- */

/* What compilers and C libraries bring is part of its caller (src/interface/boundary.c has the same). */
static bool interface_is_library(const struct tree_node *n)
{
    static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp",  "memchr",
                                        "strlen", "strcpy",  "strcmp", "strncmp", "strcat",
                                        "strchr", "abs",     "labs",   "div",     NULL};
    return n->is_of_system || strncmp(n->name, "__builtin_", 10) == 0 || strncmp(n->name, "__nesc_", 7) == 0 ||
           pass_is_named(n, names);
}

static enum owned_side interface_side(const struct interface_work *k, int function)
{
    const struct tree_node *n = interface_at(k, function);
    int definition = pass_definition_of(k->p, n->declaration);
    unsigned line, column;
    if (interface_is_library(n))
        return OWNED_LIBRARY;
    if (definition >= 0) {
        const char *file = tree_place(k->p->t, definition, &line, &column);
        const char *owner = pieces_source(file, k->source);
        return pieces_inside(k->c->pieces, k->c->count, n->name, owner) ? OWNED_INSIDE : OWNED_OUTSIDE;
    }
    return pieces_inside(k->c->pieces, k->c->count, n->name, "") || component_defines(k->c, n->name) ? OWNED_INSIDE
                                                                                                     : OWNED_OUTSIDE;
}

static int interface_side_of(const struct interface_work *k, int function)
{
    int first = function < 0 ? -1 : interface_at(k, function)->declaration;
    return first < 0 ? OWNED_OUTSIDE : k->sides[first];
}

/* Variables of other files, unless these are inside; with globs, those with other names. */
static bool interface_is_foreign(const struct interface_work *k, int variable)
{
    const struct tree_node *n = interface_at(k, variable);
    if (tree_function(k->p->t, variable) >= 0 && !n->is_extern)
        return interface_side_of(k, tree_function(k->p->t, variable)) != OWNED_INSIDE;
    for (size_t i = 0; i < k->c->count; i++)
        if (k->c->pieces[i].kind == PIECE_GLOB && piece_matches(&k->c->pieces[i], n->name, ""))
            return false;
    if (component_has_source(k->c, k->source) && !n->is_extern)
        return false;
    for (size_t i = 0; i < tree_count(k->p->t) && component_has_source(k->c, k->source); i++)
        if (interface_at(k, (int)i)->kind == NODE_VARIABLE && interface_at(k, (int)i)->parent < 0 &&
            !interface_at(k, (int)i)->is_extern && strcmp(interface_at(k, (int)i)->name, n->name) == 0)
            return false;
    return !component_defines(k->c, n->name);
}

static void interface_find_sides(struct interface_work *k)
{
    for (size_t i = 0; i < tree_count(k->p->t); i++) {
        const struct tree_node *n = interface_at(k, (int)i);
        if (n->kind == NODE_FUNCTION && n->declaration == (int)i) {
            k->sides[i] = (uint8_t)interface_side(k, (int)i);
            bool here = pass_definition_of(k->p, (int)i) >= 0;
            k->inside |= k->sides[i] == OWNED_INSIDE && here;
            k->entered[i] = !n->is_static;
        }
    }
    for (size_t i = 0; k->inside && i < tree_count(k->p->t); i++)
        if (interface_at(k, (int)i)->kind == NODE_VARIABLE)
            k->foreign[i] = interface_is_foreign(k, (int)i);
}

/* ---- references to functions ---- */

/* The wrapper that a reference is to go through; false: none. */
static bool interface_wrapper_of(const struct interface_work *k, int reference, enum wrapper_kind *kind)
{
    const struct tree_node *n = interface_at(k, reference);
    int around = tree_function(k->p->t, reference);
    int from = interface_side_of(k, around), to = k->sides[n->declaration];
    bool called = pass_is_called_here(k->p, reference);
    if (to == OWNED_LIBRARY || (around >= 0 && from == OWNED_LIBRARY) || pass_is_unevaluated(k->p, reference))
        return false;
    *kind = to == OWNED_INSIDE ? WRAPPER_IN : WRAPPER_OUT;
    if (to == OWNED_INSIDE)
        return !(around >= 0 && from == OWNED_INSIDE && called);
    return around >= 0 && from == OWNED_INSIDE && called;
}

static bool interface_is_function(const struct interface_work *k, int node)
{
    const struct tree_node *n = interface_at(k, node);
    return n->kind == NODE_REFERENCE && n->declaration >= 0 && interface_at(k, n->declaration)->kind == NODE_FUNCTION;
}

/* A function whose address is taken may be called from anywhere; so may those of which a wrapper is called. */
static void interface_find_entered(struct interface_work *k)
{
    enum wrapper_kind kind;
    for (size_t i = 0; i < tree_count(k->p->t); i++)
        if (interface_is_function(k, (int)i) && interface_wrapper_of(k, (int)i, &kind) && kind == WRAPPER_IN)
            k->entered[interface_at(k, (int)i)->declaration] = true;
}

/* Before the declaration at the top of the file that holds a node. */
static uint32_t interface_before(const struct interface_work *k, int node)
{
    while (interface_at(k, node)->parent >= 0)
        node = interface_at(k, node)->parent;
    uint32_t at = interface_at(k, node)->start;
    for (; at > 0 && k->p->text[at - 1] != ';' && k->p->text[at - 1] != '}'; at--) {
        uint32_t line = at - 1;
        if (k->p->text[line] != '\n')
            continue;
        while (line > 0 && k->p->text[line - 1] != '\n')
            line--;
        if (k->p->text[line] == '#')
            break;
    }
    return pass_behind_space(k->p, at);
}

static bool interface_is_wrapped(const struct interface_work *k, int declaration, enum wrapper_kind kind)
{
    for (size_t i = 0; i < k->wrapped_count; i++)
        if (k->wrapped[i].declaration == declaration && k->wrapped[i].kind == kind)
            return true;
    return false;
}

/* A function inside that code in other files calls by its name: its wrapper has that. */
static bool interface_is_exported(const struct interface_work *k, int declaration)
{
    return !interface_at(k, declaration)->is_static;
}

/* A prototype, before the first of the file. */
static void interface_prototype(struct interface_work *k, int declaration)
{
    struct tree_signature s;
    const struct tree_node *n = interface_at(k, declaration);
    const char *kept = pass_is_avr(k->p) ? "noinline,noclone,used" : "noinline,used";
    uint32_t at = interface_before(k, declaration);
    if (!tree_signature(k->p->t, declaration, &s) || s.count > TREE_PARAMETERS)
        return;
    bool here = pass_definition_of(k->p, declaration) >= 0;
    edits_add(&k->p->edits, at, EDIT_OPEN, "%s __typeof__(%s) %s(", n->is_static ? "static" : "extern", s.result,
              n->name);
    for (unsigned i = 0; i < s.count; i++)
        edits_add(&k->p->edits, at, EDIT_OPEN, "%s__typeof__(%s)", i ? "," : "", s.parameters[i].type);
    edits_add(&k->p->edits, at, EDIT_OPEN, "%s)", s.count ? "" : "void");
    if (interface_is_exported(k, declaration))
        edits_add(&k->p->edits, at, EDIT_OPEN, "__asm__(\"motet_real_%s\")", n->name);
    edits_add(&k->p->edits, at, EDIT_OPEN, "%s%s%s;", here ? "__attribute__((" : "", here ? kept : "",
              here ? "))" : "");
}

/* Declares the wrapper before its first use. */
static void interface_declare(struct interface_work *k, int reference, enum wrapper_kind kind)
{
    int declaration = interface_at(k, reference)->declaration;
    const char *name = interface_at(k, declaration)->name;
    if (interface_is_wrapped(k, declaration, kind))
        return;
    k->wrapped = memory_grow(k->wrapped, &k->wrapped_room, k->wrapped_count, sizeof *k->wrapped);
    k->wrapped[k->wrapped_count++] = (struct interface_wrapped){declaration, kind};
    uint32_t at = interface_before(k, reference);
    bool is_static = interface_at(k, declaration)->is_static;
    if (kind == WRAPPER_IN && !is_static)
        edits_add(&k->p->edits, at, EDIT_OPEN, "extern __typeof__(%s) motet_in_%s __asm__(\"%s\");", name, name, name);
    else
        edits_add(&k->p->edits, at, EDIT_OPEN, "%s __typeof__(%s) %s%s;", is_static ? "static" : "extern", name,
                  wrapper_prefix(k->p, kind), name);
}

static void interface_visit_reference(struct interface_work *k, int node)
{
    enum wrapper_kind kind;
    if (!interface_wrapper_of(k, node, &kind))
        return;
    interface_declare(k, node, kind);
    edits_add(&k->p->edits, interface_at(k, node)->start, EDIT_OPEN, "%s", wrapper_prefix(k->p, kind));
}

/* ---- calls through pointers ---- */

static bool interface_visit_pointer_call(struct interface_work *k, int call)
{
    int callee = interface_at(k, call)->child;
    if (callee < 0 || interface_is_function(k, tree_inner(k->p->t, callee)))
        return true;
    const struct tree_node *c = interface_at(k, callee);
    uint32_t open = pass_behind_space(k->p, c->end);
    bool arguments = tree_child(k->p->t, call, 1) >= 0;
    struct tree_signature s;
    if (!tree_signature(k->p->t, tree_inner(k->p->t, callee), &s))
        return true;
    if (open >= k->p->size || k->p->text[open] != '(')
        return pass_refuse(k->p, call,
                           "this call through a pointer is not understood; write it as pointer(parameters)");
    unsigned number = k->numbers++;
    char *name = pass_flat(k->p, c->start, c->end), types[600] = "";
    for (unsigned i = 0; i < s.count && i < TREE_PARAMETERS; i++)
        snprintf(types + strlen(types), sizeof types - strlen(types), ",__typeof__(%s)", s.parameters[i].type);
    edits_add(&k->p->edits, interface_before(k, call), EDIT_OPEN,
              "static __typeof__(%s) motet_via_%u(__typeof__(%s) (*)(%s)%s);", s.result, number, s.result,
              types[0] ? types + 1 : "void", types);
    edits_add(&k->p->edits, c->start, EDIT_OPEN, "motet_via_%u(", number);
    edits_add(&k->p->edits, c->end, EDIT_CLOSE, "%s/*", arguments ? "," : "");
    edits_add(&k->p->edits, open + 1, EDIT_CLOSE, "*/");
    struct wrapper w = {.kind = WRAPPER_VIA, .node = tree_inner(k->p->t, callee), .name = name, .number = number};
    bool good = wrapper_write(k->p, k->c, &w);
    free(name);
    return good;
}

/* ---- reads ---- */

static bool interface_is_part(const struct interface_work *k, int node)
{
    int above = tree_above(k->p->t, node);
    const struct tree_node *a = above < 0 ? NULL : interface_at(k, above);
    const struct tree_node *n = interface_at(k, node);
    return a && !n->is_pointer && (a->kind == NODE_MEMBER || (a->kind == NODE_SUBSCRIPT && n->is_array));
}

/* Whether it is a variable or a part of one: what pointers lead to is not. */
static bool interface_is_variable(const struct interface_work *k, int node)
{
    const struct tree_node *n = interface_at(k, node);
    int of = n->child < 0 ? -1 : tree_inner(k->p->t, n->child);
    if (n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT)
        return of >= 0 && !interface_at(k, of)->is_pointer && interface_is_variable(k, of);
    return n->kind == NODE_REFERENCE;
}

static void interface_visit_read(struct interface_work *k, int node)
{
    const struct tree_node *n = interface_at(k, node);
    if (k->p->o->calls_only || n->is_array || n->is_void || interface_is_part(k, node) ||
        pass_is_unevaluated(k->p, node))
        return;
    enum use use = live_use(k->p->t, node);
    int above = tree_above(k->p->t, node);
    bool asm_operand = above >= 0 && interface_at(k, above)->kind == NODE_ASM;
    if ((use != USE_READ && use != USE_UPDATE) || asm_operand || !owned_is_shared(&k->owned, node))
        return;
    int64_t value;
    bool update = use == USE_UPDATE ||
                  (interface_at(k, above)->kind == NODE_ASSIGN_OPERATION && interface_at(k, above)->child == node) ||
                  (interface_at(k, above)->kind == NODE_UNARY && interface_at(k, above)->operator== OPERATOR_STEP);
    if (n->is_bit_field || tree_constant(k->p->t, node, &value))
        return;
    char *flat = pass_flat(k->p, n->start, n->end);
    k->p->r->steps++;
    bool spares = wrappers_spare(k->p) && !n->is_volatile && (n->size == 1 || n->size == 2);
    if (update) { /* the value is put back: it is logged before that */
        char size[8] = "";
        if (spares)
            snprintf(size, sizeof size, "%u", (unsigned)n->size);
        edits_add(&k->p->edits, n->start, EDIT_OPEN, "(*({__typeof__(%s)*motet_p=&(", flat);
        edits_add(&k->p->edits, n->end, EDIT_CLOSE, ");%smotet_look%s((const void*)motet_p,sizeof*motet_p);motet_p;}))",
                  wrapper_if_target(k->p), size);
    } else if ((n->integer || n->is_pointer) && (n->size == 1 || n->size == 2 || n->size == 4)) {
        const char *type = n->size == 1 ? "unsigned char" : n->size == 2 ? "unsigned" : "unsigned long";
        edits_add(&k->p->edits, n->start, EDIT_OPEN, "((__typeof__(%s))({const %s__typeof__(%s)*motet_p=&(", flat,
                  spares ? "" : "volatile ", flat);
        bool here = n->size != 4 && interface_is_variable(k, node);
        const char *is_target = wrapper_is_target(k->p);
        edits_add(&k->p->edits, n->end, EDIT_CLOSE, ");%s%smotet_seen%u%s%s(motet_p,(%s)*motet_p)%s;}))", is_target,
                  *is_target ? "?" : "", n->size, spares ? "_in" : "", here ? "_here" : "", type,
                  *is_target ? ":*motet_p" : "");
    } else {
        edits_add(&k->p->edits, n->start, EDIT_OPEN, "({const __typeof__(%s)*motet_p=&(", flat);
        edits_add(&k->p->edits, n->end, EDIT_CLOSE,
                  ");__typeof__(%s) motet_v=*motet_p;%smotet_seen(motet_p,(void*)&motet_v,sizeof motet_v);motet_v;})",
                  flat, wrapper_if_target(k->p));
    }
    free(flat);
}

/* Tables of other files make long logs: each read of them is an event. */
static void interface_warn_foreign(struct interface_work *k, int node)
{
    const struct tree_node *n = interface_at(k, node);
    if (k->p->o->calls_only || n->declaration < 0 || !k->foreign[n->declaration] || (!n->is_array && !n->is_record))
        return;
    for (size_t i = 0; i < k->p->r->warning_count; i++)
        if (strstr(k->p->r->warnings[i], n->name))
            return;
    pass_warn(k->p, node,
              "%s belongs to another file: each read of it is logged. Name that file in --log-interface too", n->name);
}

/* memcpy and the like read what code outside may have changed. */
static void interface_visit_copy(struct interface_work *k, int call)
{
    const struct tree_node *n = interface_at(k, call);
    unsigned reads = owned_copies(n->name);
    for (unsigned i = 0; !k->p->o->calls_only && i < 2; i++) {
        int argument = tree_child(k->p->t, call, i + 1), size = tree_child(k->p->t, call, 3);
        if (!(reads & 1u << i) || argument < 0 || !owned_leads_to_shared(&k->owned, argument))
            continue;
        const struct tree_node *a = interface_at(k, argument);
        unsigned fixed = owned_copied(n->name);
        char *length = fixed      ? memory_format("%u", fixed)
                       : size < 0 ? memory_string("__builtin_strlen(motet_p)+1")
                                  : pass_flat(k->p, interface_at(k, size)->start, interface_at(k, size)->end);
        edits_add(&k->p->edits, a->start, EDIT_OPEN, "({const void*motet_p=(");
        edits_add(&k->p->edits, a->end, EDIT_CLOSE, ");%smotet_look(motet_p,%s);motet_p;})", wrapper_if_target(k->p),
                  length);
        free(length);
        k->p->r->steps++;
    }
}

/* ---- a file ---- */

static bool interface_visit_inside(struct interface_work *k, int node)
{
    switch (interface_at(k, node)->kind) {
    case NODE_CALL: interface_visit_copy(k, node); return interface_visit_pointer_call(k, node);
    case NODE_UNARY:
        if (interface_at(k, node)->operator== OPERATOR_FOLLOW)
            interface_visit_read(k, node);
        return true;
    case NODE_REFERENCE:
        if (interface_is_function(k, node))
            return true;
        interface_visit_read(k, node);
        interface_warn_foreign(k, node);
        return true;
    case NODE_SUBSCRIPT:
    case NODE_MEMBER: interface_visit_read(k, node); return true;
    case NODE_FUNCTION:
        if (pass_handler_of(k->p, node))
            return pass_refuse(k->p, node,
                               "%s is an interrupt handler inside the component: its positions cannot be logged on the "
                               "node yet; leave it outside, or log it in simulation (motet run --log-interface)",
                               interface_at(k, node)->name);
        return true;
    default: return true;
    }
}

static bool interface_visit(struct interface_work *k, int node)
{
    int around = tree_function(k->p->t, node);
    bool used = around < 0 || pass_is_in_use(k->p, around);
    if (!used)
        return true;
    sleep_visit_for_log(k->p, node);
    if (!k->inside)
        return true;
    if (interface_is_function(k, node))
        interface_visit_reference(k, node);
    return around < 0 || interface_side_of(k, around) != OWNED_INSIDE || interface_visit_inside(k, node);
}

/* Functions inside that are defined here for other files get their wrapper too, and those that other files inside
 * define their other name. */
static void interface_export(struct interface_work *k)
{
    for (size_t i = 0; i < tree_count(k->p->t); i++) {
        const struct tree_node *n = interface_at(k, (int)i);
        if (n->kind != NODE_FUNCTION || n->declaration != (int)i || k->sides[i] != OWNED_INSIDE)
            continue;
        bool here = pass_definition_of(k->p, (int)i) >= 0;
        if (!n->is_static && (here || pass_is_in_use(k->p, (int)i)))
            interface_prototype(k, (int)i);
        else if (n->is_static && k->entered[i])
            interface_prototype(k, (int)i);
    }
}

/* What the linker and the host must know: variables of the component that others change, as FILE and name; names by
 * which code outside would reach those that they do not. */
static void interface_add_owned(struct interface_work *k)
{
    for (size_t i = 0; i < tree_count(k->p->t); i++) {
        const struct tree_node *n = interface_at(k, (int)i);
        bool variable = n->kind == NODE_VARIABLE && !k->foreign[i] && (n->parent < 0 || n->is_static) && !n->is_extern;
        bool function = n->kind == NODE_FUNCTION && n->declaration == (int)i && !n->is_static &&
                        k->sides[i] == OWNED_INSIDE && pass_definition_of(k->p, (int)i) >= 0;
        if (variable && k->owned.shared[i])
            edits_add(&k->p->edits, (uint32_t)k->p->size, EDIT_OPEN,
                      "__asm__(\".pushsection .motet.shared,\\\"\\\",@progbits\\n\\t.asciz "
                      "\\\"%s\\\"\\n\\t.popsection\");\n",
                      n->name);
        else if ((variable && !n->is_static) || (function && owned_gives(&k->owned, (int)i)))
            edits_add(&k->p->edits, (uint32_t)k->p->size, EDIT_OPEN,
                      "__asm__(\".pushsection .motet.owned,\\\"\\\",@progbits\\n\\t.asciz "
                      "\\\"%s\\\"\\n\\t.popsection\");\n",
                      n->name);
    }
}

/* clang may keep one byte of a variable that it finds to have two values, and then nobody knows where that variable is.
 * The log begins with all variables of the component, so they are kept as they are written. */
static void interface_keep_variables(struct interface_work *k)
{
    uint32_t last = UINT32_MAX; /* several variables of one declaration begin at one place */
    for (size_t i = 0; i < tree_count(k->p->t) && !pass_is_avr(k->p); i++) {
        const struct tree_node *n = interface_at(k, (int)i);
        if (n->kind == NODE_VARIABLE && n->is_static && !k->foreign[i] && n->start != last && n->fixed_address < 0)
            edits_add(&k->p->edits, last = n->start, EDIT_OPEN, "__attribute__((__used__)) ");
    }
}

static bool interface_write_wrappers(struct interface_work *k)
{
    for (size_t i = 0; i < tree_count(k->p->t); i++) {
        const struct tree_node *n = interface_at(k, (int)i);
        bool here = n->kind == NODE_FUNCTION && n->declaration == (int)i && pass_definition_of(k->p, (int)i) >= 0;
        if (here && k->sides[i] == OWNED_INSIDE && !n->is_static && !interface_is_wrapped(k, (int)i, WRAPPER_IN)) {
            edits_add(&k->p->edits, (uint32_t)k->p->size, EDIT_OPEN,
                      "extern __typeof__(%s) motet_in_%s __asm__(\"%s\");\n", n->name, n->name, n->name);
            k->wrapped = memory_grow(k->wrapped, &k->wrapped_room, k->wrapped_count, sizeof *k->wrapped);
            k->wrapped[k->wrapped_count++] = (struct interface_wrapped){(int)i, WRAPPER_IN};
        }
    }
    for (size_t i = 0; i < k->wrapped_count; i++) {
        int declaration = k->wrapped[i].declaration;
        const struct tree_node *n = interface_at(k, declaration);
        bool in = k->wrapped[i].kind == WRAPPER_IN, here = pass_definition_of(k->p, declaration) >= 0;
        if (in && !here)
            continue; /* another file has it */
        int best = here ? pass_definition_of(k->p, declaration) : declaration;
        struct wrapper w = {.kind = k->wrapped[i].kind,
                            .node = best,
                            .name = n->name,
                            .number = k->numbers++,
                            .shared = !in && !n->is_static,
                            .exported = in && !n->is_static};
        if (!wrapper_write(k->p, k->c, &w))
            return false;
    }
    wrappers_end(k->p, k->numbers - 1);
    interface_add_owned(k);
    k->p->r->functions = k->numbers - 1;
    return true;
}

/* The component that the source has code of; the first if it has none. */
static bool interface_choose(struct interface_work *k, struct component *list, size_t count, int *which)
{
    bool *entered = k->entered, found = false;
    *which = 0;
    for (size_t i = 0; i < count; i++) {
        k->c = &list[i];
        k->inside = false;
        interface_find_sides(k);
        if (k->inside && found)
            return pass_refuse(k->p, 0,
                               "this source has code of '%s' and of '%s', and one component at a time is logged",
                               list[*which].target, list[i].target);
        if (k->inside)
            *which = (int)i;
        found |= k->inside;
    }
    memset(entered, 0, tree_count(k->p->t) * sizeof *entered);
    k->c = &list[*which];
    k->inside = false;
    interface_find_sides(k);
    return true;
}

static bool interface_all(struct interface_work *k)
{
    size_t count = tree_count(k->p->t);
    /* After a copy of the first line, by which the compiler names the file. */
    const char *line = memchr(k->p->text, '\n', k->p->size);
    edits_add(&k->p->edits, 0, EDIT_OPEN, "%.*s\nunsigned char motet_idle(void);\n",
              line && k->p->text[0] == '#' ? (int)(line - k->p->text) : 0, k->p->text);
    if (k->inside) {
        wrappers_begin(k->p);
        interface_find_entered(k);
        k->owned = (struct owned){.p = k->p, .sides = k->sides, .entered = k->entered, .foreign = k->foreign};
        owned_find(&k->owned);
        interface_export(k);
        interface_keep_variables(k);
        edits_add(&k->p->edits, (uint32_t)k->p->size, EDIT_OPEN, "\n# 1 \"motet_wrappers.c\" 3\n");
    }
    for (size_t i = 0; i < count; i++)
        if (!interface_visit(k, (int)i))
            return false;
    reads_leave_out_addresses(k->p);
    handlers_wake(k->p);
    return !k->inside || interface_write_wrappers(k);
}

bool interface_rewrite(const char *path, const char *source, const struct instrument_options *o, struct component *c,
                       size_t number, struct instrumented *r, struct motet_error *e)
{
    struct pass p;
    struct instrument_options of_component = *o;
    if (!pass_open(&p, path, &of_component, r, e))
        return false;
    size_t count = tree_count(p.t);
    struct interface_work k = {.p = &p, .source = source, .numbers = 1};
    k.sides = memory_array(count + 1, sizeof *k.sides);
    k.entered = memory_array(count + 1, sizeof *k.entered);
    k.foreign = memory_array(count + 1, sizeof *k.foreign);
    handlers_find(&p);
    calls_count(&p);
    bool good = interface_choose(&k, c, number, &of_component.component);
    if (number < 2)
        of_component.component = -1;
    good = good && interface_all(&k);
    owned_free(&k.owned);
    free(k.wrapped);
    free(k.sides);
    free(k.entered);
    free(k.foreign);
    return pass_close(&p, good);
}
