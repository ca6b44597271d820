#include <fenv.h>
#include <math.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/memory.h"
#include "isa/cortex/rare.h"
#include "node/machine.h"

/* The floating-point unit FPv4-SP (ARM DDI 0403E, A7): arithmetic is the host's, which is IEEE 754 as well; what
 * differs (which NaN comes out, flushing to zero, saturating conversions) is done here. */

#define FIELD(w, low, bits) ((w) >> (low) & ((1u << (bits)) - 1))

enum {
    FLOAT_INVALID = 1,
    FLOAT_DIVIDED = 2,
    FLOAT_OVERFLOW = 4,
    FLOAT_UNDERFLOW = 8,
    FLOAT_INEXACT = 16,
    FLOAT_DENORMAL = 128,
};
#define FLOAT_DEFAULT_NAN 0x7fc00000u
#define FLOAT_SIGN        0x80000000u
#define FLOAT_DN          0x02000000u
#define FLOAT_FZ          0x01000000u

static float cortex_float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t cortex_float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static bool cortex_float_is_nan(uint32_t v)
{
    return (v & ~FLOAT_SIGN) > 0x7f800000u;
}

static bool cortex_float_signals(uint32_t v)
{
    return cortex_float_is_nan(v) && !(v & 0x00400000u);
}

static bool cortex_float_is_denormal(uint32_t v)
{
    return !(v & 0x7f800000u) && (v & 0x007fffffu);
}

/* An operand, flushed to zero where the firmware wants that. */
static uint32_t cortex_float_operand(struct cortex_cpu *cpu, uint32_t v)
{
    if (!(cpu->fpscr & FLOAT_FZ) || !cortex_float_is_denormal(v))
        return v;
    cpu->fpscr |= FLOAT_DENORMAL;
    return v & FLOAT_SIGN;
}

/* FPProcessNaNs; false: none of them is one. */
static bool cortex_float_nan(struct cortex_cpu *cpu, const uint32_t *v, unsigned count, uint32_t *result)
{
    for (int quiet = 0; quiet < 2; quiet++)
        for (unsigned i = 0; i < count; i++)
            if (quiet ? cortex_float_is_nan(v[i]) : cortex_float_signals(v[i])) {
                cpu->fpscr |= quiet ? 0 : FLOAT_INVALID;
                *result = cpu->fpscr & FLOAT_DN ? FLOAT_DEFAULT_NAN : v[i] | 0x00400000u;
                return true;
            }
    return false;
}

static const int cortex_float_modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static void cortex_float_begin(const struct cortex_cpu *cpu)
{
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(cortex_float_modes[cpu->fpscr >> 22 & 3]);
}

/* `tiny`: the exact result is smaller than any normal number, which counts before it is rounded. */
static uint32_t cortex_float_end(struct cortex_cpu *cpu, float result, bool tiny)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    uint32_t bits = cortex_float_bits(result);
    cpu->fpscr |= (raised & FE_INVALID ? FLOAT_INVALID : 0u) | (raised & FE_DIVBYZERO ? FLOAT_DIVIDED : 0u) |
                  (raised & FE_OVERFLOW ? FLOAT_OVERFLOW : 0u);
    if (cortex_float_is_nan(bits))
        return FLOAT_DEFAULT_NAN;
    if (cpu->fpscr & FLOAT_FZ && tiny) {
        cpu->fpscr |= FLOAT_UNDERFLOW;
        return bits & FLOAT_SIGN;
    }
    if (raised & FE_INEXACT)
        cpu->fpscr |= FLOAT_INEXACT | (tiny ? FLOAT_UNDERFLOW : 0);
    return bits;
}

enum float_operation { FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV, FLOAT_FMA, FLOAT_SQRT };

/* Infinity times zero. */
static bool cortex_float_has_no_product(uint32_t a, uint32_t b)
{
    a &= ~FLOAT_SIGN;
    b &= ~FLOAT_SIGN;
    return (a == 0x7f800000u && b == 0) || (a == 0 && b == 0x7f800000u);
}

/* In double precision a result is exact, or so near to it that its size is known. The sum of a fused multiplication may
 * round up to the smallest normal number; then what was lost decides. */
static bool cortex_float_is_tiny(enum float_operation what, double x, double y, double z)
{
    const double smallest = 0x1p-126;
    if (what == FLOAT_FMA) {
        double p = y * z, sum = x + p, of_p = sum - x, lost = (x - (sum - of_p)) + (p - of_p);
        return sum != 0 && (fabs(sum) < smallest || (fabs(sum) == smallest && lost != 0 && (lost < 0) != (sum < 0)));
    }
    double exact = what == FLOAT_ADD   ? x + y
                   : what == FLOAT_SUB ? x - y
                   : what == FLOAT_MUL ? x * y
                   : what == FLOAT_DIV ? x / y
                                       : 1;
    return exact != 0 && fabs(exact) < smallest;
}

static uint32_t cortex_float_do(struct cortex_cpu *cpu, enum float_operation what, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v[3] = {cortex_float_operand(cpu, a), cortex_float_operand(cpu, b), cortex_float_operand(cpu, c)}, nan;
    unsigned count = what == FLOAT_FMA ? 3 : what == FLOAT_SQRT ? 1 : 2;
    if (cortex_float_nan(cpu, v, count, &nan)) {
        bool quiet = what == FLOAT_FMA && cortex_float_is_nan(v[0]) && !cortex_float_signals(v[0]);
        if (quiet && cortex_float_has_no_product(v[1], v[2])) {
            cpu->fpscr |= FLOAT_INVALID;
            return FLOAT_DEFAULT_NAN;
        }
        return nan;
    }
    volatile float x = cortex_float_of(v[0]), y = cortex_float_of(v[1]), z = cortex_float_of(v[2]), r = 0;
    bool tiny = cortex_float_is_tiny(what, (double)x, (double)y, (double)z);
    cortex_float_begin(cpu);
    switch (what) {
    case FLOAT_ADD: r = x + y; break;
    case FLOAT_SUB: r = x - y; break;
    case FLOAT_MUL: r = x * y; break;
    case FLOAT_DIV: r = x / y; break;
    case FLOAT_FMA: r = fmaf(y, z, x); break;
    default: r = sqrtf(x); break;
    }
    return cortex_float_end(cpu, r, tiny);
}

static uint32_t cortex_float_negated(uint32_t v)
{
    return v ^ FLOAT_SIGN;
}

/* ---- comparison and conversion ---- */

static void cortex_float_compare(struct cortex_cpu *cpu, uint32_t a, uint32_t b, bool signals)
{
    a = cortex_float_operand(cpu, a);
    b = cortex_float_operand(cpu, b);
    uint32_t flags;
    if (cortex_float_is_nan(a) || cortex_float_is_nan(b)) {
        flags = CORTEX_C | CORTEX_V;
        if (signals || cortex_float_signals(a) || cortex_float_signals(b))
            cpu->fpscr |= FLOAT_INVALID;
    } else {
        float x = cortex_float_of(a), y = cortex_float_of(b);
        flags = x < y ? CORTEX_N : x > y ? CORTEX_C : CORTEX_Z | CORTEX_C;
    }
    cpu->fpscr = (cpu->fpscr & ~CORTEX_FLAGS) | flags;
}

/* To an integer or a fixed-point number of `bits` with `fraction` bits. */
static uint32_t cortex_float_to_fixed(struct cortex_cpu *cpu, uint32_t v, bool is_signed, unsigned bits,
                                      unsigned fraction, bool toward_zero)
{
    v = cortex_float_operand(cpu, v);
    if (cortex_float_is_nan(v)) {
        cpu->fpscr |= FLOAT_INVALID;
        return 0;
    }
    double scaled = ldexp((double)cortex_float_of(v), (int)fraction), whole;
    if (toward_zero) {
        whole = trunc(scaled);
    } else {
        fesetround(cortex_float_modes[cpu->fpscr >> 22 & 3]);
        volatile double in = scaled;
        whole = nearbyint(in);
        fesetround(FE_TONEAREST);
    }
    double low = is_signed ? -ldexp(1, (int)bits - 1) : 0;
    double high = is_signed ? ldexp(1, (int)bits - 1) - 1 : ldexp(1, (int)bits) - 1;
    if (whole < low || whole > high) {
        cpu->fpscr |= FLOAT_INVALID;
        whole = whole < low ? low : high;
    } else if (whole != scaled) {
        cpu->fpscr |= FLOAT_INEXACT;
    }
    return (uint32_t)(int64_t)whole;
}

static uint32_t cortex_float_from_fixed(struct cortex_cpu *cpu, uint32_t v, bool is_signed, unsigned bits,
                                        unsigned fraction, bool fixed)
{
    int64_t whole = bits == 16 ? (is_signed ? (int16_t)v : (int64_t)(uint16_t)v) : is_signed ? (int32_t)v : (int64_t)v;
    volatile double d = ldexp((double)whole, -(int)fraction);
    cortex_float_begin(cpu);
    if (fixed)
        fesetround(FE_TONEAREST); /* whatever FPSCR says */
    volatile float f = (float)d;
    return cortex_float_end(cpu, f, false);
}

static uint32_t cortex_float_from_half(struct cortex_cpu *cpu, uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    bool alternative = cpu->fpscr >> 26 & 1;
    if (exponent == 31 && !alternative) {
        if (!fraction)
            return sign | 0x7f800000;
        cpu->fpscr |= fraction & 0x200 ? 0 : FLOAT_INVALID;
        return cpu->fpscr & FLOAT_DN ? FLOAT_DEFAULT_NAN : sign | 0x7fc00000 | fraction << 13;
    }
    float f = exponent ? ldexpf((float)(0x400 | fraction), (int)exponent - 25) : ldexpf((float)fraction, -24);
    return sign | cortex_float_bits(f);
}

static uint32_t cortex_float_to_half(struct cortex_cpu *cpu, uint32_t v)
{
    v = cortex_float_operand(cpu, v);
    uint32_t sign = v >> 16 & 0x8000, size = v & ~FLOAT_SIGN;
    bool alternative = cpu->fpscr >> 26 & 1;
    if (cortex_float_is_nan(v)) {
        cpu->fpscr |= cortex_float_signals(v) || alternative ? FLOAT_INVALID : 0;
        return alternative ? sign : cpu->fpscr & FLOAT_DN ? 0x7e00 : sign | 0x7e00 | (v >> 13 & 0x3ff);
    }
    if (size >= 0x7f800000) {
        cpu->fpscr |= alternative ? FLOAT_INVALID : 0;
        return sign | (alternative ? 0x7fff : 0x7c00);
    }
    double x = (double)cortex_float_of(size), limit = alternative ? 131008 : 65504;
    int exponent = 0;
    (void)frexp(x, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11; /* the weight of the last bit */
    unsigned mode = cpu->fpscr >> 22 & 3;
    if (sign && (mode == 1 || mode == 2))
        mode = 3 - mode;
    fesetround(cortex_float_modes[mode]);
    volatile double scaled = ldexp(x, -unit);
    double whole = nearbyint(scaled);
    fesetround(FE_TONEAREST);
    if (whole != scaled)
        cpu->fpscr |= FLOAT_INEXACT | (x < ldexp(1, -14) ? FLOAT_UNDERFLOW : 0);
    double rounded = ldexp(whole, unit);
    if (rounded > limit) {
        cpu->fpscr |= alternative ? FLOAT_INVALID : FLOAT_OVERFLOW | FLOAT_INEXACT;
        bool to_largest = mode == 3 || mode == 2;
        return sign | (alternative ? 0x7fff : to_largest ? 0x7bff : 0x7c00);
    }
    if (rounded < ldexp(1, -14))
        return sign | (uint32_t)ldexp(rounded, 24);
    (void)frexp(rounded, &exponent);
    return sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)ldexp(rounded, 11 - exponent) & 0x3ff);
}

/* ---- instructions ---- */

static unsigned cortex_float_other(struct cortex_cpu *cpu, uint32_t w, uint32_t *d, uint32_t m)
{
    unsigned op2 = FIELD(w, 16, 4);
    bool op7 = FIELD(w, 7, 1);
    if (!FIELD(w, 6, 1)) {
        uint32_t imm = op2 << 4 | FIELD(w, 0, 4);
        *d = (imm & 0x80) << 24 | (imm & 0x40 ? 0x3e000000u : 0x40000000u) | (imm & 0x3f) << 19;
        return FIELD(w, 7, 1) ? 0 : 1;
    }
    switch (op2) {
    case 0: *d = op7 ? m & ~FLOAT_SIGN : m; return 1;
    case 1: *d = op7 ? cortex_float_do(cpu, FLOAT_SQRT, m, 0, 0) : cortex_float_negated(m); return op7 ? 14 : 1;
    case 2: *d = cortex_float_from_half(cpu, op7 ? m >> 16 : m & 0xffff); return 1;
    case 3: {
        uint32_t h = cortex_float_to_half(cpu, m);
        *d = op7 ? (*d & 0xffff) | h << 16 : (*d & 0xffff0000) | h;
        return 1;
    }
    case 4: cortex_float_compare(cpu, *d, m, op7); return 1;
    case 5: cortex_float_compare(cpu, *d, 0, op7); return 1;
    case 8: *d = cortex_float_from_fixed(cpu, m, op7, 32, 0, false); return 1;
    case 12:
    case 13: *d = cortex_float_to_fixed(cpu, m, op2 == 13, 32, 0, op7); return 1;
    case 10:
    case 11:
    case 14:
    case 15: {
        unsigned bits = op7 ? 32 : 16, imm = FIELD(w, 0, 4) << 1 | FIELD(w, 5, 1);
        if (imm > bits)
            return 0;
        bool is_signed = !(op2 & 1);
        if (op2 >= 14) {
            uint32_t v = cortex_float_to_fixed(cpu, *d, is_signed, bits, bits - imm, true);
            *d = bits == 16 ? (is_signed ? (uint32_t)(int16_t)v : (uint16_t)v) : v;
        } else {
            *d = cortex_float_from_fixed(cpu, *d, is_signed, bits, bits - imm, true);
        }
        return 1;
    }
    default: return 0;
    }
}

static unsigned cortex_float_data(struct cortex_cpu *cpu, uint32_t w)
{
    uint32_t *d = &cpu->s[FIELD(w, 12, 4) << 1 | FIELD(w, 22, 1)];
    uint32_t n = cpu->s[FIELD(w, 16, 4) << 1 | FIELD(w, 7, 1)], m = cpu->s[FIELD(w, 0, 4) << 1 | FIELD(w, 5, 1)];
    bool op = FIELD(w, 6, 1);
    if (FIELD(w, 8, 1))
        return 0; /* double precision */
    switch (FIELD(w, 20, 4) & 0xb) {
    case 0: {
        uint32_t p = cortex_float_do(cpu, FLOAT_MUL, n, m, 0);
        *d = cortex_float_do(cpu, FLOAT_ADD, *d, op ? cortex_float_negated(p) : p, 0);
        return 3;
    }
    case 1: {
        uint32_t p = cortex_float_do(cpu, FLOAT_MUL, n, m, 0);
        *d = cortex_float_do(cpu, FLOAT_ADD, cortex_float_negated(*d), op ? cortex_float_negated(p) : p, 0);
        return 3;
    }
    case 2: {
        uint32_t p = cortex_float_do(cpu, FLOAT_MUL, n, m, 0);
        *d = op ? cortex_float_negated(p) : p;
        return 1;
    }
    case 3: *d = cortex_float_do(cpu, op ? FLOAT_SUB : FLOAT_ADD, n, m, 0); return 1;
    case 8:
        if (op)
            return 0;
        *d = cortex_float_do(cpu, FLOAT_DIV, n, m, 0);
        return 14;
    case 9:
        *d = cortex_float_do(cpu, FLOAT_FMA, cortex_float_negated(*d), op ? cortex_float_negated(n) : n, m);
        return 3;
    case 10: *d = cortex_float_do(cpu, FLOAT_FMA, *d, op ? cortex_float_negated(n) : n, m); return 3;
    default: return cortex_float_other(cpu, w, d, m);
    }
}

/* VLDR, VSTR, VLDM, VSTM. */
static unsigned cortex_float_memory(struct node *n, uint32_t pc, uint32_t w)
{
    struct cortex_cpu *cpu = n->cpu;
    bool before = FIELD(w, 24, 1), up = FIELD(w, 23, 1), back = FIELD(w, 21, 1), load = FIELD(w, 20, 1);
    bool twice = FIELD(w, 8, 1);
    unsigned base = FIELD(w, 16, 4), first, count = FIELD(w, 0, 8);
    first = twice ? (FIELD(w, 22, 1) << 4 | FIELD(w, 12, 4)) * 2 : FIELD(w, 12, 4) << 1 | FIELD(w, 22, 1);
    uint32_t from = base == 15 ? (pc + 4) & ~3u : cpu->r[base], offset = 4 * count, at;
    bool single = before && !back;
    if (single) {
        at = up ? from + offset : from - offset;
        count = twice ? 2 : 1;
    } else {
        if (before == up)
            return 0;
        at = up ? from : from - offset;
        count = twice ? count & ~1u : count;
    }
    if (first + count > 32)
        return 0;
    for (unsigned i = 0; i < count && !cpu->aborted; i++, at += 4) {
        if (load)
            cpu->s[first + i] = cortex_load(n, pc, at, 4, true);
        else
            cortex_store(n, pc, at, cpu->s[first + i], 4, true);
    }
    if (back && !cpu->aborted)
        cpu->r[base] = up ? from + offset : from - offset;
    return 1 + count;
}

/* Between registers of both kinds. */
static unsigned cortex_float_move(struct cortex_cpu *cpu, uint32_t w)
{
    bool to_core = FIELD(w, 20, 1);
    unsigned t = FIELD(w, 12, 4);
    if (FIELD(w, 21, 7) == 0x62) { /* two at a time */
        unsigned first =
            FIELD(w, 8, 1) ? (FIELD(w, 5, 1) << 4 | FIELD(w, 0, 4)) * 2 : FIELD(w, 0, 4) << 1 | FIELD(w, 5, 1);
        if (first > 30)
            return 0;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t *r = &cpu->r[i ? FIELD(w, 16, 4) : t], *s = &cpu->s[first + i];
            *(to_core ? r : s) = *(to_core ? s : r);
        }
        return 2;
    }
    unsigned op = FIELD(w, 21, 3);
    if (op == 7 && FIELD(w, 16, 4) == 1) {
        if (!to_core)
            cpu->fpscr = cpu->r[t] & 0xf7c0009f;
        else if (t == 15)
            cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | (cpu->fpscr & CORTEX_FLAGS);
        else
            cpu->r[t] = cpu->fpscr;
        return 1;
    }
    unsigned s;
    if (!FIELD(w, 8, 1) && op == 0)
        s = FIELD(w, 16, 4) << 1 | FIELD(w, 7, 1);
    else if (FIELD(w, 8, 1) && op < 2 && !FIELD(w, 5, 2))
        s = (FIELD(w, 7, 1) << 4 | FIELD(w, 16, 4)) * 2 + op;
    else
        return 0;
    if (s > 31)
        return 0;
    *(to_core ? &cpu->r[t] : &cpu->s[s]) = *(to_core ? &cpu->s[s] : &cpu->r[t]);
    return 1;
}

/* Whether the unit may be used; makes it that of the current code. */
static bool cortex_float_allowed(struct node *n, uint32_t pc, uint32_t w)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct cortex_core *core = n->machine->chip->core;
    unsigned access = cpu->cpacr >> 20 & 3;
    bool privileged = cpu->exception || !(cpu->control & CORTEX_UNPRIVILEGED);
    if (!core->fpu || access == 0 || (access == 1 && !privileged)) {
        cpu->aborted = 1;
        n->cut = true;
        if (!node_fault(n, FAULT_ILLEGAL_OPCODE, pc, pc, w))
            cortex_exception_fault(n, CORTEX_USAGE_FAULT, CORTEX_NOCP);
        return false;
    }
    if (cpu->fpccr & CORTEX_LAZY_ACTIVE)
        cortex_exception_stack_floats(n);
    if (!(cpu->control & CORTEX_FLOAT_ACTIVE) && cpu->fpccr & CORTEX_AUTOMATIC) {
        cpu->control |= CORTEX_FLOAT_ACTIVE;
        cpu->fpscr = (cpu->fpscr & ~0x07c00000u) | (cpu->fpdscr & 0x07c00000u);
    }
    return true;
}

unsigned cortex_float(struct node *n, uint32_t pc, uint32_t w)
{
    if (!cortex_float_allowed(n, pc, w))
        return 0;
    if (FIELD(w, 28, 4) == 0xf)
        return 0;
    if (FIELD(w, 24, 4) == 0xe)
        return FIELD(w, 4, 1) ? cortex_float_move(n->cpu, w) : cortex_float_data(n->cpu, w);
    if (FIELD(w, 21, 7) == 0x62)
        return cortex_float_move(n->cpu, w);
    return cortex_float_memory(n, pc, w);
}
