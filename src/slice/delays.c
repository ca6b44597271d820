#include "slice/delays.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Whether the function runs tasks, itself or through what it calls before any task: main, and its helpers. */
static bool delays_is_dispatcher(const struct depend *d, const struct scheduler *s, int function)
{
    const struct program *p = d->p;
    const struct function *f = &p->functions[function];
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            if (s->runs[i])
                return true;
    return strcmp(f->name, "main") == 0;
}

/* Everything that a function can call, itself too. */
static void delays_mark(const struct depend *d, int function, bool *marked)
{
    const struct program *p = d->p;
    if (marked[function])
        return;
    marked[function] = true;
    const struct function *f = &p->functions[function];
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            for (int t = d->points->first_target[i]; t >= 0; t = d->points->targets[t].next)
                delays_mark(d, d->points->targets[t].function, marked);
}

bool *delays_find(const struct depend *d, const struct scheduler *s)
{
    const struct program *p = d->p;
    bool *marked = memory_array((size_t)p->function_count + 1, sizeof *marked), tasks = false;
    for (int f = 0; f < p->function_count; f++) {
        tasks = tasks || (p->functions[f].is_reachable && s->known[f]);
        if (p->functions[f].is_reachable && (s->known[f] || p->functions[f].is_handler))
            delays_mark(d, f, marked);
    }
    for (int f = 0; f < p->function_count; f++) /* without tasks, everything shares the one loop of main */
        marked[f] = p->functions[f].is_reachable && (marked[f] || !tasks) && program_loops(p, f) &&
                    !delays_is_dispatcher(d, s, f);
    return marked;
}
