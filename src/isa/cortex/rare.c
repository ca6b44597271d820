#include "isa/cortex/mpu.h"
#include "isa/cortex/rare.h"

#include "chip/chip.h"
#include "isa/cortex/code.h"
#include "isa/cortex/exceptions.h"
#include "node/machine.h"

#define FIELD(w, low, bits) ((w) >> (low) & ((1u << (bits)) - 1))

/* ---- saturation ---- */

static int64_t cortex_rare_saturate(struct cortex_cpu *cpu, int64_t v, int64_t low, int64_t high)
{
    if (v >= low && v <= high)
        return v;
    cpu->psr |= CORTEX_Q;
    return v < low ? low : high;
}

static int64_t cortex_rare_signed(struct cortex_cpu *cpu, int64_t v, unsigned bits)
{
    int64_t limit = INT64_C(1) << (bits - 1);
    return cortex_rare_saturate(cpu, v, -limit, limit - 1);
}

/* SSAT, USAT and their forms for two halfwords. */
static unsigned cortex_rare_saturation(struct cortex_cpu *cpu, bool dsp, uint32_t w)
{
    bool is_unsigned = FIELD(w, 23, 1), right = FIELD(w, 21, 1);
    unsigned by = FIELD(w, 12, 3) << 2 | FIELD(w, 6, 2), bits = FIELD(w, 0, 5) + !is_unsigned;
    int64_t low = is_unsigned ? 0 : -(INT64_C(1) << (bits - 1));
    int64_t high = is_unsigned ? (INT64_C(1) << bits) - 1 : (INT64_C(1) << (bits - 1)) - 1;
    uint32_t v = cpu->r[FIELD(w, 16, 4)], *d = &cpu->r[FIELD(w, 8, 4)];
    if (right && by == 0) {
        if (!dsp)
            return 0;
        uint32_t first = (uint16_t)cortex_rare_saturate(cpu, (int16_t)v, low, high);
        *d = first | (uint32_t)cortex_rare_saturate(cpu, (int16_t)(v >> 16), low, high) << 16;
        return 1;
    }
    int64_t shifted = right ? (int32_t)v >> by : (int32_t)(v << by);
    *d = (uint32_t)cortex_rare_saturate(cpu, shifted, low, high);
    return 1;
}

/* ---- parallel additions ---- */

enum parallel { PARALLEL_PLAIN, PARALLEL_SATURATED, PARALLEL_HALVED };

/* One lane of 8 or 16 bits; `ge` gets the bit of APSR.GE for it. */
static uint32_t cortex_rare_lane(int32_t v, unsigned bits, bool is_unsigned, enum parallel how, bool subtract, bool *ge)
{
    int32_t top = 1 << bits;
    *ge = is_unsigned ? (subtract ? v >= 0 : v >= top) : v >= 0;
    if (how == PARALLEL_HALVED)
        v >>= 1;
    else if (how == PARALLEL_SATURATED) {
        int32_t low = is_unsigned ? 0 : -top / 2, high = is_unsigned ? top - 1 : top / 2 - 1;
        v = v < low ? low : v > high ? high : v;
    }
    return (uint32_t)v & (uint32_t)(top - 1);
}

static int32_t cortex_rare_part(uint32_t v, unsigned lane, unsigned bits, bool is_unsigned)
{
    uint32_t part = v >> lane * bits;
    if (bits == 8)
        return is_unsigned ? (int32_t)(part & 0xff) : (int8_t)part;
    return is_unsigned ? (int32_t)(part & 0xffff) : (int16_t)part;
}

static unsigned cortex_rare_parallel(struct cortex_cpu *cpu, uint32_t w)
{
    enum { ADD8 = 8, ADD16 = 9, ASX = 10, SUB8 = 12, SUB16 = 13, SAX = 14 };
    unsigned op = FIELD(w, 20, 4), bits = op == ADD8 || op == SUB8 ? 8 : 16;
    bool is_unsigned = FIELD(w, 6, 1), crossed = op == ASX || op == SAX;
    enum parallel how = (enum parallel)FIELD(w, 4, 2);
    uint32_t a = cpu->r[FIELD(w, 16, 4)], b = cpu->r[FIELD(w, 0, 4)], result = 0, ge = 0;
    if (how > PARALLEL_HALVED || op == 11 || op == 15)
        return 0;
    for (unsigned lane = 0; lane < 32 / bits; lane++) {
        bool subtract = op == SUB8 || op == SUB16 || (op == ASX && lane == 0) || (op == SAX && lane == 1), holds;
        int32_t x = cortex_rare_part(a, lane, bits, is_unsigned);
        int32_t y = cortex_rare_part(b, crossed ? 1 - lane : lane, bits, is_unsigned);
        result |= cortex_rare_lane(subtract ? x - y : x + y, bits, is_unsigned, how, subtract, &holds) << lane * bits;
        ge |= (holds ? (bits == 8 ? 1u : 3u) : 0) << lane * (bits / 8);
    }
    if (how == PARALLEL_PLAIN)
        cpu->psr = (cpu->psr & ~CORTEX_GE) | ge << 16;
    cpu->r[FIELD(w, 8, 4)] = result;
    return 1;
}

/* ---- extension, packing, selection ---- */

static unsigned cortex_rare_extend(struct cortex_cpu *cpu, bool dsp, uint32_t w)
{
    unsigned op = FIELD(w, 20, 4), first = FIELD(w, 16, 4);
    uint32_t v = cortex_ror(cpu->r[FIELD(w, 0, 4)], 8 * FIELD(w, 4, 2)), base = first == 15 ? 0 : cpu->r[first];
    bool two = op == 2 || op == 3;
    if (!dsp && (first != 15 || two))
        return 0;
    uint32_t *d = &cpu->r[FIELD(w, 8, 4)];
    switch (op) {
    case 0: *d = base + (uint32_t)(int16_t)v; break;
    case 1: *d = base + (uint16_t)v; break;
    case 4: *d = base + (uint32_t)(int8_t)v; break;
    case 5: *d = base + (uint8_t)v; break;
    default: {
        bool is_unsigned = op == 3;
        uint32_t low = is_unsigned ? (uint8_t)v : (uint32_t)(int8_t)v;
        uint32_t high = is_unsigned ? (uint8_t)(v >> 16) : (uint32_t)(int8_t)(v >> 16);
        *d = ((base + low) & 0xffff) | ((base >> 16) + high) << 16;
    }
    }
    return 1;
}

static unsigned cortex_rare_pack(struct cortex_cpu *cpu, uint32_t w)
{
    bool top = FIELD(w, 5, 1);
    unsigned by = FIELD(w, 12, 3) << 2 | FIELD(w, 6, 2);
    uint32_t a = cpu->r[FIELD(w, 16, 4)], b = cpu->r[FIELD(w, 0, 4)];
    uint32_t shifted = top ? (uint32_t)((int32_t)b >> (by ? by : 31)) : b << by;
    cpu->r[FIELD(w, 8, 4)] = top ? (a & 0xffff0000) | (shifted & 0xffff) : (shifted & 0xffff0000) | (a & 0xffff);
    return 1;
}

static unsigned cortex_rare_select(struct cortex_cpu *cpu, uint32_t w)
{
    uint32_t a = cpu->r[FIELD(w, 16, 4)], b = cpu->r[FIELD(w, 0, 4)], mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= cpu->psr >> (16 + i) & 1 ? 0xffu << 8 * i : 0;
    cpu->r[FIELD(w, 8, 4)] = (a & mask) | (b & ~mask);
    return 1;
}

/* QADD, QDADD, QSUB, QDSUB. */
static unsigned cortex_rare_saturated(struct cortex_cpu *cpu, uint32_t w)
{
    int64_t n = (int32_t)cpu->r[FIELD(w, 16, 4)], m = (int32_t)cpu->r[FIELD(w, 0, 4)];
    unsigned op = FIELD(w, 4, 2);
    if (op & 1)
        n = cortex_rare_signed(cpu, 2 * n, 32);
    cpu->r[FIELD(w, 8, 4)] = (uint32_t)cortex_rare_signed(cpu, op & 2 ? m - n : m + n, 32);
    return 1;
}

/* ---- multiplication ---- */

static int64_t cortex_rare_half(uint32_t v, bool top)
{
    return (int16_t)(top ? v >> 16 : v);
}

static void cortex_rare_overflow(struct cortex_cpu *cpu, int64_t v)
{
    if (v != (int32_t)v)
        cpu->psr |= CORTEX_Q;
}

/* Sum or difference of the products of both halves. */
static int64_t cortex_rare_dual(uint32_t a, uint32_t b, bool swap, bool subtract)
{
    int64_t low = cortex_rare_half(a, false) * cortex_rare_half(b, swap);
    int64_t high = cortex_rare_half(a, true) * cortex_rare_half(b, !swap);
    return subtract ? low - high : low + high;
}

static uint32_t cortex_rare_differences(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        int32_t d = (int32_t)(a >> i & 0xff) - (int32_t)(b >> i & 0xff);
        sum += (uint32_t)(d < 0 ? -d : d);
    }
    return sum;
}

static unsigned cortex_rare_multiply(struct cortex_cpu *cpu, uint32_t w)
{
    uint32_t a = cpu->r[FIELD(w, 16, 4)], b = cpu->r[FIELD(w, 0, 4)];
    unsigned x = FIELD(w, 12, 4), cycles = x == 15 ? 1 : 2;
    int64_t add = x == 15 ? 0 : (int32_t)cpu->r[x], v;
    bool n_top = FIELD(w, 5, 1), m_top = FIELD(w, 4, 1);
    switch (FIELD(w, 20, 3)) {
    case 1:
        v = cortex_rare_half(a, n_top) * cortex_rare_half(b, m_top) + add;
        cortex_rare_overflow(cpu, v);
        break;
    case 2:
    case 4:
        v = cortex_rare_dual(a, b, m_top, FIELD(w, 20, 3) == 4) + add;
        cortex_rare_overflow(cpu, v);
        break;
    case 3:
        v = ((int64_t)(int32_t)a * cortex_rare_half(b, m_top) >> 16) + add;
        cortex_rare_overflow(cpu, v);
        break;
    case 5:
    case 6: {
        uint64_t product = (uint64_t)((int64_t)(int32_t)a * (int32_t)b), base = (uint64_t)add << 32;
        uint64_t sum = (FIELD(w, 20, 3) == 6 ? base - product : base + product) + (m_top ? 0x80000000u : 0);
        v = (int64_t)sum >> 32;
        break;
    }
    case 7: v = (int64_t)cortex_rare_differences(a, b) + add; break;
    default: return 0;
    }
    cpu->r[FIELD(w, 8, 4)] = (uint32_t)v;
    return cycles;
}

static unsigned cortex_rare_long(struct cortex_cpu *cpu, uint32_t w)
{
    uint32_t a = cpu->r[FIELD(w, 16, 4)], b = cpu->r[FIELD(w, 0, 4)];
    uint32_t *low = &cpu->r[FIELD(w, 12, 4)], *high = &cpu->r[FIELD(w, 8, 4)];
    unsigned op1 = FIELD(w, 20, 3), op2 = FIELD(w, 4, 4);
    uint64_t v = (uint64_t)*high << 32 | *low;
    if (op1 == 4 && op2 >> 2 == 2)
        v += (uint64_t)(cortex_rare_half(a, op2 & 2) * cortex_rare_half(b, op2 & 1));
    else if ((op1 == 4 || op1 == 5) && op2 >> 1 == 6)
        v += (uint64_t)cortex_rare_dual(a, b, op2 & 1, op1 == 5);
    else if (op1 == 6 && op2 == 6)
        v = (uint64_t)a * b + *low + *high;
    else
        return 0;
    *low = (uint32_t)v;
    *high = (uint32_t)(v >> 32);
    return 1;
}

unsigned cortex_rare(struct cortex_cpu *cpu, const struct cortex_core *core, uint32_t w)
{
    unsigned op1 = FIELD(w, 20, 4), op2 = FIELD(w, 4, 4);
    if (FIELD(w, 27, 2) == 2)
        return cortex_rare_saturation(cpu, core->dsp, w);
    if (FIELD(w, 24, 3) == 2 && op1 < 6 && op2 >= 8)
        return cortex_rare_extend(cpu, core->dsp, w);
    if (!core->dsp)
        return 0;
    if (FIELD(w, 27, 2) == 1)
        return cortex_rare_pack(cpu, w);
    if (FIELD(w, 24, 3) == 2) {
        if (op2 < 8)
            return cortex_rare_parallel(cpu, w);
        if (op1 == 8 && op2 < 12)
            return cortex_rare_saturated(cpu, w);
        return op1 == 10 && op2 == 8 ? cortex_rare_select(cpu, w) : 0;
    }
    return FIELD(w, 23, 1) ? cortex_rare_long(cpu, w) : cortex_rare_multiply(cpu, w);
}

/* ---- special registers ---- */

enum { MAIN_SP = 8, PROCESS_SP, PRIMASK = 16, BASEPRI, BASEPRI_MAX, FAULTMASK, CONTROL };

static uint32_t *cortex_rare_stack(struct cortex_cpu *cpu, bool process)
{
    bool in_use = !cpu->exception && cpu->control & CORTEX_PROCESS_STACK;
    return in_use == process ? &cpu->r[CORTEX_SP] : &cpu->other_sp;
}

static bool cortex_rare_privileged(const struct cortex_cpu *cpu)
{
    return cpu->exception || !(cpu->control & CORTEX_UNPRIVILEGED);
}

static uint32_t cortex_rare_special(struct cortex_cpu *cpu, unsigned number)
{
    if (number < 8)
        return (number & 4 ? 0 : cpu->psr) | (number & 1 ? cpu->exception : 0);
    if (number == CONTROL)
        return cpu->control;
    if (!cortex_rare_privileged(cpu))
        return 0;
    switch (number) {
    case MAIN_SP: return *cortex_rare_stack(cpu, false);
    case PROCESS_SP: return *cortex_rare_stack(cpu, true);
    case PRIMASK: return cpu->primask;
    case BASEPRI:
    case BASEPRI_MAX: return cpu->basepri;
    case FAULTMASK: return cpu->faultmask;
    default: return 0;
    }
}

static void cortex_rare_set_base(struct node *n, uint32_t v, bool only_up)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct cortex_core *core = n->machine->chip->core;
    uint8_t p = (uint8_t)(v & 0xff & ~((1u << (8 - core->priority_bits)) - 1));
    if (!only_up || (p && (p < cpu->basepri || !cpu->basepri)))
        cpu->basepri = p;
}

static void cortex_rare_set_special(struct node *n, unsigned number, uint32_t v, unsigned mask)
{
    struct cortex_cpu *cpu = n->cpu;
    if (number < 4) {
        uint32_t bits = (mask & 2 ? CORTEX_FLAGS | CORTEX_Q : 0) | (mask & 1 ? CORTEX_GE : 0);
        cpu->psr = (cpu->psr & ~bits) | (v & bits);
        return;
    }
    if (!cortex_rare_privileged(cpu))
        return;
    switch (number) {
    case MAIN_SP: *cortex_rare_stack(cpu, false) = v & ~3u; break;
    case PROCESS_SP: *cortex_rare_stack(cpu, true) = v & ~3u; break;
    case PRIMASK: cpu->primask = v & 1; break;
    case BASEPRI: cortex_rare_set_base(n, v, false); break;
    case BASEPRI_MAX: cortex_rare_set_base(n, v, true); break;
    case FAULTMASK: cpu->faultmask = v & 1; break;
    case CONTROL: {
        uint8_t keeps = cpu->exception ? cpu->control & CORTEX_PROCESS_STACK : v & CORTEX_PROCESS_STACK;
        const struct cortex_core *core = n->machine->chip->core;
        cortex_set_control(cpu,
                           (uint8_t)((v & CORTEX_UNPRIVILEGED) | keeps | (core->fpu ? v & CORTEX_FLOAT_ACTIVE : 0)));
        if (cpu->mpu_ctrl)
            cortex_mpu_changed(n);
        break;
    }
    default: break;
    }
    cortex_exception_changed(n);
}

/* CPSIE, CPSID. */
static void cortex_rare_change_state(struct node *n, uint32_t w)
{
    struct cortex_cpu *cpu = n->cpu;
    if (!cortex_rare_privileged(cpu))
        return;
    if (w & 2)
        cpu->primask = w >> 4 & 1;
    if (w & 1)
        cpu->faultmask = w >> 4 & 1;
    if (!(w & 0x10))
        cortex_exception_changed(n);
}

unsigned cortex_system(struct node *n, uint32_t w)
{
    struct cortex_cpu *cpu = n->cpu;
    if (w <= 0xffff) {
        cortex_rare_change_state(n, w);
        return 1;
    }
    switch (FIELD(w, 20, 7)) {
    case 0x38:
    case 0x39: cortex_rare_set_special(n, FIELD(w, 0, 8), cpu->r[FIELD(w, 16, 4)], FIELD(w, 10, 2)); return 2;
    case 0x3e:
    case 0x3f: cpu->r[FIELD(w, 8, 4)] = cortex_rare_special(cpu, FIELD(w, 0, 8)); return 2;
    default: cpu->exclusive = 0; return 1;
    }
}
