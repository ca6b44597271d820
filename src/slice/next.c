#include "slice/next.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "slice/program.h"

static bool next_is_seen(const struct report *r, int function)
{
    const struct function *f = &r->d->p->functions[function];
    for (size_t i = 0; i < r->o->seen_count; i++)
        if (r->o->seen[i].line == f->line && strcmp(r->o->seen[i].name, f->name) == 0 &&
            strcmp(r->o->seen[i].file, f->file) == 0)
            return true;
    return false;
}

static bool next_is_checked(const struct report *r, int function)
{
    for (size_t i = 0; i < r->o->invariant_count; i++)
        for (size_t n = 0; n < r->invariants[i].check_count; n++)
            if (r->d->p->functions[r->invariants[i].checks[n]].group == function)
                return true;
    return false;
}

static bool next_is_node(const struct report *r, int function)
{
    return r->d->p->functions[function].group == function && r->l->in[function] && r->l->level[function] > 0;
}

/* Whether the graph has an edge from one to the other: a call, from the callee to the caller, or a dependence. */
static bool next_follows(const struct report *r, int from, int to)
{
    return levels_calls(r->l, to, from) || levels_depends(r->l, from, to);
}

static void next_add_level(struct next *n, const struct report *r)
{
    int functions = r->d->p->function_count;
    for (int f = 0; f < functions; f++) {
        if (!next_is_node(r, f) || n->from[f] >= 0 || r->l->level[f] != n->level)
            continue;
        for (int by = 0; by < functions && !n->in[f]; by++)
            if (n->from[by] == by && next_is_node(r, by) && next_follows(r, by, f)) {
                n->in[f] = true;
                n->from[f] = by;
                n->count++;
            }
    }
}

bool next_find(struct next *n, const struct report *r, struct motet_error *e)
{
    size_t functions = (size_t)r->d->p->function_count + 1;
    *n = (struct next){.in = memory_array(functions, sizeof *n->in),
                       .from = memory_array(functions, sizeof *n->from),
                       .level = r->o->seen_level + 1};
    bool any = false;
    for (int f = 0; f < r->d->p->function_count; f++) {
        n->in[f] = next_is_seen(r, f) || next_is_checked(r, f);
        n->from[f] = n->in[f] ? f : -1;
        any = any || next_is_seen(r, f);
    }
    if (!any)
        return error_set(e, "--next: no function of the traces is in these sources; give the sources, options and "
                            "invariants that the traced firmware was built with");
    next_add_level(n, r);
    return n->count || error_set(e,
                                 "--next: no function of level %d is connected with one of the traces; the highest "
                                 "level is %d",
                                 n->level, r->l->highest);
}

void next_free(struct next *n)
{
    free(n->in);
    free(n->from);
    *n = (struct next){0};
}

void next_print(const struct next *n, const struct report *r)
{
    const struct program *p = r->d->p;
    int whole = 0;
    for (int f = 0; f < p->function_count; f++)
        whole += next_is_node(r, f) && r->l->level[f] == n->level;
    fprintf(r->out, "next  level %d: %d of its %d functions are connected with what the traces have\n\n", n->level,
            n->count, whole);
    for (int level = 1; level <= n->level; level++)
        for (int f = 0; f < p->function_count; f++) {
            if (!n->in[f] || !next_is_node(r, f) || r->l->level[f] != level)
                continue;
            fprintf(r->out, "%5d  %s  %s:%u  ", level, p->functions[f].name, p->functions[f].file,
                    p->functions[f].line);
            if (n->from[f] == f)
                fprintf(r->out, next_is_seen(r, f) ? "in the traces\n" : "checks the invariant\n");
            else
                fprintf(r->out, levels_calls(r->l, f, n->from[f]) ? "calls %s\n" : "%s depends on it\n",
                        p->functions[n->from[f]].name);
        }
}
