#include "slice/cost.h"

#include <stdlib.h>

#include "base/memory.h"

static bool cost_is_traced(const struct depend *d, const struct levels *l, int function, int level)
{
    int node = l->real[d->p->functions[function].group];
    return node >= 0 && node < l->check && l->level[node] > 0 && l->level[node] <= level;
}

/* What accesses each cell. */
enum { READ_INSIDE = 1, WRITTEN_OUTSIDE = 2, TOUCHED_BY_HANDLER = 4 };

static bool cost_in_handler(const struct depend *d, const bool *handlers, int function)
{
    return handlers[d->p->functions[function].group];
}

static void cost_mark_handlers(const struct depend *d, int function, bool *handlers)
{
    const struct program *p = d->p;
    const struct function *f = &p->functions[function];
    if (handlers[f->group])
        return;
    handlers[f->group] = true;
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            for (int t = d->points->first_target[i]; t >= 0; t = d->points->targets[t].next)
                cost_mark_handlers(d, d->points->targets[t].function, handlers);
}

static unsigned char *cost_mark_cells(const struct depend *d, const struct levels *l, int level, const bool *handlers)
{
    unsigned char *marks = memory_array(d->points->o.cell_count + 1, 1);
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct dependence *e = &d->edges[i];
        if (e->kind != DEPEND_READ && e->kind != DEPEND_WRITE)
            continue;
        int cell = (e->kind == DEPEND_READ ? e->to : e->from) - d->cells;
        int function = depend_function(d, e->kind == DEPEND_READ ? e->from : e->to);
        bool traced = cost_is_traced(d, l, function, level);
        if (e->kind == DEPEND_READ && traced)
            marks[cell] |= READ_INSIDE;
        if (e->kind == DEPEND_WRITE && !traced)
            marks[cell] |= WRITTEN_OUTSIDE;
        if (traced && cost_in_handler(d, handlers, function))
            marks[cell] |= TOUCHED_BY_HANDLER;
    }
    return marks;
}

static void cost_of_functions(struct cost *c, const struct depend *d, const struct levels *l, int level)
{
    const struct program *p = d->p;
    for (int f = 0; f < p->function_count; f++) {
        if (!p->functions[f].is_reachable || p->functions[f].group != f || !cost_is_traced(d, l, f, level))
            continue;
        c->functions++;
        c->code += COST_ENTRY;
        for (int b = p->functions[f].first_block; b < p->functions[f].first_block + p->functions[f].blocks; b++)
            if (p->instructions[p->blocks[b].first + p->blocks[b].count - 1].opcode == LLVMRet)
                c->code += COST_ENTRY;
    }
}

void cost_of(struct cost *c, const struct depend *d, const struct levels *l, int level)
{
    const struct objects *o = &d->points->o;
    const struct program *p = d->p;
    *c = (struct cost){0};
    bool *handlers = memory_array((size_t)p->function_count + 1, sizeof *handlers);
    for (int f = 0; f < p->function_count; f++)
        if (p->functions[f].is_handler && p->functions[f].is_reachable)
            cost_mark_handlers(d, f, handlers);
    unsigned char *marks = cost_mark_cells(d, l, level, handlers);
    cost_of_functions(c, d, l, level);
    int last = -1;
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct dependence *e = &d->edges[i];
        if (e->kind != DEPEND_READ && e->kind != DEPEND_WRITE)
            continue;
        int cell = (e->kind == DEPEND_READ ? e->to : e->from) - d->cells, by = e->kind == DEPEND_READ ? e->from : e->to;
        int function = depend_function(d, by);
        if (by == last || p->functions[function].group != function || !cost_is_traced(d, l, function, level))
            continue;
        bool device = o->list[o->cells[cell].object].kind == OBJECT_REGISTERS;
        if (device && e->kind == DEPEND_READ)
            c->registers++;
        else if (!device && marks[cell] & TOUCHED_BY_HANDLER && o->list[o->cells[cell].object].kind != OBJECT_LOCAL)
            c->references++;
        else
            continue;
        last = by;
    }
    for (size_t i = 0; i < o->cell_count; i++)
        if ((marks[i] & (READ_INSIDE | WRITTEN_OUTSIDE)) == (READ_INSIDE | WRITTEN_OUTSIDE) &&
            o->list[o->cells[i].object].kind == OBJECT_VARIABLE) {
            c->cells++;
            c->table += (int)o->cells[i].size;
        }
    c->code += c->references * COST_REFERENCE + c->registers * COST_REGISTER + c->cells * COST_CELL;
    free(marks);
    free(handlers);
}
