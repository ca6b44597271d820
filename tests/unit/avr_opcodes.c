/* Every opcode against the manual (avr_manual.h): what it changes, that it changes nothing else, and its cycles.
 *
 * The program under test is the opcode space itself: the word at address w of a 128 KB flash is w, so setting the
 * program counter chooses the opcode. In 256 KB it is there twice. */
#include "avr_bench.h"
#include "avr_manual.h"
#include "sanitized.h"

enum { OPCODES = 0x10000 };

static uint16_t opcode_space[2 * OPCODES];

struct fixture {
    struct node *node;
    struct manual manual;
    unsigned ram_start;
    uint64_t random;
};

static int set_up_chip(void **state, const struct chip *chip, unsigned pc_bytes)
{
    static struct fixture f;
    uint32_t words = chip_region(chip, REGION_FLASH)->size / 2;
    for (unsigned i = 0; i < words; i++)
        opcode_space[i] = (uint16_t)i;
    struct bench_code code = {.at = 0, .words = opcode_space, .count = words};
    f.node = bench_node(chip, &code, 1);
    f.ram_start = chip_region(chip, REGION_RAM)->backing;
    f.manual =
        (struct manual){.data_size = chip_region(chip, REGION_RAM)->backing + chip_region(chip, REGION_RAM)->size,
                        .flash = opcode_space,
                        .words = words,
                        .pc_bytes = pc_bytes};
    f.random = 1;
    *state = &f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_chip(state, &bench_avr51, 2);
}

static int set_up_22_bits(void **state)
{
    return set_up_chip(state, &bench_avr6, 3);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    bench_free(f->node);
    return 0;
}

/* EICALL and EIJMP are no instructions of a chip with a 16-bit PC. */
static bool legal(const struct fixture *f, const struct manual_instruction *i)
{
    return i && (f->manual.pc_bytes == 3 || (strcmp(i->name, "EICALL") != 0 && strcmp(i->name, "EIJMP") != 0));
}

static void report_difference(const struct fixture *f, const struct manual_instruction *i, uint32_t opcode,
                              const uint8_t *before)
{
    const struct node *n = f->node;
    const struct manual *m = &f->manual;
    for (unsigned at = 0; at < f->manual.data_size; at++)
        if (n->data[at] != m->data[at])
            print_error("data[0x%x]: was %02x, is %02x, must be %02x\n", at, before[at], n->data[at], m->data[at]);
    if (bench_pc(n) != m->pc)
        print_error("PC: is 0x%x, must be 0x%x\n", bench_pc(n), m->pc);
    if (n->state->now != m->cycles)
        print_error("cycle: is %llu, must be %llu\n", (unsigned long long)n->state->now, (unsigned long long)m->cycles);
    fail_msg("%s (0x%04x)", i->name, opcode);
}

/* One instruction on both, from the state in the manual's data; `compared` bytes of the data space are looked at. */
static void check(struct fixture *f, const struct manual_instruction *i, uint32_t opcode,
                  const struct manual_fields *fields, size_t compared)
{
    struct node *n = f->node;
    struct manual *m = &f->manual;
    uint8_t before[sizeof f->manual.data];
    memcpy(before, m->data, compared);
    memcpy(n->data, m->data, compared);
    bench_set_pc(n, opcode);
    m->pc = opcode;
    m->cycles = n->state->now;
    node_step(n);
    manual_execute(m, i, fields);
    n->state->halt_at = 0; /* `rjmp .` with interrupts off ends a run */
    if (memcmp(n->data, m->data, compared) != 0 || bench_pc(n) != m->pc || n->state->now != m->cycles)
        report_difference(f, i, opcode, before);
}

/* ---- all opcodes, edge operands ---- */

static uint8_t edge_byte(uint64_t *random)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x07, 0x08, 0x0f, 0x10, 0x7f, 0x80, 0x81, 0xf0, 0xfe, 0xff};
    uint32_t x = bench_random(random);
    return x & 0x100 ? (uint8_t)x : edges[(x >> 16) % sizeof edges];
}

/* Where pointers go: registers, I/O, RAM with both its ends, and beyond it. */
static uint16_t edge_address(struct fixture *f)
{
    uint32_t x = bench_random(&f->random);
    switch (x >> 28) {
    case 0: return (uint16_t)(x % 0x20);
    case 1:
    case 2: return (uint16_t)(0x20 + x % (f->ram_start - 0x20));
    case 3: return (uint16_t)(f->ram_start - 2 + x % 4);
    case 4: return (uint16_t)(f->manual.data_size - 2 + x % 4);
    case 5: return (uint16_t)(0xffc0 + x % 0x40);
    case 6: return (uint16_t)x;
    default: return (uint16_t)(f->ram_start + x % (f->manual.data_size - f->ram_start));
    }
}

static void random_state(struct fixture *f)
{
    struct manual *m = &f->manual;
    for (unsigned at = 0; at < MANUAL_SPL; at++)
        m->data[at] = edge_byte(&f->random);
    for (unsigned i = 0; i < 64; i++)
        m->data[f->ram_start + bench_random(&f->random) % (f->manual.data_size - f->ram_start)] =
            (uint8_t)bench_random(&f->random);
    m->data[MANUAL_SREG] = (uint8_t)bench_random(&f->random);
    uint32_t pointers = bench_random(&f->random);
    for (unsigned low = MANUAL_X; low <= MANUAL_Z_POINTER; low += 2)
        if (pointers >> low & 1)
            manual_set_pair(m, low, edge_address(f));
    /* Four bytes clear of SP's own address, where a push would move the stack under way. */
    unsigned sp = edge_address(f);
    manual_set_pair(m, MANUAL_SPL, sp - (MANUAL_SPL - 4u) < 8 ? sp + 16 : sp);
    m->data[MANUAL_RAMPZ] &= (uint8_t)(2 * f->manual.words / 0x10000 - 1);
    memset(m->data + BENCH_NOTED, (int)bench_random(&f->random) & 0xff, 1);
}

static void each_opcode(void **state)
{
    struct fixture *f = *state;
    unsigned seen = 0;
    for (unsigned at = 0; at < f->manual.words; at++) {
        const struct manual_instruction *i = manual_instruction((uint16_t)at);
        if (!legal(f, i))
            continue;
        struct manual_fields fields = manual_fields(i, (uint16_t)at);
        if (manual_undefined(i, &fields))
            continue;
        seen++;
        for (unsigned trial = 0; trial < 16 / SANITIZED_SHARE; trial++) {
            random_state(f);
            check(f, i, at, &fields, f->manual.data_size);
        }
    }
    assert_int_equal(seen, f->manual.pc_bytes == 3 ? 2 * 63809 : 63807);
}

static void no_opcode_is_ambiguous(void **state)
{
    (void)state;
    for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
        unsigned matches = 0;
        for (unsigned i = 0; i < MANUAL_INSTRUCTIONS; i++)
            matches += manual_matches(&manual_instructions[i], (uint16_t)opcode);
        assert_true(matches <= 1);
    }
}

static void what_is_no_instruction_faults(void **state)
{
    struct fixture *f = *state;
    struct node *n = f->node;
    n->fault_action[FAULT_ILLEGAL_OPCODE] = FAULT_STOP;
    for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
        if (legal(f, manual_instruction((uint16_t)opcode)) || opcode == 0xffff)
            continue;
        bench_set_pc(n, opcode);
        uint64_t now = n->state->now, count = n->state->instructions;
        assert_int_equal(node_step(n), NODE_EXIT_FAULT);
        assert_int_equal(n->fault.kind, FAULT_ILLEGAL_OPCODE);
        assert_int_equal(n->fault.pc, 2 * opcode);
        assert_int_equal(n->fault.value, opcode);
        assert_int_equal(bench_pc(n), opcode);
        assert_int_equal(n->state->now, now);
        assert_int_equal(n->state->instructions, count);
        n->state->exit = NODE_RUNNING;
    }
    n->fault_action[FAULT_ILLEGAL_OPCODE] = FAULT_IGNORE;
}

/* ---- the 8-bit arithmetic, exhaustively ---- */

static const struct manual_instruction *named(const char *name)
{
    for (unsigned i = 0; i < MANUAL_INSTRUCTIONS; i++)
        if (strcmp(manual_instructions[i].name, name) == 0)
            return &manual_instructions[i];
    fail_msg("%s is not in the manual", name);
    return NULL;
}

/* Puts a value into the pattern's letters, least significant bit last. */
static uint16_t encode(const struct manual_instruction *i, uint16_t opcode, char letter, unsigned value)
{
    for (int at = 15; at >= 0; at--) {
        uint16_t bit = (uint16_t)(0x8000u >> at);
        if (i->pattern[at] == '1')
            opcode |= bit;
        if (i->pattern[at] != letter)
            continue;
        opcode = (uint16_t)(value & 1 ? opcode | bit : opcode & ~bit);
        value >>= 1;
    }
    return opcode;
}

/* C and Z in every combination, with all other flags clear, then all set. */
static uint8_t flags_case(unsigned which)
{
    return (uint8_t)((which & 3) | (which & 4 ? 0xfc : 0));
}

static void exhaust_registers(struct fixture *f, const struct manual_instruction *i, unsigned d, unsigned r,
                              unsigned first)
{
    uint16_t opcode = encode(i, encode(i, 0, 'd', d - first), 'r', r - first);
    struct manual_fields fields = manual_fields(i, opcode);
    struct manual *m = &f->manual;
    random_state(f);
    memcpy(f->node->data, m->data, f->manual.data_size);
    for (unsigned a = 0; a < 256; a += SANITIZED_SHARE)
        for (unsigned b = 0; b < (d == r ? 1 : 256); b++)
            for (unsigned flags = 0; flags < 8; flags++) {
                m->data[r] = (uint8_t)b;
                m->data[d] = (uint8_t)a;
                m->data[MANUAL_SREG] = flags_case(flags);
                check(f, i, opcode, &fields, 0x60);
            }
}

static void two_registers(void **state)
{
    struct fixture *f = *state;
    static const char *const any[] = {"ADD", "ADC", "SUB", "SBC",  "CP",  "CPC",
                                      "AND", "OR",  "EOR", "CPSE", "MOV", "MUL"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        exhaust_registers(f, named(any[i]), 4, 21, 0);
        exhaust_registers(f, named(any[i]), 7, 7, 0);
    }
    static const char *const high[] = {"MULS", "MULSU", "FMUL", "FMULS", "FMULSU"};
    for (size_t i = 0; i < sizeof high / sizeof *high; i++) {
        exhaust_registers(f, named(high[i]), 18, 23, 16);
        exhaust_registers(f, named(high[i]), 17, 17, 16);
    }
}

static void register_and_immediate(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"SUBI", "SBCI", "CPI", "ANDI", "ORI", "LDI"};
    struct manual *m = &f->manual;
    random_state(f);
    memcpy(f->node->data, m->data, f->manual.data_size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned k = 0; k < 256; k++) {
            const struct manual_instruction *instruction = named(names[i]);
            uint16_t opcode = encode(instruction, encode(instruction, 0, 'd', 3), 'K', k);
            struct manual_fields fields = manual_fields(instruction, opcode);
            for (unsigned a = 0; a < 256; a += SANITIZED_SHARE)
                for (unsigned flags = 0; flags < 8; flags++) {
                    m->data[16 + 3] = (uint8_t)a;
                    m->data[MANUAL_SREG] = flags_case(flags);
                    check(f, instruction, opcode, &fields, 0x60);
                }
        }
}

static void one_register(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"COM", "NEG", "SWAP", "INC", "DEC", "ASR", "LSR", "ROR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned a = 0; a < 256; a++)
            for (unsigned sreg = 0; sreg < 256; sreg++) {
                const struct manual_instruction *instruction = named(names[i]);
                uint16_t opcode = encode(instruction, 0, 'd', 9);
                struct manual_fields fields = manual_fields(instruction, opcode);
                f->manual.data[9] = (uint8_t)a;
                f->manual.data[MANUAL_SREG] = (uint8_t)sreg;
                check(f, instruction, opcode, &fields, 0x60);
            }
}

static void words(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"ADIW", "SBIW"};
    static const uint8_t immediates[] = {0, 1, 2, 31, 32, 62, 63};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof immediates; j++) {
            const struct manual_instruction *instruction = named(names[i]);
            unsigned d = (unsigned)j % 4;
            uint16_t opcode = encode(instruction, encode(instruction, 0, 'd', d), 'K', immediates[j]);
            struct manual_fields fields = manual_fields(instruction, opcode);
            for (unsigned a = 0; a < 0x10000; a++) {
                manual_set_pair(&f->manual, 24 + 2 * d, a);
                f->manual.data[MANUAL_SREG] = a & 1 ? 0xff : 0;
                check(f, instruction, opcode, &fields, 0x60);
            }
        }
}

/* S is a bit of its own: any of the 256 values of SREG can be written, read back, tested and changed bit by bit. */
static void each_status(void **state)
{
    struct fixture *f = *state;
    for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
        const struct manual_instruction *i = manual_instruction((uint16_t)opcode);
        bool flags = i && (strcmp(i->name, "BSET") == 0 || strcmp(i->name, "BCLR") == 0);
        bool branches = i && (opcode & 0xf800) == 0xf000 && (opcode & 0x3f8) == 0x2a8;
        bool bits = i && ((opcode & 0xfdff) == 0xf8b4);  /* BLD r11, 4 and BST r11, 4 */
        bool ports = i && ((opcode & 0xf7ff) == 0xb68f); /* IN r8, SREG and OUT SREG, r8 */
        if (!flags && !branches && !bits && !ports)
            continue;
        struct manual_fields fields = manual_fields(i, (uint16_t)opcode);
        for (unsigned sreg = 0; sreg < 256; sreg++)
            for (unsigned value = 0; value < 256; value += ports ? 1 : 0x55) {
                f->manual.data[MANUAL_SREG] = (uint8_t)sreg;
                f->manual.data[8] = f->manual.data[11] = (uint8_t)value;
                check(f, i, (uint16_t)opcode, &fields, 0x60);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_opcode_is_ambiguous),
        cmocka_unit_test(what_is_no_instruction_faults),
        cmocka_unit_test(each_opcode),
        cmocka_unit_test(two_registers),
        cmocka_unit_test(register_and_immediate),
        cmocka_unit_test(one_register),
        cmocka_unit_test(words),
        cmocka_unit_test(each_status),
    };
    const struct CMUnitTest tests_22_bits[] = {
        cmocka_unit_test(what_is_no_instruction_faults),
        cmocka_unit_test(each_opcode),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down) +
           cmocka_run_group_tests(tests_22_bits, set_up_22_bits, tear_down);
}
