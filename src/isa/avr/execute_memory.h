/* Data memory, program memory and I/O: a part of execute.c and of translate/operations_avr.c
 * (execute_shared.h). */

/* The pointer moves before a decremented access and after an incremented one, for any address. Only a load that may be
 * of the pointer itself, in the register file, shows it; elsewhere a load sees all as it was before the instruction. */
#define POINTER(p)                            \
    OP(LD_##p##_INC)                          \
    {                                         \
        uint32_t a = PAIR(p);                 \
        uint8_t v;                            \
        LOAD(a, v, 1);                        \
        SET_PAIR(p, a + 1);                   \
        REG(ip->d) = v;                       \
        NEXT(1, 2);                           \
    }                                         \
    OP(LD_##p##_DEC)                          \
    {                                         \
        uint32_t a = (uint16_t)(PAIR(p) - 1); \
        uint8_t v;                            \
        if (__builtin_expect(a < 32, 0))      \
            SET_PAIR(p, a);                   \
        LOAD(a, v, 1);                        \
        SET_PAIR(p, a);                       \
        REG(ip->d) = v;                       \
        NEXT(1, 2);                           \
    }                                         \
    OP(ST_##p##_INC)                          \
    {                                         \
        uint32_t a = PAIR(p);                 \
        STORE(a, REG(ip->d), 1);              \
        SET_PAIR(p, a + 1);                   \
        NEXT(1, 2);                           \
    }                                         \
    OP(ST_##p##_DEC)                          \
    {                                         \
        uint32_t a = (uint16_t)(PAIR(p) - 1); \
        SET_PAIR(p, a);                       \
        STORE(a, REG(ip->d), 1);              \
        NEXT(1, 2);                           \
    }
POINTER(X)
POINTER(Y)
POINTER(Z)

#define ACCESS(name, how, address, length) \
    OP(name)                               \
    {                                      \
        how((address), REG(ip->d), 1);     \
        NEXT(length, 2);                   \
    }
ACCESS(LD_X, LOAD, PAIR(X), 1)
ACCESS(LDD_Y, LOAD, PAIR(Y) + ip->r, 1)
ACCESS(LDD_Z, LOAD, PAIR(Z) + ip->r, 1)
ACCESS(LDS, LOAD, ip->k, 2)
ACCESS(ST_X, STORE, PAIR(X), 1)
ACCESS(STD_Y, STORE, PAIR(Y) + ip->r, 1)
ACCESS(STD_Z, STORE, PAIR(Z) + ip->r, 1)
ACCESS(STS, STORE, ip->k, 2)
OP(STS_HEAP) /* the end of the heap, and with it the stack's limit, moves */
{
    LOOP_ALONE();
    STORE(ip->k, REG(ip->d), 1);
    SAVE();
    avr_heap_moved(n);
    STACK_BOUNDS();
    RELOAD();
    NEXT(2, 2);
}
OP(PUSH)
{
    PUSH(REG(ip->d), 1);
    NEXT(1, 2);
}
OP(POP)
{
    POP(REG(ip->d), 1);
    NEXT(1, 2);
}

/* ---- program memory ---- */

#define READ_PROGRAM(to, extended)                                                          \
    do {                                                                                    \
        uint32_t a_ = ((extended) ? (uint32_t)r[AVR_RAMPZ] << 16 : 0) | PAIR(Z);            \
        a_ &= n->machine->code_size - 1;                                                    \
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
OP(LPM)
{
    READ_PROGRAM(REG(ip->d), false);
    NEXT(1, 3);
}
OP(LPM_INC)
{
    uint8_t v;
    READ_PROGRAM(v, false);
    SET_PAIR(Z, PAIR(Z) + 1);
    REG(ip->d) = v;
    NEXT(1, 3);
}
OP(ELPM)
{
    READ_PROGRAM(REG(ip->d), true);
    NEXT(1, 3);
}
OP(ELPM_INC)
{
    uint8_t v;
    READ_PROGRAM(v, true);
    uint32_t z = ((uint32_t)r[AVR_RAMPZ] << 16 | PAIR(Z)) + 1;
    SET_PAIR(Z, z);
    r[AVR_RAMPZ] = (uint8_t)(z >> 16 & n->machine->registers[AVR_RAMPZ].writable);
    REG(ip->d) = v;
    NEXT(1, 3);
}
OP(SPM)
{
    LOOK(0);
    instruction(n, INSTRUCTION_PROGRAM);
    LOOKED();
    NEXT(1, 1);
}

/* ---- I/O ---- */

OP(IN_PLAIN)
{
    REG(ip->d) = r[ip->k];
    NEXT(1, 1);
}
OP(IN)
{
    if (avr_loads_byte(n, r, ip->k)) {
        REG(ip->d) = r[ip->k];
        NEXT(1, 1);
    }
    LOOK(0);
    uint8_t v = avr_load(n, HERE, (uint16_t)ip->k);
    LOOKED();
    REG(ip->d) = v;
    NEXT(1, 1);
}
OP(IN_SREG)
{
    REG(ip->d) = SREG_GET();
    NEXT(1, 1);
}
OP(IN_SPL)
{
    REG(ip->d) = (uint8_t)sp;
    NEXT(1, 1);
}
OP(IN_SPH)
{
    REG(ip->d) = (uint8_t)(sp >> 8);
    NEXT(1, 1);
}
OP(OUT_PLAIN)
{
    r[ip->k] = (uint8_t)((r[ip->k] & ~(unsigned)ip->r) | (REG(ip->d) & ip->r));
    NEXT(1, 1);
}
OP(OUT)
{
    if (avr_stores_byte(n, r, ip->k, REG(ip->d))) {
        r[ip->k] = avr_stored(n, r, ip->k, REG(ip->d));
        NEXT(1, 1);
    }
    LOOK(0);
    avr_store(n, HERE, (uint16_t)ip->k, REG(ip->d));
    LOOKED();
    NEXT(1, 1);
}
OP(OUT_SREG)
{
    bool was_off = !(it & SREG_I);
    SREG_SET(REG(ip->d));
    if (was_off && (it & SREG_I))
        INTERRUPTS_ALLOWED(1);
    NEXT(1, 1);
}

/* Within the bounds of the main stack nothing changes by moving in it. */
#define STACK_MOVED()                                                           \
    do {                                                                        \
        if (sp - stack_low >= stack_span || cpu->stack_low != AVR_STACK_MAIN) { \
            LOOK(0);                                                            \
            avr_stack_moved(n, ip->r);                                          \
            LOOKED_STACK();                                                     \
        }                                                                       \
        NEXT(1, 1);                                                             \
    } while (0)
OP(OUT_SPL) /* the second of the two: compilers write the high byte first */
{
    sp = (sp & 0xff00) | REG(ip->d);
    if (ip->r && sp + 1 < stack_low) {
        LOOK(0);
        avr_frame_made(n, HERE);
        LOOKED();
    }
    STACK_MOVED();
}
OP(OUT_SPH)
{
    sp = (sp & 0xff) | (uint32_t)REG(ip->d) << 8;
    STACK_MOVED();
}

OP(SBI_PLAIN)
{
    r[ip->k] |= ip->d;
    NEXT(1, 2);
}
OP(CBI_PLAIN)
{
    r[ip->k] &= (uint8_t)~ip->d;
    NEXT(1, 2);
}
#define WRITE_BIT(name, on)                                   \
    OP(name)                                                  \
    {                                                         \
        LOOK(1);                                              \
        avr_write_bit(n, HERE, (uint16_t)ip->k, ip->d, (on)); \
        LOOKED();                                             \
        NEXT(1, 2);                                           \
    }
WRITE_BIT(SBI, true)
WRITE_BIT(CBI, false)
