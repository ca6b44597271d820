#include <assert.h>
#include <stddef.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "isa/avr/memory.h"
#include "node/machine.h"

/* Encodings are those of the AVR Instruction Set Manual (Atmel-0856); comments give the bit patterns. */

unsigned avr_words(uint16_t o)
{
    bool lds_sts = (o & 0xfc0f) == 0x9000;  /* 1001 00xd dddd 0000 */
    bool jmp_call = (o & 0xfe0c) == 0x940c; /* 1001 010k kkkk 11xk */
    return lds_sts || jmp_call ? 2 : 1;
}

static struct avr_insn avr_decode_make(unsigned op, unsigned d, unsigned r, uint32_t k)
{
    return (struct avr_insn){.op = (uint16_t)op, .d = (uint8_t)d, .r = (uint8_t)r, .k = k};
}

static struct avr_insn illegal(uint16_t o)
{
    return avr_decode_make(AVR_ILLEGAL, 0, 0, o);
}

/* Whether the chip's core has all these instructions (AVR_HAS_...). */
static bool avr_decode_has(const struct machine *m, unsigned instructions)
{
    const struct avr_core *core = m->chip->core;
    return (core->instructions & instructions) == instructions;
}

/* ---- register to register, register and immediate ---- */

static struct avr_insn decode_two_registers(uint16_t o)
{
    /* xxxx xxrd dddd rrrr */
    unsigned d = (o >> 4) & 31, r = (o & 15) | ((o >> 5) & 16);
    bool same = d == r;
    switch (o >> 10) {
    case 0x01: return avr_decode_make(AVR_CPC, d, r, 0);
    case 0x02: return avr_decode_make(AVR_SBC, d, r, 0);
    case 0x03: return avr_decode_make(same ? AVR_LSL : AVR_ADD, d, r, 0);
    case 0x04: return avr_decode_make(AVR_CPSE, d, r, 0);
    case 0x05: return avr_decode_make(AVR_CP, d, r, 0);
    case 0x06: return avr_decode_make(AVR_SUB, d, r, 0);
    case 0x07: return avr_decode_make(same ? AVR_ROL : AVR_ADC, d, r, 0);
    case 0x08: return avr_decode_make(same ? AVR_TST : AVR_AND, d, r, 0);
    case 0x09: return avr_decode_make(same ? AVR_CLR : AVR_EOR, d, r, 0);
    case 0x0a: return avr_decode_make(AVR_OR, d, r, 0);
    case 0x0b: return avr_decode_make(AVR_MOV, d, r, 0);
    default: return illegal(o);
    }
}

static struct avr_insn decode_moves_and_multiplies(const struct machine *m, uint16_t o)
{
    unsigned d = (o >> 4) & 15, r = o & 15;
    if (o < 0x100)
        return o == 0 ? avr_decode_make(AVR_NOP, 0, 0, 0) : illegal(o);
    if (!avr_decode_has(m, o < 0x200 ? AVR_HAS_MOVW : AVR_HAS_MUL))
        return illegal(o);
    if (o < 0x200)
        return avr_decode_make(AVR_MOVW, 2 * d, 2 * r, 0);
    if (o < 0x300)
        return avr_decode_make(AVR_MULS, 16 + d, 16 + r, 0);
    static const uint16_t fractional[4] = {AVR_MULSU, AVR_FMUL, AVR_FMULS, AVR_FMULSU};
    return avr_decode_make(fractional[((o >> 6) & 2) | ((o >> 3) & 1)], 16 + (d & 7), 16 + (r & 7), 0);
}

static struct avr_insn decode_immediate(uint16_t o)
{
    /* xxxx KKKK dddd KKKK */
    unsigned d = 16 + ((o >> 4) & 15), k = (o & 15) | ((o >> 4) & 0xf0);
    switch (o >> 12) {
    case 0x3: return avr_decode_make(AVR_CPI, d, k, 0);
    case 0x4: return avr_decode_make(AVR_SBCI, d, k, 0);
    case 0x5: return avr_decode_make(AVR_SUBI, d, k, 0);
    case 0x6: return avr_decode_make(AVR_ORI, d, k, 0);
    case 0x7: return avr_decode_make(AVR_ANDI, d, k, 0);
    default: return avr_decode_make(AVR_LDI, d, k, 0);
    }
}

/* ---- memory ---- */

static struct avr_insn decode_displacement(uint16_t o)
{
    /* 10q0 qqsd dddd yqqq */
    unsigned d = (o >> 4) & 31, q = (o & 7) | ((o >> 7) & 0x18) | ((o >> 8) & 0x20);
    bool store = o & 0x200, y = o & 8;
    return avr_decode_make(store ? (y ? AVR_STD_Y : AVR_STD_Z) : (y ? AVR_LDD_Y : AVR_LDD_Z), d, q, 0);
}

static struct avr_insn decode_load(const struct machine *m, uint16_t o, uint16_t next)
{
    /* 1001 000d dddd xxxx */
    static const uint16_t ops[16] = {
        AVR_LDS, AVR_LD_Z_INC, AVR_LD_Z_DEC, 0, AVR_LPM,  AVR_LPM_INC,  AVR_ELPM,     AVR_ELPM_INC,
        0,       AVR_LD_Y_INC, AVR_LD_Y_DEC, 0, AVR_LD_X, AVR_LD_X_INC, AVR_LD_X_DEC, AVR_POP,
    };
    unsigned d = (o >> 4) & 31, op = ops[o & 15], needs = 0;
    if (op == AVR_LPM || op == AVR_LPM_INC)
        needs = AVR_HAS_LPM;
    else if (op == AVR_ELPM || op == AVR_ELPM_INC)
        needs = AVR_HAS_ELPM;
    return op && avr_decode_has(m, needs) ? avr_decode_make(op, d, 0, next) : illegal(o);
}

static struct avr_insn decode_store(uint16_t o, uint16_t next)
{
    /* 1001 001d dddd xxxx */
    static const uint16_t ops[16] = {
        AVR_STS,  AVR_ST_Z_INC, AVR_ST_Z_DEC, 0,        0, 0, 0, 0, 0, AVR_ST_Y_INC, AVR_ST_Y_DEC, 0,
        AVR_ST_X, AVR_ST_X_INC, AVR_ST_X_DEC, AVR_PUSH,
    };
    unsigned d = (o >> 4) & 31;
    return ops[o & 15] ? avr_decode_make(ops[o & 15], d, 0, next) : illegal(o);
}

/* ---- 1001 010x: one register, flags, jumps and the rest ---- */

static struct avr_insn decode_no_operand(const struct machine *m, uint16_t o)
{
    if ((o & 0xff0f) == 0x9408) { /* BSET, BCLR: 1001 0100 csss 1000 */
        unsigned s = (o >> 4) & 7;
        return avr_decode_make((o & 0x80 ? AVR_CLC : AVR_SEC) + s, 0, 0, 0);
    }
    switch (o) {
    case 0x9508: return avr_decode_make(AVR_RET, 0, 0, 0);
    case 0x9518: return avr_decode_make(AVR_RETI, 0, 0, 0);
    case 0x9588: return avr_decode_make(AVR_SLEEP, 0, 0, 0);
    case 0x9598: return avr_decode_make(AVR_BREAK, 0, 0, 0);
    case 0x95a8: return avr_decode_make(AVR_WDR, 0, 0, 0);
    case 0x95c8: return avr_decode_make(AVR_LPM, 0, 0, 0);
    case 0x95d8: return avr_decode_has(m, AVR_HAS_ELPM) ? avr_decode_make(AVR_ELPM, 0, 0, 0) : illegal(o);
    case 0x95e8: return avr_decode_has(m, AVR_HAS_SPM) ? avr_decode_make(AVR_SPM, 0, 0, 0) : illegal(o);
    case 0x9409: return avr_decode_make(AVR_IJMP, 0, 0, 0);
    case 0x9509: return avr_decode_make(AVR_ICALL, 0, 0, 0);
    case 0x9419: return avr_decode_has(m, AVR_HAS_EIJMP) ? avr_decode_make(AVR_EIJMP, 0, 0, 0) : illegal(o);
    case 0x9519: return avr_decode_has(m, AVR_HAS_EIJMP) ? avr_decode_make(AVR_EICALL, 0, 0, 0) : illegal(o);
    default: return illegal(o);
    }
}

static struct avr_insn decode_one_operand(const struct machine *m, uint32_t words, uint16_t o, uint16_t next)
{
    unsigned d = (o >> 4) & 31;
    switch (o & 15) {
    case 0x0: return avr_decode_make(AVR_COM, d, 0, 0);
    case 0x1: return avr_decode_make(AVR_NEG, d, 0, 0);
    case 0x2: return avr_decode_make(AVR_SWAP, d, 0, 0);
    case 0x3: return avr_decode_make(AVR_INC, d, 0, 0);
    case 0x5: return avr_decode_make(AVR_ASR, d, 0, 0);
    case 0x6: return avr_decode_make(AVR_LSR, d, 0, 0);
    case 0x7: return avr_decode_make(AVR_ROR, d, 0, 0);
    case 0x8:
    case 0x9: return decode_no_operand(m, o);
    case 0xa: return avr_decode_make(AVR_DEC, d, 0, 0);
    case 0xc:
    case 0xd:
    case 0xe:
    case 0xf: {
        /* 1001 010k kkkk 11ck: the high bits of a 22-bit word address */
        uint32_t k = (((uint32_t)((o >> 3) & 0x3e) | (o & 1)) << 16) | next;
        if (!avr_decode_has(m, AVR_HAS_JMP))
            return illegal(o);
        if (o & 2)
            return avr_decode_make(k < words ? AVR_CALL : AVR_CALL_OUTSIDE, 0, 0, k);
        return avr_decode_make(k < words ? AVR_JMP : AVR_JMP_OUTSIDE, 0, 0, k);
    }
    default: return illegal(o);
    }
}

/* ---- I/O ---- */

static bool avr_decode_plain_read(const struct machine *m, unsigned address)
{
    return !(m->registers[address].mode & WIRE_READ);
}

static bool plain_write(const struct machine *m, unsigned address, uint8_t bits)
{
    const struct machine_register *r = &m->registers[address];
    return !(r->mode & (WIRE_WRITE | WIRE_STORE)) && (r->writable & bits) == bits;
}

static struct avr_insn decode_in_out(const struct machine *m, uint16_t o)
{
    /* 1011 sAAd dddd AAAA */
    unsigned d = (o >> 4) & 31, a = 0x20 + ((o & 15) | ((o >> 5) & 0x30));
    bool out = o & 0x800;
    if (a == AVR_SREG)
        return avr_decode_make(out ? AVR_OUT_SREG : AVR_IN_SREG, d, 0, a);
    if (a == AVR_SPL)
        return avr_decode_make(out ? AVR_OUT_SPL : AVR_IN_SPL, d, 0, a);
    if (a == AVR_SPH && !avr_short_stack_pointer(m))
        return avr_decode_make(out ? AVR_OUT_SPH : AVR_IN_SPH, d, 0, a);
    if (out && plain_write(m, a, m->log ? 0xff : 0)) /* a log knows of whole bytes */
        return avr_decode_make(AVR_OUT_PLAIN, d, m->registers[a].writable, a);
    if (out)
        return avr_decode_make(AVR_OUT, d, 0, a);
    return avr_decode_make(avr_decode_plain_read(m, a) ? AVR_IN_PLAIN : AVR_IN, d, 0, a);
}

static struct avr_insn decode_io_bit(const struct machine *m, uint16_t o)
{
    /* 1001 10xx AAAA Abbb */
    unsigned mask = 1u << (o & 7), a = 0x20 + ((o >> 3) & 31);
    bool read = avr_decode_plain_read(m, a), write = read && plain_write(m, a, 0xff);
    switch ((o >> 8) & 3) {
    case 0: return avr_decode_make(write ? AVR_CBI_PLAIN : AVR_CBI, mask, 0, a);
    case 1: return avr_decode_make(read ? AVR_SBIC_PLAIN : AVR_SBIC, mask, 0, a);
    case 2: return avr_decode_make(write ? AVR_SBI_PLAIN : AVR_SBI, mask, 0, a);
    default: return avr_decode_make(read ? AVR_SBIS_PLAIN : AVR_SBIS, mask, 0, a);
    }
}

/* ---- 1001 xxxx ---- */

static struct avr_insn decode_nine(const struct machine *m, uint32_t words, uint16_t o, uint16_t next)
{
    unsigned k = (o & 15) | ((o >> 2) & 0x30);
    switch ((o >> 8) & 15) {
    case 0x0:
    case 0x1: return decode_load(m, o, next);
    case 0x2:
    case 0x3: return decode_store(o, next);
    case 0x4:
    case 0x5: return decode_one_operand(m, words, o, next);
    case 0x6: return avr_decode_make(AVR_ADIW, 24 + ((o >> 3) & 6), k, 0);
    case 0x7: return avr_decode_make(AVR_SBIW, 24 + ((o >> 3) & 6), k, 0);
    case 0x8:
    case 0x9:
    case 0xa:
    case 0xb: return decode_io_bit(m, o);
    default:
        if (!avr_decode_has(m, AVR_HAS_MUL))
            return illegal(o);
        return avr_decode_make(AVR_MUL, (o >> 4) & 31, (o & 15) | ((o >> 5) & 16), 0);
    }
}

/* ---- 11xx xxxx: relative jumps, branches, bits of registers ---- */

static struct avr_insn decode_relative(uint32_t words, uint32_t pc, uint16_t o)
{
    int32_t offset = (o & 0x7ff) - (o & 0x800);
    uint32_t target = (pc + 1 + (uint32_t)offset) & (words - 1); /* wraps around flash */
    if (o & 0x1000)
        return avr_decode_make(AVR_RCALL, 0, 0, target);
    return avr_decode_make(target == pc ? AVR_RJMP_SELF : AVR_RJMP, 0, 0, target);
}

static struct avr_insn decode_branch_or_bit(uint32_t words, uint32_t pc, uint16_t o)
{
    unsigned d = (o >> 4) & 31, bit = o & 7;
    switch ((o >> 9) & 7) {
    case 4: return o & 8 ? illegal(o) : avr_decode_make(AVR_BLD, d, bit, 0);
    case 5: return o & 8 ? illegal(o) : avr_decode_make(AVR_BST, d, bit, 0);
    case 6: return o & 8 ? illegal(o) : avr_decode_make(AVR_SBRC, d, 1u << bit, 0);
    case 7: return o & 8 ? illegal(o) : avr_decode_make(AVR_SBRS, d, 1u << bit, 0);
    default: break;
    }
    /* 1111 0ckk kkkk ksss */
    int32_t offset = ((o >> 3) & 0x3f) - ((o >> 3) & 0x40);
    uint32_t target = (pc + 1 + (uint32_t)offset) & (words - 1);
    return avr_decode_make((o & 0x400 ? AVR_BRCC : AVR_BRCS) + (o & 7), 0, 0, target);
}

static struct avr_insn decode_word(const struct machine *m, uint32_t words, uint32_t pc, uint16_t o, uint16_t next)
{
    switch (o >> 12) {
    case 0x0: return o < 0x0400 ? decode_moves_and_multiplies(m, o) : decode_two_registers(o);
    case 0x1:
    case 0x2: return decode_two_registers(o);
    case 0x3:
    case 0x4:
    case 0x5:
    case 0x6:
    case 0x7:
    case 0xe: return decode_immediate(o);
    case 0x8:
    case 0xa: return decode_displacement(o);
    case 0x9: return decode_nine(m, words, o, next);
    case 0xb: return decode_in_out(m, o);
    case 0xc:
    case 0xd: return decode_relative(words, pc, o);
    default: return decode_branch_or_bit(words, pc, o);
    }
}

static uint16_t avr_decode_word_at(const struct avr_code *code, uint32_t pc)
{
    pc &= code->words - 1;
    return (uint16_t)(code->flash[2 * pc] | code->flash[2 * pc + 1] << 8);
}

/* A skip goes over one word or two, depending on the next instruction. */
static void set_skip(const struct avr_code *code, uint32_t pc, struct avr_insn *i)
{
    uint32_t skipped = avr_words(avr_decode_word_at(code, pc + 1));
    switch (i->op) {
    case AVR_CPSE:
    case AVR_SBRC:
    case AVR_SBRS: i->k = skipped; break;
    case AVR_SBIC:
    case AVR_SBIS:
    case AVR_SBIC_PLAIN:
    case AVR_SBIS_PLAIN: i->r = (uint8_t)skipped; break;
    default: break;
    }
}

/* ---- how the stack pointer moves ---- */

/* What an instruction makes of a register. */
enum making { KEPT, COPIED, CHANGED, FROM_SP, FROM_ELSEWHERE };

static enum making making_of(const struct avr_insn *i, unsigned reg)
{
    bool same = i->d == reg, in_pair = (i->d & ~1u) == (reg & ~1u);
    if (i->op == AVR_IN_SPL || i->op == AVR_IN_SPH)
        return same ? FROM_SP : KEPT;
    if (i->op >= AVR_ADD && i->op <= AVR_BLD)
        return same ? CHANGED : KEPT;
    if (i->op == AVR_ADIW || i->op == AVR_SBIW)
        return in_pair ? CHANGED : KEPT;
    if (i->op == AVR_MOV || i->op == AVR_MOVW)
        return same || (i->op == AVR_MOVW && in_pair) ? COPIED : KEPT;
    bool loads = (i->op >= AVR_IN && i->op <= AVR_IN_SREG) || (i->op >= AVR_LDI && i->op <= AVR_ELPM_INC);
    bool multiplies = i->op >= AVR_MUL && i->op <= AVR_FMULSU;
    bool leaves = (i->op >= AVR_RJMP && i->op <= AVR_RETI) || i->op >= AVR_ILLEGAL;
    return (loads && same) || (multiplies && reg < 2) || leaves ? FROM_ELSEWHERE : KEPT;
}

/* Whether OUT writes to SP what the code in front of it has made from SP: compilers keep the two close together. */
static bool makes_frame(const struct avr_code *code, uint32_t pc)
{
    unsigned reg = code->insn[pc].d;
    for (uint32_t back = 1; back <= AVR_CODE_LOOK_BACK && back <= pc; back++) {
        uint32_t at = pc - back;
        if (at > 0 && avr_words(avr_decode_word_at(code, at - 1)) == 2)
            continue; /* a second word */
        const struct avr_insn *i = &code->insn[at];
        switch (making_of(i, reg)) {
        case KEPT:
        case CHANGED: break;
        case COPIED: reg = i->op == AVR_MOV ? i->r : i->r + (reg & 1u); break;
        case FROM_SP: return true;
        case FROM_ELSEWHERE: return false;
        }
    }
    return false;
}

void avr_decode_range(const struct machine *m, struct avr_code *code, const uint8_t *known, uint32_t first,
                      uint32_t last)
{
    for (uint32_t pc = first; pc < last; pc++) {
        uint16_t o = avr_decode_word_at(code, pc);
        struct avr_insn i = decode_word(m, code->words, pc, o, avr_decode_word_at(code, pc + 1));
        set_skip(code, pc, &i);
        if (i.op == AVR_STS && m->heap_break && i.k - m->heap_break < 2)
            i.op = AVR_STS_HEAP;
        if (known[2 * pc] == FLASH_ERASED)
            i = avr_decode_make(AVR_ERASED, 0, 0, o);
        else if (known[2 * pc] == FLASH_DATA)
            i = avr_decode_make(AVR_DATA, 0, 0, o);
        code->insn[pc] = i;
        if (i.op == AVR_OUT_SPL || i.op == AVR_OUT_SPH)
            code->insn[pc].r = makes_frame(code, pc);
    }
    for (uint32_t past = 0; past < AVR_CODE_PAST; past++)
        code->insn[code->words + past] = avr_decode_make(AVR_OUTSIDE, 0, 0, 0);
}
