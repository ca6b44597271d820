#include "slice/walk.h"

#include <stdlib.h>

#include "base/memory.h"

/* Nodes still to be left; one that may not be left to callers counts from d->count on. */
struct queue {
    int *list;
    size_t count;
};

static void walk_reach(struct walk *w, const struct depend *d, int node, int edge, bool below, struct queue *q)
{
    if (w->by[node] != -2 || (below && w->below[node] != -2))
        return;
    (below ? w->below : w->by)[node] = edge;
    w->reached[node] = true;
    q->list[q->count++] = below ? d->count + node : node;
    int function = depend_function(d, node);
    if (function >= 0 && !w->inside[d->p->functions[function].group]) {
        w->inside[d->p->functions[function].group] = true;
        w->functions++;
    }
}

static void walk_backward(struct walk *w, const struct depend *d, int node, bool below, struct queue *q)
{
    for (int i = d->first_to[node]; i < d->first_to[node + 1]; i++) {
        const struct dependence *e = &d->edges[d->to[i]];
        bool ascends = e->kind == DEPEND_CALL || e->kind == DEPEND_POST || e->kind == DEPEND_ARGUMENT;
        bool memory = e->kind == DEPEND_READ || e->kind == DEPEND_WRITE;
        if (!below || !ascends)
            walk_reach(w, d, e->to, d->to[i], !memory && (below || depend_descends(d, e)), q);
    }
}

static void walk_forward(struct walk *w, const struct depend *d, int node, struct queue *q)
{
    for (int i = d->first_from[node]; i < d->first_from[node + 1]; i++)
        if (d->edges[d->from[i]].kind != DEPEND_THROUGH)
            walk_reach(w, d, d->edges[d->from[i]].from, d->from[i], false, q);
}

void walk_make(struct walk *w, const struct depend *d, const int *from, size_t count, bool forward, const bool *stops)
{
    size_t nodes = (size_t)d->count + 1;
    *w = (struct walk){.reached = memory_array(nodes, sizeof *w->reached),
                       .by = memory_array(nodes, sizeof *w->by),
                       .below = memory_array(nodes, sizeof *w->below),
                       .inside = memory_array((size_t)d->p->function_count + 1, sizeof *w->inside),
                       .forward = forward};
    struct queue q = {.list = memory_array(2 * nodes, sizeof *q.list)};
    for (int i = 0; i < d->count; i++)
        w->by[i] = w->below[i] = -2;
    for (size_t i = 0; i < count; i++)
        walk_reach(w, d, from[i], -1, false, &q);
    for (size_t at = 0; at < q.count; at++) {
        int node = q.list[at] % d->count, function = stops ? depend_function(d, node) : -1;
        if (function >= 0 && stops[function])
            continue;
        if (forward)
            walk_forward(w, d, node, &q);
        else
            walk_backward(w, d, node, q.list[at] >= d->count, &q);
    }
    free(q.list);
}

void walk_free(struct walk *w)
{
    free(w->reached);
    free(w->by);
    free(w->below);
    free(w->inside);
}

int *walk_way(const struct walk *w, const struct depend *d, int node, int *length)
{
    int *way = NULL;
    size_t room = 0;
    bool below = w->by[node] == -2;
    *length = 0;
    for (;;) {
        int edge = below ? w->below[node] : w->by[node];
        if (edge < 0)
            return way;
        way = memory_grow(way, &room, (size_t)*length, sizeof *way);
        way[(*length)++] = edge;
        node = w->forward ? d->edges[edge].to : d->edges[edge].from;
        /* A function was entered from a node of either kind; all else keeps it, and the first to come is the shortest.
         */
        if (below && w->below[node] == -2)
            below = false;
        else if (below && depend_descends(d, &d->edges[edge]) && w->by[node] != -2)
            below = false;
    }
}

int walk_all_functions(const struct program *p)
{
    int count = 0;
    bool *seen = memory_array((size_t)p->function_count + 1, sizeof *seen);
    for (int i = 0; i < p->function_count; i++)
        if (p->functions[i].is_reachable && !seen[p->functions[i].group]) {
            seen[p->functions[i].group] = true;
            count++;
        }
    free(seen);
    return count;
}
