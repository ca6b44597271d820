/* MSP430 ports (SLAU049, chapter 9), by their registers. */
#include "bare.h"

#include "device/msp430/pins.h"
#include "registers/msp430f1611.h"

static struct bare chip;
static struct node *n;

static int set_up(void **state)
{
    (void)state;
    chip = bare_chip("msp430f1611");
    n = chip.node;
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bare_free(chip);
    return 0;
}

static void registers_drive_pins_and_pins_are_read(void **state)
{
    static const struct {
        unsigned port;
        uint16_t in, out, dir;
    } ports[] = {{1, P1IN, P1OUT, P1DIR}, {2, P2IN, P2OUT, P2DIR}, {3, P3IN, P3OUT, P3DIR},
                 {4, P4IN, P4OUT, P4DIR}, {5, P5IN, P5OUT, P5DIR}, {6, P6IN, P6OUT, P6DIR}};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        bare_write(n, 1, ports[i].out, 0xa5);
        assert_int_equal(bare_read(n, 1, ports[i].in), 0);
        bare_write(n, 2, ports[i].dir, 0x0f);
        assert_int_equal(bare_read(n, 2, ports[i].in), 0x05);
        bare_drive(n, 3, MSP430_PIN(ports[i].port, 6), PIN_HIGH);
        bare_drive(n, 3, MSP430_PIN(ports[i].port, 1), PIN_HIGH); /* the chip's own driver is the stronger */
        assert_int_equal(bare_read(n, 3, ports[i].in), 0x45);
        bare_write(n, 4, ports[i].in, 0xff);
        assert_int_equal(bare_read(n, 4, ports[i].in), 0x45);
    }
}

static void the_selected_edge_sets_a_flag(void **state)
{
    (void)state;
    bare_write(n, 1, P1IES, 0x02);
    bare_write(n, 1, P1IFG, 0);
    bare_write(n, 1, P1IE, 0x03);
    bare_drive(n, 2, MSP430_PIN(1, 1), PIN_HIGH);
    assert_false(bare_asks(n, PORT1_LINE));
    bare_drive(n, 3, MSP430_PIN(1, 0), PIN_HIGH);
    assert_true(bare_asks(n, PORT1_LINE));
    assert_int_equal(bare_read(n, 3, P1IFG), 0x01);
    bare_drive(n, 4, MSP430_PIN(1, 1), PIN_LOW);
    assert_int_equal(bare_read(n, 4, P1IFG), 0x03);
    bare_write(n, 5, P1IFG, 0x02);
    assert_true(bare_asks(n, PORT1_LINE));
    bare_write(n, 6, P1IFG, 0);
    assert_false(bare_asks(n, PORT1_LINE));
    bare_write(n, 7, P1IFG, 0x80); /* set by software, not enabled */
    assert_false(bare_asks(n, PORT1_LINE));
    bare_write(n, 8, P1IE, 0x80);
    assert_true(bare_asks(n, PORT1_LINE));
    assert_false(bare_asks(n, PORT2_LINE));
}

/* "Writing to PxIESx": the table of 9.2.6. */
static void changing_the_edge_can_set_the_flag(void **state)
{
    (void)state;
    bare_drive(n, 1, MSP430_PIN(2, 0), PIN_HIGH);
    bare_write(n, 2, P2IFG, 0);
    bare_write(n, 3, P2IES, 0x03); /* bit 0 is high, bit 1 low */
    assert_int_equal(bare_read(n, 3, P2IFG), 0x02);
    bare_write(n, 4, P2IFG, 0);
    bare_write(n, 5, P2IES, 0x00);
    assert_int_equal(bare_read(n, 5, P2IFG), 0x01);
}

static void outputs_interrupt_too_and_selected_pins_do_not(void **state)
{
    (void)state;
    bare_write(n, 1, P2DIR, 0x01);
    bare_write(n, 2, P2OUT, 0x01);
    assert_int_equal(bare_read(n, 2, P2IFG), 0x01);
    bare_write(n, 3, P2IFG, 0);
    bare_write(n, 3, P2SEL, 0x02);
    bare_drive(n, 4, MSP430_PIN(2, 1), PIN_HIGH);
    assert_int_equal(bare_read(n, 4, P2IFG), 0);
    assert_int_equal(bare_read(n, 4, P2IN) & 0x02, 0x02);
}

/* No module puts anything out on P6: a selected output is low, whatever P6OUT says. */
static void a_selected_pin_leaves_its_output_register(void **state)
{
    (void)state;
    bare_write(n, 1, P6DIR, 0x01);
    bare_write(n, 1, P6OUT, 0x01);
    assert_true(pin_level(n, MSP430_PIN(6, 0)));
    bare_write(n, 2, P6SEL, 0x01);
    assert_false(pin_level(n, MSP430_PIN(6, 0)));
    bare_write(n, 3, P6SEL, 0);
    assert_true(pin_level(n, MSP430_PIN(6, 0)));
}

static void a_reset_keeps_out_and_edge_select_only(void **state)
{
    (void)state;
    bare_write(n, 1, P1OUT, 0x55);
    bare_write(n, 1, P1DIR, 0xff);
    bare_write(n, 1, P1SEL, 0x01);
    bare_write(n, 1, P1IES, 0x33);
    bare_write(n, 1, P1IE, 0xff);
    assert_true(bare_asks(n, PORT1_LINE));
    node_request_reset(n, RESET_WATCHDOG);
    node_run(n, 2);
    assert_int_equal(bare_read(n, 3, P1OUT), 0x55);
    assert_int_equal(bare_read(n, 3, P1IES), 0x33);
    assert_int_equal(bare_read(n, 3, P1DIR) | bare_read(n, 3, P1SEL) | bare_read(n, 3, P1IE), 0);
    assert_int_equal(bare_read(n, 3, P1IFG), 0);
    assert_int_equal(bare_read(n, 3, P1IN), 0);
    assert_false(bare_asks(n, PORT1_LINE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(registers_drive_pins_and_pins_are_read),    TEST(the_selected_edge_sets_a_flag),
        TEST(changing_the_edge_can_set_the_flag),        TEST(outputs_interrupt_too_and_selected_pins_do_not),
        TEST(a_selected_pin_leaves_its_output_register), TEST(a_reset_keeps_out_and_edge_select_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
