/* Nodes with a CC2420 each, driven through its pins and its bus by hand, and joined by an air that hands over every
 * message at once, at a power the test chooses. The oscillator is 8 MHz: a symbol is 128 ticks, a byte 256.
 */
#ifndef TESTS_CC2420_BENCH_H
#define TESTS_CC2420_BENCH_H

#include "bare_node.h"
#include "part/cc2420_internal.h"

enum { BENCH_MICROSECOND = 8, BENCH_SYMBOL = 128, BENCH_BYTE = 256, BENCH_NODES = 3 };
enum { BENCH_CSN = PIN(B, 0), BENCH_VREG = PIN(A, 5), BENCH_RESETN = PIN(A, 6) };
enum { BENCH_FIFO = PIN(B, 7), BENCH_FIFOP = PIN(E, 6), BENCH_SFD = PIN(D, 4), BENCH_CCA = PIN(D, 6) };

static const struct cc2420_config bench_config = {
    .bus = 0,
    .csn = BENCH_CSN,
    .vreg_en = BENCH_VREG,
    .resetn = BENCH_RESETN,
    .fifo = BENCH_FIFO,
    .fifop = BENCH_FIFOP,
    .sfd = BENCH_SFD,
    .cca = BENCH_CCA,
};
static const struct chip_device bench_parts[] = {{"radio", &cc2420_type, &bench_config}};
static const struct board bench_board = {
    .name = "bench", .chip = &chip_atmega128, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(bench_parts)};

struct bench {
    struct node *nodes[BENCH_NODES];
    unsigned count;
    float dbm[BENCH_NODES][BENCH_NODES]; /* heard by the second of the first at 0 dBm; below -200: not at all */
    uint64_t now;
    unsigned messages, bytes;
    struct air_message last[3]; /* by kind */
};

static inline void bench_carry(void *context, struct node *n, const struct air_message *m)
{
    struct bench *b = context;
    b->messages++;
    b->bytes += m->kind == AIR_BYTES ? m->count : 0;
    b->last[m->kind] = *m;
    if (m->kind == AIR_BYTES)
        assert_true(m->tick >= node_now(n) + 128 * BENCH_MICROSECOND);
    else
        assert_true(m->tick >= node_now(n) + 128 * BENCH_MICROSECOND || m->kind == AIR_END);
    for (unsigned i = 0; i < b->count; i++) {
        float dbm = b->dbm[n->id][i];
        struct air_message heard = *m;
        heard.dbm += dbm;
        if (i != n->id && dbm > -200)
            air_hear(b->nodes[i], &heard);
    }
}

static inline void bench_open(struct bench *b, unsigned count)
{
    *b = (struct bench){.count = count};
    for (unsigned i = 0; i < count; i++) {
        b->nodes[i] = bare_node(&chip_atmega128, &bench_board);
        b->nodes[i]->id = i;
        b->nodes[i]->air = (struct air){.context = b, .send = bench_carry};
        for (unsigned j = 0; j < count; j++)
            b->dbm[i][j] = -60;
    }
}

static inline void bench_close(struct bench *b)
{
    for (unsigned i = 0; i < b->count; i++)
        bare_node_free(b->nodes[i]);
}

/* All nodes to a tick, in steps shorter than what messages are ahead by. */
static inline void bench_at(struct bench *b, uint64_t tick)
{
    while (b->now < tick) {
        b->now = tick - b->now > 64 ? b->now + 64 : tick;
        for (unsigned i = 0; i < b->count; i++)
            bare_node_at(b->nodes[i], b->now);
    }
}

static inline void bench_after(struct bench *b, uint64_t microseconds)
{
    bench_at(b, b->now + microseconds * BENCH_MICROSECOND);
}

static inline void bench_pin(struct node *n, unsigned pin, bool level)
{
    pin_set_port(n, pin, true, level, false);
}

static inline void bench_select(struct node *n)
{
    bench_pin(n, BENCH_CSN, true);
    bench_pin(n, BENCH_CSN, false);
}

static inline uint8_t bench_strobe(struct node *n, enum cc2420_strobe what)
{
    bench_select(n);
    uint8_t status = spi_exchange(n, 0, (uint8_t)what);
    bench_pin(n, BENCH_CSN, true);
    return status;
}

static inline uint8_t bench_status(struct node *n)
{
    return bench_strobe(n, SNOP);
}

static inline void bench_write(struct node *n, unsigned address, uint16_t value)
{
    bench_select(n);
    spi_exchange(n, 0, (uint8_t)address);
    spi_exchange(n, 0, (uint8_t)(value >> 8));
    spi_exchange(n, 0, (uint8_t)value);
    bench_pin(n, BENCH_CSN, true);
}

static inline uint16_t bench_read(struct node *n, unsigned address)
{
    bench_select(n);
    spi_exchange(n, 0, (uint8_t)(address | 0x40));
    unsigned high = spi_exchange(n, 0, 0), low = spi_exchange(n, 0, 0);
    bench_pin(n, BENCH_CSN, true);
    return (uint16_t)(high << 8 | low);
}

static inline void bench_write_ram(struct node *n, unsigned at, const uint8_t *bytes, unsigned count)
{
    bench_select(n);
    spi_exchange(n, 0, (uint8_t)(0x80 | (at & 0x7f)));
    spi_exchange(n, 0, (uint8_t)(at >> 7 << 6));
    for (unsigned i = 0; i < count; i++)
        spi_exchange(n, 0, bytes[i]);
    bench_pin(n, BENCH_CSN, true);
}

static inline void bench_read_ram(struct node *n, unsigned at, uint8_t *bytes, unsigned count)
{
    bench_select(n);
    spi_exchange(n, 0, (uint8_t)(0x80 | (at & 0x7f)));
    spi_exchange(n, 0, (uint8_t)(at >> 7 << 6 | 0x20));
    for (unsigned i = 0; i < count; i++)
        bytes[i] = spi_exchange(n, 0, 0);
    bench_pin(n, BENCH_CSN, true);
}

static inline void bench_write_fifo(struct node *n, const uint8_t *bytes, unsigned count)
{
    bench_select(n);
    spi_exchange(n, 0, TXFIFO);
    for (unsigned i = 0; i < count; i++)
        spi_exchange(n, 0, bytes[i]);
    bench_pin(n, BENCH_CSN, true);
}

static inline void bench_read_fifo(struct node *n, uint8_t *bytes, unsigned count)
{
    bench_select(n);
    spi_exchange(n, 0, RXFIFO | 0x40);
    for (unsigned i = 0; i < count; i++)
        bytes[i] = spi_exchange(n, 0, 0);
    bench_pin(n, BENCH_CSN, true);
}

static inline const struct cc2420 *bench_radio(const struct node *n)
{
    return device_state(n, bare_node_device(n, "radio"));
}

/* Powers one up to the idle state, with address recognition off. */
static inline void bench_start(struct bench *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        bench_pin(b->nodes[i], BENCH_CSN, true);
        bench_pin(b->nodes[i], BENCH_RESETN, true);
        bench_pin(b->nodes[i], BENCH_VREG, true);
    }
    bench_after(b, 700);
    for (unsigned i = 0; i < b->count; i++) {
        bench_strobe(b->nodes[i], SXOSCON);
        bench_write(b->nodes[i], MDMCTRL0, 0x02e2);
    }
    bench_after(b, 1000);
}

/* Lets time pass until a pin has a level; the tick of that, at a resolution of 2 ticks. */
static inline uint64_t bench_wait(struct bench *b, unsigned node, unsigned pin, bool level, uint64_t microseconds)
{
    uint64_t limit = b->now + microseconds * BENCH_MICROSECOND;
    while (pin_level(b->nodes[node], pin) != level) {
        assert_true(b->now < limit);
        bench_at(b, b->now + 2);
    }
    return b->now;
}

#endif
