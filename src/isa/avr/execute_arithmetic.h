/* Arithmetic, logic, bits and flags: a part of execute.c and of translate/operations_avr.c
 * (execute_shared.h). */

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

/* Rd becomes Rd + operand + carry_in. */
#define ADDITION(name, operand, carry_in)                               \
    OP(name)                                                            \
    {                                                                   \
        unsigned a = REG(ip->d), b = (operand), s = a + b + (carry_in); \
        REG(ip->d) = (uint8_t)s;                                        \
        ADD_FLAGS(a, b, s);                                             \
        NEXT(1, 1);                                                     \
    }
ADDITION(ADD, REG(ip->r), 0)
ADDITION(ADC, REG(ip->r), fc)
ADDITION(LSL, a, 0)
ADDITION(ROL, a, fc)

/* Rd - operand, kept or only compared. */
#define SUBTRACTION(name, operand, keep)                   \
    OP(name)                                               \
    {                                                      \
        unsigned a = REG(ip->d), b = (operand), s = a - b; \
        if (keep)                                          \
            REG(ip->d) = (uint8_t)s;                       \
        SUBTRACT_FLAGS(a, b, s);                           \
        fz = (uint8_t)s;                                   \
        NEXT(1, 1);                                        \
    }
/* With the carry of a lower byte, whose Z stays clear. */
#define SUBTRACTION_CARRIED(name, operand, keep)                \
    OP(name)                                                    \
    {                                                           \
        unsigned a = REG(ip->d), b = (operand), s = a - b - fc; \
        if (keep)                                               \
            REG(ip->d) = (uint8_t)s;                            \
        SUBTRACT_FLAGS(a, b, s);                                \
        fz |= (uint8_t)s;                                       \
        NEXT(1, 1);                                             \
    }
SUBTRACTION(SUB, REG(ip->r), true)
SUBTRACTION(SUBI, ip->r, true)
SUBTRACTION(CP, REG(ip->r), false)
SUBTRACTION(CPI, ip->r, false)
SUBTRACTION_CARRIED(SBC, REG(ip->r), true)
SUBTRACTION_CARRIED(SBCI, ip->r, true)
SUBTRACTION_CARRIED(CPC, REG(ip->r), false)
OP(NEG)
{
    unsigned b = REG(ip->d), s = 0 - b;
    REG(ip->d) = (uint8_t)s;
    SUBTRACT_FLAGS(0, b, s);
    fz = (uint8_t)s;
    NEXT(1, 1);
}

#define LOGIC(name, result)                       \
    OP(name)                                      \
    {                                             \
        fn = fz = REG(ip->d) = (uint8_t)(result); \
        fv = 0;                                   \
        NEXT(1, 1);                               \
    }
LOGIC(AND, REG(ip->d) & REG(ip->r))
LOGIC(ANDI, REG(ip->d) & ip->r)
LOGIC(OR, REG(ip->d) | REG(ip->r))
LOGIC(ORI, REG(ip->d) | ip->r)
LOGIC(EOR, REG(ip->d) ^ REG(ip->r))
LOGIC(CLR, 0)
OP(TST)
{
    fn = fz = REG(ip->d);
    fv = 0;
    NEXT(1, 1);
}
OP(COM)
{
    fn = fz = REG(ip->d) = (uint8_t)~REG(ip->d);
    fv = 0;
    fc = 1;
    NEXT(1, 1);
}

OP(INC)
{
    unsigned a = REG(ip->d), s = a + 1;
    REG(ip->d) = (uint8_t)s;
    fv = s & ~a;
    fn = s;
    fz = (uint8_t)s;
    NEXT(1, 1);
}
OP(DEC)
{
    unsigned a = REG(ip->d), s = a - 1;
    REG(ip->d) = (uint8_t)s;
    fv = a & ~s;
    fn = s;
    fz = (uint8_t)s;
    NEXT(1, 1);
}

#define SHIFT_RIGHT(name, high)                       \
    OP(name)                                          \
    {                                                 \
        unsigned a = REG(ip->d), s = a >> 1 | (high); \
        REG(ip->d) = (uint8_t)s;                      \
        fc = a & 1;                                   \
        fn = fz = s;                                  \
        fv = s ^ fc << 7;                             \
        NEXT(1, 1);                                   \
    }
SHIFT_RIGHT(ASR, a & 0x80)
SHIFT_RIGHT(LSR, 0)
SHIFT_RIGHT(ROR, fc << 7)
OP(SWAP)
{
    REG(ip->d) = (uint8_t)(REG(ip->d) << 4 | REG(ip->d) >> 4);
    NEXT(1, 1);
}

OP(ADIW)
{
    uint32_t a = PAIR(ip->d), s = (a + ip->r) & 0xffff;
    SET_PAIR(ip->d, s);
    fv = (~a & s) >> 8;
    fn = s >> 8;
    fz = s;
    fc = (~s & a) >> 15 & 1;
    NEXT(1, 2);
}
OP(SBIW)
{
    uint32_t a = PAIR(ip->d), s = (a - ip->r) & 0xffff;
    SET_PAIR(ip->d, s);
    fv = (a & ~s) >> 8;
    fn = s >> 8;
    fz = s;
    fc = (s & ~a) >> 15 & 1;
    NEXT(1, 2);
}

/* C is bit 15 of the product, before the fractional forms shift it out. */
#define PRODUCT(name, a, b, shift)                              \
    OP(name)                                                    \
    {                                                           \
        uint32_t p = (uint32_t)((a)REG(ip->d) * (b)REG(ip->r)); \
        fc = p >> 15 & 1;                                       \
        p = (p << (shift)) & 0xffff;                            \
        SET_PAIR(0, p);                                         \
        fz = p;                                                 \
        NEXT(1, 2);                                             \
    }
PRODUCT(MUL, uint8_t, uint8_t, 0)
PRODUCT(MULS, int8_t, int8_t, 0)
PRODUCT(MULSU, int8_t, uint8_t, 0)
PRODUCT(FMUL, uint8_t, uint8_t, 1)
PRODUCT(FMULS, int8_t, int8_t, 1)
PRODUCT(FMULSU, int8_t, uint8_t, 1)

OP(MOV)
{
    REG(ip->d) = REG(ip->r);
    NEXT(1, 1);
}
OP(MOVW)
{
    SET_PAIR(ip->d, PAIR(ip->r));
    NEXT(1, 1);
}
OP(LDI)
{
    REG(ip->d) = ip->r;
    NEXT(1, 1);
}

/* ---- single bits ---- */

OP(BST)
{
    it = (it & SREG_I) | (REG(ip->d) >> ip->r & 1u) << 6;
    NEXT(1, 1);
}
OP(BLD)
{
    REG(ip->d) = (uint8_t)((REG(ip->d) & ~(1u << ip->r)) | (it >> 6 & 1u) << ip->r);
    NEXT(1, 1);
}

#define SET_FLAG(name, change) \
    OP(name)                   \
    {                          \
        change;                \
        NEXT(1, 1);            \
    }
SET_FLAG(SEC, fc = 1)
SET_FLAG(CLC, fc = 0)
SET_FLAG(SEZ, fz = 0)
SET_FLAG(CLZ, fz = 1)
SET_FLAG(SEH, fh = 0x10)
SET_FLAG(CLH, fh = 0)
SET_FLAG(SET, it |= SREG_T)
SET_FLAG(CLT, it &= ~(unsigned)SREG_T)
SET_FLAG(CLI, it &= ~(unsigned)SREG_I)
/* One of N, V and S alone: what S is is worked out anew. */
SET_FLAG(SEN, SREG_SET(SREG_GET() | SREG_N))
SET_FLAG(CLN, SREG_SET(SREG_GET() & ~SREG_N))
SET_FLAG(SEV, SREG_SET(SREG_GET() | SREG_V))
SET_FLAG(CLV, SREG_SET(SREG_GET() & ~SREG_V))
SET_FLAG(SES, SREG_SET(SREG_GET() | SREG_S))
SET_FLAG(CLS, SREG_SET(SREG_GET() & ~SREG_S))
OP(SEI)
{
    it |= SREG_I;
    INTERRUPTS_ALLOWED(1);
    NEXT(1, 1);
}
