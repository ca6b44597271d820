#include "isa/cortex/trap.h"

#include "isa/cortex/cortex.h"
#include "isa/cortex/pair.h"
#include "node/machine.h"
#include "node/trap.h"

enum { TRAP_BACK = 12 /* instructions between a branch and its comparison */ };

static unsigned cortex_trap_op(const struct cortex_code *code, uint32_t at)
{
    return cortex_pair_operation(&code->insn[at / 2]);
}

static bool cortex_trap_is_branch(unsigned op)
{
    return (op >= CORTEX_BEQ && op <= CORTEX_BLE) || op == CORTEX_CBZ || op == CORTEX_CBNZ;
}

static bool cortex_trap_is_check(const struct cortex_code *code, uint32_t at)
{
    const struct cortex_insn *i = &code->insn[at / 2];
    return at < code->size && cortex_trap_op(code, at) == CORTEX_UNDEFINED && i->imm == CORTEX_UDF_CHECK;
}

/* Where a branch goes if it is taken, or if it is not. */
static uint32_t cortex_trap_target(const struct cortex_code *code, uint32_t at, bool taken)
{
    const struct cortex_insn *i = &code->insn[at / 2];
    return taken ? i->imm : at + 2u * i->length;
}

void cortex_traps_mark(const struct machine *m, struct cortex_code *code, uint32_t first, uint32_t last)
{
    for (unsigned i = 0; i < m->trap_count; i++)
        if (m->traps[i] >= first && m->traps[i] < last)
            code->insn[m->traps[i] / 2].op |= CORTEX_TRAP;
    for (uint32_t at = first; at < last; at += 2)
        if (cortex_trap_is_branch(cortex_trap_op(code, at)) &&
            (cortex_trap_is_check(code, cortex_trap_target(code, at, true)) ||
             cortex_trap_is_check(code, cortex_trap_target(code, at, false))))
            code->insn[at / 2].op |= CORTEX_TRAP;
}

/* Conditions come in pairs, each the opposite of the other, in the order of the branches. */
static bool cortex_trap_taken(const struct cortex_cpu *cpu, const struct cortex_insn *i, unsigned op)
{
    bool n = cpu->psr & CORTEX_N, z = cpu->psr & CORTEX_Z, c = cpu->psr & CORTEX_C, v = cpu->psr & CORTEX_V, holds;
    if (op == CORTEX_CBZ || op == CORTEX_CBNZ)
        return (cpu->r[i->n] == 0) == (op == CORTEX_CBZ);
    switch ((op - CORTEX_BEQ) / 2) {
    case 0: holds = z; break;
    case 1: holds = c; break;
    case 2: holds = n; break;
    case 3: holds = v; break;
    case 4: holds = c && !z; break;
    case 5: holds = n == v; break;
    default: holds = n == v && !z; break;
    }
    return holds != ((op - CORTEX_BEQ) & 1);
}

/* The call is the BL or BLX before the return address, if LR holds one. At a branch there is nothing to report yet. */
bool cortex_trap(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct cortex_code *code = n->code;
    uint32_t back = cpu->r[CORTEX_LR] & ~1u, at = cpu->r[CORTEX_PC];
    unsigned branch = cortex_trap_op(code, at);
    if (cortex_trap_is_branch(branch)) {
        bool taken = cortex_trap_taken(cpu, &code->insn[at / 2], branch);
        cpu->check = cortex_trap_is_check(code, cortex_trap_target(code, at, taken)) ? at + 1 : 0;
        return false;
    }
    struct trap t = {.entry = at, .call = TRAP_NOWHERE, .from = TRAP_NOWHERE};
    for (uint32_t size = 2; size <= 4 && back >= size && back < code->size; size += 2) {
        unsigned op = cortex_trap_op(code, back - size);
        if (op == (size == 4 ? CORTEX_BL : CORTEX_BLX)) {
            t.call = back - size;
            t.after = back;
        }
    }
    return node_trap(n, &t, cpu->r[CORTEX_SP]);
}

/* ---- a check that ends in UDF ---- */

/* The instruction before an address: the longer one if it can be. */
static uint32_t cortex_trap_before(const struct cortex_code *code, uint32_t at)
{
    return at >= 4 && code->insn[(at - 4) / 2].length == 2 ? at - 4 : at - 2;
}

/* Instructions that a compiler puts between a comparison and its branch: they write one register and no flags. */
static bool cortex_trap_between(unsigned op)
{
    switch (op) {
    case CORTEX_MOV_I:
    case CORTEX_MOV_R:
    case CORTEX_ADD_I:
    case CORTEX_ADD_R:
    case CORTEX_ADD_S:
    case CORTEX_UXTB:
    case CORTEX_UXTH:
    case CORTEX_SXTB:
    case CORTEX_SXTH:
    case CORTEX_LDR_I:
    case CORTEX_LDRB_I:
    case CORTEX_LDRH_I:
    case CORTEX_LDR_L: return true;
    default: return false;
    }
}

static void cortex_trap_meaning(struct trap *t, unsigned op, uint32_t a, uint32_t b, bool constant)
{
    uint8_t size = 4, if_variable = constant ? 0 : 4;
    switch (op) {
    case CORTEX_BHI: trap_compared(t, b, a, size, true); break;
    case CORTEX_BCS: trap_compared(t, a, b, size, false); break;
    case CORTEX_BLS: trap_compared(t, b, a, if_variable, false); break;
    case CORTEX_BCC: trap_compared(t, a, b, if_variable, true); break;
    case CORTEX_BEQ: trap_matched(t, a, b, size, true); break;
    case CORTEX_BNE: trap_matched(t, a, b, size, false); break;
    default: break;
    }
}

/* What the branch that led here found. Nothing was executed since. */
static void cortex_trap_compared(const struct node *n, struct trap *t)
{
    const struct cortex_cpu *cpu = n->cpu;
    const struct cortex_code *code = n->code;
    uint32_t at = t->from, written = 0;
    unsigned op = cortex_trap_op(code, at);
    if (op == CORTEX_CBZ || op == CORTEX_CBNZ) {
        uint32_t value = cpu->r[code->insn[at / 2].n];
        trap_matched(t, value, 0, 4, value == 0);
        return;
    }
    if (!cortex_trap_taken(cpu, &code->insn[at / 2], op))
        op = CORTEX_BEQ + ((op - CORTEX_BEQ) ^ 1u);
    if (op == CORTEX_BVS)
        t->test = TRAP_TEST_OVERFLOW;
    for (unsigned i = 0; i < TRAP_BACK && at >= 2; i++) {
        at = cortex_trap_before(code, at);
        const struct cortex_insn *c = &code->insn[at / 2];
        unsigned what = cortex_trap_op(code, at);
        if (what == CORTEX_CMP_I || what == CORTEX_CMP_R) {
            bool constant = what == CORTEX_CMP_I;
            cortex_trap_meaning(t, op, cpu->r[c->n], constant ? c->imm : cpu->r[c->m], constant);
            if ((written >> c->n | (constant ? 0 : written >> c->m)) & 1)
                t->size = 0;
            return;
        }
        if (!cortex_trap_between(what))
            return;
        written |= 1u << c->d;
    }
}

bool cortex_trap_check(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    struct trap t = {.entry = cpu->r[CORTEX_PC], .call = TRAP_NOWHERE, .from = TRAP_NOWHERE};
    if (cpu->check) {
        t.from = cpu->check - 1;
        cortex_trap_compared(n, &t);
    }
    cpu->check = 0;
    return node_trap(n, &t, cpu->r[CORTEX_SP]);
}
