#include "isa/avr/hot.h"

#include <stddef.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "node/machine.h"

_Static_assert(offsetof(struct avr_live, left) == 0, "the translator looks for it there");
_Static_assert(sizeof(struct avr_fixed) <= HEAT_FIXED, "it is a copy");

static const char *avr_hot_operation(const struct machine *m, uint32_t at)
{
    static const char *const names[AVR_OPERATION_COUNT] = {
#define NAME(name) "avr_" #name,
        AVR_OPERATIONS(NAME)
#undef NAME
    };
    const struct avr_code *code = m->code;
    unsigned op = __atomic_load_n(&code->insn[at].op, __ATOMIC_RELAXED) & ~(unsigned)AVR_HOT;
    return op < AVR_OPERATION_COUNT ? names[op] : NULL; /* marked: for the loop alone */
}

/* At most, in all ways the operation goes (execute_*.h). */
static unsigned avr_hot_cycles(const struct machine *m, uint32_t at)
{
    const struct avr_code *code = m->code;
    unsigned op = __atomic_load_n(&code->insn[at].op, __ATOMIC_RELAXED) & ~(unsigned)AVR_MARKS;
    switch (op) {
    case AVR_NOP ... AVR_IN_SPH:
    case AVR_CP ... AVR_LDI:
    case AVR_OUT ... AVR_OUT_SPH:
    case AVR_SEC ... AVR_CLI: return 1;
    case AVR_ADIW ... AVR_FMULSU:
    case AVR_LDS ... AVR_POP:
    case AVR_STS ... AVR_PUSH:
    case AVR_SBI ... AVR_CBI_PLAIN:
    case AVR_BRCS ... AVR_BRID: return 2;
    case AVR_LPM ... AVR_ELPM_INC:
    case AVR_RJMP ... AVR_EIJMP:
    case AVR_CPSE ... AVR_SBIS_PLAIN: return 3;
    default: return AVR_LONGEST;
    }
}

void avr_hot(const struct machine *m, struct heat_code *c)
{
    const struct avr_code *code = m->code;
    struct avr_fixed fixed = {
        .flash = code->flash,
        .words = code->words,
        .wide = ((const struct avr_core *)m->chip->core)->pc_bytes == 3,
    };
    *c = (struct heat_code){.machine = m,
                            .isa = "avr",
                            .insn = code->insn,
                            .insn_size = sizeof code->insn[0],
                            .count = code->words,
                            .live_size = sizeof(struct avr_live),
                            .register_size = 32,
                            .operation = avr_hot_operation,
                            .cycles = avr_hot_cycles};
    memcpy(c->fixed, &fixed, sizeof fixed);
}

void avr_mark_hot(const struct machine *m, uint32_t at, bool on)
{
    struct avr_code *code = (struct avr_code *)(uintptr_t)m->code; /* not const where it was made */
    if (on)
        __atomic_fetch_or(&code->insn[at].op, AVR_HOT, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&code->insn[at].op, (uint16_t)~AVR_HOT, __ATOMIC_RELAXED);
}
