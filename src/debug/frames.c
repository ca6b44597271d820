#include "debug/frames.h"

#include <string.h>

#include "chip/chip.h"
#include "image/debug.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"

enum { RETURN_LIMIT = 4 /* bytes a return address takes at most */, FRAME_LIMIT = 1 << 16 };

static bool frames_read_memory(void *context, uint32_t address, void *to, uint32_t size)
{
    const struct node *n = context;
    return map_peek(n, map_of_image(n->machine, address), to, size);
}

static void first_frame(const struct node *n, uint32_t pc, uint32_t sp, struct debug_frame *f)
{
    const struct isa *isa = n->machine->chip->isa;
    *f = (struct debug_frame){.pc = pc};
    for (unsigned i = 0; i < isa->registers && i < 32; i++) /* general registers have the same numbers there */
        f->registers[i] = isa->get_register(n, i);
    f->registers[isa->stack_register] = sp;
}

/* The instruction that ends at a return address. */
static uint32_t frames_call_before(const struct node *n, uint32_t pc)
{
    char text[64];
    const struct machine *m = n->machine;
    if (pc >= 4 && pc <= m->code_size &&
        m->chip->isa->disassemble(m->flash + pc - 4, 4, pc - 4, text, sizeof text) == 4)
        return pc - 4;
    return pc >= 2 ? pc - 2 : 0;
}

/* Whether the return address that the unwinder took from just below the caller's frame can be one. */
static bool plausible(const struct node *n, const struct debug_frame *caller)
{
    if (!caller->after_call) /* an interrupt returns anywhere */
        return caller->pc < n->machine->code_size;
    for (uint32_t back = 0; back < RETURN_LIMIT; back++)
        if (caller->cfa >= back && n->machine->chip->isa->return_address(n, caller->cfa - back) == caller->pc)
            return true;
    return false;
}

static bool unwind(const struct node *n, const struct debug_frame *f, struct debug_frame *caller)
{
    return debug_unwind(n->machine->image, f, frames_read_memory, (void *)(uintptr_t)n, caller) && plausible(n, caller);
}

/* A fault may come in the middle of a call, some bytes of the return address pushed already. */
static bool unwind_innermost(const struct node *n, const struct debug_frame *f, struct debug_frame *caller)
{
    unsigned sp = n->machine->chip->isa->stack_register;
    for (uint32_t pushed = 0; pushed < RETURN_LIMIT; pushed++) {
        struct debug_frame from = *f;
        from.registers[sp] += pushed;
        if (unwind(n, &from, caller))
            return true;
    }
    return false;
}

static bool search(const struct node *n, const struct debug_frame *f, struct debug_frame *caller)
{
    unsigned sp = n->machine->chip->isa->stack_register;
    const struct isa *isa = n->machine->chip->isa;
    for (uint32_t at = f->registers[sp] + isa->stack_gap; map_holds(n->machine, at, 1); at++) {
        uint32_t pc = isa->return_address(n, at);
        if (pc == UINT32_MAX)
            continue;
        *caller = *f;
        caller->pc = pc;
        caller->after_call = true;
        caller->cfa = caller->registers[sp] = at + isa->return_size(n->machine) - isa->stack_gap;
        caller->unknown = ~(UINT64_C(1) << sp);
        return true;
    }
    return false;
}

/* Beyond main lies what called it before there was anything to say. */
static bool is_outermost(const struct node *n, uint32_t pc)
{
    const struct image_symbol *s = image_symbol_at(n->machine->image, pc);
    return s && strcmp(s->name, "main") == 0;
}

size_t frames_walk(const struct node *n, uint32_t pc, uint32_t sp, struct call_frame *frames, size_t count)
{
    struct debug_frame f, caller;
    unsigned stack = n->machine->chip->isa->stack_register;
    struct call_frame here = {.pc = pc};
    size_t total = 0;
    first_frame(n, pc, sp, &f);
    for (;;) {
        bool last = is_outermost(n, here.pc) || total == FRAME_LIMIT;
        bool exact = total == 0 ? unwind_innermost(n, &f, &caller) : unwind(n, &f, &caller);
        bool found = !last && (exact || search(n, &f, &caller));
        if (exact)
            here.size = caller.cfa - f.registers[stack];
        if (total < count)
            frames[total] = here;
        total++;
        if (!found)
            return total;
        here = (struct call_frame){.pc = caller.after_call ? frames_call_before(n, caller.pc) : caller.pc,
                                   .guessed = here.guessed || !exact,
                                   .interrupted = !caller.after_call};
        f = caller;
    }
}

bool frames_find(const struct node *n, size_t level, struct debug_frame *frame, uint32_t *cfa)
{
    const struct isa *isa = n->machine->chip->isa;
    struct debug_frame caller;
    first_frame(n, isa->pc(n), isa->sp(n), frame);
    for (size_t i = 0;; i++) {
        bool exact = unwind(n, frame, &caller);
        bool last = is_outermost(n, frame->after_call ? frames_call_before(n, frame->pc) : frame->pc);
        *cfa = exact ? caller.cfa : 0;
        if (i == level)
            return true;
        if (last || i == FRAME_LIMIT || (!exact && !search(n, frame, &caller)))
            return false;
        *frame = caller;
    }
}
