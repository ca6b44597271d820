/* Jumps, calls, branches, skips, sleep, and what cannot run: a part of execute.c and of
 * translate/operations_avr.c (execute_shared.h). */

OP(NOP)
{
    NEXT(1, 1);
}
OP(RJMP)
{
    JUMP(ip->k, 2);
}
OP(RJMP_SELF)
{
    LOOP_ALONE();
    if (!(it & SREG_I)) {
        LOOK(0);
        loop_for_ever(n, HERE);
        LOOKED();
    }
    if (left > SLICE_CYCLES(4) && !(ip->op & AVR_MARK)) {
        /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> SLICE_COUNT_BITS) - 1) / 2;
        left -= rounds * (SLICE_CYCLES(2) + 1);
        n->heat.passed += (uint64_t)rounds;
    }
    NEXT(0, 2);
}
OP(JMP)
{
    JUMP(ip->k, 3);
}

/* A target that is not in flash is a fault of the instruction that goes there; beyond it the program counter has no
 * bits, so what is left of the target is where a chip would go. */
#define REACH(target)                                                                   \
    do {                                                                                \
        if (__builtin_expect((target) >= words, 0)) {                                   \
            LOOK(0);                                                                    \
            bool stop_ = node_fault(n, FAULT_OUTSIDE_FLASH, 2 * HERE, 2 * (target), 0); \
            LOOKED();                                                                   \
            if (stop_)                                                                  \
                END();                                                                  \
            (target) &= words - 1;                                                      \
        }                                                                               \
    } while (0)
#define JUMP_ANYWHERE(name, to, cycles) \
    OP(name)                            \
    {                                   \
        uint32_t target = (to);         \
        REACH(target);                  \
        JUMP(target, cycles);           \
    }
JUMP_ANYWHERE(JMP_OUTSIDE, ip->k, 3)
JUMP_ANYWHERE(IJMP, PAIR(Z), 2)
JUMP_ANYWHERE(EIJMP, (uint32_t)r[AVR_EIND] << 16 | PAIR(Z), 2)

/* ---- calls and returns: one cycle more with three bytes of return address ---- */

#define CALL_TO(target, length, cycles)  \
    do {                                 \
        uint32_t pc_ = HERE + (length);  \
        PUSH(pc_, (cycles)-1);           \
        PUSH(pc_ >> 8, (cycles)-1);      \
        if (wide) {                      \
            PUSH(pc_ >> 16, (cycles)-1); \
            JUMP(target, (cycles) + 1);  \
        }                                \
        JUMP(target, cycles);            \
    } while (0)
#define CALL_ANYWHERE(name, to, length, cycles) \
    OP(name)                                    \
    {                                           \
        uint32_t target = (to);                 \
        REACH(target);                          \
        CALL_TO(target, length, cycles);        \
    }
OP(RCALL)
{
    CALL_TO(ip->k, 1, 3);
}
OP(CALL)
{
    CALL_TO(ip->k, 2, 4);
}
CALL_ANYWHERE(CALL_OUTSIDE, ip->k, 2, 4)
CALL_ANYWHERE(ICALL, PAIR(Z), 1, 3)
CALL_ANYWHERE(EICALL, (uint32_t)r[AVR_EIND] << 16 | PAIR(Z), 1, 3)

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
#define RETURN(name, then)   \
    OP(name)                 \
    {                        \
        uint32_t target;     \
        POP_PC(target);      \
        then;                \
        if (wide)            \
            JUMP(target, 5); \
        JUMP(target, 4);     \
    }
RETURN(RET, )
RETURN(RETI, it |= SREG_I; INTERRUPTS_ALLOWED(wide ? 5 : 4))

/* ---- branches and skips ---- */

#define BRANCH(name, condition) \
    OP(name)                    \
    {                           \
        if (condition)          \
            JUMP(ip->k, 2);     \
        NEXT(1, 1);             \
    }
BRANCH(BRCS, fc)
BRANCH(BRCC, !fc)
BRANCH(BREQ, fz == 0)
BRANCH(BRNE, fz != 0)
BRANCH(BRMI, FLAG_N)
BRANCH(BRPL, !FLAG_N)
BRANCH(BRVS, FLAG_V)
BRANCH(BRVC, !FLAG_V)
BRANCH(BRLT, FLAG_S)
BRANCH(BRGE, !FLAG_S)
BRANCH(BRHS, FLAG_H)
BRANCH(BRHC, !FLAG_H)
BRANCH(BRTS, it &SREG_T)
BRANCH(BRTC, !(it & SREG_T))
BRANCH(BRIE, it &SREG_I)
BRANCH(BRID, !(it & SREG_I))

#define SKIP_IF(condition, skipped) \
    do {                            \
        if (condition) {            \
            if ((skipped) == 1)     \
                NEXT(2, 2);         \
            NEXT(3, 3);             \
        }                           \
        NEXT(1, 1);                 \
    } while (0)
#define SKIP(name, condition, skipped) \
    OP(name)                           \
    {                                  \
        SKIP_IF(condition, skipped);   \
    }
#define SKIP_ON_DEVICE(name, condition)                 \
    OP(name)                                            \
    {                                                   \
        if (avr_loads_byte(n, r, ip->k)) {              \
            uint8_t v = r[ip->k];                       \
            SKIP_IF(condition, ip->r);                  \
        }                                               \
        LOOK(0);                                        \
        uint8_t v = avr_load(n, HERE, (uint16_t)ip->k); \
        LOOKED();                                       \
        SKIP_IF(condition, ip->r);                      \
    }
SKIP(CPSE, REG(ip->d) == REG(ip->r), ip->k)
SKIP(SBRC, !(REG(ip->d) & ip->r), ip->k)
SKIP(SBRS, REG(ip->d) & ip->r, ip->k)
SKIP(SBIC_PLAIN, !(r[ip->k] & ip->d), ip->r)
SKIP(SBIS_PLAIN, r[ip->k] & ip->d, ip->r)
SKIP_ON_DEVICE(SBIC, !(v & ip->d))
SKIP_ON_DEVICE(SBIS, v & ip->d)

/* ---- the rest ---- */

OP(BREAK)
{
    NEXT(1, 1);
}
OP(WDR)
{
    LOOK(0);
    instruction(n, INSTRUCTION_WATCHDOG_RESET);
    LOOKED();
    NEXT(1, 1);
}
OP(SLEEP)
{
    LOOK(1);
    instruction(n, INSTRUCTION_SLEEP);
    if (n->state->sleeping) {
        left = slice_shorten(&slice, left, 0);
        if (!(r[AVR_SREG] & SREG_I) && !node_watchdog_runs(n))
            node_halt(n, NODE_EXIT_HALT, 0);
    }
    LOOKED();
    NEXT(1, 1);
}

#define CANNOT_RUN(kind)                                                       \
    do {                                                                       \
        LOOK(0);                                                               \
        bool stop_ = node_fault(n, kind, 2 * HERE, 2 * HERE, (uint16_t)ip->k); \
        LOOKED();                                                              \
        if (stop_)                                                             \
            END();                                                             \
    } while (0)
OP(ILLEGAL)
{
    CANNOT_RUN(FAULT_ILLEGAL_OPCODE);
    NEXT(1, 1);
}
OP(ERASED)
{
    CANNOT_RUN(FAULT_ERASED_FLASH);
    NEXT(1, 1);
}
OP(DATA)
{
    CANNOT_RUN(FAULT_EXECUTES_DATA);
    NEXT(1, 1);
}
OP(OUTSIDE)
{
    CANNOT_RUN(FAULT_OUTSIDE_FLASH);
    WRAP(); /* the program counter wraps around */
}
