#include "slice/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"

void invariant_of_name(struct invariant *v, const char *text)
{
    const char *colon = strrchr(text, ':');
    *v = (struct invariant){.s = {.text = text, .name_count = 1}, .checker = -1, .calls = -1};
    if (colon)
        snprintf(v->s.file, sizeof v->s.file, "%.*s", (int)(colon - text), text);
    snprintf(v->s.names[0].name, sizeof v->s.names[0].name, "%s", colon ? colon + 1 : text);
    v->s.expression = v->s.text;
}

bool invariant_parse(struct invariant *v, const char *text, struct motet_error *e)
{
    *v = (struct invariant){.checker = -1, .calls = -1};
    return stated_parse(&v->s, text, e);
}

void invariant_free(struct invariant *v)
{
    free(v->nodes);
    free(v->checks);
}

/* ---- in the program ---- */

void invariant_keep(const struct invariant *v, LLVMModuleRef module)
{
    char name[512];
    unsigned line;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && v->s.function[0]; f = LLVMGetNextFunction(f)) {
        ir_name(f, name, sizeof name);
        if (!stated_is_name(name, v->s.function) || (v->s.file[0] && !stated_is_file(ir_file(f, &line), v->s.file)))
            continue;
        for (size_t i = 0; i < v->s.name_count; i++)
            ir_keep_local(module, f, v->s.names[i].name);
    }
}

static void invariant_add_node(struct invariant *v, int node)
{
    for (size_t i = 0; i < v->node_count; i++)
        if (v->nodes[i] == node)
            return;
    v->nodes = memory_grow(v->nodes, &v->node_room, v->node_count, sizeof *v->nodes);
    v->nodes[v->node_count++] = node;
}

static void invariant_add_check(struct invariant *v, const struct program *p, int function)
{
    int group = p->functions[function].group;
    for (size_t i = 0; i < v->check_count; i++)
        if (v->checks[i] == group)
            return;
    v->checks = memory_grow(v->checks, &v->check_room, v->check_count, sizeof *v->checks);
    v->checks[v->check_count++] = group;
}

/* All cells of an object that anything accesses, and of what they point to if a pointer is followed. */
static void invariant_add_object(struct invariant *v, const struct depend *d, int object, bool follows)
{
    const struct points *s = d->points;
    for (int c = s->o.list[object].cells; c >= 0; c = s->o.cells[c].before) {
        invariant_add_node(v, d->cells + c);
        size_t node = (size_t)d->blocks + (size_t)c; /* cells follow the results, among points' nodes */
        for (int i = 0; follows && node < s->node_count && i < s->nodes[node].has.count; i++)
            invariant_add_object(v, d, s->o.locations[s->nodes[node].has.list[i]].object, false);
    }
}

static bool invariant_is_variable(const struct invariant *v, const struct program *p, LLVMValueRef g, const char *name,
                                  bool here)
{
    char is[512], local[512];
    unsigned line;
    ir_name(g, is, sizeof is);
    bool file = !v->s.file[0] || stated_is_file(ir_file(g, &line), v->s.file);
    (void)p;
    if (here) {
        snprintf(local, sizeof local, "%s.%s", v->s.function, name);
        return file && ((v->s.function[0] && strcmp(is, local) == 0) || stated_is_name(is, name));
    }
    return LLVMGetLinkage(g) != LLVMInternalLinkage && stated_is_name(is, name);
}

static bool invariant_find_global(struct invariant *v, const struct depend *d, const struct stated_name *n, bool here)
{
    bool found = false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->p->module); g; g = LLVMGetNextGlobal(g)) {
        if (!invariant_is_variable(v, d->p, g, n->name, here))
            continue;
        found = true;
        int object = map_get(&d->points->o.of_value, (uintptr_t)g, 0);
        if (object >= 0)
            invariant_add_object(v, d, object, n->follows);
    }
    return found;
}

static bool invariant_find_local(struct invariant *v, const struct depend *d, const struct stated_name *n)
{
    bool found = false;
    size_t length = strlen(n->name);
    for (size_t i = 0; i < d->points->o.count; i++) {
        const struct object *o = &d->points->o.list[i];
        if (o->kind != OBJECT_LOCAL || !v->s.function[0] ||
            !stated_is_name(d->p->functions[o->function].name, v->s.function))
            continue;
        const char *is = LLVMGetValueName(o->value);
        if (strncmp(is, n->name, length) == 0 &&
            (strcmp(is + length, ".addr") == 0 || strspn(is + length, "0123456789") == strlen(is + length))) {
            invariant_add_object(v, d, (int)i, n->follows);
            found = true;
        }
    }
    return found;
}

static bool invariant_find_name(struct invariant *v, const struct depend *d, const struct stated_name *n,
                                struct motet_error *e)
{
    int function = program_find(d->p, NULL, n->name, 0);
    if (n->calls && function >= 0) {
        invariant_add_node(v, d->results + function);
        return true;
    }
    if (invariant_find_local(v, d, n) || invariant_find_global(v, d, n, true) || invariant_find_global(v, d, n, false))
        return true;
    return error_set(e, "invariant '%s': there is no variable '%s'%s%s%s%s", v->s.text, n->name,
                     v->s.function[0] ? " in function " : "", v->s.function, v->s.file[0] ? " in " : "", v->s.file);
}

/* ---- where it is checked ---- */

static void invariant_find_lines(struct invariant *v, const struct program *p)
{
    for (int i = 0; i < p->instruction_count; i++) {
        unsigned line;
        const char *file = ir_file(p->instructions[i].value, &line);
        if (line >= v->s.first_line && line <= v->s.last_line && (!v->s.file[0] || stated_is_file(file, v->s.file)))
            invariant_add_check(v, p, program_function_of(p, i));
    }
}

/* Where it is not told: each function that may write one of its variables. */
static void invariant_find_writers(struct invariant *v, const struct depend *d)
{
    for (size_t i = 0; i < v->node_count; i++)
        for (int e = d->first_to[v->nodes[i]]; e < d->first_to[v->nodes[i] + 1]; e++)
            if (d->edges[d->to[e]].kind == DEPEND_WRITE)
                invariant_add_check(v, d->p, depend_function(d, d->edges[d->to[e]].to));
}

static bool invariant_find_checks(struct invariant *v, const struct depend *d, struct motet_error *e)
{
    if (v->s.first_line) {
        invariant_find_lines(v, d->p);
        return v->check_count || error_set(e, "invariant '%s': no code comes from these lines of %s", v->s.text,
                                           v->s.file[0] ? v->s.file : "it");
    }
    if (v->s.function[0]) {
        for (int f = program_find(d->p, v->s.file[0] ? v->s.file : NULL, v->s.function, 0); f >= 0;
             f = program_find(d->p, v->s.file[0] ? v->s.file : NULL, v->s.function, f + 1))
            invariant_add_check(v, d->p, f);
        return v->check_count || error_set(e, "invariant '%s': there is no function '%s'%s%s", v->s.text, v->s.function,
                                           v->s.file[0] ? " in " : "", v->s.file);
    }
    invariant_find_writers(v, d);
    return true;
}

/* ---- a function that checks ---- */

static void invariant_add_operand(struct invariant *v, const struct depend *d, LLVMValueRef value, bool *reached);

/* The variables of files that it reads, also through functions that it calls. */
static void invariant_add_reads(struct invariant *v, const struct depend *d, int function, bool *reached)
{
    const struct program *p = d->p;
    const struct function *f = &p->functions[function];
    if (reached[function])
        return;
    reached[function] = true;
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            for (int n = 0; n < LLVMGetNumOperands(p->instructions[i].value); n++)
                invariant_add_operand(v, d, LLVMGetOperand(p->instructions[i].value, (unsigned)n), reached);
}

static void invariant_add_operand(struct invariant *v, const struct depend *d, LLVMValueRef value, bool *reached)
{
    if (LLVMIsAFunction(value)) {
        int called = program_function(d->p, value);
        if (called >= 0)
            invariant_add_reads(v, d, called, reached);
    } else if (LLVMIsAGlobalVariable(value)) {
        int object = map_get(&d->points->o.of_value, (uintptr_t)value, 0);
        if (object >= 0)
            invariant_add_object(v, d, object, true);
    } else if (LLVMIsAConstantExpr(value)) {
        for (int n = 0; n < LLVMGetNumOperands(value); n++)
            invariant_add_operand(v, d, LLVMGetOperand(value, (unsigned)n), reached);
    }
}

/* No function of its file calls it: it is checked in those of them that may write one of its variables. */
static bool invariant_find_uncalled(struct invariant *v, const struct depend *d, struct motet_error *e)
{
    const struct program *p = d->p;
    bool *reached = memory_array((size_t)p->function_count, sizeof *reached);
    size_t kept = v->check_count;
    invariant_add_reads(v, d, v->calls, reached);
    size_t from = kept;
    invariant_find_writers(v, d);
    for (size_t i = from; i < v->check_count; i++)
        if (!reached[v->checks[i]] && strcmp(p->functions[v->checks[i]].file, p->functions[v->calls].file) == 0)
            v->checks[kept++] = v->checks[i];
    v->check_count = kept;
    free(reached);
    return kept || error_set(e, "invariant '%s': nothing calls %s, and no function of its file writes what it reads",
                             v->s.text, v->s.function);
}

/* The whole function is the criterion; where it is called, it is checked. */
static bool invariant_find_checker(struct invariant *v, const struct depend *d, struct motet_error *e)
{
    const struct program *p = d->p;
    v->calls = program_find(p, v->s.file[0] ? v->s.file : NULL, v->s.function, 0);
    if (v->calls < 0)
        return error_set(e, "invariant '%s': there is no function '%s'%s%s", v->s.text, v->s.function,
                         v->s.file[0] ? " in " : "", v->s.file);
    const struct function *f = &p->functions[v->calls];
    bool here = false; /* a function of its file calls it */
    if (!f->is_reachable)
        return invariant_find_uncalled(v, d, e);
    v->checker = v->calls;
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            invariant_add_node(v, i);
    for (int n = d->first_to[d->functions + v->checker]; n < d->first_to[d->functions + v->checker + 1]; n++) {
        int caller = depend_function(d, d->edges[d->to[n]].to);
        here = here || strcmp(p->functions[caller].file, f->file) == 0;
        invariant_add_check(v, p, caller);
    }
    return here || invariant_find_uncalled(v, d, e);
}

bool invariant_find(struct invariant *v, struct depend *d, struct motet_error *e)
{
    bool alone = v->s.expression && v->s.name_count == 1 && !v->s.function[0] && v->s.kind == STATED_ALWAYS &&
                 strcmp(v->s.names[0].name, v->s.expression) == 0 &&
                 program_find(d->p, NULL, v->s.names[0].name, 0) >= 0;
    if (alone)
        snprintf(v->s.function, sizeof v->s.function, "%s", v->s.names[0].name);
    if ((!v->s.expression && v->s.kind == STATED_ALWAYS) || alone)
        return invariant_find_checker(v, d, e);
    for (size_t i = 0; i < v->s.name_count; i++)
        if (!invariant_find_name(v, d, &v->s.names[i], e))
            return false;
    if (!v->node_count && v->s.kind == STATED_ALWAYS)
        return error_set(e, "invariant '%s': no code that can run accesses a variable of it", v->s.text);
    return invariant_find_checks(v, d, e);
}
