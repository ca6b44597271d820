#include "isa/msp430/wait.h"

#include "isa/msp430/msp430.h"
#include "node/machine.h"
#include "node/map.h"

enum { MOV = 4, ADD, ADDC, SUBC, SUB, CMP, DADD, BIT, BIC, BIS, XOR, AND };

/* ---- marks ---- */

static bool msp430_wait_jumps(unsigned op)
{
    return op >= MSP430_JNE && op <= MSP430_JMP;
}

/* Instructions of two operands that write no memory, and leave PC, SP and SR alone. */
static bool msp430_wait_computes(const struct msp430_parts *p)
{
    unsigned what = p->opcode >> 12;
    bool compares = what == CMP || what == BIT;
    if (what < MOV || what == DADD || p->from == MSP430_SOURCE_P)
        return false;
    return compares || (p->to == MSP430_TO_R && p->d > MSP430_CG);
}

static bool msp430_wait_follows(const struct msp430_code *code, uint32_t pc)
{
    unsigned op = code->insn[pc / 2].op & ~(unsigned)(MSP430_WAIT | MSP430_HOT);
    if (op == MSP430_NOP || op == MSP430_STATUS || msp430_wait_jumps(op))
        return true;
    struct msp430_parts p = msp430_take_apart(code, pc);
    return op < MSP430_RRC_W && msp430_wait_computes(&p);
}

static uint32_t msp430_wait_after(const struct msp430_code *code, uint32_t pc)
{
    return pc + msp430_length((uint16_t)(code->memory[pc] | code->memory[pc + 1] << 8));
}

static bool msp430_wait_may_be(const struct msp430_code *code, uint32_t head, uint32_t jump)
{
    for (uint32_t pc = head; pc < jump; pc = msp430_wait_after(code, pc))
        if (!msp430_wait_follows(code, pc))
            return false;
    return true;
}

void msp430_waits_mark(struct msp430_code *code)
{
    if (wait_is_off())
        return;
    for (uint32_t pc = 0; pc < 0x10000; pc += 2) {
        struct msp430_insn *i = &code->insn[pc / 2];
        i->op &= (uint16_t)~MSP430_WAIT;
        if (msp430_wait_jumps(i->op) && i->sx < pc && pc - i->sx <= 2 * WAIT_WORDS &&
            msp430_wait_may_be(code, i->sx, pc))
            i->op |= MSP430_WAIT;
    }
}

/* ---- one round on affine numbers ---- */

enum { FLAG_C, FLAG_Z, FLAG_N, FLAG_LESS, FLAGS }; /* the last: N xor V, which JL and JGE ask for */

struct msp430_wait_flag {
    enum affine_test test;
    bool known, inverted;
    struct affine a, b;
};

/* A register is the last word of an affine number of two or four bytes; one that does not change has two. */
struct msp430_wait {
    const struct node *n;
    const struct msp430_code *code;
    struct affine head[16], reg[16];
    struct msp430_wait_flag flags[FLAGS];
    struct affine a, b; /* words that were added or subtracted one after the other, with the carry of each */
    bool chained, adds;
    uint32_t used, written;
    int64_t expected;
    struct wait_round round;
    enum wait_found found;
};

static void msp430_wait_fail(struct msp430_wait *w, enum wait_found why)
{
    if (w->found == WAIT_FOUND)
        w->found = why;
}

static void msp430_wait_lasts(struct msp430_wait *w, uint64_t rounds)
{
    if (rounds < w->round.same)
        w->round.same = rounds;
}

/* The word in which a number ends. */
static struct affine msp430_wait_word(struct affine a)
{
    return a.step == 0 ? affine_of(a.at >> 8 * (a.width - 2), 0, 2) : a;
}

static struct affine msp430_wait_get(struct msp430_wait *w, unsigned r)
{
    if (!(w->written >> r & 1))
        w->used |= 1u << r;
    return w->reg[r];
}

static void msp430_wait_set(struct msp430_wait *w, unsigned r, struct affine a)
{
    w->written |= 1u << r;
    w->reg[r] = msp430_wait_word(a);
}

/* The number that begins with an operand, as wide as the instruction. */
static struct affine msp430_wait_lowest(struct msp430_wait *w, struct affine a, unsigned width)
{
    if (a.width == 4)
        msp430_wait_fail(w, WAIT_NEVER);
    return affine_of(a.at, a.step, width);
}

/* A number of two bytes and the word after it. A constant can follow it as long as it does not pass its end. */
static struct affine msp430_wait_longer(struct msp430_wait *w, struct affine low, struct affine high)
{
    if (high.step == 0 && high.width == 2) {
        msp430_wait_lasts(w, affine_runs(low));
        return affine_of(low.at | high.at << 16, low.step, 4);
    }
    if (high.width != 4 || !affine_same(affine_of(high.at, high.step, 2), low))
        msp430_wait_fail(w, WAIT_NEVER);
    return high;
}

static int64_t msp430_wait_constant(struct msp430_wait *w, struct affine a, unsigned width)
{
    if (a.step)
        msp430_wait_fail(w, WAIT_NEVER);
    return affine_of(a.at, 0, width).at;
}

static void msp430_wait_flag(struct msp430_wait *w, unsigned flag, enum affine_test test, struct affine a,
                             struct affine b)
{
    w->flags[flag] = (struct msp430_wait_flag){.test = test, .known = true, .a = a, .b = b};
}

/* A result of a width is written to a register: the upper byte of one of a byte is zero. */
static void msp430_wait_result(struct msp430_wait *w, unsigned r, struct affine a)
{
    if (a.width == 1) {
        msp430_wait_lasts(w, affine_runs(a));
        a = affine_of(a.at, a.step, 2);
    }
    msp430_wait_set(w, r, a);
}

/* ---- arithmetic ---- */

/* Flags of a - b. C is set where nothing was borrowed. */
static void msp430_wait_compare(struct msp430_wait *w, struct affine a, struct affine b, struct affine result)
{
    msp430_wait_flag(w, FLAG_C, AFFINE_BELOW, a, b);
    w->flags[FLAG_C].inverted = true;
    msp430_wait_flag(w, FLAG_Z, AFFINE_EQUAL, a, b);
    msp430_wait_flag(w, FLAG_N, AFFINE_LESS, result, affine_of(0, 0, result.width));
    msp430_wait_flag(w, FLAG_LESS, AFFINE_LESS, a, b);
}

/* Adding a number that is not zero and does not change is subtracting its opposite, in its flags too, but for the one
 * that has no opposite. */
static void msp430_wait_flag_sum(struct msp430_wait *w, struct affine a, struct affine b, struct affine result)
{
    struct affine opposite = affine_of(-b.at, 0, b.width);
    if (b.step == 0 && b.at != 0 && opposite.at != b.at) {
        msp430_wait_compare(w, a, opposite, result);
        return;
    }
    struct affine zero = affine_of(0, 0, result.width);
    w->flags[FLAG_C].known = w->flags[FLAG_LESS].known = false;
    msp430_wait_flag(w, FLAG_Z, AFFINE_EQUAL, result, zero);
    msp430_wait_flag(w, FLAG_N, AFFINE_LESS, result, zero);
}

static struct affine msp430_wait_arithmetic(struct msp430_wait *w, unsigned what, struct affine to, struct affine by,
                                            unsigned width)
{
    bool adds = what == ADD || what == ADDC, carries = what == ADDC || what == SUBC;
    if (carries && (!w->chained || w->adds != adds || width != 2 || w->a.width != 2))
        msp430_wait_fail(w, WAIT_NEVER);
    if (w->found != WAIT_FOUND)
        return to;
    w->a = carries ? msp430_wait_longer(w, w->a, to) : msp430_wait_lowest(w, to, width);
    w->b = carries ? msp430_wait_longer(w, w->b, by) : msp430_wait_lowest(w, by, width);
    w->chained = true;
    w->adds = adds;
    if (w->found != WAIT_FOUND)
        return to;
    struct affine result = adds ? affine_of(w->a.at + w->b.at, w->a.step + w->b.step, w->a.width)
                                : affine_of(w->a.at - w->b.at, w->a.step - w->b.step, w->a.width);
    if (adds)
        msp430_wait_flag_sum(w, w->a, w->b, result);
    else
        msp430_wait_compare(w, w->a, w->b, result);
    if (carries) /* Z and N are those of the last word */
        w->flags[FLAG_Z].known = false;
    return result;
}

/* Bits of constants. */
static struct affine msp430_wait_bits(struct msp430_wait *w, unsigned what, struct affine to, struct affine by,
                                      unsigned width)
{
    int64_t d = msp430_wait_constant(w, to, width), s = msp430_wait_constant(w, by, width);
    int64_t all = what == BIS ? d | s : what == BIC ? d & ~s : what == XOR ? d ^ s : d & s;
    struct affine result = affine_of(all, 0, width), zero = affine_of(0, 0, width);
    if (what == BIC || what == BIS)
        return result;
    w->chained = false;
    msp430_wait_flag(w, FLAG_Z, AFFINE_EQUAL, result, zero);
    msp430_wait_flag(w, FLAG_C, AFFINE_EQUAL, result, zero);
    w->flags[FLAG_C].inverted = true;
    msp430_wait_flag(w, FLAG_N, AFFINE_LESS, result, zero);
    msp430_wait_flag(w, FLAG_LESS, AFFINE_LESS, result, zero);
    w->flags[FLAG_LESS].known = what != XOR;
    return result;
}

/* ---- reads ---- */

static struct affine msp430_wait_kept(const struct node *n, uint32_t place, unsigned width)
{
    return affine_of(n->data[place] | (width == 2 ? n->data[place + 1] << 8 : 0), 0, width);
}

static struct affine msp430_wait_read(struct msp430_wait *w, uint32_t address, unsigned width, int64_t offset)
{
    const struct node *n = w->n;
    struct affine none = affine_of(0, 0, width);
    struct outlook o;
    address &= 0xffff;
    if (width == 2 && address & 1) {
        msp430_wait_fail(w, WAIT_NEVER);
        return none;
    }
    uint8_t page = n->page[address >> PAGE_BITS];
    if (page == PAGE_PLAIN)
        return msp430_wait_kept(n, address, width);
    uint32_t place = page == PAGE_REGISTERS ? map_place(n->machine, address) : MAP_NOWHERE;
    if (place >= n->machine->register_size) {
        msp430_wait_fail(w, WAIT_NEVER);
        return none;
    }
    bool whole = width == 1 || n->machine->registers[place].mode & WIRE_WORD || !n->machine->registers[place].mode;
    if (!whole || !wait_register(n, place, &o)) {
        msp430_wait_fail(w, whole ? WAIT_LATER : WAIT_NEVER);
        return none;
    }
    uint64_t ends = wait_cycles_to(n, o.until);
    w->round.ends = ends < w->round.ends ? ends : w->round.ends;
    if (o.kind == OUTLOOK_SAME)
        return msp430_wait_kept(n, place, width);
    if (o.kind == OUTLOOK_COUNTS && width == 2)
        return affine_of((int64_t)o.value + w->round.cycles + offset, w->expected, 2);
    msp430_wait_fail(w, WAIT_NEVER);
    return none;
}

/* An operand; `offset` is the cycle of the instruction in which memory is read. */
static struct affine msp430_wait_source(struct msp430_wait *w, const struct msp430_parts *p, unsigned width)
{
    switch (p->from) {
    case MSP430_SOURCE_R: return msp430_wait_get(w, p->s);
    case MSP430_SOURCE_C:
    case MSP430_SOURCE_N: return affine_of(p->sx, 0, 2);
    case MSP430_SOURCE_A: return msp430_wait_read(w, p->sx, width, 2);
    case MSP430_SOURCE_X:
        return msp430_wait_read(w, (uint32_t)msp430_wait_constant(w, msp430_wait_get(w, p->s), 2) + p->sx, width, 2);
    case MSP430_SOURCE_D:
        return msp430_wait_read(w, (uint32_t)msp430_wait_constant(w, msp430_wait_get(w, p->s), 2), width, 1);
    default: msp430_wait_fail(w, WAIT_NEVER); return affine_of(0, 0, 2);
    }
}

static struct affine msp430_wait_target(struct msp430_wait *w, const struct msp430_parts *p, unsigned width,
                                        int64_t offset)
{
    if (p->to == MSP430_TO_R)
        return msp430_wait_get(w, p->d);
    if (p->to == MSP430_TO_A)
        return msp430_wait_read(w, p->dx, width, offset);
    return msp430_wait_read(w, (uint32_t)msp430_wait_constant(w, msp430_wait_get(w, p->d), 2) + p->dx, width, offset);
}

/* ---- instructions ---- */

/* SLAU049, table 3-16. */
static int64_t msp430_wait_cycles(const struct msp430_parts *p)
{
    static const uint8_t source[] = {
        [MSP430_SOURCE_R] = 0, [MSP430_SOURCE_C] = 0, [MSP430_SOURCE_N] = 1, [MSP430_SOURCE_X] = 2,
        [MSP430_SOURCE_A] = 2, [MSP430_SOURCE_D] = 1, [MSP430_SOURCE_P] = 1};
    return 1 + source[p->from] + (p->to == MSP430_TO_R ? 0 : 3);
}

static void msp430_wait_compute(struct msp430_wait *w, const struct msp430_parts *p)
{
    unsigned what = p->opcode >> 12, width = p->byte ? 1 : 2;
    int64_t cycles = msp430_wait_cycles(p);
    struct affine by = msp430_wait_source(w, p, width), result = by;
    if (what != MOV) {
        struct affine to = msp430_wait_target(w, p, width, cycles - 2);
        result =
            what >= BIT ? msp430_wait_bits(w, what, to, by, width) : msp430_wait_arithmetic(w, what, to, by, width);
    } else if (width == 1) {
        result = msp430_wait_lowest(w, by, 1);
    }
    if (w->found == WAIT_FOUND && what != CMP && what != BIT)
        msp430_wait_result(w, p->d, result);
    w->round.cycles += cycles;
}

/* A test decides which way a round goes; it does so for so many rounds. */
static bool msp430_wait_flag_set(struct msp430_wait *w, unsigned flag)
{
    const struct msp430_wait_flag *f = &w->flags[flag];
    if (!f->known) {
        msp430_wait_fail(w, WAIT_NEVER);
        return false;
    }
    msp430_wait_lasts(w, affine_lasts(f->test, f->a, f->b));
    return affine_holds(f->test, f->a, f->b) != f->inverted;
}

static bool msp430_wait_taken(struct msp430_wait *w, unsigned op)
{
    switch (op) {
    case MSP430_JNE: return !msp430_wait_flag_set(w, FLAG_Z);
    case MSP430_JEQ: return msp430_wait_flag_set(w, FLAG_Z);
    case MSP430_JNC: return !msp430_wait_flag_set(w, FLAG_C);
    case MSP430_JC: return msp430_wait_flag_set(w, FLAG_C);
    case MSP430_JN: return msp430_wait_flag_set(w, FLAG_N);
    case MSP430_JGE: return !msp430_wait_flag_set(w, FLAG_LESS);
    case MSP430_JL: return msp430_wait_flag_set(w, FLAG_LESS);
    default: return true;
    }
}

/* `mov sr, rd`, of which compilers make comparisons. */
static void msp430_wait_status(struct msp430_wait *w, unsigned d)
{
    enum { ALL = MSP430_C | MSP430_Z | MSP430_N | MSP430_V };
    unsigned sr = ((const struct msp430_cpu *)w->n->cpu)->r[MSP430_SR] & ~(unsigned)ALL;
    bool negative = msp430_wait_flag_set(w, FLAG_N), less = msp430_wait_flag_set(w, FLAG_LESS);
    sr |= msp430_wait_flag_set(w, FLAG_C) ? MSP430_C : 0u;
    sr |= msp430_wait_flag_set(w, FLAG_Z) ? MSP430_Z : 0u;
    sr |= (negative ? MSP430_N : 0u) | (negative != less ? MSP430_V : 0u);
    msp430_wait_set(w, d, affine_of(sr, 0, 2));
    w->round.cycles++;
}

static uint32_t msp430_wait_follow(struct msp430_wait *w, uint32_t pc)
{
    const struct msp430_insn *i = &w->code->insn[pc / 2];
    unsigned op = i->op & ~(unsigned)(MSP430_WAIT | MSP430_HOT);
    w->round.instructions++;
    if (!msp430_wait_follows(w->code, pc)) { /* it is marked, or something else */
        msp430_wait_fail(w, WAIT_NEVER);
        return pc;
    }
    if (msp430_wait_jumps(op)) {
        w->round.cycles += 2;
        return msp430_wait_taken(w, op) ? i->sx : pc + 2;
    }
    if (op == MSP430_NOP) {
        w->round.cycles++;
        return pc + 2;
    }
    if (op == MSP430_STATUS) {
        msp430_wait_status(w, i->d);
        return pc + 2;
    }
    struct msp430_parts p = msp430_take_apart(w->code, pc);
    msp430_wait_compute(w, &p);
    return pc + p.length;
}

/* One round, from the jump to the jump, with what is supposed of the registers at its head. */
static void msp430_wait_trace(struct msp430_wait *w, uint32_t jump)
{
    const struct msp430_insn *j = &w->code->insn[jump / 2];
    w->used = w->written = 0;
    w->chained = false;
    w->round = (struct wait_round){.cycles = 2, .instructions = 1, .same = UINT64_MAX, .ends = NEVER};
    for (unsigned r = 0; r < 16; r++)
        w->reg[r] = w->head[r];
    for (unsigned f = 0; f < FLAGS; f++)
        w->flags[f].known = false;
    uint32_t pc = j->sx;
    for (unsigned step = 0; pc != jump && w->found == WAIT_FOUND; step++) {
        if (step == WAIT_STEPS)
            msp430_wait_fail(w, WAIT_LATER);
        else
            pc = msp430_wait_follow(w, pc & 0xfffe);
    }
    if (w->found == WAIT_FOUND && !msp430_wait_taken(w, j->op & ~(unsigned)MSP430_WAIT))
        msp430_wait_fail(w, WAIT_LATER);
}

/* Whether what was supposed at the head holds at the next one. If not, supposes what the round showed. */
static bool msp430_wait_agrees(struct msp430_wait *w, const uint16_t *r)
{
    bool agrees = w->expected == w->round.cycles;
    w->expected = w->round.cycles;
    for (uint32_t live = w->used & w->written; live; live &= live - 1) {
        unsigned reg = (unsigned)__builtin_ctz(live);
        struct affine was = w->head[reg], is = w->reg[reg];
        if (affine_same(affine_of(was.at + was.step, was.step, was.width), is))
            continue;
        agrees = false;
        if (is.step == 0 && was.width == 2)
            w->head[reg] = affine_of(was.at, is.at - was.at, 2);
        else
            w->head[reg] = msp430_wait_word(affine_of(is.at - is.step, is.step, is.width));
        if ((w->head[reg].at >> 8 * (w->head[reg].width - 2)) != r[reg])
            msp430_wait_fail(w, WAIT_LATER);
    }
    return agrees;
}

static void msp430_wait_find(struct msp430_wait *w, uint32_t jump, int64_t expected)
{
    const uint16_t *r = ((const struct msp430_cpu *)w->n->cpu)->r;
    w->expected = expected;
    for (unsigned i = 0; i < 16; i++)
        w->head[i] = affine_of(r[i], 0, 2);
    for (unsigned attempt = 0; attempt < WAIT_TRACES; attempt++) {
        msp430_wait_trace(w, jump);
        if (w->found != WAIT_FOUND || msp430_wait_agrees(w, r))
            return;
        if (w->found != WAIT_FOUND)
            return;
    }
    w->found = WAIT_LATER;
}

/* Whether the jump that closes the loop goes back this time. */
static bool msp430_wait_goes_back(const struct msp430_insn *i, unsigned sr)
{
    bool less = !(sr & MSP430_N) != !(sr & MSP430_V);
    switch (i->op & ~(unsigned)MSP430_MARKS) {
    case MSP430_JNE: return !(sr & MSP430_Z);
    case MSP430_JEQ: return sr & MSP430_Z;
    case MSP430_JNC: return !(sr & MSP430_C);
    case MSP430_JC: return sr & MSP430_C;
    case MSP430_JN: return sr & MSP430_N;
    case MSP430_JGE: return !less;
    case MSP430_JL: return less;
    default: return true;
    }
}

int64_t msp430_wait_pass(struct node *n, const struct slice *slice, int64_t left, uint32_t pc, struct wait_spin *spin)
{
    struct msp430_cpu *cpu = n->cpu;
    struct msp430_wait w = {.n = n, .code = n->code, .found = WAIT_FOUND};
    if (n->machine->log || n->uses) {
        spin->visits = INT_MIN;
        return left;
    }
    if (!msp430_wait_goes_back(&w.code->insn[pc / 2], cpu->r[MSP430_SR]))
        return left;
    slice_show(n, slice, left);
    msp430_wait_find(&w, pc, spin->round >> SLICE_COUNT_BITS);
    uint64_t rounds = w.found == WAIT_FOUND ? wait_rounds(&w.round, left) : 0;
    spin->visits = wait_visits(w.found, rounds);
    struct msp430_insn *branch = (struct msp430_insn *)(uintptr_t)&w.code->insn[pc / 2]; /* not const where made */
    if (wait_is_in_vain(n, w.found, rounds, &branch->d))
        __atomic_fetch_and(&branch->op, (uint16_t)~MSP430_WAIT, __ATOMIC_RELAXED);
    if (w.found == WAIT_FOUND)
        wait_note(n, &w.round);
    for (unsigned r = 0; rounds && r < 16; r++)
        if (w.written >> r & 1 && w.used >> r & 1)
            cpu->r[r] = (uint16_t)(affine_value(w.head[r], rounds) >> 8 * (w.head[r].width - 2));
    spin->left = wait_pass(n, &w.round, rounds, left);
    return spin->left;
}
