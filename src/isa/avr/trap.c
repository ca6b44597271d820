#include "isa/avr/trap.h"

#include <stddef.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/isa.h"
#include "node/machine.h"

enum { HOPS = 4 /* jumps between a branch and the call */, BACK = 12 /* words between a branch and its comparison */ };
#define NOWHERE UINT32_MAX

static unsigned avr_trap_op_at(const struct avr_code *code, uint32_t pc)
{
    return code->insn[pc].op & ~(unsigned)AVR_MARKS;
}

static bool avr_trap_is_call(unsigned op)
{
    return op == AVR_CALL || op == AVR_RCALL;
}

static bool avr_trap_is_jump(unsigned op)
{
    return op == AVR_JMP || op == AVR_RJMP;
}

/* The instruction that goes to a trap, when nothing but jumps lies between `pc` and it; NOWHERE if something does. */
static uint32_t trap_behind(const struct avr_code *code, uint32_t pc)
{
    for (unsigned hop = 0; hop < HOPS; hop++) {
        unsigned op = avr_trap_op_at(code, pc);
        if (!avr_trap_is_call(op) && !avr_trap_is_jump(op))
            return NOWHERE;
        uint32_t to = code->insn[pc].k;
        if (code->insn[to].op & AVR_TRAP)
            return pc;
        if (avr_trap_is_call(op))
            return NOWHERE;
        pc = to;
    }
    return NOWHERE;
}

/* ---- branches ---- */

static bool is_branch(unsigned op)
{
    return op >= AVR_BRCS && op <= AVR_BRID;
}

static bool is_skip(unsigned op)
{
    return op >= AVR_CPSE && op <= AVR_SBRS;
}

/* Where a branch or skip goes if its condition holds. */
static uint32_t avr_trap_target_of(const struct avr_code *code, uint32_t pc)
{
    const struct avr_insn *i = &code->insn[pc];
    return is_branch(avr_trap_op_at(code, pc)) ? i->k : pc + 1 + i->k;
}

static bool avr_trap_holds(const struct avr_insn *i, uint8_t sreg, const uint8_t *r)
{
    unsigned op = i->op & ~(unsigned)AVR_MARKS;
    switch (op) {
    case AVR_CPSE: return r[i->d] == r[i->r];
    case AVR_SBRC: return !(r[i->d] & i->r);
    case AVR_SBRS: return r[i->d] & i->r;
    default: return (sreg >> ((op - AVR_BRCS) & 7) & 1) == (op < AVR_BRCC);
    }
}

bool avr_check_fails(const struct avr_code *code, const struct avr_insn *i, uint8_t sreg, const uint8_t *r)
{
    uint32_t pc = (uint32_t)(i - code->insn);
    return trap_behind(code, avr_trap_holds(i, sreg, r) ? avr_trap_target_of(code, pc) : pc + 1) != NOWHERE;
}

/* ---- marks ---- */

/* Only where the firmware that the names are of still is. */
static void avr_trap_mark_entries(const struct machine *m, struct avr_code *code)
{
    for (unsigned i = 0; i < m->trap_count; i++)
        if (memcmp(code->flash + m->traps[i], m->flash + m->traps[i], 2) == 0)
            code->insn[m->traps[i] / 2].op |= AVR_TRAP;
}

static void avr_trap_mark_check(struct avr_code *code, uint32_t pc)
{
    uint32_t held = trap_behind(code, avr_trap_target_of(code, pc)), not_held = trap_behind(code, pc + 1);
    if ((held == NOWHERE) == (not_held == NOWHERE))
        return;
    code->insn[pc].op |= AVR_CHECK;
    struct avr_insn *last = &code->insn[held == NOWHERE ? not_held : held];
    last->r = (uint8_t)(last->r < 255 ? last->r + 1 : 255);
}

static uint16_t avr_trap_word_at(const struct avr_code *code, uint32_t pc)
{
    return (uint16_t)(code->flash[2 * pc] | code->flash[2 * pc + 1] << 8);
}

void avr_traps_mark(const struct machine *m, struct avr_code *code)
{
    if (!m->trap_count)
        return;
    avr_trap_mark_entries(m, code);
    for (uint32_t pc = 0; pc < code->words;) {
        unsigned op = avr_trap_op_at(code, pc);
        if ((is_branch(op) || is_skip(op)) && !(code->insn[pc].op & AVR_TRAP))
            avr_trap_mark_check(code, pc);
        pc += op < AVR_ILLEGAL ? avr_words(avr_trap_word_at(code, pc)) : 1;
    }
}

void avr_traps_lift(struct avr_code *code)
{
    for (uint32_t pc = 0; pc < code->words; pc++) {
        struct avr_insn *i = &code->insn[pc];
        i->op &= (uint16_t) ~(AVR_CHECK | AVR_TRAP);
        if (avr_trap_is_call(avr_trap_op_at(code, pc)) || avr_trap_is_jump(avr_trap_op_at(code, pc)))
            i->r = 0;
    }
}

/* ---- what was compared ---- */

/* A comparison of several bytes, put together from its last instruction, for the highest byte, to its first. */
struct comparison {
    uint8_t left[4], right[4]; /* highest byte first */
    bool differs[4];           /* the left register holds the difference by now */
    uint8_t size;
    bool other;       /* it is something else */
    bool found, lost; /* complete; its registers no longer hold what was compared */
    bool constant;    /* the right one stands in the code */
    uint32_t written; /* registers written between it and the branch */
};

static void compare_byte(struct comparison *c, const uint8_t *r, unsigned d, unsigned right, bool differs)
{
    if (c->size == 4)
        return;
    c->lost |= c->written >> d & 1;
    c->left[c->size] = r[d];
    c->right[c->size] = (uint8_t)right;
    c->differs[c->size++] = differs;
}

/* The numbers that were compared, from the lowest byte up, since a difference has a borrow in it. */
static void put_together(const struct comparison *c, uint32_t *left, uint32_t *right)
{
    unsigned borrow = 0;
    *left = *right = 0;
    for (unsigned i = 0; i < c->size; i++) {
        unsigned at = c->size - 1u - i, taken = c->right[at] + borrow;
        uint8_t byte = (uint8_t)(c->left[at] + (c->differs[at] ? taken : 0));
        borrow = byte < taken;
        *left |= (uint32_t)byte << 8 * i;
        *right |= (uint32_t)c->right[at] << 8 * i;
    }
}

static void look_back(struct comparison *c, const struct avr_insn *i, unsigned op, const uint8_t *r)
{
    switch (op) {
    case AVR_SBC:
    case AVR_SUB:
    case AVR_CPC:
    case AVR_CP:
        c->lost |= c->written >> i->r & 1;
        compare_byte(c, r, i->d, r[i->r], op == AVR_SBC || op == AVR_SUB);
        c->found = op == AVR_CP || op == AVR_SUB;
        break;
    case AVR_SBCI:
    case AVR_SUBI:
    case AVR_CPI:
        compare_byte(c, r, i->d, i->r, op != AVR_CPI);
        c->constant = true;
        c->found = op != AVR_SBCI;
        break;
    case AVR_SBIW:
        compare_byte(c, r, i->d + 1u, 0, true);
        compare_byte(c, r, i->d, i->r, true);
        c->constant = c->found = true;
        break;
    case AVR_TST:
        compare_byte(c, r, i->d, 0, false);
        c->found = true;
        break;
    case AVR_OR: /* one byte of the value is gone, but whether it was zero is what counts */
        c->lost = c->found = true;
        break;
    case AVR_LDI:
    case AVR_MOV: c->written |= UINT32_C(1) << i->d; break;
    case AVR_MOVW: c->written |= UINT32_C(3) << i->d; break;
    default: c->other = true;
    }
}

static bool find_comparison(const struct avr_code *code, uint32_t branch, const uint8_t *r, struct comparison *c)
{
    *c = (struct comparison){0};
    for (uint32_t back = 1; back <= BACK && back < branch && !c->found && !c->other; back++) {
        uint32_t pc = branch - back;
        if (avr_words(avr_trap_word_at(code, pc - 1)) == 1) /* else it is a second word */
            look_back(c, &code->insn[pc], avr_trap_op_at(code, pc), r);
    }
    return c->found;
}

/* Bits of SREG that branches ask for. */
enum { BIT_C = 0, BIT_Z = 1, BIT_V = 3, BIT_S = 4 };

static void avr_trap_understand(const struct node *n, const struct avr_code *code, uint32_t pc, struct trap *t)
{
    const struct avr_insn *i = &code->insn[pc];
    unsigned op = avr_trap_op_at(code, pc), bit = (op - AVR_BRCS) & 7;
    bool set = trap_behind(code, avr_trap_target_of(code, pc)) != NOWHERE; /* the trap is where the condition holds */
    struct comparison c;
    if (op == AVR_CPSE)
        trap_matched(t, n->data[i->d], n->data[i->r], 1, set);
    if (!is_branch(op))
        return;
    set ^= op >= AVR_BRCC;
    bool known = find_comparison(code, pc, n->data, &c);
    uint32_t left, right;
    put_together(&c, &left, &right);
    uint8_t size = c.lost ? 0 : c.size;
    if (bit == BIT_V)
        t->test = TRAP_TEST_OVERFLOW;
    else if ((bit == BIT_C || bit == BIT_S) && known)
        trap_compared(t, left, right, c.constant && set ? 0 : size, set);
    else if (bit == BIT_C || bit == BIT_S)
        t->test = TRAP_TEST_RANGE;
    else if (bit == BIT_Z && known)
        trap_matched(t, left, right, size, set);
}

/* ---- the trap ---- */

/* The call whose return address lies at the top of the stack, if it is one of the trap. */
static uint32_t call_on_stack(const struct node *n, const struct avr_code *code, uint32_t entry, uint32_t sp)
{
    uint32_t back = n->machine->chip->isa->return_address(n, sp + 1);
    if (back == UINT32_MAX)
        return NOWHERE;
    uint32_t pc = back / 2;
    if (avr_trap_op_at(code, pc - 2) == AVR_CALL && code->insn[pc - 2].k == entry)
        return pc - 2;
    bool here = avr_trap_op_at(code, pc - 1) == AVR_RCALL && code->insn[pc - 1].k == entry;
    return here || avr_trap_op_at(code, pc - 1) == AVR_ICALL || avr_trap_op_at(code, pc - 1) == AVR_EICALL ? pc - 1
                                                                                                           : NOWHERE;
}

bool avr_trap(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    const struct avr_code *code = n->code;
    const struct avr_core *core = n->machine->chip->core;
    uint32_t sp = n->machine->chip->isa->sp(n), from = cpu->check, call;
    struct trap t = {.entry = 2 * cpu->pc, .call = TRAP_NOWHERE, .from = TRAP_NOWHERE};
    cpu->check = 0;
    if (from) {
        t.from = 2 * from;
        call = trap_behind(code, avr_trap_target_of(code, from));
        call = call != NOWHERE ? call : trap_behind(code, from + 1);
        avr_trap_understand(n, code, from, &t);
    } else {
        call = call_on_stack(n, code, cpu->pc, sp);
    }
    if (call != NOWHERE) {
        t.call = 2 * call;
        t.after = t.call + 2 * avr_words(avr_trap_word_at(code, call));
        t.shared = code->insn[call].r > 1;
        sp += avr_trap_is_jump(avr_trap_op_at(code, call)) ? 0 : core->pc_bytes;
    }
    return node_trap(n, &t, sp);
}
