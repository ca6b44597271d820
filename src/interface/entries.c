#include "interface/entries.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/flow.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"

/* The calls that lead to a function, from the last one back, in words. */
static void entries_words(const struct flows *x, uint32_t to, char *text, size_t size)
{
    enum { FAR = 8 };
    uint32_t first, end;
    int used = snprintf(text, size, "by the calls");
    for (unsigned n = 0; n < FAR && (size_t)used < size; n++) {
        char place[200];
        size_t i = 0;
        while (i < x->edge_count && x->edges[i].to != to)
            i++;
        if (i == x->edge_count || !code_function(&x->code, x->edges[i].from, &first, &end) || first == to)
            return;
        image_place(x->code.machine->image, x->edges[i].from, place, sizeof place);
        used += snprintf(text + used, size - (size_t)used, "%s %s", n ? "," : "", place);
        to = first;
    }
}

/* The function inside that a handler reaches; NULL: none. */
static const struct boundary_function *entries_reached(const struct boundary *b, const struct flows *x)
{
    for (uint32_t i = 0; i < b->header.function_count; i++)
        if (b->functions[i].side == BOUNDARY_INSIDE && x->visited[b->functions[i].address])
            return &b->functions[i];
    return NULL;
}

static bool entries_check_line(const struct boundary *b, unsigned line, struct motet_error *e)
{
    const struct machine *m = b->machine;
    struct flows x;
    uint32_t address;
    char words[400];
    flows_begin(&x, m);
    bool good = true;
    if (line != x.code.isa->reset_line && x.code.isa->vector(m, line, &address)) {
        x.silent = true;
        x.code.taken_count = 0;
        flow_interrupt(&x, address);
        const struct boundary_function *f = entries_reached(b, &x);
        if (f) {
            entries_words(&x, f->address, words, sizeof words);
            good =
                error_set(e,
                          "the handler of interrupt %u can call %s of the component, %s. The node cannot log where in "
                          "the component that is: call it from a task, or log in simulation (motet run "
                          "--log-interface)",
                          line, b->header.functions[f - b->functions].name, words);
        }
    }
    flows_end(&x);
    return good;
}

bool entries_check(const struct boundary *b, struct motet_error *e)
{
    for (unsigned line = 0; line < b->machine->chip->isa->interrupts.lines; line++)
        if (!entries_check_line(b, line, e))
            return false;
    return true;
}

bool entries_check_sleep(const struct boundary *b, struct motet_error *e)
{
    const struct image_symbol *idle = image_symbol_named(b->machine->image, "motet_idle");
    bool good = true;
    for (uint32_t i = 0; good && idle && i < b->header.function_count; i++) {
        struct flows x;
        char words[400];
        if (b->functions[i].side != BOUNDARY_INSIDE)
            continue;
        flows_begin(&x, b->machine);
        x.silent = true;
        x.code.taken_count = 0;
        flow_interrupt(&x, b->functions[i].address);
        if (x.visited[idle->address]) {
            entries_words(&x, idle->address, words, sizeof words);
            good = error_set(e,
                             "%s of a component can sleep, %s. Logging cannot change to a component that is under way: "
                             "give one component, or another",
                             b->header.functions[i].name, words);
        }
        flows_end(&x);
    }
    return good;
}
