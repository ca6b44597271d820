#include <string.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "isa/avr/execute.h"
#include "isa/avr/memory.h"
#include "node/events.h"
#include "node/machine.h"

/* The loop over decoded instructions.
 *
 * Time and the instruction count share one variable, `left`: cycles left in the slice times 2^24, less the instructions
 * executed. One subtraction an instruction keeps both, and its sign ends the slice. A slice is therefore under 2^24
 * cycles long.
 *
 * Flags are kept apart, each in the form that is cheapest to produce: carry as 0 or 1, Z as a value that is zero when
 * the flag is set, N, V and H as a value whose bit 7, 7 and 4 is the flag. S is N xor V, except after an instruction
 * that set one of the three alone: then bit 15 of V's value, which arithmetic leaves zero, says that S is the opposite.
 * They become SREG only when somebody looks.
 */
enum { SREG_I = 0x80, SREG_T = 0x40 };
enum { COUNT_BITS = 24, COUNT_MASK = (1 << COUNT_BITS) - 1, LONGEST_SLICE = COUNT_MASK };
#define CYCLES(k) ((int64_t)(k) << COUNT_BITS)

struct slice {
    uint64_t start_cycle; /* of the CPU's clock */
    uint64_t start_count; /* instructions */
    int64_t budget;       /* cycles */
};

static int64_t slice_count(int64_t left)
{
    return -left & COUNT_MASK;
}

static uint64_t slice_elapsed(const struct slice *s, int64_t left)
{
    return (uint64_t)(s->budget - ((left + slice_count(left)) >> COUNT_BITS));
}

static void slice_begin(struct node *n, struct slice *s)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    s->start_cycle = clock_cycle_at(c, n->state->now);
    s->start_count = n->state->instructions;
    uint64_t end = clock_cycle_at(c, n->horizon);
    if (clock_tick_of(c, end) < n->horizon)
        end++;
    uint64_t budget = end - s->start_cycle;
    if (n->state->irq && (n->data[AVR_SREG] & SREG_I)) /* one waits for the instruction behind SEI, RETI... */
        budget = budget < 1 ? budget : 1;
    s->budget = (int64_t)(budget < LONGEST_SLICE ? budget : LONGEST_SLICE);
}

/* Something outside the CPU is about to look: the time is that of the instruction under way plus `offset` cycles. */
static void slice_look(struct node *n, const struct slice *s, int64_t left, unsigned offset)
{
    uint64_t cycle = s->start_cycle + slice_elapsed(s, left) + offset;
    n->time = clock_tick_of(&n->state->clocks[CLOCK_CPU], cycle);
    n->state->instructions = s->start_count + (uint64_t)slice_count(left);
    if (n->time >= n->horizon)
        events_run(n, n->time);
}

/* The slice is to end `after` cycles from the beginning of the instruction under way. */
static int64_t slice_shorten(struct slice *s, int64_t left, unsigned after)
{
    int64_t elapsed = (int64_t)slice_elapsed(s, left);
    if (s->budget <= elapsed + after)
        return left;
    s->budget = elapsed + after;
    return CYCLES(after) - slice_count(left);
}

static inline uint32_t pair(const uint8_t *r, unsigned at)
{
    uint16_t v;
    memcpy(&v, r + at, 2);
    return v;
}

static inline void set_pair(uint8_t *r, unsigned at, uint32_t value)
{
    uint16_t v = (uint16_t)value;
    memcpy(r + at, &v, 2);
}

enum { X = 26, Y = 28, Z = 30 };

static uint32_t program_address(const struct node *n, bool extended)
{
    uint32_t high = extended ? (uint32_t)n->data[AVR_RAMPZ] << 16 : 0;
    return (high | pair(n->data, Z)) & (n->machine->chip->flash_size - 1);
}

static void instruction(struct node *n, enum instruction what)
{
    const struct device *d = n->machine->instructions[what].device;
    if (d)
        d->type->instruction(n, d, what);
}

/* Whether anything but an interrupt could still change what the CPU does. */
static bool watchdog_runs(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_WATCHDOG_RESET].device;
    return d && event_pending(n, d, 0);
}

static void loop_for_ever(struct node *n, uint32_t pc)
{
    if (watchdog_runs(n) || n->state->reset_pending)
        return;
    if (2 * pc == n->machine->exit_address)
        node_halt(n, NODE_EXIT_FIRMWARE, n->data[24]);
    else
        node_halt(n, NODE_EXIT_HALT, 0);
}

#define REG(i) r[i]
#define HERE   ((uint32_t)(ip - code))
#define FLAG_N (fn & 0x80)
#define FLAG_V (fv & 0x80)
#define FLAG_S ((fn ^ fv ^ fv >> 8) & 0x80)
#define FLAG_H (fh & 0x10)
#define SREG_GET() \
    ((uint8_t)(it | (FLAG_H << 1) | (FLAG_S >> 3) | (FLAG_V >> 4) | (FLAG_N >> 5) | ((fz == 0) << 1) | fc))
#define SREG_SET(value)                                                      \
    do {                                                                     \
        unsigned s_ = (value);                                               \
        it = s_ & 0xc0;                                                      \
        fh = s_ >> 1 & 0x10;                                                 \
        fv = (s_ << 4 & 0x80) | ((s_ << 11 ^ s_ << 12 ^ s_ << 13) & 0x8000); \
        fn = s_ << 5 & 0x80;                                                 \
        fz = ~s_ & 2;                                                        \
        fc = s_ & 1;                                                         \
    } while (0)

/* Registers into the arena, and back, around anything that may look at them or change them. */
#define SAVE()                    \
    do {                          \
        r[AVR_SREG] = SREG_GET(); \
        set_pair(r, AVR_SPL, sp); \
        cpu->pc = HERE;           \
    } while (0)
#define RELOAD()               \
    do {                       \
        SREG_SET(r[AVR_SREG]); \
        sp = pair(r, AVR_SPL); \
    } while (0)

#define DISPATCH() goto *operations[ip->op]
#define NEXT(length, cycles)        \
    do {                            \
        ip += (length);             \
        left -= CYCLES(cycles) + 1; \
        if (left <= 0)              \
            goto slice_ends;        \
        DISPATCH();                 \
    } while (0)
#define JUMP(target, cycles)        \
    do {                            \
        ip = code + (target);       \
        left -= CYCLES(cycles) + 1; \
        if (left <= 0)              \
            goto slice_ends;        \
        DISPATCH();                 \
    } while (0)

/* What follows the slow way: whatever was asked for meanwhile ends the slice behind this instruction. */
#define LOOK(offset)                         \
    do {                                     \
        SAVE();                              \
        slice_look(n, &slice, left, offset); \
    } while (0)
#define LOOKED()                                   \
    do {                                           \
        RELOAD();                                  \
        if (n->cut)                                \
            left = slice_shorten(&slice, left, 0); \
    } while (0)

/* Interrupts have just been allowed: one more instruction, then they are seen to. */
#define INTERRUPTS_ALLOWED(cycles)                                           \
    do {                                                                     \
        cpu->quiet_until = slice.start_count + (uint64_t)slice_count(left) + 2; \
        if (n->state->irq)                                                   \
            left = slice_shorten(&slice, left, (cycles) + 1);                \
    } while (0)

#define LOAD(address, to, offset)                         \
    do {                                                  \
        uint32_t a_ = (uint16_t)(address);                \
        if (__builtin_expect(!n->page[a_ >> 8], 1)) {     \
            (to) = r[a_];                                 \
        } else {                                          \
            LOOK(offset);                                 \
            uint8_t v_ = avr_load(n, HERE, (uint16_t)a_); \
            LOOKED();                                     \
            (to) = v_;                                    \
        }                                                 \
    } while (0)
#define STORE(address, value, offset)                 \
    do {                                              \
        uint32_t a_ = (uint16_t)(address);            \
        uint8_t v_ = (value);                         \
        if (__builtin_expect(!n->page[a_ >> 8], 1)) { \
            r[a_] = v_;                               \
        } else {                                      \
            LOOK(offset);                             \
            bool was_off_ = !(it & SREG_I);           \
            avr_store(n, HERE, (uint16_t)a_, v_);     \
            LOOKED();                                 \
            if (was_off_ && (it & SREG_I))            \
                INTERRUPTS_ALLOWED(2);                \
        }                                             \
    } while (0)
#define PUSH(value, offset)                                     \
    do {                                                        \
        uint8_t v_ = (uint8_t)(value);                          \
        if (__builtin_expect(sp - stack_low < stack_span, 1)) { \
            r[sp] = v_;                                         \
        } else {                                                \
            LOOK(offset);                                       \
            avr_push_slow(n, HERE, (uint16_t)sp, v_);           \
            LOOKED();                                           \
        }                                                       \
        sp = (uint16_t)(sp - 1);                                \
    } while (0)
#define POP(to, offset)          \
    do {                         \
        sp = (uint16_t)(sp + 1); \
        LOAD(sp, to, offset);    \
    } while (0)

#define ADD_FLAGS(a, b, sum)                \
    do {                                    \
        fc = (sum) >> 8 & 1;                \
        fh = (a) ^ (b) ^ (sum);             \
        fv = ((a) ^ (sum)) & ((b) ^ (sum)); \
        fn = (sum);                         \
        fz = (uint8_t)(sum);                \
    } while (0)
#define SUBTRACT_FLAGS(a, b, difference)         \
    do {                                         \
        fc = (difference) >> 8 & 1;              \
        fh = (a) ^ (b) ^ (difference);           \
        fv = ((a) ^ (b)) & ((a) ^ (difference)); \
        fn = (difference);                       \
    } while (0)
#define LOGIC_FLAGS(result) (fv = 0, fn = fz = (result))

#define BRANCH_IF(condition) \
    do {                     \
        if (condition)       \
            JUMP(ip->k, 2);  \
        NEXT(1, 1);          \
    } while (0)
#define SKIP_IF(condition, skipped) \
    do {                            \
        if (condition) {            \
            if ((skipped) == 1)     \
                NEXT(2, 2);         \
            NEXT(3, 3);             \
        }                           \
        NEXT(1, 1);                 \
    } while (0)

void avr_run(struct node *n)
{
    static const void *const operations[AVR_OPERATION_COUNT] = {
#define X(name) &&op_##name,
        AVR_OPERATIONS(X)
#undef X
    };
    struct avr_cpu *cpu = n->cpu;
    const struct avr_code *const shared = n->code;
    const struct avr_insn *const code = shared->insn;
    const uint32_t words = shared->words;
    const bool wide = ((const struct avr_core *)n->machine->chip->core)->pc_bytes == 3;
    uint8_t *const r = n->data;
    struct slice slice;
    slice_begin(n, &slice);

    const uint32_t stack_low = avr_stack_low(n);
    const uint32_t stack_span =
        (uint32_t)n->machine->data_size > stack_low && !n->watching ? (uint32_t)n->machine->data_size - stack_low : 0;
    const struct avr_insn *ip = code + cpu->pc;
    uint32_t sp = pair(r, AVR_SPL);
    unsigned it, fc, fz, fn, fv, fh;
    SREG_SET(r[AVR_SREG]);
    int64_t left = CYCLES(slice.budget);
    if (left <= 0)
        return;
    DISPATCH();

    /* ---- arithmetic and logic ---- */
op_NOP:
    NEXT(1, 1);
op_ADD : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a + b;
    REG(ip->d) = (uint8_t)s;
    ADD_FLAGS(a, b, s);
    NEXT(1, 1);
}
op_ADC : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a + b + fc;
    REG(ip->d) = (uint8_t)s;
    ADD_FLAGS(a, b, s);
    NEXT(1, 1);
}
op_LSL : {
    unsigned a = REG(ip->d), s = a + a;
    REG(ip->d) = (uint8_t)s;
    ADD_FLAGS(a, a, s);
    NEXT(1, 1);
}
op_ROL : {
    unsigned a = REG(ip->d), s = a + a + fc;
    REG(ip->d) = (uint8_t)s;
    ADD_FLAGS(a, a, s);
    NEXT(1, 1);
}
op_SUB : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a - b;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(a, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_SUBI : {
    unsigned a = REG(ip->d), b = ip->r, s = a - b;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(a, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_SBC : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a - b - fc;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(a, b, s);
    fz |= (uint8_t)s;
    NEXT(1, 1);
}
op_SBCI : {
    unsigned a = REG(ip->d), b = ip->r, s = a - b - fc;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(a, b, s);
    fz |= (uint8_t)s;
    NEXT(1, 1);
}
op_CP : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a - b;
    SUBTRACT_FLAGS(a, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_CPC : {
    unsigned a = REG(ip->d), b = REG(ip->r), s = a - b - fc;
    SUBTRACT_FLAGS(a, b, s);
    fz |= (uint8_t)s;
    NEXT(1, 1);
}
op_CPI : {
    unsigned a = REG(ip->d), b = ip->r, s = a - b;
    SUBTRACT_FLAGS(a, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_AND:
    REG(ip->d) &= REG(ip->r);
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_ANDI:
    REG(ip->d) &= ip->r;
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_OR:
    REG(ip->d) |= REG(ip->r);
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_ORI:
    REG(ip->d) |= ip->r;
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_EOR:
    REG(ip->d) ^= REG(ip->r);
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_CLR:
    REG(ip->d) = 0;
    LOGIC_FLAGS(0);
    NEXT(1, 1);
op_TST:
    LOGIC_FLAGS(REG(ip->d));
    NEXT(1, 1);
op_COM:
    REG(ip->d) = (uint8_t)~REG(ip->d);
    LOGIC_FLAGS(REG(ip->d));
    fc = 1;
    NEXT(1, 1);
op_NEG : {
    unsigned a = 0, b = REG(ip->d), s = a - b;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(a, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_INC : {
    unsigned a = REG(ip->d), s = a + 1;
    REG(ip->d) = (uint8_t)s;
    fv = s & ~a;
    fn = s;
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_DEC : {
    unsigned a = REG(ip->d), s = a - 1;
    REG(ip->d) = (uint8_t)s;
    fv = a & ~s;
    fn = s;
    fz = (uint8_t)s;
    NEXT(1, 1);
}
op_MOV:
    REG(ip->d) = REG(ip->r);
    NEXT(1, 1);
op_MOVW:
    set_pair(r, ip->d, pair(r, ip->r));
    NEXT(1, 1);
op_LDI:
    REG(ip->d) = ip->r;
    NEXT(1, 1);
op_ADIW : {
    uint32_t a = pair(r, ip->d), s = (a + ip->r) & 0xffff;
    set_pair(r, ip->d, s);
    fv = (~a & s) >> 8;
    fn = s >> 8;
    fz = s;
    fc = (~s & a) >> 15 & 1;
    NEXT(1, 2);
}
op_SBIW : {
    uint32_t a = pair(r, ip->d), s = (a - ip->r) & 0xffff;
    set_pair(r, ip->d, s);
    fv = (a & ~s) >> 8;
    fn = s >> 8;
    fz = s;
    fc = (s & ~a) >> 15 & 1;
    NEXT(1, 2);
}
op_SWAP:
    REG(ip->d) = (uint8_t)(REG(ip->d) << 4 | REG(ip->d) >> 4);
    NEXT(1, 1);
op_ASR : {
    unsigned a = REG(ip->d), s = a >> 1 | (a & 0x80);
    REG(ip->d) = (uint8_t)s;
    fc = a & 1;
    fn = fz = s;
    fv = s ^ fc << 7;
    NEXT(1, 1);
}
op_LSR : {
    unsigned a = REG(ip->d), s = a >> 1;
    REG(ip->d) = (uint8_t)s;
    fc = a & 1;
    fn = fz = s;
    fv = fc << 7;
    NEXT(1, 1);
}
op_ROR : {
    unsigned a = REG(ip->d), s = a >> 1 | fc << 7;
    REG(ip->d) = (uint8_t)s;
    fc = a & 1;
    fn = fz = s;
    fv = s ^ fc << 7;
    NEXT(1, 1);
}

/* ---- multiplication ---- */
#define PRODUCT(value, shift)            \
    do {                                 \
        uint32_t p_ = (uint32_t)(value); \
        fc = p_ >> 15 & 1;               \
        p_ = (p_ << (shift)) & 0xffff;   \
        set_pair(r, 0, p_);              \
        fz = p_;                         \
        NEXT(1, 2);                      \
    } while (0)
op_MUL:
    PRODUCT(REG(ip->d) * REG(ip->r), 0);
op_MULS:
    PRODUCT((int8_t)REG(ip->d) * (int8_t)REG(ip->r), 0);
op_MULSU:
    PRODUCT((int8_t)REG(ip->d) * REG(ip->r), 0);
op_FMUL:
    PRODUCT(REG(ip->d) * REG(ip->r), 1);
op_FMULS:
    PRODUCT((int8_t)REG(ip->d) * (int8_t)REG(ip->r), 1);
op_FMULSU:
    PRODUCT((int8_t)REG(ip->d) * REG(ip->r), 1);

    /* ---- jumps and calls ---- */
op_RJMP:
    JUMP(ip->k, 2);
op_RJMP_SELF:
    if (!(it & SREG_I)) {
        LOOK(0);
        loop_for_ever(n, HERE);
        LOOKED();
    }
    if (left > CYCLES(4)) { /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> COUNT_BITS) - 1) / 2;
        left -= rounds * (CYCLES(2) + 1);
    }
    NEXT(0, 2);
op_JMP:
    JUMP(ip->k, 3);
/* A target that is not in flash is a fault of the instruction that goes there; beyond it the program counter has no
 * bits, so what is left of the target is where a chip would go. */
#define REACH(target)                                                                        \
    do {                                                                                     \
        if (__builtin_expect((target) >= words, 0)) {                                        \
            LOOK(0);                                                                         \
            bool stop_ = node_fault(n, FAULT_OUTSIDE_FLASH, 2 * HERE, 2 * (target), ip->op); \
            LOOKED();                                                                        \
            if (stop_)                                                                       \
                goto slice_ends;                                                             \
            (target) &= words - 1;                                                           \
        }                                                                                    \
    } while (0)
op_JMP_OUTSIDE : {
    uint32_t target = ip->k;
    REACH(target);
    JUMP(target, 3);
}
op_IJMP : {
    uint32_t target = pair(r, Z);
    REACH(target);
    JUMP(target, 2);
}
op_EIJMP : {
    uint32_t target = (uint32_t)r[AVR_EIND] << 16 | pair(r, Z);
    REACH(target);
    JUMP(target, 2);
}
#define PUSH_PC(at, offset)          \
    do {                             \
        uint32_t pc_ = (at);         \
        PUSH(pc_, offset);           \
        PUSH(pc_ >> 8, offset);      \
        if (wide)                    \
            PUSH(pc_ >> 16, offset); \
    } while (0)
#define CALL_TO(target, length, cycles)       \
    do {                                      \
        PUSH_PC(HERE + (length), (cycles)-1); \
        if (wide)                             \
            JUMP(target, (cycles) + 1);       \
        JUMP(target, cycles);                 \
    } while (0)
op_RCALL:
    CALL_TO(ip->k, 1, 3);
op_CALL:
    CALL_TO(ip->k, 2, 4);
op_CALL_OUTSIDE : {
    uint32_t target = ip->k;
    REACH(target);
    CALL_TO(target, 2, 4);
}
op_ICALL : {
    uint32_t target = pair(r, Z);
    REACH(target);
    CALL_TO(target, 1, 3);
}
op_EICALL : {
    uint32_t target = (uint32_t)r[AVR_EIND] << 16 | pair(r, Z);
    REACH(target);
    CALL_TO(target, 1, 3);
}
/* Where a return address leads nowhere, the fault shows the stack as it was before. */
#define POP_PC(to)                                \
    do {                                          \
        uint32_t b_;                              \
        (to) = 0;                                 \
        if (wide) {                               \
            POP(b_, 1);                           \
            (to) = b_ << 16;                      \
        }                                         \
        POP(b_, 1);                               \
        (to) |= b_ << 8;                          \
        POP(b_, 2);                               \
        (to) |= b_;                               \
        if (__builtin_expect((to) >= words, 0)) { \
            sp = (uint16_t)(sp - (wide ? 3 : 2)); \
            REACH(to);                            \
            sp = (uint16_t)(sp + (wide ? 3 : 2)); \
        }                                         \
    } while (0)
op_RET : {
    uint32_t target;
    POP_PC(target);
    if (wide)
        JUMP(target, 5);
    JUMP(target, 4);
}
op_RETI : {
    uint32_t target;
    POP_PC(target);
    it |= SREG_I;
    INTERRUPTS_ALLOWED(wide ? 5 : 4);
    if (wide)
        JUMP(target, 5);
    JUMP(target, 4);
}

    /* ---- branches and skips ---- */
op_BRCS:
    BRANCH_IF(fc);
op_BRCC:
    BRANCH_IF(!fc);
op_BREQ:
    BRANCH_IF(fz == 0);
op_BRNE:
    BRANCH_IF(fz != 0);
op_BRMI:
    BRANCH_IF(FLAG_N);
op_BRPL:
    BRANCH_IF(!FLAG_N);
op_BRVS:
    BRANCH_IF(FLAG_V);
op_BRVC:
    BRANCH_IF(!FLAG_V);
op_BRLT:
    BRANCH_IF(FLAG_S);
op_BRGE:
    BRANCH_IF(!FLAG_S);
op_BRHS:
    BRANCH_IF(FLAG_H);
op_BRHC:
    BRANCH_IF(!FLAG_H);
op_BRTS:
    BRANCH_IF(it & SREG_T);
op_BRTC:
    BRANCH_IF(!(it & SREG_T));
op_BRIE:
    BRANCH_IF(it & SREG_I);
op_BRID:
    BRANCH_IF(!(it & SREG_I));
op_CPSE:
    SKIP_IF(REG(ip->d) == REG(ip->r), ip->k);
op_SBRC:
    SKIP_IF(!(REG(ip->d) & ip->r), ip->k);
op_SBRS:
    SKIP_IF(REG(ip->d) & ip->r, ip->k);
op_SBIC_PLAIN:
    SKIP_IF(!(r[ip->k] & ip->d), ip->r);
op_SBIS_PLAIN:
    SKIP_IF(r[ip->k] & ip->d, ip->r);
op_SBIC : {
    LOOK(0);
    uint8_t v = node_read(n, (uint16_t)ip->k);
    LOOKED();
    SKIP_IF(!(v & ip->d), ip->r);
}
op_SBIS : {
    LOOK(0);
    uint8_t v = node_read(n, (uint16_t)ip->k);
    LOOKED();
    SKIP_IF(v & ip->d, ip->r);
}

/* ---- data memory ---- */
#define LOAD_INDEXED(name, p)                    \
    op_LD_##name##_INC:                          \
    {                                            \
        uint32_t a = pair(r, p);                 \
        uint8_t v;                               \
        LOAD(a, v, 1);                           \
        set_pair(r, p, a + 1);                   \
        REG(ip->d) = v;                          \
        NEXT(1, 2);                              \
    }                                            \
    op_LD_##name##_DEC:                          \
    {                                            \
        uint32_t a = (uint16_t)(pair(r, p) - 1); \
        uint8_t v;                               \
        set_pair(r, p, a);                       \
        LOAD(a, v, 1);                           \
        REG(ip->d) = v;                          \
        NEXT(1, 2);                              \
    }                                            \
    op_ST_##name##_INC:                          \
    {                                            \
        uint32_t a = pair(r, p);                 \
        STORE(a, REG(ip->d), 1);                 \
        set_pair(r, p, a + 1);                   \
        NEXT(1, 2);                              \
    }                                            \
    op_ST_##name##_DEC:                          \
    {                                            \
        uint32_t a = (uint16_t)(pair(r, p) - 1); \
        set_pair(r, p, a);                       \
        STORE(a, REG(ip->d), 1);                 \
        NEXT(1, 2);                              \
    }
    LOAD_INDEXED(X, X)
    LOAD_INDEXED(Y, Y)
    LOAD_INDEXED(Z, Z)
op_LD_X:
    LOAD(pair(r, X), REG(ip->d), 1);
    NEXT(1, 2);
op_LDD_Y:
    LOAD(pair(r, Y) + ip->r, REG(ip->d), 1);
    NEXT(1, 2);
op_LDD_Z:
    LOAD(pair(r, Z) + ip->r, REG(ip->d), 1);
    NEXT(1, 2);
op_LDS:
    LOAD(ip->k, REG(ip->d), 1);
    NEXT(2, 2);
op_ST_X:
    STORE(pair(r, X), REG(ip->d), 1);
    NEXT(1, 2);
op_STD_Y:
    STORE(pair(r, Y) + ip->r, REG(ip->d), 1);
    NEXT(1, 2);
op_STD_Z:
    STORE(pair(r, Z) + ip->r, REG(ip->d), 1);
    NEXT(1, 2);
op_STS:
    STORE(ip->k, REG(ip->d), 1);
    NEXT(2, 2);
op_STS_HEAP: /* the end of the heap, and with it the stack's limit, moves */
    STORE(ip->k, REG(ip->d), 1);
    left = slice_shorten(&slice, left, 0);
    NEXT(2, 2);
op_PUSH:
    PUSH(REG(ip->d), 1);
    NEXT(1, 2);
op_POP : {
    uint8_t v;
    POP(v, 1);
    REG(ip->d) = v;
    NEXT(1, 2);
}

/* ---- program memory ---- */
#define READ_PROGRAM(to, extended)                                                          \
    do {                                                                                    \
        uint32_t a_ = program_address(n, extended);                                         \
        if (__builtin_expect(!n->code_reads_differ, 1)) {                                   \
            (to) = shared->flash[a_];                                                       \
        } else {                                                                            \
            const struct device *d_ = n->machine->instructions[INSTRUCTION_PROGRAM].device; \
            LOOK(2);                                                                        \
            uint8_t v_ = d_->type->code_read(n, d_, a_);                                    \
            LOOKED();                                                                       \
            (to) = v_;                                                                      \
        }                                                                                   \
    } while (0)
op_LPM:
    READ_PROGRAM(REG(ip->d), false);
    NEXT(1, 3);
op_LPM_INC : {
    uint8_t v;
    READ_PROGRAM(v, false);
    set_pair(r, Z, pair(r, Z) + 1);
    REG(ip->d) = v;
    NEXT(1, 3);
}
op_ELPM:
    READ_PROGRAM(REG(ip->d), true);
    NEXT(1, 3);
op_ELPM_INC : {
    uint8_t v;
    READ_PROGRAM(v, true);
    uint32_t z = ((uint32_t)r[AVR_RAMPZ] << 16 | pair(r, Z)) + 1;
    set_pair(r, Z, z);
    r[AVR_RAMPZ] = (uint8_t)(z >> 16) & n->machine->registers[AVR_RAMPZ].writable;
    REG(ip->d) = v;
    NEXT(1, 3);
}
op_SPM:
    LOOK(0);
    instruction(n, INSTRUCTION_PROGRAM);
    LOOKED();
    left = slice_shorten(&slice, left, 0); /* the code may be another from here on */
    NEXT(1, 1);

    /* ---- I/O ---- */
op_IN_PLAIN:
    REG(ip->d) = r[ip->k];
    NEXT(1, 1);
op_IN : {
    LOOK(0);
    uint8_t v = node_read(n, (uint16_t)ip->k);
    LOOKED();
    REG(ip->d) = v;
    NEXT(1, 1);
}
op_IN_SREG:
    REG(ip->d) = SREG_GET();
    NEXT(1, 1);
op_IN_SPL:
    REG(ip->d) = (uint8_t)sp;
    cpu->sp_read_at = slice.start_count + (uint64_t)slice_count(left);
    NEXT(1, 1);
op_IN_SPH:
    REG(ip->d) = (uint8_t)(sp >> 8);
    cpu->sp_read_at = slice.start_count + (uint64_t)slice_count(left);
    NEXT(1, 1);
op_OUT_PLAIN:
    r[ip->k] = REG(ip->d);
    NEXT(1, 1);
op_OUT:
    LOOK(0);
    node_write(n, (uint16_t)ip->k, REG(ip->d));
    LOOKED();
    NEXT(1, 1);
op_OUT_SREG : {
    bool was_off = !(it & SREG_I);
    SREG_SET(REG(ip->d));
    if (was_off && (it & SREG_I))
        INTERRUPTS_ALLOWED(1);
    NEXT(1, 1);
}
op_OUT_SPL:
    sp = (sp & 0xff00) | REG(ip->d);
    LOOK(0);
    avr_stack_moved(n);
    LOOKED();
    NEXT(1, 1);
op_OUT_SPH:
    sp = (sp & 0xff) | (uint32_t)REG(ip->d) << 8;
    LOOK(0);
    avr_stack_moved(n);
    LOOKED();
    NEXT(1, 1);
op_SBI_PLAIN:
    r[ip->k] |= ip->d;
    NEXT(1, 2);
op_CBI_PLAIN:
    r[ip->k] &= (uint8_t)~ip->d;
    NEXT(1, 2);
op_SBI:
    LOOK(1);
    avr_write_bit(n, (uint16_t)ip->k, ip->d, true);
    LOOKED();
    NEXT(1, 2);
op_CBI:
    LOOK(1);
    avr_write_bit(n, (uint16_t)ip->k, ip->d, false);
    LOOKED();
    NEXT(1, 2);

    /* ---- bits and flags ---- */
op_BST:
    it = (it & SREG_I) | (REG(ip->d) >> ip->r & 1u) << 6;
    NEXT(1, 1);
op_BLD:
    REG(ip->d) = (uint8_t)((REG(ip->d) & ~(1u << ip->r)) | (it >> 6 & 1u) << ip->r);
    NEXT(1, 1);
op_SEC:
    fc = 1;
    NEXT(1, 1);
op_CLC:
    fc = 0;
    NEXT(1, 1);
op_SEZ:
    fz = 0;
    NEXT(1, 1);
op_CLZ:
    fz = 1;
    NEXT(1, 1);
#define SET_FLAG(bit, on)                                            \
    do {                                                             \
        unsigned was_ = SREG_GET();                                  \
        SREG_SET((on) ? was_ | 1u << (bit) : was_ & ~(1u << (bit))); \
        NEXT(1, 1);                                                  \
    } while (0)
op_SEN:
    SET_FLAG(2, true);
op_CLN:
    SET_FLAG(2, false);
op_SEV:
    SET_FLAG(3, true);
op_CLV:
    SET_FLAG(3, false);
op_SEH:
    SET_FLAG(5, true);
op_CLH:
    SET_FLAG(5, false);
op_SES:
    SET_FLAG(4, true);
op_CLS:
    SET_FLAG(4, false);
op_SET:
    it |= SREG_T;
    NEXT(1, 1);
op_CLT:
    it &= ~(unsigned)SREG_T;
    NEXT(1, 1);
op_SEI:
    it |= SREG_I;
    INTERRUPTS_ALLOWED(1);
    NEXT(1, 1);
op_CLI:
    it &= ~(unsigned)SREG_I;
    NEXT(1, 1);

    /* ---- the rest ---- */
op_BREAK:
    NEXT(1, 1);
op_WDR:
    LOOK(0);
    instruction(n, INSTRUCTION_WATCHDOG_RESET);
    LOOKED();
    NEXT(1, 1);
op_SLEEP:
    LOOK(1);
    instruction(n, INSTRUCTION_SLEEP);
    LOOKED();
    if (n->state->sleeping) {
        left = slice_shorten(&slice, left, 0);
        if (!(it & SREG_I) && !watchdog_runs(n))
            node_halt(n, NODE_EXIT_HALT, 0);
    }
    NEXT(1, 1);
#define CANNOT_RUN(kind)                                                       \
    do {                                                                       \
        LOOK(0);                                                               \
        bool stop_ = node_fault(n, kind, 2 * HERE, 2 * HERE, (uint16_t)ip->k); \
        LOOKED();                                                              \
        if (stop_)                                                             \
            goto slice_ends;                                                   \
    } while (0)
op_ILLEGAL:
    CANNOT_RUN(FAULT_ILLEGAL_OPCODE);
    NEXT(1, 1);
op_ERASED:
    CANNOT_RUN(FAULT_ERASED_FLASH);
    NEXT(1, 1);
op_DATA:
    CANNOT_RUN(FAULT_EXECUTES_DATA);
    NEXT(1, 1);
op_OUTSIDE:
    CANNOT_RUN(FAULT_OUTSIDE_FLASH);
    ip = code + (HERE & (words - 1)); /* the program counter wraps around */
    DISPATCH();

slice_ends:
    SAVE();
    n->state->instructions = slice.start_count + (uint64_t)slice_count(left);
    if (n->state->sleeping) /* the CPU's clock stopped when the instruction ended */
        n->state->now = n->time;
    else
        n->state->now = clock_tick_of(&n->state->clocks[CLOCK_CPU], slice.start_cycle + slice_elapsed(&slice, left));
}
