#include "analysis/stack.h"

#include <stdlib.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"

/* ---- entry points ---- */

/* Where a vector leads: past its jump. */
static uint32_t stack_led_to(const struct code *c, uint32_t address)
{
    struct abstract_state s = {0};
    struct abstract_step step;
    c->isa->step(c->machine, address, &s, &step);
    return step.flow == ABSTRACT_JUMP ? step.target : address;
}

static void stack_add_interrupt(struct stack *s, struct flows *x, unsigned line)
{
    const struct code *c = &x->code;
    const struct machine *m = c->machine;
    uint32_t address;
    if (line == c->isa->reset_line || !c->isa->vector(m, line, &address))
        return;
    const struct flow *w = flow_interrupt(x, address);
    if (!w->returns && w->deepest.bytes == 0) {
        s->unused++;
        return;
    }
    uint32_t led_to = stack_led_to(c, address);
    for (size_t i = 1; c->isa->nests && i < s->entry_count; i++)
        if (s->entries[i].address == led_to) {
            s->entries[i].others++;
            return;
        }
    s->entries[s->entry_count++] = (struct stack_entry){
        .line = (int)line,
        .address = led_to,
        .flow = w,
        .pushed = c->isa->interrupt_pushes(m),
        .always = c->isa->always && c->isa->always(line),
    };
}

static void stack_find_entries(struct stack *s, struct flows *x)
{
    s->entries = memory_array(MACHINE_LINES + 1, sizeof *s->entries);
    const struct flow *reset = flow_reset(x);
    s->entries[s->entry_count++] =
        (struct stack_entry){.line = STACK_NO_LINE, .address = stack_led_to(&x->code, x->code.reset), .flow = reset};
    s->top = reset->top;
    for (unsigned line = 0; line < MACHINE_LINES; line++)
        stack_add_interrupt(s, x, line);
}

/* The flow from the reset counts from the highest address that there is. */
static uint32_t stack_bytes(const struct stack *s, const struct stack_entry *e, const struct flow_depth *d)
{
    if (!d->there)
        return 0;
    return e->line == STACK_NO_LINE ? flow_below_top(s->top, d->bytes) : d->bytes + e->pushed;
}

uint32_t stack_deepest(const struct stack *s, const struct stack_entry *e)
{
    return stack_bytes(s, e, &e->flow->deepest);
}

uint32_t stack_open(const struct stack *s, const struct stack_entry *e, bool *opens)
{
    *opens = e->flow->open.there;
    return stack_bytes(s, e, &e->flow->open);
}

/* ---- the deepest chain ---- */

static void stack_add_chain(struct stack *s, const struct stack_entry *e, bool open)
{
    int line = e->line;
    for (const struct flow *w = e->flow; w;) {
        const struct flow_depth *d = open ? &w->open : &w->deepest;
        uint32_t bytes = d->own;
        if (w == e->flow)
            bytes = line == STACK_NO_LINE ? flow_below_top(s->top, bytes) : bytes + e->pushed;
        s->chain = memory_grow(s->chain, &s->chain_room, s->chain_count, sizeof *s->chain);
        s->chain[s->chain_count++] = (struct stack_level){line, w->entry, d->at, bytes};
        s->bytes += bytes;
        line = STACK_NO_LINE;
        w = d->callee;
    }
}

/* The handler that is best taken last: it counts with its deepest, the others with what they take while interrupts are
 * on. NULL if there is no handler. */
static const struct stack_entry *stack_last(const struct stack *s, uint32_t *bytes)
{
    const struct stack_entry *last = NULL;
    uint32_t nested = 0, gain = 0;
    bool opens;
    for (size_t i = 1; i < s->entry_count; i++) {
        const struct stack_entry *e = &s->entries[i];
        if (e->always)
            continue;
        uint32_t open = stack_open(s, e, &opens), more = stack_deepest(s, e) - open;
        nested += open;
        if (!last || more > gain) {
            last = e;
            gain = more;
        }
    }
    *bytes = nested + gain;
    return last;
}

static void stack_add_handlers(struct stack *s, const struct stack_entry *last)
{
    for (size_t i = 1; i < s->entry_count; i++) {
        bool opens;
        const struct stack_entry *e = &s->entries[i];
        stack_open(s, e, &opens);
        if (opens && e != last && !e->always)
            stack_add_chain(s, e, true);
    }
    if (last)
        stack_add_chain(s, last, false);
}

void stack_find(struct stack *s, struct flows *x)
{
    uint32_t handlers;
    bool opens;
    *s = (struct stack){0};
    stack_find_entries(s, x);
    const struct stack_entry *main = &s->entries[0], *last = stack_last(s, &handlers);
    uint32_t open = stack_open(s, main, &opens);
    if (opens && open + handlers > stack_deepest(s, main)) {
        stack_add_chain(s, main, true);
        stack_add_handlers(s, last);
    } else {
        stack_add_chain(s, main, false);
    }
    for (size_t i = 1; i < s->entry_count; i++)
        if (s->entries[i].always)
            stack_add_chain(s, &s->entries[i], false);
}

void stack_free(struct stack *s)
{
    free(s->entries);
    free(s->chain);
}
