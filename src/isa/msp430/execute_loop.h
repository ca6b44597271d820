/* The loop itself: a part of execute.c, which includes it twice, as LOOP and with PROBED defined for a node whose every
 * instruction has the same probe. */

/* At a line of the host's cache: elsewhere its speed differs by 10 %, by where the linker has put it. */
static __attribute__((noinline, aligned(64))) void LOOP(struct node *n)
{
#ifdef PROBED
    static const void *const operations[MSP430_WAIT + 2 * MSP430_MARK] = {
#define LABEL(name, size, source, target) \
    [MSP430_MARK + MSP430_##name##_##size##_##source##_##target] = &&probed_##name##_##size##_##source##_##target,
        MSP430_DOUBLES(LABEL)
#define OTHER(name) [MSP430_MARK + MSP430_##name] = &&probed_##name,
            MSP430_OTHERS(OTHER)[MSP430_CHECK... MSP430_TRAP + MSP430_CHECK - 1] = &&probed_check,
#undef OTHER
#define OTHER(name) [MSP430_WAIT + MSP430_MARK + MSP430_##name] = &&probed_##name,
        MSP430_OTHERS(OTHER)};
    enum msp430_operation operation;
#else
    static const void *const operations[MSP430_WAIT + 2 * MSP430_MARK] = {
#define LABEL(name, size, source, target) &&op_##name##_##size##_##source##_##target,
        MSP430_DOUBLES(LABEL)
#define OTHER(name)                       &&op_##name,
            MSP430_OTHERS(OTHER)[MSP430_MARK... 2 * MSP430_MARK - 1] = &&mark,
        [MSP430_CHECK... MSP430_CHECK + MSP430_MARK - 1] = &&check,
        [MSP430_CHECK + MSP430_MARK... MSP430_TRAP - 1] = &&mark,
        [MSP430_TRAP... MSP430_TRAP + MSP430_MARK - 1] = &&trap,
        [MSP430_TRAP + MSP430_MARK... MSP430_TRAP + MSP430_CHECK - 1] = &&mark,
        [MSP430_HOT... MSP430_HOT + MSP430_MARK - 1] = &&hot,
        [MSP430_WAIT... MSP430_WAIT + MSP430_MARK - 1] = &&wait,
        [MSP430_WAIT + MSP430_MARK... MSP430_WAIT + 2 * MSP430_MARK - 1] = &&mark,
    };
    struct wait_spin spin = {0};
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

#include "isa/msp430/execute_operations.h"

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
    goto *operations[ip->op & ~(MSP430_MARK | MSP430_WAIT)];

hot:
    if (left > SLICE_CYCLES(HEAT_LEAST)) {
        int64_t past = slice_past_now(n, &slice);
        struct msp430_live live = {.left = left + past,
                                   .data = data,
                                   .stack_low = stack_low,
                                   .stack_span = stack_span,
                                   .fc = fc,
                                   .fr = fr,
                                   .fv = fv};
        uint32_t to = heat_enter(n, HERE / 2, &live, R);
        left = live.left - past;
        fc = live.fc;
        fr = live.fr;
        fv = live.fv;
        ip = code + (to & ~HEAT_LOOP);
        if (left <= 0)
            goto slice_ends;
        if (!(to & HEAT_LOOP))
            DISPATCH();
    }
    goto *operations[ip->op & ~MSP430_HOT];
wait:
    if (__builtin_expect(wait_again(&spin, ip, left), 0)) {
        SAVE();
        left = msp430_wait_pass(n, &slice, left, HERE, &spin);
    }
    goto *operations[ip->op & ~MSP430_WAIT];
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
#ifndef PROBED
    if (slice_again(n, &slice, shared, &left)) {
        spin.at = NULL;
        DISPATCH();
    }
#endif
}
