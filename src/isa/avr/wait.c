#include "isa/avr/wait.h"

#include "isa/avr/avr.h"
#include "isa/avr/memory.h"
#include "node/machine.h"

/* ---- marks ---- */

/* What a trace can follow, in general. */
static bool avr_wait_follows(unsigned op)
{
    switch (op) {
    case AVR_NOP:
    case AVR_ADD:
    case AVR_ADC:
    case AVR_SUB:
    case AVR_SUBI:
    case AVR_SBC:
    case AVR_SBCI:
    case AVR_AND:
    case AVR_ANDI:
    case AVR_OR:
    case AVR_ORI:
    case AVR_EOR:
    case AVR_CLR:
    case AVR_COM:
    case AVR_INC:
    case AVR_DEC:
    case AVR_SWAP:
    case AVR_LSR:
    case AVR_IN:
    case AVR_IN_PLAIN:
    case AVR_ADIW:
    case AVR_SBIW:
    case AVR_CP:
    case AVR_CPC:
    case AVR_CPI:
    case AVR_TST:
    case AVR_MOV:
    case AVR_MOVW:
    case AVR_LDI:
    case AVR_LDS:
    case AVR_LD_X:
    case AVR_LDD_Y:
    case AVR_LDD_Z:
    case AVR_RJMP:
    case AVR_JMP:
    case AVR_CPSE:
    case AVR_SBRC:
    case AVR_SBRS:
    case AVR_SBIC:
    case AVR_SBIS:
    case AVR_SBIC_PLAIN:
    case AVR_SBIS_PLAIN: return true;
    default: return op >= AVR_BRCS && op <= AVR_BRID;
    }
}

static bool avr_wait_jumps(unsigned op)
{
    return op == AVR_RJMP || op == AVR_JMP || (op >= AVR_BRCS && op <= AVR_BRID);
}

static unsigned avr_wait_words(const struct avr_code *code, uint32_t pc)
{
    return avr_words((uint16_t)(code->flash[2 * pc] | code->flash[2 * pc + 1] << 8));
}

/* Everything from the head to the branch; instructions elsewhere that a round goes through are found by the trace. */
static bool avr_wait_may_be(const struct avr_code *code, uint32_t head, uint32_t branch)
{
    for (uint32_t pc = head; pc < branch; pc += avr_wait_words(code, pc))
        if (!avr_wait_follows(code->insn[pc].op))
            return false;
    return true;
}

/* A skip by a bit of what is read from `address`. */
struct avr_wait_poll {
    const struct avr_insn *read, *skip; /* the same, or IN or LDS and what looks at its register */
    uint8_t mask;
    bool until_set;
    uint8_t cycles;
};

static bool avr_wait_polls(const struct avr_code *code, uint32_t head, uint32_t jump, struct avr_wait_poll *p)
{
    const struct avr_insn *read = &code->insn[head], *skip = &code->insn[jump - 1];
    unsigned op = skip->op & ~(unsigned)AVR_HOT, reads = read->op & ~(unsigned)AVR_HOT;
    bool direct = op == AVR_SBIC || op == AVR_SBIS || op == AVR_SBIC_PLAIN || op == AVR_SBIS_PLAIN;
    *p = (struct avr_wait_poll){read, skip, direct ? skip->d : skip->r, false, 3};
    p->until_set = op == AVR_SBIS || op == AVR_SBIS_PLAIN || op == AVR_SBRS;
    if (direct)
        return head + 1 == jump && skip->r == 1;
    if ((op != AVR_SBRC && op != AVR_SBRS) || skip->k != 1 || read->d != skip->d)
        return false;
    p->cycles = reads == AVR_LDS ? 5 : 4;
    return (head + 2 == jump && (reads == AVR_IN || reads == AVR_IN_PLAIN)) || (head + 3 == jump && reads == AVR_LDS);
}

static void avr_wait_note_poll(struct avr_code *code, uint32_t pc)
{
    struct avr_insn *i = &code->insn[pc];
    struct avr_wait_poll p;
    i->d = avr_wait_polls(code, i->k, pc, &p) ? p.cycles : 0;
    i->r = i->d ? (uint8_t)((p.until_set ? AVR_POLLS_UNTIL_SET : 0) | (p.read != p.skip ? AVR_POLLS_TWICE : 0)) : 0;
}

void avr_waits_mark(struct avr_code *code)
{
    if (wait_is_off())
        return;
    for (uint32_t pc = 0; pc < code->words; pc++) {
        struct avr_insn *i = &code->insn[pc];
        i->op &= (uint16_t)~AVR_WAIT;
        if (avr_wait_jumps(i->op) && i->k < pc && pc - i->k <= WAIT_WORDS && avr_wait_may_be(code, i->k, pc))
            i->op |= AVR_WAIT;
        if (i->op == (AVR_WAIT | AVR_RJMP))
            avr_wait_note_poll(code, pc);
    }
}

/* Whether such an RJMP, in code that nodes share, polls a bit that stays what it is until an event comes. Most do; the
 * others are looked at closer. */
static bool avr_wait_is_still(const struct node *n, const struct avr_insn *code, const struct avr_insn *jump)
{
    const struct avr_insn *read = code + jump->k, *skip = jump - 1;
    uint32_t address = read->k, mask = jump->r & AVR_POLLS_TWICE ? skip->r : skip->d;
    if (n->taps || n->code != n->machine->code || n->uses || n->machine->log || address >= n->machine->register_size)
        return false;
    bool set = n->data[address] & mask, until_set = jump->r & AVR_POLLS_UNTIL_SET;
    return set != until_set && avr_loads_byte(n, n->data, address);
}

/* Then the rounds up to the end of the slice, but for one, are left out. Returns the new `left`. */
static int64_t avr_wait_leave_out(struct node *n, const struct avr_insn *jump, int64_t left)
{
    struct wait_round round = {.cycles = jump->d, .instructions = jump->r & AVR_POLLS_TWICE ? 3 : 2};
    uint32_t rounds = (uint32_t)(left >> SLICE_COUNT_BITS) / jump->d - 1;
    n->waits_until = NEVER;
    return wait_pass(n, &round, rounds, left);
}

int64_t avr_wait_poll(struct node *n, const struct slice *slice, int64_t left, uint32_t pc)
{
    const struct avr_code *code = n->code;
    const struct avr_insn *jump = &code->insn[pc];
    struct avr_wait_poll p;
    struct outlook o;
    if (avr_wait_is_still(n, code->insn, jump))
        return avr_wait_leave_out(n, jump, left);
    if (n->machine->log || n->uses || !avr_wait_polls(code, code->insn[pc].k, pc, &p))
        return left; /* also where one of the others is marked */
    uint32_t address = p.read->k;
    if (address >= n->machine->register_size || n->page[address >> PAGE_BITS] != PAGE_REGISTERS)
        return left;
    if (address < 0x20 || address == AVR_SREG || address == AVR_SPL || address == AVR_SPH)
        return left;
    slice_show(n, slice, left);
    if (!(n->data[address] & p.mask) != p.until_set || !wait_register(n, address, &o) || o.kind != OUTLOOK_SAME)
        return left;
    struct wait_round round = {p.cycles, p.read == p.skip ? 2 : 3, UINT64_MAX, wait_cycles_to(n, o.until)};
    if (o.until == NEVER) /* until an event comes */
        n->waits_until = NEVER;
    else
        wait_note(n, &round);
    return wait_pass(n, &round, wait_rounds(&round, left), left);
}

/* ---- one round on affine numbers ---- */

/* A register: the byte at `width - 1` of an affine number. A number that does not change is one of width 1. */
struct avr_wait_value {
    struct affine number;
};

/* Bits of SREG as the answers of comparisons. */
struct avr_wait_flag {
    enum affine_test test;
    bool known;
    struct affine a, b;
};

enum { FLAG_C, FLAG_Z, FLAG_N, FLAG_V, FLAG_S, FLAG_H, FLAG_T, FLAG_I, FLAGS };

/* Bytes that were added or subtracted one after the other, with the carry of each. */
struct avr_wait_chain {
    struct affine a, b;
    bool on, adds;
};

struct avr_wait {
    const struct node *n;
    const struct avr_code *code;
    struct avr_wait_value head[32], reg[32];
    struct avr_wait_flag flags[FLAGS];
    struct avr_wait_chain chain;
    struct affine counted; /* what the last read of a counter gave */
    bool latched;
    uint32_t used, written; /* registers: read before they were written; written */
    int64_t expected;       /* cycles of a round */
    struct wait_round round;
    enum wait_found found;
};

static void avr_wait_fail(struct avr_wait *w, enum wait_found why)
{
    if (w->found == WAIT_FOUND)
        w->found = why;
}

static struct avr_wait_value avr_wait_constant(unsigned byte)
{
    return (struct avr_wait_value){affine_of(byte, 0, 1)};
}

/* The byte of a number in which it ends. One that never changes stands for itself. */
static struct avr_wait_value avr_wait_byte(struct affine a)
{
    if (a.step == 0)
        return avr_wait_constant((unsigned)(a.at >> 8 * (a.width - 1)) & 0xff);
    return (struct avr_wait_value){a};
}

static struct avr_wait_value avr_wait_get(struct avr_wait *w, unsigned r)
{
    if (!(w->written >> r & 1))
        w->used |= 1u << r;
    return w->reg[r];
}

static void avr_wait_set(struct avr_wait *w, unsigned r, struct avr_wait_value v)
{
    w->written |= 1u << r;
    w->reg[r] = v;
}

static unsigned avr_wait_get_constant(struct avr_wait *w, unsigned r)
{
    struct avr_wait_value v = avr_wait_get(w, r);
    if (v.number.step)
        avr_wait_fail(w, WAIT_NEVER);
    return (unsigned)v.number.at & 0xff;
}

static void avr_wait_lasts(struct avr_wait *w, uint64_t rounds)
{
    if (rounds < w->round.same)
        w->round.same = rounds;
}

/* A number, and the byte that comes after it. A constant byte can follow a number as long as that does not pass its
 * end. */
static struct affine avr_wait_longer(struct avr_wait *w, struct affine low, struct avr_wait_value high)
{
    unsigned width = low.width + 1u;
    struct affine h = high.number;
    if (h.step == 0) {
        avr_wait_lasts(w, affine_runs(low));
        return affine_of(low.at | h.at << 8 * low.width, low.step, width);
    }
    struct affine below = affine_of(h.at, h.step, low.width);
    if (h.width != width || !affine_same(below, low))
        avr_wait_fail(w, WAIT_NEVER);
    return h;
}

/* The number that begins with a byte: another byte than the lowest of one is none by itself. */
static struct affine avr_wait_lowest(struct avr_wait *w, struct avr_wait_value v)
{
    if (v.number.width != 1)
        avr_wait_fail(w, WAIT_NEVER);
    return v.number;
}

static void avr_wait_flag(struct avr_wait *w, unsigned flag, enum affine_test test, struct affine a, struct affine b)
{
    w->flags[flag] = (struct avr_wait_flag){.test = test, .known = true, .a = a, .b = b};
}

static void avr_wait_forget_flags(struct avr_wait *w, unsigned mask)
{
    for (unsigned i = 0; i < FLAGS; i++)
        if (mask >> i & 1)
            w->flags[i].known = false;
}

/* Z and N as a result gives them, S where V is clear. */
static void avr_wait_flag_result(struct avr_wait *w, struct affine result)
{
    struct affine zero = affine_of(0, 0, result.width);
    avr_wait_flag(w, FLAG_Z, AFFINE_EQUAL, result, zero);
    avr_wait_flag(w, FLAG_N, AFFINE_LESS, result, zero);
    avr_wait_flag(w, FLAG_S, AFFINE_LESS, result, zero);
}

/* C, Z, N and S after a - b. */
static void avr_wait_flag_difference(struct avr_wait *w, struct affine a, struct affine b, struct affine result)
{
    avr_wait_forget_flags(w, 1u << FLAG_V | 1u << FLAG_H);
    avr_wait_flag_result(w, result);
    avr_wait_flag(w, FLAG_C, AFFINE_BELOW, a, b);
    avr_wait_flag(w, FLAG_Z, AFFINE_EQUAL, a, b);
    avr_wait_flag(w, FLAG_S, AFFINE_LESS, a, b);
}

/* One byte of an addition or subtraction. `carries`: with the carry of the byte before. The result's last byte. */
static struct avr_wait_value avr_wait_arithmetic(struct avr_wait *w, struct avr_wait_value a, struct avr_wait_value b,
                                                 bool adds, bool carries)
{
    struct avr_wait_chain *c = &w->chain;
    if (carries && (!c->on || c->adds != adds || c->a.width == 4)) {
        avr_wait_fail(w, WAIT_NEVER);
        return a;
    }
    c->a = carries ? avr_wait_longer(w, c->a, a) : avr_wait_lowest(w, a);
    c->b = carries ? avr_wait_longer(w, c->b, b) : avr_wait_lowest(w, b);
    c->on = true;
    c->adds = adds;
    if (w->found != WAIT_FOUND)
        return a;
    struct affine result = adds ? affine_of(c->a.at + c->b.at, c->a.step + c->b.step, c->a.width)
                                : affine_of(c->a.at - c->b.at, c->a.step - c->b.step, c->a.width);
    if (adds) {
        avr_wait_forget_flags(w, 0x3f);
        if (!carries)
            avr_wait_flag(w, FLAG_Z, AFFINE_EQUAL, result, affine_of(0, 0, 1));
    } else {
        avr_wait_flag_difference(w, c->a, c->b, result);
    }
    return avr_wait_byte(result);
}

/* INC and DEC: C stays. */
static void avr_wait_step(struct avr_wait *w, unsigned r, int by)
{
    struct affine a = avr_wait_lowest(w, avr_wait_get(w, r)), result = affine_of(a.at + by, a.step, 1);
    avr_wait_flag_result(w, result);
    avr_wait_flag(w, FLAG_S, AFFINE_LESS, a, affine_of(-by, 0, 1));
    avr_wait_forget_flags(w, 1u << FLAG_V);
    w->chain.on = false;
    avr_wait_set(w, r, avr_wait_byte(result));
}

/* ADIW and SBIW. */
static void avr_wait_step_pair(struct avr_wait *w, unsigned r, int by)
{
    struct affine low = avr_wait_lowest(w, avr_wait_get(w, r));
    struct affine a = avr_wait_longer(w, low, avr_wait_get(w, r + 1));
    if (w->found != WAIT_FOUND)
        return;
    struct affine result = affine_of(a.at + by, a.step, 2);
    w->chain.on = false;
    avr_wait_flag_difference(w, a, affine_of(-by, 0, 2), result);
    avr_wait_flag(w, FLAG_Z, AFFINE_EQUAL, result, affine_of(0, 0, 2));
    if (by > 0)
        avr_wait_forget_flags(w, 1u << FLAG_C);
    avr_wait_set(w, r, avr_wait_byte(affine_of(result.at, result.step, 1)));
    avr_wait_set(w, r + 1, avr_wait_byte(result));
}

/* Operations on bits: of constants only. */
static void avr_wait_bits(struct avr_wait *w, unsigned r, unsigned result)
{
    struct avr_wait_value v = avr_wait_constant(result & 0xff);
    w->chain.on = false;
    avr_wait_flag_result(w, v.number);
    avr_wait_forget_flags(w, 1u << FLAG_V);
    avr_wait_set(w, r, v);
}

/* COM and LSR also set C; S is left unknown where V is not clear. */
static void avr_wait_bits_carry(struct avr_wait *w, unsigned r, unsigned result, bool carry)
{
    avr_wait_bits(w, r, result);
    avr_wait_flag(w, FLAG_C, AFFINE_EQUAL, affine_of(carry, 0, 1), affine_of(1, 0, 1));
    avr_wait_forget_flags(w, 1u << FLAG_S);
}

/* ---- reads ---- */

static struct avr_wait_value avr_wait_read(struct avr_wait *w, uint32_t address, unsigned offset)
{
    const struct node *n = w->n;
    struct outlook s;
    if (address < 0x20 || address >= n->machine->data_size || address == AVR_SREG || address == AVR_SPL ||
        address == AVR_SPH) {
        avr_wait_fail(w, WAIT_NEVER);
        return avr_wait_constant(0);
    }
    uint8_t byte = n->data[address], page = n->page[address >> PAGE_BITS];
    if (page == PAGE_PLAIN)
        return avr_wait_constant(byte);
    if (page != PAGE_REGISTERS || address >= n->machine->register_size || !wait_register(n, address, &s)) {
        avr_wait_fail(w, page == PAGE_REGISTERS ? WAIT_LATER : WAIT_NEVER);
        return avr_wait_constant(0);
    }
    uint64_t ends = wait_cycles_to(n, s.until);
    w->round.ends = ends < w->round.ends ? ends : w->round.ends;
    if (s.kind == OUTLOOK_SAME)
        return avr_wait_constant(byte);
    if (s.kind == OUTLOOK_COUNTS) {
        w->counted = affine_of((int64_t)s.value + w->round.cycles + offset, w->expected, s.width);
        w->latched = true;
        return avr_wait_byte(affine_of(w->counted.at, w->counted.step, 1));
    }
    if (!w->latched || w->counted.width != 2)
        avr_wait_fail(w, WAIT_NEVER);
    return avr_wait_byte(w->counted);
}

static uint32_t avr_wait_pointer(struct avr_wait *w, unsigned r)
{
    unsigned low = avr_wait_get_constant(w, r);
    return low | avr_wait_get_constant(w, r + 1) << 8;
}

/* ---- instructions ---- */

/* A test decides which way a round goes; it does so for so many rounds. */
static bool avr_wait_decide(struct avr_wait *w, enum affine_test test, struct affine a, struct affine b)
{
    avr_wait_lasts(w, affine_lasts(test, a, b));
    return affine_holds(test, a, b);
}

static bool avr_wait_flag_set(struct avr_wait *w, unsigned flag)
{
    const struct avr_wait_flag *f = &w->flags[flag];
    if (!f->known) {
        avr_wait_fail(w, WAIT_NEVER);
        return false;
    }
    return avr_wait_decide(w, f->test, f->a, f->b);
}

/* What only computes. False if the instruction is another. */
static bool avr_wait_compute(struct avr_wait *w, const struct avr_insn *i, unsigned op)
{
    unsigned d = i->d, r = i->r;
    struct avr_wait_value by = avr_wait_constant(r);
    switch (op) {
    case AVR_NOP: break;
    case AVR_ADD:
    case AVR_ADC:
        avr_wait_set(w, d, avr_wait_arithmetic(w, avr_wait_get(w, d), avr_wait_get(w, r), true, op == AVR_ADC));
        break;
    case AVR_SUB:
    case AVR_SBC:
        avr_wait_set(w, d, avr_wait_arithmetic(w, avr_wait_get(w, d), avr_wait_get(w, r), false, op == AVR_SBC));
        break;
    case AVR_SUBI:
    case AVR_SBCI: avr_wait_set(w, d, avr_wait_arithmetic(w, avr_wait_get(w, d), by, false, op == AVR_SBCI)); break;
    case AVR_CP:
    case AVR_CPC: avr_wait_arithmetic(w, avr_wait_get(w, d), avr_wait_get(w, r), false, op == AVR_CPC); break;
    case AVR_CPI: avr_wait_arithmetic(w, avr_wait_get(w, d), by, false, false); break;
    case AVR_TST:
        w->chain.on = false;
        avr_wait_flag_result(w, avr_wait_lowest(w, avr_wait_get(w, d)));
        avr_wait_forget_flags(w, 1u << FLAG_V);
        break;
    case AVR_AND: avr_wait_bits(w, d, avr_wait_get_constant(w, d) & avr_wait_get_constant(w, r)); break;
    case AVR_ANDI: avr_wait_bits(w, d, avr_wait_get_constant(w, d) & r); break;
    case AVR_OR: avr_wait_bits(w, d, avr_wait_get_constant(w, d) | avr_wait_get_constant(w, r)); break;
    case AVR_ORI: avr_wait_bits(w, d, avr_wait_get_constant(w, d) | r); break;
    case AVR_EOR: avr_wait_bits(w, d, avr_wait_get_constant(w, d) ^ avr_wait_get_constant(w, r)); break;
    case AVR_CLR: avr_wait_bits(w, d, 0); break;
    case AVR_COM: avr_wait_bits_carry(w, d, ~avr_wait_get_constant(w, d), true); break;
    case AVR_LSR: {
        unsigned v = avr_wait_get_constant(w, d);
        avr_wait_bits_carry(w, d, v >> 1, v & 1);
        break;
    }
    case AVR_SWAP: {
        unsigned v = avr_wait_get_constant(w, d);
        avr_wait_set(w, d, avr_wait_constant((v << 4 | v >> 4) & 0xff));
        break;
    }
    case AVR_INC: avr_wait_step(w, d, 1); break;
    case AVR_DEC: avr_wait_step(w, d, -1); break;
    case AVR_ADIW: avr_wait_step_pair(w, d, (int)r); break;
    case AVR_SBIW: avr_wait_step_pair(w, d, -(int)r); break;
    case AVR_MOV: avr_wait_set(w, d, avr_wait_get(w, r)); break;
    case AVR_MOVW: {
        struct avr_wait_value low = avr_wait_get(w, r), high = avr_wait_get(w, r + 1);
        avr_wait_set(w, d, low);
        avr_wait_set(w, d + 1, high);
        break;
    }
    case AVR_LDI: avr_wait_set(w, d, by); break;
    case AVR_IN:
    case AVR_IN_PLAIN: avr_wait_set(w, d, avr_wait_read(w, i->k, 0)); break;
    case AVR_LDS: avr_wait_set(w, d, avr_wait_read(w, i->k, 1)); break;
    case AVR_LD_X: avr_wait_set(w, d, avr_wait_read(w, avr_wait_pointer(w, 26), 1)); break;
    case AVR_LDD_Y: avr_wait_set(w, d, avr_wait_read(w, (avr_wait_pointer(w, 28) + r) & 0xffff, 1)); break;
    case AVR_LDD_Z: avr_wait_set(w, d, avr_wait_read(w, (avr_wait_pointer(w, 30) + r) & 0xffff, 1)); break;
    default: return false;
    }
    return true;
}

/* A bit of a register: of a constant, or the highest of a number. */
static bool avr_wait_bit(struct avr_wait *w, unsigned r, unsigned mask)
{
    struct affine a = avr_wait_get(w, r).number;
    if (a.step == 0)
        return a.at & mask;
    if (mask != 0x80)
        avr_wait_fail(w, WAIT_NEVER);
    return w->found == WAIT_FOUND && avr_wait_decide(w, AFFINE_LESS, a, affine_of(0, 0, a.width));
}

/* Whether a skip skips; `words` is how far. */
static bool avr_wait_skips(struct avr_wait *w, const struct avr_insn *i, unsigned op, unsigned *words)
{
    struct avr_wait_value v;
    *words = op == AVR_CPSE || op == AVR_SBRC || op == AVR_SBRS ? i->k : i->r;
    switch (op) {
    case AVR_CPSE: {
        struct affine a = avr_wait_lowest(w, avr_wait_get(w, i->d)), b = avr_wait_lowest(w, avr_wait_get(w, i->r));
        return w->found == WAIT_FOUND && avr_wait_decide(w, AFFINE_EQUAL, a, b);
    }
    case AVR_SBRC: return !avr_wait_bit(w, i->d, i->r);
    case AVR_SBRS: return avr_wait_bit(w, i->d, i->r);
    default: break;
    }
    v = avr_wait_read(w, i->k, 0);
    if (v.number.step)
        avr_wait_fail(w, WAIT_NEVER);
    bool set = v.number.at & i->d;
    return op == AVR_SBIS || op == AVR_SBIS_PLAIN ? set : !set;
}

static unsigned avr_wait_cycles_of(unsigned op)
{
    bool two =
        op == AVR_ADIW || op == AVR_SBIW || op == AVR_LDS || op == AVR_LD_X || op == AVR_LDD_Y || op == AVR_LDD_Z;
    return two ? 2 : 1;
}

/* Follows the instruction at `pc`; returns where the round goes on. */
static uint32_t avr_wait_follow(struct avr_wait *w, uint32_t pc)
{
    const struct avr_insn *i = &w->code->insn[pc];
    unsigned op = i->op & ~(unsigned)(AVR_WAIT | AVR_HOT), words;
    w->round.instructions++;
    if (op > AVR_OPERATION_COUNT || !avr_wait_follows(op)) { /* it is marked, or something else */
        avr_wait_fail(w, WAIT_NEVER);
        return pc;
    }
    if (op == AVR_RJMP || op == AVR_JMP) {
        w->round.cycles += op == AVR_JMP ? 3 : 2;
        return i->k;
    }
    if (op >= AVR_BRCS && op <= AVR_BRID) {
        bool taken = op >= AVR_BRCC ? !avr_wait_flag_set(w, op - AVR_BRCC) : avr_wait_flag_set(w, op - AVR_BRCS);
        w->round.cycles += taken ? 2 : 1;
        return taken ? i->k : pc + 1;
    }
    if (avr_wait_compute(w, i, op)) {
        w->round.cycles += avr_wait_cycles_of(op);
        return pc + avr_wait_words(w->code, pc);
    }
    bool skips = avr_wait_skips(w, i, op, &words);
    w->round.cycles += skips ? 1 + words : 1;
    return skips ? pc + 1 + words : pc + 1;
}

/* One round, from the branch to the branch, with what is supposed of the registers at its head. */
static void avr_wait_trace(struct avr_wait *w, uint32_t branch, uint8_t sreg)
{
    const struct avr_insn *b = &w->code->insn[branch];
    unsigned op = b->op & ~(unsigned)(AVR_WAIT | AVR_HOT);
    w->used = w->written = 0;
    w->chain.on = w->latched = false;
    w->round = (struct wait_round){.same = UINT64_MAX, .ends = NEVER};
    for (unsigned r = 0; r < 32; r++)
        w->reg[r] = w->head[r];
    for (unsigned f = 0; f < FLAGS; f++)
        w->flags[f].known = false;
    avr_wait_flag(w, FLAG_T, AFFINE_EQUAL, affine_of(sreg >> 6 & 1, 0, 1), affine_of(1, 0, 1));
    avr_wait_flag(w, FLAG_I, AFFINE_EQUAL, affine_of(sreg >> 7, 0, 1), affine_of(1, 0, 1));
    w->round.cycles = op == AVR_JMP ? 3 : 2;
    w->round.instructions = 1;
    uint32_t pc = b->k;
    for (unsigned step = 0; pc != branch && w->found == WAIT_FOUND; step++) {
        if (pc >= w->code->words || step == WAIT_STEPS)
            avr_wait_fail(w, WAIT_LATER);
        else
            pc = avr_wait_follow(w, pc);
    }
    if (w->found != WAIT_FOUND || op == AVR_RJMP || op == AVR_JMP)
        return;
    bool taken = op >= AVR_BRCC ? !avr_wait_flag_set(w, op - AVR_BRCC) : avr_wait_flag_set(w, op - AVR_BRCS);
    if (!taken)
        avr_wait_fail(w, WAIT_LATER);
}

/* Whether what was supposed at the head holds at the next one. If not, supposes what the round showed. */
static bool avr_wait_agrees(struct avr_wait *w, const uint8_t *r)
{
    bool agrees = w->expected == w->round.cycles;
    w->expected = w->round.cycles;
    for (uint32_t live = w->used & w->written; live; live &= live - 1) {
        unsigned reg = (unsigned)__builtin_ctz(live);
        struct affine was = w->head[reg].number, is = w->reg[reg].number;
        struct affine next = affine_of(was.at + was.step, was.step, was.width);
        if (affine_same(next, is))
            continue;
        agrees = false;
        if (is.step == 0 && is.width == 1 && was.width == 1)
            w->head[reg].number = affine_of(was.at, is.at - was.at, 1);
        else
            w->head[reg].number = affine_of(is.at - is.step, is.step, is.width);
        if (avr_wait_byte(w->head[reg].number).number.step == 0)
            w->head[reg] = avr_wait_constant(r[reg]);
        if ((w->head[reg].number.at >> 8 * (w->head[reg].number.width - 1) & 0xff) != r[reg])
            avr_wait_fail(w, WAIT_LATER);
    }
    return agrees;
}

static void avr_wait_find(struct avr_wait *w, uint32_t branch, int64_t expected)
{
    const uint8_t *r = w->n->data;
    w->expected = expected;
    for (unsigned i = 0; i < 32; i++)
        w->head[i] = avr_wait_constant(r[i]);
    for (unsigned attempt = 0; attempt < WAIT_TRACES; attempt++) {
        avr_wait_trace(w, branch, r[AVR_SREG]);
        if (w->found != WAIT_FOUND || avr_wait_agrees(w, r))
            return;
        if (w->found != WAIT_FOUND)
            return;
    }
    w->found = WAIT_LATER;
}

/* Whether the branch that closes the loop goes back this time. */
static bool avr_wait_goes_back(const struct node *n, const struct avr_insn *i)
{
    unsigned op = i->op & ~(unsigned)AVR_MARKS;
    if (op >= AVR_BRCC && op <= AVR_BRID)
        return !(n->data[AVR_SREG] >> (op - AVR_BRCC) & 1);
    return op < AVR_BRCS || op > AVR_BRID || n->data[AVR_SREG] >> (op - AVR_BRCS) & 1;
}

int64_t avr_wait_pass(struct node *n, const struct slice *slice, int64_t left, uint32_t pc, struct wait_spin *spin)
{
    struct avr_wait w = {.n = n, .code = n->code, .found = WAIT_FOUND};
    if (n->machine->log || n->uses) {
        spin->visits = INT_MIN;
        return left;
    }
    if (!avr_wait_goes_back(n, &w.code->insn[pc]))
        return left;
    slice_show(n, slice, left);
    avr_wait_find(&w, pc, spin->round >> SLICE_COUNT_BITS);
    uint64_t rounds = w.found == WAIT_FOUND ? wait_rounds(&w.round, left) : 0;
    spin->visits = wait_visits(w.found, rounds);
    struct avr_insn *branch = (struct avr_insn *)(uintptr_t)&w.code->insn[pc]; /* not const where it was made */
    if (wait_is_in_vain(n, w.found, rounds, &branch->r))
        __atomic_fetch_and(&branch->op, (uint16_t)~AVR_WAIT, __ATOMIC_RELAXED);
    if (w.found == WAIT_FOUND)
        wait_note(n, &w.round);
    for (unsigned r = 0; rounds && r < 32; r++)
        if (w.written >> r & 1 && w.used >> r & 1)
            n->data[r] = (uint8_t)(affine_value(w.head[r].number, rounds) >> 8 * (w.head[r].number.width - 1));
    spin->left = wait_pass(n, &w.round, rounds, left);
    return spin->left;
}
