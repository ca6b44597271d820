/* Every opcode against the User's Guide (msp430_manual.h): result, flags, memory, cycles; once from flash, where the
 * common forms are decoded ahead, and once from RAM, where every instruction is taken apart while it runs.
 *
 * Left out is what the guide leaves undefined: arithmetic into SR, one-operand arithmetic on constants, DADD of what is
 * no decimal number, PC as a source beside an extension word.
 */
#include "msp430_bench.h"
#include "msp430_manual.h"
#include "sanitized.h"

enum {
    CODE_IN_RAM = 0x1200,
    WINDOW = 0x2000, /* operands in memory are found here */
    WINDOW_SIZE = 0x100,
    SLOT = 6,
    SLOTS = 0x1f00,
    ROUNDS = SANITIZED_SHARE > 1 ? 1 : 3,
};

static uint64_t seed = 1;
static uint8_t memory[0x10000];

static uint32_t random_number(void)
{
    return bench_random(&seed);
}

static uint16_t edge(void)
{
    static const uint16_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xff80, 0xffff};
    uint32_t n = random_number();
    return n & 1 ? (uint16_t)(n >> 16) : edges[(n >> 1) % (sizeof edges / sizeof *edges)];
}

static uint16_t decimal(void)
{
    uint16_t value = 0;
    for (int i = 0; i < 4; i++)
        value = (uint16_t)(value << 4 | random_number() % 10);
    return value;
}

static bool is_dadd(uint16_t o)
{
    return o >> 12 == 10;
}

/* In the middle of the window, so that an offset may be added. */
static uint16_t middle(void)
{
    return (uint16_t)(WINDOW + WINDOW_SIZE / 4 + random_number() % (WINDOW_SIZE / 2));
}

/* For words, now and then odd: the lowest bit is ignored (and is a fault, ignored here). */
static uint16_t base_address(bool byte)
{
    uint16_t at = middle();
    return byte || random_number() % 8 == 0 ? at : at & 0xfffe;
}

static uint16_t extension(enum manual_mode mode, bool byte, uint16_t at, bool bcd)
{
    int offset = (int)(random_number() % 49) - 24;
    switch (mode) {
    case MODE_N: return bcd ? decimal() : edge();
    case MODE_X_RN: return (uint16_t)(byte ? offset : offset & ~1);
    case MODE_EDE: return (uint16_t)(base_address(byte) - at);
    default: return base_address(byte);
    }
}

static enum manual_mode destination_mode(unsigned reg)
{
    return reg == PC ? MODE_EDE : reg == SR || reg == CG ? MODE_ABSOLUTE : MODE_X_RN;
}

/* The opcode and its extension words, to run at `at`. */
static void assemble(uint16_t o, uint16_t at, uint16_t words[3])
{
    bool two = o >= 0x4000, byte = o & 0x40;
    unsigned count = 1;
    words[0] = o;
    words[1] = words[2] = 0x4303; /* nop */
    if (o >= 0x2000 && o < 0x4000)
        return;
    enum manual_mode mode = manual_source_mode(two ? o >> 8 & 15 : o & 15, o >> 4 & 3);
    if (manual_extends(mode)) {
        words[count] = extension(mode, byte, (uint16_t)(at + 2 * count), is_dadd(o));
        count++;
    }
    if (two && (o & 0x80))
        words[count] = extension(destination_mode(o & 15), byte, (uint16_t)(at + 2 * count), false);
}

static bool undefined(uint16_t o)
{
    unsigned s = o >> 8 & 15, d = o & 15, opcode = o >> 12;
    if (o >= 0x2000 && o < 0x4000)
        return false;
    if (o < 0x2000) {
        enum manual_mode mode = manual_source_mode(d, o >> 4 & 3);
        bool shifts = (o >> 7 & 7) < 4, into_cpu = mode == MODE_RN && d <= SR;
        return o < 0x1300 && shifts && (mode == MODE_CONSTANT || mode == MODE_N || into_cpu);
    }
    enum manual_mode mode = manual_source_mode(s, o >> 4 & 3);
    bool to_register = !(o & 0x80);
    if (mode == MODE_RN && s == PC && !to_register)
        return true;
    if (to_register && d == SR && opcode != 4 && opcode != 9 && opcode != 11 && opcode != 12 && opcode != 13)
        return true;
    if (is_dadd(o)) /* addresses are no decimal numbers */
        return (mode == MODE_RN && (s <= SP || (!to_register && s == d))) || (to_register && d <= SR) ||
               (mode == MODE_AT_RN && s == PC) || (to_register && mode != MODE_RN && s == d) ||
               (s == CG && (o >> 4 & 3) == 3);
    return false;
}

/* Registers for the instruction: addresses where it takes them for such, else edge values. */
static void choose_registers(uint16_t o, uint16_t r[16])
{
    bool two = o >= 0x4000, byte = o & 0x40;
    unsigned s = two ? o >> 8 & 15 : o & 15, as = o >> 4 & 3;
    for (unsigned i = CG + 1; i < 16; i++)
        r[i] = is_dadd(o) ? decimal() : edge();
    r[SP] = middle() & 0xfffe;
    r[SR] = random_number() & (FLAG_C | FLAG_Z | FLAG_N | FLAG_V);
    r[CG] = 0;
    if (o >= 0x2000 && o < 0x4000)
        return;
    if (as && s > CG)
        r[s] = base_address(byte);
    if (two && (o & 0x80) && (o & 15) > CG)
        r[o & 15] = base_address(byte);
}

static void fill_window(bool bcd)
{
    for (unsigned i = 0; i < WINDOW_SIZE; i += 2) {
        uint16_t value = bcd ? decimal() : edge();
        memory[WINDOW + i] = (uint8_t)value;
        memory[WINDOW + i + 1] = (uint8_t)(value >> 8);
    }
}

static void check(struct node *n, const struct snapshot *fresh, uint16_t at, const uint16_t words[3])
{
    struct manual m = {.memory = memory};
    struct msp430_cpu *cpu;
    uint16_t o = words[0];
    snapshot_restore(n, fresh);
    cpu = n->cpu;
    fill_window(is_dadd(o));
    for (unsigned i = 0; i < 3; i++) {
        memory[at + 2 * i] = (uint8_t)words[i];
        memory[at + 2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
    memcpy(n->data + BENCH_RAM, memory + BENCH_RAM, BENCH_RAM_SIZE);
    choose_registers(o, m.r);
    m.r[PC] = at;
    memcpy(cpu->r, m.r, sizeof m.r);
    uint64_t start = n->state->now;
    bool bad = false;
    manual_step(&m);
    node_step(n);
    uint16_t ignored = is_dadd(o) ? FLAG_V : 0;
    for (unsigned i = 0; i < 16; i++)
        if (i != CG && (cpu->r[i] & ~(i == SR ? ignored : 0)) != (m.r[i] & ~(i == SR ? ignored : 0))) {
            print_error("r%u: is 0x%04x, must be 0x%04x\n", i, cpu->r[i], m.r[i]);
            bad = true;
        }
    for (unsigned i = BENCH_RAM; i < BENCH_RAM + BENCH_RAM_SIZE; i++)
        if (n->data[i] != memory[i]) {
            print_error("memory[0x%04x]: is 0x%02x, must be 0x%02x\n", i, n->data[i], memory[i]);
            bad = true;
        }
    if (n->state->now - start != m.cycles && !(m.r[SR] & 0xf0)) { /* awake */
        print_error("cycles: %llu, must be %u\n", (unsigned long long)(n->state->now - start), m.cycles);
        bad = true;
    }
    if (bad)
        fail_msg("opcode 0x%04x 0x%04x 0x%04x at 0x%04x", words[0], words[1], words[2], at);
}

static bool tested(uint32_t o)
{
    return manual_legal((uint16_t)o) && !undefined((uint16_t)o);
}

static void run_from_flash(void **state)
{
    (void)state;
    static uint8_t image[SLOT * SLOTS];
    uint32_t o = 0x1000;
    while (o < 0x10000) {
        uint32_t first = o;
        memset(image, 0xff, sizeof image);
        for (unsigned i = 0; i < SLOTS && o < 0x10000; i++, o++) {
            uint16_t words[3];
            assemble((uint16_t)o, (uint16_t)(BENCH_FLASH + SLOT * i), words);
            for (unsigned j = 0; j < SLOT; j++)
                image[SLOT * i + j] = (uint8_t)(words[j / 2] >> 8 * (j % 2));
        }
        struct node *n = bench_node(BENCH_FLASH, image, sizeof image);
        struct snapshot *fresh = snapshot_take(n);
        for (uint32_t i = first; i < o; i++)
            for (unsigned round = 0; tested(i) && round < ROUNDS; round++) {
                const uint8_t *slot = image + SLOT * (i - first);
                uint16_t words[3];
                for (unsigned j = 0; j < 3; j++)
                    words[j] = (uint16_t)(slot[2 * j] | slot[2 * j + 1] << 8);
                check(n, fresh, (uint16_t)(BENCH_FLASH + SLOT * (i - first)), words);
            }
        snapshot_free(fresh);
        bench_free(n);
    }
}

static void run_from_ram(void **state)
{
    (void)state;
    static const uint8_t nothing[] = {0x03, 0x43};
    struct node *n = bench_node(BENCH_FLASH, nothing, sizeof nothing);
    struct snapshot *fresh = snapshot_take(n);
    for (uint32_t o = 0x1000; o < 0x10000; o++)
        for (unsigned round = 0; tested(o) && round < ROUNDS; round++) {
            uint16_t words[3];
            assemble((uint16_t)o, CODE_IN_RAM, words);
            check(n, fresh, CODE_IN_RAM, words);
        }
    snapshot_free(fresh);
    bench_free(n);
}

/* What is no instruction is a fault, from flash and from RAM. */
static void illegal_opcodes(void **state)
{
    (void)state;
    static uint8_t image[0x4000];
    for (uint32_t i = 0; i < sizeof image / 2; i++) {
        image[2 * i] = (uint8_t)i;
        image[2 * i + 1] = (uint8_t)(i >> 8);
    }
    struct node *n = bench_node(BENCH_FLASH, image, sizeof image);
    struct snapshot *fresh = snapshot_take(n);
    n->fault_action[FAULT_ILLEGAL_OPCODE] = FAULT_STOP;
    for (uint32_t o = 0; o < 0x2000; o++)
        for (unsigned in_ram = 0; in_ram < 2 && !manual_legal((uint16_t)o); in_ram++) {
            uint16_t at = in_ram ? CODE_IN_RAM : (uint16_t)(BENCH_FLASH + 2 * o);
            snapshot_restore(n, fresh);
            memcpy(n->data + CODE_IN_RAM, image + 2 * o, 2);
            isa_msp430.set_pc(n, at);
            n->fault = (struct fault){.kind = FAULT_KINDS};
            node_step(n);
            if (n->fault.kind != FAULT_ILLEGAL_OPCODE || n->fault.pc != at || n->fault.value != o)
                fail_msg("0x%04x at 0x%04x: fault %d at 0x%x, value 0x%x", o, at, n->fault.kind, n->fault.pc,
                         n->fault.value);
        }
    snapshot_free(fresh);
    bench_free(n);
}

static uint16_t word_in(const struct node *n, uint16_t address)
{
    return (uint16_t)(n->data[address] | n->data[address + 1] << 8);
}

/* On silicon `call 2(sp)` takes the word that was at 0(sp): SP moves before the operand is evaluated. Measured on F133,
 * F147 and F1232 (mspgcc-users 04414); what mspgcc's printf does to reach its output function. */
static void push_and_call_move_sp_first(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0x91, 0x12, 0x02, 0x00, /* call 2(sp) */
        0x11, 0x12, 0x04, 0x00, /* push 4(sp) */
        0x21, 0x12,             /* push @sp */
        0x01, 0x12,             /* push sp */
        0x51, 0x12, 0x03, 0x00, /* push.b 3(sp) */
    };
    static const struct {
        uint16_t at, pushed, pc;
    } expected[] = {
        {0, BENCH_FLASH + 4, 0x8642},                                   /* the word at 0x2000 is called */
        {4, 0x2222, BENCH_FLASH + 8},                                   /* the word at 0x2002 */
        {8, 0x1111, BENCH_FLASH + 10},                                  /* what lay below the stack */
        {10, 0x1ffe, BENCH_FLASH + 12}, {12, 0x0086, BENCH_FLASH + 16}, /* the byte at 0x2001 */
    };
    struct node *n = bench_node(BENCH_FLASH, code, sizeof code);
    struct msp430_cpu *cpu = n->cpu;
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        for (unsigned in_ram = 0; in_ram < 2; in_ram++) {
            static const uint8_t stack[] = {0x11, 0x11, 0x42, 0x86, 0x22, 0x22};
            uint16_t base = in_ram ? CODE_IN_RAM : BENCH_FLASH;
            memcpy(n->data + CODE_IN_RAM, code, sizeof code);
            memcpy(n->data + 0x1ffe, stack, sizeof stack);
            cpu->r[SP] = 0x2000;
            isa_msp430.set_pc(n, base + expected[i].at);
            node_step(n);
            bool call = i == 0;
            assert_int_equal(cpu->r[SP], 0x1ffe);
            assert_int_equal(word_in(n, 0x1ffe), expected[i].pushed + (call ? base - BENCH_FLASH : 0));
            assert_int_equal(isa_msp430.pc(n), expected[i].pc + (call ? 0 : base - BENCH_FLASH));
        }
    bench_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_from_flash),
        cmocka_unit_test(run_from_ram),
        cmocka_unit_test(illegal_opcodes),
        cmocka_unit_test(push_and_call_move_sp_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
