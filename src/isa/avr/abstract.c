#include "isa/avr/abstract.h"

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "isa/avr/memory.h"
#include "node/machine.h"

enum { X = 26, Y = 28, Z = 30, SREG_I = 0x80 };

static const struct abstract_value unknown;

static const struct avr_code *avr_abstract_code(const struct machine *m)
{
    return m->code;
}

static unsigned avr_abstract_return_bytes(const struct machine *m)
{
    return ((const struct avr_core *)m->chip->core)->pc_bytes;
}

/* ---- numbers in two registers ---- */

static int32_t avr_abstract_wrap(uint8_t kind, int32_t n, int32_t before)
{
    if (kind == ABSTRACT_FRAME)
        return (int16_t)n;
    return n & (before > 0xffff ? 0x1ffff : 0xffff); /* a table of words, past 64 KB in bytes */
}

static bool avr_abstract_is_sum(struct abstract_value v)
{
    return v.kind == ABSTRACT_FRAME || v.kind == ABSTRACT_INDEX;
}

/* What a register pair holds: a value that counts in 16 bits, with `part` 0. Of a sum in a single register, the low
 * byte counts in 8 bits only. */
static struct abstract_value avr_abstract_pair(const struct abstract_state *s, unsigned low)
{
    struct abstract_value l = s->r[low], h = s->r[low + 1];
    if (l.kind != h.kind)
        return unknown;
    if (l.kind == ABSTRACT_NUMBER)
        return abstract_number(l.n | h.n << 8);
    if (avr_abstract_is_sum(l) && l.part == 0 && h.part == 1 && ((l.n ^ h.n) & 0xff) == 0)
        return (struct abstract_value){.kind = l.kind, .n = h.n};
    if (l.kind == ABSTRACT_LOADED && h.n == l.n + 1)
        return l;
    return unknown;
}

static void avr_abstract_set_pair(struct abstract_state *s, unsigned low, struct abstract_value v)
{
    struct abstract_value l = unknown, h = unknown;
    if (v.kind == ABSTRACT_NUMBER) {
        l = abstract_number(v.n & 0xff);
        h = abstract_number(v.n >> 8 & 0xff);
    } else if (avr_abstract_is_sum(v)) {
        l = (struct abstract_value){.kind = v.kind, .n = v.n & 0xff};
        h = (struct abstract_value){.kind = v.kind, .part = 1, .n = v.n};
    }
    s->r[low] = l;
    s->r[low + 1] = h;
}

static struct abstract_value avr_abstract_plus(struct abstract_value v, int32_t n)
{
    if (v.kind == ABSTRACT_NUMBER)
        return abstract_number((v.n + n) & 0xffff);
    if (avr_abstract_is_sum(v))
        return (struct abstract_value){.kind = v.kind, .n = avr_abstract_wrap(v.kind, v.n + n, v.n)};
    return unknown;
}

/* What the carry is of: of a number that was nothing known before, or of one that is doubled. */
enum { CARRY_OF_SUM, CARRY_OF_NEW, CARRY_OF_DOUBLE };

/* The low byte of a sum or difference; remembers the carry for the high byte. */
static struct abstract_value avr_abstract_low(struct abstract_state *s, struct abstract_value v, int32_t n)
{
    s->carry = unknown;
    if (v.kind == ABSTRACT_NUMBER) {
        int32_t sum = v.n + n;
        s->carry = abstract_number(sum < 0 || sum > 0xff);
        return abstract_number(sum & 0xff);
    }
    if (v.kind == ABSTRACT_FRAME && v.part == 0) {
        s->carry = (struct abstract_value){.kind = v.kind, .part = CARRY_OF_SUM, .n = v.n};
        s->carried = v.n + n;
        v.n = s->carried & 0xff;
        return v;
    }
    if (v.kind == ABSTRACT_FRAME) { /* the high byte alone */
        v.n = avr_abstract_wrap(v.kind, v.n + 256 * n, v.n);
        return v;
    }
    /* Something unknown plus a number is unknown again: of a table's index and its address, the address comes last. */
    s->carry = (struct abstract_value){.kind = ABSTRACT_INDEX, .part = CARRY_OF_NEW};
    s->carried = n;
    return (struct abstract_value){.kind = ABSTRACT_INDEX, .n = n & 0xff};
}

/* The high byte of it; n is negative for a difference. */
static struct abstract_value avr_abstract_high(struct abstract_state *s, struct abstract_value v, int32_t n, bool minus)
{
    struct abstract_value c = s->carry, result = unknown;
    int32_t part = n * 256;
    s->carry = unknown;
    if (c.kind == ABSTRACT_NUMBER && v.kind == ABSTRACT_NUMBER) {
        int32_t sum = v.n + n + (minus ? -c.n : c.n);
        s->carry = abstract_number(sum < 0 || sum > 0xff);
        result = abstract_number(sum & 0xff);
    } else if (c.kind == ABSTRACT_INDEX && c.part == CARRY_OF_NEW) {
        result = (struct abstract_value){.kind = ABSTRACT_INDEX, .part = 1, .n = (s->carried + part) & 0xffff};
    } else if (c.kind == ABSTRACT_FRAME && v.kind == c.kind && v.part == 1 && ((v.n ^ c.n) & 0xff) == 0) {
        int32_t sum = v.n + (s->carried - c.n) + part;
        result = (struct abstract_value){.kind = v.kind, .part = 1, .n = avr_abstract_wrap(v.kind, sum, v.n)};
    }
    return result;
}

static void avr_abstract_double(struct abstract_state *s, unsigned d)
{
    struct abstract_value v = s->r[d];
    if (v.kind != ABSTRACT_INDEX || v.part != 0) {
        s->r[d] = v.kind == ABSTRACT_NUMBER ? avr_abstract_low(s, v, v.n) : unknown;
        s->carry = v.kind == ABSTRACT_NUMBER ? s->carry : unknown;
        return;
    }
    s->carry = (struct abstract_value){.kind = ABSTRACT_INDEX, .part = CARRY_OF_DOUBLE, .n = v.n};
    s->carried = 2 * v.n;
    s->r[d].n = s->carried & 0xff;
}

static void avr_abstract_double_high(struct abstract_state *s, unsigned d)
{
    struct abstract_value v = s->r[d], c = s->carry;
    bool fits = v.kind == ABSTRACT_INDEX && v.part == 1 && c.kind == ABSTRACT_INDEX && c.part == CARRY_OF_DOUBLE;
    s->carry = unknown;
    s->r[d] = fits ? (struct abstract_value){.kind = ABSTRACT_INDEX, .part = 1, .n = 2 * v.n} : unknown;
}

static void avr_abstract_add(struct abstract_state *s, const struct avr_insn *i)
{
    struct abstract_value d = s->r[i->d], r = s->r[i->r];
    if (r.kind == ABSTRACT_NUMBER)
        s->r[i->d] = avr_abstract_low(s, d, r.n);
    else if (d.kind == ABSTRACT_NUMBER)
        s->r[i->d] = avr_abstract_low(s, r, d.n);
    else
        s->r[i->d] = s->carry = unknown;
}

static void avr_abstract_adc(struct abstract_state *s, const struct avr_insn *i)
{
    struct abstract_value d = s->r[i->d], r = s->r[i->r];
    if (r.kind == ABSTRACT_NUMBER)
        s->r[i->d] = avr_abstract_high(s, d, r.n, false);
    else if (d.kind == ABSTRACT_NUMBER)
        s->r[i->d] = avr_abstract_high(s, r, d.n, false);
    else
        s->r[i->d] = s->carry = unknown;
}

static void avr_abstract_sub(struct abstract_state *s, unsigned d, struct abstract_value by, bool high)
{
    if (by.kind != ABSTRACT_NUMBER)
        s->r[d] = s->carry = unknown;
    else
        s->r[d] = high ? avr_abstract_high(s, s->r[d], -by.n, true) : avr_abstract_low(s, s->r[d], -by.n);
}

static void avr_abstract_add_word(struct abstract_state *s, unsigned d, int32_t n)
{
    struct abstract_value v = avr_abstract_pair(s, d);
    s->carry = unknown;
    avr_abstract_set_pair(s, d, avr_abstract_plus(v, n));
}

/* INC and DEC, which leave the carry alone: of the high byte of a frame's address, 256 bytes. */
static void avr_abstract_count(struct abstract_value *v, int32_t n)
{
    if (v->kind == ABSTRACT_NUMBER)
        v->n = (v->n + n) & 0xff;
    else if (v->kind == ABSTRACT_FRAME && v->part == 1)
        v->n = avr_abstract_wrap(v->kind, v->n + 256 * n, v->n);
    else
        *v = unknown;
}

/* ---- status and stack pointer ---- */

/* AND and OR: of numbers, and of a status register with a number. */
static struct abstract_value avr_abstract_logic(struct abstract_value v, struct abstract_value by, bool or)
{
    if (by.kind != ABSTRACT_NUMBER)
        return unknown;
    if (v.kind == ABSTRACT_NUMBER)
        return abstract_number(or ? v.n | by.n : v.n & by.n);
    if (v.kind != ABSTRACT_STATUS)
        return unknown;
    if (or &&(by.n & SREG_I))
        v.n = ABSTRACT_ON;
    if (! or &&!(by.n & SREG_I))
        v.n = ABSTRACT_OFF;
    return v;
}

static void avr_abstract_write_status(struct abstract_state *s, struct abstract_value v)
{
    if (v.kind == ABSTRACT_STATUS)
        s->interrupts = (uint8_t)v.n;
    else if (v.kind == ABSTRACT_NUMBER)
        s->interrupts = v.n & SREG_I ? ABSTRACT_ON : ABSTRACT_OFF;
    else
        s->interrupts = ABSTRACT_ON | ABSTRACT_OFF;
    s->carry = unknown;
}

static struct abstract_value avr_abstract_read_stack_pointer(const struct abstract_state *s, bool high)
{
    if (s->written != ABSTRACT_WHOLE)
        return unknown;
    if (s->sp.kind == ABSTRACT_FRAME)
        return (struct abstract_value){.kind = ABSTRACT_FRAME, .part = high, .n = high ? s->sp.n : s->sp.n & 0xff};
    return abstract_number(high ? s->sp.n >> 8 & 0xff : s->sp.n & 0xff);
}

static void avr_abstract_set_stack_pointer(struct abstract_state *s, struct abstract_value low,
                                           struct abstract_value high, struct abstract_step *step)
{
    struct abstract_state both = {.r = {low, high}};
    struct abstract_value v = avr_abstract_pair(&both, 0);
    s->written = ABSTRACT_WHOLE;
    if (v.kind == ABSTRACT_FRAME || v.kind == ABSTRACT_NUMBER)
        s->sp = v;
    else
        step->lost = true;
}

static void avr_abstract_write_stack_pointer(const struct machine *m, struct abstract_state *s, bool high,
                                             struct abstract_value v, struct abstract_step *step)
{
    if (avr_short_stack_pointer(m)) {
        struct abstract_value rest = v.kind == ABSTRACT_NUMBER ? abstract_number(0) : v;
        if (rest.kind == ABSTRACT_FRAME)
            rest = (struct abstract_value){.kind = rest.kind, .part = 1, .n = (int8_t)rest.n};
        avr_abstract_set_stack_pointer(s, v, rest, step);
    } else if (high && s->written == ABSTRACT_LOW) {
        avr_abstract_set_stack_pointer(s, s->half, v, step);
    } else if (!high && s->written == ABSTRACT_HIGH) {
        avr_abstract_set_stack_pointer(s, v, s->half, step);
    } else {
        s->written = high ? ABSTRACT_HIGH : ABSTRACT_LOW;
        s->half = v;
    }
}

/* Something uses SP. */
static void avr_abstract_needs_stack(struct abstract_state *s, struct abstract_step *step)
{
    if (s->written != ABSTRACT_WHOLE)
        step->lost = true;
    s->written = ABSTRACT_WHOLE;
}

/* ---- memory ---- */

static struct abstract_value avr_abstract_read_register(const struct abstract_state *s, uint32_t address)
{
    switch (address) {
    case AVR_SREG: return (struct abstract_value){.kind = ABSTRACT_STATUS, .n = s->interrupts};
    case AVR_SPL: return avr_abstract_read_stack_pointer(s, false);
    case AVR_SPH: return avr_abstract_read_stack_pointer(s, true);
    default: return unknown;
    }
}

static void avr_abstract_write_register(const struct machine *m, struct abstract_state *s, uint32_t address,
                                        struct abstract_value v, struct abstract_step *step)
{
    if (address == AVR_SREG)
        avr_abstract_write_status(s, v);
    else if (address == AVR_SPL || address == AVR_SPH)
        avr_abstract_write_stack_pointer(m, s, address == AVR_SPH, v, step);
}

/* A load or store through a pointer, so many bytes beside it. */
static void avr_abstract_access(struct abstract_state *s, const struct avr_insn *i, unsigned pointer, int32_t distance,
                                bool store)
{
    struct abstract_value at = avr_abstract_plus(avr_abstract_pair(s, pointer), distance);
    bool in_stack = at.kind == s->sp.kind;
    if (store && in_stack)
        abstract_store(s, at.n, s->r[i->d]);
    else if (!store)
        s->r[i->d] = in_stack ? abstract_load(s, at.n) : unknown;
}

static void avr_abstract_moving_access(struct abstract_state *s, const struct avr_insn *i, unsigned pointer,
                                       bool decrement, bool store)
{
    avr_abstract_access(s, i, pointer, decrement ? -1 : 0, store);
    struct abstract_value carry = s->carry;
    avr_abstract_add_word(s, pointer, decrement ? -1 : 1);
    s->carry = carry;
}

static void avr_abstract_load_code(const struct machine *m, struct abstract_state *s, const struct avr_insn *i,
                                   bool increment)
{
    struct abstract_value z = avr_abstract_pair(s, Z), v = unknown;
    if (z.kind == ABSTRACT_INDEX)
        v = (struct abstract_value){.kind = ABSTRACT_LOADED, .n = z.n};
    else if (z.kind == ABSTRACT_NUMBER && (uint32_t)z.n < m->code_size && m->code_size <= 0x10000)
        v = abstract_number(m->flash[z.n]);
    if (increment) {
        struct abstract_value carry = s->carry;
        avr_abstract_add_word(s, Z, 1);
        s->carry = carry;
    }
    s->r[i->d] = v;
}

static bool avr_abstract_memory(const struct machine *m, const struct avr_insn *i, unsigned op,
                                struct abstract_state *s, struct abstract_step *step)
{
    switch (op) {
    case AVR_LDS: s->r[i->d] = avr_abstract_read_register(s, i->k); break;
    case AVR_STS:
    case AVR_STS_HEAP: avr_abstract_write_register(m, s, i->k, s->r[i->d], step); break;
    case AVR_LD_X: avr_abstract_access(s, i, X, 0, false); break;
    case AVR_LDD_Y: avr_abstract_access(s, i, Y, i->r, false); break;
    case AVR_LDD_Z: avr_abstract_access(s, i, Z, i->r, false); break;
    case AVR_ST_X: avr_abstract_access(s, i, X, 0, true); break;
    case AVR_STD_Y: avr_abstract_access(s, i, Y, i->r, true); break;
    case AVR_STD_Z: avr_abstract_access(s, i, Z, i->r, true); break;
    case AVR_LD_X_INC:
    case AVR_LD_X_DEC: avr_abstract_moving_access(s, i, X, op == AVR_LD_X_DEC, false); break;
    case AVR_LD_Y_INC:
    case AVR_LD_Y_DEC: avr_abstract_moving_access(s, i, Y, op == AVR_LD_Y_DEC, false); break;
    case AVR_LD_Z_INC:
    case AVR_LD_Z_DEC: avr_abstract_moving_access(s, i, Z, op == AVR_LD_Z_DEC, false); break;
    case AVR_ST_X_INC:
    case AVR_ST_X_DEC: avr_abstract_moving_access(s, i, X, op == AVR_ST_X_DEC, true); break;
    case AVR_ST_Y_INC:
    case AVR_ST_Y_DEC: avr_abstract_moving_access(s, i, Y, op == AVR_ST_Y_DEC, true); break;
    case AVR_ST_Z_INC:
    case AVR_ST_Z_DEC: avr_abstract_moving_access(s, i, Z, op == AVR_ST_Z_DEC, true); break;
    case AVR_LPM:
    case AVR_ELPM: avr_abstract_load_code(m, s, i, false); break;
    case AVR_LPM_INC:
    case AVR_ELPM_INC: avr_abstract_load_code(m, s, i, true); break;
    case AVR_PUSH:
        avr_abstract_needs_stack(s, step);
        abstract_store(s, s->sp.n, s->r[i->d]);
        abstract_move_stack(s, -1);
        break;
    case AVR_POP:
        avr_abstract_needs_stack(s, step);
        abstract_move_stack(s, 1);
        s->r[i->d] = abstract_load(s, s->sp.n);
        break;
    default: return false;
    }
    return true;
}

/* ---- arithmetic ---- */

static bool avr_abstract_arithmetic(const struct avr_insn *i, unsigned op, struct abstract_state *s)
{
    struct abstract_value immediate = abstract_number(i->r);
    struct abstract_value *d = &s->r[i->d % 32]; /* other instructions keep masks in i->d */
    switch (op) {
    case AVR_ADD: avr_abstract_add(s, i); break;
    case AVR_ADC: avr_abstract_adc(s, i); break;
    case AVR_LSL: avr_abstract_double(s, i->d); break;
    case AVR_ROL: avr_abstract_double_high(s, i->d); break;
    case AVR_SUB: avr_abstract_sub(s, i->d, s->r[i->r], false); break;
    case AVR_SUBI: avr_abstract_sub(s, i->d, immediate, false); break;
    case AVR_SBC: avr_abstract_sub(s, i->d, s->r[i->r], true); break;
    case AVR_SBCI: avr_abstract_sub(s, i->d, immediate, true); break;
    case AVR_AND: *d = avr_abstract_logic(*d, s->r[i->r], false); break;
    case AVR_ANDI: *d = avr_abstract_logic(*d, immediate, false); break;
    case AVR_OR: *d = avr_abstract_logic(*d, s->r[i->r], true); break;
    case AVR_ORI: *d = avr_abstract_logic(*d, immediate, true); break;
    case AVR_CLR: *d = abstract_number(0); break;
    case AVR_INC:
    case AVR_DEC: avr_abstract_count(d, op == AVR_INC ? 1 : -1); break;
    case AVR_ADIW: avr_abstract_add_word(s, i->d, i->r); break;
    case AVR_SBIW: avr_abstract_add_word(s, i->d, -(int32_t)i->r); break;
    case AVR_MOV: *d = s->r[i->r]; break;
    case AVR_MOVW:
        *d = s->r[i->r];
        s->r[i->d + 1] = s->r[i->r + 1];
        break;
    case AVR_LDI: *d = immediate; break;
    case AVR_CP:
    case AVR_CPC:
    case AVR_CPI: s->carry = unknown; break;
    case AVR_MUL:
    case AVR_MULS:
    case AVR_MULSU:
    case AVR_FMUL:
    case AVR_FMULS:
    case AVR_FMULSU: s->r[0] = s->r[1] = s->carry = unknown; break;
    default:
        if (op < AVR_ADD || op > AVR_BLD)
            return false;
        *d = s->carry = unknown;
    }
    return true;
}

/* ---- flow ---- */

/* Whether a branch or skip on a saved status register's interrupt bit is taken, where that is known. */
static void avr_abstract_decide(const struct abstract_state *s, const struct avr_insn *i, unsigned op,
                                struct abstract_step *step)
{
    uint8_t tested = s->tested;
    bool on_set = op == AVR_BRMI || op == AVR_BRLT || op == AVR_BRNE || op == AVR_SBRS;
    bool on_clear = op == AVR_BRPL || op == AVR_BRGE || op == AVR_BREQ || op == AVR_SBRC;
    if (op == AVR_SBRC || op == AVR_SBRS)
        tested = s->r[i->d].kind == ABSTRACT_STATUS && i->r == SREG_I ? (uint8_t)s->r[i->d].n : 0;
    else if ((op == AVR_BREQ || op == AVR_BRNE) && !s->alone)
        tested = 0;
    if ((on_set || on_clear) && (tested == ABSTRACT_OFF || tested == ABSTRACT_ON))
        step->flow = on_set == (tested == ABSTRACT_ON) ? ABSTRACT_JUMP : ABSTRACT_NEXT;
}

/* An instruction that sets flags by a saved status register: the sign is its interrupt bit. After ANDI with that bit
 * alone, zero says the same. */
static void avr_abstract_test(struct abstract_state *s, const struct avr_insn *i, unsigned op)
{
    bool tests = op == AVR_TST || (op == AVR_ANDI && (i->r & SREG_I));
    bool keeps = op == AVR_NOP || (op >= AVR_IN && op <= AVR_IN_SPH) || op == AVR_MOV || op == AVR_MOVW ||
                 op == AVR_LDI || (op >= AVR_LDS && op <= AVR_PUSH) || op >= AVR_OUT;
    if (tests && s->r[i->d].kind == ABSTRACT_STATUS) {
        s->tested = (uint8_t)s->r[i->d].n;
        s->alone = op == AVR_ANDI && i->r == SREG_I;
    } else if (!keeps || op == AVR_OUT_SREG) {
        s->tested = 0;
    }
}

/* A call or jump to an address in words. */
static void avr_abstract_indirect(struct abstract_value z, bool call, struct abstract_step *step)
{
    step->flow = call ? ABSTRACT_CALL_ANYWHERE : ABSTRACT_JUMP_ANYWHERE;
    if (z.kind == ABSTRACT_NUMBER) {
        step->flow = call ? ABSTRACT_CALL : ABSTRACT_JUMP;
        step->target = 2 * (uint32_t)z.n;
    } else if (!call && z.kind == ABSTRACT_LOADED) {
        step->flow = ABSTRACT_TABLE;
        step->target = (uint32_t)z.n;
    } else if (!call && z.kind == ABSTRACT_INDEX) {
        step->flow = ABSTRACT_JUMPS;
        step->target = 2 * (uint32_t)z.n;
    }
}

static void avr_abstract_call(const struct machine *m, const struct avr_insn *i, uint32_t at, struct abstract_state *s,
                              struct abstract_step *step)
{
    avr_abstract_needs_stack(s, step);
    step->flow = ABSTRACT_CALL;
    step->target = 2 * i->k;
    if (i->k == at / 2 + 1) { /* only makes room on the stack */
        step->flow = ABSTRACT_NEXT;
        for (unsigned k = avr_abstract_return_bytes(m); k > 0; k--) {
            abstract_store(s, s->sp.n, unknown);
            abstract_move_stack(s, -1);
        }
    }
}

/* With something on the stack, a return jumps to an address that was pushed. */
static void avr_abstract_return(const struct machine *m, struct abstract_state *s, struct abstract_step *step)
{
    int32_t at = s->sp.n + (int32_t)avr_abstract_return_bytes(m); /* of the low byte */
    struct abstract_state pushed = {.r = {abstract_load(s, at), abstract_load(s, at - 1)}};
    struct abstract_value v = avr_abstract_pair(&pushed, 0);
    step->flow = ABSTRACT_RETURN;
    if (s->sp.kind != ABSTRACT_FRAME || at > 0 || v.kind == ABSTRACT_UNKNOWN)
        return;
    abstract_move_stack(s, (int32_t)avr_abstract_return_bytes(m));
    avr_abstract_indirect(v, false, step);
}

static bool avr_abstract_flow(const struct machine *m, const struct avr_insn *i, unsigned op, uint32_t at,
                              struct abstract_state *s, struct abstract_step *step)
{
    switch (op) {
    case AVR_RJMP:
    case AVR_RJMP_SELF:
    case AVR_JMP:
        step->flow = ABSTRACT_JUMP;
        step->target = 2 * i->k;
        break;
    case AVR_IJMP:
    case AVR_EIJMP: avr_abstract_indirect(avr_abstract_pair(s, Z), false, step); break;
    case AVR_ICALL:
    case AVR_EICALL:
        avr_abstract_needs_stack(s, step);
        avr_abstract_indirect(avr_abstract_pair(s, Z), true, step);
        break;
    case AVR_RCALL:
    case AVR_CALL: avr_abstract_call(m, i, at, s, step); break;
    case AVR_RET: avr_abstract_return(m, s, step); break;
    case AVR_RETI: step->flow = ABSTRACT_LEAVE; break;
    case AVR_JMP_OUTSIDE:
    case AVR_CALL_OUTSIDE: step->flow = ABSTRACT_END; break;
    case AVR_CPSE:
    case AVR_SBRC:
    case AVR_SBRS:
        step->flow = ABSTRACT_BRANCH;
        step->target = at + 2 + 2 * i->k;
        break;
    case AVR_SBIC:
    case AVR_SBIS:
    case AVR_SBIC_PLAIN:
    case AVR_SBIS_PLAIN:
        step->flow = ABSTRACT_BRANCH;
        step->target = at + 2 + 2u * i->r;
        break;
    default:
        if (op >= AVR_ILLEGAL)
            step->flow = ABSTRACT_END;
        if (op < AVR_BRCS || op > AVR_BRID)
            return op >= AVR_ILLEGAL;
        step->flow = ABSTRACT_BRANCH;
        step->target = 2 * i->k;
    }
    return true;
}

static void avr_abstract_status(const struct machine *m, const struct avr_insn *i, unsigned op,
                                struct abstract_state *s, struct abstract_step *step)
{
    if (op == AVR_SEI)
        s->interrupts = ABSTRACT_ON;
    else if (op == AVR_CLI)
        s->interrupts = ABSTRACT_OFF;
    else if (op == AVR_SEC || op == AVR_CLC)
        s->carry = abstract_number(op == AVR_SEC);
    else if (op >= AVR_IN && op <= AVR_IN_SPH)
        s->r[i->d] = avr_abstract_read_register(s, i->k);
    else if (op >= AVR_OUT && op <= AVR_OUT_SPH)
        avr_abstract_write_register(m, s, i->k, s->r[i->d], step);
}

static void avr_abstract_step(const struct machine *m, uint32_t at, struct abstract_state *s,
                              struct abstract_step *step)
{
    const struct avr_code *code = avr_abstract_code(m);
    *step = (struct abstract_step){.flow = ABSTRACT_END, .size = 2};
    if (at / 2 >= code->words)
        return;
    const struct avr_insn *i = &code->insn[at / 2];
    unsigned op = i->op & ~(unsigned)AVR_MARKS;
    step->flow = ABSTRACT_NEXT;
    step->size = 2 * avr_words((uint16_t)(m->flash[at] | m->flash[at + 1] << 8));
    avr_abstract_test(s, i, op);
    bool flows = avr_abstract_flow(m, i, op, at, s, step);
    if (step->flow == ABSTRACT_BRANCH)
        avr_abstract_decide(s, i, op, step);
    if (!flows && !avr_abstract_memory(m, i, op, s, step) && !avr_abstract_arithmetic(i, op, s))
        avr_abstract_status(m, i, op, s, step);
}

/* ---- entry points ---- */

static bool avr_abstract_vector(const struct machine *m, unsigned line, uint32_t *address)
{
    const struct avr_core *core = m->chip->core;
    *address = 2u * core->vector_words * line;
    return *address < core->vectors && m->flash_known[*address] == FLASH_CODE;
}

static unsigned avr_abstract_interrupt_pushes(const struct machine *m)
{
    return m->chip->isa->return_size(m);
}

static uint32_t avr_abstract_reset_sp(const struct machine *m)
{
    const struct avr_core *core = m->chip->core;
    return core->stack_starts_at_zero ? 0 : m->data_size - 1;
}

static bool avr_abstract_immediate(const struct machine *m, uint32_t at, unsigned *pair, bool *high, uint32_t *value)
{
    const struct avr_insn *i = &avr_abstract_code(m)->insn[at / 2];
    *pair = i->d / 2u;
    *high = i->d & 1;
    *value = i->r;
    return (i->op & ~(unsigned)AVR_MARKS) == AVR_LDI;
}

const struct isa_abstract avr_abstract = {
    .registers = 32,
    .zero = 1,
    .code_alignment = 2,
    .data_alignment = 1,
    .pointer_size = 2,
    .pointer_unit = 2,
    .interrupt_pushes = avr_abstract_interrupt_pushes,
    .step = avr_abstract_step,
    .vector = avr_abstract_vector,
    .reset_sp = avr_abstract_reset_sp,
    .immediate = avr_abstract_immediate,
};
