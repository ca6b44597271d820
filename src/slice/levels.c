#include "slice/levels.h"

#include <stdlib.h>

#include "base/memory.h"

static bool levels_get(const struct levels *l, const uint64_t *bits, int row, int column)
{
    return bits[(size_t)row * l->words + (size_t)column / 64] >> (column % 64) & 1;
}

static void levels_set(const struct levels *l, uint64_t *bits, int row, int column)
{
    bits[(size_t)row * l->words + (size_t)column / 64] |= UINT64_C(1) << (column % 64);
}

bool levels_calls(const struct levels *l, int caller, int callee)
{
    return levels_get(l, l->calls, caller, callee);
}

bool levels_depends(const struct levels *l, int from, int to)
{
    return levels_get(l, l->depends, from, to);
}

/* ---- nodes and calls ---- */

/* The function that a chain of functions that only call leads to. */
static int levels_end_of(const struct depend *d, int function)
{
    const struct program *p = d->p;
    for (int steps = 0; steps < 64 && program_forwards(p, function); steps++) {
        const struct function *f = &p->functions[function];
        int next = -1;
        for (int b = f->first_block; b < f->first_block + f->blocks; b++)
            for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++) {
                int t = p->instructions[i].opcode == LLVMCall ? d->points->first_target[i] : -1;
                if (t >= 0 && d->points->targets[t].next < 0)
                    next = d->points->targets[t].function;
            }
        if (next < 0)
            return function;
        function = next;
    }
    return function;
}

static void levels_find_nodes(struct levels *l, const struct depend *d, const struct walk *w,
                              const struct invariant *list, size_t count)
{
    const struct program *p = d->p;
    for (int f = 0; f < p->function_count; f++) {
        int group = p->functions[f].group;
        if (!w->inside[group] || !p->functions[f].is_reachable)
            continue;
        bool checks = false;
        for (size_t i = 0; i < count; i++) {
            if (list[i].checker == f)
                l->real[group] = l->check;
            for (size_t n = 0; n < list[i].check_count; n++)
                checks = checks || list[i].checks[n] == group;
        }
        if (l->real[group] >= 0)
            continue;
        int end = checks ? f : levels_end_of(d, f);
        l->real[group] = p->functions[end].group;
        l->collapsed += l->real[group] != group;
        l->in[group] = l->real[group] == group;
    }
    for (int g = 0; g < p->function_count; g++) /* what a forwarder leads to may have got a node by another name */
        for (int steps = 0; steps < 64 && l->real[g] >= 0 && l->real[g] < p->function_count &&
                            l->real[l->real[g]] >= 0 && l->real[l->real[g]] != l->real[g];
             steps++)
            l->real[g] = l->real[l->real[g]];
}

static int levels_node(const struct levels *l, const struct depend *d, int function)
{
    int group = d->p->functions[function].group;
    return l->real[group] >= 0 ? l->real[group] : group;
}

static void levels_find_calls(struct levels *l, const struct depend *d, const struct invariant *list, size_t count)
{
    const struct program *p = d->p;
    for (int i = 0; i < p->instruction_count; i++)
        for (int t = d->points->first_target[i]; t >= 0; t = d->points->targets[t].next) {
            int from = levels_node(l, d, program_function_of(p, i));
            int to = levels_node(l, d, d->points->targets[t].function);
            if (from != to)
                levels_set(l, l->calls, from, to);
        }
    for (int f = 0; f < p->function_count; f++)
        if (p->functions[f].is_root)
            levels_set(l, l->calls, l->root, levels_node(l, d, f));
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < list[i].check_count; n++)
            levels_set(l, l->calls, levels_node(l, d, list[i].checks[n]), l->check);
}

/* ---- dependences between functions ---- */

static void levels_pair(const struct levels *l, uint64_t *pairs, int from, int to)
{
    if (from >= 0 && to >= 0 && from != to)
        levels_set(l, pairs, from, to);
}

/* The one cell that an object became, if it did. */
static int levels_cell(const struct depend *d, int cell)
{
    const struct objects *o = &d->points->o;
    int object = o->cells[cell].object,
        one = o->list[object].collapsed ? map_get(&o->of_cell, (uintptr_t)object, 0) : -1;
    return one >= 0 ? one : cell;
}

/* Of each cell: the nodes that read it, and those that write it. */
static void levels_find_memory(const struct levels *l, const struct depend *d, const struct walk *w,
                               const struct invariant *list, size_t count, uint64_t *pairs)
{
    size_t cells = d->points->o.cell_count;
    uint64_t *readers = memory_array(cells * l->words + 1, sizeof *readers);
    uint64_t *writers = memory_array(cells * l->words + 1, sizeof *writers);
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct dependence *e = &d->edges[i];
        if (!w->reached[e->from] || !w->reached[e->to])
            continue;
        if (e->kind == DEPEND_READ)
            levels_set(l, readers, levels_cell(d, e->to - d->cells), levels_node(l, d, depend_function(d, e->from)));
        else if (e->kind == DEPEND_WRITE)
            levels_set(l, writers, levels_cell(d, e->from - d->cells), levels_node(l, d, depend_function(d, e->to)));
    }
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < list[i].node_count; n++)
            if (list[i].nodes[n] >= d->cells)
                levels_set(l, readers, levels_cell(d, list[i].nodes[n] - d->cells), l->check);
    for (size_t c = 0; c < cells; c++)
        for (int reader = 0; reader < l->count; reader++)
            if (levels_get(l, readers, (int)c, reader))
                for (size_t word = 0; word < l->words; word++)
                    pairs[(size_t)reader * l->words + word] |= writers[c * l->words + word];
    free(readers);
    free(writers);
}

static void levels_find_pairs(const struct levels *l, const struct depend *d, const struct walk *w,
                              const struct invariant *list, size_t count, uint64_t *pairs)
{
    levels_find_memory(l, d, w, list, count, pairs);
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct dependence *e = &d->edges[i];
        int from = depend_function(d, e->from), to = depend_function(d, e->to);
        if (from >= 0 && to >= 0 && w->reached[e->from] && w->reached[e->to])
            levels_pair(l, pairs, levels_node(l, d, from), levels_node(l, d, to));
    }
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < list[i].node_count; n++)
            if (list[i].nodes[n] < d->cells && list[i].checker < 0)
                levels_pair(l, pairs, l->check, levels_node(l, d, depend_function(d, list[i].nodes[n])));
}

/* ---- chains of calls ---- */

/* Of one node, all that call it over others: how far, and which of its callees leads there. */
struct above {
    int *far; /* -1: does not call it */
    int *down;
};

static void levels_climb(const struct levels *l, const int *first, const int *callers, int node, struct above *a)
{
    int *queue = memory_array((size_t)l->count + 1, sizeof *queue), known = 0;
    a->far = memory_array((size_t)l->count + 1, sizeof *a->far);
    a->down = memory_array((size_t)l->count + 1, sizeof *a->down);
    for (int i = 0; i < l->count; i++)
        a->far[i] = -1;
    a->far[node] = 0;
    a->down[node] = node;
    queue[known++] = node;
    for (int at = 0; at < known; at++)
        for (int i = first[queue[at]]; i < first[queue[at] + 1]; i++)
            if (a->far[callers[i]] < 0) {
                a->far[callers[i]] = a->far[queue[at]] + 1;
                a->down[callers[i]] = queue[at];
                queue[known++] = callers[i];
            }
    free(queue);
}

static bool levels_apart(const struct above *a, const struct above *b, int from, int to, int top)
{
    for (int x = a->down[top];; x = a->down[x]) {
        for (int y = b->down[top];; y = b->down[y]) {
            if (x == y)
                return false;
            if (y == to)
                break;
        }
        if (x == from)
            return true;
    }
}

/* From `from` up to the callee of the common ancestor, over to the other callee, down to `to`. */
static void levels_draw(struct levels *l, const struct above *a, const struct above *b, int from, int to, int top)
{
    int x = a->down[top], y = b->down[top];
    levels_set(l, l->depends, x, y);
    for (; x != from; x = a->down[x])
        levels_set(l, l->depends, a->down[x], x);
    for (; y != to; y = b->down[y])
        levels_set(l, l->depends, y, b->down[y]);
}

static bool levels_share(const struct levels *l, const uint64_t *called_by, int a, int b)
{
    for (size_t word = 0; word < l->words; word++)
        if (called_by[(size_t)a * l->words + word] & called_by[(size_t)b * l->words + word])
            return true;
    return false;
}

static void levels_callers(const struct levels *l, int *first, int **callers, uint64_t *called_by)
{
    size_t edges = 0;
    for (int a = 0; a < l->count; a++)
        for (int b = 0; b < l->count; b++)
            edges += levels_get(l, l->calls, a, b);
    *callers = memory_array(edges + 1, sizeof **callers);
    int at = 0;
    for (int b = 0; b < l->count; b++) {
        first[b] = at;
        for (int a = 0; a < l->count; a++)
            if (levels_get(l, l->calls, a, b)) {
                (*callers)[at++] = a;
                levels_set(l, called_by, b, a);
            }
    }
    first[l->count] = at;
}

static void levels_find_dependences(struct levels *l, const uint64_t *pairs)
{
    int *first = memory_array((size_t)l->count + 2, sizeof *first), *callers;
    uint64_t *called_by = memory_array((size_t)l->count * l->words + 1, sizeof *called_by);
    struct above *above = memory_array((size_t)l->count + 1, sizeof *above);
    levels_callers(l, first, &callers, called_by);
    for (int a = 0; a < l->count; a++)
        for (int b = 0; b < l->count; b++) {
            if (a == b || !levels_get(l, pairs, a, b))
                continue;
            if (levels_calls(l, a, b) || levels_calls(l, b, a) || levels_share(l, called_by, a, b)) {
                levels_set(l, l->depends, a, b);
                continue;
            }
            if (!above[a].far)
                levels_climb(l, first, callers, a, &above[a]);
            if (!above[b].far)
                levels_climb(l, first, callers, b, &above[b]);
            for (int top = 0; top < l->count; top++)
                if (above[a].far[top] > 0 && above[b].far[top] > 0 && levels_apart(&above[a], &above[b], a, b, top))
                    levels_draw(l, &above[a], &above[b], a, b, top);
        }
    for (int i = 0; i < l->count; i++) {
        free(above[i].far);
        free(above[i].down);
    }
    free(above);
    free(first);
    free(callers);
    free(called_by);
}

/* ---- levels ---- */

/* Nodes are visited as callers (over calls alone so far), and as others. */
static void levels_number(struct levels *l)
{
    int *far = memory_array(2 * (size_t)l->count + 1, sizeof *far),
        *queue = memory_array(2 * (size_t)l->count + 1, sizeof *queue);
    int known = 0;
    for (int i = 0; i < 2 * l->count; i++)
        far[i] = -1;
    far[l->check] = 0;
    queue[known++] = l->check;
    for (int at = 0; at < known; at++) {
        int node = queue[at] % l->count;
        bool calling = queue[at] < l->count;
        for (int other = 0; other < l->count; other++) {
            if (calling && far[other] < 0 && levels_calls(l, other, node)) {
                far[other] = far[queue[at]] + 1;
                queue[known++] = other;
            }
            if (far[l->count + other] < 0 && levels_depends(l, node, other)) {
                far[l->count + other] = far[queue[at]] + 1;
                queue[known++] = l->count + other;
            }
        }
    }
    for (int i = 0; i < l->check; i++) {
        int a = far[i], b = far[l->count + i];
        l->level[i] = !l->in[i] ? 0 : a < 0 ? (b < 0 ? 0 : b) : b < 0 || a < b ? a : b;
        if (l->level[i] > l->highest)
            l->highest = l->level[i];
    }
    free(far);
    free(queue);
}

/* From the check over one call more for each level. */
static void levels_find_boundaries(struct levels *l)
{
    l->boundary = memory_array(((size_t)l->highest + 1) * l->words, sizeof *l->boundary);
    for (int level = 1; level <= l->highest; level++)
        for (int caller = 0; caller < l->check; caller++) {
            const uint64_t *calls = l->calls + (size_t)caller * l->words;
            bool is = level == 1 && levels_calls(l, caller, l->check);
            for (size_t word = 0; level > 1 && word < l->words && !is; word++)
                is = calls[word] & l->boundary[(size_t)(level - 2) * l->words + word];
            if (is)
                levels_set(l, l->boundary, level - 1, caller);
        }
}

void levels_make(struct levels *l, const struct depend *d, const struct walk *w, const struct invariant *list,
                 size_t count, const bool *delays)
{
    int functions = d->p->function_count;
    *l = (struct levels){.count = functions + 2, .check = functions, .root = functions + 1};
    size_t nodes = (size_t)l->count;
    l->words = (nodes + 63) / 64;
    l->real = memory_array(nodes, sizeof *l->real);
    l->in = memory_array(nodes, sizeof *l->in);
    l->level = memory_array(nodes, sizeof *l->level);
    l->calls = memory_array(nodes * l->words, sizeof *l->calls);
    l->depends = memory_array(nodes * l->words, sizeof *l->depends);
    for (int i = 0; i < l->count; i++)
        l->real[i] = -1;
    levels_find_nodes(l, d, w, list, count);
    levels_find_calls(l, d, list, count);
    uint64_t *pairs = memory_array(nodes * l->words, sizeof *pairs);
    levels_find_pairs(l, d, w, list, count, pairs);
    for (int f = 0; delays && f < functions; f++)
        if (delays[f]) {
            levels_pair(l, pairs, l->check, levels_node(l, d, f));
            l->in[levels_node(l, d, f)] = true;
        }
    levels_find_dependences(l, pairs);
    free(pairs);
    levels_number(l);
    levels_find_boundaries(l);
}

void levels_free(struct levels *l)
{
    free(l->real);
    free(l->in);
    free(l->calls);
    free(l->depends);
    free(l->level);
    free(l->boundary);
}

bool levels_is_boundary(const struct levels *l, int node, int level)
{
    return level > 0 && level <= l->highest && levels_get(l, l->boundary, level - 1, node);
}
