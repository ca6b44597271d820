/* The two-wire interface by its registers: every status of the datasheet's tables, and the timing of each step. */
#include "bare_node.h"

#include "part/twi_memory.h"
#include "registers/atmega1281.h"

enum { INT = 0x80, EA = 0x40, STA = 0x20, STO = 0x10, WC = 0x08, EN = 0x04, IE = 0x01 };
enum { RATE = 12, PERIOD = 16 + 2 * RATE, BYTE = 9 * PERIOD };

/* A partner that answers as the test tells it. */
struct partner {
    unsigned answer;
    uint8_t events[32], bytes[32], count;
};

static void partner_connect(const struct device *d, struct wiring *w)
{
    wire_twi(w, d, 0, 0);
}

static unsigned partner_twi(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    (void)role;
    struct partner *p = device_state(n, d);
    if (event == TWI_CLOCK_HELD)
        return 0;
    p->events[p->count % 32] = (uint8_t)event;
    p->bytes[p->count++ % 32] = byte;
    return event == TWI_STOP ? 0 : p->answer;
}

static const struct device_type partner_type = {
    .name = "partner", .state_size = sizeof(struct partner), .connect = partner_connect, .twi = partner_twi};
static const struct chip_device parts[] = {{"partner", &partner_type, NULL}};
static const struct board board = {
    .name = "partnered", .chip = &chip_atmega1281, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(parts)};

static const struct twi_memory_config small = {
    .size = 1024, .page_size = 16, .address = 0x50, .bus = 0, .write_protect = PIN_NONE, .write_seconds = 0.005};
static const struct twi_memory_config large = {
    .size = 32768, .page_size = 64, .address = 0x54, .bus = 0, .write_protect = PIN(A, 0), .write_seconds = 0.005};
static const struct chip_device memories[] = {{"small", &twi_memory_type, &small}, {"large", &twi_memory_type, &large}};
static const struct board memory_board = {
    .name = "memories", .chip = &chip_atmega1281, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(memories)};

static struct partner *partner(struct node *n)
{
    return device_state(n, bare_node_device(n, "partner"));
}

/* The firmware writes TWCR; the step it starts must take just so long and end with the status. */
static void step(struct node *n, unsigned control, uint64_t cycles, unsigned status)
{
    uint64_t end = node_now(n) + cycles;
    node_write(n, TWCR, (uint8_t)(control | INT | EN));
    assert_int_equal(node_read(n, TWSR), 0xf8);
    bare_node_at(n, end - 1);
    assert_int_equal(node_read(n, TWCR) & INT, 0);
    assert_int_equal(node_read(n, TWSR), 0xf8);
    bare_node_at(n, end);
    assert_int_equal(node_read(n, TWCR) & INT, INT);
    assert_int_equal(node_read(n, TWSR), status);
}

static void send(struct node *n, unsigned byte, unsigned status)
{
    node_write(n, TWDR, (uint8_t)byte);
    assert_int_equal(node_read(n, TWCR) & WC, 0);
    step(n, 0, BYTE, status);
}

static void stop(struct node *n)
{
    uint64_t end = node_now(n) + PERIOD;
    node_write(n, TWCR, INT | EN | STO);
    bare_node_at(n, end - 1);
    assert_int_equal(node_read(n, TWCR), EN | STO);
    bare_node_at(n, end);
    assert_int_equal(node_read(n, TWCR), EN);
}

static struct node *ready(const struct board *b)
{
    struct node *n = bare_node(&chip_atmega1281, b);
    bare_node_at(n, 1000);
    node_write(n, TWBR, RATE);
    return n;
}

static void registers_have_their_reset_values(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega1281, NULL);
    assert_int_equal(node_read(n, TWSR), 0xf8);
    assert_int_equal(node_read(n, TWDR), 0xff);
    assert_int_equal(node_read(n, TWAR), 0xfe);
    assert_int_equal(node_read(n, TWCR), 0);
    assert_int_equal(node_read(n, TWBR), 0);
    assert_int_equal(node_read(n, TWAMR), 0);
    node_write(n, TWSR, 0x07);
    assert_int_equal(node_read(n, TWSR), 0xfb);
    node_write(n, TWDR, 0x12); /* not before TWINT */
    assert_int_equal(node_read(n, TWDR), 0xff);
    assert_int_equal(node_read(n, TWCR), WC);
    bare_node_free(n);
}

static void master_transmits(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    struct partner *p = partner(n);
    p->answer = TWI_ACKNOWLEDGE;
    step(n, STA, PERIOD, 0x08);
    send(n, 0x42, 0x18);
    send(n, 0xa1, 0x28);
    p->answer = 0;
    send(n, 0xa2, 0x30);
    step(n, STA, PERIOD, 0x10); /* repeated START */
    send(n, 0x44, 0x20);
    stop(n);
    static const uint8_t events[] = {TWI_START, TWI_WRITE, TWI_WRITE, TWI_START, TWI_STOP};
    static const uint8_t bytes[] = {0x42, 0xa1, 0xa2, 0x44};
    assert_int_equal(p->count, 5);
    assert_memory_equal(p->events, events, 5);
    assert_memory_equal(p->bytes, bytes, 4);
    bare_node_free(n);
}

static void master_receives(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    struct partner *p = partner(n);
    step(n, STA, PERIOD, 0x08);
    p->answer = 0;
    send(n, 0x43, 0x48);
    step(n, STA, PERIOD, 0x10);
    p->answer = TWI_ACKNOWLEDGE;
    send(n, 0x43, 0x40);
    p->answer = 0x5c;
    step(n, EA, BYTE, 0x50);
    assert_int_equal(node_read(n, TWDR), 0x5c);
    p->answer = 0x5d;
    step(n, 0, BYTE, 0x58);
    assert_int_equal(node_read(n, TWDR), 0x5d);
    stop(n);
    static const uint8_t events[] = {TWI_START, TWI_START, TWI_READ, TWI_READ_NACKED, TWI_STOP};
    assert_int_equal(p->count, 5);
    assert_memory_equal(p->events, events, 5);
    bare_node_free(n);
}

static void the_prescaler_multiplies_by_four(void **state)
{
    (void)state;
    for (unsigned prescaler = 0; prescaler < 4; prescaler++) {
        struct node *n = ready(&board);
        node_write(n, TWSR, (uint8_t)prescaler);
        node_write(n, TWCR, INT | EN | STA);
        uint64_t period = 16 + 2 * RATE * (1u << 2 * prescaler);
        bare_node_at(n, 1000 + period - 1);
        assert_int_equal(node_read(n, TWCR) & INT, 0);
        bare_node_at(n, 1000 + period);
        assert_int_equal(node_read(n, TWCR) & INT, INT);
        assert_int_equal(node_read(n, TWSR), 0x08 | prescaler);
        bare_node_free(n);
    }
}

static void stop_and_start_in_one(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    partner(n)->answer = TWI_ACKNOWLEDGE;
    step(n, STA, PERIOD, 0x08);
    send(n, 0x42, 0x18);
    step(n, STA | STO, 2 * PERIOD, 0x08);
    assert_int_equal(node_read(n, TWCR) & STO, 0);
    bare_node_free(n);
}

static void the_interrupt_stays_until_the_firmware_clears_it(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    node_write(n, TWCR, INT | EN | STA | IE);
    bare_node_at(n, 1000 + PERIOD);
    bare_node_acknowledge(n, TWI_vect_num);
    assert_true(bare_node_asks(n, TWI_vect_num));
    node_write(n, TWCR, EN | IE); /* without the one in TWINT nothing happens */
    assert_true(bare_node_asks(n, TWI_vect_num));
    assert_int_equal(node_read(n, TWSR), 0x08);
    node_write(n, TWCR, INT | EN | IE);
    assert_false(bare_node_asks(n, TWI_vect_num));
    node_write(n, TWDR, 1); /* the address is being shifted out */
    assert_int_equal(node_read(n, TWCR), EN | IE | WC);
    bare_node_free(n);
}

static void arbitration_is_lost_to_another(void **state)
{
    (void)state;
    static const struct {
        unsigned winner, status;
    } cases[] = {{0x80, 0x38}, {0x24, 0x68}, {0x25, 0xb0}, {0x00, 0x78}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node *n = ready(&board);
        node_write(n, TWAR, 0x24 | 1);
        step(n, STA | EA, PERIOD, 0x08);
        partner(n)->answer = TWI_ARBITRATION_LOST | cases[i].winner << 8;
        node_write(n, TWDR, 0x90);
        step(n, EA, BYTE, cases[i].status);
        bare_node_free(n);
    }
    struct node *n = ready(&board);
    struct partner *p = partner(n);
    p->answer = TWI_ACKNOWLEDGE;
    step(n, STA, PERIOD, 0x08);
    send(n, 0x42, 0x18);
    p->answer = TWI_ARBITRATION_LOST;
    send(n, 0x11, 0x38);
    node_write(n, TWCR, INT | EN | STA); /* a START, when the winner is done */
    bare_node_at(n, 100000);
    assert_int_equal(node_read(n, TWCR) & INT, 0);
    twi_signal(n, 0, TWI_STOP, 0);
    bare_node_at(n, 100000 + PERIOD);
    assert_int_equal(node_read(n, TWSR), 0x08);
    bare_node_free(n);
}

static void a_bus_error_is_left_by_a_stop_that_is_none(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    struct partner *p = partner(n);
    step(n, STA, PERIOD, 0x08);
    p->answer = TWI_BUS_ERROR;
    send(n, 0x42, 0x00);
    node_write(n, TWCR, INT | EN | STO);
    assert_int_equal(node_read(n, TWCR), EN);
    assert_int_equal(node_read(n, TWSR), 0xf8);
    bare_node_at(n, 100000);
    assert_int_equal(p->count, 1);
    step(n, STA, PERIOD, 0x08);
    bare_node_free(n);
}

/* ---- slave ---- */

static unsigned outside(struct node *n, enum twi_event event, uint8_t byte, unsigned status)
{
    assert_int_equal(twi_signal(n, 0, TWI_CLOCK_HELD, 0), 0);
    unsigned answer = twi_signal(n, 0, event, byte);
    assert_int_equal(twi_signal(n, 0, TWI_CLOCK_HELD, 0), status != 0xf8);
    assert_int_equal(node_read(n, TWSR), status);
    assert_int_equal(!!(node_read(n, TWCR) & INT), status != 0xf8);
    return answer;
}

static struct node *slave(void)
{
    struct node *n = bare_node(&chip_atmega1281, NULL);
    node_write(n, TWAR, 0x24);
    node_write(n, TWCR, EN | EA);
    return n;
}

static void go_on(struct node *n, unsigned control)
{
    node_write(n, TWCR, (uint8_t)(INT | EN | control));
}

static void slave_receives(void **state)
{
    (void)state;
    struct node *n = slave();
    assert_int_equal(outside(n, TWI_START, 0x26, 0xf8), 0); /* for another */
    assert_int_equal(outside(n, TWI_WRITE, 0x01, 0xf8), 0);
    outside(n, TWI_STOP, 0, 0xf8);
    assert_int_equal(outside(n, TWI_START, 0x24, 0x60), 1);
    assert_int_equal(node_read(n, TWDR), 0x24);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_WRITE, 0x71, 0x80), 1);
    assert_int_equal(node_read(n, TWDR), 0x71);
    go_on(n, EA);
    outside(n, TWI_STOP, 0, 0xa0);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_START, 0x24, 0x60), 1);
    go_on(n, 0);
    assert_int_equal(outside(n, TWI_WRITE, 0x72, 0x88), 0);
    go_on(n, EA);
    outside(n, TWI_STOP, 0, 0xf8); /* no longer addressed */
    node_write(n, TWCR, EN);
    assert_int_equal(outside(n, TWI_START, 0x24, 0xf8), 0); /* TWEA off: not there */
    bare_node_free(n);
}

static void slave_transmits(void **state)
{
    (void)state;
    struct node *n = slave();
    assert_int_equal(outside(n, TWI_START, 0x25, 0xa8), 1);
    node_write(n, TWDR, 0x31);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_READ, 0, 0xb8), 0x31);
    node_write(n, TWDR, 0x32);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_READ_NACKED, 0, 0xc0), 0x32);
    go_on(n, EA);
    outside(n, TWI_STOP, 0, 0xf8);
    assert_int_equal(outside(n, TWI_START, 0x25, 0xa8), 1);
    node_write(n, TWDR, 0x33);
    go_on(n, 0); /* the last byte we have */
    assert_int_equal(outside(n, TWI_READ, 0, 0xc8), 0x33);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_READ, 0, 0xf8), 0xff);
    bare_node_free(n);
}

static void slave_hears_general_calls_and_masked_addresses(void **state)
{
    (void)state;
    struct node *n = slave();
    assert_int_equal(outside(n, TWI_START, 0x00, 0xf8), 0);
    node_write(n, TWAR, 0x24 | 1);
    assert_int_equal(outside(n, TWI_START, 0x00, 0x70), 1);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_WRITE, 0x06, 0x90), 1);
    go_on(n, 0);
    assert_int_equal(outside(n, TWI_WRITE, 0x07, 0x98), 0);
    go_on(n, EA);
    outside(n, TWI_STOP, 0, 0xf8);
    node_write(n, TWAMR, 0x06);
    assert_int_equal(node_read(n, TWAMR), 0x06);
    assert_int_equal(outside(n, TWI_START, 0x22, 0x60), 1);
    assert_int_equal(node_read(n, TWDR), 0x22);
    bare_node_free(n);
}

static void a_repeated_start_ends_one_transfer_and_begins_another(void **state)
{
    (void)state;
    struct node *n = slave();
    outside(n, TWI_START, 0x24, 0x60);
    go_on(n, EA);
    outside(n, TWI_WRITE, 0x10, 0x80);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_START, 0x25, 0xa0), 1);
    go_on(n, EA);
    assert_int_equal(node_read(n, TWSR), 0xa8);
    assert_int_equal(node_read(n, TWCR) & INT, INT);
    node_write(n, TWDR, 0x77);
    go_on(n, EA);
    assert_int_equal(outside(n, TWI_READ_NACKED, 0, 0xc0), 0x77);
    bare_node_free(n);
}

static void a_start_waits_for_the_bus(void **state)
{
    (void)state;
    struct node *n = slave();
    node_write(n, TWBR, RATE);
    twi_signal(n, 0, TWI_START, 0x80); /* others talk */
    node_write(n, TWCR, INT | EN | STA);
    bare_node_at(n, 5000);
    assert_int_equal(node_read(n, TWCR) & INT, 0);
    twi_signal(n, 0, TWI_STOP, 0);
    bare_node_at(n, 5000 + PERIOD);
    assert_int_equal(node_read(n, TWSR), 0x08);
    bare_node_free(n);
}

/* ---- with a memory ---- */

static void memory_address(struct node *n, unsigned device, unsigned high, unsigned low)
{
    step(n, STA, PERIOD, node_read(n, TWSR) == 0xf8 ? 0x08 : 0x10);
    send(n, device, 0x18);
    if (high != 0x100)
        send(n, high, 0x28);
    send(n, low, 0x28);
}

static void map_read(struct node *n, unsigned device, const uint8_t *expected, unsigned count)
{
    step(n, STA, PERIOD, 0x10);
    send(n, device | 1, 0x40);
    for (unsigned i = 0; i < count; i++) {
        step(n, i + 1 < count ? EA : 0, BYTE, i + 1 < count ? 0x50 : 0x58);
        assert_int_equal(node_read(n, TWDR), expected[i]);
    }
    stop(n);
}

static void a_memory_wraps_writes_in_its_page(void **state)
{
    (void)state;
    struct node *n = ready(&memory_board);
    memory_address(n, 0xa0 | 1 << 1, 0x100, 0x1e); /* block 1: 0x11e, two bytes before the end of a page */
    for (unsigned i = 0; i < 3; i++)
        send(n, 0xb0 + i, 0x28);
    stop(n);
    uint64_t written = node_now(n) + 40000; /* 5 ms at 8 MHz */
    step(n, STA, PERIOD, 0x08);
    send(n, 0xa2, 0x20); /* busy */
    stop(n);
    bare_node_at(n, written);
    memory_address(n, 0xa2, 0x100, 0x1e);
    map_read(n, 0xa2, (const uint8_t[]){0xb0, 0xb1, 0xff}, 3);
    memory_address(n, 0xa2, 0x100, 0x10);
    map_read(n, 0xa2, (const uint8_t[]){0xb2, 0xff}, 2);
    memory_address(n, 0xa0, 0x100, 0x1e);
    map_read(n, 0xa0, (const uint8_t[]){0xff}, 1);
    bare_node_free(n);
}

static void a_large_memory_has_two_address_bytes_and_can_be_protected(void **state)
{
    (void)state;
    struct node *n = ready(&memory_board);
    memory_address(n, 0xa8, 0x7f, 0xff);
    send(n, 0x5a, 0x28);
    stop(n);
    bare_node_at(n, node_now(n) + 40000);
    memory_address(n, 0xa8, 0x7f, 0xff);
    map_read(n, 0xa8, (const uint8_t[]){0x5a, 0xff}, 2); /* and round to address 0 */
    pin_drive(n, PIN(A, 0), PIN_HIGH);
    memory_address(n, 0xa8, 0x7f, 0xff);
    send(n, 0x11, 0x30);
    stop(n);
    memory_address(n, 0xa8, 0x7f, 0xff);
    map_read(n, 0xa8, (const uint8_t[]){0x5a}, 1);
    bare_node_free(n);
}

static void switching_off_lets_go_of_the_bus(void **state)
{
    (void)state;
    struct node *n = ready(&board);
    struct partner *p = partner(n);
    p->answer = TWI_ACKNOWLEDGE;
    step(n, STA, PERIOD, 0x08);
    send(n, 0x42, 0x18);
    assert_false(pin_is_output(n, PIN(D, 0)));
    node_write(n, TWCR, INT);
    bare_node_at(n, 100000);
    assert_int_equal(p->count, 2);
    assert_int_equal(p->events[1], TWI_STOP);
    step(n, STA, PERIOD, 0x08);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_their_reset_values),
        cmocka_unit_test(master_transmits),
        cmocka_unit_test(master_receives),
        cmocka_unit_test(the_prescaler_multiplies_by_four),
        cmocka_unit_test(stop_and_start_in_one),
        cmocka_unit_test(the_interrupt_stays_until_the_firmware_clears_it),
        cmocka_unit_test(arbitration_is_lost_to_another),
        cmocka_unit_test(a_bus_error_is_left_by_a_stop_that_is_none),
        cmocka_unit_test(slave_receives),
        cmocka_unit_test(slave_transmits),
        cmocka_unit_test(slave_hears_general_calls_and_masked_addresses),
        cmocka_unit_test(a_repeated_start_ends_one_transfer_and_begins_another),
        cmocka_unit_test(a_start_waits_for_the_bus),
        cmocka_unit_test(a_memory_wraps_writes_in_its_page),
        cmocka_unit_test(a_large_memory_has_two_address_bytes_and_can_be_protected),
        cmocka_unit_test(switching_off_lets_go_of_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
