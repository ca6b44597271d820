#include "isa/cortex/exceptions.h"

#include "chip/chip.h"
#include "isa/cortex/code.h"
#include "isa/cortex/memory.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/taps.h"

enum { ENTRY_CYCLES = 12, TAIL_CYCLES = 6, RETURN_CYCLES = 10, FRAME_WORDS = 8, FLOAT_WORDS = 18 };

static const struct cortex_core *cortex_exceptions_core(const struct node *n)
{
    return n->machine->chip->core;
}

/* ---- pending and enabled ---- */

static bool cortex_exceptions_enabled(const struct cortex_cpu *cpu, unsigned exception)
{
    switch (exception) {
    case CORTEX_MEM_MANAGE: return cpu->shcsr >> 16 & 1;
    case CORTEX_BUS_FAULT: return cpu->shcsr >> 17 & 1;
    case CORTEX_USAGE_FAULT: return cpu->shcsr >> 18 & 1;
    default: return exception < CORTEX_EXTERNAL || cortex_bit(cpu->enabled, exception);
    }
}

static void cortex_exceptions_ask(struct node *n, unsigned exception)
{
    struct cortex_cpu *cpu = n->cpu;
    if (n->machine->log && exception >= CORTEX_PENDSV) /* comes where the log says */
        return;
    bool asks = cortex_bit(cpu->pending, exception) && cortex_exceptions_enabled(cpu, exception);
    if (!interrupts_set(n, exception, asks) || !asks)
        return;
    n->cut = true;
    if (taps_wanted(n, MOTET_ON(INTERRUPT_POST)))
        taps_interrupt_posted(n, exception);
}

static void cortex_exceptions_wake(struct node *n);

/* With SEVONPEND also an interrupt that is not enabled, and so asks for nothing, ends WFE. */
void cortex_exception_pend(struct node *n, unsigned exception, bool pending)
{
    struct cortex_cpu *cpu = n->cpu;
    bool was = cortex_bit(cpu->pending, exception);
    cortex_set_bit(cpu->pending, exception, pending);
    if (pending && !was && cpu->scr & CORTEX_SEVONPEND) {
        bool waits = n->state->sleeping && cpu->waits_for_event;
        cpu->event = !waits;
        n->cut = true;
        if (waits)
            cortex_exceptions_wake(n);
    }
    cortex_exceptions_ask(n, exception);
}

void cortex_exception_enable(struct node *n, unsigned exception, bool enabled)
{
    struct cortex_cpu *cpu = n->cpu;
    cortex_set_bit(cpu->enabled, exception, enabled);
    cortex_exceptions_ask(n, exception);
}

void cortex_exception_line(struct node *n, unsigned exception, bool level)
{
    struct cortex_cpu *cpu = n->cpu;
    bool was = cortex_bit(cpu->level, exception);
    cortex_set_bit(cpu->level, exception, level);
    if (level && !was)
        cortex_exception_pend(n, exception, true);
}

void cortex_exception_changed(struct node *n)
{
    for (unsigned e = CORTEX_MEM_MANAGE; e <= CORTEX_USAGE_FAULT; e++)
        cortex_exceptions_ask(n, e);
    n->cut = true;
}

/* ---- priorities ---- */

void cortex_exception_set_priority(struct node *n, unsigned exception, uint8_t priority)
{
    unsigned bits = cortex_exceptions_core(n)->priority_bits;
    interrupts_set_priority(n, exception, (priority >> (8 - bits)) + CORTEX_PRIORITY_FIRST);
    n->cut = true;
}

uint8_t cortex_exception_priority(const struct node *n, unsigned exception)
{
    unsigned bits = cortex_exceptions_core(n)->priority_bits, p = interrupts_priority(n, exception);
    return p < CORTEX_PRIORITY_FIRST ? 0 : (uint8_t)((p - CORTEX_PRIORITY_FIRST) << (8 - bits));
}

/* The part of a priority that decides whether one interrupts another, as the number of the most urgent in its group. */
static unsigned cortex_exceptions_group(const struct node *n, unsigned priority)
{
    const struct cortex_cpu *cpu = n->cpu;
    unsigned bits = cortex_exceptions_core(n)->priority_bits;
    if (priority < CORTEX_PRIORITY_FIRST)
        return priority;
    unsigned value = (priority - CORTEX_PRIORITY_FIRST) << (8 - bits);
    return (value >> (cpu->group + 1) << (cpu->group + 1) >> (8 - bits)) + CORTEX_PRIORITY_FIRST;
}

/* Only exceptions below this are taken now. */
static unsigned cortex_exceptions_below(const struct node *n, bool despite_primask)
{
    const struct cortex_cpu *cpu = n->cpu;
    unsigned below = INTERRUPT_ANY;
    for (unsigned w = 0; w < CORTEX_EXCEPTIONS / 64; w++)
        for (uint64_t bits = cpu->active[w]; bits; bits &= bits - 1) {
            unsigned e = w * 64 + (unsigned)__builtin_ctzll(bits);
            unsigned p = cortex_exceptions_group(n, interrupts_priority(n, e));
            below = p < below ? p : below;
        }
    unsigned bits = cortex_exceptions_core(n)->priority_bits;
    if (cpu->basepri) {
        unsigned p = cortex_exceptions_group(n, (cpu->basepri >> (8 - bits)) + CORTEX_PRIORITY_FIRST);
        below = p < below ? p : below;
    }
    if (cpu->primask && !despite_primask && below > CORTEX_PRIORITY_FIRST)
        below = CORTEX_PRIORITY_FIRST;
    if (cpu->faultmask && below > 1)
        below = 1;
    return below;
}

bool cortex_exception_due(const struct node *n, bool despite_primask)
{
    return interrupts_any(n) && interrupts_next(n, cortex_exceptions_below(n, despite_primask)) != INTERRUPT_NONE;
}

/* ---- faults ---- */

static void cortex_exceptions_lock_up(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->locked = 1;
    node_halt(n, NODE_EXIT_HALT, 0);
}

static void cortex_exceptions_escalate(struct node *n, unsigned exception)
{
    struct cortex_cpu *cpu = n->cpu;
    unsigned below = cortex_exceptions_below(n, false);
    if (cortex_exceptions_enabled(cpu, exception) && interrupts_priority(n, exception) < below) {
        cortex_exception_pend(n, exception, true);
    } else if (below > 1) {
        cpu->hfsr |= CORTEX_FORCED;
        cortex_exception_pend(n, CORTEX_HARD_FAULT, true);
    } else {
        cortex_exceptions_lock_up(n);
    }
}

void cortex_exception_fault(struct node *n, unsigned exception, uint32_t status)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->cfsr |= status;
    cpu->aborted = 1;
    n->cut = true;
    cortex_exceptions_escalate(n, exception);
}

void cortex_exception_call(struct node *n)
{
    n->cut = true;
    cortex_exceptions_escalate(n, CORTEX_SVCALL);
}

/* ---- modes and stacks ---- */

bool cortex_on_process_stack(const struct cortex_cpu *cpu)
{
    return !cpu->exception && cpu->control & CORTEX_PROCESS_STACK;
}

static void cortex_exceptions_swap(struct cortex_cpu *cpu)
{
    uint32_t sp = cpu->r[CORTEX_SP];
    cpu->r[CORTEX_SP] = cpu->other_sp;
    cpu->other_sp = sp;
}

void cortex_set_control(struct cortex_cpu *cpu, uint8_t control)
{
    bool before = cortex_on_process_stack(cpu);
    cpu->control = control;
    if (cortex_on_process_stack(cpu) != before)
        cortex_exceptions_swap(cpu);
}

uint32_t cortex_xpsr(const struct cortex_cpu *cpu)
{
    return cpu->psr | CORTEX_T | cpu->exception | (uint32_t)(cpu->it & 3) << 25 | (uint32_t)(cpu->it >> 2) << 10;
}

/* ---- entry ---- */

static void cortex_exceptions_store(struct node *n, uint32_t address, uint32_t value)
{
    const struct cortex_cpu *cpu = n->cpu;
    cortex_store_any(n, cpu->r[CORTEX_PC], address, value, 4, true);
}

void cortex_exception_stack_floats(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    for (unsigned i = 0; i < 16; i++)
        cortex_exceptions_store(n, cpu->fpcar + 4 * i, cpu->s[i]);
    cortex_exceptions_store(n, cpu->fpcar + 64, cpu->fpscr);
    cpu->fpccr &= ~(uint32_t)CORTEX_LAZY_ACTIVE;
    cpu->fpscr = cpu->fpdscr;
}

/* Pushes what the CPU saves; returns EXC_RETURN. */
static uint32_t cortex_exceptions_push(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    bool floats = cpu->control & CORTEX_FLOAT_ACTIVE, process = cortex_on_process_stack(cpu);
    bool align = floats || cpu->ccr & CORTEX_STACK_ALIGN;
    uint32_t sp = cpu->r[CORTEX_SP], psr = cortex_xpsr(cpu);
    uint32_t frame = sp - 4 * (FRAME_WORDS + (floats ? FLOAT_WORDS : 0));
    if (align && frame & 4) {
        frame &= ~4u;
        psr |= 1u << 9;
    }
    const uint32_t words[FRAME_WORDS] = {cpu->r[0],  cpu->r[1],         cpu->r[2],         cpu->r[3],
                                         cpu->r[12], cpu->r[CORTEX_LR], cpu->r[CORTEX_PC], psr};
    if (n->watching)
        n->taps->entering = true;
    if (sp >= n->machine->stack_limit && frame < n->machine->stack_limit)
        cortex_stack_overflows(n, cpu->r[CORTEX_PC], frame);
    for (unsigned i = 0; i < FRAME_WORDS; i++)
        cortex_exceptions_store(n, frame + 4 * i, words[i]);
    if (floats) {
        cpu->fpcar = frame + 4 * FRAME_WORDS;
        if (cpu->fpccr & CORTEX_LAZY)
            cpu->fpccr |= CORTEX_LAZY_ACTIVE;
        else
            cortex_exception_stack_floats(n);
    }
    if (n->watching)
        n->taps->entering = false;
    cpu->r[CORTEX_SP] = frame;
    uint32_t mode = cpu->exception ? 0x1 : process ? 0xd : 0x9;
    return 0xffffffe0u | (floats ? 0 : 0x10) | mode;
}

static uint32_t cortex_exceptions_vector(struct node *n, unsigned exception)
{
    const struct cortex_cpu *cpu = n->cpu;
    return cortex_load_any(n, cpu->r[CORTEX_PC], cpu->vtor + 4 * exception, 4, true);
}

static void cortex_exceptions_wake(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    if (!n->state->sleeping)
        return;
    const struct device *d = n->machine->instructions[INSTRUCTION_WAKE].device;
    cpu->waits_for_event = 0;
    node_sleeping(n, false);
    if (d)
        d->type->instruction(n, d, INSTRUCTION_WAKE);
}

static void cortex_exceptions_enter(struct node *n, unsigned exception)
{
    struct cortex_cpu *cpu = n->cpu;
    uint32_t from = cpu->r[CORTEX_PC];
    cortex_exceptions_wake(n);
    cpu->aborted = 0;
    cpu->r[CORTEX_LR] = cortex_exceptions_push(n);
    if (cortex_on_process_stack(cpu))
        cortex_exceptions_swap(cpu);
    cpu->exception = (uint16_t)exception;
    cpu->control &= (uint8_t) ~(CORTEX_FLOAT_ACTIVE | CORTEX_PROCESS_STACK);
    cpu->it = 0;
    cpu->exclusive = 0;
    cortex_set_bit(cpu->active, exception, true);
    cortex_exception_pend(n, exception, false);
    uint32_t target = cortex_exceptions_vector(n, exception);
    cpu->r[CORTEX_PC] = target & ~1u;
    if (cpu->aborted)
        cortex_exceptions_lock_up(n);
    cpu->aborted = 0;
    const struct wire *w = &n->machine->lines[exception];
    if (w->device && w->device->type->acknowledge)
        w->device->type->acknowledge(n, w->device, w->role);
    if (taps_wanted(n, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT)))
        taps_interrupt_entered(n, exception, from);
    node_stall(n, cpu->tail ? TAIL_CYCLES : ENTRY_CYCLES);
    cpu->tail = 0;
}

bool cortex_exception_take(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    int next = interrupts_next(n, cortex_exceptions_below(n, false));
    if (next != INTERRUPT_NONE) {
        cortex_exceptions_enter(n, (unsigned)next);
        return true;
    }
    bool wakes = cortex_exception_due(n, true) || (cpu->waits_for_event && cpu->event);
    if (!n->state->sleeping || !wakes)
        return false;
    cortex_exceptions_wake(n);
    return true;
}

/* ---- return ---- */

static void cortex_exceptions_pop_floats(struct node *n, uint32_t frame)
{
    struct cortex_cpu *cpu = n->cpu;
    if (cpu->fpccr & CORTEX_LAZY_ACTIVE) {
        cpu->fpccr &= ~(uint32_t)CORTEX_LAZY_ACTIVE; /* never stacked: they are still there */
        return;
    }
    for (unsigned i = 0; i < 16; i++)
        cpu->s[i] = cortex_load_any(n, cpu->r[CORTEX_PC], frame + 4 * (FRAME_WORDS + i), 4, true);
    cpu->fpscr = cortex_load_any(n, cpu->r[CORTEX_PC], frame + 4 * (FRAME_WORDS + 16), 4, true);
}

static void cortex_exceptions_pop(struct node *n, bool floats)
{
    struct cortex_cpu *cpu = n->cpu;
    uint32_t frame = cpu->r[CORTEX_SP], words[FRAME_WORDS];
    for (unsigned i = 0; i < FRAME_WORDS; i++)
        words[i] = cortex_load_any(n, cpu->r[CORTEX_PC], frame + 4 * i, 4, true);
    if (floats)
        cortex_exceptions_pop_floats(n, frame);
    for (unsigned i = 0; i < 4; i++)
        cpu->r[i] = words[i];
    cpu->r[12] = words[4];
    cpu->r[CORTEX_LR] = words[5];
    cpu->r[CORTEX_PC] = words[6] & ~1u;
    uint32_t psr = words[7];
    cpu->psr = psr & (CORTEX_FLAGS | CORTEX_Q | CORTEX_GE);
    cpu->it = (uint8_t)((psr >> 25 & 3) | (psr >> 10 & 0x3f) << 2);
    frame += 4 * (FRAME_WORDS + (floats ? FLOAT_WORDS : 0));
    cpu->r[CORTEX_SP] = psr & 1u << 9 ? frame | 4 : frame;
}

static void cortex_exceptions_leave(struct node *n, unsigned exception)
{
    struct cortex_cpu *cpu = n->cpu;
    cortex_set_bit(cpu->active, exception, false);
    if (exception != CORTEX_NMI)
        cpu->faultmask = 0;
    if (exception >= CORTEX_EXTERNAL && cortex_bit(cpu->level, exception))
        cortex_exception_pend(n, exception, true);
}

/* The exception that is returned to: of those active the most urgent; 0: none. */
static unsigned cortex_exceptions_outer(const struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    unsigned best = 0, below = INTERRUPT_ANY;
    for (unsigned w = 0; w < CORTEX_EXCEPTIONS / 64; w++)
        for (uint64_t bits = cpu->active[w]; bits; bits &= bits - 1) {
            unsigned e = w * 64 + (unsigned)__builtin_ctzll(bits), p = interrupts_priority(n, e);
            if (p < below) {
                below = p;
                best = e;
            }
        }
    return best;
}

unsigned cortex_exception_return(struct node *n, uint32_t value)
{
    struct cortex_cpu *cpu = n->cpu;
    bool to_thread = value & 8, process = (value & 0xf) == 0xd, floats = !(value & 0x10);
    cortex_exceptions_leave(n, cpu->exception);
    unsigned outer = cortex_exceptions_outer(n);
    if (to_thread == (outer != 0) || ((value & 0xf) != 1 && (value & 0xf) != 9 && (value & 0xf) != 0xd)) {
        cortex_exception_fault(n, CORTEX_USAGE_FAULT, CORTEX_INVPC);
        return RETURN_CYCLES;
    }
    cpu->exception = (uint16_t)outer;
    if (process)
        cortex_exceptions_swap(cpu);
    cpu->control = (uint8_t)((cpu->control & CORTEX_UNPRIVILEGED) | (process ? CORTEX_PROCESS_STACK : 0) |
                             (floats ? CORTEX_FLOAT_ACTIVE : 0));
    cortex_exceptions_pop(n, floats);
    cpu->event = 1;
    cpu->exclusive = 0;
    n->cut = true;
    if (to_thread && cpu->scr & CORTEX_SLEEPONEXIT && !cortex_exception_due(n, true)) {
        const struct device *d = n->machine->instructions[INSTRUCTION_SLEEP].device;
        node_sleeping(n, true);
        if (d)
            d->type->instruction(n, d, INSTRUCTION_SLEEP);
    }
    cpu->tail = cortex_exception_due(n, false);
    return cpu->tail ? 1 : RETURN_CYCLES;
}
