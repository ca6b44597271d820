#include "isa/msp430/generic.h"

#include "chip/chip.h"
#include "isa/msp430/memory.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

/* Cycle counts: SLAU049, tables 3-14 to 3-16. */

enum place { IN_REGISTER, IN_MEMORY, IS_CONSTANT };

struct operand {
    enum place place;
    uint8_t reg;
    uint16_t address, value;
};

/* Rows of the tables: how the source is reached. */
enum row { ROW_REGISTER, ROW_INDIRECT, ROW_INCREMENT, ROW_IMMEDIATE, ROW_MEMORY };

struct generic {
    struct node *n;
    struct msp430_cpu *cpu;
    uint16_t at; /* address of the instruction */
    bool byte;
};

static uint16_t aligned(const struct generic *g, uint16_t address, unsigned size)
{
    if (size == 2 && (address & 1))
        node_fault(g->n, FAULT_MISALIGNED, g->at, address, 0);
    return size == 2 ? address & 0xfffe : address;
}

static uint16_t generic_load(const struct generic *g, uint16_t address, unsigned size)
{
    return msp430_load(g->n, g->at, aligned(g, address, size), size);
}

static uint16_t fetch(const struct generic *g)
{
    uint16_t word = msp430_fetch(g->n, g->at, g->cpu->r[MSP430_PC]);
    g->cpu->r[MSP430_PC] = (uint16_t)(g->cpu->r[MSP430_PC] + 2);
    return word;
}

static uint16_t narrowed(const struct generic *g, uint16_t value)
{
    return g->byte ? value & 0xff : value;
}

static struct operand generic_constant(const struct generic *g, uint16_t value)
{
    return (struct operand){.place = IS_CONSTANT, .value = narrowed(g, value)};
}

static struct operand generic_in_memory(const struct generic *g, uint16_t address)
{
    return (struct operand){.place = IN_MEMORY, .address = address, .value = generic_load(g, address, g->byte ? 1 : 2)};
}

/* x(Rn), symbolic and absolute; R3 and, absolute, SR count as zero. */
static uint16_t generic_indexed(const struct generic *g, unsigned reg)
{
    uint16_t base = reg == MSP430_SR || reg == MSP430_CG ? 0 : g->cpu->r[reg];
    return (uint16_t)(base + fetch(g));
}

static struct operand generic_source(const struct generic *g, unsigned reg, unsigned as, enum row *row)
{
    static const uint16_t of_cg[4] = {0, 1, 2, 0xffff};
    *row = ROW_REGISTER;
    if (reg == MSP430_CG)
        return generic_constant(g, of_cg[as]);
    if (reg == MSP430_SR && as >= 2)
        return generic_constant(g, as == 2 ? 4 : 8);
    uint16_t *r = &g->cpu->r[reg];
    switch (as) {
    case 0: return (struct operand){.place = IN_REGISTER, .reg = (uint8_t)reg, .value = narrowed(g, *r)};
    case 1: *row = ROW_MEMORY; return generic_in_memory(g, generic_indexed(g, reg));
    case 2: *row = ROW_INDIRECT; return generic_in_memory(g, *r);
    default: break;
    }
    if (reg == MSP430_PC) {
        *row = ROW_IMMEDIATE;
        return generic_constant(g, fetch(g));
    }
    *row = ROW_INCREMENT;
    struct operand o = generic_in_memory(g, *r);
    *r = (uint16_t)(*r + (g->byte && reg != MSP430_SP ? 1 : 2));
    return o;
}

/* ---- results ---- */

static void set_flags(const struct generic *g, uint16_t result, bool carry, bool overflow)
{
    uint16_t sign = g->byte ? 0x80 : 0x8000;
    uint16_t *sr = &g->cpu->r[MSP430_SR];
    *sr = (uint16_t)((*sr & ~(MSP430_C | MSP430_Z | MSP430_N | MSP430_V)) | (carry ? MSP430_C : 0) |
                     (narrowed(g, result) == 0 ? MSP430_Z : 0) | (result & sign ? MSP430_N : 0) |
                     (overflow ? MSP430_V : 0));
}

static void generic_write_register(const struct generic *g, unsigned reg, uint16_t value)
{
    switch (reg) {
    case MSP430_CG: return;
    case MSP430_SR: value &= 0x1ff; break;
    case MSP430_PC: value &= 0xfffe; break;
    case MSP430_SP: value &= 0xfffe; break;
    default: break;
    }
    g->cpu->r[reg] = value;
}

static void write_back(const struct generic *g, const struct operand *to, uint16_t value)
{
    unsigned size = g->byte ? 1 : 2;
    if (to->place == IN_REGISTER)
        generic_write_register(g, to->reg, narrowed(g, value));
    else if (to->place == IN_MEMORY)
        msp430_store(g->n, g->at, aligned(g, to->address, size), value, size);
}

/* a + b + carry in the instruction's size; subtraction gives the complement of b. */
static uint16_t generic_add(const struct generic *g, uint16_t a, uint16_t b, unsigned carry)
{
    uint32_t mask = g->byte ? 0xff : 0xffff, sign = g->byte ? 0x80 : 0x8000;
    uint32_t sum = (a & mask) + (b & mask) + carry;
    set_flags(g, (uint16_t)(sum & mask), sum > mask, (a ^ sum) & (b ^ sum) & sign);
    return (uint16_t)(sum & mask);
}

/* Binary-coded decimal addition, digit by digit. Digits above 9 are undefined by the manual; they carry like 10 to 15.
 */
static uint16_t add_decimal(const struct generic *g, uint16_t a, uint16_t b, unsigned carry)
{
    uint16_t sum = 0;
    for (unsigned shift = 0; shift < (g->byte ? 8u : 16u); shift += 4) {
        unsigned digit = (a >> shift & 15u) + (b >> shift & 15u) + carry;
        carry = digit > 9;
        sum = (uint16_t)(sum | ((carry ? digit - 10 : digit) & 15u) << shift);
    }
    set_flags(g, sum, carry, g->cpu->r[MSP430_SR] & MSP430_V); /* V is undefined; it stays */
    return sum;
}

static unsigned carry_of(const struct generic *g)
{
    return g->cpu->r[MSP430_SR] & MSP430_C;
}

/* ---- two operands ---- */

/* Room made on the stack must be there; a stack pointer loaded with an address among the variables is another stack. */
static void stack_moves(const struct generic *g, unsigned opcode, uint16_t value)
{
    uint16_t sp = value & 0xfffe;
    if (opcode == 8)
        msp430_check_frame(g->n, g->at, sp);
    else if (opcode == 4)
        g->cpu->stack_elsewhere = g->n->machine->stack_limit && sp < g->n->machine->stack_limit;
}

static unsigned two_operand_cycles(enum row row, bool to_register, bool to_pc)
{
    static const uint8_t into_register[] = {1, 2, 2, 2, 3}, into_pc[] = {2, 2, 3, 3, 3},
                         into_memory[] = {4, 5, 5, 5, 6};
    return to_pc ? into_pc[row] : to_register ? into_register[row] : into_memory[row];
}

static unsigned generic_two_operands(struct generic *g, uint16_t o)
{
    enum row row;
    unsigned opcode = o >> 12, reg = o & 15;
    struct operand from = generic_source(g, (o >> 8) & 15, (o >> 4) & 3, &row), to;
    uint16_t s = from.value;
    if (o & 0x80) {
        uint16_t address = generic_indexed(g, reg);
        to = (struct operand){.place = IN_MEMORY, .address = address};
        if (opcode != 4)
            to = generic_in_memory(g, address);
    } else {
        to = (struct operand){.place = IN_REGISTER, .reg = (uint8_t)reg};
        to.value = reg == MSP430_CG ? 0 : narrowed(g, g->cpu->r[reg]);
    }
    uint16_t d = to.value, sign = g->byte ? 0x80 : 0x8000;
    unsigned cycles = two_operand_cycles(row, to.place == IN_REGISTER, to.place == IN_REGISTER && reg == MSP430_PC);
    if (to.place == IN_REGISTER && reg == MSP430_SP)
        stack_moves(g, opcode, opcode == 8 ? (uint16_t)(d - s) : s);
    switch (opcode) {
    case 4: write_back(g, &to, s); break;
    case 5: write_back(g, &to, generic_add(g, s, d, 0)); break;
    case 6: write_back(g, &to, generic_add(g, s, d, carry_of(g))); break;
    case 7: write_back(g, &to, generic_add(g, (uint16_t)~s, d, carry_of(g))); break;
    case 8: write_back(g, &to, generic_add(g, (uint16_t)~s, d, 1)); break;
    case 9: generic_add(g, (uint16_t)~s, d, 1); break;
    case 10: write_back(g, &to, add_decimal(g, s, d, carry_of(g))); break;
    case 11: set_flags(g, s & d, s & d, false); break;
    case 12: write_back(g, &to, (uint16_t)(d & ~s)); break;
    case 13: write_back(g, &to, d | s); break;
    case 14:
        set_flags(g, s ^ d, s ^ d, s & d & sign);
        write_back(g, &to, s ^ d);
        break;
    default:
        set_flags(g, s & d, s & d, false);
        write_back(g, &to, s & d);
        break;
    }
    return cycles;
}

/* ---- one operand ---- */

/* Stores a word on the stack, at the address that SP was moved to for it. */
static void generic_push_at(const struct generic *g, uint16_t sp, uint16_t value)
{
    if (sp >= msp430_stack_low(g->n) && sp < g->n->machine->data_size)
        msp430_store(g->n, g->at, sp, value, 2);
    else
        msp430_push_slow(g->n, g->at, sp, value);
}

static uint16_t generic_pop(const struct generic *g)
{
    uint16_t value = generic_load(g, g->cpu->r[MSP430_SP], 2);
    g->cpu->r[MSP430_SP] = (uint16_t)(g->cpu->r[MSP430_SP] + 2);
    return value;
}

/* PUSH and CALL move SP before they evaluate their operand, so that x(SP), @SP and SP itself mean the new SP. The guide
 * (SLAU049, 3.4) contradicts itself here: the operation of CALL evaluates first, its example moves SP first. F133, F147
 * and F1232 were measured to move it first (mspgcc-users 04414), and mspgcc's printf relies on it. */
static unsigned generic_push_or_call(struct generic *g, uint16_t o, bool call)
{
    static const uint8_t pushes[] = {3, 4, 5, 4, 5}, calls[] = {4, 4, 5, 5, 5};
    enum row row;
    uint16_t sp = g->cpu->r[MSP430_SP] = (uint16_t)(g->cpu->r[MSP430_SP] - 2);
    uint16_t value = generic_source(g, o & 15, (o >> 4) & 3, &row).value;
    generic_push_at(g, sp, call ? g->cpu->r[MSP430_PC] : value); /* a byte too takes a word on the stack */
    if (call)
        generic_write_register(g, MSP430_PC, value);
    return call ? calls[row] : pushes[row];
}

static unsigned generic_one_operand(struct generic *g, uint16_t o)
{
    static const uint8_t cycles[] = {1, 3, 3, 1, 4};
    enum row row;
    unsigned what = (o >> 7) & 7;
    if (what >= 4)
        return generic_push_or_call(g, o, what == 5);
    struct operand it = generic_source(g, o & 15, (o >> 4) & 3, &row);
    uint16_t v = it.value, top = g->byte ? 0x80 : 0x8000, result;
    switch (what) {
    case 0:
        result = (uint16_t)(v >> 1 | (carry_of(g) ? top : 0));
        set_flags(g, result, v & 1, carry_of(g) && !(v & top));
        break;
    case 1: result = (uint16_t)(v >> 8 | v << 8); break;
    case 2:
        result = (uint16_t)(v >> 1 | (v & top));
        set_flags(g, result, v & 1, false);
        break;
    default:
        result = (uint16_t)(int16_t)(int8_t)v;
        set_flags(g, result, result, false);
        break;
    }
    write_back(g, &it, result);
    return cycles[row];
}

static unsigned generic_jump(const struct generic *g, uint16_t o)
{
    uint16_t sr = g->cpu->r[MSP430_SR];
    bool n = sr & MSP430_N, v = sr & MSP430_V, z = sr & MSP430_Z, c = sr & MSP430_C;
    const bool taken[8] = {!z, z, !c, c, n, n == v, n != v, true};
    int offset = (o & 0x1ff) - (o & 0x200);
    if (taken[(o >> 10) & 7])
        g->cpu->r[MSP430_PC] = (uint16_t)(g->cpu->r[MSP430_PC] + (unsigned)(2 * offset));
    return 2;
}

unsigned msp430_generic(struct node *n, bool *reti)
{
    struct generic g = {.n = n, .cpu = n->cpu};
    g.at = g.cpu->r[MSP430_PC];
    uint16_t o = fetch(&g);
    *reti = o == 0x1300;
    if (o >= 0x4000) {
        g.byte = o & 0x40;
        return generic_two_operands(&g, o);
    }
    if (o >= 0x2000)
        return generic_jump(&g, o);
    if (*reti) {
        generic_write_register(&g, MSP430_SR, generic_pop(&g));
        generic_write_register(&g, MSP430_PC, generic_pop(&g));
        return 5;
    }
    unsigned what = (o >> 7) & 7;
    bool byte_allowed = what == 0 || what == 2 || what == 4;
    if (o >= 0x1000 && o < 0x1300 && (byte_allowed || !(o & 0x40))) {
        g.byte = o & 0x40;
        return generic_one_operand(&g, o);
    }
    node_fault(n, FAULT_ILLEGAL_OPCODE, g.at, g.at, o);
    return 1;
}
