#include "isa/msp430/hot.h"

#include <stddef.h>
#include <string.h>

#include "isa/msp430/code.h"
#include "isa/msp430/execute_shared.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

_Static_assert(offsetof(struct msp430_live, left) == 0, "the translator looks for it there");
_Static_assert(sizeof(struct msp430_fixed) <= HEAT_FIXED, "it is a copy");

static const char *msp430_hot_operation(const struct machine *m, uint32_t at)
{
    static const char *const names[MSP430_OPERATION_COUNT] = {
#define NAME(name, size, source, target) "msp430_" #name "_" #size "_" #source "_" #target,
        MSP430_DOUBLES(NAME)
#undef NAME
#define OTHER(name) "msp430_" #name,
            MSP430_OTHERS(OTHER)
#undef OTHER
    };
    const struct msp430_code *code = m->code;
    unsigned op = __atomic_load_n(&code->insn[at].op, __ATOMIC_RELAXED) & ~(unsigned)MSP430_HOT;
    return op < MSP430_OPERATION_COUNT ? names[op] : NULL; /* marked: for the loop alone */
}

/* Of instructions with two operands all that they take; the others are no longer than MSP430_LONGEST. */
static unsigned msp430_hot_cycles(const struct machine *m, uint32_t at)
{
    static const uint8_t cycles[MSP430_OPERATION_COUNT] = {
#define CYCLES(name, size, source, target) 1 + SOURCE_CYCLES_##source + TARGET_CYCLES_##target,
        MSP430_DOUBLES(CYCLES)
#undef CYCLES
    };
    const struct msp430_code *code = m->code;
    unsigned op = __atomic_load_n(&code->insn[at].op, __ATOMIC_RELAXED) & ~(unsigned)MSP430_MARKS;
    return op >= MSP430_JNE && op <= MSP430_JMP ? 2 : cycles[op] ? cycles[op] : MSP430_LONGEST;
}

void msp430_hot(const struct machine *m, struct heat_code *c)
{
    const struct msp430_code *code = m->code;
    struct msp430_fixed fixed = {.memory = code->memory};
    *c = (struct heat_code){.machine = m,
                            .isa = "msp430",
                            .insn = code->insn,
                            .insn_size = sizeof code->insn[0],
                            .count = sizeof code->insn / sizeof code->insn[0],
                            .live_size = sizeof(struct msp430_live),
                            .register_size = sizeof((struct msp430_cpu *)NULL)->r,
                            .register_unit = sizeof((struct msp430_cpu *)NULL)->r[0],
                            .operation = msp430_hot_operation,
                            .cycles = msp430_hot_cycles};
    memcpy(c->fixed, &fixed, sizeof fixed);
}

void msp430_mark_hot(const struct machine *m, uint32_t at, bool on)
{
    struct msp430_code *code = (struct msp430_code *)(uintptr_t)m->code; /* not const where it was made */
    if (on)
        __atomic_fetch_or(&code->insn[at].op, MSP430_HOT, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&code->insn[at].op, (uint16_t)~MSP430_HOT, __ATOMIC_RELAXED);
}
