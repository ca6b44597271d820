/* Cores differ: which instructions they have, how far apart their vectors are, and how wide their stack pointer is. */
#include "avr_bench.h"
#include "avr_manual.h"
#include "isa/avr/code.h"

/* ---- instructions ---- */

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* What the instruction set manual and avr-gcc's list of architectures say about the instruction of an opcode. */
static bool has(unsigned instructions, uint16_t opcode)
{
    const struct manual_instruction *i = manual_instruction(opcode);
    if (!i)
        return false;
    const char *name = i->name;
    if (strcmp(name, "MOVW") == 0)
        return instructions & AVR_HAS_MOVW;
    if (starts(name, "MUL") || starts(name, "FMUL"))
        return instructions & AVR_HAS_MUL;
    if (strcmp(name, "JMP") == 0 || strcmp(name, "CALL") == 0)
        return instructions & AVR_HAS_JMP;
    if (starts(name, "LPM") && opcode != 0x95c8)
        return instructions & AVR_HAS_LPM;
    if (starts(name, "ELPM"))
        return instructions & AVR_HAS_ELPM;
    if (strcmp(name, "SPM") == 0)
        return instructions & AVR_HAS_SPM;
    if (starts(name, "EI"))
        return instructions & AVR_HAS_EIJMP;
    return true;
}

/* The space of all opcodes in two machines of 64 KB. */
static void look_at_all(const struct avr_core *core)
{
    enum { HALF = 0x8000 };
    static uint16_t words[HALF];
    struct chip chip = BENCH_CHIP("opcodes", core, 2 * HALF, 0x100, 0x400);
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < HALF; i++)
            words[i] = (uint16_t)(half * HALF + i);
        struct bench_code piece = {.words = words, .count = HALF};
        struct node *n = bench_node(&chip, &piece, 1);
        const struct avr_code *code = n->machine->code;
        for (unsigned i = 0; i < HALF; i++) {
            bool illegal = code->insn[i].op == AVR_ILLEGAL, expected = !has(core->instructions, words[i]);
            if (illegal != expected)
                fail_msg("0x%04x is %s", words[i], illegal ? "illegal" : "legal");
        }
        bench_free(n);
    }
}

static void a_core_has_its_instructions_and_no_others(void **state)
{
    (void)state;
    look_at_all(&bench_core_25);
    look_at_all(&bench_core_35);
    look_at_all(&bench_core_4);
    look_at_all(&bench_core_5);
    static const struct avr_core bare = {.pc_bytes = 2, .vector_words = 1, .vectors = 10, .instructions = AVR_HAS_SPM};
    look_at_all(&bare);
}

static void what_a_core_lacks_faults(void **state)
{
    (void)state;
    static const uint16_t program[] = {0x9f01 /* mul r16, r17 */};
    struct bench_code code = {.words = program, .count = 1};
    struct node *n = bench_node(&bench_avr25, &code, 1);
    n->fault_action[FAULT_ILLEGAL_OPCODE] = FAULT_STOP;
    assert_int_equal(node_step(n), NODE_EXIT_FAULT);
    assert_int_equal(n->fault.kind, FAULT_ILLEGAL_OPCODE);
    assert_int_equal(n->fault.value, 0x9f01);
    bench_free(n);
}

/* ---- vectors ---- */

static uint32_t vector_of_line_3(const struct chip *chip)
{
    static const uint16_t program[] = {0x9478 /* sei */, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct bench_code code = {.words = program, .count = sizeof program / sizeof *program};
    struct node *n = bench_node(chip, &code, 1);
    node_step(n);
    bench_raise_in(n, 2, 1);
    for (unsigned i = 0; i < 4 && !bench_state(n)->taken[2]; i++)
        node_step(n);
    assert_true(bench_state(n)->taken[2]);
    uint32_t vector = bench_pc(n) - 1; /* a step is the entry and the first instruction */
    bench_free(n);
    return vector;
}

static void vectors_are_as_far_apart_as_the_core_has_them(void **state)
{
    (void)state;
    assert_int_equal(vector_of_line_3(&bench_avr25), 3);
    assert_int_equal(vector_of_line_3(&bench_avr5), 6);
}

/* ---- the stack pointer ---- */

static void a_short_stack_pointer_has_eight_bits(void **state)
{
    (void)state;
    static const uint16_t program[] = {
        0xef0f,         /* ldi r16, 0xff */
        0xbf0e,         /* out SPH, r16 */
        0xb71e,         /* in r17, SPH */
        0x9300, 0x005e, /* sts SPH, r16 */
        0xe000,         /* ldi r16, 0 */
        0xbf0d,         /* out SPL, r16 */
        0x930f,         /* push r16 */
        0x930f,         /* push r16 */
    };
    struct bench_code code = {.words = program, .count = sizeof program / sizeof *program};
    struct node *n = bench_node(&bench_avr25_small, &code, 1);
    assert_int_equal(bench_sp(n), 0xdf);
    for (unsigned i = 0; i < 4; i++)
        node_step(n);
    assert_int_equal(n->data[17], 0);
    assert_int_equal(bench_sp(n), 0xdf);
    for (unsigned i = 0; i < 3; i++)
        node_step(n);
    assert_int_equal(bench_sp(n), 0xff);
    node_step(n);
    assert_int_equal(bench_sp(n), 0xfe);
    bench_free(n);
}

static void a_long_one_has_sixteen(void **state)
{
    (void)state;
    static const uint16_t program[] = {0xe002 /* ldi r16, 2 */, 0xbf0e /* out SPH, r16 */, 0xb71e /* in r17, SPH */};
    struct bench_code code = {.words = program, .count = sizeof program / sizeof *program};
    struct node *n = bench_node(&bench_avr25, &code, 1);
    assert_int_equal(bench_sp(n), 0x25f);
    for (unsigned i = 0; i < 3; i++)
        node_step(n);
    assert_int_equal(n->data[17], 2);
    bench_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_has_its_instructions_and_no_others),
        cmocka_unit_test(what_a_core_lacks_faults),
        cmocka_unit_test(vectors_are_as_far_apart_as_the_core_has_them),
        cmocka_unit_test(a_short_stack_pointer_has_eight_bits),
        cmocka_unit_test(a_long_one_has_sixteen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
