/* The loop itself: a part of execute.c. */

static __attribute__((noinline, aligned(64))) void LOOP(struct node *n)
{
    static const void *const operations[CORTEX_BITS + CORTEX_MARK] = {
#define X(name) [CORTEX_##name] = &&op_##name,
        CORTEX_OPERATIONS(X)
#undef X
            [CORTEX_MARK... 2 * CORTEX_MARK - 1] = &&mark,
        [CORTEX_CONDITIONAL... CORTEX_CONDITIONAL + CORTEX_MARK - 1] = &&conditional,
        [CORTEX_CONDITIONAL + CORTEX_MARK... CORTEX_TRAP - 1] = &&mark,
        [CORTEX_TRAP... CORTEX_TRAP + CORTEX_MARK - 1] = &&trap,
        [CORTEX_TRAP + CORTEX_MARK... CORTEX_TRAP + 2 * CORTEX_MARK - 1] = &&mark,
        [CORTEX_TRAP + CORTEX_CONDITIONAL... CORTEX_BITS + CORTEX_MARK - 1] = &&trap,
    };
    _Static_assert((int)CORTEX_OPERATION_COUNT <= (int)CORTEX_MARK, "a mark is a bit of its own");
    struct cortex_cpu *cpu = n->cpu;
    const struct machine *const m = n->machine;
    const struct cortex_code *const shared = n->code;
    const struct cortex_insn *const code = shared->insn;
    const uint32_t code_size = shared->size;
    const uint8_t *const memory = shared->memory;
    uint32_t *const R = cpu->r;
    const uint32_t ram_first = m->ram->first, ram_span = m->ram->size, stack_limit = m->stack_limit;
    uint8_t *const ram = n->data + m->ram->backing;
    const uint8_t *const marks = n->page + (map_slot(m, ram_first) >> PAGE_BITS);
    uint32_t flash_plain = n->watching || n->code_reads_differ || cpu->mpu_ctrl ? 0 : code_size;
    struct cortex_insn scratch[3] = {
        [1] = {.op = CORTEX_REFETCH, .length = 1}, [2] = {.op = CORTEX_REFETCH, .length = 1}};
    struct slice slice;
    int64_t left = slice_begin(n, &slice);
    const struct cortex_insn *window, *ip;
    uint32_t origin, fn, fz, fc, fv, target, spent;
    RELOAD();
    if (left <= 0)
        return;
    if (cpu->locked) {
        n->cut = true;
        node_halt(n, NODE_EXIT_HALT, 0);
        return;
    }
    if (__builtin_expect(cpu->it != 0, 0)) {
        const struct cortex_block *b = R[CORTEX_PC] < code_size ? cortex_block_at(shared, R[CORTEX_PC], cpu->it) : NULL;
        window = b ? b->insn : scratch;
        origin = b ? b->at : R[CORTEX_PC];
        scratch[0] = (struct cortex_insn){.op = CORTEX_REFETCH, .length = 1, .it = cpu->it};
        ip = window + (R[CORTEX_PC] - origin) / 2;
    } else {
        ENTER(R[CORTEX_PC]);
    }
    DISPATCH();

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
op_LSL_IF : {
    uint32_t v = R[ip->m];
    fc = v >> (32 - ip->imm) & 1;
    R[ip->d] = fn = fz = v << ip->imm;
    NEXT(1, 1);
}
op_LSR_IF : {
    uint32_t v = cortex_shift(R[ip->m], CORTEX_LSR, ip->imm, &fc);
    R[ip->d] = fn = fz = v;
    NEXT(1, 1);
}
op_ASR_IF : {
    uint32_t v = cortex_shift(R[ip->m], CORTEX_ASR, ip->imm, &fc);
    R[ip->d] = fn = fz = v;
    NEXT(1, 1);
}
op_MOVT:
    R[ip->d] = (R[ip->d] & 0xffff) | ip->imm << 16;
    NEXT(2, 1);

op_MUL:
    R[ip->d] = R[ip->n] * R[ip->m];
    NEXT_ONE(1);
op_MUL_F:
    R[ip->d] = fn = fz = R[ip->n] * R[ip->m];
    NEXT_ONE(1);
op_MLA:
    R[ip->d] = R[ip->n] * R[ip->m] + R[ip->x];
    NEXT(2, 2);
op_MLS:
    R[ip->d] = R[ip->x] - R[ip->n] * R[ip->m];
    NEXT(2, 2);
#define LONG(name, expression, cycles)       \
    op_##name:                               \
    {                                        \
        uint64_t v = (uint64_t)(expression); \
        R[ip->x] = (uint32_t)v;              \
        R[ip->d] = (uint32_t)(v >> 32);      \
        NEXT(2, cycles);                     \
    }
#define OLD_LONG ((uint64_t)R[ip->d] << 32 | R[ip->x])
    LONG(UMULL, (uint64_t)R[ip->n] * R[ip->m], 1)
    LONG(SMULL, (int64_t)(int32_t)R[ip->n] * (int32_t)R[ip->m], 1)
    LONG(UMLAL, (uint64_t)R[ip->n] * R[ip->m] + OLD_LONG, 1)
    LONG(SMLAL, (uint64_t)((int64_t)(int32_t)R[ip->n] * (int32_t)R[ip->m]) + OLD_LONG, 1)
#undef OLD_LONG
#undef LONG
op_UDIV:
op_SDIV : {
    uint32_t a = R[ip->n], b = R[ip->m];
    bool is_signed = (ip->op & ~CORTEX_BITS) == CORTEX_SDIV;
    if (b == 0 && cpu->ccr & CORTEX_DIV_0_TRAP)
        UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_USAGE_FAULT, CORTEX_DIVBYZERO);
    uint32_t a_size = is_signed && (int32_t)a < 0 ? 0u - a : a, b_size = is_signed && (int32_t)b < 0 ? 0u - b : b;
    uint32_t q = b ? a_size / b_size : 0;
    R[ip->d] = is_signed && ((a ^ b) >> 31) ? 0u - q : q;
    NEXT(2, cortex_division_cycles(a_size, b_size));
}

op_SXTB:
    R[ip->d] = (uint32_t)(int32_t)(int8_t)R[ip->m];
    NEXT_ONE(1);
op_SXTH:
    R[ip->d] = (uint32_t)(int32_t)(int16_t)R[ip->m];
    NEXT_ONE(1);
op_UXTB:
    R[ip->d] = R[ip->m] & 0xff;
    NEXT_ONE(1);
op_UXTH:
    R[ip->d] = R[ip->m] & 0xffff;
    NEXT_ONE(1);
op_REV:
    R[ip->d] = __builtin_bswap32(R[ip->m]);
    NEXT_ONE(1);
op_REV16 : {
    uint32_t v = R[ip->m];
    R[ip->d] = (v >> 8 & 0x00ff00ff) | (v << 8 & 0xff00ff00);
    NEXT_ONE(1);
}
op_REVSH:
    R[ip->d] = (uint32_t)(int32_t)(int16_t)__builtin_bswap16((uint16_t)R[ip->m]);
    NEXT_ONE(1);
op_RBIT : {
    uint32_t v = __builtin_bswap32(R[ip->m]);
    v = (v >> 4 & 0x0f0f0f0f) | (v << 4 & 0xf0f0f0f0);
    v = (v >> 2 & 0x33333333) | (v << 2 & 0xcccccccc);
    R[ip->d] = (v >> 1 & 0x55555555) | (v << 1 & 0xaaaaaaaa);
    NEXT(2, 1);
}
op_CLZ:
    R[ip->d] = R[ip->m] ? (uint32_t)__builtin_clz(R[ip->m]) : 32;
    NEXT(2, 1);
#define MASK_OF(width) ((width) < 32 ? (1u << (width)) - 1 : 0xffffffffu)
op_BFI : {
    uint32_t field = MASK_OF(ip->imm) << ip->x;
    R[ip->d] = (R[ip->d] & ~field) | (R[ip->n] << ip->x & field);
    NEXT(2, 1);
}
op_BFC:
    R[ip->d] &= ~(MASK_OF(ip->imm) << ip->x);
    NEXT(2, 1);
op_UBFX:
    R[ip->d] = R[ip->n] >> ip->x & MASK_OF(ip->imm);
    NEXT(2, 1);
op_SBFX:
    R[ip->d] = (uint32_t)((int32_t)(R[ip->n] << (32 - ip->x - ip->imm)) >> (32 - ip->imm));
    NEXT(2, 1);
#undef MASK_OF

    LOAD_FORMS(LDR, 4, v)
    LOAD_FORMS(LDRB, 1, v)
    LOAD_FORMS(LDRH, 2, v)
    LOAD_FORMS(LDRSB, 1, (uint32_t)(int32_t)(int8_t)v)
    LOAD_FORMS(LDRSH, 2, (uint32_t)(int32_t)(int16_t)v)
    STORE_FORMS(STR, 4)
    STORE_FORMS(STRB, 1)
    STORE_FORMS(STRH, 2)
op_LDR_L : {
    uint32_t v;
    LOAD(v, ip->imm, 4);
    R[ip->d] = v;
    NEXT_ONE(2);
}
op_LDRX_L : {
    uint32_t v;
    if (ip->m & 1)
        LOAD(v, ip->imm, 2);
    else
        LOAD(v, ip->imm, 1);
    R[ip->d] = ip->m == 3 ? (uint32_t)(int32_t)(int16_t)v : ip->m == 2 ? (uint32_t)(int32_t)(int8_t)v : v;
    NEXT(2, 2);
}
op_LDR_PC : {
    uint32_t base = R[ip->n], moved = base + (ip->x & CORTEX_SHIFTED ? R[ip->m] << ip->imm : ip->imm), v;
    uint32_t at = ip->x & CORTEX_LITERAL ? ip->imm : ip->x & (CORTEX_INDEX | CORTEX_SHIFTED) ? moved : base;
    LOAD_HOW(v, at, 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    BRANCH_TO(v, 5);
}
op_LDRD : {
    uint32_t base = R[ip->n], moved = base + ip->imm, low, high;
    uint32_t at = ip->x & CORTEX_LITERAL ? ip->imm : ip->x & CORTEX_INDEX ? moved : base;
    LOAD_HOW(low, at, 4, WHOLE);
    LOAD_HOW(high, at + 4, 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    R[ip->d] = low;
    R[ip->m] = high;
    NEXT(2, 3);
}
op_STRD : {
    uint32_t base = R[ip->n], moved = base + ip->imm, at = ip->x & CORTEX_INDEX ? moved : base;
    if (ip->n == CORTEX_SP && ip->x & CORTEX_WRITE_BACK)
        CHECK_STACK(moved);
    STORE_HOW(at, R[ip->d], 4, WHOLE);
    STORE_HOW(at + 4, R[ip->m], 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = moved;
    NEXT(2, 3);
}
op_LDM : {
    uint32_t list = ip->imm, count = (uint32_t)__builtin_popcount(list), base = R[ip->n], loaded[16];
    uint32_t at = ip->x & CORTEX_INDEX ? base - 4 * count : base, end = ip->x & CORTEX_INDEX ? at : base + 4 * count;
    unsigned k = 0;
    for (uint32_t bits = list; bits; bits &= bits - 1, at += 4)
        LOAD_HOW(loaded[k++], at, 4, WHOLE);
    k = 0;
    for (uint32_t bits = list & 0x7fff; bits; bits &= bits - 1)
        R[__builtin_ctz(bits)] = loaded[k++];
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = end;
    if (list & 0x8000)
        BRANCH_TO(loaded[k], 4 + count);
    NEXT_ONE(1 + count);
}
op_STM : {
    uint32_t list = ip->imm, count = (uint32_t)__builtin_popcount(list), base = R[ip->n];
    uint32_t at = ip->x & CORTEX_INDEX ? base - 4 * count : base, end = ip->x & CORTEX_INDEX ? at : base + 4 * count;
    if (ip->n == CORTEX_SP)
        CHECK_STACK(at);
    for (uint32_t bits = list; bits; bits &= bits - 1, at += 4)
        STORE_HOW(at, R[__builtin_ctz(bits)], 4, WHOLE);
    if (ip->x & CORTEX_WRITE_BACK)
        R[ip->n] = end;
    NEXT_ONE(1 + count);
}
op_LDREX : {
    uint32_t at = R[ip->n] + ip->imm, v;
    if (ip->x == 4)
        LOAD_HOW(v, at, 4, WHOLE);
    else if (ip->x == 2)
        LOAD_HOW(v, at, 2, WHOLE);
    else
        LOAD_HOW(v, at, 1, WHOLE);
    cpu->exclusive = at + 1;
    R[ip->m] = v;
    NEXT(2, 2);
}
op_STREX : {
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
    NEXT(2, 2);
}
op_TBB : {
    uint32_t base = ip->n == CORTEX_PC ? HERE + 4 : R[ip->n], v;
    LOAD(v, base + R[ip->m], 1);
    JUMP(HERE + 4 + 2 * v, 4);
}
op_TBH : {
    uint32_t base = ip->n == CORTEX_PC ? HERE + 4 : R[ip->n], v;
    LOAD(v, base + 2 * R[ip->m], 2);
    JUMP(HERE + 4 + 2 * v, 4);
}
op_FRAME : {
    uint32_t to = R[CORTEX_SP] - ip->imm;
    CHECK_STACK(to);
    R[CORTEX_SP] = to;
    NEXT_ONE(1);
}

    BRANCH_IF(BEQ, fz == 0)
    BRANCH_IF(BNE, fz != 0)
    BRANCH_IF(BCS, fc)
    BRANCH_IF(BCC, !fc)
    BRANCH_IF(BMI, (int32_t)fn < 0)
    BRANCH_IF(BPL, (int32_t)fn >= 0)
    BRANCH_IF(BVS, (int32_t)fv < 0)
    BRANCH_IF(BVC, (int32_t)fv >= 0)
    BRANCH_IF(BHI, fc && fz)
    BRANCH_IF(BLS, !fc || !fz)
    BRANCH_IF(BGE, (int32_t)(fn ^ fv) >= 0)
    BRANCH_IF(BLT, (int32_t)(fn ^ fv) < 0)
    BRANCH_IF(BGT, (int32_t)(fn ^ fv) >= 0 && fz)
    BRANCH_IF(BLE, (int32_t)(fn ^ fv) < 0 || !fz)
op_B:
    JUMP(ip->imm, 3);
op_B_SELF:
    if (cpu->primask || cpu->faultmask) {
        LOOK(0);
        cortex_end_for_good(n, HERE);
        LOOKED();
    }
    if (left > SLICE_CYCLES(6) && !(ip->op & CORTEX_MARK)) {
        /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> SLICE_COUNT_BITS) - 1) / 3;
        left -= rounds * (SLICE_CYCLES(3) + 1);
    }
    CHARGE(3);
op_BL : {
    uint32_t to = ip->imm;
    R[CORTEX_LR] = (HERE + 4) | 1;
    JUMP(to, 4);
}
op_BX:
    BRANCH_TO(R[ip->m], 3);
op_BLX : {
    uint32_t to = R[ip->m];
    R[CORTEX_LR] = (HERE + 2) | 1;
    BRANCH_TO(to, 3);
}
op_MOV_PC:
    JUMP(R[ip->m] & ~1u, 3);
op_ADD_PC:
    JUMP((HERE + 4 + R[ip->m]) & ~1u, 3);
op_GET_PC:
    R[ip->d] = HERE + 4;
    NEXT(1, 1);
op_PLUS_PC:
    R[ip->d] += HERE + 4;
    NEXT(1, 1);
op_CBZ:
    if (R[ip->n] == 0)
        JUMP(ip->imm, 3);
    NEXT(1, 1);
op_CBNZ:
    if (R[ip->n] != 0)
        JUMP(ip->imm, 3);
    NEXT(1, 1);

op_NOP:
    NEXT_ONE(1);
op_IT:
    if (window == scratch) {
        scratch[1].it = ip->x;
        NEXT(1, 1);
    }
    origin = shared->blocks[ip->imm].at;
    window = ip = shared->blocks[ip->imm].insn;
    CHARGE(1);
op_REJOIN:
    ENTER(HERE);
    DISPATCH();
op_REFETCH : {
    uint32_t at = HERE;
    unsigned it = ip->it;
    if (!it && at < code_size) {
        ENTER(at);
        DISPATCH();
    }
    scratch[0] = cortex_refetch(n, at, it);
    scratch[1].it = scratch[2].it = (uint8_t)cortex_it_next(it);
    window = ip = scratch;
    origin = at;
    DISPATCH();
}
op_SVC:
    LOOK(1);
    ip += ip->length;
    left -= SLICE_CYCLES(1) + 1;
    SAVE();
    cortex_exception_call(n);
    LOOKED();
    goto slice_ends;
op_BKPT:
    UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_HARD_FAULT, 0);
op_WFI:
op_WFE : {
    bool event = (ip->op & ~CORTEX_BITS) == CORTEX_WFE;
    LOOK(1);
    ip += ip->length;
    left -= SLICE_CYCLES(1) + 1;
    SAVE();
    if (event && cpu->event) {
        cpu->event = 0;
    } else if (!cortex_exception_due(n, true)) {
        const struct device *d = m->instructions[INSTRUCTION_SLEEP].device;
        cpu->waits_for_event = event;
        node_sleeping(n, true);
        if (d)
            d->type->instruction(n, d, INSTRUCTION_SLEEP);
    }
    n->cut = true;
    LOOKED();
    goto slice_ends;
}
op_SEV:
    cpu->event = 1;
    NEXT_ONE(1);
op_SYSTEM : {
    LOOK(1);
    unsigned cycles = cortex_system(n, ip->imm);
    if (!cycles)
        goto op_UNDEFINED;
    LOOKED();
    RELOAD();
    NEXT_ONE(cycles);
}
op_RARE : {
    cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | FLAGS_NOW;
    unsigned cycles = cortex_rare(cpu, m->chip->core, ip->imm);
    if (!cycles)
        goto op_UNDEFINED;
    NEXT_ONE(cycles);
}
op_FLOAT : {
    LOOK(1);
    unsigned cycles = cortex_float(n, HERE, ip->imm);
    bool aborted = cpu->aborted;
    cpu->aborted = 0;
    LOOKED();
    if (aborted)
        goto slice_ends;
    if (!cycles)
        goto op_UNDEFINED;
    RELOAD();
    NEXT_ONE(cycles);
}

op_ERASED:
    UNDEFINED_HERE(FAULT_ERASED_FLASH, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
op_UNDEFINED:
    if (ip->imm == CORTEX_UDF_CHECK && ip->length == 1)
        NO_GOING_ON(cortex_trap_check(n), CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
    UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
op_DATA:
    UNDEFINED_HERE(FAULT_EXECUTES_DATA, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
op_OUTSIDE:
    if (!cortex_mpu_allows(n, HERE, 2, CORTEX_MPU_EXECUTE)) {
        LOOK(0);
        cortex_exception_fault(n, CORTEX_MEM_MANAGE, CORTEX_IACCVIOL);
        cpu->aborted = 0;
        LOOKED();
        goto slice_ends;
    }
    UNDEFINED_HERE(FAULT_OUTSIDE_FLASH, CORTEX_BUS_FAULT, CORTEX_IBUSERR);

odd_branch:
    if (target >> 24 >= EXCEPTION_RETURN_FIRST && cpu->exception) {
        LOOK(1);
        spent = cortex_exception_return(n, target);
        left -= SLICE_CYCLES(spent) + 1;
        LOOKED();
        cpu->aborted = 0;
        RELOAD();
        scratch[0] = (struct cortex_insn){.op = CORTEX_REFETCH, .length = 1, .it = cpu->it};
        window = ip = scratch;
        origin = R[CORTEX_PC];
        goto slice_ends;
    }
    LOOK(1); /* the state bit is clear: the fault is that of the instruction there */
    if (!node_fault(n, FAULT_OUTSIDE_FLASH, HERE, target, 0)) {
        cortex_exception_fault(n, CORTEX_USAGE_FAULT, CORTEX_INVSTATE);
        cpu->aborted = 0;
        ENTER(target & ~1u);
    }
    n->cut = true;
    LOOKED();
    goto slice_ends;

conditional:
    if (cortex_holds(ip->it >> 4, fn, fz, fc, fv))
        goto *operations[ip->op & (CORTEX_MARK - 1)];
    NEXT_ONE(1);

mark:
    GLANCE();
    if (marks_met(n, HERE)) {
        if (n->stopped_before)
            goto slice_ends;
        left = n->cut ? slice_shorten(&slice, left, 0) : slice_pause(&slice, left);
    }
    flash_plain = n->watching || n->code_reads_differ || cpu->mpu_ctrl ? 0 : code_size;
    goto *operations[ip->op & ~CORTEX_MARK];
trap : {
    LOOK(0);
    bool stop = cortex_trap(n);
    LOOKED();
    if (!stop)
        goto *operations[ip->op & (CORTEX_CONDITIONAL | (CORTEX_MARK - 1))];
}

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
        flash_plain = n->watching || n->code_reads_differ || cpu->mpu_ctrl ? 0 : code_size;
        if (left > 0 && !n->cut && !n->stopped)
            DISPATCH();
    }
    slice_end(n, &slice, left);
}
