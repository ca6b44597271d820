/* Interrupts and low-power modes to the cycle (SLAU049, 2.2 and 2.3): acceptance takes 6 cycles, RETI 5; PC and SR go
 * to the stack; SR is cleared but for SCG0; EINT lets one more instruction pass; what the handler writes into the SR on
 * the stack decides whether the CPU sleeps on. */
#include "msp430_bench.h"
#include "node/interrupts.h"
#include "node/wiring.h"

/* ---- a device that raises a line on request; taking the interrupt lowers it ---- */

enum { LINES = 15 };

struct source_state {
    uint64_t taken[LINES]; /* ticks at which interrupts were accepted */
};

static void source_connect(const struct device *d, struct wiring *w)
{
    for (unsigned i = 0; i < LINES; i++)
        wire_interrupt(w, d, i, i);
}

static void source_event(struct node *n, const struct device *d, unsigned event)
{
    (void)d;
    node_irq(n, event, true);
}

static void source_acknowledge(struct node *n, const struct device *d, unsigned role)
{
    struct source_state *s = device_state(n, d);
    s->taken[role] = node_now(n);
    node_irq(n, role, false);
}

static const struct device_type source = {
    .name = "source",
    .state_size = sizeof(struct source_state),
    .events = LINES,
    .connect = source_connect,
    .event = source_event,
    .acknowledge = source_acknowledge,
};
static const struct chip_device devices[] = {{"source", &source, NULL}};
static const struct chip chip = {BENCH_CHIP, CHIP_DEVICES(devices)};

/* ---- programs ---- */

enum { MAIN = 0x4000, HANDLERS = 0x5000, APART = 0x100, STACK = 0x3000, FLASH_BYTES = 0xc000 };
enum { NOP = 0x4303, RETI = 0x1300, EINT = 0xd232, DINT = 0xc232, JMP_SELF = 0x3fff };

static uint16_t handler_of(unsigned line)
{
    return (uint16_t)(HANDLERS + APART * line);
}

/* `words` at MAIN; every line's handler is `handler`, a few words. */
static struct node *program(const uint16_t *words, size_t count, const uint16_t *handler, size_t handler_count)
{
    static uint8_t flash[FLASH_BYTES];
    memset(flash, 0xff, sizeof flash);
    for (size_t i = 0; i < 2 * count; i++)
        flash[i] = (uint8_t)(words[i / 2] >> 8 * (i % 2));
    for (unsigned line = 0; line < 16; line++) {
        uint16_t to = line == 15 ? MAIN : handler_of(line);
        flash[0xffe0 - BENCH_FLASH + 2 * line] = (uint8_t)to;
        flash[0xffe1 - BENCH_FLASH + 2 * line] = (uint8_t)(to >> 8);
        for (size_t i = 0; line < 15 && i < 2 * handler_count; i++)
            flash[to - BENCH_FLASH + i] = (uint8_t)(handler[i / 2] >> 8 * (i % 2));
    }
    struct node *n = bench_node_of(&chip, BENCH_FLASH, flash, sizeof flash);
    isa_msp430.set_register(n, MSP430_SP, STACK);
    return n;
}

static void raise_in(struct node *n, unsigned line, uint64_t cycles)
{
    n->time = n->state->now;
    event_in(n, &n->machine->devices[0], line, CLOCK_CPU, cycles);
}

static uint64_t taken(const struct node *n, unsigned line)
{
    return ((struct source_state *)device_state(n, &n->machine->devices[0]))->taken[line];
}

static uint16_t word(const struct node *n, uint16_t at)
{
    return (uint16_t)(n->data[at] | n->data[at + 1] << 8);
}

static uint16_t *registers(const struct node *n)
{
    return ((struct msp430_cpu *)n->cpu)->r;
}

/* Steps until the program counter is there. */
static void run_to(struct node *n, uint16_t pc)
{
    for (unsigned i = 0; registers(n)[MSP430_PC] != pc; i++) {
        assert_int_equal(n->state->exit, NODE_RUNNING);
        assert_true(i < 1000);
        node_step(n);
    }
}

static const uint16_t reti[] = {RETI};

static void entry_and_return(void **state)
{
    (void)state;
    /* Instructions of 1, 5 and 6 cycles; the line rises in the middle of the second. */
    static const uint16_t words[] = {NOP, 0x40b2, 0x1234, 0x2000, 0x4292, 0x2000, 0x2002, JMP_SELF};
    struct node *n = program(words, sizeof words / 2, reti, 1);
    registers(n)[MSP430_SR] = MSP430_GIE | MSP430_C | MSP430_SCG0;
    raise_in(n, 5, 3);
    run_to(n, MAIN + 8); /* the second instruction ends */
    assert_int_equal(n->state->now, 6);
    run_to(n, MAIN + 14); /* handler, RETI, third instruction */
    assert_int_equal(taken(n, 5), 6);
    assert_int_equal(n->state->now, 6 + 6 + 5 + 6);
    assert_int_equal(word(n, STACK - 2), MAIN + 8);
    assert_int_equal(word(n, STACK - 4), MSP430_GIE | MSP430_C | MSP430_SCG0);
    assert_int_equal(registers(n)[MSP430_SP], STACK);
    assert_int_equal(registers(n)[MSP430_SR], MSP430_GIE | MSP430_C | MSP430_SCG0);
    bench_free(n);
}

static void status_in_the_handler(void **state)
{
    (void)state;
    static const uint16_t words[] = {NOP, NOP, JMP_SELF};
    static const uint16_t handler[] = {0x4204 /* mov sr, r4 */, RETI};
    struct node *n = program(words, 3, handler, 2);
    registers(n)[MSP430_SR] = 0x10f & ~MSP430_LOW_POWER;
    raise_in(n, 2, 1);
    run_to(n, MAIN + 4);
    assert_int_equal(registers(n)[4], 0);
    assert_int_equal(registers(n)[MSP430_SR], 0x10f);
    bench_free(n);
}

static void one_instruction_behind_eint(void **state)
{
    (void)state;
    static const uint16_t words[] = {NOP, EINT, NOP, NOP, JMP_SELF};
    struct node *n = program(words, 5, reti, 1);
    raise_in(n, 3, 0);
    run_to(n, MAIN + 8);
    assert_int_equal(taken(n, 3), 3); /* nop, eint, nop */
    assert_int_equal(word(n, STACK - 2), MAIN + 6);
    bench_free(n);
}

static void disabled(void **state)
{
    (void)state;
    static const uint16_t words[] = {NOP, NOP, NOP, JMP_SELF};
    struct node *n = program(words, 4, reti, 1);
    raise_in(n, 3, 0);
    run_to(n, MAIN + 6);
    assert_int_equal(n->state->now, 3);
    assert_true(interrupts_word(n, 0) >> 3 & 1);
    bench_free(n);
}

static void priorities(void **state)
{
    (void)state;
    static const uint16_t words[] = {NOP, NOP, NOP, NOP, JMP_SELF};
    struct node *n = program(words, 5, reti, 1);
    registers(n)[MSP430_SR] = MSP430_GIE;
    raise_in(n, 3, 1);
    raise_in(n, 9, 1);
    run_to(n, MAIN + 6);
    assert_int_equal(taken(n, 9), 1);
    assert_int_equal(taken(n, 3), 1 + 6 + 5); /* nothing of the program between the two */
    bench_free(n);
}

static void not_maskable(void **state)
{
    (void)state;
    static const uint16_t words[] = {NOP, NOP, NOP, JMP_SELF};
    struct node *n = program(words, 4, reti, 1);
    raise_in(n, MSP430_LINE_NMI, 1);
    run_to(n, MAIN + 6);
    assert_int_equal(taken(n, MSP430_LINE_NMI), 1);
    assert_int_equal(n->state->now, 3 + 6 + 5);
    bench_free(n);
}

/* bis #CPUOFF|GIE, sr; the handler lets the CPU sleep on, or wakes it. */
static void sleeping(void **state)
{
    (void)state;
    static const uint16_t words[] = {0xd032, MSP430_CPUOFF | MSP430_GIE, 0x5314 /* inc r4 */, JMP_SELF};
    static const uint16_t sleeps_on[] = {0x5315 /* inc r5 */, RETI};
    static const uint16_t wakes[] = {0x5315, 0xc0b1, MSP430_LOW_POWER, 0 /* bic #low power, 0(sp) */, RETI};
    struct node *n = program(words, 4, sleeps_on, 2);
    registers(n)[4] = registers(n)[5] = 0;
    raise_in(n, 8, 100);
    node_run(n, 2000);
    assert_int_equal(taken(n, 8), 100);
    assert_int_equal(registers(n)[5], 1);
    assert_int_equal(registers(n)[4], 0);
    assert_true(n->state->sleeping);
    bench_free(n);

    n = program(words, 4, wakes, 5);
    registers(n)[4] = registers(n)[5] = 0;
    raise_in(n, 8, 100);
    node_run(n, 100 + 6 + 1 + 5 + 5 + 1);
    assert_int_equal(registers(n)[5], 1);
    assert_int_equal(registers(n)[4], 1);
    assert_false(n->state->sleeping);
    assert_int_equal(n->state->now, 118);
    bench_free(n);
}

/* With interrupts off nothing can wake it: the run is over. */
static void asleep_for_good(void **state)
{
    (void)state;
    static const uint16_t words[] = {0xd032, MSP430_CPUOFF, JMP_SELF};
    struct node *n = program(words, 3, reti, 1);
    assert_int_equal(node_run(n, 10000000), NODE_EXIT_HALT);
    bench_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_and_return),
        cmocka_unit_test(status_in_the_handler),
        cmocka_unit_test(one_instruction_behind_eint),
        cmocka_unit_test(disabled),
        cmocka_unit_test(priorities),
        cmocka_unit_test(not_maskable),
        cmocka_unit_test(sleeping),
        cmocka_unit_test(asleep_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
