/* AVR external and pin-change interrupts. */
#include "bare.h"

#include "registers/atmega328p.h"

enum { M128_EICRA = 0x6a, M128_EICRB = 0x5a, M128_EIMSK = 0x59, M128_EIFR = 0x58, M128_PORTD = 0x32, M128_DDRD = 0x31 };
enum { M128_INT0 = 1, M128_INT4 = 5 }; /* vectors */

static void sense(struct node *n, unsigned isc)
{
    bare_drive(n, 10, PIN(D, 2), PIN_HIGH);
    bare_write(n, 20, EICRA, (uint8_t)isc);
    bare_write(n, 20, EIMSK, 1 << INT0);
    bare_write(n, 20, EIFR, 0xff);
    assert_false(bare_asks(n, INT0_vect_num));
}

static void a_falling_edge_sets_the_flag_three_cycles_later(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 2);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    assert_int_equal(bare_read(b.node, 102, EIFR), 0);
    assert_int_equal(bare_read(b.node, 103, EIFR), 1 << INTF0);
    bare_take(b.node, INT0_vect_num);
    assert_int_equal(bare_read(b.node, 103, EIFR), 0);
    bare_drive(b.node, 200, PIN(D, 2), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 210, EIFR), 0);
    bare_free(b);
}

static void a_rising_edge_and_any_edge(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 3);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    assert_int_equal(bare_read(b.node, 110, EIFR), 0);
    bare_drive(b.node, 120, PIN(D, 2), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 130, EIFR), 1 << INTF0);
    bare_write(b.node, 131, EIFR, 1 << INTF1); /* another flag */
    assert_int_equal(bare_read(b.node, 132, EIFR), 1 << INTF0);
    bare_write(b.node, 133, EIFR, 1 << INTF0);
    assert_int_equal(bare_read(b.node, 134, EIFR), 0);
    assert_false(bare_asks(b.node, INT0_vect_num));
    bare_write(b.node, 140, EICRA, 1);
    for (unsigned i = 0; i < 2; i++) {
        bare_drive(b.node, 200 + 100 * i, PIN(D, 2), i ? PIN_HIGH : PIN_LOW);
        bare_at(b.node, 250 + 100 * i);
        bare_take(b.node, INT0_vect_num);
    }
    bare_free(b);
}

/* "If edge or toggle interrupt is selected, pulses that last longer than one clock period will generate an interrupt."
 */
static void a_pulse_of_two_cycles_has_two_edges(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 1);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    bare_drive(b.node, 102, PIN(D, 2), PIN_HIGH);
    bare_at(b.node, 103);
    bare_take(b.node, INT0_vect_num);
    assert_int_equal(bare_read(b.node, 104, EIFR), 0);
    bare_at(b.node, 105);
    bare_take(b.node, INT0_vect_num);
    for (unsigned i = 0; i < 40; i++) /* and a long train of them, none lost */
        bare_drive(b.node, 200 + 2 * i, PIN(D, 2), i % 2 ? PIN_HIGH : PIN_LOW);
    bare_write(b.node, 280, EIFR, 1);
    assert_int_equal(bare_read(b.node, 281, EIFR), 1);
    bare_free(b);
}

static void a_low_level_asks_as_long_as_it_lasts(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 0);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    assert_true(bare_asks(b.node, INT0_vect_num));
    assert_int_equal(bare_read(b.node, 110, EIFR), 0);
    bare_take(b.node, INT0_vect_num);
    assert_true(bare_asks(b.node, INT0_vect_num));
    bare_write(b.node, 120, EIMSK, 0);
    assert_false(bare_asks(b.node, INT0_vect_num));
    bare_write(b.node, 130, EIMSK, 1 << INT0);
    assert_true(bare_asks(b.node, INT0_vect_num));
    bare_drive(b.node, 140, PIN(D, 2), PIN_HIGH);
    assert_false(bare_asks(b.node, INT0_vect_num));
    bare_free(b);
}

static void a_flag_waits_for_its_enable_and_level_mode_clears_it(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 2);
    bare_write(b.node, 50, EIMSK, 0);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    bare_at(b.node, 110);
    assert_false(bare_asks(b.node, INT0_vect_num));
    bare_write(b.node, 120, EIMSK, 1 << INT0);
    assert_true(bare_asks(b.node, INT0_vect_num));
    bare_drive(b.node, 130, PIN(D, 2), PIN_HIGH);
    bare_write(b.node, 140, EICRA, 0);
    assert_int_equal(bare_read(b.node, 141, EIFR), 0);
    assert_false(bare_asks(b.node, INT0_vect_num));
    bare_free(b);
}

/* ATmega128, "External Interrupts": a way of generating a software interrupt; INT3:0 are registered asynchronously. */
static void outputs_trigger_and_asynchronous_edges_need_no_clock(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega128");
    bare_write(b.node, 10, M128_DDRD, 0x01);
    bare_write(b.node, 10, M128_EICRA, 0x03);
    bare_write(b.node, 10, M128_EIMSK, 0x11);
    bare_write(b.node, 20, M128_PORTD, 0x01);
    assert_int_equal(bare_read(b.node, 20, M128_EIFR), 0x01);
    bare_take(b.node, M128_INT0);
    bare_write(b.node, 30, M128_PORTD, 0x00);
    bare_write(b.node, 40, M128_EICRA, 0x01); /* reserved */
    bare_write(b.node, 50, M128_PORTD, 0x01);
    assert_int_equal(bare_read(b.node, 60, M128_EIFR), 0x00);
    bare_write(b.node, 70, M128_EICRA, 0x0a); /* INT0 and INT1 on falling edges, INT4 on rising ones; INT1 is off */
    bare_write(b.node, 70, M128_EICRB, 0x03);
    bare_drive(b.node, 70, PIN(D, 1), PIN_HIGH);
    bare_write(b.node, 71, M128_DDRD, 0x00);
    bare_drive(b.node, 71, PIN(D, 0), PIN_HIGH);
    bare_write(b.node, 75, M128_EIFR, 0xff);
    bare_at(b.node, 80);
    node_set_clock(b.node, CLOCK_IO, 0);
    bare_drive(b.node, 90, PIN(D, 0), PIN_LOW);
    bare_drive(b.node, 90, PIN(D, 1), PIN_LOW); /* clamped */
    bare_drive(b.node, 90, PIN(E, 4), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 1000, M128_EIFR), 0x01);
    node_set_clock(b.node, CLOCK_IO, CLOCK_ONE);
    assert_false(bare_asks(b.node, M128_INT4));
    assert_int_equal(bare_read(b.node, 1003, M128_EIFR), 0x11); /* "between two samples" */
    bare_free(b);
}

static void an_edge_that_went_while_the_clock_stood_is_lost(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    sense(b.node, 1);
    bare_at(b.node, 50);
    node_set_clock(b.node, CLOCK_IO, 0);
    bare_drive(b.node, 100, PIN(D, 2), PIN_LOW);
    bare_drive(b.node, 200, PIN(D, 2), PIN_HIGH);
    bare_at(b.node, 300);
    node_set_clock(b.node, CLOCK_IO, CLOCK_ONE);
    assert_int_equal(bare_read(b.node, 400, EIFR), 0);
    bare_free(b);
}

static void pin_changes_set_their_group_four_cycles_later(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PCMSK1, 0xff);
    assert_int_equal(bare_read(b.node, 10, PCMSK1), 0x7f);
    bare_write(b.node, 10, PCMSK1, 1 << PCINT11);
    bare_write(b.node, 10, PCICR, 1 << PCIE1);
    bare_drive(b.node, 100, PIN(C, 2), PIN_HIGH); /* masked */
    bare_drive(b.node, 100, PIN(C, 3), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 103, PCIFR), 0);
    assert_int_equal(bare_read(b.node, 104, PCIFR), 1 << PCIF1);
    bare_take(b.node, PCINT1_vect_num);
    assert_int_equal(bare_read(b.node, 105, PCIFR), 0);
    bare_drive(b.node, 110, PIN(C, 2), PIN_LOW);
    assert_int_equal(bare_read(b.node, 120, PCIFR), 0);
    bare_drive(b.node, 200, PIN(C, 3), PIN_LOW);
    bare_drive(b.node, 201, PIN(C, 3), PIN_HIGH);
    bare_at(b.node, 204);
    bare_take(b.node, PCINT1_vect_num);
    bare_at(b.node, 205);
    bare_take(b.node, PCINT1_vect_num);
    bare_write(b.node, 210, DIDR0, 1 << 3);
    bare_drive(b.node, 220, PIN(C, 3), PIN_LOW);
    assert_int_equal(bare_read(b.node, 230, PCIFR), 0);
    bare_free(b);
}

static void pin_changes_wake_without_a_clock(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega328p");
    bare_write(b.node, 10, PCMSK2, 0x01);
    bare_write(b.node, 10, PCMSK0, 0x01);
    bare_write(b.node, 10, PCICR, 1 << PCIE2);
    bare_drive(b.node, 98, PIN(D, 0), PIN_HIGH); /* SLEEP comes two cycles after it */
    bare_at(b.node, 100);
    node_set_clock(b.node, CLOCK_IO, 0);
    bare_at(b.node, 102);
    bare_take(b.node, PCINT2_vect_num);
    bare_drive(b.node, 500, PIN(D, 0), PIN_LOW);
    bare_drive(b.node, 500, PIN(B, 0), PIN_HIGH); /* not enabled: its buffer is clamped */
    assert_true(bare_asks(b.node, PCINT2_vect_num));
    assert_int_equal(bare_read(b.node, 500, PCIFR), 1 << PCIF2);
    bare_free(b);
}

/* PCINT8 is PE0, PCINT9-15 are PJ0-6 of the 100-pin chips. */
static void the_second_group_of_the_mega_starts_at_port_e(void **state)
{
    (void)state;
    struct bare b = bare_chip("atmega2560");
    bare_write(b.node, 10, PCMSK1, 0x81);
    bare_drive(b.node, 100, PIN(E, 0), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 110, PCIFR), 0x02);
    bare_write(b.node, 120, PCIFR, 0x02);
    bare_drive(b.node, 130, PIN(J, 6), PIN_HIGH);
    assert_int_equal(bare_read(b.node, 140, PCIFR), 0x02);
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_edge_sets_the_flag_three_cycles_later),
        cmocka_unit_test(a_rising_edge_and_any_edge),
        cmocka_unit_test(a_pulse_of_two_cycles_has_two_edges),
        cmocka_unit_test(a_low_level_asks_as_long_as_it_lasts),
        cmocka_unit_test(a_flag_waits_for_its_enable_and_level_mode_clears_it),
        cmocka_unit_test(outputs_trigger_and_asynchronous_edges_need_no_clock),
        cmocka_unit_test(an_edge_that_went_while_the_clock_stood_is_lost),
        cmocka_unit_test(pin_changes_set_their_group_four_cycles_later),
        cmocka_unit_test(pin_changes_wake_without_a_clock),
        cmocka_unit_test(the_second_group_of_the_mega_starts_at_port_e),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
