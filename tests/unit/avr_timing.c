/* What an instruction's neighbours decide: skips over two words, the ends of flash and RAM, and interrupts. Each
 * program runs in three ways (at once, step by step, in slices of one cycle), which must agree. */
#include "avr_bench.h"
#include "node/interrupts.h"

enum {
    NOP = 0x0000,
    SEI = 0x9478,
    CLI = 0x94f8,
    RET = 0x9508,
    RETI = 0x9518,
    ICALL = 0x9509,
    EICALL = 0x9519,
    IJMP = 0x9409,
    EIJMP = 0x9419,
    JMP = 0x940c,
    CALL = 0x940e,
    INC_R20 = 0x9543,
    INC_R21 = 0x9553,
    OUT_SREG_R16 = 0xbf0f,
    ST_Z_R16 = 0x8300,
    STS_R16 = 0x9300,
    PUSH_R16 = 0x930f,
    POP_R17 = 0x911f,
    ELPM_R17_INC = 0x9117,
    RJMP_SELF = 0xcfff,
};

enum { SREG_I = 0x80 };

enum how { AT_ONCE, STEPS, CYCLES, WAYS };

static struct node *program(const struct chip *chip, uint32_t at, const uint16_t *words, size_t count)
{
    struct bench_code code = {.at = at, .words = words, .count = count};
    struct node *n = bench_node(chip, &code, 1);
    bench_set_pc(n, at);
    bench_set_sp(n, chip_region(chip, REGION_RAM)->backing + chip_region(chip, REGION_RAM)->size - 1u);
    return n;
}
#define PROGRAM(chip, at, ...) \
    program(chip, at, (const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static void run_to(struct node *n, enum how how, uint64_t tick)
{
    while (n->state->now < tick) {
        if (how == AT_ONCE)
            node_run(n, tick);
        else if (how == CYCLES)
            node_run(n, n->state->now + 1);
        else
            node_step(n);
    }
}

static uint64_t step_cycles(struct node *n)
{
    uint64_t before = n->state->now;
    node_step(n);
    return n->state->now - before;
}

/* ---- skips ---- */

static void skips(void **state)
{
    (void)state;
    /* CPSE r0, r0; SBRC r0, 0; SBRS r1, 0; SBIC 0x00, 0; SBIS 0x01, 0 with r0 = 0, r1 = 1 and the same in I/O; then the
     * same on a register a device is asked for (0x1e). */
    static const uint16_t taken[] = {0x1000, 0xfc00, 0xfe10, 0x9900, 0x9b08, 0x99f1, 0x9bf0};
    static const uint16_t not_taken[] = {0x1001, 0xfe00, 0xfc10, 0x9b00, 0x9908, 0x9bf1, 0x99f0};
    static const struct {
        uint16_t opcode;
        unsigned words;
    } skipped[] = {{NOP, 1},    {RET, 1},    {0x9000, 2}, {0x91f0, 2}, {0x9200, 2}, {0x93f0, 2},
                   {0x940c, 2}, {0x95fd, 2}, {0x940e, 2}, {0x95ff, 2}, {0x9001, 1}, {0x9408, 1}};
    const struct chip *chips_[] = {&bench_avr5, &bench_avr51, &bench_avr6};
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            for (size_t j = 0; j < sizeof skipped / sizeof *skipped; j++) {
                struct node *n = PROGRAM(chips_[c], 0, taken[i], skipped[j].opcode, NOP, NOP, not_taken[i], NOP);
                n->data[1] = n->data[0x21] = n->data[BENCH_NOTED] = 1;
                assert_int_equal(step_cycles(n), 1 + skipped[j].words);
                assert_int_equal(bench_pc(n), 1 + skipped[j].words);
                bench_set_pc(n, 4);
                assert_int_equal(step_cycles(n), 1);
                assert_int_equal(bench_pc(n), 5);
                bench_free(n);
            }
}

/* ---- the ends of flash ---- */

static void relative_jumps_wrap(void **state)
{
    (void)state;
    const struct chip *chips_[] = {&bench_avr5, &bench_avr51, &bench_avr6};
    for (size_t c = 0; c < 3; c++) {
        uint32_t words = chip_region(chips_[c], REGION_FLASH)->size / 2;
        struct node *n = PROGRAM(chips_[c], 0, 0xcffc /* rjmp .-8 */, 0xdffc /* rcall .-8 */, 0xf3e1 /* breq .-8 */);
        node_step(n);
        assert_int_equal(bench_pc(n), words - 3);
        bench_set_pc(n, 1);
        node_step(n);
        assert_int_equal(bench_pc(n), words - 2);
        n->data[AVR_SREG] = 2;
        bench_set_pc(n, 2);
        node_step(n);
        assert_int_equal(bench_pc(n), words - 1);
        bench_free(n);
        n = PROGRAM(chips_[c], words - 2, 0xf021 /* breq .+8 */, 0xd7ff /* rcall .+4094 */);
        n->data[AVR_SREG] = 2;
        assert_int_equal(step_cycles(n), 2);
        assert_int_equal(bench_pc(n), 3);
        bench_set_pc(n, words - 1);
        node_step(n);
        assert_int_equal(bench_pc(n), 0x7ff);
        bench_free(n);
    }
}

static void running_off_the_end(void **state)
{
    (void)state;
    uint32_t words = chip_region(&bench_avr5, REGION_FLASH)->size / 2;
    struct node *n = PROGRAM(&bench_avr5, words - 1, INC_R20);
    uint64_t cycles = step_cycles(n);
    assert_int_equal(cycles, 1);
    n->fault_action[FAULT_OUTSIDE_FLASH] = FAULT_STOP;
    assert_int_equal(node_step(n), NODE_EXIT_FAULT);
    assert_int_equal(n->fault.pc, 2 * words);
    bench_free(n);

    /* With faults ignored the program counter wraps and the end costs nothing. */
    const uint16_t end[] = {INC_R20, 0xfc00 /* sbrc r0, 0 */}, start[] = {0x940c, 0, INC_R21};
    struct bench_code code[] = {{words - 2, end, 2}, {0, start, 3}};
    n = bench_node(&bench_avr5, code, 2);
    bench_set_pc(n, words - 2);
    assert_int_equal(step_cycles(n), 1);
    assert_int_equal(step_cycles(n), 3); /* skips the jump at 0, two words */
    assert_int_equal(step_cycles(n), 1);
    assert_int_equal(bench_pc(n), 3);
    assert_int_equal(n->data[21], 1);
    assert_int_equal(n->state->instructions, 3);
    bench_free(n);
}

static void jumps_out_of_flash(void **state)
{
    (void)state;
    static const struct {
        uint16_t code[2];
        uint32_t target;
        unsigned cycles, pushed;
    } cases[] = {
        {{JMP, 0x5678}, 0x5678, 3, 0}, {{CALL, 0x5678}, 0x5678, 4, 2}, {{JMP + 1, 0x5678}, 0x15678, 3, 0},
        {{IJMP, NOP}, 0x4321, 2, 0},   {{ICALL, NOP}, 0x4321, 3, 2},   {{RET, NOP}, 0x8765, 4, -2},
        {{RETI, NOP}, 0x8765, 4, -2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node *n = program(&bench_avr5, 0x10, cases[i].code, 2);
        uint32_t sp = bench_sp(n) - 2;
        bench_set_sp(n, sp);
        n->data[30] = 0x21;
        n->data[31] = 0x43;
        n->data[sp + 1] = 0x87;
        n->data[sp + 2] = 0x65;
        struct snapshot *before = snapshot_take(n);
        n->fault_action[FAULT_OUTSIDE_FLASH] = FAULT_STOP;
        assert_int_equal(node_step(n), NODE_EXIT_FAULT);
        assert_int_equal(n->fault.pc, 0x20);
        assert_int_equal(n->fault.address, 2 * cases[i].target);
        assert_int_equal(n->fault.sp, sp);
        assert_int_equal(bench_pc(n), 0x10);
        assert_int_equal(bench_sp(n), sp);
        snapshot_restore(n, before);
        n->fault_action[FAULT_OUTSIDE_FLASH] = FAULT_IGNORE;
        assert_int_equal(step_cycles(n), cases[i].cycles);
        assert_int_equal(bench_pc(n), cases[i].target & 0x3fff);
        assert_int_equal(bench_sp(n), sp - cases[i].pushed);
        snapshot_free(before);
        bench_free(n);
    }
}

static void what_small_chips_lack(void **state)
{
    (void)state;
    static const uint16_t lacking[] = {0x95d8, 0x9006, 0x9007, EICALL, EIJMP}; /* ELPM in three forms, EICALL, EIJMP */
    struct node *n = program(&bench_avr5, 0, lacking, 5);
    n->fault_action[FAULT_ILLEGAL_OPCODE] = FAULT_STOP;
    for (unsigned i = 0; i < 5; i++) {
        bench_set_pc(n, i);
        n->state->exit = NODE_RUNNING;
        assert_int_equal(node_step(n), NODE_EXIT_FAULT);
        assert_int_equal(n->fault.kind, FAULT_ILLEGAL_OPCODE);
    }
    bench_free(n);
}

/* ---- 22-bit program counters ---- */

static void long_calls(void **state)
{
    (void)state;
    static const struct {
        uint16_t code[2];
        uint32_t target, returns;
        unsigned cycles;
    } cases[] = {
        {{CALL + 1, 0x2345}, 0x12345, 0x1fffe, 5}, {{CALL, 0x2345}, 0x02345, 0x1fffe, 5},
        {{0xd004, NOP}, 0x00001, 0x1fffd, 4}, /* rcall .+8 */
        {{ICALL, NOP}, 0x04321, 0x1fffd, 4},       {{EICALL, NOP}, 0x14321, 0x1fffd, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint16_t back[] = {RET};
        struct bench_code code[] = {{0x1fffc, cases[i].code, 2}, {cases[i].target, back, 1}};
        struct node *n = bench_node(&bench_avr6, code, 2);
        bench_set_pc(n, 0x1fffc);
        bench_set_sp(n, 0x21ff);
        n->data[30] = 0x21;
        n->data[31] = 0x43;
        n->data[AVR_EIND] = 1;
        assert_int_equal(step_cycles(n), cases[i].cycles);
        assert_int_equal(bench_pc(n), cases[i].target);
        assert_int_equal(bench_sp(n), 0x21fc);
        assert_int_equal(n->data[0x21fd] << 16 | n->data[0x21fe] << 8 | n->data[0x21ff], cases[i].returns);
        assert_int_equal(step_cycles(n), 5);
        assert_int_equal(bench_pc(n), cases[i].returns);
        assert_int_equal(bench_sp(n), 0x21ff);
        bench_free(n);
    }
    struct node *n = PROGRAM(&bench_avr6, 0x1fffc, EIJMP);
    n->data[AVR_EIND] = 1;
    assert_int_equal(step_cycles(n), 2);
    assert_int_equal(bench_pc(n), 0x10000);
    bench_free(n);
}

static void extended_program_reads(void **state)
{
    (void)state;
    const uint16_t code[] = {ELPM_R17_INC, ELPM_R17_INC}, low[] = {0x2211}, high[] = {0x4433};
    struct bench_code pieces[] = {{0, code, 2}, {0x7fff, low, 1}, {0x8000, high, 1}};
    struct node *n = bench_node(&bench_avr51, pieces, 3);
    n->data[30] = 0xff;
    n->data[31] = 0xff;
    assert_int_equal(step_cycles(n), 3);
    assert_int_equal(n->data[17], 0x22);
    assert_int_equal(n->data[AVR_RAMPZ], 1);
    assert_int_equal(n->data[30] | n->data[31], 0);
    assert_int_equal(step_cycles(n), 3);
    assert_int_equal(n->data[17], 0x33);
    bench_free(n);
}

/* ---- the stack at the ends of RAM ---- */

static void stack_ends(void **state)
{
    (void)state;
    struct node *n = PROGRAM(&bench_avr5, 0, PUSH_R16, POP_R17, POP_R17);
    n->data[16] = 0x5a;
    bench_set_sp(n, 0x100); /* the lowest byte of RAM */
    assert_int_equal(step_cycles(n), 2);
    assert_int_equal(n->data[0x100], 0x5a);
    assert_int_equal(bench_sp(n), 0xff);
    assert_int_equal(step_cycles(n), 2);
    assert_int_equal(n->data[17], 0x5a);
    bench_set_sp(n, 0x8ff); /* its highest: a pop reads beyond */
    n->fault_action[FAULT_OUTSIDE_MEMORY] = FAULT_STOP;
    assert_int_equal(node_step(n), NODE_EXIT_FAULT);
    assert_int_equal(n->fault.kind, FAULT_OUTSIDE_MEMORY);
    assert_int_equal(n->fault.address, 0x900);
    bench_free(n);

    n = PROGRAM(&bench_avr5, 0, PUSH_R16);
    n->data[16] = 0x5a;
    bench_set_sp(n, 0xff);
    n->fault_action[FAULT_STACK_OVERFLOW] = FAULT_STOP;
    assert_int_equal(node_step(n), NODE_EXIT_FAULT);
    assert_int_equal(n->fault.kind, FAULT_STACK_OVERFLOW);
    assert_int_equal(n->fault.address, 0xff);
    assert_int_equal(n->fault.value, 0x5a);
    bench_free(n);
}

/* ---- interrupts ---- */

static void interrupt_response(void **state)
{
    (void)state;
    const struct chip *chips_[] = {&bench_avr5, &bench_avr51, &bench_avr6};
    for (size_t c = 0; c < 3; c++)
        for (unsigned line = 1; line <= BENCH_LINES; line++) {
            unsigned pc_bytes = c == 2 ? 3 : 2;
            uint32_t at = c == 2 ? 0x12345 : 0x1234;
            const uint16_t main_code[] = {NOP, NOP}, vector[] = {INC_R20};
            struct bench_code code[] = {{at, main_code, 2}, {2 * line, vector, 1}};
            struct node *n = bench_node(chips_[c], code, 2);
            uint32_t top = (uint32_t)n->machine->data_size - 1;
            bench_set_pc(n, at);
            bench_set_sp(n, top);
            n->data[AVR_SREG] = 0xff;
            node_irq(n, line, true);
            assert_int_equal(step_cycles(n), 2 + pc_bytes + 1); /* the response and the first instruction */
            assert_int_equal(bench_pc(n), 2 * line + 1);
            assert_int_equal(n->data[AVR_SREG] & SREG_I, 0);
            assert_int_equal(n->data[20], 1);
            assert_int_equal(bench_sp(n), top - pc_bytes);
            uint32_t pushed = 0;
            for (unsigned i = 0; i < pc_bytes; i++)
                pushed = pushed << 8 | n->data[top - pc_bytes + 1 + i];
            assert_int_equal(pushed, at);
            assert_int_equal(bench_state(n)->taken[line - 1], 0);
            bench_free(n);
        }
}

static void lowest_vector_first(void **state)
{
    (void)state;
    struct node *n = PROGRAM(&bench_avr51, 0x100, NOP, NOP);
    n->data[AVR_SREG] = SREG_I;
    node_irq(n, 3, true);
    node_irq(n, 2, true);
    node_irq(n, 4, true);
    node_run(n, 1);
    assert_int_equal(bench_pc(n), 4);
    assert_int_equal(interrupts_word(n, 0), 1u << 3 | 1u << 4);
    bench_free(n);
}

/* An instruction that allows interrupts, at 0x100, among others that take one cycle each. Line 1 is raised so that it
 * is pending from cycle `raised` on; returns at which cycle the interrupt was taken. */
static uint64_t taken_at(const uint16_t allows[2], uint8_t sreg, uint64_t raised, enum how how)
{
    const uint16_t code[] = {INC_R20, INC_R20, allows[0], allows[1], INC_R20, INC_R20, INC_R20, INC_R20, INC_R20,
                             INC_R20, INC_R20, INC_R20,   INC_R20,   INC_R20, INC_R20, INC_R20, INC_R20, INC_R20};
    const uint16_t vector[] = {RJMP_SELF}, elsewhere[] = {INC_R20, INC_R20, INC_R20, INC_R20, INC_R20,
                                                          INC_R20, INC_R20, INC_R20, INC_R20, INC_R20};
    struct bench_code pieces[] = {{0x100, code, 18}, {2, vector, 1}, {0x200, elsewhere, 10}};
    struct node *n = bench_node(&bench_avr51, pieces, 3);
    bench_set_pc(n, 0x100);
    bench_set_sp(n, 0x10fd); /* RETI finds 0x200 there */
    n->data[0x10fe] = 0x02;
    n->data[0x10ff] = 0x00;
    n->data[16] = SREG_I;
    n->data[30] = AVR_SREG; /* for ST Z */
    n->data[AVR_SREG] = sreg;
    bench_raise_in(n, 0, raised);
    run_to(n, how, 14);
    uint64_t taken = bench_state(n)->taken[0];
    bench_free(n);
    return taken;
}

static void one_instruction_after_allowing_interrupts(void **state)
{
    (void)state;
    static const struct {
        uint16_t code[2];
        unsigned cycles, next; /* of the instruction and of the one after it */
    } cases[] = {
        {{SEI, INC_R20}, 1, 1},
        {{OUT_SREG_R16, INC_R20}, 1, 1},
        {{ST_Z_R16, INC_R20}, 2, 1},
        {{STS_R16, AVR_SREG}, 2, 1},
        {{RETI, NOP}, 4, 1},
        {{SEI, PUSH_R16}, 1, 2},
        {{OUT_SREG_R16, 0xc000}, 1, 2},
        {{SEI, RJMP_SELF}, 1, 2},
        {{OUT_SREG_R16, RJMP_SELF}, 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum how how = AT_ONCE; how < WAYS; how++)
            for (uint64_t raised = 1; raised <= 10; raised++) {
                /* Two instructions, then the one that allows, then one more. */
                uint64_t expected = 2 + cases[i].cycles + cases[i].next, now = expected;
                while (now < raised)
                    now += cases[i].code[1] == RJMP_SELF ? 2 : 1;
                uint64_t taken = taken_at(cases[i].code, 0, raised, how);
                if (taken != now)
                    fail_msg("%04x %04x raised at %u, way %d: taken at %u, not %u", cases[i].code[0], cases[i].code[1],
                             (unsigned)raised, how, (unsigned)taken, (unsigned)now);
            }
}

static void disallowing_interrupts_is_immediate(void **state)
{
    (void)state;
    const uint16_t cli[] = {CLI, INC_R20};
    for (enum how how = AT_ONCE; how < WAYS; how++) {
        assert_int_equal(taken_at(cli, SREG_I, 1, how), 1);
        assert_int_equal(taken_at(cli, SREG_I, 2, how), 2);
        assert_int_equal(taken_at(cli, SREG_I, 3, how), 0);
    }
}

/* A register access in the middle of an instruction sees what happened up to its cycle. */
static void access_cycles(void **state)
{
    (void)state;
    static const struct {
        uint16_t code[2];
        unsigned offset, cycles;
    } cases[] = {
        {{0xb30e, NOP}, 0, 1},         /* in r16, 0x1e */
        {{0xbb0e, NOP}, 0, 1},         /* out 0x1e, r16 */
        {{0x9af0, NOP}, 1, 2},         /* sbi 0x1e, 0 */
        {{0x98f0, NOP}, 1, 2},         /* cbi 0x1e, 0 */
        {{0x99f0, INC_R20}, 0, 1},     /* sbic 0x1e, 0: the register holds 1 */
        {{0x9100, BENCH_NOTED}, 1, 2}, /* lds r16 */
        {{0x9300, BENCH_NOTED}, 1, 2}, /* sts r16 */
        {{0x8100, NOP}, 1, 2},         /* ld r16, Z */
        {{0x8300, NOP}, 1, 2},         /* st Z, r16 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum how how = AT_ONCE; how < WAYS; how++) {
            struct node *n = PROGRAM(&bench_avr51, 0x100, NOP, NOP, NOP, cases[i].code[0], cases[i].code[1], NOP, NOP,
                                     NOP, NOP, NOP);
            n->data[BENCH_NOTED] = 1;
            n->data[30] = BENCH_NOTED;
            run_to(n, how, 8);
            assert_int_equal(bench_state(n)->noted_at, 3 + cases[i].offset);
            assert_int_equal(n->state->now, 8);
            bench_free(n);
        }
}

/* An endless loop with interrupts on is skipped to the next event, not executed, without a visible difference. */
static void waiting_loop(void **state)
{
    (void)state;
    for (uint64_t raised = 1; raised < 40; raised++)
        for (enum how how = AT_ONCE; how < WAYS; how++) {
            const uint16_t loop[] = {INC_R20, RJMP_SELF}, vector[] = {INC_R21, RETI};
            struct bench_code pieces[] = {{0x100, loop, 2}, {2, vector, 2}};
            struct node *n = bench_node(&bench_avr51, pieces, 2);
            bench_set_pc(n, 0x100);
            bench_set_sp(n, 0x10ff);
            n->data[AVR_SREG] = SREG_I;
            bench_raise_in(n, 0, raised);
            run_to(n, how, 61);
            uint64_t taken = raised <= 1 ? 1 : raised + (raised + 1) % 2; /* the loop's rounds end at odd cycles */
            assert_int_equal(bench_state(n)->taken[0], taken);
            assert_int_equal(n->data[21], 1);
            uint64_t rounds = (taken - 1) / 2, after = 61 - (taken + 4 + 1 + 4);
            assert_int_equal(n->state->instructions, 1 + rounds + 2 + (after + 1) / 2);
            bench_free(n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skips),
        cmocka_unit_test(relative_jumps_wrap),
        cmocka_unit_test(running_off_the_end),
        cmocka_unit_test(jumps_out_of_flash),
        cmocka_unit_test(what_small_chips_lack),
        cmocka_unit_test(long_calls),
        cmocka_unit_test(extended_program_reads),
        cmocka_unit_test(stack_ends),
        cmocka_unit_test(interrupt_response),
        cmocka_unit_test(lowest_vector_first),
        cmocka_unit_test(one_instruction_after_allowing_interrupts),
        cmocka_unit_test(disallowing_interrupts_is_immediate),
        cmocka_unit_test(access_cycles),
        cmocka_unit_test(waiting_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
