/* Unknown bits through an AVR instruction (isa/unknown.h). Flags as the AVR Instruction Set Manual (Atmel-0856) has
 * them. */
#include "isa/avr/unknown.h"

#include <stdbool.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "isa/avr/memory.h"
#include "node/machine.h"
#include "node/node.h"

enum { FLAG_C = 1, FLAG_Z = 2, FLAG_N = 4, FLAG_V = 8, FLAG_S = 16, FLAG_H = 32, FLAG_T = 64 };
enum { LOGICAL = FLAG_Z | FLAG_N | FLAG_V | FLAG_S, ARITHMETIC = LOGICAL | FLAG_C | FLAG_H };
enum { X = 26, Y = 28, Z = 30 };

struct carried {
    const struct node *n;
    const struct avr_insn *i;
    uint16_t *r; /* unknown bits of the registers */
    uint16_t *flags;
    const struct unknown_memory *memory;
};

static unsigned avr_unknown_value(const struct carried *c, unsigned reg)
{
    return c->n->data[reg];
}

static void avr_unknown_flags(const struct carried *c, unsigned which, bool unknown)
{
    *c->flags = (uint16_t)((*c->flags & ~which) | (unknown ? which : 0));
}

static unsigned avr_unknown_pointer(const struct carried *c, unsigned pair)
{
    return avr_unknown_value(c, pair) | avr_unknown_value(c, pair + 1) << 8;
}

static bool avr_unknown_pair(const struct carried *c, unsigned pair)
{
    return c->r[pair] | c->r[pair + 1];
}

static unsigned avr_unknown_load(const struct carried *c, uint32_t address)
{
    address &= 0xffff;
    return address < UNKNOWN_REGISTERS ? c->r[address] : c->memory->load(c->memory->context, address) & 0xff;
}

static void avr_unknown_store(const struct carried *c, uint32_t address, unsigned bits)
{
    address &= 0xffff;
    if (address < UNKNOWN_REGISTERS)
        c->r[address] = (uint16_t)bits;
    else
        c->memory->store(c->memory->context, address, bits);
}

/* ---- arithmetic ---- */

/* The register and an operand, perhaps with carry; `keeps_zero`: Z is that of the lower bytes too. */
static unsigned avr_unknown_sum(const struct carried *c, unsigned operand, bool carries, bool keeps_zero)
{
    unsigned bits = c->r[c->i->d] | operand, zero = *c->flags & FLAG_Z;
    if (carries && *c->flags & FLAG_C)
        bits |= 1;
    bits = unknown_upward(bits) & 0xff;
    avr_unknown_flags(c, ARITHMETIC, bits);
    if (keeps_zero)
        *c->flags |= (uint16_t)zero;
    return bits;
}

static void avr_unknown_shift(const struct carried *c, unsigned top)
{
    uint16_t *d = &c->r[c->i->d];
    bool out = *d & 1;
    *d = (uint16_t)(*d >> 1 | top);
    avr_unknown_flags(c, LOGICAL, *d || out);
    avr_unknown_flags(c, FLAG_C, out);
}

static unsigned avr_unknown_logic(const struct carried *c, unsigned bits)
{
    avr_unknown_flags(c, LOGICAL, bits);
    return bits;
}

static void avr_unknown_word(const struct carried *c)
{
    uint16_t *d = &c->r[c->i->d];
    unsigned bits = unknown_upward(d[0] | (unsigned)d[1] << 8);
    d[0] = bits & 0xff;
    d[1] = bits >> 8 & 0xff;
    avr_unknown_flags(c, LOGICAL | FLAG_C, bits);
}

static void avr_unknown_product(const struct carried *c)
{
    bool unknown = c->r[c->i->d] | c->r[c->i->r];
    c->r[0] = c->r[1] = unknown ? 0xff : 0;
    avr_unknown_flags(c, FLAG_C | FLAG_Z, unknown);
}

/* False if it is none of these. */
static bool avr_unknown_arithmetic(const struct carried *c)
{
    const struct avr_insn *i = c->i;
    unsigned op = i->op & ~(unsigned)AVR_MARKS, of = i->d % UNKNOWN_REGISTERS, by = i->r % UNKNOWN_REGISTERS, out;
    uint16_t *d = &c->r[of], *flags = c->flags;
    unsigned value = avr_unknown_value(c, of), other = avr_unknown_value(c, by);
    if ((op == AVR_SUB || op == AVR_SBC) && of == by) /* whatever it is, less itself */
        *d = 0;
    unsigned r = c->r[by];
    switch (op) {
    case AVR_ADD: *d = (uint16_t)avr_unknown_sum(c, r, false, false); break;
    case AVR_ADC: *d = (uint16_t)avr_unknown_sum(c, r, true, false); break;
    case AVR_LSL:
    case AVR_ROL:
        out = *d >> 7 & 1;
        *d = (uint16_t)((*d << 1 & 0xff) | (op == AVR_ROL && *flags & FLAG_C ? 1 : 0));
        avr_unknown_flags(c, ARITHMETIC & ~FLAG_C, *d || out);
        avr_unknown_flags(c, FLAG_C, out);
        break;
    case AVR_SUB: *d = (uint16_t)avr_unknown_sum(c, r, false, false); break;
    case AVR_SBC: *d = (uint16_t)avr_unknown_sum(c, r, true, true); break;
    case AVR_SUBI: *d = (uint16_t)avr_unknown_sum(c, 0, false, false); break;
    case AVR_SBCI: *d = (uint16_t)avr_unknown_sum(c, 0, true, true); break;
    case AVR_CP: avr_unknown_sum(c, r, false, false); break;
    case AVR_CPC: avr_unknown_sum(c, r, true, true); break;
    case AVR_CPI: avr_unknown_sum(c, 0, false, false); break;
    case AVR_TST: avr_unknown_logic(c, *d); break;
    case AVR_AND: *d = (uint16_t)avr_unknown_logic(c, unknown_and(value, *d, other, r)); break;
    case AVR_ANDI: *d = (uint16_t)avr_unknown_logic(c, unknown_and(value, *d, i->r, 0)); break;
    case AVR_OR: *d = (uint16_t)avr_unknown_logic(c, unknown_or(value, *d, other, r)); break;
    case AVR_ORI: *d = (uint16_t)avr_unknown_logic(c, unknown_or(value, *d, i->r, 0)); break;
    case AVR_EOR: *d = (uint16_t)avr_unknown_logic(c, *d | r); break;
    case AVR_CLR: *d = (uint16_t)avr_unknown_logic(c, 0); break;
    case AVR_COM:
        avr_unknown_logic(c, *d);
        avr_unknown_flags(c, FLAG_C, false);
        break;
    case AVR_NEG: *d = (uint16_t)avr_unknown_sum(c, 0, false, false); break;
    case AVR_INC:
    case AVR_DEC: *d = (uint16_t)avr_unknown_logic(c, unknown_upward(*d) & 0xff); break;
    case AVR_SWAP: *d = (uint16_t)((*d << 4 | *d >> 4) & 0xff); break;
    case AVR_ASR: avr_unknown_shift(c, *d & 0x80); break;
    case AVR_LSR: avr_unknown_shift(c, 0); break;
    case AVR_ROR: avr_unknown_shift(c, *flags & FLAG_C ? 0x80 : 0); break;
    case AVR_BLD: *d = (uint16_t)((*d & ~(1u << i->r)) | (*flags & FLAG_T ? 1u << i->r : 0)); break;
    case AVR_BST: avr_unknown_flags(c, FLAG_T, *d >> i->r & 1); break;
    case AVR_ADIW:
    case AVR_SBIW: avr_unknown_word(c); break;
    case AVR_MUL:
    case AVR_MULS:
    case AVR_MULSU:
    case AVR_FMUL:
    case AVR_FMULS:
    case AVR_FMULSU: avr_unknown_product(c); break;
    case AVR_MOV: *d = (uint16_t)r; break;
    case AVR_MOVW:
        d[0] = c->r[by];
        d[1] = c->r[by + 1];
        break;
    case AVR_LDI: *d = 0; break;
    default: return false;
    }
    return true;
}

/* ---- memory ---- */

static enum unknown_use avr_unknown_loads(const struct carried *c, uint32_t address)
{
    c->r[c->i->d] = (uint16_t)avr_unknown_load(c, address);
    return UNKNOWN_UNUSED;
}

static enum unknown_use avr_unknown_stores(const struct carried *c, uint32_t address)
{
    avr_unknown_store(c, address, c->r[c->i->d]);
    return UNKNOWN_UNUSED;
}

static enum unknown_use avr_unknown_through(const struct carried *c, unsigned pair, int offset, bool store)
{
    if (avr_unknown_pair(c, pair))
        return UNKNOWN_ADDRESS;
    uint32_t address = avr_unknown_pointer(c, pair) + (unsigned)offset;
    return store ? avr_unknown_stores(c, address) : avr_unknown_loads(c, address);
}

static enum unknown_use avr_unknown_program(const struct carried *c)
{
    if (avr_unknown_pair(c, Z))
        return UNKNOWN_ADDRESS;
    c->r[c->i->d] = 0;
    return UNKNOWN_UNUSED;
}

/* A return address goes onto the stack, which has no unknown bits. */
static void avr_unknown_call(const struct carried *c)
{
    const struct avr_core *core = c->n->machine->chip->core;
    for (unsigned i = 0; i < core->pc_bytes; i++)
        avr_unknown_store(c, avr_sp(c->n) - i, 0);
}

static enum unknown_use avr_unknown_return(const struct carried *c)
{
    const struct avr_core *core = c->n->machine->chip->core;
    for (unsigned i = 1; i <= core->pc_bytes; i++)
        if (avr_unknown_load(c, avr_sp(c->n) + i))
            return UNKNOWN_BRANCH;
    return UNKNOWN_UNUSED;
}

static enum unknown_use avr_unknown_memory(const struct carried *c)
{
    const struct avr_insn *i = c->i;
    switch (i->op & ~AVR_MARKS) {
    case AVR_IN:
    case AVR_IN_PLAIN:
    case AVR_LDS: return avr_unknown_loads(c, i->k);
    case AVR_IN_SREG: c->r[i->d] = *c->flags; break;
    case AVR_IN_SPL:
    case AVR_IN_SPH: c->r[i->d] = 0; break;
    case AVR_LD_X:
    case AVR_LD_X_INC: return avr_unknown_through(c, X, 0, false);
    case AVR_LD_X_DEC: return avr_unknown_through(c, X, -1, false);
    case AVR_LDD_Y: return avr_unknown_through(c, Y, i->r, false);
    case AVR_LD_Y_INC: return avr_unknown_through(c, Y, 0, false);
    case AVR_LD_Y_DEC: return avr_unknown_through(c, Y, -1, false);
    case AVR_LDD_Z: return avr_unknown_through(c, Z, i->r, false);
    case AVR_LD_Z_INC: return avr_unknown_through(c, Z, 0, false);
    case AVR_LD_Z_DEC: return avr_unknown_through(c, Z, -1, false);
    case AVR_POP: return avr_unknown_loads(c, avr_sp(c->n) + 1);
    case AVR_LPM:
    case AVR_LPM_INC:
    case AVR_ELPM:
    case AVR_ELPM_INC: return avr_unknown_program(c);
    case AVR_STS:
    case AVR_STS_HEAP:
    case AVR_OUT:
    case AVR_OUT_PLAIN: return avr_unknown_stores(c, i->k);
    case AVR_ST_X:
    case AVR_ST_X_INC: return avr_unknown_through(c, X, 0, true);
    case AVR_ST_X_DEC: return avr_unknown_through(c, X, -1, true);
    case AVR_STD_Y: return avr_unknown_through(c, Y, i->r, true);
    case AVR_ST_Y_INC: return avr_unknown_through(c, Y, 0, true);
    case AVR_ST_Y_DEC: return avr_unknown_through(c, Y, -1, true);
    case AVR_STD_Z: return avr_unknown_through(c, Z, i->r, true);
    case AVR_ST_Z_INC: return avr_unknown_through(c, Z, 0, true);
    case AVR_ST_Z_DEC: return avr_unknown_through(c, Z, -1, true);
    case AVR_PUSH: return avr_unknown_stores(c, avr_sp(c->n));
    case AVR_OUT_SREG: *c->flags = c->r[i->d] & (ARITHMETIC | FLAG_T); break; /* I was never of another value */
    case AVR_OUT_SPL:
    case AVR_OUT_SPH: return c->r[i->d] ? UNKNOWN_STACK : UNKNOWN_UNUSED;
    default: break;
    }
    return UNKNOWN_UNUSED;
}

/* ---- jumps, branches and skips ---- */

static enum unknown_use avr_unknown_flow(const struct carried *c)
{
    const struct avr_insn *i = c->i;
    unsigned op = i->op & ~(unsigned)AVR_MARKS;
    bool used = false;
    if (op >= AVR_BRCS && op <= AVR_BRID) {
        used = *c->flags >> (op >= AVR_BRCC ? op - AVR_BRCC : op - AVR_BRCS) & 1;
    } else if (op >= AVR_SEC && op <= AVR_CLI) {
        avr_unknown_flags(c, 1u << (op >= AVR_CLC ? op - AVR_CLC : op - AVR_SEC), false);
    } else if (op == AVR_CPSE) {
        used = c->r[i->d] | c->r[i->r];
    } else if (op == AVR_SBRC || op == AVR_SBRS) {
        used = c->r[i->d] & i->r;
    } else if (op == AVR_SBIC || op == AVR_SBIS || op == AVR_SBIC_PLAIN || op == AVR_SBIS_PLAIN) {
        used = avr_unknown_load(c, i->k) & i->d;
    } else if (op == AVR_RCALL || op == AVR_CALL || op == AVR_CALL_OUTSIDE || op == AVR_ICALL || op == AVR_EICALL) {
        used = (op == AVR_ICALL || op == AVR_EICALL) && avr_unknown_pair(c, Z);
        avr_unknown_call(c);
    } else if (op == AVR_IJMP || op == AVR_EIJMP) {
        used = avr_unknown_pair(c, Z);
    } else if (op == AVR_RET || op == AVR_RETI) {
        return avr_unknown_return(c);
    }
    return used ? UNKNOWN_BRANCH : UNKNOWN_UNUSED;
}

enum unknown_use avr_spread(const struct node *n, struct unknown *u, const struct unknown_memory *memory)
{
    const struct avr_code *code = n->code;
    const struct avr_cpu *cpu = n->cpu;
    const struct carried c = {
        .n = n, .i = &code->insn[cpu->pc], .r = u->registers, .flags = &u->flags, .memory = memory};
    if (avr_unknown_arithmetic(&c))
        return UNKNOWN_UNUSED;
    enum unknown_use use = avr_unknown_memory(&c);
    return use != UNKNOWN_UNUSED ? use : avr_unknown_flow(&c);
}
