#include "analysis/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"

enum { LEADS = 2, ENDS = 4 }; /* with 1, a visited instruction: bits of a byte of program memory */

static void graph_flow_everything(struct flows *x)
{
    uint32_t address;
    flow_reset(x);
    for (unsigned line = 0; line < MACHINE_LINES; line++)
        if (line != x->code.isa->reset_line && x->code.isa->vector(x->code.machine, line, &address))
            flow_interrupt(x, address);
    for (size_t i = 0; i < x->code.entry_count; i++)
        if (!x->visited[x->code.entries[i]])
            flow_any(x, x->code.entries[i]);
}

static int graph_compare_edges(const void *a, const void *b)
{
    const struct flow_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->flow > y->flow) - (x->flow < y->flow);
}

static int graph_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void graph_take(struct graph *g, const struct flows *x)
{
    *g = (struct graph){0};
    g->edges = memory_array(x->edge_count + 1, sizeof *g->edges);
    if (x->edge_count) {
        memcpy(g->edges, x->edges, x->edge_count * sizeof *g->edges);
        qsort(g->edges, x->edge_count, sizeof *g->edges, graph_compare_edges);
    }
    for (size_t i = 0; i < x->edge_count; i++)
        if (!g->edge_count || graph_compare_edges(&g->edges[g->edge_count - 1], &g->edges[i]) != 0)
            g->edges[g->edge_count++] = g->edges[i];
    g->indirect = memory_array(x->indirect_count + 1, sizeof *g->indirect);
    if (x->indirect_count) {
        memcpy(g->indirect, x->indirect, x->indirect_count * sizeof *g->indirect);
        qsort(g->indirect, x->indirect_count, sizeof *g->indirect, graph_compare);
    }
    for (size_t i = 0; i < x->indirect_count; i++)
        if (!g->indirect_count || g->indirect[g->indirect_count - 1] != g->indirect[i])
            g->indirect[g->indirect_count++] = g->indirect[i];
}

/* Where the function begins that an instruction is of: the symbol's, else of nothing. */
static uint32_t graph_function(const struct flows *x, uint32_t at)
{
    const struct image_symbol *s = image_symbol_at(x->code.machine->image, at);
    return s ? s->address : 0;
}

static void graph_mark(const struct graph *g, const struct flows *x, uint8_t *marks)
{
    const struct code *c = &x->code;
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct flow_edge *e = &g->edges[i];
        if (e->to < c->machine->code_size)
            marks[e->to] |= LEADS;
        if (e->from < c->machine->code_size && e->flow != ABSTRACT_CALL)
            marks[e->from] |= ENDS;
    }
    for (size_t i = 0; i < c->entry_count; i++)
        marks[c->entries[i]] |= LEADS;
}

static struct abstract_step graph_step(const struct flows *x, uint32_t at)
{
    struct abstract_state s = {0};
    struct abstract_step step;
    x->code.isa->step(x->code.machine, at, &s, &step);
    return step;
}

static bool graph_falls(enum abstract_flow flow)
{
    return flow == ABSTRACT_NEXT || flow == ABSTRACT_BRANCH || flow == ABSTRACT_CALL || flow == ABSTRACT_CALL_ANYWHERE;
}

static void graph_cut(struct graph *g, const struct flows *x, uint8_t *marks)
{
    size_t room = 0;
    const struct machine *m = x->code.machine;
    for (uint32_t at = 0; at < m->code_size; at += x->code.isa->code_alignment) {
        if (!x->visited[at])
            continue;
        uint32_t function = graph_function(x, at);
        struct abstract_step step = graph_step(x, at);
        struct graph_block *last = g->block_count ? &g->blocks[g->block_count - 1] : NULL;
        bool new = !last || last->end != at || (marks[at] & LEADS) || (marks[last->last] & ENDS) ||
                   last->function != function || !graph_falls(graph_step(x, last->last).flow);
        if (new) {
            g->blocks = memory_grow(g->blocks, &room, g->block_count, sizeof *g->blocks);
            last = &g->blocks[g->block_count++];
            *last = (struct graph_block){.first = at, .function = function};
        }
        last->last = at;
        last->end = at + step.size;
    }
}

/* A block whose last instruction only goes on to the next. */
static void graph_add_falls(struct graph *g, const struct flows *x)
{
    size_t room = g->edge_count + 1, before = g->edge_count;
    for (size_t i = 0; i + 1 < g->block_count; i++) {
        const struct graph_block *b = &g->blocks[i];
        struct flow_edge e = {b->last, b->end, ABSTRACT_NEXT};
        if (graph_step(x, b->last).flow != ABSTRACT_NEXT || g->blocks[i + 1].first != b->end)
            continue;
        g->edges = memory_grow(g->edges, &room, g->edge_count, sizeof *g->edges);
        g->edges[g->edge_count++] = e;
    }
    if (g->edge_count != before)
        qsort(g->edges, g->edge_count, sizeof *g->edges, graph_compare_edges);
}

void graph_find(struct graph *g, struct flows *x)
{
    graph_flow_everything(x);
    graph_take(g, x);
    uint8_t *marks = memory_new(x->code.machine->code_size + 1);
    graph_mark(g, x, marks);
    graph_cut(g, x, marks);
    graph_add_falls(g, x);
    free(marks);
}

void graph_free(struct graph *g)
{
    free(g->blocks);
    free(g->edges);
    free(g->indirect);
}
