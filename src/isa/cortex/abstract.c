#include "isa/cortex/abstract.h"

#include <string.h>

#include "chip/chip.h"
#include "image/image.h"
#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "node/machine.h"

/* Special registers, by their numbers in MSR and MRS (ARM DDI 0403E, B5.1.1). */
enum { SYSTEM_MSP = 8, SYSTEM_PSP = 9, SYSTEM_PRIMASK = 16, SYSTEM_CONTROL = 20 };

/* Bytes that an exception puts on the stack, with the word that aligns it; with the floating-point registers. */
enum { FRAME_BYTES = 36, FLOAT_BYTES = 72 };

static const struct abstract_value unknown;

static bool cortex_abstract_is_code(const struct machine *m, uint32_t at)
{
    return at < m->code_size && m->flash_known[at] == FLASH_CODE;
}

static uint16_t cortex_abstract_half(const struct machine *m, uint32_t at)
{
    return at + 2 <= m->code_size ? (uint16_t)(m->flash[at] | m->flash[at + 1] << 8) : 0xffff;
}

static uint32_t cortex_abstract_word(const struct machine *m, uint32_t at)
{
    return cortex_abstract_half(m, at) | (uint32_t)cortex_abstract_half(m, at + 2) << 16;
}

static struct cortex_insn cortex_abstract_decode(const struct machine *m, uint32_t at, unsigned it)
{
    struct cortex_insn i = cortex_decode(at, cortex_abstract_half(m, at), cortex_abstract_half(m, at + 2), it);
    i.op &= (uint16_t)~CORTEX_BITS;
    return i;
}

/* ---- registers and the stack ---- */

static struct abstract_value cortex_abstract_get(const struct abstract_state *s, unsigned reg)
{
    return reg == CORTEX_SP ? s->sp : s->r[reg];
}

static void cortex_abstract_set(struct abstract_state *s, unsigned reg, struct abstract_value v,
                                struct abstract_step *step)
{
    if (reg != CORTEX_SP)
        s->r[reg] = v;
    else if (v.kind == ABSTRACT_NUMBER || v.kind == ABSTRACT_FRAME)
        s->sp = v;
    else
        step->lost = true;
}

static struct abstract_value cortex_abstract_plus(struct abstract_value v, uint32_t n)
{
    if (v.kind != ABSTRACT_NUMBER && v.kind != ABSTRACT_FRAME)
        return unknown;
    v.n = (int32_t)((uint32_t)v.n + n);
    return v;
}

/* A value that is added to another or taken from it. */
static struct abstract_value cortex_abstract_sum(struct abstract_value a, struct abstract_value b, bool minus)
{
    if (b.kind == ABSTRACT_NUMBER)
        return cortex_abstract_plus(a, minus ? 0u - (uint32_t)b.n : (uint32_t)b.n);
    return a.kind == ABSTRACT_NUMBER && !minus ? cortex_abstract_plus(b, (uint32_t)a.n) : unknown;
}

/* Whether an address is of the stack that `sp` counts in. */
static bool cortex_abstract_on_stack(const struct abstract_state *s, struct abstract_value address)
{
    return address.kind == s->sp.kind && address.kind != ABSTRACT_UNKNOWN;
}

static struct abstract_value cortex_abstract_load(const struct abstract_state *s, struct abstract_value address)
{
    return cortex_abstract_on_stack(s, address) ? abstract_load(s, address.n) : unknown;
}

static void cortex_abstract_store(struct abstract_state *s, struct abstract_value address, struct abstract_value v,
                                  bool whole)
{
    if (cortex_abstract_on_stack(s, address))
        abstract_store(s, whole ? address.n : address.n & ~3, whole ? v : unknown);
}

/* ---- where instructions lead ---- */

/* To what a register or a word of the stack holds: back to the caller, as long as it is not known to be another. */
static void cortex_abstract_go(struct abstract_value v, struct abstract_step *step)
{
    step->flow = ABSTRACT_JUMP_ANYWHERE;
    if (v.kind == ABSTRACT_NUMBER) {
        step->flow = ABSTRACT_JUMP;
        step->target = (uint32_t)v.n & ~1u;
    } else if (v.kind == ABSTRACT_ENTRY && v.n == CORTEX_LR) {
        step->flow = ABSTRACT_RETURN;
    } else if (v.kind == ABSTRACT_LOADED) {
        step->flow = ABSTRACT_TABLE;
        step->target = (uint32_t)v.n;
    }
}

/* Out of memory: what was pushed there may have been lost by a long frame, and then was the return address. */
static void cortex_abstract_go_loaded(struct abstract_value v, struct abstract_step *step)
{
    if (v.kind == ABSTRACT_UNKNOWN)
        step->flow = ABSTRACT_RETURN;
    else
        cortex_abstract_go(v, step);
}

/* Jumps on whether a saved PRIMASK is zero, which means that interrupts are on, go one way where that is known. */
static void cortex_abstract_branch(uint8_t tested, bool if_zero, uint32_t target, struct abstract_step *step)
{
    bool known = tested == ABSTRACT_OFF || tested == ABSTRACT_ON;
    step->target = target;
    step->flow = ABSTRACT_BRANCH;
    if (known)
        step->flow = if_zero == (tested == ABSTRACT_ON) ? ABSTRACT_JUMP : ABSTRACT_NEXT;
}

static uint8_t cortex_abstract_status(struct abstract_value v)
{
    return v.kind == ABSTRACT_STATUS ? (uint8_t)v.n : 0;
}

static void cortex_abstract_table(const struct cortex_insn *i, uint32_t at, struct abstract_step *step)
{
    step->flow = i->n == CORTEX_PC ? ABSTRACT_DISTANCES : ABSTRACT_JUMP_ANYWHERE;
    step->target = at + 4;
    step->distance =
        (struct abstract_distance){.size = i->op == CORTEX_TBH ? 2 : 1, .unit = 2, .is_signed = false, .from = at + 4};
}

/* Routines of libgcc for the Cortex-M0, which return to a distance out of a table after the call. */
static bool cortex_abstract_case(const struct machine *m, uint32_t target, uint32_t after, struct abstract_step *step)
{
    static const struct {
        const char *name;
        uint8_t size, unit;
        bool is_signed;
    } routines[] = {{"__gnu_thumb1_case_uqi", 1, 2, false},
                    {"__gnu_thumb1_case_sqi", 1, 2, true},
                    {"__gnu_thumb1_case_uhi", 2, 2, false},
                    {"__gnu_thumb1_case_shi", 2, 2, true},
                    {"__gnu_thumb1_case_si", 4, 1, true}};
    const struct image_symbol *s = image_symbol_at(m->image, target);
    if (!s || s->address != target || strncmp(s->name, "__gnu_thumb1_case", 17) != 0)
        return false;
    for (size_t k = 0; k < sizeof routines / sizeof routines[0]; k++)
        if (strcmp(s->name, routines[k].name) == 0) {
            step->flow = ABSTRACT_DISTANCES;
            step->target = routines[k].size == 4 ? (after + 3) & ~3u : after;
            step->distance =
                (struct abstract_distance){routines[k].size, routines[k].unit, routines[k].is_signed, step->target};
        }
    return step->flow == ABSTRACT_DISTANCES;
}

static void cortex_abstract_call(const struct machine *m, uint32_t target, struct abstract_state *s, uint32_t at,
                                 struct abstract_step *step)
{
    if (cortex_abstract_case(m, target, at + step->size, step))
        return;
    s->r[CORTEX_LR] = unknown;
    step->flow = ABSTRACT_CALL;
    step->target = target;
}

static void cortex_abstract_call_register(const struct cortex_insn *i, struct abstract_state *s,
                                          struct abstract_step *step)
{
    struct abstract_value v = cortex_abstract_get(s, i->m);
    s->r[CORTEX_LR] = unknown;
    step->flow = v.kind == ABSTRACT_NUMBER ? ABSTRACT_CALL : ABSTRACT_CALL_ANYWHERE;
    step->target = (uint32_t)v.n & ~1u;
}

static bool cortex_abstract_flow(const struct machine *m, const struct cortex_insn *i, uint32_t at,
                                 struct abstract_state *s, struct abstract_step *step)
{
    switch (i->op) {
    case CORTEX_BEQ:
    case CORTEX_BNE: cortex_abstract_branch(s->tested, i->op == CORTEX_BEQ, i->imm, step); return true;
    case CORTEX_CBZ:
    case CORTEX_CBNZ:
        cortex_abstract_branch(cortex_abstract_status(s->r[i->n]), i->op == CORTEX_CBZ, i->imm, step);
        return true;
    case CORTEX_B:
    case CORTEX_B_SELF:
        step->flow = ABSTRACT_JUMP;
        step->target = i->imm;
        return true;
    case CORTEX_BL: cortex_abstract_call(m, i->imm, s, at, step); return true;
    case CORTEX_BLX: cortex_abstract_call_register(i, s, step); return true;
    case CORTEX_BX:
    case CORTEX_MOV_PC: cortex_abstract_go(cortex_abstract_get(s, i->m), step); return true;
    case CORTEX_ADD_PC: step->flow = ABSTRACT_JUMP_ANYWHERE; return true;
    case CORTEX_TBB:
    case CORTEX_TBH: cortex_abstract_table(i, at, step); return true;
    case CORTEX_ERASED:
    case CORTEX_UNDEFINED:
    case CORTEX_BKPT: step->flow = ABSTRACT_END; return true;
    default: break;
    }
    if (i->op < CORTEX_BCS || i->op > CORTEX_BLE)
        return false;
    step->flow = ABSTRACT_BRANCH;
    step->target = i->imm;
    return true;
}

/* ---- memory ---- */

/* The address of a load or store with a number, and what write-back leaves in the base. */
static struct abstract_value cortex_abstract_address(const struct cortex_insn *i, struct abstract_state *s,
                                                     bool indexed, bool write_back, struct abstract_step *step)
{
    struct abstract_value base = cortex_abstract_get(s, i->n), moved = cortex_abstract_plus(base, i->imm);
    if (write_back)
        cortex_abstract_set(s, i->n, moved, step);
    return indexed ? moved : base;
}

/* LDM and STM, PUSH and POP. */
static void cortex_abstract_multiple(const struct cortex_insn *i, struct abstract_state *s, struct abstract_step *step)
{
    bool load = i->op == CORTEX_LDM, before = i->x & CORTEX_INDEX; /* below the base */
    uint32_t bytes = 4 * (uint32_t)__builtin_popcount(i->imm);
    struct abstract_value base = cortex_abstract_get(s, i->n), at = cortex_abstract_plus(base, before ? 0u - bytes : 0);
    struct abstract_value target = unknown;
    if (i->x & CORTEX_WRITE_BACK)
        cortex_abstract_set(s, i->n, cortex_abstract_plus(base, before ? 0u - bytes : bytes), step);
    for (unsigned reg = 0; reg < 16; reg++) {
        if (!(i->imm >> reg & 1))
            continue;
        if (!load)
            cortex_abstract_store(s, at, reg == i->n ? unknown : s->r[reg], true);
        else if (reg == CORTEX_PC)
            target = cortex_abstract_load(s, at);
        else
            cortex_abstract_set(s, reg, cortex_abstract_load(s, at), step);
        at = cortex_abstract_plus(at, 4);
    }
    if (load && i->imm >> CORTEX_PC & 1)
        cortex_abstract_go_loaded(target, step);
}

static void cortex_abstract_double(const struct cortex_insn *i, struct abstract_state *s, struct abstract_step *step)
{
    bool load = i->op == CORTEX_LDRD;
    if (i->x & CORTEX_LITERAL) {
        s->r[i->d] = s->r[i->m] = unknown;
        return;
    }
    struct abstract_value at = cortex_abstract_address(i, s, i->x & CORTEX_INDEX, i->x & CORTEX_WRITE_BACK, step);
    struct abstract_value next = cortex_abstract_plus(at, 4);
    if (load) {
        struct abstract_value first = cortex_abstract_load(s, at);
        cortex_abstract_set(s, i->m, cortex_abstract_load(s, next), step);
        cortex_abstract_set(s, i->d, first, step);
    } else {
        cortex_abstract_store(s, at, cortex_abstract_get(s, i->d), true);
        cortex_abstract_store(s, next, cortex_abstract_get(s, i->m), true);
    }
}

/* A load into PC: a return, a table of addresses, or a constant. */
static void cortex_abstract_load_pc(const struct machine *m, const struct cortex_insn *i, struct abstract_state *s,
                                    struct abstract_step *step)
{
    if (i->x & CORTEX_LITERAL) {
        cortex_abstract_go(abstract_number((int32_t)cortex_abstract_word(m, i->imm)), step);
    } else if (i->x & CORTEX_SHIFTED) {
        struct abstract_value base = cortex_abstract_get(s, i->n);
        bool table = base.kind == ABSTRACT_NUMBER && (uint32_t)base.n < m->code_size;
        step->flow = table ? ABSTRACT_TABLE : ABSTRACT_JUMP_ANYWHERE;
        step->target = (uint32_t)base.n;
    } else {
        struct abstract_value at = cortex_abstract_address(i, s, i->x & CORTEX_INDEX, i->x & CORTEX_WRITE_BACK, step);
        if (cortex_abstract_on_stack(s, at))
            cortex_abstract_go_loaded(abstract_load(s, at.n), step);
        else
            step->flow = ABSTRACT_JUMP_ANYWHERE;
    }
}

/* A load through a register plus another: an entry of a table of addresses, if one of the two is known. */
static struct abstract_value cortex_abstract_entry(const struct machine *m, const struct cortex_insn *i,
                                                   const struct abstract_state *s)
{
    struct abstract_value base = cortex_abstract_get(s, i->n);
    if (base.kind == ABSTRACT_NUMBER && cortex_abstract_is_code(m, (uint32_t)base.n))
        return (struct abstract_value){.kind = ABSTRACT_LOADED, .n = base.n};
    return unknown;
}

static bool cortex_abstract_memory(const struct machine *m, const struct cortex_insn *i, struct abstract_state *s,
                                   struct abstract_step *step)
{
    switch (i->op) {
    case CORTEX_LDR_L: s->r[i->d] = abstract_number((int32_t)cortex_abstract_word(m, i->imm)); return true;
    case CORTEX_LDR_I:
    case CORTEX_LDR_W: {
        bool back = i->op == CORTEX_LDR_W;
        struct abstract_value at = cortex_abstract_address(i, s, !back || i->x & CORTEX_INDEX, back, step);
        cortex_abstract_set(s, i->d, cortex_abstract_load(s, at), step);
        return true;
    }
    case CORTEX_LDR_R: cortex_abstract_set(s, i->d, cortex_abstract_entry(m, i, s), step); return true;
    case CORTEX_STR_I:
    case CORTEX_STRB_I:
    case CORTEX_STRH_I:
    case CORTEX_STR_W:
    case CORTEX_STRB_W:
    case CORTEX_STRH_W: {
        bool back = i->op == CORTEX_STR_W || i->op == CORTEX_STRB_W || i->op == CORTEX_STRH_W;
        struct abstract_value v = cortex_abstract_get(s, i->d);
        struct abstract_value at = cortex_abstract_address(i, s, !back || i->x & CORTEX_INDEX, back, step);
        cortex_abstract_store(s, at, v, i->op == CORTEX_STR_I || i->op == CORTEX_STR_W);
        return true;
    }
    case CORTEX_STR_R:
    case CORTEX_STRB_R:
    case CORTEX_STRH_R: return true;
    case CORTEX_LDRB_W:
    case CORTEX_LDRH_W:
    case CORTEX_LDRSB_W:
    case CORTEX_LDRSH_W:
        cortex_abstract_address(i, s, true, true, step);
        cortex_abstract_set(s, i->d, unknown, step);
        return true;
    case CORTEX_LDR_PC: cortex_abstract_load_pc(m, i, s, step); return true;
    case CORTEX_LDRD:
    case CORTEX_STRD: cortex_abstract_double(i, s, step); return true;
    case CORTEX_LDM:
    case CORTEX_STM: cortex_abstract_multiple(i, s, step); return true;
    case CORTEX_LDREX: s->r[i->m] = unknown; return true;
    default: return false;
    }
}

/* ---- special registers and floating point ---- */

static void cortex_abstract_write_special(struct abstract_state *s, unsigned number, struct abstract_value v,
                                          struct abstract_step *step)
{
    if (number == SYSTEM_MSP || number == SYSTEM_PSP || number == SYSTEM_CONTROL)
        step->lost |= !(v.kind == ABSTRACT_NUMBER && number == SYSTEM_MSP && v.n == s->sp.n);
    if (number != SYSTEM_PRIMASK)
        return;
    if (v.kind == ABSTRACT_STATUS)
        s->interrupts = (uint8_t)v.n;
    else if (v.kind == ABSTRACT_NUMBER)
        s->interrupts = v.n & 1 ? ABSTRACT_OFF : ABSTRACT_ON;
    else
        s->interrupts = ABSTRACT_OFF | ABSTRACT_ON;
}

/* CPS, MSR and MRS. */
static void cortex_abstract_system(uint32_t w, struct abstract_state *s, struct abstract_step *step)
{
    enum { CPS_OFF = 0x10, CPS_PRIMASK = 2 };
    if (w <= 0xffff) {
        if (w & CPS_PRIMASK)
            s->interrupts = w & CPS_OFF ? ABSTRACT_OFF : ABSTRACT_ON;
    } else if ((w & 0xffe00000) == 0xf3800000) {
        cortex_abstract_write_special(s, w & 0xff, cortex_abstract_get(s, w >> 16 & 15), step);
    } else if ((w & 0xffe00000) == 0xf3e00000) {
        bool status = (w & 0xff) == SYSTEM_PRIMASK;
        cortex_abstract_set(s, w >> 8 & 15,
                            status ? (struct abstract_value){.kind = ABSTRACT_STATUS, .n = s->interrupts} : unknown,
                            step);
    }
}

/* VPUSH and VPOP move the stack pointer; others may write the registers in their fields. */
static void cortex_abstract_float(uint32_t w, struct abstract_state *s, struct abstract_step *step)
{
    int32_t bytes = 4 * (int32_t)(w & 0xff);
    bool push = (w & 0xffbf0e00) == 0xed2d0a00, pop = (w & 0xffbf0e00) == 0xecbd0a00;
    if (push || pop) {
        abstract_move_stack(s, push ? -bytes : bytes);
        for (int32_t k = 0; push && k < bytes; k += 4)
            abstract_store(s, s->sp.n + k, unknown);
        return;
    }
    bool moves = (w & 0xfe200000) == 0xec200000; /* VLDM and VSTM with write-back */
    unsigned base = w >> 16 & 15, other = w >> 12 & 15;
    if (base == CORTEX_SP)
        step->lost |= moves;
    else if (base < CORTEX_PC)
        s->r[base] = unknown;
    if (other != CORTEX_SP && other < CORTEX_PC)
        s->r[other] = unknown;
}

/* ---- arithmetic ---- */

static struct abstract_value cortex_abstract_result(const struct cortex_insn *i, const struct abstract_state *s)
{
    struct abstract_value old = cortex_abstract_get(s, i->d);
    switch (i->op) {
    case CORTEX_MOV_I:
    case CORTEX_MOV_IF: return abstract_number((int32_t)i->imm);
    case CORTEX_MVN_I:
    case CORTEX_MVN_IF: return abstract_number((int32_t)~i->imm);
    case CORTEX_MOV_R:
    case CORTEX_MOV_RF: return cortex_abstract_get(s, i->m);
    case CORTEX_MOVT:
        return old.kind == ABSTRACT_NUMBER ? abstract_number((int32_t)((uint32_t)old.n % 0x10000 | i->imm << 16))
                                           : unknown;
    case CORTEX_ADD_I:
    case CORTEX_ADD_IF: return cortex_abstract_plus(cortex_abstract_get(s, i->n), i->imm);
    case CORTEX_FRAME:
    case CORTEX_SUB_I:
    case CORTEX_SUB_IF: return cortex_abstract_plus(cortex_abstract_get(s, i->n), 0u - i->imm);
    case CORTEX_ADD_R:
    case CORTEX_ADD_RF: return cortex_abstract_sum(cortex_abstract_get(s, i->n), cortex_abstract_get(s, i->m), false);
    case CORTEX_SUB_R:
    case CORTEX_SUB_RF: return cortex_abstract_sum(cortex_abstract_get(s, i->n), cortex_abstract_get(s, i->m), true);
    default: return unknown;
    }
}

/* Everything that only computes: it has one result, or two. */
static void cortex_abstract_compute(const struct cortex_insn *i, struct abstract_state *s, struct abstract_step *step)
{
    bool shares_flags = i->op >= CORTEX_TST_I && i->op <= CORTEX_CMN_S;
    s->tested = 0;
    if (shares_flags) {
        bool zero = i->op == CORTEX_CMP_I && i->imm == 0, bit = i->op == CORTEX_TST_I && i->imm & 1;
        if (zero || bit)
            s->tested = cortex_abstract_status(cortex_abstract_get(s, i->n));
        return;
    }
    if (i->op == CORTEX_UMULL || i->op == CORTEX_SMULL || i->op == CORTEX_UMLAL || i->op == CORTEX_SMLAL ||
        i->op == CORTEX_RARE) {
        unsigned low = i->op == CORTEX_RARE ? i->imm >> 12 & 15 : i->x;
        if (low < CORTEX_SP || low == CORTEX_LR)
            s->r[low] = unknown;
    }
    unsigned d = i->op == CORTEX_RARE ? i->imm >> 8 & 15 : i->d;
    if (d < CORTEX_PC)
        cortex_abstract_set(s, d, cortex_abstract_result(i, s), step);
}

static bool cortex_abstract_does_nothing(unsigned op)
{
    return op == CORTEX_NOP || op == CORTEX_SVC || op == CORTEX_WFI || op == CORTEX_WFE || op == CORTEX_SEV ||
           op == CORTEX_IT;
}

static void cortex_abstract_one(const struct machine *m, const struct cortex_insn *i, uint32_t at,
                                struct abstract_state *s, struct abstract_step *step)
{
    step->flow = ABSTRACT_NEXT;
    step->size = 2u * i->length;
    if (cortex_abstract_flow(m, i, at, s, step) || cortex_abstract_memory(m, i, s, step) ||
        cortex_abstract_does_nothing(i->op))
        return;
    if (i->op == CORTEX_SYSTEM)
        cortex_abstract_system(i->imm, s, step);
    else if (i->op == CORTEX_FLOAT)
        cortex_abstract_float(i->imm, s, step);
    else
        cortex_abstract_compute(i, s, step);
}

/* ---- IT ---- */

static void cortex_abstract_block(const struct machine *m, uint32_t at, unsigned it, struct abstract_state *s,
                                  struct abstract_step *step)
{
    uint32_t next = at + 2;
    step->flow = ABSTRACT_NEXT;
    while (it) {
        struct cortex_insn i = cortex_abstract_decode(m, next, it);
        struct abstract_state done = *s;
        struct abstract_step one = {0};
        bool mixed = false;
        cortex_abstract_one(m, &i, next, &done, &one);
        if (one.flow != ABSTRACT_NEXT) {
            step->flow = ABSTRACT_BRANCH;
            step->target = next;
        } else {
            step->lost |= one.lost;
            abstract_join(s, &done, &mixed);
        }
        next += one.size;
        it = cortex_it_next(it);
    }
    step->size = next - at;
}

static void cortex_abstract_step(const struct machine *m, uint32_t at, struct abstract_state *s,
                                 struct abstract_step *step)
{
    bool in_ram = at - m->ram->first < m->ram->size;
    *step = (struct abstract_step){.flow = in_ram ? ABSTRACT_JUMP_ANYWHERE : ABSTRACT_END, .size = 2};
    if (!cortex_abstract_is_code(m, at))
        return;
    struct cortex_insn i = cortex_abstract_decode(m, at, 0);
    if (i.op == CORTEX_IT)
        cortex_abstract_block(m, at, i.imm & 0xff, s, step);
    else
        cortex_abstract_one(m, &i, at, s, step);
}

/* ---- entry points ---- */

static uint32_t cortex_abstract_vectors(const struct machine *m)
{
    const struct cortex_core *core = m->chip->core;
    return core->boot ? cortex_abstract_word(m, core->boot) : 0;
}

/* Bytes of vectors: of the table, if the file says how long it is, which may differ from what the chip has lines for.
 */
static uint32_t cortex_abstract_vectors_size(const struct machine *m)
{
    const struct cortex_core *core = m->chip->core;
    uint32_t first = cortex_abstract_vectors(m);
    const struct image_symbol *table = image_symbol_at(m->image, first);
    bool known = table && table->address == first && table->kind == IMAGE_SYMBOL_OBJECT && table->size;
    return known ? table->size : 4 * (CORTEX_EXTERNAL + core->external);
}

static bool cortex_abstract_is_vector(const struct machine *m, uint32_t at)
{
    return at - cortex_abstract_vectors(m) < cortex_abstract_vectors_size(m);
}

static bool cortex_abstract_vector(const struct machine *m, unsigned line, uint32_t *address)
{
    const struct cortex_core *core = m->chip->core;
    if (line < CORTEX_RESET || line >= CORTEX_EXTERNAL + core->external || 4 * line >= cortex_abstract_vectors_size(m))
        return false;
    uint32_t vector = cortex_abstract_word(m, cortex_abstract_vectors(m) + 4 * line);
    *address = vector & ~1u;
    return vector & 1 && cortex_abstract_is_code(m, *address);
}

static uint32_t cortex_abstract_reset_sp(const struct machine *m)
{
    return cortex_abstract_word(m, cortex_abstract_vectors(m));
}

/* Firmware that has no instruction for the floating-point unit has no frames with its registers. */
static unsigned cortex_abstract_interrupt_pushes(const struct machine *m)
{
    const struct cortex_core *core = m->chip->core;
    for (uint32_t at = 0, data; core->fpu && at + 4 <= m->code_size;) {
        struct cortex_insn i = cortex_abstract_decode(m, at, 0);
        if (!cortex_abstract_is_code(m, at))
            at += 2;
        else if ((data = image_data_end(m->image, at)))
            at = data;
        else if (i.op == CORTEX_FLOAT)
            return FRAME_BYTES + FLOAT_BYTES;
        else
            at += 2u * i.length;
    }
    return FRAME_BYTES;
}

/* MOVT, whose lower half is in the instruction before it; what LDR loads is data between instructions. */
static bool cortex_abstract_immediate(const struct machine *m, uint32_t at, unsigned *pair, bool *high, uint32_t *value)
{
    struct cortex_insn i = cortex_abstract_decode(m, at, 0), before = {0};
    *pair = ABSTRACT_NO_PAIR;
    *high = false;
    if (i.op == CORTEX_LDR_L) {
        *value = cortex_abstract_word(m, i.imm);
        return true;
    }
    if (at >= 4)
        before = cortex_abstract_decode(m, at - 4, 0);
    *value = before.imm | i.imm << 16;
    return i.op == CORTEX_MOVT && before.op == CORTEX_MOV_I && before.d == i.d;
}

static bool cortex_abstract_always(unsigned line)
{
    return line == CORTEX_NMI || line == CORTEX_HARD_FAULT;
}

const struct isa_abstract cortex_abstract = {
    .registers = 15,
    .zero = -1,
    .code_alignment = 2,
    .data_alignment = 4,
    .nests = true,
    .interrupt_pushes = cortex_abstract_interrupt_pushes,
    .pointer_size = 4,
    .pointer_unit = 1,
    .pointer_bits = 1,
    .is_vector = cortex_abstract_is_vector,
    .step = cortex_abstract_step,
    .vector = cortex_abstract_vector,
    .reset_line = CORTEX_RESET,
    .reset_sp = cortex_abstract_reset_sp,
    .immediate = cortex_abstract_immediate,
    .always = cortex_abstract_always,
};
