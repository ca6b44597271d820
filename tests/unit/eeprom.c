/* EEPROM: the write window, write times by mode, stalls, the ready interrupt, initial contents. */
#include "bare_chip.h"

#include "base/pages.h"
#include "registers/atmega328p.h"
#include "node/interrupts.h"

enum { M128_EECR = 0x3c, M128_EEDR = 0x3d, M128_EEARL = 0x3e, M128_EEARH = 0x3f };
enum { EERE_ = 1, EEPE_ = 2, EEMPE_ = 4, EERIE_ = 8, HZ = 8000000 };

static struct node *plain_chip(const char *name)
{
    return bare_chip(name, HZ, OWN_FUSES, -1, NULL, 0);
}

static void write_byte(struct node *n, uint16_t address, uint8_t data, uint8_t mode)
{
    poke(n, EEARL, (uint8_t)address);
    poke(n, EEARH, (uint8_t)(address >> 8));
    poke(n, EEDR, data);
    poke(n, EECR, EEMPE_ | mode);
    poke(n, EECR, EEPE_ | mode);
}

static uint8_t read_byte(struct node *n, uint16_t address)
{
    poke(n, EEARL, (uint8_t)address);
    poke(n, EEARH, (uint8_t)(address >> 8));
    poke(n, EECR, EERE_);
    return peek(n, EEDR);
}

/* 3.4 ms erase and write, 1.8 ms erase, 1.8 ms write ("EEPROM Mode Bits"). */
static void modes_and_their_times(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    assert_int_equal(read_byte(n, 0x3ff), 0xff);
    write_byte(n, 0x3ff, 0x5a, 0);
    run(n, 3.39e-3 * HZ);
    assert_true(peek(n, EECR) & EEPE_);
    run(n, 0.02e-3 * HZ);
    assert_false(peek(n, EECR) & EEPE_);
    assert_int_equal(read_byte(n, 0x3ff), 0x5a);
    write_byte(n, 0x3ff, 0x33, 0x20); /* write only: bits can only be cleared */
    run(n, 1.79e-3 * HZ);
    assert_true(peek(n, EECR) & EEPE_);
    run(n, 0.02e-3 * HZ);
    assert_false(peek(n, EECR) & EEPE_);
    assert_int_equal(read_byte(n, 0x3ff), 0x5a & 0x33);
    write_byte(n, 0x3ff, 0x33, 0x10); /* erase only */
    run(n, 1.81e-3 * HZ);
    assert_int_equal(read_byte(n, 0x3ff), 0xff);
    bare_free(n);
}

static void atmega128_takes_8_5_ms(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega128");
    poke(n, M128_EEARL, 0xff);
    poke(n, M128_EEARH, 0xff);
    assert_int_equal(peek(n, M128_EEARH), 0x0f); /* 4 KB */
    poke(n, M128_EEDR, 0x12);
    poke(n, M128_EECR, EEMPE_);
    poke(n, M128_EECR, EEMPE_ | EEPE_); /* as SBI does it there */
    run(n, 8.49e-3 * HZ);
    assert_true(peek(n, M128_EECR) & EEPE_);
    run(n, 0.02e-3 * HZ);
    assert_false(peek(n, M128_EECR) & EEPE_);
    poke(n, M128_EECR, EERE_);
    assert_int_equal(peek(n, M128_EEDR), 0x12);
    bare_free(n);
}

static void a_write_needs_its_window(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega2560");
    poke(n, EECR, EEPE_);
    assert_int_equal(peek(n, EECR), 0);
    poke(n, EECR, EEMPE_);
    run(n, 4);
    assert_int_equal(peek(n, EECR), EEMPE_);
    run(n, 1);
    assert_int_equal(peek(n, EECR), 0);
    poke(n, EECR, EEPE_);
    assert_int_equal(peek(n, EECR), 0);
    poke(n, EECR, EEMPE_);
    run(n, 4);
    poke(n, EECR, EEPE_);
    assert_int_equal(peek(n, EECR), EEPE_);
    bare_free(n);
}

static void a_busy_eeprom_ignores_everything(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    write_byte(n, 5, 0x77, 0);
    poke(n, EEARL, 6);
    assert_int_equal(peek(n, EEARL), 5);
    poke(n, EEDR, 0x11);
    poke(n, EECR, EERE_);
    assert_int_equal(peek(n, EEDR), 0x11);
    write_byte(n, 6, 0x22, 0x10);
    assert_int_equal(peek(n, EECR) & 0x30, 0);
    run(n, 4e-3 * HZ);
    assert_int_equal(read_byte(n, 5), 0x77);
    assert_int_equal(read_byte(n, 6), 0xff);
    bare_free(n);
}

/* "the CPU is halted for four cycles before the next instruction" after a read, two after a write. */
static void accesses_halt_the_cpu(void **state)
{
    (void)state;
    const uint16_t body[] = {
        LDI(16, EERE_), LDI(17, EEMPE_), LDI(18, EEPE_), OUT(0x1f, 16), NOP, OUT(0x1f, 17), OUT(0x1f, 18), NOP, NOP};
    const struct placed p[] = {PLACED(0, body)};
    struct node *n = bare_chip("atmega328p", HZ, OWN_FUSES, -1, p, 1);
    run_to(n, 5);
    assert_int_equal(now(n), 3 + 1 + 4 + 1);
    run_to(n, 8);
    assert_int_equal(now(n), 9 + 1 + 1 + 2 + 1);
    bare_free(n);
}

static void ready_interrupt_is_a_level(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    uint64_t line = UINT64_C(1) << EE_READY_vect_num;
    poke(n, EECR, EERIE_);
    assert_true(interrupts_word(n, 0) & line);
    poke(n, EECR, EERIE_ | EEMPE_);
    poke(n, EECR, EERIE_ | EEPE_);
    assert_false(interrupts_word(n, 0) & line);
    run(n, 3.5e-3 * HZ);
    assert_true(interrupts_word(n, 0) & line);
    poke(n, EECR, 0);
    assert_false(interrupts_word(n, 0) & line);
    bare_free(n);
}

static void a_reset_lets_the_write_finish(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    write_byte(n, 9, 0x99, 0);
    run(n, 1000);
    node_request_reset(n, RESET_EXTERNAL);
    run(n, 10);
    assert_true(peek(n, EECR) & EEPE_);
    run(n, 4e-3 * HZ);
    assert_false(peek(n, EECR) & EEPE_);
    assert_int_equal(read_byte(n, 9), 0x99);
    bare_free(n);
}

static void a_snapshot_keeps_contents(void **state)
{
    (void)state;
    struct node *n = plain_chip("atmega328p");
    write_byte(n, 1, 0x42, 0);
    run(n, 1000);
    struct snapshot *s = snapshot_take(n);
    run(n, 4e-3 * HZ);
    struct digest straight = node_digest(n);
    snapshot_restore(n, s);
    assert_true(peek(n, EECR) & EEPE_);
    run(n, 4e-3 * HZ);
    assert_true(digest_equal(straight, node_digest(n)));
    assert_int_equal(read_byte(n, 1), 0x42);
    snapshot_free(s);
    bare_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_and_their_times),         cmocka_unit_test(atmega128_takes_8_5_ms),
        cmocka_unit_test(a_write_needs_its_window),      cmocka_unit_test(a_busy_eeprom_ignores_everything),
        cmocka_unit_test(accesses_halt_the_cpu),         cmocka_unit_test(ready_interrupt_is_a_level),
        cmocka_unit_test(a_reset_lets_the_write_finish), cmocka_unit_test(a_snapshot_keeps_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
