/* Unknown bits through an MSP430 instruction (isa/unknown.h), from its opcode: SLAU049, chapter 3. */
#include "isa/msp430/unknown.h"

#include <stdbool.h>

#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/map.h"
#include "node/node.h"

enum { FLAGS = MSP430_C | MSP430_Z | MSP430_N | MSP430_V };

enum two_operands {
    OP_MOV = 4,
    OP_ADD,
    OP_ADDC,
    OP_SUBC,
    OP_SUB,
    OP_CMP,
    OP_DADD,
    OP_BIT,
    OP_BIC,
    OP_BIS,
    OP_XOR,
    OP_AND
};
enum one_operand { OP_RRC, OP_SWPB, OP_RRA, OP_SXT, OP_PUSH, OP_CALL };

struct carried {
    const struct node *n;
    const uint8_t *code;
    const uint16_t *value; /* the registers */
    uint16_t *r;           /* their unknown bits */
    uint16_t *flags;
    const struct unknown_memory *memory;
    uint16_t next; /* address of the next word of the instruction */
    uint16_t sp;   /* as operands see it */
    bool byte;
    bool overwrites; /* what the destination held does not matter, and is not loaded */
    enum unknown_use use;
};

struct operand {
    bool memory, constant;
    unsigned reg;
    uint16_t address, value, unknown;
};

static uint16_t msp430_unknown_word(struct carried *c)
{
    uint16_t word = (uint16_t)(c->code[c->next] | c->code[(uint16_t)(c->next + 1)] << 8);
    c->next = (uint16_t)(c->next + 2);
    return word;
}

static void msp430_unknown_used(struct carried *c, bool unknown, enum unknown_use use)
{
    if (unknown && c->use == UNKNOWN_UNUSED)
        c->use = use;
}

static unsigned msp430_unknown_width(const struct carried *c)
{
    return c->byte ? 0xff : 0xffff;
}

static uint16_t msp430_unknown_register(const struct carried *c, unsigned reg)
{
    return reg == MSP430_PC ? c->next : reg == MSP430_SP ? c->sp : c->value[reg];
}

/* ---- memory ---- */

static unsigned msp430_unknown_load(const struct carried *c, uint16_t address, unsigned size)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < size; i++)
        bits |= (c->memory->load(c->memory->context, (uint16_t)(address + i)) & 0xff) << 8 * i;
    return bits;
}

static void msp430_unknown_store(const struct carried *c, uint16_t address, unsigned bits, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        c->memory->store(c->memory->context, (uint16_t)(address + i), bits >> 8 * i & 0xff);
}

static uint16_t msp430_unknown_value_at(const struct carried *c, uint16_t address, unsigned size)
{
    uint8_t bytes[2] = {0, 0};
    if (!map_peek(c->n, address, bytes, size))
        for (unsigned i = 0; i < size; i++)
            bytes[i] = c->code[(uint16_t)(address + i)];
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static struct operand msp430_unknown_in_memory(struct carried *c, unsigned reg, uint16_t offset)
{
    bool absolute = reg == MSP430_SR || reg == MSP430_CG;
    unsigned size = c->byte ? 1 : 2;
    uint16_t address = (uint16_t)((absolute ? 0 : msp430_unknown_register(c, reg)) + offset);
    address = size == 2 ? address & 0xfffe : address;
    bool nowhere = !absolute && reg > MSP430_SP && c->r[reg];
    msp430_unknown_used(c, nowhere, UNKNOWN_ADDRESS);
    if (nowhere)
        return (struct operand){.constant = true, .unknown = (uint16_t)msp430_unknown_width(c)};
    if (c->overwrites)
        return (struct operand){.memory = true, .reg = reg, .address = address};
    return (struct operand){.memory = true,
                            .reg = reg,
                            .address = address,
                            .value = msp430_unknown_value_at(c, address, size),
                            .unknown = (uint16_t)msp430_unknown_load(c, address, size)};
}

/* ---- operands ---- */

static struct operand msp430_unknown_constant(const struct carried *c, uint16_t value)
{
    return (struct operand){.constant = true, .value = value & (uint16_t)msp430_unknown_width(c)};
}

static struct operand msp430_unknown_in_register(const struct carried *c, unsigned reg)
{
    unsigned width = msp430_unknown_width(c), unknown = reg == MSP430_SR ? *c->flags : c->r[reg];
    return (struct operand){
        .reg = reg, .value = msp430_unknown_register(c, reg) & (uint16_t)width, .unknown = (uint16_t)(unknown & width)};
}

static struct operand msp430_unknown_source(struct carried *c, unsigned reg, unsigned as)
{
    static const uint16_t of_cg[4] = {0, 1, 2, 0xffff};
    if (reg == MSP430_CG)
        return msp430_unknown_constant(c, of_cg[as]);
    if (reg == MSP430_SR && as >= 2)
        return msp430_unknown_constant(c, as == 2 ? 4 : 8);
    if (as == 0)
        return msp430_unknown_in_register(c, reg);
    if (as == 3 && reg == MSP430_PC)
        return msp430_unknown_constant(c, msp430_unknown_word(c));
    if (as > 1)
        return msp430_unknown_in_memory(c, reg, 0);
    uint16_t base = reg == MSP430_PC ? c->next : 0; /* counts from its own extension word */
    uint16_t offset = msp430_unknown_word(c);
    return reg == MSP430_PC ? msp430_unknown_in_memory(c, MSP430_SR, (uint16_t)(base + offset))
                            : msp430_unknown_in_memory(c, reg, offset);
}

static struct operand msp430_unknown_target(struct carried *c, unsigned reg, bool memory)
{
    return memory ? msp430_unknown_source(c, reg, 1) : msp430_unknown_in_register(c, reg);
}

static void msp430_unknown_write(struct carried *c, const struct operand *to, unsigned bits)
{
    if (to->memory) {
        msp430_unknown_store(c, to->address, bits, c->byte ? 1 : 2);
    } else if (to->reg == MSP430_SR) {
        *c->flags = (uint16_t)(bits & FLAGS); /* the others were never of another value */
    } else if (!to->constant && to->reg != MSP430_CG) {
        msp430_unknown_used(c, bits && to->reg == MSP430_PC, UNKNOWN_BRANCH);
        msp430_unknown_used(c, bits && to->reg == MSP430_SP, UNKNOWN_STACK);
        c->r[to->reg] = (uint16_t)bits;
    }
}

static void msp430_unknown_flags(const struct carried *c, unsigned which, bool unknown)
{
    *c->flags = (uint16_t)((*c->flags & ~which) | (unknown ? which : 0));
}

/* ---- instructions ---- */

static unsigned msp430_unknown_result(const struct carried *c, unsigned op, const struct operand *s,
                                      const struct operand *d)
{
    unsigned both = s->unknown | d->unknown, carry = *c->flags & MSP430_C;
    bool same = !s->memory && !s->constant && !d->memory && s->reg == d->reg;
    switch (op) {
    case OP_MOV: return s->unknown;
    case OP_ADDC:
    case OP_SUBC:
    case OP_DADD: return unknown_upward((same && op == OP_SUBC ? 0 : both) | (carry ? 1 : 0));
    case OP_ADD: return unknown_upward(both);
    case OP_SUB:
    case OP_CMP: return same ? 0 : unknown_upward(both);
    case OP_BIC: return unknown_and((uint16_t)~s->value, s->unknown, d->value, d->unknown);
    case OP_BIS: return unknown_or(s->value, s->unknown, d->value, d->unknown);
    case OP_XOR: return same ? 0 : both;
    default: return unknown_and(s->value, s->unknown, d->value, d->unknown);
    }
}

static void msp430_unknown_two(struct carried *c, uint16_t o)
{
    unsigned op = o >> 12;
    struct operand s = msp430_unknown_source(c, o >> 8 & 15, o >> 4 & 3);
    c->overwrites = op == OP_MOV;
    struct operand d = msp430_unknown_target(c, o & 15, o & 0x80);
    unsigned bits = msp430_unknown_result(c, op, &s, &d) & msp430_unknown_width(c);
    if (op != OP_MOV && op != OP_BIC && op != OP_BIS)
        msp430_unknown_flags(c, FLAGS, bits || (op == OP_XOR && s.unknown));
    if (op != OP_CMP && op != OP_BIT)
        msp430_unknown_write(c, &d, bits);
}

static void msp430_unknown_push(struct carried *c, unsigned bits)
{
    msp430_unknown_store(c, c->sp, bits, 2);
}

/* PUSH and CALL move SP before they evaluate their operand (generic.c). */
static void msp430_unknown_one(struct carried *c, uint16_t o)
{
    unsigned op = o >> 7 & 7, top = c->byte ? 0x80 : 0x8000, bits;
    if (op >= OP_PUSH)
        c->sp = (uint16_t)(c->sp - 2);
    struct operand d = msp430_unknown_source(c, o & 15, o >> 4 & 3);
    switch (op) {
    case OP_PUSH: msp430_unknown_push(c, d.unknown); return;
    case OP_CALL:
        msp430_unknown_used(c, d.unknown, UNKNOWN_BRANCH);
        msp430_unknown_push(c, 0);
        return;
    case OP_SWPB: bits = (unsigned)(d.unknown >> 8 | d.unknown << 8) & 0xffff; break;
    case OP_SXT: bits = (d.unknown & 0xff) | (d.unknown & 0x80 ? 0xff00 : 0); break;
    default: bits = (unsigned)d.unknown >> 1 | (op == OP_RRA ? d.unknown & top : *c->flags & MSP430_C ? top : 0); break;
    }
    if (op != OP_SWPB)
        msp430_unknown_flags(c, FLAGS, bits || d.unknown);
    msp430_unknown_write(c, &d, bits);
}

static void msp430_unknown_jump(struct carried *c, uint16_t o)
{
    static const uint16_t asks[8] = {
        MSP430_Z, MSP430_Z, MSP430_C, MSP430_C, MSP430_N, MSP430_N | MSP430_V, MSP430_N | MSP430_V, 0};
    msp430_unknown_used(c, *c->flags & asks[o >> 10 & 7], UNKNOWN_BRANCH);
}

static void msp430_unknown_reti(struct carried *c)
{
    unsigned status = msp430_unknown_load(c, c->sp, 2), pc = msp430_unknown_load(c, (uint16_t)(c->sp + 2), 2);
    *c->flags = (uint16_t)(status & FLAGS);
    msp430_unknown_used(c, pc, UNKNOWN_BRANCH);
}

enum unknown_use msp430_spread(const struct node *n, struct unknown *u, const struct unknown_memory *memory)
{
    const struct msp430_cpu *cpu = n->cpu;
    struct carried c = {.n = n,
                        .code = ((const struct msp430_code *)n->code)->memory,
                        .value = cpu->r,
                        .r = u->registers,
                        .flags = &u->flags,
                        .memory = memory,
                        .next = cpu->r[MSP430_PC],
                        .sp = cpu->r[MSP430_SP]};
    uint16_t o = msp430_unknown_word(&c);
    c.byte = o & 0x40;
    if (o >= 0x4000) {
        msp430_unknown_two(&c, o);
    } else if (o >= 0x2000) {
        msp430_unknown_jump(&c, o);
    } else if (o == 0x1300) {
        msp430_unknown_reti(&c);
    } else if (o >= 0x1000 && o < 0x1300) {
        c.byte = c.byte && (o >> 7 & 7) != OP_CALL;
        msp430_unknown_one(&c, o);
    }
    return c.use;
}
