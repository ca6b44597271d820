/* Faults in words: what happened, where, and how the node came there. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "debug/frames.h"
#include "api/handles.h"
#include "api/trap.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/map.h"

enum {
    REPEAT_LIMIT = 8, /* frames of a mutual recursion that are recognised as one round of it */
    CHAIN_SHOWN = 40, /* frames printed at most */
    BIG_FRAMES = 4,
};

struct text {
    char *start;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void explain_say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (t->used < t->size) {
        int more = vsnprintf(t->start + t->used, t->size - t->used, format, args);
        t->used = more < 0 ? t->used : t->used + (size_t)more;
        if (t->used >= t->size)
            t->used = t->size ? t->size - 1 : 0;
    }
    va_end(args);
}

/* ---- names ---- */

/* The variable that holds a data address, NULL if none does. */
static const struct image_symbol *variable_at(const struct machine *m, uint32_t address)
{
    uint32_t space = m->chip->isa->spaces.data;
    const struct image_symbol *s = image_symbol_at(m->image, space + address);
    bool holds = s && s->kind == IMAGE_SYMBOL_OBJECT && space + address < s->address + s->size;
    return holds ? s : NULL;
}

static const char *function_at(const struct machine *m, uint32_t pc)
{
    const struct image_symbol *s = image_symbol_at(m->image, pc);
    return s && s->kind != IMAGE_SYMBOL_OBJECT ? s->name : NULL;
}

static void say_instruction(struct text *t, const struct machine *m, uint32_t pc)
{
    char instruction[80] = "";
    uint32_t size = m->code_size;
    if (pc < size)
        m->chip->isa->disassemble(m->flash + pc, size - pc, pc, instruction, sizeof instruction);
    explain_say(t, "`%s`", instruction);
}

/* ---- the stack ---- */

static uint32_t ram_last(const struct machine *m)
{
    return m->ram->first + (m->ram->size - 1);
}

static void say_overrun(struct text *t, const struct machine *m, const struct node *n, const struct motet_fault *f)
{
    const struct image_symbol *s = variable_at(m, f->address);
    uint8_t brk[2] = {0, 0};
    if (m->heap_break)
        map_peek(n, m->heap_break, brk, sizeof brk);
    uint32_t heap_end = brk[0] | (uint32_t)brk[1] << 8;
    if (f->address + 1 == m->ram->first)
        explain_say(t, "the chip's registers, having filled all of RAM");
    else if (f->address < m->ram->first)
        explain_say(t, "the chip's registers, which lie below RAM (has the stack pointer been set?)");
    else if (f->address > ram_last(m))
        explain_say(t, "addresses beyond RAM, which ends at 0x%04" PRIx32 " (has the stack pointer been set?)",
                    ram_last(m));
    else if (s)
        explain_say(t, "the variable `%s` (%" PRIu32 " byte%s at 0x%04" PRIx32 ")", s->name, s->size,
                    s->size == 1 ? "" : "s", map_of_image(m, s->address));
    else if (m->stack_limit && f->address >= m->stack_limit && f->address < heap_end)
        explain_say(t, "the heap, which reaches to 0x%04" PRIx32, heap_end - 1);
    else
        explain_say(t, "data");
}

struct appetite {
    const char *function;
    uint32_t bytes, frames;
};

static int by_bytes(const void *a, const void *b)
{
    const struct appetite *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->function, y->function);
}

/* Which functions hold the most of the stack; the innermost is about to take `room` more. */
static void say_biggest(struct text *t, const struct machine *m, const struct call_frame *chain, size_t count,
                        uint32_t room)
{
    struct appetite *all = memory_array(count + 1, sizeof *all);
    size_t functions = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = function_at(m, chain[i].pc);
        if (!name || !chain[i].size)
            continue;
        size_t at = 0;
        while (at < functions && strcmp(all[at].function, name) != 0)
            at++;
        functions += at == functions;
        all[at].function = name;
        all[at].bytes += chain[i].size + (i == 0 ? room : 0);
        all[at].frames++;
    }
    qsort(all, functions, sizeof *all, by_bytes);
    for (size_t i = 0; i < functions && i < BIG_FRAMES; i++) {
        explain_say(t, "%s%s %" PRIu32 " bytes", i ? ", " : "  biggest frames: ", all[i].function, all[i].bytes);
        if (all[i].frames > 1)
            explain_say(t, " in %" PRIu32 " calls", all[i].frames);
    }
    explain_say(t, functions ? "\n" : "");
    free(all);
}

static void say_stack(struct text *t, const struct node *n, const struct motet_fault *f, const struct call_frame *chain,
                      size_t count)
{
    const struct machine *m = n->machine;
    explain_say(t, "  the stack ran into ");
    say_overrun(t, m, n, f);
    explain_say(t, ": ");
    say_instruction(t, m, f->pc);
    explain_say(t, " takes it to 0x%04" PRIx32 "\n", f->address);
    uint32_t last = ram_last(m);
    if (f->address + 1 >= m->ram->first && f->address <= last)
        explain_say(t, "  it is %" PRIu32 " bytes deep, from the end of RAM at 0x%04" PRIx32 "\n",
                    last + 1 - f->address, last);
    say_biggest(t, m, chain, count, f->sp > f->address && f->sp <= last + 1 ? f->sp - f->address : 0);
}

/* ---- the other kinds ---- */

static void say_memory(struct text *t, const struct machine *m, const struct motet_fault *f)
{
    explain_say(t, "  ");
    say_instruction(t, m, f->pc);
    if (f->kind == MOTET_FAULT_NULL_WRITE)
        explain_say(t,
                    " writes 0x%02" PRIx32 " through a null pointer (or one near it): address 0x%04" PRIx32
                    " is register %s\n",
                    f->value, f->address, m->chip->isa->register_name(f->address));
    else if (f->kind == MOTET_FAULT_MISALIGNED)
        explain_say(t, " uses the odd address 0x%04" PRIx32 " for a word\n", f->address);
    else
        explain_say(
            t, " follows the pointer 0x%04" PRIx32 ", where there is no memory: RAM of %s ends at 0x%04" PRIx32 "\n",
            f->address, m->chip->name, ram_last(m));
}

static void say_execution(struct text *t, const struct machine *m, const struct motet_fault *f)
{
    const struct image_symbol *s = f->pc < m->code_size ? image_symbol_at(m->image, f->pc) : NULL;
    bool object = s && s->kind == IMAGE_SYMBOL_OBJECT;
    switch (f->kind) {
    case MOTET_FAULT_ILLEGAL_OPCODE:
        explain_say(t, "  0x%04" PRIx32 " is not an instruction of %s\n", f->value, m->chip->name);
        break;
    case MOTET_FAULT_ERASED_FLASH:
        explain_say(t, "  there is no program at 0x%04" PRIx32 ": the flash is erased (0xffff)\n", f->pc);
        break;
    case MOTET_FAULT_EXECUTES_DATA:
        if (object)
            explain_say(t, "  `%s` (%" PRIu32 " bytes at 0x%04" PRIx32 ") is data in program memory, not code\n",
                        s->name, s->size, s->address);
        else
            explain_say(t, "  0x%04" PRIx32 " holds data (the initial values of variables), not code\n", f->pc);
        break;
    default:
        if (f->pc < m->code_size)
            explain_say(t, "  the program counter is 0x%04" PRIx32 ", where %s has no program memory\n", f->pc,
                        m->chip->name);
        else
            explain_say(
                t, "  the program counter is 0x%04" PRIx32 ", but the program memory of %s ends at 0x%04" PRIx32 "\n",
                f->pc, m->chip->name, m->code_size - 1);
    }
    if (f->kind != MOTET_FAULT_ILLEGAL_OPCODE)
        explain_say(t, "  a jump or return to a wrong address leads here, or a function that runs on past its end\n");
}

static void say_trap(struct text *t, const struct motet_fault *f)
{
    const char *what = f->cause == MOTET_TRAP_BOUNDS ? "index " : "";
    explain_say(t, "  %s", trap_sentence(f->cause));
    if (f->bound == 1)
        explain_say(t, ": %s%" PRId64 ", where only 0 is allowed", what, f->index);
    else if (f->bound)
        explain_say(t, ": %s%" PRId64 ", where 0 to %" PRIu32 " are allowed", what, f->index, f->bound - 1);
    explain_say(t, "\n");
}

static void say_unspecified(struct text *t, const struct machine *m, const struct motet_fault *f)
{
    const struct device *d = &m->devices[f->address];
    explain_say(t, "  %s (%s): %s\n", d->name, d->type->name, d->type->unspecified[f->value]);
}

/* ---- the chain ---- */

/* How often the `period` frames at `at` come again right after themselves. */
static size_t repeats(const struct call_frame *chain, size_t count, size_t at, size_t period)
{
    size_t same = 0;
    while (at + period + same < count && chain[at + same].pc == chain[at + period + same].pc)
        same++;
    return same / period;
}

static void explain_say_frame(struct text *t, const struct machine *m, const struct call_frame *f)
{
    char place[256];
    bool nameless = !f->guessed && !image_symbol_at(m->image, f->pc);
    explain_say(t, "    %s%s%s\n", image_place(m->image, f->pc, place, sizeof place),
                f->interrupted ? ", interrupted" : "",
                f->guessed ? " (guessed)"
                : nameless ? " (no function known there)"
                           : "");
}

static void say_chain(struct text *t, const struct machine *m, const struct call_frame *chain, size_t count)
{
    size_t shown = 0;
    if (count > 1)
        explain_say(t, "  called from\n");
    for (size_t i = 1; i < count;) {
        size_t best = 1, rounds = 0;
        for (size_t period = 1; period <= REPEAT_LIMIT; period++) {
            size_t found = repeats(chain, count, i, period);
            if (found * period > rounds * best)
                best = period, rounds = found;
        }
        if (++shown > CHAIN_SHOWN) {
            explain_say(t, "    ... %zu more frames\n", count - i);
            return;
        }
        if (rounds < 2) { /* one repetition is as short written out */
            explain_say_frame(t, m, &chain[i++]);
            continue;
        }
        for (size_t k = 0; k < best; k++)
            explain_say_frame(t, m, &chain[i + k]);
        if (best == 1)
            explain_say(t, "    ... %zu more times\n", rounds);
        else
            explain_say(t, "    ... these %zu frames %zu more times\n", best, rounds);
        i += best * (rounds + 1);
    }
}

/* Times are the network's; a node that was switched on later counts cycles of its own. */
static void explain_explain(struct text *t, const motet_node *handle, const struct motet_fault *f,
                            const struct call_frame *chain, size_t count)
{
    const struct node *n = handle->node;
    static const char *const titles[MOTET_FAULT_KINDS] = {
        "illegal opcode", "execution of erased flash", "execution of data",  "execution outside program memory",
        "stack overflow", "access outside memory",     "null pointer write", "misaligned access",
        "trap",           "unspecified use",
    };
    const struct machine *m = n->machine;
    char place[256];
    const char *title = f->kind == MOTET_FAULT_TRAP ? trap_title(f->cause) : titles[f->kind];
    explain_say(t, "%s at %s, %.6f s (cycle %" PRIu64 ")\n", title, image_place(m->image, f->pc, place, sizeof place),
                (double)motet_network_time(handle->network, handle, f->tick) * 1e-9,
                clock_cycle_at(&n->state->clocks[CLOCK_CPU], f->tick));
    switch (f->kind) {
    case MOTET_FAULT_STACK_OVERFLOW: say_stack(t, n, f, chain, count); break;
    case MOTET_FAULT_OUTSIDE_MEMORY:
    case MOTET_FAULT_NULL_WRITE:
    case MOTET_FAULT_MISALIGNED: say_memory(t, m, f); break;
    case MOTET_FAULT_TRAP: say_trap(t, f); break;
    case MOTET_FAULT_UNSPECIFIED: say_unspecified(t, m, f); break;
    default: say_execution(t, m, f);
    }
    say_chain(t, m, chain, count);
}

size_t motet_node_where(const motet_node *n, char *text, size_t size)
{
    struct text t = {.start = text, .size = size};
    const struct isa *isa = n->node->machine->chip->isa;
    uint32_t pc = isa->pc(n->node), sp = isa->sp(n->node);
    if (size)
        text[0] = 0;
    size_t count = frames_walk(n->node, pc, sp, NULL, 0);
    struct call_frame *chain = memory_array(count + 1, sizeof *chain);
    frames_walk(n->node, pc, sp, chain, count);
    say_chain(&t, n->node->machine, chain, count);
    free(chain);
    return t.used;
}

size_t motet_node_explain(const motet_node *n, const struct motet_fault *f, char *text, size_t size)
{
    struct text t = {.start = text, .size = size};
    if (size)
        text[0] = 0;
    if (n->chain && f->tick == n->fault.tick && f->pc == n->fault.pc) {
        explain_explain(&t, n, f, n->chain, n->chain_count);
        return t.used;
    }
    size_t count = frames_walk(n->node, f->pc, f->sp, NULL, 0);
    struct call_frame *chain = memory_array(count, sizeof *chain);
    frames_walk(n->node, f->pc, f->sp, chain, count);
    explain_explain(&t, n, f, chain, count);
    free(chain);
    return t.used;
}
