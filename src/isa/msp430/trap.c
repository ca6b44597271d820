#include "isa/msp430/trap.h"

#include <stddef.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

enum { HOPS = 4 /* jumps between a conditional one and the call */, SPACE = 0x10000 };
#define NOWHERE UINT32_MAX

static unsigned msp430_trap_op_at(const struct msp430_code *code, uint32_t pc)
{
    return code->insn[pc / 2].op & ~(unsigned)MSP430_MARKS;
}

static bool msp430_trap_is_jump(unsigned op)
{
    return op == MSP430_JMP || op == MSP430_BRANCH;
}

/* The instruction that goes to a trap, when nothing but jumps lies between `pc` and it; NOWHERE if something does. */
static uint32_t trap_behind(const struct msp430_code *code, uint32_t pc)
{
    for (unsigned hop = 0; hop < HOPS && pc < SPACE; hop++) {
        unsigned op = msp430_trap_op_at(code, pc);
        if (op != MSP430_CALL_N && !msp430_trap_is_jump(op))
            return NOWHERE;
        uint32_t to = code->insn[pc / 2].sx;
        if (code->insn[to / 2].op & MSP430_TRAP)
            return pc;
        if (op == MSP430_CALL_N)
            return NOWHERE;
        pc = to;
    }
    return NOWHERE;
}

static bool is_conditional(unsigned op)
{
    return op >= MSP430_JNE && op <= MSP430_JL;
}

static bool msp430_trap_holds(unsigned op, unsigned sr)
{
    bool less = !(sr & MSP430_N) != !(sr & MSP430_V);
    switch (op) {
    case MSP430_JNE: return !(sr & MSP430_Z);
    case MSP430_JEQ: return sr & MSP430_Z;
    case MSP430_JNC: return !(sr & MSP430_C);
    case MSP430_JC: return sr & MSP430_C;
    case MSP430_JN: return sr & MSP430_N;
    case MSP430_JGE: return !less;
    default: return less;
    }
}

bool msp430_check_fails(const struct msp430_code *code, const struct msp430_insn *i, unsigned sr)
{
    uint32_t pc = 2 * (uint32_t)(i - code->insn);
    return trap_behind(code, msp430_trap_holds(msp430_trap_op_at(code, pc), sr) ? i->sx : pc + 2) != NOWHERE;
}

/* ---- marks ---- */

static uint16_t msp430_trap_word_at(const struct msp430_code *code, uint32_t at)
{
    return (uint16_t)(code->memory[at & 0xfffe] | code->memory[(at & 0xfffe) + 1] << 8);
}

/* Only where the firmware that the names are of still is. */
static void msp430_trap_mark_entries(const struct machine *m, struct msp430_code *code)
{
    for (unsigned i = 0; i < m->trap_count; i++)
        if (memcmp(code->memory + m->traps[i], m->flash + m->traps[i], 2) == 0)
            code->insn[m->traps[i] / 2].op |= MSP430_TRAP;
}

static void msp430_trap_mark_check(struct msp430_code *code, uint32_t pc)
{
    uint32_t held = trap_behind(code, code->insn[pc / 2].sx), not_held = trap_behind(code, pc + 2);
    if ((held == NOWHERE) == (not_held == NOWHERE))
        return;
    code->insn[pc / 2].op |= MSP430_CHECK;
    struct msp430_insn *last = &code->insn[(held == NOWHERE ? not_held : held) / 2];
    last->s = (uint8_t)(last->s < 255 ? last->s + 1 : 255);
}

void msp430_traps_mark(const struct machine *m, struct msp430_code *code)
{
    if (!m->trap_count)
        return;
    msp430_trap_mark_entries(m, code);
    for (uint32_t pc = chip_region(m->chip, REGION_FLASH)->first; pc < SPACE;) {
        unsigned op = msp430_trap_op_at(code, pc);
        if (is_conditional(op) && !(code->insn[pc / 2].op & MSP430_TRAP))
            msp430_trap_mark_check(code, pc);
        pc += op < MSP430_ERASED ? msp430_length(msp430_trap_word_at(code, pc)) : 2;
    }
}

void msp430_traps_lift(struct msp430_code *code)
{
    for (uint32_t pc = 0; pc < SPACE; pc += 2) {
        struct msp430_insn *i = &code->insn[pc / 2];
        i->op &= (uint16_t) ~(MSP430_CHECK | MSP430_TRAP);
        if (msp430_trap_op_at(code, pc) == MSP430_CALL_N || msp430_trap_is_jump(msp430_trap_op_at(code, pc)))
            i->s = 0;
    }
}

/* ---- what was compared ---- */

/* The instruction in front of the one at `pc`: they are of several lengths, so it takes a walk from the function's
 * beginning. */
static uint32_t msp430_trap_before(const struct node *n, const struct msp430_code *code, uint32_t pc)
{
    const struct image_symbol *s = image_symbol_at(n->machine->image, pc);
    uint32_t at = s && s->kind != IMAGE_SYMBOL_OBJECT ? s->address & ~1u : pc, last = NOWHERE;
    while (at < pc) {
        last = at;
        at += msp430_length(msp430_trap_word_at(code, at));
    }
    return at == pc ? last : NOWHERE;
}

/* An operand as it still is; false for what may have changed since, or cannot be looked at without changing it. */
static bool msp430_trap_in_memory(const struct node *n, uint16_t address, unsigned size, uint32_t *value)
{
    if (address < n->machine->ram->first || (size_t)address + size > n->machine->data_size)
        return false;
    *value = n->data[address] | (size == 2 ? (uint32_t)n->data[address + 1] << 8 : 0);
    return true;
}

static bool source_of(const struct node *n, const struct msp430_code *code, uint32_t at, unsigned size, uint32_t *value)
{
    static const uint16_t of_sr[4] = {0, 0, 4, 8}, of_cg[4] = {0, 1, 2, 0xffff};
    uint16_t o = msp430_trap_word_at(code, at);
    unsigned reg = o >> 8 & 15, as = o >> 4 & 3;
    const uint16_t *r = ((const struct msp430_cpu *)n->cpu)->r;
    uint32_t mask = size == 2 ? 0xffff : 0xff;
    if (reg == MSP430_CG || (reg == MSP430_SR && as >= 2))
        *value = (reg == MSP430_CG ? of_cg : of_sr)[as] & mask;
    else if (as == 0)
        *value = r[reg] & mask;
    else if (as == 3 && reg == MSP430_PC)
        *value = msp430_trap_word_at(code, at + 2) & mask;
    else if (as == 1 && reg != MSP430_PC)
        return msp430_trap_in_memory(n, (uint16_t)((reg == MSP430_SR ? 0 : r[reg]) + msp430_trap_word_at(code, at + 2)),
                                     size, value);
    else
        return as == 2 && msp430_trap_in_memory(n, r[reg], size, value);
    return true;
}

static bool destination_of(const struct node *n, const struct msp430_code *code, uint32_t at, unsigned size,
                           uint32_t *value)
{
    uint16_t o = msp430_trap_word_at(code, at), extension = msp430_trap_word_at(code, at + msp430_length(o) - 2);
    unsigned reg = o & 15;
    const uint16_t *r = ((const struct msp430_cpu *)n->cpu)->r;
    if (o & 0x80)
        return reg != MSP430_PC &&
               msp430_trap_in_memory(n, (uint16_t)((reg == MSP430_SR ? 0 : r[reg]) + extension), size, value);
    *value = size == 2 ? r[reg] : r[reg] & 0xff;
    return true;
}

/* What an optimising compiler compares with something else than a constant need not be an index with its bound. */
static bool is_constant(uint16_t o)
{
    unsigned reg = o >> 8 & 15, as = o >> 4 & 3;
    return reg == MSP430_CG || (reg == MSP430_SR && as >= 2) || (reg == MSP430_PC && as == 3);
}

static void msp430_trap_understand(const struct node *n, const struct msp430_code *code, uint32_t pc, struct trap *t)
{
    unsigned op = msp430_trap_op_at(code, pc);
    bool set = trap_behind(code, code->insn[pc / 2].sx) != NOWHERE; /* the trap is where the condition holds */
    uint32_t at = msp430_trap_before(n, code, pc), source = 0, destination = 0;
    uint16_t o = at == NOWHERE ? 0 : msp430_trap_word_at(code, at);
    bool compares = o >> 12 == 9;
    uint8_t size = o & 0x40 ? 1 : 2;
    bool known = compares && source_of(n, code, at, size, &source);
    if (compares && !(known && destination_of(n, code, at, size, &destination)))
        size = 0;
    switch (op) {
    case MSP430_JEQ:
    case MSP430_JNE:
        if (known)
            trap_matched(t, destination, source, is_constant(o) ? size : 0, set == (op == MSP430_JEQ));
        break;
    case MSP430_JC:
    case MSP430_JGE:
    case MSP430_JNC:
    case MSP430_JL: {
        bool below = set == (op == MSP430_JNC || op == MSP430_JL);
        t->test = TRAP_TEST_RANGE;
        if (known)
            trap_compared(t, destination, source, is_constant(o) && !(below && (o & 0xff30) == 0x9030) ? size : 0,
                          below);
        break;
    }
    default: break;
    }
}

/* ---- the trap ---- */

bool msp430_trap(struct node *n)
{
    struct msp430_cpu *cpu = n->cpu;
    const struct msp430_code *code = n->code;
    uint32_t sp = cpu->r[MSP430_SP], from = cpu->check, call = NOWHERE;
    struct trap t = {.entry = cpu->r[MSP430_PC], .call = TRAP_NOWHERE, .from = TRAP_NOWHERE};
    cpu->check = 0;
    if (from) {
        t.from = from;
        call = trap_behind(code, code->insn[from / 2].sx);
        call = call != NOWHERE ? call : trap_behind(code, from + 2);
        msp430_trap_understand(n, code, from, &t);
    } else {
        uint32_t back = n->machine->chip->isa->return_address(n, sp);
        bool by_name = back != UINT32_MAX && msp430_trap_op_at(code, back - 4) == MSP430_CALL_N &&
                       code->insn[back / 2 - 2].sx == t.entry;
        bool by_register = back != UINT32_MAX && (msp430_trap_word_at(code, back - 2) & 0xfff0) == 0x1280;
        call = by_name ? back - 4 : by_register ? back - 2 : NOWHERE;
    }
    if (call != NOWHERE) {
        t.call = call;
        t.after = call + msp430_length(msp430_trap_word_at(code, call));
        t.shared = code->insn[call / 2].s > 1;
        sp += msp430_trap_is_jump(msp430_trap_op_at(code, call)) ? 0 : 2;
    }
    return node_trap(n, &t, sp);
}
