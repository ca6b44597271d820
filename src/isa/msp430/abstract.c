#include "isa/msp430/abstract.h"

#include "chip/chip.h"
#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

enum { VECTORS = 0xffe0, LINES = 16, WORD = 0xffff };

/* Opcodes: the highest four bits of two-operand instructions, bits 7 to 9 of those with one. */
enum { MOV = 4, ADD = 5, SUB = 8, CMP = 9, BIT = 11, BIC = 12, BIS = 13, AND = 15 };
enum { PUSH = 4, CALL = 5 };

static const struct abstract_value unknown;

static bool msp430_abstract_is_code(const struct machine *m, uint32_t at)
{
    return at < m->code_size && m->flash_known[at] == FLASH_CODE;
}

static bool msp430_abstract_in_flash(const struct machine *m, uint32_t at)
{
    return at < m->code_size && m->flash_known[at] != FLASH_ERASED;
}

/* ---- operands ---- */

static struct abstract_value msp430_abstract_register(const struct abstract_state *s, unsigned reg)
{
    if (reg == MSP430_SP) {
        struct abstract_value sp = s->sp;
        sp.kind = sp.kind == ABSTRACT_RESET ? ABSTRACT_UNKNOWN : sp.kind;
        return sp;
    }
    if (reg == MSP430_SR)
        return (struct abstract_value){.kind = ABSTRACT_STATUS, .n = s->interrupts};
    return s->r[reg];
}

static struct abstract_value msp430_abstract_plus(struct abstract_value v, int32_t n)
{
    switch (v.kind) {
    case ABSTRACT_NUMBER: return abstract_number((v.n + n) & WORD);
    case ABSTRACT_FRAME:
    case ABSTRACT_RESET: v.n = (int16_t)(v.n + n); return v;
    default: return unknown;
    }
}

/* What is in memory at a distance from a register: a saved value, or an entry of a table. */
static struct abstract_value msp430_abstract_at(const struct machine *m, const struct abstract_state *s, unsigned reg,
                                                uint16_t distance)
{
    struct abstract_value base = msp430_abstract_register(s, reg);
    if (base.kind == s->sp.kind && base.kind != ABSTRACT_UNKNOWN)
        return abstract_load(s, base.n + (int16_t)distance);
    if (distance && msp430_abstract_in_flash(m, distance) && base.kind != ABSTRACT_FRAME)
        return (struct abstract_value){.kind = ABSTRACT_LOADED, .n = distance};
    return unknown;
}

static struct abstract_value msp430_abstract_source(const struct machine *m, const struct abstract_state *s,
                                                    const struct msp430_parts *p)
{
    switch (p->from) {
    case MSP430_SOURCE_R: return msp430_abstract_register(s, p->s);
    case MSP430_SOURCE_C:
    case MSP430_SOURCE_N: return abstract_number(p->sx);
    case MSP430_SOURCE_X: return msp430_abstract_at(m, s, p->s, p->sx);
    case MSP430_SOURCE_D:
    case MSP430_SOURCE_P: return msp430_abstract_at(m, s, p->s, 0);
    default: return unknown;
    }
}

/* The register of @rn+ moves. */
static void msp430_abstract_increment(struct abstract_state *s, const struct msp430_parts *p)
{
    if (p->from != MSP430_SOURCE_P)
        return;
    if (p->s == MSP430_SP)
        abstract_move_stack(s, 2);
    else
        s->r[p->s] = msp430_abstract_plus(s->r[p->s], p->byte ? 1 : 2);
}

/* ---- results ---- */

static struct abstract_value msp430_abstract_result(const struct msp430_parts *p, struct abstract_value source,
                                                    struct abstract_value old)
{
    bool number = source.kind == ABSTRACT_NUMBER;
    switch (p->opcode >> 12) {
    case MOV:
        if (!p->byte)
            return source;
        return number ? abstract_number(source.n & 0xff) : unknown;
    case ADD:
        if (p->byte)
            return unknown;
        return number                        ? msp430_abstract_plus(old, source.n)
               : old.kind == ABSTRACT_NUMBER ? msp430_abstract_plus(source, old.n)
                                             : unknown;
    case SUB: return number && !p->byte ? msp430_abstract_plus(old, -source.n) : unknown;
    case BIC:
    case BIS:
        if (!number || old.kind != ABSTRACT_STATUS)
            return unknown;
        if (source.n & MSP430_GIE)
            old.n = p->opcode >> 12 == BIS ? ABSTRACT_ON : ABSTRACT_OFF;
        return old;
    case AND:
        if (!number || old.kind != ABSTRACT_STATUS)
            return unknown;
        if (!(source.n & MSP430_GIE))
            old.n = ABSTRACT_OFF;
        return old;
    default: return unknown;
    }
}

static void msp430_abstract_write_status(struct abstract_state *s, struct abstract_value v)
{
    if (v.kind == ABSTRACT_STATUS)
        s->interrupts = (uint8_t)v.n;
    else if (v.kind == ABSTRACT_NUMBER)
        s->interrupts = v.n & MSP430_GIE ? ABSTRACT_ON : ABSTRACT_OFF;
    else
        s->interrupts = ABSTRACT_OFF | ABSTRACT_ON;
}

static void msp430_abstract_write_stack_pointer(struct abstract_state *s, struct abstract_value v,
                                                struct abstract_step *step)
{
    if (v.kind == ABSTRACT_NUMBER || v.kind == ABSTRACT_FRAME)
        s->sp = v;
    else
        step->lost = true;
}

/* A write to PC. */
static void msp430_abstract_go(const struct msp430_parts *p, uint32_t at, struct abstract_value v,
                               struct abstract_step *step)
{
    step->flow = ABSTRACT_JUMP_ANYWHERE;
    if (p->opcode >> 12 == ADD && !p->byte) {
        step->flow = ABSTRACT_JUMPS;
        step->target = at + p->length;
    } else if (v.kind == ABSTRACT_NUMBER) {
        step->flow = ABSTRACT_JUMP;
        step->target = (uint32_t)v.n & ~1u;
    } else if (v.kind == ABSTRACT_LOADED) {
        step->flow = ABSTRACT_TABLE;
        step->target = (uint32_t)v.n;
    }
}

static void msp430_abstract_write(struct abstract_state *s, const struct msp430_parts *p, uint32_t at,
                                  struct abstract_value source, struct abstract_step *step)
{
    if (p->to == MSP430_TO_A)
        return;
    if (p->to == MSP430_TO_X) {
        struct abstract_value base = msp430_abstract_register(s, p->d);
        if (base.kind == s->sp.kind)
            abstract_store(s, base.n + (int16_t)p->dx, p->opcode >> 12 == MOV && !p->byte ? source : unknown);
        return;
    }
    struct abstract_value v = msp430_abstract_result(p, source, msp430_abstract_register(s, p->d));
    if (p->d == MSP430_PC)
        msp430_abstract_go(p, at, v, step);
    else if (p->d == MSP430_SP)
        msp430_abstract_write_stack_pointer(s, v, step);
    else if (p->d == MSP430_SR)
        msp430_abstract_write_status(s, v);
    else
        s->r[p->d] = v;
}

/* ---- instructions ---- */

static void msp430_abstract_two_operands(const struct machine *m, uint32_t at, const struct msp430_parts *p,
                                         struct abstract_state *s, struct abstract_step *step)
{
    enum { RET = 0x4130 };
    bool pushed = s->sp.kind == ABSTRACT_FRAME && s->sp.n < 0; /* then it jumps to what lies there */
    if (p->opcode == RET && (!pushed || abstract_load(s, s->sp.n).kind == ABSTRACT_UNKNOWN)) {
        step->flow = ABSTRACT_RETURN;
        return;
    }
    struct abstract_value source = msp430_abstract_source(m, s, p);
    unsigned what = p->opcode >> 12;
    msp430_abstract_increment(s, p);
    if (what == BIT && p->to == MSP430_TO_R && source.kind == ABSTRACT_NUMBER && source.n == MSP430_GIE) {
        struct abstract_value v = msp430_abstract_register(s, p->d);
        s->tested = v.kind == ABSTRACT_STATUS ? (uint8_t)v.n : 0;
    } else if (what != MOV && what != BIC && what != BIS) { /* these leave the flags alone */
        s->tested = 0;
    }
    if (what != CMP && what != BIT)
        msp430_abstract_write(s, p, at, source, step);
}

/* A jump on whether a saved status register has interrupts on goes one way where that is known. */
static void msp430_abstract_jump(const struct abstract_state *s, unsigned op, uint32_t target,
                                 struct abstract_step *step)
{
    bool known = s->tested == ABSTRACT_OFF || s->tested == ABSTRACT_ON;
    step->target = target;
    step->flow = op >= MSP430_JMP ? ABSTRACT_JUMP : ABSTRACT_BRANCH;
    if (known && (op == MSP430_JEQ || op == MSP430_JNE))
        step->flow = (op == MSP430_JEQ) == (s->tested == ABSTRACT_OFF) ? ABSTRACT_JUMP : ABSTRACT_NEXT;
}

static void msp430_abstract_one_operand(const struct machine *m, const struct msp430_parts *p, struct abstract_state *s,
                                        struct abstract_step *step)
{
    enum { RETI = 0x1300 };
    unsigned what = p->opcode >> 7 & 7;
    if (p->opcode >= RETI) {
        step->flow = p->opcode == RETI ? ABSTRACT_LEAVE : ABSTRACT_END;
        return;
    }
    struct abstract_value source = msp430_abstract_source(m, s, p);
    s->tested = 0;
    msp430_abstract_increment(s, p);
    if (what == PUSH) {
        abstract_move_stack(s, -2);
        abstract_store(s, s->sp.n, p->s == MSP430_SP || p->byte ? unknown : source);
    } else if (what == CALL) {
        step->flow = source.kind == ABSTRACT_NUMBER ? ABSTRACT_CALL : ABSTRACT_CALL_ANYWHERE;
        step->target = (uint32_t)source.n & ~1u;
    } else if (p->from == MSP430_SOURCE_R && p->s == MSP430_SP) {
        step->lost = true;
    } else if (p->from == MSP430_SOURCE_R) {
        s->r[p->s] = unknown;
    } else if (p->s == MSP430_SP && p->from == MSP430_SOURCE_X) {
        abstract_store(s, s->sp.n + (int16_t)p->sx, unknown);
    }
}

static void msp430_abstract_step(const struct machine *m, uint32_t at, struct abstract_state *s,
                                 struct abstract_step *step)
{
    const struct msp430_code *code = m->code;
    bool in_ram = at - m->ram->first < m->ram->size;
    *step = (struct abstract_step){.flow = in_ram ? ABSTRACT_JUMP_ANYWHERE : ABSTRACT_END, .size = 2};
    if (!msp430_abstract_is_code(m, at))
        return;
    struct msp430_parts p = msp430_take_apart(code, at);
    const struct msp430_insn *i = &code->insn[at / 2];
    unsigned op = i->op & ~(unsigned)MSP430_MARKS;
    step->flow = ABSTRACT_NEXT;
    step->size = p.length;
    if (op >= MSP430_JNE && op <= MSP430_JMP_SELF) {
        msp430_abstract_jump(s, op, i->sx, step);
    } else if (p.opcode >= 0x4000) {
        msp430_abstract_two_operands(m, at, &p, s, step);
    } else if (p.opcode >= 0x1000) {
        msp430_abstract_one_operand(m, &p, s, step);
    } else {
        step->flow = ABSTRACT_END;
    }
}

/* ---- entry points ---- */

static bool msp430_abstract_vector(const struct machine *m, unsigned line, uint32_t *address)
{
    if (line >= LINES)
        return false;
    const uint8_t *at = m->flash + VECTORS + 2 * line;
    *address = (at[0] | (uint32_t)at[1] << 8) & ~1u;
    return msp430_abstract_is_code(m, *address);
}

static bool msp430_abstract_is_vector(const struct machine *m, uint32_t at)
{
    (void)m;
    return at >= VECTORS;
}

/* PC and SR. */
static unsigned msp430_abstract_interrupt_pushes(const struct machine *m)
{
    (void)m;
    return 4;
}

static uint32_t msp430_abstract_reset_sp(const struct machine *m)
{
    (void)m;
    return 0;
}

static bool msp430_abstract_immediate(const struct machine *m, uint32_t at, unsigned *pair, bool *high, uint32_t *value)
{
    enum { BRANCH = 0x4030 };
    struct msp430_parts p = msp430_take_apart(m->code, at);
    bool calls = p.opcode < 0x2000 && (p.opcode >> 7 & 7) == CALL;
    *pair = ABSTRACT_NO_PAIR;
    *high = false;
    *value = p.sx;
    return p.from == MSP430_SOURCE_N && p.opcode != BRANCH && !calls && !(p.opcode >= 0x2000 && p.opcode < 0x4000);
}

static bool msp430_abstract_always(unsigned line)
{
    return line == MSP430_LINE_NMI;
}

const struct isa_abstract msp430_abstract = {
    .registers = 16,
    .zero = -1,
    .code_alignment = 2,
    .data_alignment = 2,
    .interrupt_pushes = msp430_abstract_interrupt_pushes,
    .is_vector = msp430_abstract_is_vector,
    .pointer_size = 2,
    .pointer_unit = 1,
    .step = msp430_abstract_step,
    .vector = msp430_abstract_vector,
    .reset_line = MSP430_LINE_RESET,
    .reset_sp = msp430_abstract_reset_sp,
    .immediate = msp430_abstract_immediate,
    .always = msp430_abstract_always,
};
