#include "slice/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"
#include "record/trace_plan.h"

enum {
    READ_INSIDE = 1,
    WRITTEN_INSIDE = 2,
    WRITTEN_OUTSIDE = 4,
    READ_BY_HANDLER = 8,
    WRITTEN_BY_HANDLER = 16,
    WRITTEN_FAR = 32
};
enum { WRITTEN = WRITTEN_INSIDE | WRITTEN_OUTSIDE };
enum { AVR_SREG = 0x5f, MOST_SHORT = 40, MOST_OWN = 64 };

struct plan {
    const struct report *r;
    const struct depend *d;
    const struct program *p;
    enum trace_kind *kind;      /* by function; of copies all */
    bool *may_pass;             /* by function: it can do inside what it does, without instrumentation */
    bool *inlined;              /* by function: it is traced, and entered and left only inside, which nobody notes */
    unsigned *number;           /* by group, from 1; 0: none */
    bool *in_main, *in_handler; /* by function: main, or a handler, can lead there */
    unsigned char *marks;       /* by cell: what is done to it */
    unsigned functions, cells;
    FILE *f;
};

/* ---- functions ---- */

static int plan_level(const struct plan *p, int function)
{
    int group = p->p->functions[function].group;
    const struct levels *l = p->r->l;
    return l->in[group] && (l->real[group] == group || l->real[group] < 0) ? l->level[group] : 0;
}

/* The instructions of a function one after the other: *at is -1 at first; -1: no more. */
static int plan_next(const struct plan *p, int function, int *at)
{
    const struct function *f = &p->p->functions[function];
    if (!f->blocks)
        return -1;
    const struct block *last = &p->p->blocks[f->first_block + f->blocks - 1];
    *at = *at < 0 ? p->p->blocks[f->first_block].first : *at + 1;
    return *at < last->first + last->count ? *at : -1;
}

static bool plan_returns(const struct plan *p, int function)
{
    for (int at = -1, i; (i = plan_next(p, function, &at)) >= 0;)
        if (p->p->instructions[i].opcode == LLVMRet)
            return true;
    return false;
}

/* What an access is to: a cell's number, and whether it is read or written; false for other dependences. */
static bool plan_access(const struct plan *p, const struct dependence *e, int *cell, int *by, bool *writes)
{
    if (e->kind != DEPEND_READ && e->kind != DEPEND_WRITE)
        return false;
    *writes = e->kind == DEPEND_WRITE;
    *cell = (*writes ? e->from : e->to) - p->d->cells;
    *by = *writes ? e->to : e->from;
    return true;
}

static const struct object *plan_object(const struct plan *p, int cell)
{
    const struct objects *o = &p->d->points->o;
    return &o->list[o->cells[cell].object];
}

/* Registers have addresses that the source gives, or names that only the linker knows, as on MSP430. */
static bool plan_is_device(const struct object *o)
{
    return o->kind == OBJECT_REGISTERS || (o->kind == OBJECT_VARIABLE && LLVMIsDeclaration(o->value));
}

/* Functions that read registers are inputs: what they do is logged, not replayed. The flags of an AVR are no input. */
static bool *plan_inputs(const struct plan *p)
{
    bool *inputs = memory_array((size_t)p->p->function_count + 1, sizeof *inputs);
    bool avr = strncmp(LLVMGetTarget(p->p->module), "avr", 3) == 0, writes;
    for (size_t i = 0; i < p->d->edge_count; i++) {
        int cell, by;
        if (!plan_access(p, &p->d->edges[i], &cell, &by, &writes) || writes || !plan_is_device(plan_object(p, cell)) ||
            (avr && plan_object(p, cell)->kind == OBJECT_REGISTERS && p->d->points->o.cells[cell].offset == AVR_SREG))
            continue;
        inputs[p->p->functions[depend_function(p->d, by)].group] = true;
    }
    return inputs;
}

static bool plan_is_leaf(const struct plan *p, int function)
{
    for (int at = -1, i; (i = plan_next(p, function, &at)) >= 0;)
        if (p->d->points->first_target[i] >= 0)
            return false;
    return true;
}

/* Short functions that call nothing cost less inside than what they do costs in the log. */
static bool plan_is_short(const struct plan *p, int function)
{
    int count = 0;
    for (int at = -1; plan_is_leaf(p, function) && plan_next(p, function, &at) >= 0;)
        count++;
    return count && count <= MOST_SHORT && plan_returns(p, function);
}

static bool plan_is_inline(const struct function *f)
{
    size_t length = strlen(f->file);
    return length > 2 && strcmp(f->file + length - 2, ".h") == 0;
}

static bool plan_is_checked(const struct plan *p, int function)
{
    for (size_t i = 0; i < p->r->o->invariant_count; i++)
        for (size_t n = 0; n < p->r->invariants[i].check_count; n++)
            if (p->p->functions[p->r->invariants[i].checks[n]].group == p->p->functions[function].group)
                return true;
    return false;
}

/* A function of the highest level, in which nothing is checked: parts share them. */
static bool plan_is_shared_out(const struct plan *p, int function)
{
    return plan_level(p, function) == p->r->level && !plan_is_checked(p, function) &&
           !(p->r->stops && p->r->stops[function]);
}

/* Whether a function belongs to the plan: to what was chosen, or to the part of the highest level that is asked for. */
static bool plan_has(const struct plan *p, int function)
{
    int group = p->p->functions[function].group, level = plan_level(p, function);
    unsigned before = 0;
    if (p->r->stops && p->r->stops[function])
        return false;
    if (p->r->o->measure == SLICE_EVERYTHING)
        return p->p->functions[function].is_reachable;
    if (!level || (!p->r->o->measure && level > p->r->level))
        return false;
    if (p->r->chosen)
        return p->r->chosen[group];
    if (!p->r->o->parts || !plan_is_shared_out(p, function))
        return true;
    for (int f = 0; f < group; f++)
        before += p->p->functions[f].group == f && p->p->functions[f].blocks && plan_is_shared_out(p, f);
    return before % p->r->o->parts == p->r->o->part - 1;
}

static bool plan_inlines(const struct plan *p)
{
    return !p->r->o->measure || p->r->o->measure == SLICE_INLINED;
}

static void plan_choose_traced(struct plan *p)
{
    bool *inputs = plan_inputs(p);
    for (int f = 0; f < p->p->function_count; f++) {
        const struct function *is = &p->p->functions[f];
        bool near = plan_has(p, f);
        if (!is->blocks)
            continue;
        p->may_pass[f] = program_forwards(p->p, f) ||
                         (!is->is_handler && !inputs[is->group] && plan_inlines(p) && plan_is_short(p, f));
        near = near && !(p->may_pass[f] && plan_is_inline(is)); /* what it would log costs more than it */
        if (near && !program_forwards(p->p, f) && !inputs[is->group] && plan_returns(p, f) &&
            !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(is->value)))
            p->kind[f] = TRACE_TRACED;
    }
    free(inputs);
}

static bool plan_is_inside(const struct plan *p, int function)
{
    return p->kind[function] == TRACE_TRACED || p->kind[function] == TRACE_PASSES;
}

static void plan_reach(const struct plan *p, int function, bool *reached)
{
    if (reached[function])
        return;
    reached[function] = true;
    for (int at = -1, i; (i = plan_next(p, function, &at)) >= 0;)
        for (int t = p->d->points->first_target[i]; t >= 0; t = p->d->points->targets[t].next)
            plan_reach(p, p->d->points->targets[t].function, reached);
}

/* All copies of a function. */
static void plan_set(struct plan *p, int function, enum trace_kind kind)
{
    for (int f = 0; f < p->p->function_count; f++)
        if (p->p->functions[f].group == p->p->functions[function].group && p->p->functions[f].blocks)
            p->kind[f] = kind;
}

static void plan_call_from(struct plan *p, int function);

static void plan_call(struct plan *p, int function)
{
    if (p->kind[function] != TRACE_NONE || !p->p->functions[function].blocks)
        return;
    if (!p->may_pass[function]) {
        plan_set(p, function, TRACE_SKIPPED);
        return;
    }
    plan_set(p, function, TRACE_PASSES);
    plan_call_from(p, function);
}

static void plan_call_from(struct plan *p, int function)
{
    for (int at = -1, i; (i = plan_next(p, function, &at)) >= 0;)
        for (int t = p->d->points->first_target[i]; t >= 0; t = p->d->points->targets[t].next)
            plan_call(p, p->d->points->targets[t].function);
}

/* What a check calls: nothing else may have led to it, so points.h need not know the calls. */
static void plan_pass(struct plan *p, int function)
{
    if (p->kind[function] == TRACE_PASSES || p->kind[function] == TRACE_TRACED || !p->p->functions[function].blocks)
        return;
    plan_set(p, function, TRACE_PASSES);
    for (int at = -1, i; (i = plan_next(p, function, &at)) >= 0;) {
        int called = p->p->instructions[i].opcode == LLVMCall ? program_callee(p->p, i) : -1;
        if (called >= 0)
            plan_pass(p, called);
    }
}

static void plan_choose_asked(struct plan *p)
{
    for (size_t i = 0; i < p->r->o->invariant_count; i++) {
        const struct invariant *v = &p->r->invariants[i];
        if (v->calls >= 0)
            plan_pass(p, v->calls);
        for (size_t n = 0; n < v->s.name_count; n++) {
            int called = v->s.names[n].calls ? program_find(p->p, NULL, v->s.names[n].name, 0) : -1;
            if (called >= 0)
                plan_pass(p, called);
        }
    }
}

/* What is called from inside; and functions that the clock of an invariant calls. */
static void plan_choose_skipped(struct plan *p)
{
    for (int f = 0; f < p->p->function_count; f++)
        if (p->kind[f] == TRACE_TRACED)
            plan_call_from(p, f);
    for (const char *at = p->r->o->clock; at && *at;) {
        char name[128];
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int found = length ? program_find(p->p, NULL, name, 0) : -1;
        if (found >= 0)
            plan_call(p, found);
        at += length ? length : 1;
    }
}

/* Section 4.3 of the paper: inlining saves the logs of type 1. Where all calls come from traced functions, a replay
 * makes them again by itself. Nothing is copied for that, so it pays for any number of calls. */
static void plan_choose_inlined(struct plan *p)
{
    bool *called = memory_array((size_t)p->p->function_count + 1, sizeof *called);
    for (int f = 0; f < p->p->function_count; f++)
        p->inlined[f] = plan_inlines(p) && p->kind[f] == TRACE_TRACED && !p->p->functions[f].is_root;
    for (int f = 0; f < p->p->function_count; f++)
        for (int at = -1, i; p->p->functions[f].is_reachable && (i = plan_next(p, f, &at)) >= 0;)
            for (int t = p->d->points->first_target[i]; t >= 0; t = p->d->points->targets[t].next) {
                int group = p->p->functions[p->d->points->targets[t].function].group;
                called[group] = true;
                p->inlined[group] = p->inlined[group] && p->kind[f] == TRACE_TRACED;
            }
    for (int f = 0; f < p->p->function_count; f++)
        p->inlined[f] = p->inlined[p->p->functions[f].group] && called[p->p->functions[f].group];
    free(called);
}

/* ---- cells ---- */

static void plan_mark(struct plan *p)
{
    bool writes;
    p->marks = memory_array(p->d->points->o.cell_count + 1, 1);
    for (size_t i = 0; i < p->d->edge_count; i++) {
        int cell, by;
        if (!plan_access(p, &p->d->edges[i], &cell, &by, &writes))
            continue;
        int f = depend_function(p->d, by);
        bool inside = plan_is_inside(p, f);
        if (inside)
            p->marks[cell] |= writes ? WRITTEN_INSIDE : READ_INSIDE;
        if (writes && p->kind[f] != TRACE_TRACED)
            p->marks[cell] |= inside ? WRITTEN_OUTSIDE : WRITTEN_OUTSIDE | WRITTEN_FAR;
        if (p->in_handler[f] && (writes || inside))
            p->marks[cell] |= writes ? WRITTEN_BY_HANDLER : READ_BY_HANDLER;
    }
    for (size_t i = 0; i < p->r->o->invariant_count; i++)
        for (size_t n = 0; n < p->r->invariants[i].node_count; n++)
            if (p->r->invariants[i].nodes[n] >= p->d->cells)
                p->marks[p->r->invariants[i].nodes[n] - p->d->cells] |= READ_INSIDE;
}

static bool plan_has_array(LLVMTypeRef type)
{
    if (!type || LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return true;
    for (unsigned i = 0; LLVMGetTypeKind(type) == LLVMStructTypeKind && i < LLVMCountStructElementTypes(type); i++)
        if (plan_has_array(LLVMStructGetTypeAtIndex(type, i)))
            return true;
    return false;
}

/* The cells of an array are those of its first element, so an object with one is taken as a whole. */
static bool plan_is_whole(const struct object *o)
{
    return o->collapsed || plan_has_array(o->type);
}

static bool plan_is_read(unsigned marks)
{
    return marks & READ_INSIDE && marks & WRITTEN;
}

/* A whole object has the marks of all its cells. */
static void plan_join_marks(struct plan *p)
{
    const struct objects *o = &p->d->points->o;
    for (size_t i = 0; i < o->count; i++) {
        unsigned char all = 0;
        if (!plan_is_whole(&o->list[i]) || o->list[i].kind == OBJECT_REGISTERS)
            continue;
        for (int c = o->list[i].cells; c >= 0; c = o->cells[c].before)
            all |= p->marks[c];
        for (int c = o->list[i].cells; c >= 0; c = o->cells[c].before)
            p->marks[c] = all;
    }
}

static void plan_write_cell(struct plan *p, const struct object *o, uint64_t offset, uint64_t size, unsigned marks)
{
    char name[300];
    unsigned line;
    const char *file = ir_file(o->value, &line), *dot;
    ir_name(o->value, name, sizeof name);
    dot = strrchr(name, '.'); /* a static variable of a function is FUNCTION.NAME */
    fprintf(p->f, "cell %u %llu %llu %s %s %.*s %s %u %s\n", ++p->cells, (unsigned long long)offset,
            (unsigned long long)size,
            marks & WRITTEN_OUTSIDE ? (marks & WRITTEN_BY_HANDLER ? "interrupts" : "shared") : "own",
            LLVMGetLinkage(o->value) == LLVMInternalLinkage ? "static" : "global", dot ? (int)(dot - name) : 1,
            dot ? name : "-", dot ? dot + 1 : name, line, file);
}

/* A large array that traced functions alone write: a replay has what they have written. */
static void plan_write_left(struct plan *p, const struct object *o)
{
    char name[300];
    unsigned line;
    ir_name(o->value, name, sizeof name);
    fprintf(p->f, "left %llu %s %s\n", (unsigned long long)o->size, name, ir_file(o->value, &line));
}

static void plan_write_cells(struct plan *p)
{
    const struct objects *o = &p->d->points->o;
    for (size_t i = 0; i < o->count; i++) {
        const struct object *is = &o->list[i];
        bool whole = plan_is_whole(is);
        if (is->kind != OBJECT_VARIABLE || LLVMIsDeclaration(is->value) || is->cells < 0)
            continue;
        if (whole && plan_is_read(p->marks[is->cells]) && is->size > MOST_OWN &&
            !(p->marks[is->cells] & WRITTEN_OUTSIDE))
            plan_write_left(p, is);
        else if (whole && plan_is_read(p->marks[is->cells]))
            plan_write_cell(p, is, 0, is->size, p->marks[is->cells]);
        for (int c = is->cells; c >= 0 && !whole; c = o->cells[c].before)
            if (plan_is_read(p->marks[c]))
                plan_write_cell(p, is, o->cells[c].offset, o->cells[c].size, p->marks[c]);
    }
}

/* What checks of invariants about time keep between two of them (rewrite/checks.h). */
static void plan_write_times(struct plan *p)
{
    for (size_t i = 0; i < p->r->o->invariant_count; i++)
        if (p->r->invariants[i].s.kind != STATED_ALWAYS) {
            fprintf(p->f, "cell %u 0 4 own static - motet_last_%zu 0 <motet>\n", ++p->cells, i + 1);
            fprintf(p->f, "cell %u 0 1 own static - motet_begun_%zu 0 <motet>\n", ++p->cells, i + 1);
        }
}

/* ---- handlers ---- */

/* A function outside matters if it runs a traced function, or writes a cell that is read inside. */
static bool plan_matters(const struct plan *p, int function)
{
    bool *reached = memory_array((size_t)p->p->function_count + 1, sizeof *reached), matters = false, writes;
    plan_reach(p, function, reached);
    for (int f = 0; f < p->p->function_count; f++)
        matters = matters || (reached[f] && p->kind[f] == TRACE_TRACED);
    for (size_t i = 0; i < p->d->edge_count && !matters; i++) {
        int cell, by;
        if (plan_access(p, &p->d->edges[i], &cell, &by, &writes) && writes && reached[depend_function(p->d, by)])
            matters = p->marks[cell] & READ_INSIDE && plan_object(p, cell)->kind == OBJECT_VARIABLE;
    }
    free(reached);
    return matters;
}

/* Whether a function changes no cell that is read inside, and runs no traced function. */
static bool plan_is_still(const struct plan *p, int function)
{
    return !plan_matters(p, function);
}

/* What a handler calls must not be taken for calls from inside. */
static bool plan_handler_calls(const struct plan *p, int handler)
{
    bool *reached = memory_array((size_t)p->p->function_count + 1, sizeof *reached), calls = false;
    plan_reach(p, handler, reached);
    for (int f = 0; f < p->p->function_count; f++)
        calls = calls || (reached[f] && p->kind[f] == TRACE_SKIPPED);
    free(reached);
    return calls;
}

static void plan_choose_handlers(struct plan *p)
{
    for (int f = 0; f < p->p->function_count; f++)
        if (p->p->functions[f].is_handler && p->p->functions[f].is_reachable && p->kind[f] == TRACE_NONE &&
            plan_matters(p, f))
            plan_set(p, f, TRACE_SKIPPED);
    for (int f = 0; f < p->p->function_count; f++)
        if (p->p->functions[f].is_handler && p->p->functions[f].is_reachable && p->kind[f] == TRACE_NONE &&
            plan_handler_calls(p, f))
            plan_set(p, f, TRACE_QUIET);
}

/* ---- the text ---- */

static const char *const plan_kinds[] = {[TRACE_NONE] = "",
                                         [TRACE_TRACED] = "traced",
                                         [TRACE_SKIPPED] = "skipped",
                                         [TRACE_PASSES] = "passes",
                                         [TRACE_QUIET] = "quiet"};

static void plan_write_functions(struct plan *p)
{
    for (int f = 0; f < p->p->function_count; f++) {
        const struct function *is = &p->p->functions[f];
        if (p->kind[f] == TRACE_NONE || is->group != f)
            continue;
        p->number[f] = p->kind[f] == TRACE_PASSES || p->kind[f] == TRACE_QUIET ? 0 : ++p->functions;
        if (p->r->o->measure && p->number[f])
            p->number[f] = (p->number[f] - 1) % TRACE_MOST + 1;
        fprintf(p->f, "function %u %d %u %s %s %s %s\n", p->number[f], plan_level(p, f), is->line,
                plan_kinds[p->kind[f]],
                is->is_handler                ? "handler"
                : p->inlined[f]               ? "inlined"
                : p->kind[f] == TRACE_SKIPPED ? (plan_is_still(p, f) ? "still" : "-")
                : plan_is_leaf(p, f)          ? "leaf"
                                              : "-",
                is->name, is->file);
    }
}

/* The variable that an access names; NULL: it goes through a pointer. */
static LLVMValueRef plan_named(LLVMValueRef access)
{
    LLVMValueRef at = LLVMIsALoadInst(access)    ? LLVMGetOperand(access, 0)
                      : LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 1)
                                                 : NULL;
    while (at && (LLVMIsAGetElementPtrInst(at) || LLVMIsAConstantExpr(at)))
        at = LLVMGetOperand(at, 0);
    return at && LLVMIsAGlobalVariable(at) ? at : NULL;
}

/* References before and after which it makes a difference whether a handler has run. */
static void plan_write_references(struct plan *p)
{
    bool writes;
    LLVMValueRef *named = memory_array(p->d->edge_count + 1, sizeof *named);
    int *in = memory_array(p->d->edge_count + 1, sizeof *in);
    size_t count = 0;
    for (size_t i = 0; i < p->d->edge_count; i++) {
        int cell, by;
        if (!plan_access(p, &p->d->edges[i], &cell, &by, &writes))
            continue;
        int f = depend_function(p->d, by), group = p->p->functions[f].group;
        bool matters = p->marks[cell] & WRITTEN_BY_HANDLER || (writes && p->marks[cell] & READ_BY_HANDLER);
        if (p->kind[f] != TRACE_TRACED || !p->in_main[f] || !matters || plan_object(p, cell)->kind != OBJECT_VARIABLE)
            continue;
        LLVMValueRef name = plan_named(p->p->instructions[by].value);
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known = known || (named[k] == name && in[k] == group);
        if (known)
            continue;
        char text[300] = "*";
        if (name)
            ir_name(name, text, sizeof text);
        named[count] = name;
        in[count++] = group;
        fprintf(p->f, "reference %u %s\n", p->number[group], strrchr(text, '.') ? strrchr(text, '.') + 1 : text);
    }
    free(named);
    free(in);
}

/* What a parameter leads to in the frame of another function, in bytes; 0: nothing. */
static uint64_t plan_pointee(const struct plan *p, int f, unsigned n)
{
    int one, count;
    uint64_t size = 0;
    bool inside = plan_is_inside(p, f);
    const struct objects *o = &p->d->points->o;
    const int *has = points_of(p->d->points, LLVMGetParam(p->p->functions[f].value, n), &one, &count);
    for (int i = 0; i < count; i++) {
        const struct location *at = &o->locations[has[i]];
        const struct object *is = &o->list[at->object];
        if (is->kind != OBJECT_LOCAL || plan_is_inside(p, is->function) == inside || is->cells < 0)
            continue;
        bool moved = inside ? p->marks[is->cells] & READ_INSIDE : p->marks[is->cells] & WRITTEN_FAR;
        if (moved && is->size - at->offset > size)
            size = is->size - at->offset;
    }
    return size;
}

static void plan_write_pointees(struct plan *p)
{
    for (int f = 0; f < p->p->function_count; f++)
        for (unsigned n = 0;
             p->p->functions[f].group == f && p->number[f] && n < LLVMCountParams(p->p->functions[f].value); n++)
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(p->p->functions[f].value, n))) == LLVMPointerTypeKind &&
                plan_pointee(p, f, n))
                fprintf(p->f, "pointee %u %u %llu\n", p->number[f], n, (unsigned long long)plan_pointee(p, f, n));
}

bool plan_write(const struct report *r, const char *path, struct motet_error *e)
{
    struct plan p = {.r = r, .d = r->d, .p = r->d->p, .f = fopen(path, "w")};
    size_t count = (size_t)p.p->function_count + 1;
    if (!p.f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    p.kind = memory_array(count, sizeof *p.kind);
    p.may_pass = memory_array(count, sizeof *p.may_pass);
    p.inlined = memory_array(count, sizeof *p.inlined);
    p.number = memory_array(count, sizeof *p.number);
    p.in_main = memory_array(count, sizeof *p.in_main);
    p.in_handler = memory_array(count, sizeof *p.in_handler);
    for (int f = 0; f < p.p->function_count; f++)
        if (p.p->functions[f].is_root && p.p->functions[f].is_reachable)
            plan_reach(&p, f, p.p->functions[f].is_handler ? p.in_handler : p.in_main);
    fprintf(p.f, "level %d\n%s", r->level, r->o->measure ? "measure\n" : "");
    plan_choose_traced(&p);
    plan_choose_asked(&p);
    plan_choose_skipped(&p);
    plan_choose_inlined(&p);
    plan_mark(&p);
    plan_join_marks(&p);
    plan_choose_handlers(&p);
    plan_write_functions(&p);
    plan_write_cells(&p);
    plan_write_times(&p);
    plan_write_references(&p);
    plan_write_pointees(&p);
    free(p.kind);
    free(p.may_pass);
    free(p.inlined);
    free(p.number);
    free(p.in_main);
    free(p.in_handler);
    free(p.marks);
    if (fclose(p.f) != 0)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    return p.functions <= TRACE_MOST || r->o->measure ||
           error_set(
               e,
               "%u functions are traced or skipped up to level %d, and a trace can tell %d apart; take a lower level",
               p.functions, r->level, TRACE_MOST);
}
