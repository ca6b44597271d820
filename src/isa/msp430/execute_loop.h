/* The loop itself: a part of execute.c, which includes it twice, as LOOP and with PROBED defined for a node whose every
 * instruction has the same probe. */

/* At a line of the host's cache: elsewhere its speed differs by 10 %, by where the linker has put it. */
static __attribute__((noinline, aligned(64))) void LOOP(struct node *n)
{
#ifdef PROBED
    static const void *const operations[MSP430_TRAP + MSP430_CHECK] = {
#define LABEL(name, size, source, target) \
    [MSP430_MARK + MSP430_##name##_##size##_##source##_##target] = &&probed_##name##_##size##_##source##_##target,
        MSP430_DOUBLES(LABEL)
#define OTHER(name) [MSP430_MARK + MSP430_##name] = &&probed_##name,
            MSP430_OTHERS(OTHER)[MSP430_CHECK... MSP430_TRAP + MSP430_CHECK - 1] = &&probed_check,
    };
    enum msp430_operation operation;
#else
    static const void *const operations[MSP430_TRAP + MSP430_CHECK] = {
#define LABEL(name, size, source, target) &&op_##name##_##size##_##source##_##target,
        MSP430_DOUBLES(LABEL)
#define OTHER(name)                       &&op_##name,
            MSP430_OTHERS(OTHER)[MSP430_MARK... 2 * MSP430_MARK - 1] = &&mark,
        [MSP430_CHECK... MSP430_CHECK + MSP430_MARK - 1] = &&check,
        [MSP430_CHECK + MSP430_MARK... MSP430_TRAP - 1] = &&mark,
        [MSP430_TRAP... MSP430_TRAP + MSP430_MARK - 1] = &&trap,
        [MSP430_TRAP + MSP430_MARK... MSP430_TRAP + MSP430_CHECK - 1] = &&mark,
    };
#endif
#undef LABEL
#undef OTHER
    _Static_assert((int)MSP430_OPERATION_COUNT <= (int)MSP430_MARK, "a mark is a bit of its own");
    struct msp430_cpu *cpu = n->cpu;
    const struct msp430_code *const shared = n->code;
    const struct msp430_insn *const code = shared->insn;
    uint8_t *const data = n->data;
    uint16_t *const R = cpu->r;
    struct slice slice;
    int64_t left = slice_begin(n, &slice);
    uint32_t stack_low, stack_span; /* where a push needs no second look */
    FIND_STACK();
    const struct msp430_insn *ip = code + R[MSP430_PC] / 2;
    unsigned fc, fr, fv;
    RELOAD();
    if (left <= 0)
        return;
    if (n->state->asking && (R[MSP430_SR] & MSP430_GIE)) /* one waits for the end of the instruction after EINT */
        left = slice_shorten(&slice, left, 1);
    DISPATCH();

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
op_RRC_W:
    SHIFT_RIGHT(W, fc << 15, (fc << 15) & ~v_);
op_RRC_B:
    SHIFT_RIGHT(B, fc << 7, (fc << 7) & ~v_);
op_RRA_W:
    SHIFT_RIGHT(W, v_ & 0x8000, 0);
op_RRA_B:
    SHIFT_RIGHT(B, v_ & 0x80, 0);
op_SWPB:
    R[ip->d] = (uint16_t)(R[ip->d] >> 8 | R[ip->d] << 8);
    NEXT(1, 1);
op_SXT : {
    uint32_t result;
    LOGIC(W, (uint16_t)(int16_t)(int8_t)R[ip->d], 0);
    R[ip->d] = (uint16_t)result;
    NEXT(1, 1);
}
op_PUSH_R:
    PUSH(R[ip->s], 2);
    NEXT(1, 3);
op_PUSH_N:
    PUSH(ip->sx, 3);
    NEXT(2, 4);
op_CALL_N:
    PUSH(HERE + 4, 4);
    JUMP(ip->sx, 5);
op_RETURN : {
    uint32_t target;
    LOAD_W(target, R[MSP430_SP], 1);
    R[MSP430_SP] = (uint16_t)(R[MSP430_SP] + 2);
    JUMP(target, 3);
}
op_BRANCH:
    JUMP(ip->sx, 3);

op_JNE:
    JUMP_IF((uint16_t)fr != 0);
op_JEQ:
    JUMP_IF((uint16_t)fr == 0);
op_JNC:
    JUMP_IF(!fc);
op_JC:
    JUMP_IF(fc);
op_JN:
    JUMP_IF(fr & 0x18000);
op_JGE:
    JUMP_IF(!((SIGN_OF(fr) ^ fv) & 0x8000));
op_JL:
    JUMP_IF((SIGN_OF(fr) ^ fv) & 0x8000);
op_JMP:
    JUMP(ip->sx, 2);
op_JMP_SELF:
    if (!(R[MSP430_SR] & MSP430_GIE)) {
        LOOK(0);
        end_for_good(n, HERE);
        LOOKED();
    }
    if (left > SLICE_CYCLES(4) && !(ip->op & MSP430_MARK)) {
        /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> SLICE_COUNT_BITS) - 1) / 2;
        left -= rounds * (SLICE_CYCLES(2) + 1);
    }
    NEXT(0, 2);

op_NOP:
    NEXT(1, 1);
#define FRAME(words, cycles)                                                   \
    do {                                                                       \
        uint32_t result = (uint16_t)(R[MSP430_SP] - ip->sx);                   \
        if (__builtin_expect(result - stack_low >= stack_span, 0))             \
            left = check_frame_slowly(n, &slice, left, ip, FLAGS_NOW, result); \
        SUM(W, ip->sx ^ FULL_W, R[MSP430_SP], 1);                              \
        R[MSP430_SP] = (uint16_t)result;                                       \
        NEXT(words, cycles);                                                   \
    } while (0)
op_FRAME_C:
    FRAME(1, 1);
op_FRAME_N:
    FRAME(2, 2);
op_CLRC:
    fc = 0;
    NEXT(1, 1);
op_SETC:
    fc = 1;
    NEXT(1, 1);
op_STATUS:
    R[ip->d] = (uint16_t)((R[MSP430_SR] & ~FLAGS) | flags_in_sr(FLAGS_NOW));
    NEXT(1, 1);

op_GENERIC : {
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
    GO(code + R[MSP430_PC] / 2, cycles);
}

#define CANNOT_RUN(kind)                                                        \
    do {                                                                        \
        LOOK(0);                                                                \
        bool stop_ = node_fault(n, kind, HERE & 0xffff, HERE & 0xffff, ip->dx); \
        LOOKED();                                                               \
        if (stop_)                                                              \
            goto slice_ends;                                                    \
        GO(code + (HERE + 2 < 0x10000 ? HERE / 2 + 1 : 0), 1);                  \
    } while (0)
op_ERASED:
    CANNOT_RUN(FAULT_ERASED_FLASH);
op_DATA:
    CANNOT_RUN(FAULT_EXECUTES_DATA);
op_OUTSIDE:
    CANNOT_RUN(FAULT_OUTSIDE_FLASH);

#ifdef PROBED
    /* Each operation has a probed form of its own, as in the loop of the other instruction set. */
#define PROBE(name)                                \
    probed_##name : GLANCE();                      \
    if (__builtin_expect(probe_all(n, HERE), 0)) { \
        operation = MSP430_##name;                 \
        goto changed;                              \
    }                                              \
    goto op_##name;
#define PROBE_FORM(name, size, source, target) PROBE(name##_##size##_##source##_##target)
    MSP430_DOUBLES(PROBE_FORM)
    MSP430_OTHERS(PROBE)
#undef PROBE_FORM
#undef PROBE

probed_check:
    GLANCE();
    operation = (enum msp430_operation)(ip->op & ~MSP430_MARKS);
    if (probe_all(n, HERE)) {
        if (n->stopped_before)
            goto slice_ends;
        left = slice_shorten(&slice, left, 0);
    }
    if (ip->op & MSP430_CHECK)
        goto check;
    goto trap;

changed:
    if (n->stopped_before)
        goto slice_ends;
    left = slice_shorten(&slice, left, 0);
marks_done:
    switch (operation) {
#define CASE(name)      \
    case MSP430_##name: \
        goto op_##name;
#define CASE_FORM(name, size, source, target) CASE(name##_##size##_##source##_##target)
        MSP430_DOUBLES(CASE_FORM)
        MSP430_OTHERS(CASE)
#undef CASE_FORM
#undef CASE
    default: break;
    }
#define MARKS_DONE() goto marks_done

#else
#define MARKS_DONE() goto *operations[ip->op & ~MSP430_MARKS]
mark:
    GLANCE();
    if (marks_met(n, HERE)) {
        if (n->stopped_before)
            goto slice_ends;
        left = n->cut ? slice_shorten(&slice, left, 0) : slice_pause(&slice, left);
    }
    goto *operations[ip->op & ~MSP430_MARK];
#endif

check:
    if (msp430_check_fails(shared, ip, flags_in_sr(FLAGS_NOW)))
        cpu->check = (uint16_t)HERE;
    MARKS_DONE();
trap : {
    LOOK(0);
    bool stop_ = msp430_trap(n);
    LOOKED();
    if (!stop_)
        MARKS_DONE();
}
#undef MARKS_DONE

slice_ends:
    if (slice_samples(n, &slice, left)) {
        left = slice_sample(&slice, left, HERE);
        DISPATCH();
    }
    if (__builtin_expect(slice_beats(n, &slice, left), 0)) {
        GLANCE();
        left = slice_beat(n, &slice, left);
        if (left > 0)
            DISPATCH();
    }
    SAVE();
    if (__builtin_expect(n->pausing || slice.more, 0)) {
        left = slice_resume(n, &slice, left);
        if (left > 0 && !n->cut && !n->stopped)
            DISPATCH();
    }
    slice_end(n, &slice, left);
}
