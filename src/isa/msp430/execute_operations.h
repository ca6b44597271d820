/* The operations: a part of execute.c and of translate/operations_msp430.c (execute_shared.h). */

MSP430_DOUBLES(FORM)

#define SHIFT_RIGHT(size, top, overflow)                          \
    do {                                                          \
        uint32_t v_ = LOW_##size(R[ip->d]), r_ = v_ >> 1 | (top); \
        fv = UP_##size(overflow);                                 \
        fc = v_ & 1;                                              \
        fr = UP_##size(r_);                                       \
        R[ip->d] = (uint16_t)r_;                                  \
        NEXT(1, 1);                                               \
    } while (0)
OP(RRC_W)
{
    SHIFT_RIGHT(W, fc << 15, (fc << 15) & ~v_);
}
OP(RRC_B)
{
    SHIFT_RIGHT(B, fc << 7, (fc << 7) & ~v_);
}
OP(RRA_W)
{
    SHIFT_RIGHT(W, v_ & 0x8000, 0);
}
OP(RRA_B)
{
    SHIFT_RIGHT(B, v_ & 0x80, 0);
}
OP(SWPB)
{
    R[ip->d] = (uint16_t)(R[ip->d] >> 8 | R[ip->d] << 8);
    NEXT(1, 1);
}
OP(SXT)
{
    uint32_t result;
    LOGIC(W, (uint16_t)(int16_t)(int8_t)R[ip->d], 0);
    R[ip->d] = (uint16_t)result;
    NEXT(1, 1);
}
OP(PUSH_R)
{
    PUSH(R[ip->s], 2);
    NEXT(1, 3);
}
OP(PUSH_N)
{
    PUSH(ip->sx, 3);
    NEXT(2, 4);
}
OP(CALL_N)
{
    PUSH(HERE + 4, 4);
    JUMP(ip->sx, 5);
}
OP(RETURN)
{
    uint32_t target;
    LOAD_W(target, R[MSP430_SP], 1);
    R[MSP430_SP] = (uint16_t)(R[MSP430_SP] + 2);
    JUMP(target, 3);
}
OP(BRANCH)
{
    JUMP(ip->sx, 3);
}

OP(JNE)
{
    JUMP_IF((uint16_t)fr != 0);
}
OP(JEQ)
{
    JUMP_IF((uint16_t)fr == 0);
}
OP(JNC)
{
    JUMP_IF(!fc);
}
OP(JC)
{
    JUMP_IF(fc);
}
OP(JN)
{
    JUMP_IF(fr & 0x18000);
}
OP(JGE)
{
    JUMP_IF(!((SIGN_OF(fr) ^ fv) & 0x8000));
}
OP(JL)
{
    JUMP_IF((SIGN_OF(fr) ^ fv) & 0x8000);
}
OP(JMP)
{
    JUMP(ip->sx, 2);
}
OP(JMP_SELF)
{
    LOOP_ALONE();
    if (!(R[MSP430_SR] & MSP430_GIE)) {
        LOOK(0);
        end_for_good(n, HERE);
        LOOKED();
    }
    if (left > SLICE_CYCLES(4) && !(ip->op & MSP430_MARK)) {
        /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> SLICE_COUNT_BITS) - 1) / 2;
        left -= rounds * (SLICE_CYCLES(2) + 1);
        n->heat.passed += (uint64_t)rounds;
    }
    NEXT(0, 2);
}

OP(NOP)
{
    NEXT(1, 1);
}
#define FRAME(words, cycles)                                       \
    do {                                                           \
        uint32_t result = (uint16_t)(R[MSP430_SP] - ip->sx);       \
        if (__builtin_expect(result - stack_low >= stack_span, 0)) \
            CHECK_FRAME_SLOWLY(result);                            \
        SUM(W, ip->sx ^ FULL_W, R[MSP430_SP], 1);                  \
        R[MSP430_SP] = (uint16_t)result;                           \
        NEXT(words, cycles);                                       \
    } while (0)
OP(FRAME_C)
{
    FRAME(1, 1);
}
OP(FRAME_N)
{
    FRAME(2, 2);
}
OP(CLRC)
{
    fc = 0;
    NEXT(1, 1);
}
OP(SETC)
{
    fc = 1;
    NEXT(1, 1);
}
OP(STATUS)
{
    R[ip->d] = (uint16_t)((R[MSP430_SR] & ~FLAGS) | flags_in_sr(FLAGS_NOW));
    NEXT(1, 1);
}
OP(STATUS_CLEARS)
{
    R[ip->d] &= (uint16_t) ~((R[MSP430_SR] & ~FLAGS) | flags_in_sr(FLAGS_NOW));
    NEXT(1, 1);
}

OP(GENERIC)
{
    LOOK(0);
    if (__builtin_expect(n->machine->log != NULL, 0))
        n->machine->log->type->before(n, n->machine->log);
    unsigned old = R[MSP430_SR];
    bool reti;
    unsigned cycles = msp430_generic(n, &reti);
    bool allowed = R[MSP430_SR] & ~old & MSP430_GIE;
    if ((R[MSP430_SR] ^ old) & MSP430_LOW_POWER) {
        slice_look(n, &slice, left, cycles);
        msp430_status_written(n, old);
        if (n->state->sleeping && !(R[MSP430_SR] & MSP430_GIE))
            end_for_good(n, HERE);
    }
    LOOKED();
    RELOAD();
    FIND_STACK();
    if (allowed && !n->state->sleeping) { /* after EINT one more instruction, after RETI none */
        if (!reti)
            cpu->quiet_until = slice.start_count + (uint64_t)slice_count(left) + 2;
        if (n->state->asking)
            left = slice_shorten(&slice, left, reti ? cycles : cycles + 1);
    }
    RESUME(cycles);
}

#define CANNOT_RUN(kind)                                                        \
    do {                                                                        \
        LOOK(0);                                                                \
        bool stop_ = node_fault(n, kind, HERE & 0xffff, HERE & 0xffff, ip->dx); \
        LOOKED();                                                               \
        if (stop_)                                                              \
            END();                                                              \
        JUMP(HERE + 2 < 0x10000 ? HERE + 2 : 0, 1);                             \
    } while (0)
OP(ERASED)
{
    CANNOT_RUN(FAULT_ERASED_FLASH);
}
OP(DATA)
{
    CANNOT_RUN(FAULT_EXECUTES_DATA);
}
OP(OUTSIDE)
{
    CANNOT_RUN(FAULT_OUTSIDE_FLASH);
}
