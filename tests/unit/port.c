/* AVR ports: registers, synchroniser, pull-ups, pins that are not there; LEDs and buttons on boards. */
#include "bare.h"

#include "board/boards.h"
#include "chip/chips.h"
#include "part/button.h"
#include "part/led.h"
#include "registers/atmega328p.h"

/* "Reading the Pin Value": out, nop, in. */
static void an_out_is_read_back_after_one_nop(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 100, DDRB, 0xff);
    bare_write(b.node, 200, PORTB, 0xa5);
    assert_int_equal(bare_read(b.node, 200, PORTB), 0xa5);
    assert_int_equal(bare_read(b.node, 201, PINB), 0x00);
    assert_int_equal(bare_read(b.node, 202, PINB), 0xa5);
    bare_free(b);
}

static void changes_in_a_row_are_all_seen(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 100, DDRB, 0xff);
    bare_write(b.node, 200, PORTB, 0x01);
    bare_write(b.node, 201, PORTB, 0x02);
    assert_int_equal(bare_read(b.node, 202, PINB), 0x01);
    bare_write(b.node, 202, PORTB, 0x04);
    assert_int_equal(bare_read(b.node, 203, PINB), 0x02);
    assert_int_equal(bare_read(b.node, 204, PINB), 0x04);
    bare_free(b);
}

static void outside_levels_come_through_the_synchroniser(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_drive(b.node, 500, PIN(D, 3), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 501, PIND), 0x00);
    assert_int_equal(bare_read(b.node, 502, PIND), 0x08);
    bare_write(b.node, 510, DDRD, 0x08); /* a strong low inside wins */
    assert_int_equal(bare_read(b.node, 512, PIND), 0x00);
    bare_free(b);
}

static void pull_ups_obey_ddr_and_pud(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PORTC, 0x01);
    assert_true(pin_level(b.node, PIN(C, 0)));
    bare_drive(b.node, 11, PIN(C, 0), PIN_LOW);
    assert_false(pin_level(b.node, PIN(C, 0)));
    bare_drive(b.node, 12, PIN(C, 0), PIN_FLOATING);
    bare_write(b.node, 13, MCUCR, 1 << PUD);
    assert_false(pin_level(b.node, PIN(C, 0)));
    bare_write(b.node, 14, MCUCR, 0);
    assert_true(pin_level(b.node, PIN(C, 0)));
    bare_free(b);
}

static void writing_pin_toggles_on_newer_chips_only(void **state)
{
    (void)state;
    enum { M128_PINB = 0x36, M128_PORTB = 0x38 };
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PORTB, 0x0f);
    bare_write(b.node, 20, PINB, 0x3c);
    assert_int_equal(bare_read(b.node, 30, PORTB), 0x33);
    bare_free(b);
    b = bare_chip("atmega128");
    bare_write(b.node, 10, M128_PORTB, 0x0f);
    bare_write(b.node, 20, M128_PINB, 0x3c);
    assert_int_equal(bare_read(b.node, 30, M128_PORTB), 0x0f);
    bare_free(b);
}

static void pins_that_are_not_there_read_zero(void **state)
{
    (void)state;
    enum {
        M128_PING = 0x63,
        M128_DDRG = 0x64,
        M128_PORTG = 0x65,
        M128_PORTF = 0x62,
        M128_PINF = 0x20,
        M128_SFIOR = 0x40
    };
    struct bare b = bare_chip("atmega128");
    bare_write(b.node, 10, M128_PORTG, 0xff);
    bare_write(b.node, 11, M128_DDRG, 0xff);
    bare_write(b.node, 12, M128_PORTF, 0xf0); /* pull-ups */
    assert_int_equal(bare_read(b.node, 20, M128_PORTG), 0x1f);
    assert_int_equal(bare_read(b.node, 20, M128_DDRG), 0x1f);
    assert_int_equal(bare_read(b.node, 20, M128_PING), 0x1f);
    assert_int_equal(bare_read(b.node, 20, M128_PINF), 0xf0);
    bare_write(b.node, 30, M128_SFIOR, 0x04); /* PUD */
    assert_int_equal(bare_read(b.node, 32, M128_PINF), 0x00);
    bare_free(b);
    enum { M2560_PORTG = 0x34 };
    b = bare_chip("atmega2560");
    bare_write(b.node, 10, M2560_PORTG, 0xff);
    assert_int_equal(bare_read(b.node, 20, M2560_PORTG), 0x3f);
    bare_free(b);
}

/* "If PC6 is used as a reset pin, DDC6, PORTC6 and PINC6 will all read 0." */
static void the_reset_pin_is_a_port_pin_by_fuse(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PORTC, 0xff);
    bare_write(b.node, 11, DDRC, 0xff);
    assert_int_equal(bare_read(b.node, 20, PORTC), 0x3f);
    assert_int_equal(bare_read(b.node, 20, DDRC), 0x3f);
    assert_int_equal(bare_read(b.node, 20, PINC), 0x3f);
    bare_free(b);
    b = bare_board(&chip_atmega328p, NULL, 0x59); /* RSTDISBL programmed */
    bare_write(b.node, 10, PORTC, 0xff);
    bare_write(b.node, 11, DDRC, 0xff);
    assert_int_equal(bare_read(b.node, 20, PORTC), 0x7f);
    assert_int_equal(bare_read(b.node, 20, PINC), 0x7f);
    bare_free(b);
}

static void a_disabled_input_buffer_reads_zero(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PORTC, 0x3f);
    bare_write(b.node, 10, PORTD, 0xff);
    bare_write(b.node, 11, DIDR0, 0xff);
    bare_write(b.node, 11, DIDR1, 0x01);
    assert_int_equal(bare_read(b.node, 20, DIDR0), 0x3f);
    assert_int_equal(bare_read(b.node, 20, PINC), 0x00);
    assert_int_equal(bare_read(b.node, 20, PIND), 0xbf); /* AIN0 is PD6 */
    bare_free(b);
}

static void leds_are_lit_by_outputs_of_their_level(void **state)
{
    (void)state;
    struct bare b = bare_board(&chip_atmega128, &board_micaz, -1);
    enum { M128_DDRA = 0x3a, M128_PORTA = 0x3b };
    const struct device *red = led_on_pin(b.node, PIN(A, 2));
    assert_non_null(red);
    assert_string_equal(red->name, "red");
    assert_null(led_on_pin(b.node, PIN(A, 3)));
    assert_false(led_is_lit(b.node, red));
    bare_write(b.node, 10, M128_DDRA, 0x04);
    assert_true(led_is_lit(b.node, red));
    bare_write(b.node, 20, M128_PORTA, 0x04);
    assert_false(led_is_lit(b.node, red));
    bare_free(b);
}

static void boards_are_found_by_name_and_alias(void **state)
{
    (void)state;
    assert_ptr_equal(board_named("uno"), &board_uno);
    assert_ptr_equal(board_named("UNO"), &board_uno);
    assert_ptr_equal(board_named("mega2560"), &board_mega);
    assert_ptr_equal(board_named("iris")->chip, &chip_atmega1281);
    assert_null(board_named("unobtainium"));
}

static void a_button_drives_its_pin_while_pressed(void **state)
{
    (void)state;
    static const struct button to_ground = {.pin = PIN(D, 2)},
                               pulled = {.pin = PIN(D, 3), .active_high = true, .resistor = true};
    static const struct chip_device parts[] = {{"a", &part_button, &to_ground}, {"b", &part_button, &pulled}};
    static const struct board board = {
        .name = "buttons", .chip = &chip_atmega328p, .hz = 1000000, .millivolts = 5000, BOARD_PARTS(parts)};
    struct bare b = bare_board(&chip_atmega328p, &board, -1);
    const struct device *last = &b.machine->devices[b.machine->device_count - 1];
    bare_write(b.node, 10, PORTD, 0x0c); /* pull-ups; the board's resistor on PD3 is stronger */
    assert_int_equal(bare_read(b.node, 20, PIND), 0x04);
    button_press(b.node, last - 1, true);
    button_press(b.node, last, true);
    assert_true(button_is_pressed(b.node, last));
    assert_int_equal(bare_read(b.node, 30, PIND), 0x08);
    button_press(b.node, last - 1, false);
    button_press(b.node, last, false);
    assert_int_equal(bare_read(b.node, 40, PIND), 0x04);
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_out_is_read_back_after_one_nop),
        cmocka_unit_test(changes_in_a_row_are_all_seen),
        cmocka_unit_test(outside_levels_come_through_the_synchroniser),
        cmocka_unit_test(pull_ups_obey_ddr_and_pud),
        cmocka_unit_test(writing_pin_toggles_on_newer_chips_only),
        cmocka_unit_test(pins_that_are_not_there_read_zero),
        cmocka_unit_test(the_reset_pin_is_a_port_pin_by_fuse),
        cmocka_unit_test(a_disabled_input_buffer_reads_zero),
        cmocka_unit_test(leds_are_lit_by_outputs_of_their_level),
        cmocka_unit_test(boards_are_found_by_name_and_alias),
        cmocka_unit_test(a_button_drives_its_pin_while_pressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
