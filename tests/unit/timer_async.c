/* The asynchronous timer of the ATmega128 on a 32768 Hz crystal, CPU at 8 MHz: writes that wait for the crystal, flags
 * that wait for the CPU, sleep without I/O clock. ("Asynchronous Operation of Timer/Counter0".) */
#include "bare_node.h"

#include "device/avr/clocks.h"
#include "registers/atmega128.h"

static struct node *atmega128(void)
{
    struct node *n = bare_node(&chip_atmega128, NULL);
    bare_node_at(n, 0);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    node_set_clock(n, AVR_CLOCK_ASY, 0);
    node_set_clock(n, AVR_CLOCK_ASY, clock_period(8000000, 32768)); /* 244.14 ticks */
    bare_node_at(n, 1);
    node_write(n, ASSR, 1 << AS0);
    return n;
}

/* The tick at which a cycle of the crystal begins with its rising edge. */
static uint64_t edge(const struct node *n, uint64_t cycle)
{
    return clock_tick_of(&n->state->clocks[AVR_CLOCK_ASY], cycle);
}

static void write_at(struct node *n, uint64_t tick, uint16_t address, uint8_t value)
{
    bare_node_at(n, tick);
    node_write(n, address, value);
}

static unsigned read_at(struct node *n, uint64_t tick, uint16_t address)
{
    bare_node_at(n, tick);
    return node_read(n, address);
}

static bool asks_at(struct node *n, uint64_t tick)
{
    bare_node_at(n, tick);
    return bare_node_asks(n, TIMER0_COMP_vect_num);
}

static void stop_io(struct node *n, uint64_t tick)
{
    bare_node_at(n, tick);
    node_set_clock(n, CLOCK_IO, 0);
}

static void start_io(struct node *n, uint64_t tick)
{
    bare_node_at(n, tick);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
}

static void writes_wait_for_two_edges(void **state)
{
    (void)state;
    struct node *n = atmega128();
    write_at(n, edge(n, 4) + 10, TCNT0, 5);
    assert_int_equal(read_at(n, edge(n, 4) + 11, ASSR), 1 << AS0 | 1 << TCN0UB);
    write_at(n, edge(n, 5) - 1, OCR0, 99);                  /* still in cycle 4 */
    write_at(n, edge(n, 5), TCCR0, 1);                      /* in cycle 5 */
    assert_int_equal(read_at(n, edge(n, 5) + 1, OCR0), 99); /* both read back from their temporary registers */
    assert_int_equal(read_at(n, edge(n, 5) + 2, TCCR0), 1);
    assert_int_equal(read_at(n, edge(n, 6) - 1, ASSR), 1 << AS0 | 1 << TCN0UB | 1 << OCR0UB | 1 << TCR0UB);
    assert_int_equal(read_at(n, edge(n, 6) - 1, TCNT0), 0); /* the actual counter */
    assert_int_equal(read_at(n, edge(n, 6), ASSR), 1 << AS0 | 1 << TCR0UB);
    assert_int_equal(read_at(n, edge(n, 6), TCNT0), 5);
    assert_int_equal(read_at(n, edge(n, 7), ASSR), 1 << AS0);
    assert_int_equal(read_at(n, edge(n, 7), TCNT0), 5);
    assert_int_equal(read_at(n, edge(n, 8) - 1, TCNT0), 5);
    assert_int_equal(read_at(n, edge(n, 8), TCNT0), 6);
    assert_int_equal(read_at(n, edge(n, 30), TCNT0), 28);
    bare_node_free(n);
}

static void without_a_crystal_nothing_happens(void **state)
{
    (void)state;
    struct node *n = atmega128();
    node_set_clock(n, AVR_CLOCK_ASY, 0);
    write_at(n, 100, TCNT0, 5);
    assert_int_equal(read_at(n, 100000000, ASSR), 1 << AS0 | 1 << TCN0UB);
    assert_int_equal(read_at(n, 100000001, TCNT0), 0);
    bare_node_free(n);
}

/* Counting from 0 in the crystal's cycle 10, OCR0 as given. */
static void start(struct node *n, uint8_t compare, uint8_t control)
{
    write_at(n, edge(n, 8) + 1, OCR0, compare);
    write_at(n, edge(n, 8) + 2, TCCR0, control);
    write_at(n, edge(n, 8) + 3, TIMSK, 1 << OCIE0);
}

static void flags_come_three_cycles_late(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    /* 20 in cycle 30, the match one timer clock later */
    assert_false(asks_at(n, edge(n, 31) + 2));
    assert_int_equal(read_at(n, edge(n, 31) + 2, TIFR) & 1 << OCF0, 0);
    assert_int_equal(read_at(n, edge(n, 31) + 2, TCNT0), 21);
    assert_true(asks_at(n, edge(n, 31) + 3));
    assert_int_equal(read_at(n, edge(n, 31) + 3, TIFR) & 1 << OCF0, 1 << OCF0);
    bare_node_acknowledge(n, TIMER0_COMP_vect_num);
    assert_false(asks_at(n, edge(n, 31 + 256) + 2));
    assert_true(asks_at(n, edge(n, 31 + 256) + 3));
    bare_node_free(n);
}

static void polled_flags_are_as_late(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    write_at(n, edge(n, 9), TIMSK, 0);
    assert_int_equal(read_at(n, edge(n, 31) + 2, TIFR) & 1 << OCF0, 0);
    assert_int_equal(read_at(n, edge(n, 31) + 3, TIFR) & 1 << OCF0, 1 << OCF0);
    write_at(n, edge(n, 31) + 4, TIFR, 1 << OCF0);
    assert_int_equal(read_at(n, edge(n, 31 + 255), TIFR) & 1 << OCF0, 0);
    assert_int_equal(read_at(n, edge(n, 31 + 257), TIFR) & 1 << OCF0, 1 << OCF0);
    bare_node_free(n);
}

static void the_prescaler_divides_the_crystal(void **state)
{
    (void)state;
    struct node *n = atmega128();
    write_at(n, edge(n, 8) + 5, SFIOR, 1 << PSR0);
    assert_int_equal(read_at(n, edge(n, 9) - 1, SFIOR), 1 << PSR0); /* until the prescaler has been reset */
    assert_int_equal(read_at(n, edge(n, 9), SFIOR), 0);
    write_at(n, edge(n, 9) + 1, TCCR0, 3); /* by 32: clocks in 9 + 32, 9 + 64, ... */
    assert_int_equal(read_at(n, edge(n, 9 + 32) - 1, TCNT0), 0);
    assert_int_equal(read_at(n, edge(n, 9 + 32), TCNT0), 1);
    assert_int_equal(read_at(n, edge(n, 9 + 32 * 200), TCNT0), 200);
    bare_node_free(n);
}

static void compare_is_off_while_it_is_written(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    write_at(n, edge(n, 29) + 1, OCR0, 20); /* until cycle 31: the match at the beginning of 31 is lost */
    assert_false(asks_at(n, edge(n, 40)));
    write_at(n, edge(n, 40), OCR0, 33); /* 33 in cycle 43 */
    assert_true(asks_at(n, edge(n, 44) + 3));
    bare_node_free(n);
}

static void a_sleeping_chip_is_woken_at_the_edge(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    stop_io(n, edge(n, 15) + 100);
    assert_false(asks_at(n, edge(n, 31) - 1));
    assert_true(asks_at(n, edge(n, 31)));
    start_io(n, edge(n, 31) + 100);
    bare_node_acknowledge(n, TIMER0_COMP_vect_num);
    assert_int_equal(read_at(n, edge(n, 31) + 110, TCNT0), 5); /* as it was before sleep, until the next edge */
    assert_int_equal(read_at(n, edge(n, 32), TCNT0), 22);
    bare_node_free(n);
}

/* The match has come, and the CPU does not know it yet. */
static void sleep_in_the_synchronisation_of_a_flag_ends(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 4; after++) {
        struct node *n = atmega128();
        start(n, 20, 1);
        stop_io(n, edge(n, 31) + after);
        assert_true(asks_at(n, edge(n, 32)));
        bare_node_free(n);
    }
}

static void sleep_before_a_write_is_through_loses_the_match(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    write_at(n, edge(n, 12) + 1, OCR0, 25);
    stop_io(n, edge(n, 12) + 2);
    assert_false(asks_at(n, edge(n, 1000)));
    start_io(n, edge(n, 1000) + 1); /* something else woke it */
    assert_int_equal(read_at(n, edge(n, 1000) + 5, ASSR), 1 << AS0 | 1 << OCR0UB);
    assert_int_equal(read_at(n, edge(n, 1002), ASSR), 1 << AS0);
    /* The counter is (c - 10) % 256: 25 in cycle 35 + 1024 */
    assert_false(asks_at(n, edge(n, 1060) + 2));
    assert_true(asks_at(n, edge(n, 1060) + 3));
    bare_node_free(n);
}

static void sleep_too_soon_after_a_wake_up_is_deaf(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1);
    stop_io(n, edge(n, 15));
    assert_true(asks_at(n, edge(n, 31)));
    start_io(n, edge(n, 31) + 10);
    bare_node_acknowledge(n, TIMER0_COMP_vect_num);
    stop_io(n, edge(n, 31) + 50); /* no edge of the crystal since */
    assert_false(asks_at(n, edge(n, 31 + 256 * 3)));
    start_io(n, edge(n, 31 + 256 * 3) + 10);
    assert_true(asks_at(n, edge(n, 31 + 256 * 3) + 20));
    bare_node_acknowledge(n, TIMER0_COMP_vect_num);
    bare_node_at(n, edge(n, 33 + 256 * 3));
    stop_io(n, edge(n, 33 + 256 * 3) + 1); /* long enough this time */
    assert_true(asks_at(n, edge(n, 31 + 256 * 4)));
    bare_node_free(n);
}

static void sleep_soon_after_another_wake_up_is_not(void **state)
{
    (void)state;
    struct node *n = atmega128();
    start(n, 20, 1 | 1 << COM00); /* toggles OC0 at the match, without an interrupt */
    write_at(n, edge(n, 9), TIMSK, 0);
    stop_io(n, edge(n, 15));
    start_io(n, edge(n, 31) + 10);
    write_at(n, edge(n, 31) + 20, TIFR, 1 << OCF0);
    write_at(n, edge(n, 31) + 21, TIMSK, 1 << OCIE0);
    stop_io(n, edge(n, 31) + 50);
    assert_false(asks_at(n, edge(n, 31 + 256) - 1));
    assert_true(asks_at(n, edge(n, 31 + 256)));
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_wait_for_two_edges),
        cmocka_unit_test(without_a_crystal_nothing_happens),
        cmocka_unit_test(flags_come_three_cycles_late),
        cmocka_unit_test(polled_flags_are_as_late),
        cmocka_unit_test(the_prescaler_divides_the_crystal),
        cmocka_unit_test(compare_is_off_while_it_is_written),
        cmocka_unit_test(a_sleeping_chip_is_woken_at_the_edge),
        cmocka_unit_test(sleep_in_the_synchronisation_of_a_flag_ends),
        cmocka_unit_test(sleep_before_a_write_is_through_loses_the_match),
        cmocka_unit_test(sleep_too_soon_after_a_wake_up_is_deaf),
        cmocka_unit_test(sleep_soon_after_another_wake_up_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
