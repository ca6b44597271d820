/* The loop itself: a part of execute.c, which includes it twice, as LOOP and with PROBED defined for a node whose every
 * instruction has the same probe. */

/* At a line of the host's cache: elsewhere its speed differs by 10 %, by where the linker has put it. */
static __attribute__((noinline, aligned(64))) void LOOP(struct node *n)
{
#ifdef PROBED
    static const void *const operations[AVR_WAIT + 2 * AVR_MARK] = {
#define ADDRESS(name) [AVR_MARK + AVR_##name] = &&probed_##name,
        AVR_OPERATIONS(ADDRESS)
#undef ADDRESS
            [AVR_CHECK... AVR_TRAP + AVR_CHECK - 1] = &&probed_check,
#define ADDRESS(name) [AVR_WAIT + AVR_MARK + AVR_##name] = &&probed_##name,
        AVR_OPERATIONS(ADDRESS)
#undef ADDRESS
    };
    enum avr_operation operation;
#else
    static const void *const operations[AVR_WAIT + 2 * AVR_MARK] = {
#define ADDRESS(name) &&op_##name,
        AVR_OPERATIONS(ADDRESS)
#undef ADDRESS
            [AVR_MARK... 2 * AVR_MARK - 1] = &&mark,
        [AVR_CHECK... AVR_CHECK + AVR_MARK - 1] = &&check,
        [AVR_CHECK + AVR_MARK... AVR_TRAP - 1] = &&mark,
        [AVR_TRAP... AVR_TRAP + AVR_MARK - 1] = &&trap,
        [AVR_TRAP + AVR_MARK... AVR_TRAP + AVR_CHECK - 1] = &&mark,
        [AVR_HOT... AVR_HOT + AVR_MARK - 1] = &&hot,
        [AVR_WAIT + AVR_RJMP] = &&wait_RJMP,
        [AVR_WAIT + AVR_JMP] = &&wait_JMP,
#define ADDRESS(name) [AVR_WAIT + AVR_##name] = &&wait_##name,
        AVR_BRANCHES(ADDRESS)
#undef ADDRESS
            [AVR_WAIT + AVR_MARK... AVR_WAIT + 2 * AVR_MARK - 1] = &&mark,
    };
    struct wait_spin spin = {0};
#endif
    _Static_assert((int)AVR_OPERATION_COUNT <= (int)AVR_MARK, "a mark is a bit of its own");
    struct avr_cpu *cpu = n->cpu;
    const struct avr_code *const shared = n->code;
    const struct avr_insn *const code = shared->insn;
    const uint32_t words = shared->words;
    const bool wide = ((const struct avr_core *)n->machine->chip->core)->pc_bytes == 3;
    uint8_t *const r = n->data;
    const struct avr_insn *ip = code + cpu->pc;
    uint32_t sp, stack_low, stack_span;
    unsigned it, fc, fz, fn, fv, fh;
    struct slice slice;
    int64_t left = slice_begin(n, &slice);
    if (left <= 0)
        return;
    sp = pair(r, AVR_SPL);
    STACK_BOUNDS();
    RELOAD();
    if (n->state->asking && (it & SREG_I)) /* one waits for the end of the instruction after SEI, RETI... */
        left = slice_shorten(&slice, left, 1);
    DISPATCH();

#include "isa/avr/execute_arithmetic.h"
#include "isa/avr/execute_flow.h"
#include "isa/avr/execute_memory.h"

#ifdef PROBED
    /* Each operation has a probed form of its own: a jump that leads everywhere is seldom foreseen by the host. */
#define PROBE(name)                                    \
    probed_##name : GLANCE();                          \
    if (__builtin_expect(probe_all(n, 2 * HERE), 0)) { \
        operation = AVR_##name;                        \
        goto changed;                                  \
    }                                                  \
    goto op_##name;
    AVR_OPERATIONS(PROBE)
#undef PROBE

probed_check:
    GLANCE();
    operation = (enum avr_operation)(ip->op & ~AVR_MARKS);
    if (probe_all(n, 2 * HERE)) {
        if (n->stopped_before)
            goto slice_ends;
        left = slice_shorten(&slice, left, 0);
    }
    if (ip->op & AVR_CHECK)
        goto check;
    goto trap;

changed:
    if (n->stopped_before)
        goto slice_ends;
    left = slice_shorten(&slice, left, 0);
marks_done:
    switch (operation) {
#define CASE(name) \
    case AVR_##name: goto op_##name;
        AVR_OPERATIONS(CASE)
#undef CASE
    default: break;
    }
#define MARKS_DONE() goto marks_done

#else
#define MARKS_DONE() goto *operations[ip->op & ~AVR_MARKS]
mark:
    GLANCE();
    bool met = marks_met(n, 2 * HERE);
    RECALL();
    if (met) {
        if (n->stopped_before)
            goto slice_ends;
        left = n->cut ? slice_shorten(&slice, left, 0) : slice_pause(&slice, left);
    }
    goto *operations[ip->op & ~(AVR_MARK | AVR_WAIT)];

hot:
    if (left > SLICE_CYCLES(HEAT_LEAST)) {
        int64_t past = slice_past_now(n, &slice);
        struct avr_live live = {.left = left + past,
                                .start_count = slice.start_count,
                                .data = r,
                                .cpu = cpu,
                                .sp = sp,
                                .stack_low = stack_low,
                                .stack_span = stack_span,
                                .it = it,
                                .fc = fc,
                                .fz = fz,
                                .fn = fn,
                                .fv = fv,
                                .fh = fh};
        uint32_t to = heat_enter(n, HERE, &live, r);
        left = live.left - past;
        sp = live.sp;
        it = live.it;
        fc = live.fc;
        fz = live.fz;
        fn = live.fn;
        fv = live.fv;
        fh = live.fh;
        ip = code + (to & ~HEAT_LOOP);
        if (left <= 0)
            goto slice_ends;
        if (!(to & HEAT_LOOP))
            DISPATCH();
    }
    goto *operations[ip->op & ~AVR_HOT];
    /* Each of these has a form of its own, too. */
#define WAIT(name)                                                                 \
    wait_##name : if (__builtin_expect(wait_again(&spin, ip, left), 0)) goto wait; \
    goto op_##name;
    AVR_BRANCHES(WAIT)
    WAIT(JMP)
wait_RJMP:
    if (ip->d) {
        if (left > SLICE_CYCLES(2 * ip->d)) {
            SAVE();
            left = avr_wait_poll(n, &slice, left, HERE);
            RELOAD();
        }
    } else if (__builtin_expect(wait_again(&spin, ip, left), 0)) {
        goto wait;
    }
    goto op_RJMP;
#undef WAIT
wait:
    SAVE();
    left = avr_wait_pass(n, &slice, left, HERE, &spin);
    RELOAD();
    goto *operations[ip->op & ~AVR_WAIT];
#endif

check:
    SAVE();
    if (avr_check_fails(shared, ip, r[AVR_SREG], r))
        cpu->check = HERE;
    RELOAD();
    MARKS_DONE();
trap : {
    LOOK(0);
    bool stop_ = avr_trap(n);
    LOOKED();
    if (!stop_)
        MARKS_DONE();
}
#undef MARKS_DONE

slice_ends:
    if (slice_samples(n, &slice, left)) {
        left = slice_sample(&slice, left, 2 * HERE);
        DISPATCH();
    }
    if (__builtin_expect(slice_beats(n, &slice, left), 0)) {
        GLANCE();
        left = slice_beat(n, &slice, left);
        RECALL();
        if (left > 0)
            DISPATCH();
    }
    SAVE();
    if (__builtin_expect(n->pausing || slice.more, 0)) {
        left = slice_resume(n, &slice, left);
        if (left > 0 && !n->cut && !n->stopped) {
            RELOAD();
            DISPATCH();
        }
    }
    slice_end(n, &slice, left);
#ifndef PROBED
    if (slice_again(n, &slice, shared, &left)) {
        RELOAD();
        spin.at = NULL;
        DISPATCH();
    }
#endif
}
