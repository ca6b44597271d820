#include "slice/depend.h"

#include <stdlib.h>

#include "base/memory.h"
#include "slice/control.h"

static void depend_edge(struct depend *d, int from, int to, enum depend_kind kind)
{
    d->edges = memory_grow(d->edges, &d->edge_room, d->edge_count, sizeof *d->edges);
    d->edges[d->edge_count++] = (struct dependence){from, to, kind};
}

static void depend_value(struct depend *d, int from, LLVMValueRef on, enum depend_kind kind)
{
    int number = program_number(d->p, on);
    if (number >= 0)
        depend_edge(d, from, number, kind);
}

/* ---- memory ---- */

static void depend_memory(struct depend *d, int node, LLVMValueRef pointer, uint64_t size, bool writes)
{
    int one, count;
    const int *has = points_of(d->points, pointer, &one, &count);
    for (int i = 0; i < count; i++) {
        uint64_t at = 0;
        for (int cell; (cell = objects_next_cell(&d->points->o, has[i], size, &at)) >= 0;)
            depend_edge(d, writes ? d->cells + cell : node, writes ? node : d->cells + cell,
                        writes ? DEPEND_WRITE : DEPEND_READ);
    }
}

static uint64_t depend_size(const struct depend *d, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(d->p->layout, type) : 1;
}

/* ---- calls ---- */

static void depend_outside(struct depend *d, int call, LLVMValueRef v)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(v); i++) {
        LLVMValueRef a = LLVMGetOperand(v, i);
        unsigned effect = points_effect(d->p, call, i);
        bool sized = points_is_called(v, "memcpy") || points_is_called(v, "memmove") || points_is_called(v, "memset");
        LLVMValueRef length = sized && LLVMGetNumArgOperands(v) > 2 ? LLVMGetOperand(v, 2) : NULL;
        uint64_t size = length && LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
        if (effect == EFFECT_NONE)
            continue;
        depend_value(d, call, a, DEPEND_VALUE);
        if (effect & EFFECT_READS)
            depend_memory(d, call, a, size, false);
        if (effect & EFFECT_WRITES)
            depend_memory(d, call, a, size, true);
    }
}

static void depend_target(struct depend *d, const struct scheduler *s, int call, LLVMValueRef v, int function)
{
    const struct function *f = &d->p->functions[function];
    if (!scheduler_replaces(s, call, function))
        depend_edge(d, d->functions + function, d->calls + call, DEPEND_CALL);
    depend_edge(d, call, d->results + function, DEPEND_RESULT);
    for (int i = 0; i < f->parameters && i < (int)LLVMGetNumArgOperands(v); i++) {
        depend_value(d, f->first_parameter + i, LLVMGetOperand(v, (unsigned)i), DEPEND_ARGUMENT);
        depend_value(d, call, LLVMGetOperand(v, (unsigned)i), DEPEND_THROUGH);
    }
}

static void depend_call(struct depend *d, const struct scheduler *s, int call, int block)
{
    LLVMValueRef v = d->p->instructions[call].value, callee = LLVMGetCalledValue(v);
    int function = program_function(d->p, callee);
    depend_edge(d, d->calls + call, d->blocks + block, DEPEND_INSIDE);
    if (function < 0)
        depend_value(d, d->calls + call, callee, DEPEND_VALUE);
    depend_edge(d, call, d->calls + call, DEPEND_VALUE);
    if ((function >= 0 && !d->p->functions[function].blocks) || LLVMIsAInlineAsm(callee))
        depend_outside(d, call, v);
    for (int t = d->points->first_target[call]; t >= 0; t = d->points->targets[t].next)
        depend_target(d, s, call, v, d->points->targets[t].function);
}

/* ---- instructions ---- */

/* A phi's value depends on the way by which its block was reached. */
static void depend_phi(struct depend *d, int number, LLVMValueRef v)
{
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        int block = program_block(d->p, LLVMGetIncomingBlock(v, i));
        const struct block *b = &d->p->blocks[block];
        int end = b->first + b->count - 1;
        depend_value(d, number, LLVMGetIncomingValue(v, i), DEPEND_VALUE);
        depend_edge(d, number, d->blocks + block, DEPEND_INSIDE);
        if (LLVMGetNumSuccessors(d->p->instructions[end].value) > 1)
            depend_edge(d, number, end, DEPEND_BRANCH);
    }
}

static void depend_instruction_edges(struct depend *d, const struct scheduler *s, int number, int block)
{
    LLVMValueRef v = d->p->instructions[number].value;
    depend_edge(d, number, d->blocks + block, DEPEND_INSIDE);
    switch (d->p->instructions[number].opcode) {
    case LLVMPHI: depend_phi(d, number, v); break;
    case LLVMCall: depend_call(d, s, number, block); break;
    case LLVMLoad:
        depend_value(d, number, LLVMGetOperand(v, 0), DEPEND_VALUE);
        depend_memory(d, number, LLVMGetOperand(v, 0), depend_size(d, LLVMTypeOf(v)), false);
        break;
    case LLVMStore:
        depend_value(d, number, LLVMGetOperand(v, 0), DEPEND_VALUE);
        depend_value(d, number, LLVMGetOperand(v, 1), DEPEND_VALUE);
        depend_memory(d, number, LLVMGetOperand(v, 1), depend_size(d, LLVMTypeOf(LLVMGetOperand(v, 0))), true);
        break;
    case LLVMRet:
        depend_edge(d, d->results + d->p->blocks[block].function, number, DEPEND_RESULT);
        if (LLVMGetNumOperands(v))
            depend_value(d, number, LLVMGetOperand(v, 0), DEPEND_VALUE);
        break;
    default:
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
            depend_value(d, number, LLVMGetOperand(v, i), DEPEND_VALUE);
    }
}

static void depend_control(void *context, int block, int decides)
{
    struct depend *d = context;
    const struct block *b = &d->p->blocks[decides];
    depend_edge(d, d->blocks + block, b->first + b->count - 1, DEPEND_BRANCH);
}

static void depend_function_edges(struct depend *d, const struct scheduler *s, int function)
{
    const struct function *f = &d->p->functions[function];
    for (int b = f->first_block; b < f->first_block + f->blocks; b++) {
        depend_edge(d, d->blocks + b, d->functions + function, DEPEND_INSIDE);
        for (int i = d->p->blocks[b].first; i < d->p->blocks[b].first + d->p->blocks[b].count; i++)
            depend_instruction_edges(d, s, i, b);
    }
    control_of(d->p, function, depend_control, d);
}

/* An object that became one cell late: the cells it had before are that one. */
static void depend_collapsed(struct depend *d)
{
    const struct objects *o = &d->points->o;
    for (size_t i = 0; i < o->count; i++) {
        if (!o->list[i].collapsed)
            continue;
        int one = map_get(&o->of_cell, (uintptr_t)i, 0);
        for (int c = o->list[i].cells; c >= 0 && one >= 0; c = o->cells[c].before)
            if (c != one) {
                depend_edge(d, d->cells + one, d->cells + c, DEPEND_VALUE);
                depend_edge(d, d->cells + c, d->cells + one, DEPEND_VALUE);
            }
    }
}

static void depend_index(const struct depend *d, bool by_from, int **first, int **list)
{
    *first = memory_array((size_t)d->count + 2, sizeof **first);
    *list = memory_array(d->edge_count + 1, sizeof **list);
    for (size_t i = 0; i < d->edge_count; i++)
        (*first)[(by_from ? d->edges[i].from : d->edges[i].to) + 1]++;
    for (int n = 0; n < d->count; n++)
        (*first)[n + 1] += (*first)[n];
    int *fill = memory_array((size_t)d->count + 1, sizeof *fill);
    for (size_t i = 0; i < d->edge_count; i++) {
        int at = by_from ? d->edges[i].from : d->edges[i].to;
        (*list)[(*first)[at] + fill[at]++] = (int)i;
    }
    free(fill);
}

void depend_make(struct depend *d, struct points *points, const struct scheduler *s)
{
    const struct program *p = points->p;
    *d = (struct depend){.points = points, .p = p};
    d->results = p->instruction_count + p->parameter_count;
    d->blocks = d->results + p->function_count;
    d->functions = d->blocks + p->block_count;
    d->calls = d->functions + p->function_count;
    d->cells = d->calls + p->instruction_count;
    for (int f = 0; f < p->function_count; f++)
        if (p->functions[f].is_reachable)
            depend_function_edges(d, s, f);
    for (size_t i = 0; i < s->count; i++)
        depend_edge(d, d->functions + s->posts[i].function, d->calls + s->posts[i].call, DEPEND_POST);
    depend_collapsed(d);
    d->count = d->cells + (int)points->o.cell_count;
    depend_index(d, true, &d->first_to, &d->to);
    depend_index(d, false, &d->first_from, &d->from);
}

void depend_free(struct depend *d)
{
    free(d->edges);
    free(d->first_to);
    free(d->to);
    free(d->first_from);
    free(d->from);
}

bool depend_descends(const struct depend *d, const struct dependence *e)
{
    return e->kind == DEPEND_RESULT && e->to >= d->results && e->to < d->blocks;
}

int depend_function(const struct depend *d, int node)
{
    if (node < d->results)
        return program_function_of(d->p, node);
    if (node < d->blocks)
        return node - d->results;
    if (node < d->functions)
        return d->p->blocks[node - d->blocks].function;
    if (node < d->calls)
        return node - d->functions;
    return node < d->cells ? program_function_of(d->p, node - d->calls) : -1;
}

int depend_instruction(const struct depend *d, int node)
{
    if (node < d->p->instruction_count)
        return node;
    return node >= d->calls && node < d->cells ? node - d->calls : -1;
}
