#include "isa/cortex/hot.h"

#include <stddef.h>
#include <string.h>

#include "isa/cortex/execute_shared.h"
#include "isa/cortex/pair.h"
#include "node/machine.h"
#include "node/map.h"

_Static_assert(offsetof(struct cortex_live, left) == 0, "the translator looks for it there");
_Static_assert(sizeof(struct cortex_fixed) <= HEAT_FIXED, "it is a copy");

static struct cortex_insn *cortex_hot_entry(const struct machine *m, uint32_t at)
{
    return &((const struct cortex_code *)m->code)->insn[at];
}

/* Whether the next instruction is one of program memory, or of the same block. */
static bool cortex_hot_goes_on(const struct machine *m, const struct cortex_insn *i)
{
    return !i->it || i->at + 2u * i->length < ((const struct cortex_code *)m->code)->size;
}

static const char *cortex_hot_operation(const struct machine *m, uint32_t at)
{
    static const char *const names[2][CORTEX_OPERATION_COUNT] = {{
#define NAME(name) "cortex_" #name,
                                                                     CORTEX_OPERATIONS(NAME)
#undef NAME
                                                                 },
                                                                 {
#define NAME(name) "cortex_if_" #name,
                                                                     CORTEX_OPERATIONS(NAME)
#undef NAME
                                                                 }};
    const struct cortex_insn *i = cortex_hot_entry(m, at);
    unsigned op = __atomic_load_n(&i->op, __ATOMIC_RELAXED);
    if (op & (CORTEX_MARK | CORTEX_TRAP | CORTEX_READS_PC) || !cortex_hot_goes_on(m, i))
        return NULL;
    return names[(op & CORTEX_CONDITIONAL) != 0][cortex_pair_operation(i)];
}

/* At most, in all ways the operation goes (execute_operations.h). */
static unsigned cortex_hot_cycles(const struct machine *m, uint32_t at)
{
    const struct cortex_insn *i = cortex_hot_entry(m, at);
    switch (cortex_pair_operation(i)) {
    case CORTEX_AND_I ... CORTEX_MUL_F: return 1;
    case CORTEX_LDR_I ... CORTEX_LDRX_L: return 2;
    case CORTEX_BEQ ... CORTEX_B: return 3;
    case CORTEX_LDM:
    case CORTEX_STM: return 4u + i->m;
    case CORTEX_UDIV:
    case CORTEX_SDIV: return CORTEX_LONGEST_DIVISION;
    default: return CORTEX_LONGEST;
    }
}

/* The operation of a list of registers does not show which ones they are. */
static uint32_t cortex_hot_writes(const struct machine *m, uint32_t at)
{
    const struct cortex_insn *i = cortex_hot_entry(m, at);
    return cortex_pair_operation(i) == CORTEX_LDM ? (i->imm & 0x7fff) | 1u << i->n : UINT32_MAX;
}

void cortex_hot(const struct machine *m, struct heat_code *c)
{
    const struct cortex_code *code = m->code;
    struct cortex_fixed fixed = {.memory = code->memory,
                                 .size = code->size,
                                 .ram_first = m->ram->first,
                                 .ram_span = m->ram->size,
                                 .stack_limit = m->stack_limit,
                                 .marks = map_slot(m, m->ram->first) >> PAGE_BITS};
    *c = (struct heat_code){.machine = m,
                            .isa = "cortex",
                            .insn = code->insn,
                            .insn_size = sizeof code->insn[0],
                            .count = code->count,
                            .live_size = sizeof(struct cortex_live),
                            .register_size = sizeof((struct cortex_cpu *)NULL)->r,
                            .register_unit = sizeof((struct cortex_cpu *)NULL)->r[0],
                            .operation = cortex_hot_operation,
                            .cycles = cortex_hot_cycles,
                            .writes = cortex_hot_writes};
    memcpy(c->fixed, &fixed, sizeof fixed);
}

void cortex_mark_hot(const struct machine *m, uint32_t at, bool on)
{
    struct cortex_insn *i = cortex_hot_entry(m, at);
    if (on && at < ((const struct cortex_code *)m->code)->size / 2)
        cortex_pair_part((void *)(uintptr_t)m->code, 2 * at);
    if (on)
        __atomic_fetch_or(&i->op, CORTEX_HOT, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&i->op, (uint16_t)~CORTEX_HOT, __ATOMIC_RELAXED);
}
