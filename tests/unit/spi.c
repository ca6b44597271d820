/* The SPI by its registers: rates, orders, flags and their clearing, slave operation, the SS pin. */
#include "bare_node.h"

#include "registers/atmega128.h"

enum { SS = PIN(B, 0), SCK = PIN(B, 1), MOSI = PIN(B, 2), MISO = PIN(B, 3) };
enum { FLAG = 0x80, COLLISION = 0x40, DOUBLE = 0x01 };
enum { IE = 0x80, ON = 0x40, LEAST_FIRST = 0x20, MASTER = 0x10, POLARITY = 0x08, PHASE = 0x04 };

/* Answers with the byte before the last. */
struct echo {
    uint8_t last, count;
};

static void echo_connect(const struct device *d, struct wiring *w)
{
    wire_spi(w, d, 0, 0);
}

static uint8_t echo_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    struct echo *s = device_state(n, d);
    uint8_t answer = s->last;
    s->last = byte;
    s->count++;
    return answer;
}

static const struct device_type echo_type = {
    .name = "echo", .state_size = sizeof(struct echo), .connect = echo_connect, .spi = echo_spi};
static const struct chip_device parts[] = {{"echo", &echo_type, NULL}};
static const struct board board = {
    .name = "echoing", .chip = &chip_atmega128, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(parts)};

static struct node *master(uint8_t control)
{
    struct node *n = bare_node(&chip_atmega128, &board);
    pin_set_port(n, SS, true, true, false);
    pin_set_port(n, SCK, true, false, false);
    pin_set_port(n, MOSI, true, false, false);
    node_write(n, SPCR, ON | MASTER | control);
    return n;
}

static void a_byte_takes_eight_clocks(void **state)
{
    (void)state;
    static const unsigned dividers[2][4] = {{4, 16, 64, 128}, {2, 8, 32, 64}};
    for (unsigned doubled = 0; doubled < 2; doubled++) {
        for (unsigned rate = 0; rate < 4; rate++) {
            struct node *n = master((uint8_t)rate);
            uint64_t end = 100 + 8 * dividers[doubled][rate];
            node_write(n, SPSR, (uint8_t)doubled);
            bare_node_at(n, 100);
            node_write(n, SPDR, 0x5a);
            bare_node_at(n, end - 1);
            assert_int_equal(node_read(n, SPSR), doubled);
            bare_node_at(n, end);
            assert_int_equal(node_read(n, SPSR), FLAG | doubled);
            bare_node_free(n);
        }
    }
}

static void bytes_are_exchanged_in_either_order(void **state)
{
    (void)state;
    for (unsigned turned = 0; turned < 2; turned++) {
        struct node *n = master(turned ? LEAST_FIRST : 0);
        struct echo *e = device_state(n, bare_node_device(n, "echo"));
        e->last = 0x31;
        node_write(n, SPDR, 0x12);
        assert_int_equal(node_read(n, SPDR), 0); /* the receive buffer, not what was written */
        bare_node_at(n, 31);
        assert_int_equal(e->count, 0);
        bare_node_at(n, 32);
        assert_int_equal(e->last, turned ? 0x48 : 0x12);
        assert_int_equal(node_read(n, SPDR), turned ? 0x8c : 0x31);
        bare_node_free(n);
    }
}

static void the_flag_is_cleared_by_reading_status_then_data(void **state)
{
    (void)state;
    struct node *n = master(0);
    node_write(n, SPDR, 1);
    bare_node_at(n, 32);
    node_read(n, SPDR); /* status was not read since */
    assert_int_equal(node_read(n, SPSR), FLAG);
    assert_int_equal(node_read(n, SPSR), FLAG);
    node_read(n, SPDR);
    assert_int_equal(node_read(n, SPSR), 0);
    node_write(n, SPDR, 2);
    bare_node_at(n, 64);
    assert_int_equal(node_read(n, SPSR), FLAG);
    node_write(n, SPDR, 3); /* writing the next byte clears it as well */
    assert_int_equal(node_read(n, SPSR), 0);
    bare_node_free(n);
}

static void a_write_during_a_transfer_collides(void **state)
{
    (void)state;
    struct node *n = master(0);
    const struct echo *e = device_state(n, bare_node_device(n, "echo"));
    node_write(n, SPDR, 0x11);
    bare_node_at(n, 10);
    node_write(n, SPDR, 0x22);
    assert_int_equal(node_read(n, SPSR), COLLISION);
    bare_node_at(n, 32);
    assert_int_equal(e->last, 0x11);
    assert_int_equal(node_read(n, SPSR), FLAG | COLLISION);
    node_read(n, SPDR);
    assert_int_equal(node_read(n, SPSR), 0);
    bare_node_free(n);
}

static void the_interrupt_clears_the_flag(void **state)
{
    (void)state;
    struct node *n = master(IE);
    node_write(n, SPDR, 1);
    bare_node_at(n, 32);
    bare_node_acknowledge(n, SPI_STC_vect_num);
    assert_false(bare_node_asks(n, SPI_STC_vect_num));
    assert_int_equal(node_read(n, SPSR), 0);
    bare_node_free(n);
}

static void a_low_ss_input_ends_mastership(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    const struct echo *e = device_state(n, bare_node_device(n, "echo"));
    pin_drive(n, SS, PIN_HIGH);
    node_write(n, SPCR, ON | MASTER | IE);
    assert_int_equal(node_read(n, SPCR), ON | MASTER | IE);
    node_write(n, SPDR, 1);
    bare_node_at(n, 10);
    pin_drive(n, SS, PIN_LOW);
    assert_int_equal(node_read(n, SPCR), ON | IE);
    assert_int_equal(node_read(n, SPSR), FLAG);
    assert_true(bare_node_asks(n, SPI_STC_vect_num));
    bare_node_at(n, 1000);
    assert_int_equal(e->count, 0);    /* the transfer was broken off */
    node_write(n, SPCR, ON | MASTER); /* and no mastership while it stays low */
    assert_int_equal(node_read(n, SPCR), ON);
    bare_node_free(n);
}

static void an_ss_output_may_be_low(void **state)
{
    (void)state;
    struct node *n = master(0);
    pin_set_port(n, SS, true, false, false);
    node_write(n, SPDR, 1);
    bare_node_at(n, 32);
    assert_int_equal(node_read(n, SPCR), ON | MASTER);
    assert_int_equal(node_read(n, SPSR), FLAG);
    bare_node_free(n);
}

static void a_slave_shifts_what_it_was_given(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, NULL);
    pin_drive(n, SS, PIN_HIGH);
    node_write(n, SPCR, ON | IE);
    node_write(n, SPDR, 0x42);
    assert_int_equal(spi_exchange(n, 0, 0x99), 0xff); /* not selected */
    assert_int_equal(node_read(n, SPSR), 0);
    pin_drive(n, SS, PIN_LOW);
    assert_int_equal(spi_exchange(n, 0, 0x31), 0x42);
    assert_true(bare_node_asks(n, SPI_STC_vect_num));
    assert_int_equal(node_read(n, SPSR), FLAG);
    assert_int_equal(spi_exchange(n, 0, 0x32), 0x31); /* nothing was written: it goes round */
    assert_int_equal(node_read(n, SPDR), 0x32);
    assert_int_equal(node_read(n, SPSR), 0);
    node_write(n, SPCR, ON | LEAST_FIRST);
    node_write(n, SPDR, 0x01);
    assert_int_equal(spi_exchange(n, 0, 0x40), 0x80);
    assert_int_equal(node_read(n, SPDR), 0x02);
    bare_node_free(n);
}

static void pins_are_overridden_as_the_table_says(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, NULL);
    for (unsigned pin = SS; pin <= MISO; pin++)
        pin_set_port(n, pin, true, true, false);
    node_write(n, SPCR, ON | MASTER);
    assert_false(pin_is_output(n, MISO));
    assert_true(pin_is_output(n, MOSI) && pin_is_output(n, SCK) && pin_is_output(n, SS));
    assert_false(pin_level(n, SCK));
    node_write(n, SPCR, ON | MASTER | POLARITY);
    assert_true(pin_level(n, SCK));
    pin_set_port(n, SCK, false, false, false);
    assert_false(pin_is_output(n, SCK)); /* the port's direction decides over the master's outputs */
    pin_drive(n, SS, PIN_LOW);
    node_write(n, SPCR, ON);
    assert_true(pin_is_output(n, MISO));
    assert_false(pin_is_output(n, MOSI) || pin_is_output(n, SCK) || pin_is_output(n, SS));
    pin_drive(n, SS, PIN_HIGH);
    assert_false(pin_is_output(n, MISO));
    node_write(n, SPCR, 0);
    assert_true(pin_is_output(n, MISO) && pin_is_output(n, MOSI) && pin_is_output(n, SS));
    bare_node_free(n);
}

static void switched_off_it_does_not_transfer(void **state)
{
    (void)state;
    struct node *n = master(0);
    const struct echo *e = device_state(n, bare_node_device(n, "echo"));
    node_write(n, SPDR, 1);
    bare_node_at(n, 10);
    node_write(n, SPCR, MASTER);
    node_write(n, SPDR, 2);
    bare_node_at(n, 1000);
    assert_int_equal(e->count, 0);
    assert_int_equal(node_read(n, SPSR), 0);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_takes_eight_clocks),
        cmocka_unit_test(bytes_are_exchanged_in_either_order),
        cmocka_unit_test(the_flag_is_cleared_by_reading_status_then_data),
        cmocka_unit_test(a_write_during_a_transfer_collides),
        cmocka_unit_test(the_interrupt_clears_the_flag),
        cmocka_unit_test(a_low_ss_input_ends_mastership),
        cmocka_unit_test(an_ss_output_may_be_low),
        cmocka_unit_test(a_slave_shifts_what_it_was_given),
        cmocka_unit_test(pins_are_overridden_as_the_table_says),
        cmocka_unit_test(switched_off_it_does_not_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
