/* The loop itself: a part of execute.c. */

static __attribute__((noinline, aligned(64))) void LOOP(struct node *n)
{
    static const void *const operations[CORTEX_BITS + CORTEX_WIDE] = {
#define X(name) [CORTEX_##name] = &&narrow_##name, [CORTEX_WIDE + CORTEX_##name] = &&wide_##name,
        CORTEX_OPERATIONS(X)
#undef X
#define X(first, first_wide, second, second_wide) \
    [CORTEX_##first##first_wide##_##second##second_wide] = &&pair_##first##first_wide##_##second##second_wide,
            CORTEX_PAIRS(X)
#undef X
#define MARKED(bits, label) \
    [(bits)...(bits) + CORTEX_MARK - 1] = &&label, [(bits) + CORTEX_MARK...(bits) + 2 * CORTEX_MARK - 1] = &&mark,
                [CORTEX_MARK... 2 * CORTEX_MARK - 1] = &&mark,
        MARKED(CORTEX_CONDITIONAL, conditional) MARKED(CORTEX_TRAP, trap) MARKED(CORTEX_TRAP + CORTEX_CONDITIONAL, trap)
            MARKED(CORTEX_READS_PC, reads_pc) MARKED(CORTEX_READS_PC + CORTEX_CONDITIONAL, reads_pc)
                MARKED(CORTEX_READS_PC + CORTEX_TRAP, trap)
                    MARKED(CORTEX_READS_PC + CORTEX_TRAP + CORTEX_CONDITIONAL, trap)
#undef MARKED
                        [CORTEX_HOT... CORTEX_HOT + CORTEX_TRAP - 1] = &&hot,
    };
    _Static_assert((int)CORTEX_OPERATION_COUNT <= (int)CORTEX_WIDE, "the bits that are added are others");
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
    uint32_t flash_plain = FLASH_PLAIN();
    struct cortex_insn scratch[3];
    struct slice slice;
    int64_t left = slice_begin(n, &slice), fr;
    const struct cortex_insn *ip;
    uint32_t fc, fv, odd, place;
    RELOAD();
    if (left <= 0)
        return;
    if (cpu->locked) {
        n->cut = true;
        node_halt(n, NODE_EXIT_HALT, 0);
        return;
    }
    place = cortex_entry(shared, R[CORTEX_PC], cpu->it);
    if (__builtin_expect(place != UINT32_MAX, 1)) {
        ip = code + place;
    } else {
        scratch[0] = REFETCH(R[CORTEX_PC], cpu->it);
        ip = scratch;
    }
    DISPATCH();

    /* Each length has operations of its own: how far it is to the next is then no load that the next waits for. */
#define ALONE    true
#define LENGTH   1
#define OP(name) narrow_##name:
#include "isa/cortex/execute_operations.h"
#undef LENGTH
#undef OP
#define LENGTH   2
#define OP(name) wide_##name:
#include "isa/cortex/execute_operations.h"
#undef LENGTH
#undef OP

#include "isa/cortex/execute_pairs.h"

    /* The others do not come often. */
#define LENGTH   ip->length
#define OP(name) narrow_##name : wide_##name:

    OP(B_SELF)
    if (cpu->primask || cpu->faultmask) {
        LOOK(0);
        cortex_end_for_good(n, HERE);
        LOOKED();
    }
    if (left > SLICE_CYCLES(6) && !(ip->op & CORTEX_MARK)) {
        /* nothing happens before the horizon: be there at once, an instruction short */
        int64_t rounds = ((left >> SLICE_COUNT_BITS) - 1) / 3;
        left -= rounds * (SLICE_CYCLES(3) + 1);
        n->heat.passed += (uint64_t)rounds;
    }
    CHARGE(3);
    OP(B_FAR)
    if (cortex_holds(ip->x, fr, fc, fv))
        JUMP(ip->imm, 3);
    NEXT(1);
    OP(BL_FAR)
    {
        uint32_t to = ip->imm;
        R[CORTEX_LR] = (HERE + 4) | 1;
        JUMP(to, 4);
    }
    OP(CBZ_FAR)
    if (R[ip->n] == 0)
        JUMP(ip->imm, 3);
    NEXT(1);
    OP(CBNZ_FAR)
    if (R[ip->n] != 0)
        JUMP(ip->imm, 3);
    NEXT(1);
    OP(IT_FAR)
    {
        uint32_t at = HERE + 2;
        scratch[0] = REFETCH(at, ip->x);
        ip = scratch;
        CHARGE(1);
    }
    OP(REJOIN)
    ENTER(HERE);
    DISPATCH();
    OP(REFETCH)
    {
        uint32_t at = HERE;
        unsigned it = ip->it, next = cortex_it_next(it);
        if (!it && at < code_size) {
            ENTER(at);
            DISPATCH();
        }
        scratch[0] = cortex_refetch(n, at, it);
        scratch[1] = REFETCH(at + 2, next);
        scratch[2] = REFETCH(at + 4, next);
        ip = scratch;
        DISPATCH();
    }
    OP(SVC)
    LOOK(1);
    ip += ip->length;
    left -= SLICE_CYCLES(1) + 1;
    SAVE();
    cortex_exception_call(n);
    LOOKED();
    goto slice_ends;
    OP(BKPT)
    UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_HARD_FAULT, 0);
    OP(WFI)
    OP(WFE)
    {
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
    OP(SEV)
    cpu->event = 1;
    NEXT(1);
    OP(SYSTEM)
    {
        LOOK(1);
        unsigned cycles = cortex_system(n, ip->imm);
        if (!cycles)
            goto narrow_UNDEFINED;
        LOOKED();
        RELOAD();
        NEXT(cycles);
    }
    OP(RARE)
    {
        cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | FLAGS_NOW;
        unsigned cycles = cortex_rare(cpu, m->chip->core, ip->imm);
        if (!cycles)
            goto narrow_UNDEFINED;
        NEXT(cycles);
    }
    OP(FLOAT)
    {
        LOOK(1);
        unsigned cycles = cortex_float(n, HERE, ip->imm);
        bool aborted = cpu->aborted;
        cpu->aborted = 0;
        LOOKED();
        if (aborted)
            goto slice_ends;
        if (!cycles)
            goto narrow_UNDEFINED;
        RELOAD();
        NEXT(cycles);
    }

    OP(ERASED)
    UNDEFINED_HERE(FAULT_ERASED_FLASH, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
    OP(UNDEFINED)
    if (ip->imm == CORTEX_UDF_CHECK && ip->length == 1)
        NO_GOING_ON(cortex_trap_check(n), CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
    UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
    OP(DATA)
    UNDEFINED_HERE(FAULT_EXECUTES_DATA, CORTEX_USAGE_FAULT, CORTEX_UNDEFINSTR);
    OP(OUTSIDE)
    if (!cortex_mpu_allows(n, HERE, 2, CORTEX_MPU_EXECUTE)) {
        LOOK(0);
        cortex_exception_fault(n, CORTEX_MEM_MANAGE, CORTEX_IACCVIOL);
        cpu->aborted = 0;
        LOOKED();
        goto slice_ends;
    }
    UNDEFINED_HERE(FAULT_OUTSIDE_FLASH, CORTEX_BUS_FAULT, CORTEX_IBUSERR);

odd_branch:
    if (odd >> 24 >= EXCEPTION_RETURN_FIRST && cpu->exception) {
        LOOK(1);
        unsigned spent = cortex_exception_return(n, odd);
        left -= SLICE_CYCLES(spent) + 1;
        LOOKED();
        cpu->aborted = 0;
        RELOAD();
        scratch[0] = REFETCH(R[CORTEX_PC], cpu->it);
        ip = scratch;
        goto slice_ends;
    }
    LOOK(1); /* the state bit is clear: the fault is that of the instruction there */
    if (!node_fault(n, FAULT_OUTSIDE_FLASH, HERE, odd, 0)) {
        cortex_exception_fault(n, CORTEX_USAGE_FAULT, CORTEX_INVSTATE);
        cpu->aborted = 0;
        ENTER(odd & ~1u);
    }
    n->cut = true;
    LOOKED();
    goto slice_ends;

reads_pc:
    R[CORTEX_PC] = HERE + 4;
    goto *operations[ip->op & (CORTEX_CONDITIONAL | (CORTEX_MARK - 1))];

conditional:
    if (cortex_holds(ip->it >> 4, fr, fc, fv))
        goto *operations[ip->op & (CORTEX_MARK - 1)];
    NEXT(1);

hot:
    if (left > SLICE_CYCLES(HEAT_LEAST)) {
        int64_t past = slice_past_now(n, &slice);
        struct cortex_live live = {
            .left = left + past, .fr = fr, .fv = fv, .fc = fc, .flash_plain = flash_plain, .ram = ram};
        uint32_t to = heat_enter(n, (uint32_t)(ip - code), &live, R);
        left = live.left - past;
        fr = live.fr;
        fv = live.fv;
        fc = live.fc;
        ip = code + (to & ~HEAT_LOOP);
        if (left <= 0)
            goto slice_ends;
        if (!(to & HEAT_LOOP))
            DISPATCH();
    }
    goto *operations[ip->op & ~CORTEX_HOT];

mark:
    GLANCE();
    if (marks_met(n, PLACE)) {
        if (n->stopped_before)
            goto slice_ends;
        left = n->cut ? slice_shorten(&slice, left, 0) : slice_pause(&slice, left);
    }
    flash_plain = FLASH_PLAIN();
    goto *operations[ip->op & ~CORTEX_MARK];
trap : {
    LOOK(0);
    bool stop = cortex_trap(n);
    LOOKED();
    if (!stop)
        goto *operations[ip->op & (CORTEX_READS_PC | CORTEX_CONDITIONAL | (CORTEX_MARK - 1))];
}

slice_ends:
    if (slice_samples(n, &slice, left)) {
        left = slice_sample(&slice, left, PLACE);
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
        flash_plain = FLASH_PLAIN();
        if (left > 0 && !n->cut && !n->stopped)
            DISPATCH();
    }
    slice_end(n, &slice, left);
}
