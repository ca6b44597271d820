/* AT86RF230s: states and their times, the frame buffer, interrupts, the extended modes. The oscillator is 8 MHz. */
#include "bare_node.h"

#include "part/at86rf230_internal.h"

enum { MICROSECOND = 8, BYTE = 256, SYMBOL = 128, A = 0, B = 1 };
enum { SEL = PIN(B, 0), RSTN = PIN(A, 6), SLP_TR = PIN(B, 7), IRQ = PIN(D, 4) };

static const struct at86rf230_config config = {.bus = 0, .sel = SEL, .rstn = RSTN, .slp_tr = SLP_TR, .irq = IRQ};
static const struct chip_device parts[] = {{"radio", &at86rf230_type, &config}};
static const struct board board = {
    .name = "bench", .chip = &chip_atmega128, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(parts)};

static const uint8_t data[] = {14, 0x61, 0x88, 0x7b, 0x22, 0x00, 0x02, 0x00, 0x01, 0x00, 'a', 'b', 'c', 0, 0};

struct bench {
    struct node *nodes[2];
    uint64_t now, begun;
    unsigned begins;
    bool deaf;    /* no node hears another */
    float weaker; /* by which what is heard is weaker than 63 dB below what is sent */
};

static void carry(void *context, struct node *n, const struct air_message *m)
{
    struct bench *b = context;
    struct air_message heard = *m;
    assert_true(m->tick >= node_now(n) + 128 * MICROSECOND);
    if (m->kind == AIR_BEGIN) {
        b->begins++;
        b->begun = m->tick - (uint64_t)(m->begun * 8e6 + 0.5);
    }
    heard.dbm -= 63 + b->weaker;
    if (!b->deaf)
        air_hear(b->nodes[!n->id], &heard);
}

static void at(struct bench *b, uint64_t tick)
{
    while (b->now < tick) {
        b->now = tick - b->now > 64 ? b->now + 64 : tick;
        for (int i = 0; i < 2; i++)
            bare_node_at(b->nodes[i], b->now);
    }
}

static void after(struct bench *b, uint64_t microseconds)
{
    at(b, b->now + microseconds * MICROSECOND);
}

static void pin(struct node *n, unsigned which, bool level)
{
    pin_set_port(n, which, true, level, false);
}

static void open_bench(struct bench *b)
{
    *b = (struct bench){0};
    for (unsigned i = 0; i < 2; i++) {
        b->nodes[i] = bare_node(&chip_atmega128, &board);
        b->nodes[i]->id = i;
        b->nodes[i]->air = (struct air){.context = b, .send = carry};
        pin(b->nodes[i], SEL, true);
        pin(b->nodes[i], RSTN, true);
        pin(b->nodes[i], RSTN, false);
        pin(b->nodes[i], RSTN, true);
    }
    after(b, 200);
}

static void close_bench(struct bench *b)
{
    bare_node_free(b->nodes[0]);
    bare_node_free(b->nodes[1]);
}

static uint8_t get(struct node *n, unsigned address)
{
    pin(n, SEL, false);
    spi_exchange(n, 0, (uint8_t)(0x80 | address));
    uint8_t value = spi_exchange(n, 0, 0);
    pin(n, SEL, true);
    return value;
}

static void set(struct node *n, unsigned address, uint8_t value)
{
    pin(n, SEL, false);
    spi_exchange(n, 0, (uint8_t)(0xc0 | address));
    spi_exchange(n, 0, value);
    pin(n, SEL, true);
}

static void write_frame(struct node *n, const uint8_t *bytes, unsigned count)
{
    pin(n, SEL, false);
    spi_exchange(n, 0, 0x60);
    for (unsigned i = 0; i < count; i++)
        spi_exchange(n, 0, bytes[i]);
    pin(n, SEL, true);
}

static void read_frame(struct node *n, uint8_t *bytes, unsigned count)
{
    pin(n, SEL, false);
    spi_exchange(n, 0, 0x20);
    for (unsigned i = 0; i < count; i++)
        bytes[i] = spi_exchange(n, 0, 0);
    pin(n, SEL, true);
}

static void strike(struct node *n)
{
    pin(n, SLP_TR, true);
    pin(n, SLP_TR, false);
}

static void states_take_their_time(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct node *n = b.nodes[A];
    assert_int_equal(get(n, PART_NUM), 2);
    assert_int_equal(get(n, MAN_ID_0), 0x1f);
    assert_int_equal(get(n, PHY_CC_CCA), 0x2b);
    assert_int_equal(get(n, TRX_STATUS), TRX_OFF);
    set(n, TRX_STATE, PLL_ON);
    after(&b, 179);
    assert_int_equal(get(n, TRX_STATUS), IN_TRANSITION);
    assert_false(pin_level(n, IRQ));
    after(&b, 1);
    assert_int_equal(get(n, TRX_STATUS), PLL_ON);
    assert_true(pin_level(n, IRQ));
    assert_int_equal(get(n, IRQ_STATUS), IRQ_PLL_LOCK);
    assert_false(pin_level(n, IRQ));
    set(n, TRX_STATE, RX_ON);
    after(&b, 1);
    assert_int_equal(get(n, TRX_STATUS), RX_ON);
    set(n, TRX_STATE, TRX_OFF);
    after(&b, 1);
    pin(n, SLP_TR, true);
    assert_int_equal(get(n, TRX_STATUS), 0); /* asleep there is no SPI */
    pin(n, SLP_TR, false);
    after(&b, 879);
    assert_int_equal(get(n, TRX_STATUS), IN_TRANSITION);
    after(&b, 1);
    assert_int_equal(get(n, TRX_STATUS), TRX_OFF);
    close_bench(&b);
}

static void a_frame_goes_from_buffer_to_buffer(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    set(b.nodes[A], TRX_STATE, PLL_ON);
    set(b.nodes[B], TRX_STATE, RX_ON);
    set(b.nodes[A], PHY_TX_PWR, TX_AUTO_CRC_ON);
    after(&b, 300);
    get(b.nodes[A], IRQ_STATUS);
    get(b.nodes[B], IRQ_STATUS);
    write_frame(b.nodes[A], data, 5);
    strike(b.nodes[A]);
    uint64_t begin = b.now + 16 * MICROSECOND, end = begin + 20 * BYTE;
    assert_int_equal(b.begun, begin);
    assert_int_equal(get(b.nodes[A], TRX_STATUS), BUSY_TX);
    write_frame(b.nodes[A], data, sizeof data); /* the rest while it is being sent */
    at(&b, begin + 6 * BYTE + 9 * MICROSECOND - 1);
    assert_false(pin_level(b.nodes[B], IRQ));
    at(&b, begin + 6 * BYTE + 9 * MICROSECOND);
    assert_int_equal(get(b.nodes[B], TRX_STATUS), BUSY_RX);
    assert_int_equal(get(b.nodes[B], IRQ_STATUS), IRQ_RX_START);
    assert_int_equal(get(b.nodes[B], PHY_RSSI), 11); /* 3 - 63 dBm */
    at(&b, end + 9 * MICROSECOND - 1);
    assert_false(pin_level(b.nodes[A], IRQ) || pin_level(b.nodes[B], IRQ));
    at(&b, end + 9 * MICROSECOND);
    assert_int_equal(get(b.nodes[A], IRQ_STATUS), IRQ_TRX_END);
    assert_int_equal(get(b.nodes[B], IRQ_STATUS), IRQ_TRX_END);
    assert_int_equal(get(b.nodes[A], TRX_STATUS), PLL_ON);
    assert_int_equal(get(b.nodes[B], TRX_STATUS), RX_ON);
    assert_true(get(b.nodes[B], PHY_RSSI) & RX_CRC_VALID);
    assert_int_equal(get(b.nodes[B], PHY_ED_LEVEL), 31);
    uint8_t frame[16];
    read_frame(b.nodes[B], frame, 16);
    assert_memory_equal(frame, data, 13);
    assert_int_equal(frame[15], 255);
    close_bench(&b);
}

/* The byte after the frame. 3 dBm are sent, the noise is -100 dBm: 0 for -1 dB, 255 for 9 dB, evenly between. */
static void link_quality_follows_from_the_ratio(void **state)
{
    (void)state;
    for (int level = 3; level <= 13; level += 2) {
        struct bench b;
        uint8_t frame[16];
        open_bench(&b);
        b.weaker = 103 - 63 - (float)level;
        set(b.nodes[A], TRX_STATE, PLL_ON);
        set(b.nodes[B], TRX_STATE, RX_ON);
        set(b.nodes[A], PHY_TX_PWR, TX_AUTO_CRC_ON);
        after(&b, 300);
        write_frame(b.nodes[A], data, sizeof data);
        strike(b.nodes[A]);
        after(&b, 2000);
        read_frame(b.nodes[B], frame, 16);
        int expected = level >= 9 ? 255 : (level + 1) * 51 / 2;
        assert_in_range(frame[15], expected - 1, expected);
        close_bench(&b);
    }
}

static void the_channel_is_assessed_on_request(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    set(b.nodes[A], TRX_STATE, PLL_ON);
    set(b.nodes[B], TRX_STATE, RX_ON);
    after(&b, 300);
    write_frame(b.nodes[A], data, sizeof data);
    for (int busy = 0; busy < 2; busy++) {
        if (busy) {
            strike(b.nodes[A]);
            after(&b, 250);
        }
        set(b.nodes[B], PHY_CC_CCA, CCA_REQUEST | 0x2b);
        after(&b, 127);
        assert_int_equal(get(b.nodes[B], TRX_STATUS) & CCA_DONE, 0);
        after(&b, 2);
        assert_int_equal(get(b.nodes[B], TRX_STATUS) & (CCA_DONE | CCA_CLEAR), busy ? CCA_DONE : CCA_DONE | CCA_CLEAR);
        assert_int_equal(get(b.nodes[B], TRX_STATUS) & CCA_DONE, 0);
    }
    close_bench(&b);
}

static void power_on_takes_its_time(void **state)
{
    (void)state;
    struct bench b = {0};
    for (unsigned i = 0; i < 2; i++) {
        b.nodes[i] = bare_node(&chip_atmega128, &board);
        pin(b.nodes[i], SEL, true);
        pin(b.nodes[i], RSTN, true);
    }
    struct node *n = b.nodes[A];
    assert_int_equal(get(n, TRX_STATUS), 0); /* P_ON */
    set(n, TRX_STATE, TRX_OFF);
    after(&b, 509);
    assert_int_equal(get(n, TRX_STATUS), IN_TRANSITION);
    after(&b, 2);
    assert_int_equal(get(n, TRX_STATUS), TRX_OFF);
    close_bench(&b);
}

static float loud_noise(void *context, const struct node *n)
{
    (void)context, (void)n;
    return -40;
}

/* Datasheet 5131A, table 8-8: modes 0 and 1 look at energy alone, mode 2 at a carrier, mode 3 at both. */
static void the_modes_of_assessment(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct node *n = b.nodes[B];
    n->air.noise = loud_noise;
    set(n, TRX_STATE, RX_ON);
    after(&b, 300);
    for (unsigned mode = 0; mode < 4; mode++) {
        set(n, PHY_CC_CCA, (uint8_t)(CCA_REQUEST | mode << 5 | 0x0b));
        after(&b, 140);
        assert_int_equal(get(n, TRX_STATUS) & (CCA_DONE | CCA_CLEAR), mode < 2 ? CCA_DONE : CCA_DONE | CCA_CLEAR);
    }
    close_bench(&b);
}

static void extended(struct bench *b, uint8_t address)
{
    open_bench(b);
    set(b->nodes[A], TRX_STATE, TX_ARET_ON);
    set(b->nodes[B], TRX_STATE, RX_AACK_ON);
    set(b->nodes[A], PHY_TX_PWR, TX_AUTO_CRC_ON);
    set(b->nodes[B], SHORT_ADDR_0, address);
    set(b->nodes[B], SHORT_ADDR_0 + 1, 0);
    set(b->nodes[B], PAN_ID_0, 0x22);
    set(b->nodes[B], PAN_ID_0 + 1, 0);
    after(b, 300);
    get(b->nodes[A], IRQ_STATUS);
    get(b->nodes[B], IRQ_STATUS);
    write_frame(b->nodes[A], data, sizeof data);
}

static void an_acknowledged_frame_succeeds(void **state)
{
    (void)state;
    for (int pending = 0; pending < 2; pending++) {
        struct bench b;
        extended(&b, 2);
        if (pending)
            set(b.nodes[B], CSMA_SEED_1, 0xc2 | AACK_SET_PD);
        set(b.nodes[A], TRX_STATE, COMMAND_TX_START);
        assert_int_equal(get(b.nodes[A], TRX_STATUS), BUSY_TX_ARET);
        after(&b, 8000);
        assert_int_equal(b.begins, 2);
        assert_int_equal(get(b.nodes[A], IRQ_STATUS), IRQ_TRX_END);
        assert_int_equal(get(b.nodes[A], TRX_STATE) >> 5, pending ? TRAC_DATA_PENDING : TRAC_SUCCESS);
        assert_int_equal(get(b.nodes[A], TRX_STATUS), TX_ARET_ON);
        assert_int_equal(get(b.nodes[B], IRQ_STATUS), IRQ_RX_START | IRQ_TRX_END);
        assert_int_equal(get(b.nodes[B], TRX_STATUS), RX_AACK_ON);
        uint8_t frame[13];
        read_frame(b.nodes[A], frame, 13); /* the acknowledgement did not overwrite it */
        assert_memory_equal(frame, data, 13);
        close_bench(&b);
    }
}

static void what_is_for_another_is_tried_again_in_vain(void **state)
{
    (void)state;
    struct bench b;
    extended(&b, 3);
    set(b.nodes[A], TRX_STATE, COMMAND_TX_START);
    after(&b, 30000);
    assert_int_equal(b.begins, 4); /* three retries */
    assert_int_equal(get(b.nodes[A], TRX_STATE) >> 5, TRAC_NO_ACK);
    assert_int_equal(get(b.nodes[A], IRQ_STATUS), IRQ_TRX_END);
    assert_int_equal(get(b.nodes[B], IRQ_STATUS), 0);
    close_bench(&b);
}

static void a_busy_channel_fails_after_its_backoffs(void **state)
{
    (void)state;
    struct bench b;
    extended(&b, 2);
    struct air_message jam = {.kind = AIR_BEGIN, .sender = 9, .tick = b.now + 1, .hertz = 2405e6, .dbm = -60};
    air_hear(b.nodes[A], &jam);
    set(b.nodes[A], TRX_STATE, COMMAND_TX_START);
    after(&b, 60000);
    assert_int_equal(b.begins, 0);
    assert_int_equal(get(b.nodes[A], TRX_STATE) >> 5, TRAC_CHANNEL_ACCESS_FAILURE);
    assert_int_equal(get(b.nodes[A], IRQ_STATUS), IRQ_TRX_END);
    close_bench(&b);
}

static void a_writer_that_is_too_slow_is_told(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    set(b.nodes[A], TRX_STATE, PLL_ON);
    after(&b, 300);
    get(b.nodes[A], IRQ_STATUS);
    write_frame(b.nodes[A], data, 3);
    strike(b.nodes[A]);
    pin(b.nodes[A], SEL, false);
    spi_exchange(b.nodes[A], 0, 0x60);
    for (int i = 0; i < 4; i++)
        spi_exchange(b.nodes[A], 0, data[i]);
    after(&b, 1000);
    pin(b.nodes[A], SEL, true);
    assert_int_equal(get(b.nodes[A], IRQ_STATUS), IRQ_TRX_UR | IRQ_TRX_END);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_take_their_time),
        cmocka_unit_test(a_frame_goes_from_buffer_to_buffer),
        cmocka_unit_test(link_quality_follows_from_the_ratio),
        cmocka_unit_test(the_channel_is_assessed_on_request),
        cmocka_unit_test(power_on_takes_its_time),
        cmocka_unit_test(the_modes_of_assessment),
        cmocka_unit_test(an_acknowledged_frame_succeeds),
        cmocka_unit_test(what_is_for_another_is_tried_again_in_vain),
        cmocka_unit_test(a_busy_channel_fails_after_its_backoffs),
        cmocka_unit_test(a_writer_that_is_too_slow_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
