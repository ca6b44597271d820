#include "slice/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "slice/delays.h"
#include "slice/next.h"
#include "slice/plan.h"
#include "slice/report.h"

/* An analysis of one program. */
struct analysis {
    struct program p;
    struct points points;
    struct scheduler scheduler;
    struct depend d;
};

static void slice_analyse(struct analysis *a, LLVMModuleRef module, const char *post)
{
    program_make(&a->p, module);
    points_make(&a->points, &a->p);
    scheduler_find(&a->scheduler, &a->points, post);
    depend_make(&a->d, &a->points, &a->scheduler);
}

static void slice_free(struct analysis *a)
{
    depend_free(&a->d);
    scheduler_free(&a->scheduler);
    points_free(&a->points);
    program_free(&a->p);
}

/* Files and functions at which the walk ends. */
static bool slice_find_stops(const struct analysis *a, const struct slice_options *o, bool *stops,
                             struct motet_error *e)
{
    for (size_t i = 0; i < o->stop_count; i++) {
        bool found = false;
        for (int f = 0; f < a->p.function_count; f++) {
            const struct function *is = &a->p.functions[f];
            if (is->blocks && (stated_is_name(is->name, o->stops[i]) || stated_is_file(is->file, o->stops[i])))
                stops[f] = found = true;
        }
        if (!found)
            return error_set(e, "--stop-at %s: there is no such function, and no such file with a function",
                             o->stops[i]);
    }
    return true;
}

/* What traces of a level lead to. */
static bool slice_next(const struct slice_options *o, struct report *r, struct motet_error *e)
{
    struct next n;
    bool good = next_find(&n, r, e);
    r->chosen = n.in;
    r->level = n.level;
    if (good && o->plan)
        good = plan_write(r, o->plan, e);
    else if (good)
        next_print(&n, r);
    next_free(&n);
    return good;
}

/* What is printed of a walk. */
static bool slice_report(const struct slice_options *o, struct report *r, struct motet_error *e)
{
    if (o->graph && !r->l)
        return error_set(e, "--graph draws levels, which a slice forward has not");
    if (o->seen_level && !r->l)
        return error_set(e, "--next goes by levels, which a slice forward has not");
    if (o->graph && !report_graph(r, o->graph, e))
        return false;
    if (o->nodes && !report_nodes(r, o->nodes, e))
        return false;
    if (o->seen_level)
        return slice_next(o, r, e);
    if (o->plan)
        return plan_write(r, o->plan, e);
    if (o->why)
        return report_why(r, o->why, e);
    if (o->json)
        report_json(r);
    else
        report_table(r);
    return true;
}

static bool slice_is_timed(const struct invariant *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].s.kind != STATED_ALWAYS)
            return true;
    return false;
}

static bool slice_backward(struct analysis *a, const struct slice_options *o, struct invariant *list, const bool *stops,
                           FILE *out, struct motet_error *e)
{
    int *from = NULL;
    size_t count = 0;
    for (size_t i = 0; i < o->invariant_count; i++) {
        if (!invariant_find(&list[i], &a->d, e)) {
            free(from);
            return false;
        }
        from = memory_resize(from, count + list[i].node_count + list[i].check_count + 1, sizeof *from);
        for (size_t n = 0; n < list[i].node_count; n++)
            from[count++] = list[i].nodes[n];
        for (size_t n = 0; n < list[i].check_count; n++) /* whether it is checked */
            from[count++] = a->d.functions + list[i].checks[n];
    }
    struct walk w;
    struct levels l;
    walk_make(&w, &a->d, from, count, false, stops);
    bool *delays = slice_is_timed(list, o->invariant_count) ? delays_find(&a->d, &a->scheduler) : NULL;
    levels_make(&l, &a->d, &w, list, o->invariant_count, delays);
    struct report r = {.o = o,
                       .d = &a->d,
                       .w = &w,
                       .l = &l,
                       .invariants = list,
                       .stops = stops,
                       .delays = delays,
                       .all = walk_all_functions(&a->p),
                       .level = o->level < l.highest ? o->level : l.highest,
                       .out = out};
    bool good = slice_report(o, &r, e);
    if (good && w.functions == r.all && !o->plan && !o->seen_level)
        good =
            error_set(e, "the slice is the whole program: everything can affect the invariant. --stop-at FILE|FUNCTION "
                         "makes a boundary whose results are recorded, for example at the radio; levels stay small");
    levels_free(&l);
    walk_free(&w);
    free(delays);
    free(from);
    return good;
}

/* Of a function, all that it does; of a variable, what reads it. */
static bool slice_find_start(struct analysis *a, const char *text, struct invariant *v, struct motet_error *e)
{
    invariant_of_name(v, text);
    const char *name = v->s.names[0].name;
    int function = program_find(&a->p, v->s.file[0] ? v->s.file : NULL, name, 0);
    if (function < 0)
        return invariant_find(v, &a->d, e);
    for (; function >= 0; function = program_find(&a->p, v->s.file[0] ? v->s.file : NULL, name, function + 1)) {
        const struct function *f = &a->p.functions[function];
        for (int b = f->first_block; b < f->first_block + f->blocks; b++)
            for (int i = a->p.blocks[b].first; i < a->p.blocks[b].first + a->p.blocks[b].count; i++) {
                v->nodes = memory_grow(v->nodes, &v->node_room, v->node_count, sizeof *v->nodes);
                v->nodes[v->node_count++] = i;
            }
    }
    return true;
}

static bool slice_forward(struct analysis *a, const struct slice_options *o, const bool *stops, FILE *out,
                          struct motet_error *e)
{
    struct invariant start = {0};
    bool good = slice_find_start(a, o->forward, &start, e);
    if (good) {
        struct walk w;
        walk_make(&w, &a->d, start.nodes, start.node_count, true, stops);
        struct report r = {.o = o, .d = &a->d, .w = &w, .stops = stops, .all = walk_all_functions(&a->p), .out = out};
        good = slice_report(o, &r, e);
        walk_free(&w);
    }
    invariant_free(&start);
    return good;
}

static bool slice_module(const struct slice_options *o, LLVMModuleRef module, struct invariant *list, FILE *out,
                         struct motet_error *e)
{
    for (size_t i = 0; i < o->invariant_count; i++)
        invariant_keep(&list[i], module);
    if (!ir_promote(module, e))
        return false;
    struct analysis a;
    slice_analyse(&a, module, o->post);
    bool *stops = memory_array((size_t)a.p.function_count + 1, sizeof *stops);
    bool good = slice_find_stops(&a, o, stops, e) &&
                (o->forward ? slice_forward(&a, o, stops, out, e) : slice_backward(&a, o, list, stops, out, e));
    free(stops);
    slice_free(&a);
    return good;
}

bool motet_llvm_slice(const struct slice_options *o, FILE *out, struct motet_error *e)
{
    struct invariant *list = memory_array(o->invariant_count + 1, sizeof *list);
    bool good = true;
    if (!o->forward && !o->invariant_count)
        good = error_set(e, "what is to be sliced? Give --invariant 'FILE.c:FUNCTION: EXPRESSION', or --forward NAME");
    for (size_t i = 0; good && i < o->invariant_count; i++)
        good = invariant_parse(&list[i], o->invariants[i], e);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = good ? ir_make(context, &o->input, e) : NULL;
    good = module && slice_module(o, module, list, out, e);
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    for (size_t i = 0; i < o->invariant_count; i++)
        invariant_free(&list[i]);
    free(list);
    return good;
}
