/* The CC2420 as its driver sees it: power, oscillator, SPI, registers, memory, security. */
#include "cc2420_bench.h"

#include "part/aes.h"

enum { XOSC = 0x40, UNDERFLOW = 0x20, BUSY = 0x10, ACTIVE = 0x08, LOCK = 0x04, VALID = 0x02 };

static void the_supply_and_the_oscillator_take_time(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    struct node *n = b.nodes[0];
    bench_pin(n, BENCH_RESETN, true);
    bench_pin(n, BENCH_VREG, true);
    bench_after(&b, 49);
    assert_int_equal(bench_read(n, MDMCTRL0), 0xffff); /* SO is not driven */
    bench_after(&b, 1);
    assert_int_equal(bench_read(n, MDMCTRL0), 0x0ae2);
    assert_int_equal(bench_status(n), 0);
    bench_write(n, IOCFG1, 24); /* the oscillator on CCA, as TinyOS waits for it */
    assert_false(pin_level(n, BENCH_CCA));
    bench_strobe(n, SXOSCON);
    bench_after(&b, 859);
    assert_int_equal(bench_status(n), 0);
    bench_after(&b, 1);
    assert_true(pin_level(n, BENCH_CCA));
    assert_int_equal(bench_status(n), XOSC);
    bench_strobe(n, SXOSCOFF);
    assert_false(pin_level(n, BENCH_CCA));
    assert_int_equal(bench_status(n), 0);
    assert_int_equal(bench_read(n, IOCFG1), 24);
    bench_pin(n, BENCH_RESETN, false);
    bench_pin(n, BENCH_RESETN, true);
    assert_int_equal(bench_read(n, IOCFG1), 0);
    bench_pin(n, BENCH_VREG, false);
    assert_int_equal(bench_read(n, MDMCTRL0), 0xffff);
    bench_close(&b);
}

/* An access within 0.6 ms of VREG_EN is answered and reported, once for each time the radio is switched on. */
static void an_early_access_is_reported(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    struct node *n = b.nodes[0];
    bench_pin(n, BENCH_RESETN, true);
    for (unsigned round = 0; round < 2; round++) {
        bench_pin(n, BENCH_VREG, true);
        bench_after(&b, 160);
        n->fault.kind = FAULT_KINDS;
        bench_strobe(n, SXOSCON); /* as Contiki's first driver does */
        assert_int_equal(n->fault.kind, FAULT_UNSPECIFIED);
        assert_int_equal(n->state->exit, NODE_RUNNING);
        n->fault.kind = FAULT_KINDS;
        bench_after(&b, 100);
        assert_int_equal(bench_status(n), 0);
        assert_int_equal(n->fault.kind, FAULT_KINDS);
        bench_after(&b, 760);
        assert_int_equal(bench_status(n), XOSC);
        bench_pin(n, BENCH_VREG, false);
    }
    bench_pin(n, BENCH_VREG, true);
    bench_after(&b, 600);
    assert_int_equal(bench_read(n, MDMCTRL0), 0x0ae2);
    assert_int_equal(n->fault.kind, FAULT_KINDS);
    bench_close(&b);
}

static void registers_reset_to_the_datasheet(void **state)
{
    (void)state;
    static const struct {
        uint8_t address;
        uint16_t value;
    } expected[] = {{0x10, 0xf800}, {0x11, 0x0ae2}, {0x12, 0x0500}, {0x13, 0xe080}, {0x14, 0xa70f}, {0x15, 0xa0ff},
                    {0x16, 0x12e5}, {0x17, 0x0a56}, {0x18, 0x4165}, {0x19, 0x03c4}, {0x1a, 0x0000}, {0x1b, 0x0000},
                    {0x1c, 0x0040}, {0x1d, 0x0000}, {0x1e, 0x233d}, {0x1f, 0x3000}, {0x20, 0x7a94}, {0x21, 0xffff},
                    {0x22, 0x0000}, {0x23, 0x07f0}, {0x2c, 0x0001}};
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    bench_write(b.nodes[0], MDMCTRL0, 0x0ae2);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(bench_read(b.nodes[0], expected[i].address), expected[i].value);
    bench_write(b.nodes[0], MANFIDL, 0);
    assert_int_equal(bench_read(b.nodes[0], MANFIDL), 0x233d);
    bench_write(b.nodes[0], BATTMON, 0x20 | 20); /* 2.4 V */
    assert_int_equal(bench_read(b.nodes[0], BATTMON), 0x60 | 20);
    bench_write(b.nodes[0], BATTMON, 0x20 | 5); /* 3.1 V */
    assert_int_equal(bench_read(b.nodes[0], BATTMON), 0x20 | 5);
    bench_write(b.nodes[0], MAIN, 0);
    assert_int_equal(bench_read(b.nodes[0], BATTMON), 0);
    assert_int_equal(bench_status(b.nodes[0]), 0);
    bench_close(&b);
}

static void accesses_follow_each_other_under_one_select(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    static const uint8_t out[] = {SYNCWORD, 0x12, 0x34, SNOP, SYNCWORD | 0x40, 0, 0, FSMSTATE | 0x40, 0, 0};
    static const uint8_t in[] = {XOSC, 0xa7, 0x0f, XOSC, XOSC, 0x12, 0x34, XOSC, 0, 1};
    bench_select(n);
    for (unsigned i = 0; i < sizeof out; i++)
        assert_int_equal(spi_exchange(n, 0, out[i]), in[i]);
    bench_pin(n, BENCH_CSN, true);
    assert_int_equal(spi_exchange(n, 0, SYNCWORD | 0x40), 0xff);
    bench_select(n); /* broken off after the high byte: nothing is written */
    spi_exchange(n, 0, SYNCWORD);
    spi_exchange(n, 0, 0xff);
    assert_int_equal(bench_read(n, SYNCWORD), 0x1234);
    bench_close(&b);
}

static void ram_is_read_while_it_is_written(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    uint8_t bytes[4] = {1, 2, 3, 4}, back[4];
    bench_write_ram(n, RAM_PANID, bytes, 4);
    bench_read_ram(n, RAM_PANID, back, 4);
    assert_memory_equal(back, bytes, 4);
    bench_select(n);
    spi_exchange(n, 0, 0x80 | (RAM_PANID & 0x7f));
    spi_exchange(n, 0, RAM_PANID >> 7 << 6);
    assert_int_equal(spi_exchange(n, 0, 9), 1);
    assert_int_equal(spi_exchange(n, 0, 8), 2);
    bench_read_ram(n, RAM_PANID, back, 4);
    assert_int_equal(back[0], 9);
    assert_int_equal(back[2], 3);
    bench_write_fifo(n, bytes, 4);
    bench_read_ram(n, RAM_TXFIFO, back, 4);
    assert_memory_equal(back, bytes, 4);
    bench_strobe(n, SXOSCOFF);
    bench_read_ram(n, RAM_PANID, back, 4); /* without a clock there is no memory */
    assert_int_equal(back[0], 0);
    bench_close(&b);
}

static void the_states_take_their_symbols(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    bench_strobe(n, SRXON);
    bench_after(&b, 191);
    assert_int_equal(bench_read(n, FSMSTATE), RX_CALIBRATE);
    assert_int_equal(bench_status(n), XOSC);
    bench_after(&b, 1);
    assert_int_equal(bench_read(n, FSMSTATE), RX_SFD_SEARCH);
    assert_int_equal(bench_status(n), XOSC | LOCK);
    assert_false(pin_level(n, BENCH_CCA));
    bench_after(&b, 127);
    assert_int_equal(bench_status(n), XOSC | LOCK);
    bench_after(&b, 1);
    assert_int_equal(bench_status(n), XOSC | LOCK | VALID);
    assert_true(pin_level(n, BENCH_CCA));
    assert_int_equal((int8_t)bench_read(n, RSSI), -53); /* -98 dBm of noise */
    bench_strobe(n, SRFOFF);
    assert_int_equal(bench_read(n, FSMSTATE), IDLE);
    assert_int_equal((int8_t)bench_read(n, RSSI), -53);
    assert_false(pin_level(n, BENCH_CCA));
    bench_strobe(n, STXCAL);
    assert_int_equal(bench_read(n, FSMSTATE), TX_CALIBRATE);
    assert_int_equal(bench_status(n), XOSC);
    bench_close(&b);
}

static void polarity_turns_pins_over(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    static const unsigned pins[4] = {BENCH_CCA, BENCH_SFD, BENCH_FIFOP, BENCH_FIFO};
    for (unsigned i = 0; i < 4; i++) {
        bench_write(n, IOCFG0, (uint16_t)(0x0040 | 0x80u << i));
        for (unsigned j = 0; j < 4; j++)
            assert_int_equal(pin_level(n, pins[j]), i == j);
    }
    bench_close(&b);
}

static void the_engine_encrypts_alone(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    uint8_t key[16], block[16], back[16];
    for (int i = 0; i < 16; i++) {
        key[i] = (uint8_t)i;
        block[i] = (uint8_t)(i * 0x11);
    }
    bench_write_ram(n, RAM_KEY1, key, 16); /* SEC_SAKEYSEL is set after reset */
    bench_write_ram(n, RAM_SABUF, block, 16);
    bench_strobe(n, SAES);
    assert_int_equal(bench_status(n), XOSC | BUSY);
    bench_after(&b, 14);
    assert_int_equal(bench_status(n), XOSC);
    bench_read_ram(n, RAM_SABUF, back, 16);
    aes_encrypt(key, block);
    assert_memory_equal(back, block, 16);
    bench_close(&b);
}

/* Packet vector 1 of RFC 3610: eight bytes authenticated, 23 encrypted, a code of eight. */
static void ccm_in_line_is_that_of_the_rfc(void **state)
{
    (void)state;
    static const uint8_t cipher[] = {0x58, 0x8c, 0x97, 0x9a, 0x61, 0xc6, 0x63, 0xd2, 0xf0, 0x66, 0xd0,
                                     0xc2, 0xc0, 0xf9, 0x89, 0x80, 0x6d, 0x5f, 0x6b, 0x61, 0xda, 0xc3,
                                     0x84, 0x17, 0xe8, 0xd1, 0x2c, 0xfd, 0xf9, 0x26, 0xe0};
    struct bench b;
    bench_open(&b, 1);
    bench_start(&b);
    struct node *n = b.nodes[0];
    uint8_t key[16], nonce[16] = {0x01, 0, 0, 0, 3, 2, 1, 0, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0, 1};
    uint8_t frame[1 + 8 + 23], back[1 + 8 + 31];
    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t)(0xc0 + i);
    frame[0] = 8 + 31 + 2;
    for (int i = 0; i < 31; i++)
        frame[1 + i] = (uint8_t)i;
    bench_write_ram(n, RAM_KEY0, key, 16);
    bench_write_ram(n, RAM_TXNONCE, nonce, 16);
    bench_write_ram(n, RAM_RXNONCE, nonce, 16);
    bench_write(n, SECCTRL0, 3 << 2 | 3);
    bench_write(n, SECCTRL1, 8 << 8 | 8);
    bench_write_fifo(n, frame, sizeof frame);
    bench_strobe(n, STXENC);
    assert_int_equal(bench_status(n), XOSC | BUSY);
    bench_after(&b, 400);
    assert_int_equal(bench_status(n), XOSC);
    bench_read_ram(n, RAM_TXFIFO, back, sizeof back);
    assert_memory_equal(back, frame, 9);
    assert_memory_equal(back + 9, cipher, sizeof cipher);

    /* And back, in the other FIFO. */
    for (int damage = 0; damage < 2; damage++) {
        uint8_t clear[sizeof back];
        bench_strobe(n, SFLUSHRX);
        bench_select(n);
        spi_exchange(n, 0, RXFIFO);
        for (unsigned i = 0; i < sizeof back; i++)
            spi_exchange(n, 0, (uint8_t)(back[i] ^ (i == 20 ? damage : 0)));
        bench_strobe(n, SRXDEC);
        bench_after(&b, 400);
        bench_read_ram(n, RAM_RXFIFO, clear, sizeof clear);
        assert_int_equal(clear[sizeof clear - 1], damage ? 0xff : 0x00);
        if (!damage)
            assert_memory_equal(clear, frame, sizeof frame);
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_supply_and_the_oscillator_take_time),
        cmocka_unit_test(an_early_access_is_reported),
        cmocka_unit_test(registers_reset_to_the_datasheet),
        cmocka_unit_test(accesses_follow_each_other_under_one_select),
        cmocka_unit_test(ram_is_read_while_it_is_written),
        cmocka_unit_test(the_states_take_their_symbols),
        cmocka_unit_test(polarity_turns_pins_over),
        cmocka_unit_test(the_engine_encrypts_alone),
        cmocka_unit_test(ccm_in_line_is_that_of_the_rfc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
