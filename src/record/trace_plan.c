#include "record/trace_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool trace_plan_add_function(struct trace_plan *t, const char *line)
{
    struct trace_function new;
    char kind[16], handler[16];
    if (sscanf(line, "%u %u %u %15s %15s %255s %1023[^\n]", &new.number, &new.level, &new.line, kind, handler, new.name,
               new.file) != 7 ||
        new.number > TRACE_MOST)
        return false;
    new.is_handler = strcmp(handler, "handler") == 0;
    new.is_leaf = strcmp(handler, "leaf") == 0;
    new.is_still = strcmp(handler, "still") == 0;
    new.is_inlined = strcmp(handler, "inlined") == 0;
    new.kind = strcmp(kind, "traced") == 0    ? TRACE_TRACED
               : strcmp(kind, "skipped") == 0 ? TRACE_SKIPPED
               : strcmp(kind, "quiet") == 0   ? TRACE_QUIET
                                              : TRACE_PASSES;
    t->functions = memory_grow(t->functions, &t->function_room, t->function_count, sizeof *t->functions);
    t->functions[t->function_count++] = new;
    return true;
}

static bool trace_plan_add_cell(struct trace_plan *t, const char *line)
{
    struct trace_cell new = {0};
    unsigned number, places = 0;
    char own[16], is_static[16];
    if (sscanf(line, "%u %u %u %15s %15s %255s %255s %u %1023[^\n]", &number, &new.offset, &new.size, own, is_static,
               new.function, new.name, &new.line, new.file) != 9 ||
        number != t->cell_count + 1)
        return false;
    new.own = strcmp(own, "own") == 0;
    new.interrupts = strcmp(own, "interrupts") == 0;
    new.is_static = strcmp(is_static, "static") == 0;
    for (size_t i = 0; i < t->cell_count; i++)
        places += t->cells[i].place != 0;
    new.place = strcmp(new.function, "-") == 0 ? 0 : places + 1;
    t->cells = memory_grow(t->cells, &t->cell_room, t->cell_count, sizeof *t->cells);
    t->cells[t->cell_count++] = new;
    return new.place < 128;
}

bool trace_plan_add(struct trace_plan *t, const char *line)
{
    struct trace_reference r;
    struct trace_pointee p;
    if (strncmp(line, "function ", 9) == 0)
        return trace_plan_add_function(t, line + 9);
    if (strncmp(line, "cell ", 5) == 0)
        return trace_plan_add_cell(t, line + 5);
    if (sscanf(line, "reference %u %255s", &r.function, r.name) == 2) {
        t->references = memory_grow(t->references, &t->reference_room, t->reference_count, sizeof *t->references);
        t->references[t->reference_count++] = r;
        return true;
    }
    if (sscanf(line, "pointee %u %u %u", &p.function, &p.parameter, &p.size) == 3) {
        t->pointees = memory_grow(t->pointees, &t->pointee_room, t->pointee_count, sizeof *t->pointees);
        t->pointees[t->pointee_count++] = p;
        return true;
    }
    struct trace_left left;
    if (sscanf(line, "left %u %255s", &left.size, left.name) == 2) {
        t->left = memory_grow(t->left, &t->left_room, t->left_count, sizeof *t->left);
        t->left[t->left_count++] = left;
        return true;
    }
    return sscanf(line, "ring %u", &t->ring) == 1 || sscanf(line, "level %u", &t->level) == 1 ||
           (t->measures = strncmp(line, "measure", 7) == 0);
}

void trace_plan_free(struct trace_plan *t)
{
    free(t->functions);
    free(t->cells);
    free(t->references);
    free(t->pointees);
    free(t->left);
    *t = (struct trace_plan){0};
}

const struct trace_function *trace_plan_function(const struct trace_plan *t, unsigned number)
{
    for (size_t i = 0; number && i < t->function_count; i++)
        if (t->functions[i].number == number)
            return &t->functions[i];
    return NULL;
}
