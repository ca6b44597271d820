#include "isa/msp430/execute.h"

#include "chip/chip.h"
#include "isa/msp430/execute_shared.h"
#include "isa/msp430/generic.h"
#include "isa/msp430/hot.h"
#include "isa/msp430/memory.h"
#include "isa/msp430/trap.h"
#include "isa/msp430/wait.h"
#include "isa/slice.h"
#include "node/machine.h"
#include "node/taps.h"

void msp430_status_written(struct node *n, unsigned old)
{
    struct msp430_cpu *cpu = n->cpu;
    uint16_t now = cpu->r[MSP430_SR];
    if (!((now ^ old) & MSP430_LOW_POWER))
        return;
    const struct device *d = n->machine->instructions[INSTRUCTION_SLEEP].device;
    node_sleeping(n, now & MSP430_CPUOFF);
    if (d)
        d->type->instruction(n, d, INSTRUCTION_SLEEP);
    n->cut = true;
}

/* The CPU loops or sleeps at `pc` with interrupts off. */
static void end_for_good(struct node *n, uint32_t pc)
{
    const struct msp430_cpu *cpu = n->cpu;
    if (node_watchdog_runs(n))
        return;
    if (pc == n->machine->exit_address)
        node_halt(n, NODE_EXIT_FIRMWARE, (uint8_t)cpu->r[12]);
    else
        node_halt(n, NODE_EXIT_HALT, 0);
}

/* ---- the slow way to memory ---- */

struct looked {
    int64_t left;
    uint64_t value;
};

/* Where and when: an address, a size and an offset in cycles in one word. */
#define WHERE(address, size, offset) ((address) | (uint32_t)(size) << 16 | (uint32_t)(offset) << 20)

static uint16_t msp430_execute_look(struct node *n, struct slice *s, int64_t left, const struct msp430_insn *ip,
                                    flags_t f, uint32_t where)
{
    struct msp430_cpu *cpu = n->cpu;
    uint32_t pc = (uint32_t)(ip - ((const struct msp430_code *)n->code)->insn) * 2;
    cpu->r[MSP430_PC] = (uint16_t)pc;
    cpu->r[MSP430_SR] = (uint16_t)((cpu->r[MSP430_SR] & ~FLAGS) | flags_in_sr(f));
    slice_look(n, s, left, where >> 20);
    if ((where & 1) && (where >> 16 & 15) == 2)
        node_fault(n, FAULT_MISALIGNED, pc, where & 0xffff, 0);
    return (uint16_t)pc;
}

/* A request made meanwhile ends the slice after this instruction. */
static int64_t looked(struct node *n, struct slice *s, int64_t left)
{
    return n->cut ? slice_cut(n, s, left) : left;
}

#define SLOW static __attribute__((noinline, cold))

SLOW struct looked load_slowly(struct node *n, struct slice *s, int64_t left, const struct msp430_insn *ip, flags_t f,
                               uint32_t where)
{
    unsigned size = where >> 16 & 15;
    uint16_t address = (uint16_t)(size == 2 ? where & 0xfffe : where);
    unsigned mark = n->page[address >> PAGE_BITS];
    bool aligned = !(size == 2 && (where & 1));
    if (aligned && taps_miss(n, mark, address, size))
        return (struct looked){left, size == 1 ? n->data[address] : word_at(n->data + address)};
    if (reads_program(n, mark) && aligned) {
        const uint8_t *memory = ((const struct msp430_code *)n->code)->memory + address;
        return (struct looked){left, size == 1 ? memory[0] : word_at(memory)};
    }
    uint16_t pc = msp430_execute_look(n, s, left, ip, f, where), value = msp430_load(n, pc, address, size);
    return (struct looked){looked(n, s, left), value};
}

SLOW int64_t store_slowly(struct node *n, struct slice *s, int64_t left, const struct msp430_insn *ip, flags_t f,
                          uint32_t where, uint16_t value)
{
    unsigned size = where >> 16 & 15, address = where & 0xffff;
    if (!(size == 2 && (where & 1)) && taps_miss(n, n->page[address >> PAGE_BITS], address, size)) {
        n->data[address] = (uint8_t)value;
        if (size == 2)
            n->data[address + 1] = (uint8_t)(value >> 8);
        return left;
    }
    uint16_t pc = msp430_execute_look(n, s, left, ip, f, where);
    msp430_store(n, pc, (uint16_t)(size == 2 ? where & 0xfffe : where), value, size);
    return looked(n, s, left);
}

SLOW int64_t push_slowly(struct node *n, struct slice *s, int64_t left, const struct msp430_insn *ip, flags_t f,
                         uint32_t where, uint16_t value)
{
    uint16_t pc = msp430_execute_look(n, s, left, ip, f, where);
    msp430_push_slow(n, pc, (uint16_t)where, value);
    return looked(n, s, left);
}

SLOW int64_t check_frame_slowly(struct node *n, struct slice *s, int64_t left, const struct msp430_insn *ip, flags_t f,
                                uint32_t sp)
{
    msp430_check_frame(n, msp430_execute_look(n, s, left, ip, f, 0), (uint16_t)sp);
    return looked(n, s, left);
}

#define HERE ((uint32_t)(ip - code) * 2)
/* Registers and flags into the arena, and back. */
#define SAVE()                                                                       \
    do {                                                                             \
        R[MSP430_PC] = (uint16_t)HERE;                                               \
        R[MSP430_SR] = (uint16_t)((R[MSP430_SR] & ~FLAGS) | flags_in_sr(FLAGS_NOW)); \
    } while (0)
#define RELOAD()                                                                           \
    do {                                                                                   \
        fc = R[MSP430_SR] & MSP430_C;                                                      \
        fr = (~R[MSP430_SR] & MSP430_Z) | (unsigned)(R[MSP430_SR] & MSP430_N) << (16 - 2); \
        fv = (unsigned)(R[MSP430_SR] & MSP430_V) << 7;                                     \
    } while (0)
/* What of it a probe sees is put together when it asks (isa->show). */
#define GLANCE()                       \
    do {                               \
        n->glance.flags[0] = fc;       \
        n->glance.flags[1] = fr;       \
        n->glance.flags[2] = fv;       \
        R[MSP430_PC] = (uint16_t)HERE; \
        slice_glance(n, &slice, left); \
    } while (0)

void msp430_show(struct node *n)
{
    uint16_t *R = ((struct msp430_cpu *)n->cpu)->r;
    unsigned fc = n->glance.flags[0], fr = n->glance.flags[1], fv = n->glance.flags[2];
    R[MSP430_SR] = (uint16_t)((R[MSP430_SR] & ~FLAGS) | flags_in_sr(FLAGS_NOW));
    slice_show_glance(n);
}

#define LOOK(offset)                         \
    do {                                     \
        SAVE();                              \
        slice_look(n, &slice, left, offset); \
    } while (0)
#define LOOKED()                               \
    do {                                       \
        if (n->cut)                            \
            left = slice_cut(n, &slice, left); \
    } while (0)

#define FIND_STACK()                                                                                \
    do {                                                                                            \
        stack_low = msp430_stack_low(n);                                                            \
        stack_span = taps_stack_span(n, R[MSP430_SP], &stack_low, (uint32_t)n->machine->data_size); \
    } while (0)

/* Another thread may be marking code as hot: either value is right. */
#define DISPATCH() goto *operations[__atomic_load_n(&ip->op, __ATOMIC_RELAXED)]
#define GO(where, cycles)                 \
    do {                                  \
        ip = (where);                     \
        left -= SLICE_CYCLES(cycles) + 1; \
        if (left <= 0)                    \
            goto slice_ends;              \
        DISPATCH();                       \
    } while (0)
#define NEXT(words, cycles)  GO(ip + (words), cycles)
#define JUMP(target, cycles) GO(code + ((target) >> 1), cycles)

#define RESUME(cycles)       JUMP(R[MSP430_PC], cycles)

/* ---- memory ---- */

#define LOAD_SLOWLY(to, address, size, offset)                                                        \
    do {                                                                                              \
        struct looked l_ = load_slowly(n, &slice, left, ip, FLAGS_NOW, WHERE(address, size, offset)); \
        left = l_.left;                                                                               \
        (to) = (uint32_t)l_.value;                                                                    \
    } while (0)
#define STORE_SLOWLY(address, size, offset, value) \
    left = store_slowly(n, &slice, left, ip, FLAGS_NOW, WHERE(address, size, offset), value)
#define PUSH_SLOWLY(address, offset, value)                                                   \
    do {                                                                                      \
        left = push_slowly(n, &slice, left, ip, FLAGS_NOW, WHERE(address, 2, offset), value); \
        FIND_STACK();                                                                         \
    } while (0)
#define CHECK_FRAME_SLOWLY(sp) left = check_frame_slowly(n, &slice, left, ip, FLAGS_NOW, sp)

#define OP(name)               op_##name:
#define LOOP_ALONE()           /* what follows is never translated */
#define END()                  goto slice_ends

#define LOOP                   run
#include "isa/msp430/execute_loop.h"
#undef LOOP

#define LOOP run_probed
#define PROBED
#include "isa/msp430/execute_loop.h"

void msp430_run(struct node *n)
{
    if (__builtin_expect(n->taps != NULL, 0) && n->taps->alone)
        run_probed(n);
    else
        heat_run(n, ((const struct msp430_cpu *)n->cpu)->r[MSP430_PC] / 2, run);
}
