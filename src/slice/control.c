#include "slice/control.h"

#include <stdlib.h>

#include "base/memory.h"

/* The flow of one function backward. Block `count` is the end of all paths. */
struct backward {
    int count;
    int *first_next, *next; /* successors of each block, one list after the other */
    int *first_before, *before;
    int *order; /* of each block: its number in postorder from the end, -1: not reached */
    int *sorted;
    int reached;
    int *above; /* immediate post-dominator */
};

static void control_successors(const struct program *p, const struct function *f, struct backward *w)
{
    int edges = 0;
    for (int b = 0; b < f->blocks; b++) {
        const struct block *block = &p->blocks[f->first_block + b];
        unsigned count = LLVMGetNumSuccessors(p->instructions[block->first + block->count - 1].value);
        w->first_next[b] = edges;
        edges += (int)(count ? count : 1);
    }
    w->first_next[f->blocks] = edges;
    w->next = memory_array((size_t)edges + 1, sizeof *w->next);
    w->before = memory_array((size_t)edges + (size_t)f->blocks + 1, sizeof *w->before);
    for (int b = 0; b < f->blocks; b++) {
        const struct block *block = &p->blocks[f->first_block + b];
        LLVMValueRef end = p->instructions[block->first + block->count - 1].value;
        unsigned count = LLVMGetNumSuccessors(end);
        for (unsigned i = 0; i < count; i++)
            w->next[w->first_next[b] + (int)i] = program_block(p, LLVMGetSuccessor(end, i)) - f->first_block;
        if (!count)
            w->next[w->first_next[b]] = f->blocks;
    }
}

static void control_predecessors(struct backward *w)
{
    int edges = w->first_next[w->count];
    for (int i = 0; i < edges; i++)
        w->first_before[w->next[i] + 1]++;
    for (int b = 0; b <= w->count; b++)
        w->first_before[b + 1] += w->first_before[b];
    int *fill = memory_array((size_t)w->count + 2, sizeof *fill);
    for (int b = 0; b < w->count; b++)
        for (int i = w->first_next[b]; i < w->first_next[b + 1]; i++)
            w->before[w->first_before[w->next[i]] + fill[w->next[i]]++] = b;
    free(fill);
}

/* Postorder from a block, backward. */
static void control_visit(struct backward *w, int from, int *path, int *at)
{
    int depth = 0;
    path[depth] = from;
    at[depth++] = w->first_before[from];
    w->order[from] = -2;
    while (depth) {
        int b = path[depth - 1];
        if (at[depth - 1] == w->first_before[b + 1]) {
            w->order[b] = w->reached;
            w->sorted[w->reached++] = b;
            depth--;
            continue;
        }
        int next = w->before[at[depth - 1]++];
        if (w->order[next] == -1) {
            w->order[next] = -2;
            path[depth] = next;
            at[depth++] = w->first_before[next];
        }
    }
}

/* From the end; and from the last block of each loop without an end, which so becomes a way to the end. */
static void control_sort(struct backward *w, bool *ends)
{
    int *path = memory_array((size_t)w->count + 2, sizeof *path), *at = memory_array((size_t)w->count + 2, sizeof *at);
    for (int b = 0; b <= w->count; b++)
        w->order[b] = -1;
    w->order[w->count] = -2; /* is last */
    for (int i = w->first_before[w->count]; i < w->first_before[w->count + 1]; i++)
        if (w->order[w->before[i]] == -1) {
            ends[w->before[i]] = true;
            control_visit(w, w->before[i], path, at);
        }
    for (int b = w->count - 1; b >= 0; b--)
        if (w->order[b] == -1) {
            ends[b] = true;
            control_visit(w, b, path, at);
        }
    w->order[w->count] = w->reached;
    w->sorted[w->reached++] = w->count;
    free(path);
    free(at);
}

static int control_meet(const struct backward *w, int a, int b)
{
    while (a != b) {
        if (w->order[a] < w->order[b])
            a = w->above[a];
        else
            b = w->above[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy's way, from the end. */
static void control_dominate(struct backward *w, const bool *ends)
{
    for (int b = 0; b < w->count; b++)
        w->above[b] = -1;
    w->above[w->count] = w->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = w->reached - 2; i >= 0; i--) {
            int b = w->sorted[i], above = ends[b] ? w->count : -1;
            for (int n = w->first_next[b]; n < w->first_next[b + 1]; n++)
                if (w->above[w->next[n]] >= 0)
                    above = above < 0 ? w->next[n] : control_meet(w, above, w->next[n]);
            if (above != w->above[b]) {
                w->above[b] = above;
                changed = true;
            }
        }
    }
}

void control_of(const struct program *p, int function, void (*found)(void *context, int block, int decides),
                void *context)
{
    const struct function *f = &p->functions[function];
    size_t room = (size_t)f->blocks + 3;
    struct backward w = {.count = f->blocks,
                         .first_next = memory_array(room, sizeof *w.first_next),
                         .first_before = memory_array(room, sizeof *w.first_before),
                         .order = memory_array(room, sizeof *w.order),
                         .sorted = memory_array(room, sizeof *w.sorted),
                         .above = memory_array(room, sizeof *w.above)};
    bool *ends = memory_array(room, sizeof *ends);
    control_successors(p, f, &w);
    control_predecessors(&w);
    control_sort(&w, ends);
    control_dominate(&w, ends);
    for (int b = 0; b < f->blocks; b++) {
        if (w.first_next[b + 1] - w.first_next[b] < 2)
            continue;
        for (int n = w.first_next[b]; n < w.first_next[b + 1]; n++)
            for (int at = w.next[n]; at != w.above[b] && at != w.count && at >= 0; at = w.above[at])
                found(context, f->first_block + at, f->first_block + b);
    }
    free(ends);
    free(w.first_next);
    free(w.next);
    free(w.first_before);
    free(w.before);
    free(w.order);
    free(w.sorted);
    free(w.above);
}
