/* The operations of Thumb code that need nothing but registers, flags and memory: a part of execute_loop.h, once for
 * each length of instructions, and of translate/operations_cortex.c (execute_shared.h). The others are in the loop. */

LOGICS(AND)
LOGICS(BIC)
LOGICS(ORR)
LOGICS(ORN)
LOGICS(EOR)
LOGICS(MOV)
LOGICS(MVN)
SUMS(ADD)
SUMS(ADC)
SUMS(SUB)
SUMS(SBC)
SUMS(RSB)
TESTS(TST)
TESTS(TEQ)
TESTS(CMP)
TESTS(CMN)
SHIFT_FORMS(LSL)
SHIFT_FORMS(LSR)
SHIFT_FORMS(ASR)
SHIFT_FORMS(ROR)
SHIFT_NUMBER(LSL)
SHIFT_NUMBER(LSR)
SHIFT_NUMBER(ASR)
OP(MOVT)
{
    R[ip->d] = (R[ip->d] & 0xffff) | ip->imm << 16;
    NEXT(1);
}

/* ---- products and quotients ---- */

OP(MUL)
{
    R[ip->d] = R[ip->n] * R[ip->m];
    NEXT(1);
}
OP(MUL_F)
{
    uint32_t v = R[ip->n] * R[ip->m];
    R[ip->d] = v;
    fr = SIGNED(v);
    NEXT(1);
}
OP(MLA)
{
    R[ip->d] = R[ip->n] * R[ip->m] + R[ip->x];
    NEXT(2);
}
OP(MLS)
{
    R[ip->d] = R[ip->x] - R[ip->n] * R[ip->m];
    NEXT(2);
}
#define LONG(name, expression)               \
    OP(name)                                 \
    {                                        \
        uint64_t v = (uint64_t)(expression); \
        R[ip->x] = (uint32_t)v;              \
        R[ip->d] = (uint32_t)(v >> 32);      \
        NEXT(1);                             \
    }
#define OLD_LONG ((uint64_t)R[ip->d] << 32 | R[ip->x])
LONG(UMULL, (uint64_t)R[ip->n] * R[ip->m])
LONG(SMULL, (int64_t)(int32_t)R[ip->n] * (int32_t)R[ip->m])
LONG(UMLAL, (uint64_t)R[ip->n] * R[ip->m] + OLD_LONG)
LONG(SMLAL, (uint64_t)((int64_t)(int32_t)R[ip->n] * (int32_t)R[ip->m]) + OLD_LONG)
#undef OLD_LONG
#undef LONG
#define DIVISION(name, negative)                                                       \
    OP(name)                                                                           \
    {                                                                                  \
        uint32_t a = R[ip->n], b = R[ip->m], q = 0;                                    \
        if (b == 0 && cpu->ccr & CORTEX_DIV_0_TRAP)                                    \
            DIVIDED_BY_ZERO();                                                         \
        uint32_t a_size = negative(a) ? 0u - a : a, b_size = negative(b) ? 0u - b : b; \
        if (b)                                                                         \
            q = a_size / b_size;                                                       \
        R[ip->d] = negative(a ^ b) ? 0u - q : q;                                       \
        NEXT_LONG(cortex_division_cycles(a_size, b_size));                             \
    }
#define NEVER_NEGATIVE(v) ((void)(v), false)
#define IS_NEGATIVE(v)    ((v) >> 31)
DIVISION(UDIV, NEVER_NEGATIVE)
DIVISION(SDIV, IS_NEGATIVE)
#undef NEVER_NEGATIVE
#undef IS_NEGATIVE
#undef DIVISION

/* ---- bytes and bits ---- */

CHANGE(SXTB, (uint32_t)(int32_t)(int8_t)v)
CHANGE(SXTH, (uint32_t)(int32_t)(int16_t)v)
CHANGE(UXTB, v & 0xff)
CHANGE(UXTH, v & 0xffff)
CHANGE(REV, __builtin_bswap32(v))
CHANGE(REV16, (v >> 8 & 0x00ff00ff) | (v << 8 & 0xff00ff00))
CHANGE(REVSH, (uint32_t)(int32_t)(int16_t)__builtin_bswap16((uint16_t)v))
CHANGE(CLZ, v ? (uint32_t)__builtin_clz(v) : 32)
OP(RBIT)
{
    uint32_t v = __builtin_bswap32(R[ip->m]);
    v = (v >> 4 & 0x0f0f0f0f) | (v << 4 & 0xf0f0f0f0);
    v = (v >> 2 & 0x33333333) | (v << 2 & 0xcccccccc);
    R[ip->d] = (v >> 1 & 0x55555555) | (v << 1 & 0xaaaaaaaa);
    NEXT(1);
}
#define MASK_OF(width) (0xffffffffu >> (32 - (width)))
OP(BFI)
{
    uint32_t field = MASK_OF(ip->imm) << ip->x;
    R[ip->d] = (R[ip->d] & ~field) | (R[ip->n] << ip->x & field);
    NEXT(1);
}
OP(BFC)
{
    R[ip->d] &= ~(MASK_OF(ip->imm) << ip->x);
    NEXT(1);
}
OP(UBFX)
{
    R[ip->d] = R[ip->n] >> ip->x & MASK_OF(ip->imm);
    NEXT(1);
}
OP(SBFX)
{
    R[ip->d] = (uint32_t)((int32_t)(R[ip->n] << (32 - ip->x - ip->imm)) >> (32 - ip->imm));
    NEXT(1);
}
#undef MASK_OF

/* ---- memory ---- */

LOAD_FORMS(LDR, 4, v)
LOAD_FORMS(LDRB, 1, v)
LOAD_FORMS(LDRH, 2, v)
LOAD_FORMS(LDRSB, 1, (uint32_t)(int32_t)(int8_t)v)
LOAD_FORMS(LDRSH, 2, (uint32_t)(int32_t)(int16_t)v)
STORE_FORMS(STR, 4)
STORE_FORMS(STRB, 1)
STORE_FORMS(STRH, 2)
LOAD_LITERAL(LDR_L)
OP(LDRX_L)
{
    uint32_t v;
    if (ip->m & 1)
        LOAD(v, ip->imm, 2);
    else
        LOAD(v, ip->imm, 1);
    R[ip->d] = ip->m == 3 ? (uint32_t)(int32_t)(int16_t)v : ip->m == 2 ? (uint32_t)(int32_t)(int8_t)v : v;
    NEXT(2);
}
OP(LDR_PC)
{
    uint32_t base = R[ip->n], moved = base + (ip->x & CORTEX_SHIFTED ? R[ip->m] << ip->imm : ip->imm), v;
    uint32_t at = ip->x & CORTEX_LITERAL ? ip->imm : ip->x & (CORTEX_INDEX | CORTEX_SHIFTED) ? moved : base;
    LOAD_HOW(v, at, 4, WHOLE);
    REACHES(v);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    BRANCH_TO(v, 5);
}
OP(LDRD)
{
    uint32_t base = R[ip->n], moved = base + ip->imm, low, high;
    uint32_t at = ip->x & CORTEX_LITERAL ? ip->imm : ip->x & CORTEX_INDEX ? moved : base;
    LOAD_HOW(low, at, 4, WHOLE);
    LOAD_HOW(high, at + 4, 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    R[ip->d] = low;
    R[ip->m] = high;
    NEXT(3);
}
OP(STRD)
{
    uint32_t base = R[ip->n], moved = base + ip->imm, at = ip->x & CORTEX_INDEX ? moved : base;
    if (ip->n == CORTEX_SP && ip->x & CORTEX_WRITE_BACK)
        CHECK_STACK(moved);
    STORE_HOW(at, R[ip->d], 4, WHOLE);
    STORE_HOW(at + 4, R[ip->m], 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    NEXT(3);
}
OP(LDM)
{
    uint32_t list = ip->imm, size = 4u * ip->m, base = R[ip->n], target = 0;
    uint32_t at = ip->x & CORTEX_INDEX ? base - size : base, end = ip->x & CORTEX_INDEX ? at : base + size;
    if (__builtin_expect(cortex_plain_words(marks, ram_span, at - ram_first, size), 1)) {
        const uint8_t *from = ram + (at - ram_first);
        if (list & 0x8000) {
            target = cortex_word_at(from + size - 4);
            REACHES(target);
        }
        LOAD_LIST(from, list & 0x7fff);
    } else {
        LOAD_LIST_SLOWLY(at, list, target);
    }
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = end;
    if (list & 0x8000)
        BRANCH_TO_LONG(target, 4u + ip->m);
    NEXT_LONG(1u + ip->m);
}
OP(STM)
{
    uint32_t list = ip->imm, size = 4u * ip->m, base = R[ip->n];
    uint32_t at = ip->x & CORTEX_INDEX ? base - size : base, end = ip->x & CORTEX_INDEX ? at : base + size;
    if (ip->n == CORTEX_SP)
        CHECK_STACK(at);
    if (__builtin_expect(cortex_plain_words(marks, ram_span, at - ram_first, size), 1)) {
        uint8_t *to = ram + (at - ram_first);
        STORE_LIST(to, list);
    } else {
        STORE_LIST_SLOWLY(at, list);
    }
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = end;
    NEXT_LONG(1u + ip->m);
}
OP(LDREX)
{
    uint32_t at = R[ip->n] + ip->imm, v;
    if (ip->x == 4)
        LOAD_HOW(v, at, 4, WHOLE);
    else if (ip->x == 2)
        LOAD_HOW(v, at, 2, WHOLE);
    else
        LOAD_HOW(v, at, 1, WHOLE);
    cpu->exclusive = at + 1;
    R[ip->m] = v;
    NEXT(2);
}
OP(STREX)
{
    uint32_t at = R[ip->n] + ip->imm;
    bool holds = cpu->exclusive == at + 1;
    if (holds && ip->x == 4)
        STORE_HOW(at, R[ip->m], 4, WHOLE);
    else if (holds && ip->x == 2)
        STORE_HOW(at, R[ip->m], 2, WHOLE);
    else if (holds)
        STORE_HOW(at, R[ip->m], 1, WHOLE);
    cpu->exclusive = 0;
    R[ip->d] = !holds;
    NEXT(2);
}
#define TABLE(name, size)                                                \
    OP(name)                                                             \
    {                                                                    \
        uint32_t base = ip->n == CORTEX_PC ? HERE + 4 : R[ip->n], v, to; \
        LOAD(v, base + (size)*R[ip->m], size);                           \
        to = HERE + 4 + 2 * v;                                           \
        REACHES(to | 1);                                                 \
        JUMP(to, 4);                                                     \
    }
TABLE(TBB, 1)
TABLE(TBH, 2)
#undef TABLE
OP(FRAME)
{
    uint32_t to = R[CORTEX_SP] - ip->imm;
    CHECK_STACK(to);
    R[CORTEX_SP] = to;
    NEXT(1);
}

/* ---- branches ---- */

BRANCH_IF(BEQ)
BRANCH_IF(BNE)
BRANCH_IF(BCS)
BRANCH_IF(BCC)
BRANCH_IF(BMI)
BRANCH_IF(BPL)
BRANCH_IF(BVS)
BRANCH_IF(BVC)
BRANCH_IF(BHI)
BRANCH_IF(BLS)
BRANCH_IF(BGE)
BRANCH_IF(BLT)
BRANCH_IF(BGT)
BRANCH_IF(BLE)
BRANCH_IF(CBZ)
BRANCH_IF(CBNZ)
OP(B)
{
    GO(ip->imm, 3);
}
OP(BL)
{
    R[CORTEX_LR] = (HERE + 4) | 1;
    GO(ip->imm, 4);
}
OP(BX)
{
    uint32_t to = R[ip->m];
    REACHES(to);
    BRANCH_TO(to, 3);
}
OP(BLX)
{
    uint32_t to = R[ip->m];
    REACHES(to);
    R[CORTEX_LR] = (HERE + 2) | 1;
    BRANCH_TO(to, 3);
}
OP(MOV_PC)
{
    uint32_t to = R[ip->m] & ~1u;
    REACHES(to | 1);
    JUMP(to, 3);
}
OP(ADD_PC)
{
    uint32_t to = (HERE + 4 + R[ip->m]) & ~1u;
    REACHES(to | 1);
    JUMP(to, 3);
}
OP(GET_PC)
{
    R[ip->d] = HERE + 4;
    NEXT(1);
}
OP(PLUS_PC)
{
    R[ip->d] += HERE + 4;
    NEXT(1);
}
OP(NOP)
{
    NEXT(1);
}
OP(IT)
{
    GO_IT(ip->imm, 1);
}
