#include <stdlib.h>

#include "analysis/graph.h"
#include "analysis/stack.h"
#include "api/handles.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "motet/analysis.h"

struct motet_analysis {
    const struct machine *machine;
    struct flows flows;
    struct stack stack;
    struct graph calls; /* what has been met from the entry points */
    struct graph graph; /* of all functions */
    bool has_graph;
};

static bool analysis_function(const struct machine *m, const char *name, uint32_t *address, struct motet_error *e)
{
    const struct image_symbol *s = image_symbol_named(m->image, name);
    const char *near[1];
    if (s && s->kind != IMAGE_SYMBOL_OBJECT && s->address < m->code_size) {
        *address = s->address;
        return true;
    }
    if (image_nearest_names(m->image, name, near, 1))
        return error_set(e, "the firmware has no function '%s'; did you mean %s?", name, near[0]);
    return error_set(e, "the firmware has no function '%s'; see motet info --symbols", name);
}

motet_analysis *motet_analysis_new(const motet_machine *m, const struct motet_pointer_call *calls, size_t count,
                                   struct motet_error *e)
{
    if (!m->machine->chip->isa->abstract) {
        error_set(e, "code for %s cannot be analysed without running it; motet run --monitor stack measures the stack",
                  m->machine->chip->isa->name);
        return NULL;
    }
    motet_analysis *a = memory_new(sizeof *a);
    uint32_t caller, callee;
    a->machine = m->machine;
    flows_begin(&a->flows, m->machine);
    for (size_t i = 0; i < count; i++) {
        if (!analysis_function(m->machine, calls[i].caller, &caller, e) ||
            !analysis_function(m->machine, calls[i].callee, &callee, e)) {
            motet_analysis_free(a);
            return NULL;
        }
        code_allow(&a->flows.code, caller, callee);
    }
    stack_find(&a->stack, &a->flows);
    graph_take(&a->calls, &a->flows);
    return a;
}

void motet_analysis_free(motet_analysis *a)
{
    if (!a)
        return;
    if (a->has_graph)
        graph_free(&a->graph);
    graph_free(&a->calls);
    stack_free(&a->stack);
    flows_end(&a->flows);
    free(a);
}

static const char *analysis_name(const motet_analysis *a, uint32_t address, uint32_t *begins)
{
    const struct image_symbol *s = image_symbol_at(a->machine->image, address);
    *begins = s ? s->address : address;
    return s ? s->name : NULL;
}

/* ---- the stack ---- */

static enum motet_stack_verdict analysis_verdict(const motet_analysis *a, uint32_t room)
{
    enum motet_stack_verdict v = !room                   ? MOTET_STACK_UNKNOWN
                                 : a->stack.bytes > room ? MOTET_STACK_OVERFLOWS
                                                         : MOTET_STACK_FITS;
    for (size_t i = 0; i < a->flows.doubt_count; i++) {
        const struct flow_doubt *d = &a->flows.doubts[i];
        if ((d->kind == FLOW_RECURSION && !d->indirect) || d->kind == FLOW_GROWS)
            return MOTET_STACK_UNBOUNDED;
        if (v == MOTET_STACK_FITS)
            v = MOTET_STACK_UNKNOWN;
    }
    return v;
}

void motet_analysis_stack(const motet_analysis *a, struct motet_stack *s)
{
    const struct machine *m = a->machine;
    uint32_t end = a->stack.top + m->chip->isa->stack_gap, ram_end = m->ram->first + m->ram->size;
    *s = (struct motet_stack){
        .bytes = a->stack.bytes,
        .top = a->stack.top,
        .variables_end = m->stack_limit,
        .heap = m->heap_break != 0,
        .unused_vectors = a->stack.unused,
        .nests = m->chip->isa->abstract->nests,
    };
    if (m->stack_limit && end > m->stack_limit && end <= ram_end)
        s->room = end - m->stack_limit;
    s->verdict = analysis_verdict(a, s->room);
}

static uint32_t analysis_interrupt(int line)
{
    return line == STACK_NO_LINE ? MOTET_NO_INTERRUPT : (uint32_t)line;
}

bool motet_analysis_level(const motet_analysis *a, size_t number, struct motet_stack_level *l)
{
    if (number >= a->stack.chain_count)
        return false;
    const struct stack_level *from = &a->stack.chain[number];
    uint32_t called;
    *l = (struct motet_stack_level){.interrupt = analysis_interrupt(from->line), .at = from->at, .bytes = from->bytes};
    l->name = analysis_name(a, from->at, &l->function);
    const char *jumped = analysis_name(a, from->entry, &called);
    bool vector = from->line != STACK_NO_LINE || number == 0;
    if (called != l->function && !vector)
        l->jumped = jumped;
    return true;
}

bool motet_analysis_entry(const motet_analysis *a, size_t number, struct motet_stack_entry *e)
{
    uint32_t begins;
    if (number >= a->stack.entry_count)
        return false;
    const struct stack_entry *from = &a->stack.entries[number];
    *e = (struct motet_stack_entry){
        .interrupt = analysis_interrupt(from->line),
        .address = from->address,
        .name = analysis_name(a, from->address, &begins),
        .bytes = stack_deepest(&a->stack, from),
        .others = from->others,
    };
    e->open = stack_open(&a->stack, from, &e->opens);
    return true;
}

bool motet_analysis_doubt(const motet_analysis *a, size_t number, struct motet_doubt *d)
{
    static const enum motet_doubt_kind kinds[] = {
        [FLOW_RECURSION] = MOTET_DOUBT_RECURSION,
        [FLOW_GROWS] = MOTET_DOUBT_GROWS,
        [FLOW_STACK_POINTER] = MOTET_DOUBT_STACK_POINTER,
        [FLOW_OTHER_STACK] = MOTET_DOUBT_OTHER_STACK,
        [FLOW_RETURN] = MOTET_DOUBT_RETURN,
        [FLOW_ANYWHERE] = MOTET_DOUBT_ANYWHERE,
    };
    if (number >= a->flows.doubt_count)
        return false;
    const struct flow_doubt *from = &a->flows.doubts[number];
    *d = (struct motet_doubt){kinds[from->kind], from->at, from->cycle, from->cycle_count, from->indirect};
    return true;
}

bool motet_analysis_indirect(const motet_analysis *a, size_t number, uint32_t *at)
{
    if (number >= a->calls.indirect_count)
        return false;
    *at = a->calls.indirect[number];
    return true;
}

bool motet_analysis_taken(const motet_analysis *a, size_t number, uint32_t *function)
{
    if (number >= a->flows.code.taken_count)
        return false;
    *function = a->flows.code.taken[number];
    return true;
}

/* ---- control flow ---- */

/* What nothing is known to call is followed only for the graph, and raises no doubts. */
static const struct graph *analysis_graph(motet_analysis *a)
{
    if (!a->has_graph) {
        a->flows.silent = true;
        graph_find(&a->graph, &a->flows);
        a->has_graph = true;
    }
    return &a->graph;
}

bool motet_analysis_block(motet_analysis *a, size_t number, struct motet_block *b)
{
    const struct graph *g = analysis_graph(a);
    if (number >= g->block_count)
        return false;
    const struct graph_block *from = &g->blocks[number];
    *b = (struct motet_block){from->first, from->last, from->end, from->function};
    return true;
}

bool motet_analysis_edge(motet_analysis *a, size_t number, struct motet_edge *e)
{
    static const enum motet_edge_kind kinds[] = {
        [ABSTRACT_NEXT] = MOTET_EDGE_NEXT,   [ABSTRACT_JUMP] = MOTET_EDGE_JUMP, [ABSTRACT_BRANCH] = MOTET_EDGE_BRANCH,
        [ABSTRACT_TABLE] = MOTET_EDGE_TABLE, [ABSTRACT_CALL] = MOTET_EDGE_CALL,
    };
    const struct graph *g = analysis_graph(a);
    if (number >= g->edge_count)
        return false;
    const struct flow_edge *from = &g->edges[number];
    *e = (struct motet_edge){from->from, from->to, kinds[from->flow]};
    return true;
}
