/* The MSP430's flash controller (SLAU049, chapter 5), by its registers and by writes as an instruction makes them.
 * Cycle counts are those of the datasheet's flash timing generator. */
#include "bare.h"

#include "base/pages.h"
#include "device/msp430/clocks.h"
#include "isa/msp430/memory.h"
#include "isa/msp430/msp430.h"
#include "registers/msp430f1611.h"

enum { KEY = FWKEY };
enum { IN_RAM = 0x2000, IN_FLASH = 0xf000, SEGMENT = 0x8000 };

static struct bare chip;
static struct node *n;

/* MCLK at 10 ticks a cycle, the timing generator at MCLK / 2. */
static int set_up(void **state)
{
    (void)state;
    chip = bare_chip("msp430f1611");
    n = chip.node;
    bare_at(n, 0);
    node_set_clock(n, MSP430_MCLK, 10 * CLOCK_ONE);
    node_set_clock(n, MSP430_SMCLK, 10 * CLOCK_ONE);
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    assert_int_equal(bare_read_word(n, 0, FCTL1), 0x9600);
    assert_int_equal(bare_read_word(n, 0, FCTL2), 0x9642);
    assert_int_equal(bare_read_word(n, 0, FCTL3), 0x9618);
    bare_write_word(n, 0, FCTL2, KEY | FSSEL0 | 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bare_free(chip);
    return 0;
}

static void store(uint64_t tick, uint16_t pc, uint16_t address, uint16_t value, unsigned size)
{
    bare_at(n, tick);
    ((struct msp430_cpu *)n->cpu)->r[MSP430_PC] = pc;
    msp430_store(n, pc, address, value, size);
}

static uint16_t load(uint64_t tick, uint16_t address)
{
    bare_at(n, tick);
    return msp430_load(n, IN_RAM, address, 2);
}

static unsigned status(uint64_t tick)
{
    return bare_read_word(n, tick, FCTL3) & 0xff;
}

static void writes_take_35_cycles_and_only_clear_bits(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT);
    store(1000, IN_RAM, SEGMENT, 0x1234, 2);
    assert_int_equal(status(1000), BUSY);
    assert_int_equal(load(1500, SEGMENT), 0x3fff);
    assert_int_equal(n->state->stall, 0);
    assert_int_equal(status(1699), BUSY);
    assert_int_equal(status(1700), WAIT); /* 35 cycles of 20 ticks */
    assert_int_equal(load(1700, SEGMENT), 0x1234);
    store(2000, IN_RAM, SEGMENT + 1, 0xf0, 1);
    assert_int_equal(load(2700, SEGMENT), 0x1034);
    store(3000, IN_RAM, SEGMENT, 0xffff, 2);
    assert_int_equal(load(3700, SEGMENT), 0x1034);
    assert_int_equal(load(3700, SEGMENT + 2), 0xffff);
}

/* The CPU is in the last cycle of its instruction, and goes on with the first that begins after the operation. */
static void code_in_flash_waits(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT);
    store(1000, IN_FLASH, SEGMENT, 0, 2);
    assert_int_equal(n->state->stall, 70 - 1);
    bare_at(n, 1700);
    n->state->stall = 0;
    bare_write_word(n, 1700, FCTL1, KEY | ERASE);
    store(2000, IN_FLASH, SEGMENT, 0, 2);
    assert_int_equal(n->state->stall, 2 * 4819 - 1);
}

static void segments_are_erased(void **state)
{
    (void)state;
    static const uint16_t written[] = {0x7ffe, 0x8000, 0x81fe, 0x8200, 0x1000, 0x107e, 0x1080};
    uint64_t at = 1000;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT);
    for (unsigned i = 0; i < 7; i++, at += 1000)
        store(at, IN_RAM, written[i], 0x5555, 2);
    bare_write_word(n, at, FCTL1, KEY | ERASE);
    store(at, IN_RAM, 0x80aa, 0, 1);
    bare_at(n, at + 4819 * 20 - 1);
    assert_int_equal(status(at + 4819 * 20 - 1), BUSY);
    at += 4819 * 20;
    assert_int_equal(status(at), WAIT);
    store(at, IN_RAM, 0x1002, 0, 2);
    at += 4819 * 20;
    static const uint16_t left[] = {0x5555, 0xffff, 0xffff, 0x5555, 0xffff, 0xffff, 0x5555};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(load(at, written[i]), left[i]);
}

static void mass_erase_leaves_the_information_memory(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT);
    store(1000, IN_RAM, 0x1000, 0x5555, 2);
    bare_write_word(n, 2000, FCTL1, KEY | MERAS);
    store(2000, IN_RAM, SEGMENT, 0, 2);
    uint64_t end = 2000 + 5297 * 20;
    assert_int_equal(status(end - 1), BUSY);
    assert_int_equal(load(end, 0xf000), 0xffff);
    assert_int_equal(load(end, 0xfffe), 0xffff);
    assert_int_equal(load(end, 0x1000), 0x5555);
    bare_write_word(n, end, FCTL1, KEY | MERAS | ERASE);
    store(end, IN_RAM, SEGMENT, 0, 2);
    assert_int_equal(load(end + 5297 * 20, 0x1000), 0xffff);
}

static void blocks_are_written_faster_and_from_ram_only(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT | BLKWRT);
    store(1000, IN_RAM, SEGMENT, 0x1111, 2);
    assert_int_equal(status(1599), BUSY);
    assert_int_equal(status(1600), BUSY | WAIT); /* 30 cycles */
    store(2000, IN_RAM, SEGMENT + 2, 0x2222, 2);
    assert_int_equal(status(2419), BUSY);
    assert_int_equal(status(2420), BUSY | WAIT); /* 21 */
    bare_write_word(n, 3000, FCTL1, KEY | WRT);
    assert_int_equal(status(3119), BUSY);
    assert_int_equal(status(3120), WAIT); /* 6 */
    assert_int_equal(load(3120, SEGMENT), 0x1111);
    assert_int_equal(load(3120, SEGMENT + 2), 0x2222);
    bare_write_word(n, 4000, FCTL1, KEY | WRT | BLKWRT);
    store(4000, IN_FLASH, SEGMENT + 4, 0, 2);
    assert_int_equal(status(5000), WAIT | ACCVIFG | LOCK);
    assert_int_equal(load(5000, SEGMENT + 4), 0xffff);
}

static void what_is_not_allowed_is_a_violation(void **state)
{
    (void)state;
    store(500, IN_RAM, SEGMENT, 0, 2); /* locked */
    assert_int_equal(status(500), WAIT | LOCK);
    bare_write_word(n, 600, FCTL3, KEY);
    store(600, IN_RAM, SEGMENT, 0, 2); /* no mode chosen */
    assert_int_equal(status(600), WAIT | ACCVIFG);
    bare_write_word(n, 650, FCTL3, KEY);
    assert_int_equal(status(650), WAIT);
    bare_write_word(n, 700, FCTL1, KEY | WRT);
    bare_write(n, 700, IE1, ACCVIE);
    store(1000, IN_RAM, SEGMENT, 0x1234, 2);
    assert_false(bare_asks(n, NMI_LINE));
    store(1100, IN_RAM, SEGMENT + 2, 0, 2);
    assert_true(bare_asks(n, NMI_LINE));
    assert_int_equal(status(1100), BUSY | ACCVIFG);
    bare_write_word(n, 1150, FCTL3, KEY);
    assert_false(bare_asks(n, NMI_LINE));
    bare_write_word(n, 1200, FCTL1, KEY | ERASE);
    assert_int_equal(status(1200), BUSY | ACCVIFG);
    assert_int_equal(bare_read_word(n, 1200, FCTL1), 0x9600 | WRT);
    assert_int_equal(load(2000, SEGMENT), 0x1234);
    assert_int_equal(load(2000, SEGMENT + 2), 0xffff);
}

/* While a block is written any access is a violation and locks the flash; while it waits, data can be read as 0x3fff.
 */
static void a_busy_block_wants_to_be_left_alone(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT | BLKWRT);
    store(1000, IN_RAM, SEGMENT, 0x1111, 2);
    assert_int_equal(status(1600), BUSY | WAIT);
    assert_int_equal(load(1700, SEGMENT), 0x3fff);
    assert_int_equal(status(1700), BUSY | WAIT);
    store(2000, IN_RAM, SEGMENT + 2, 0x2222, 2);
    assert_int_equal(load(2100, SEGMENT), 0x3fff);
    assert_int_equal(status(2100), BUSY | ACCVIFG | LOCK);
}

static void a_busy_block_is_no_place_for_a_write(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT | BLKWRT);
    store(1000, IN_RAM, SEGMENT, 0x1111, 2);
    store(1100, IN_RAM, SEGMENT + 2, 0x2222, 2);
    assert_int_equal(status(1100), BUSY | ACCVIFG | LOCK);
}

static void an_emergency_exit_ends_it(void **state)
{
    (void)state;
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | ERASE);
    store(1000, IN_RAM, IN_FLASH, 0, 2);
    bare_write_word(n, 2000, FCTL3, KEY | EMEX);
    assert_int_equal(status(2000), WAIT | LOCK);
    assert_int_equal(bare_read_word(n, 2000, FCTL1), 0x9600);
    assert_int_equal(load(2000000, IN_FLASH), 0x3fff); /* the loop is still there */
    assert_false(n->code_reads_differ);
}

static void a_wrong_key_resets(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at = 1000 * (i + 1);
        bare_write_word(n, at, (uint16_t)(FCTL1 + 2 * i), 0x9600);
        assert_true(n->state->reset_pending);
        node_run(n, at + 1);
        assert_int_equal(status(at + 100), WAIT | LOCK | KEYV);
        bare_write_word(n, at + 100, FCTL3, KEY);
        assert_int_equal(status(at + 100), WAIT);
    }
}

/* What was written runs, also in a node that goes back to a snapshot. */
static void what_is_written_is_executed(void **state)
{
    (void)state;
    struct snapshot *before = snapshot_take(n);
    bare_write_word(n, 100, FCTL3, KEY);
    bare_write_word(n, 100, FCTL1, KEY | WRT);
    store(1000, IN_RAM, SEGMENT, 0x4314, 2); /* mov #1, r4 */
    store(2000, IN_RAM, SEGMENT + 2, 0x3fff, 2);
    bare_at(n, 3000);
    struct snapshot *after = snapshot_take(n);
    struct msp430_cpu *cpu = n->cpu;
    for (unsigned i = 0; i < 2; i++) {
        cpu->r[MSP430_PC] = SEGMENT;
        node_step(n);
        assert_int_equal(cpu->r[4], 1);
        assert_int_equal(cpu->r[MSP430_PC], SEGMENT + 2);
        snapshot_restore(n, before);
        assert_int_equal(load(n->state->now, SEGMENT), 0xffff);
        snapshot_restore(n, after);
        assert_int_equal(cpu->r[4], 0);
    }
    snapshot_free(before);
    snapshot_free(after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_take_35_cycles_and_only_clear_bits),
        TEST(code_in_flash_waits),
        TEST(segments_are_erased),
        TEST(mass_erase_leaves_the_information_memory),
        TEST(blocks_are_written_faster_and_from_ram_only),
        TEST(what_is_not_allowed_is_a_violation),
        TEST(a_busy_block_wants_to_be_left_alone),
        TEST(a_busy_block_is_no_place_for_a_write),
        TEST(an_emergency_exit_ends_it),
        TEST(a_wrong_key_resets),
        TEST(what_is_written_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
