#include "slice/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/stated.h"

static void scheduler_add(struct scheduler *s, int call, int function)
{
    for (size_t i = s->count; i-- > 0 && s->posts[i].call == call;)
        if (s->posts[i].function == function)
            return;
    s->posts = memory_grow(s->posts, &s->room, s->count, sizeof *s->posts);
    s->posts[s->count++] = (struct post){call, function};
    s->known[function] = true;
}

static bool scheduler_can_run(const struct program *p, int instruction)
{
    return p->functions[program_function_of(p, instruction)].is_reachable;
}

/* ---- queues of objects ---- */

static bool scheduler_is_post(const struct program *p, int function, const char *post)
{
    const char *name = p->functions[function].name;
    return strcmp(name, "task_post") == 0 || (post && stated_is_name(name, post));
}

/* Every function that the object holds may be what is posted. */
static void scheduler_post_object(struct scheduler *s, struct points *points, int call, int object)
{
    const struct program *p = points->p;
    int base = p->instruction_count + p->parameter_count + p->function_count;
    for (int c = points->o.list[object].cells; c >= 0; c = points->o.cells[c].before) {
        if ((size_t)base + (size_t)c >= points->node_count)
            continue;
        const struct set *has = &points->nodes[base + c].has;
        for (int i = 0; i < has->count; i++) {
            const struct object *o = &points->o.list[points->o.locations[has->list[i]].object];
            if (o->kind == OBJECT_FUNCTION && o->function >= 0)
                scheduler_add(s, call, o->function);
        }
    }
}

static void scheduler_find_posts(struct scheduler *s, struct points *points, const char *post, bool *posted)
{
    const struct program *p = points->p;
    for (int i = 0; i < p->instruction_count; i++) {
        int callee = p->instructions[i].opcode == LLVMCall ? program_callee(p, i) : -1;
        if (callee < 0 || !scheduler_is_post(p, callee, post) || !LLVMGetNumArgOperands(p->instructions[i].value) ||
            !scheduler_can_run(p, i))
            continue;
        int one, count;
        const int *has = points_of(points, LLVMGetOperand(p->instructions[i].value, 0), &one, &count);
        for (int n = 0; n < count; n++) {
            posted[points->o.locations[has[n]].object] = true;
            scheduler_post_object(s, points, i, points->o.locations[has[n]].object);
        }
    }
}

/* A call of a function that was read out of posted objects only. */
static void scheduler_find_runs(struct scheduler *s, struct points *points, const bool *posted)
{
    const struct program *p = points->p;
    for (int i = 0; i < p->instruction_count; i++) {
        if (p->instructions[i].opcode != LLVMCall || program_callee(p, i) >= 0 || !scheduler_can_run(p, i))
            continue;
        LLVMValueRef callee = LLVMGetCalledValue(p->instructions[i].value);
        if (!LLVMIsALoadInst(callee))
            continue;
        int one, count;
        const int *has = points_of(points, LLVMGetOperand(callee, 0), &one, &count);
        bool all = count > 0;
        for (int n = 0; n < count; n++)
            all = all && posted[points->o.locations[has[n]].object];
        s->runs[i] = s->runs[i] || all;
    }
}

/* ---- nesC: queues of numbers ---- */

static bool scheduler_ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static LLVMValueRef scheduler_switch(const struct program *p, const struct function *f)
{
    for (int b = f->first_block; b < f->first_block + f->blocks; b++) {
        LLVMValueRef end = p->instructions[p->blocks[b].first + p->blocks[b].count - 1].value;
        if (LLVMIsASwitchInst(end) && LLVMGetNumOperands(end) > 2 && f->parameters &&
            program_number(p, LLVMGetOperand(end, 0)) >= 0)
            return end;
    }
    return NULL;
}

/* The post of a number, in the block that the switch leads to. */
static void scheduler_post_number(struct scheduler *s, const struct program *p, LLVMValueRef by, uint64_t number,
                                  int call)
{
    for (unsigned i = 2; i + 1 < (unsigned)LLVMGetNumOperands(by); i += 2) {
        if (LLVMConstIntGetZExtValue(LLVMGetOperand(by, i)) != number)
            continue;
        const struct block *b = &p->blocks[program_block(p, LLVMValueAsBasicBlock(LLVMGetOperand(by, i + 1)))];
        for (int n = b->first; n < b->first + b->count; n++)
            if (p->instructions[n].opcode == LLVMCall && program_callee(p, n) >= 0) {
                scheduler_add(s, call, program_callee(p, n));
                s->runs[n] = true;
            }
    }
}

static void scheduler_find_numbers(struct scheduler *s, const struct program *p)
{
    LLVMValueRef by = NULL;
    for (int f = 0; f < p->function_count && !by; f++)
        if (scheduler_ends_in(p->functions[f].name, "runTask") && p->functions[f].is_reachable)
            by = scheduler_switch(p, &p->functions[f]);
    bool constant = by != NULL;
    for (int pass = 0; pass < 2 && constant; pass++)
        for (int i = 0; i < p->instruction_count; i++) {
            int callee = p->instructions[i].opcode == LLVMCall ? program_callee(p, i) : -1;
            if (callee < 0 || !p->functions[callee].parameters || !scheduler_can_run(p, i) ||
                !scheduler_ends_in(p->functions[callee].name, "postTask"))
                continue;
            LLVMValueRef number = LLVMGetOperand(p->instructions[i].value, 0);
            if (pass == 0)
                constant = constant && LLVMIsAConstantInt(number);
            else
                scheduler_post_number(s, p, by, LLVMConstIntGetZExtValue(number), i);
        }
}

void scheduler_find(struct scheduler *s, struct points *points, const char *post)
{
    const struct program *p = points->p;
    *s = (struct scheduler){.runs = memory_array((size_t)p->instruction_count + 1, sizeof *s->runs),
                            .known = memory_array((size_t)p->function_count + 1, sizeof *s->known)};
    bool *posted = memory_array(points->o.count + 1, sizeof *posted);
    scheduler_find_posts(s, points, post, posted);
    scheduler_find_runs(s, points, posted);
    scheduler_find_numbers(s, p);
    free(posted);
}

void scheduler_free(struct scheduler *s)
{
    free(s->posts);
    free(s->runs);
    free(s->known);
}

bool scheduler_replaces(const struct scheduler *s, int call, int function)
{
    return s->runs[call] && s->known[function];
}
