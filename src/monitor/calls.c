#include "monitor/calls.h"

static void monitor_calls_push(struct calls *c, struct call frame)
{
    c->list = memory_grow(c->list, &c->room, c->count, sizeof *c->list);
    frame.tick = motet_node_now(c->node);
    frame.cycles = motet_node_cycles(c->node);
    frame.instructions = motet_node_instructions(c->node);
    c->list[c->count++] = frame;
    if (c->begun && !frame.unnamed)
        c->begun(c->context, c);
}

/* An interrupt enters a table of jumps on some chips: it is reported when its handler is known. */
static void monitor_calls_settle(struct calls *c)
{
    if (!c->count || !calls_top(c)->unnamed)
        return;
    calls_top(c)->unnamed = false;
    if (c->begun)
        c->begun(c->context, c);
}

static void monitor_calls_pop(struct calls *c)
{
    if (c->ending)
        c->ending(c->context, c);
    const struct call *top = calls_top(c);
    uint64_t interrupted = top->line != CALLS_NO_LINE ? calls_cycles(c) : top->interrupted;
    c->count--;
    if (c->count)
        calls_top(c)->interrupted += interrupted;
}

/* Takes off what lies below a stack pointer; the bottom frame stays. */
static void monitor_calls_rise(struct calls *c, uint32_t sp)
{
    while (c->count > 1 && calls_top(c)->sp < sp)
        monitor_calls_pop(c);
}

static void monitor_calls_leave(struct calls *c, uint32_t sp)
{
    c->returning = true;
    monitor_calls_rise(c, sp);
    c->returning = false;
}

void calls_end(struct calls *c)
{
    monitor_calls_settle(c);
    while (c->count)
        monitor_calls_pop(c);
}

static void monitor_calls_start(struct calls *c)
{
    monitor_calls_push(c, (struct call){.function = functions_at(&c->functions, motet_node_pc(c->node)),
                                        .sp = UINT32_MAX,
                                        .line = CALLS_NO_LINE});
}

static void monitor_calls_happened(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct calls *c = context;
    (void)n;
    monitor_calls_settle(c);
    switch (h->what) {
    case MOTET_ON_CALL:
        monitor_calls_rise(c, h->call.sp + 1);
        monitor_calls_push(c, (struct call){.function = functions_at(&c->functions, h->call.to),
                                            .site = h->call.from,
                                            .sp = h->call.sp,
                                            .line = CALLS_NO_LINE});
        break;
    case MOTET_ON_RETURN: monitor_calls_leave(c, h->call.sp); break;
    case MOTET_ON_INTERRUPT_ENTRY:
        monitor_calls_rise(c, h->interrupt.sp + 1);
        monitor_calls_push(c, (struct call){.function = functions_at(&c->functions, h->interrupt.handler),
                                            .site = h->interrupt.from,
                                            .sp = h->interrupt.sp,
                                            .line = h->interrupt.line,
                                            .device = h->interrupt.name,
                                            .unnamed = true});
        break;
    case MOTET_ON_INTERRUPT_EXIT: monitor_calls_leave(c, h->interrupt.sp); break;
    case MOTET_ON_RESET:
        calls_end(c);
        monitor_calls_start(c);
        break;
    default: break;
    }
}

/* At the first instruction of a function. Without a call it was jumped to. */
static void entered(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct calls *c = context;
    struct call *top = calls_top(c);
    size_t function = functions_at(&c->functions, pc);
    (void)n, (void)after;
    if (top->unnamed) {
        top->function = function;
        monitor_calls_settle(c);
    }
    if (top->function == function)
        return;
    for (size_t i = c->count; i-- > 0 && c->list[i].sp == top->sp;)
        if (c->list[i].function == function) { /* functions that jump to each other do not pile up */
            while (c->count > i + 1)
                monitor_calls_pop(c);
            return;
        }
    monitor_calls_push(
        c, (struct call){
               .function = function, .site = c->jumped_from, .sp = top->sp, .line = CALLS_NO_LINE, .tail = true});
}

void calls_follow(struct calls *c, motet_node *n, calls_told *begun, calls_told *ending, void *context)
{
    *c = (struct calls){.node = n, .begun = begun, .ending = ending, .context = context};
    functions_make(&c->functions, motet_node_machine(n));
    c->room = 64;
    c->list = memory_array(c->room, sizeof *c->list);
    monitor_calls_start(c);
    motet_hook(
        n, MOTET_ON(CALL) | MOTET_ON(RETURN) | MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT) | MOTET_ON(RESET),
        monitor_calls_happened, c);
    functions_probe(&c->functions, n, entered, c);
}

void calls_free(struct calls *c)
{
    functions_free(&c->functions);
    free(c->list);
}
