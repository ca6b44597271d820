/* Self-programming: page buffer, erase, write, busy sections, lock bits, fuses and signature by LPM. */
#include "bare_chip.h"

#include "registers/atmega328p.h"
#include "node/interrupts.h"

enum { SPMEN_ = 1, PGERS_ = 2, PGWRT_ = 4, BLBSET_ = 8, RWWSRE_ = 16, SIGRD_ = 32, RWWSB_ = 64, SPMIE_ = 128 };
enum { HZ = 8000000, IO_SPMCSR = 0x37, PROGRAM_TICKS = 36000 /* 4.5 ms */, PAGE_BYTES = 128 };
enum { BOOT = 0x3800, APP = 0x100 }; /* words; boot section of 2K words with the chip's own fuses */

/* The same few instructions in both sections: SPMCSR, SPM; SPMCSR, LPM; LPM alone; SPMCSR, four NOPs, SPM. */
enum { DO_SPM = 0, DO_SPMCSR_LPM = 4, DO_LPM = 8, DO_LATE_SPM = 10, DO_LATE_LPM = 18 };

static struct node *programmer_of(const char *chip, const int fuses[3], int lock)
{
    static const uint16_t code[] = {
        OUT(IO_SPMCSR, 16),
        SPM,
        NOP,
        NOP,
        OUT(IO_SPMCSR, 16),
        LPM(20),
        NOP,
        NOP,
        LPM(20),
        NOP,
        OUT(IO_SPMCSR, 16),
        NOP,
        NOP,
        NOP,
        NOP,
        SPM,
        NOP,
        NOP,
        OUT(IO_SPMCSR, 16),
        NOP,
        NOP,
        NOP,
        LPM(20),
    };
    const struct placed p[] = {PLACED(APP, code), PLACED(BOOT, code)};
    return bare_chip(chip, HZ, fuses, lock, p, 2);
}

static struct node *programmer(void)
{
    return programmer_of("atmega328p", OWN_FUSES, -1);
}

static void go(struct node *n, uint32_t at, unsigned instructions, uint32_t z, uint8_t command)
{
    struct avr_cpu *cpu = n->cpu;
    n->data[30] = (uint8_t)z;
    n->data[31] = (uint8_t)(z >> 8);
    n->data[16] = command;
    cpu->pc = at;
    while (instructions--)
        node_step(n);
}

static void spm(struct node *n, uint32_t z, uint16_t word, uint8_t command)
{
    n->data[0] = (uint8_t)word;
    n->data[1] = (uint8_t)(word >> 8);
    go(n, BOOT + DO_SPM, 2, z, command);
}

static uint8_t lpm(struct node *n, uint32_t from, uint32_t z)
{
    go(n, from + DO_LPM, 1, z, 0);
    return n->data[20];
}

static void wait(struct node *n)
{
    run(n, PROGRAM_TICKS + 100);
    assert_false(peek(n, SPMCSR) & SPMEN_);
}

static void erase_fill_write_read(void **state)
{
    (void)state;
    struct node *n = programmer();
    uint32_t page = 0x1000;
    spm(n, page + 6, 0, SPMEN_ | PGERS_);
    assert_int_equal(peek(n, SPMCSR), RWWSB_ | SPMEN_ | PGERS_);
    run(n, PROGRAM_TICKS - 100);
    assert_true(peek(n, SPMCSR) & SPMEN_);
    run(n, 200);
    assert_int_equal(peek(n, SPMCSR), RWWSB_);
    for (unsigned i = 0; i < PAGE_BYTES; i += 2)
        spm(n, page + i, (uint16_t)(0x4000 + i), SPMEN_);
    assert_int_equal(peek(n, SPMCSR), 0); /* loading ends the busy state too */
    spm(n, page + 4, 0xdead, SPMEN_);     /* a word cannot be loaded twice */
    spm(n, page, 0, SPMEN_ | PGWRT_);
    assert_int_equal(lpm(n, BOOT, page + 2), 0xff); /* RWW section busy */
    wait(n);
    assert_int_equal(lpm(n, BOOT, page + 2), 0xff);
    assert_int_equal(peek(n, SPMCSR), RWWSB_);
    spm(n, 0, 0, SPMEN_ | RWWSRE_);
    assert_int_equal(peek(n, SPMCSR), 0);
    assert_int_equal(lpm(n, BOOT, page + 2), 0x02);
    assert_int_equal(lpm(n, BOOT, page + 5), 0x40);
    assert_int_equal(lpm(n, BOOT, page + 4), 0x04);
    assert_int_equal(lpm(n, BOOT, page + PAGE_BYTES - 2), PAGE_BYTES - 2);
    assert_int_equal(lpm(n, BOOT, page + PAGE_BYTES), 0);
    assert_false(n->code_reads_differ);
    bare_free(n);
}

static void written_code_runs(void **state)
{
    (void)state;
    struct node *n = programmer();
    uint32_t page = 0x2000;
    spm(n, page, 0, SPMEN_ | PGERS_);
    wait(n);
    spm(n, page, LDI(21, 0x77), SPMEN_);
    spm(n, page, 0, SPMEN_ | PGWRT_);
    wait(n);
    struct snapshot *s = snapshot_take(n);
    go(n, page / 2, 1, 0, 0);
    assert_int_equal(n->data[21], 0x77);
    struct node *other = node_new(n->machine, 2, 1); /* the machine's code is untouched */
    go(other, page / 2, 1, 0, 0);
    assert_int_equal(other->data[21], 0);
    snapshot_restore(other, s);
    assert_true(other->code_reads_differ); /* RWWSB is still set */
    go(other, page / 2, 1, 0, 0);
    assert_int_equal(other->data[21], 0x77);
    snapshot_free(s);
    node_free(other);
    bare_free(n);
}

/* "When erasing or writing a page located inside the NRWW section, the CPU is halted during the operation." */
static void nrww_halts_the_cpu(void **state)
{
    (void)state;
    struct node *n = programmer();
    uint32_t page = 2 * BOOT + 0x200;
    spm(n, page, 0x1234, SPMEN_);
    uint64_t before = now(n);
    go(n, BOOT + DO_SPM, 3, page, SPMEN_ | PGERS_); /* the third, a NOP, waits */
    assert_in_range(now(n) - before, PROGRAM_TICKS + 3, PROGRAM_TICKS + 4);
    assert_int_equal(peek(n, SPMCSR), 0);
    spm(n, page, 0, SPMEN_ | PGWRT_);
    wait(n);
    assert_int_equal(lpm(n, BOOT, page), 0x34);
    assert_int_equal(lpm(n, BOOT, page + 2), 0xff);
    bare_free(n);
}

static void only_from_the_boot_section_and_in_time(void **state)
{
    (void)state;
    struct node *n = programmer();
    go(n, APP + DO_SPM, 2, 0x1000, SPMEN_ | PGERS_);
    run(n, 10);
    assert_int_equal(peek(n, SPMCSR), 0);
    go(n, BOOT + DO_LATE_SPM, 6, 0x1000, SPMEN_ | PGERS_); /* five cycles */
    assert_int_equal(peek(n, SPMCSR), 0);
    const int small[3] = {-1, 0xdf, -1}; /* boot section of 256 words, further up */
    bare_free(n);
    n = programmer_of("atmega328p", small, -1);
    spm(n, 0x1000, 0, SPMEN_ | PGERS_);
    run(n, 10);
    assert_int_equal(peek(n, SPMCSR), 0);
    assert_int_equal(lpm(n, APP, 0x1000), 0);
    bare_free(n);
}

static void other_combinations_do_nothing(void **state)
{
    (void)state;
    struct node *n = programmer();
    spm(n, 0x1000, 0, SPMEN_ | PGERS_ | PGWRT_);
    assert_int_equal(peek(n, SPMCSR), 0);
    spm(n, 0x1000, 0, PGERS_);
    assert_int_equal(peek(n, SPMCSR), 0);
    bare_free(n);
}

static void fuses_lock_bits_and_signature(void **state)
{
    (void)state;
    const int fuses[3] = {0xfd, 0xd9, 0xf7};
    struct node *n = programmer_of("atmega328p", fuses, 0xfc);
    static const uint8_t expected[] = {0xf7, 0xfc, 0xfd, 0xd9}; /* low, lock, extended, high */
    for (unsigned z = 0; z < 4; z++) {
        go(n, APP + DO_SPMCSR_LPM, 2, z, SPMEN_ | BLBSET_);
        assert_int_equal(n->data[20], expected[z]);
        assert_int_equal(peek(n, SPMCSR), 0);
    }
    static const uint8_t row[] = {SIGNATURE_0, 0x80, SIGNATURE_1, 0xff, SIGNATURE_2};
    for (unsigned z = 0; z < 5; z++) {
        go(n, APP + DO_SPMCSR_LPM, 2, z, SPMEN_ | SIGRD_);
        assert_int_equal(n->data[20], row[z]);
    }
    go(n, APP + DO_LATE_LPM, 5, 0x200, SPMEN_ | BLBSET_); /* four cycles: an ordinary LPM */
    assert_int_equal(n->data[20], OUT(IO_SPMCSR, 16) & 0xff);
    assert_false(n->code_reads_differ);
    bare_free(n);
}

static void lock_bits_protect(void **state)
{
    (void)state;
    struct node *n = programmer();
    spm(n, 1, 0xfb, SPMEN_ | BLBSET_); /* BLB01: no SPM to the application section */
    assert_true(peek(n, SPMCSR) & SPMEN_);
    wait(n);
    go(n, BOOT + DO_SPMCSR_LPM, 2, 1, SPMEN_ | BLBSET_);
    assert_int_equal(n->data[20], 0xfb);
    spm(n, 0x200, 0, SPMEN_ | PGERS_);
    assert_int_equal(peek(n, SPMCSR), 0);
    assert_int_equal(lpm(n, BOOT, 0x200), OUT(IO_SPMCSR, 16) & 0xff);
    spm(n, 1, 0xd7, SPMEN_ | BLBSET_); /* BLB02 and BLB12: no LPM across sections */
    wait(n);
    assert_int_equal(lpm(n, BOOT, 0x200), 0xff);
    assert_int_equal(lpm(n, APP, 0x200), OUT(IO_SPMCSR, 16) & 0xff);
    assert_int_equal(lpm(n, APP, 2 * BOOT), 0xff);
    assert_int_equal(lpm(n, BOOT, 2 * BOOT), OUT(IO_SPMCSR, 16) & 0xff);
    bare_free(n);
}

static void eeprom_and_flash_keep_out_of_each_others_way(void **state)
{
    (void)state;
    struct node *n = programmer();
    poke(n, EECR, 4);
    poke(n, EECR, 2);
    spm(n, 0x1000, 0, SPMEN_ | PGERS_);
    assert_int_equal(peek(n, SPMCSR), 0);
    run(n, 4e-3 * HZ);
    spm(n, 0x1000, 0, SPMEN_ | PGERS_);
    assert_true(peek(n, SPMCSR) & SPMEN_);
    poke(n, EECR, 4);
    poke(n, EECR, 2);
    assert_int_equal(peek(n, EECR) & 2, 0);
    wait(n);
    spm(n, 0x1000, 0x1234, SPMEN_); /* lost to the EEPROM write that follows */
    poke(n, EECR, 4);
    poke(n, EECR, 2);
    run(n, 4e-3 * HZ);
    spm(n, 0x1002, 0x5678, SPMEN_);
    spm(n, 0x1000, 0, SPMEN_ | PGWRT_);
    wait(n);
    spm(n, 0, 0, SPMEN_ | RWWSRE_);
    assert_int_equal(lpm(n, BOOT, 0x1000), 0xff);
    assert_int_equal(lpm(n, BOOT, 0x1002), 0x78);
    bare_free(n);
}

static void ready_interrupt_is_a_level(void **state)
{
    (void)state;
    struct node *n = programmer();
    uint64_t line = UINT64_C(1) << SPM_READY_vect_num;
    poke(n, SPMCSR, SPMIE_);
    assert_true(interrupts_word(n, 0) & line);
    spm(n, 0x1000, 0, SPMIE_ | SPMEN_ | PGERS_);
    assert_false(interrupts_word(n, 0) & line);
    run(n, PROGRAM_TICKS + 100);
    assert_true(interrupts_word(n, 0) & line);
    poke(n, SPMCSR, SPMIE_ | SPMEN_); /* and no SPM comes */
    assert_false(interrupts_word(n, 0) & line);
    run(n, 10);
    assert_true(interrupts_word(n, 0) & line);
    bare_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(erase_fill_write_read),
        cmocka_unit_test(written_code_runs),
        cmocka_unit_test(nrww_halts_the_cpu),
        cmocka_unit_test(only_from_the_boot_section_and_in_time),
        cmocka_unit_test(other_combinations_do_nothing),
        cmocka_unit_test(fuses_lock_bits_and_signature),
        cmocka_unit_test(lock_bits_protect),
        cmocka_unit_test(eeprom_and_flash_keep_out_of_each_others_way),
        cmocka_unit_test(ready_interrupt_is_a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
