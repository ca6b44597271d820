#include "isa/cortex/trap.h"

#include "isa/cortex/cortex.h"
#include "node/machine.h"
#include "node/trap.h"

void cortex_traps_mark(const struct machine *m, struct cortex_code *code)
{
    for (unsigned i = 0; i < m->trap_count; i++)
        if (m->traps[i] < code->size)
            code->insn[m->traps[i] / 2].op |= CORTEX_TRAP;
}

/* The call is the BL or BLX before the return address, if LR holds one. */
bool cortex_trap(struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    const struct cortex_code *code = n->code;
    uint32_t back = cpu->r[CORTEX_LR] & ~1u;
    struct trap t = {.entry = cpu->r[CORTEX_PC], .call = TRAP_NOWHERE, .from = TRAP_NOWHERE};
    for (uint32_t size = 2; size <= 4 && back >= size && back < code->size; size += 2) {
        unsigned op = code->insn[(back - size) / 2].op & (CORTEX_MARK - 1);
        if (op == (size == 4 ? CORTEX_BL : CORTEX_BLX)) {
            t.call = back - size;
            t.after = back;
        }
    }
    return node_trap(n, &t, cpu->r[CORTEX_SP]);
}
