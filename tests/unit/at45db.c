/* The data flash of the Mica family, moved by its pins as firmware does. */
#include "bare_node.h"

#include "part/at45db.h"

enum { CS = PIN(A, 3), SCK = PIN(D, 5), SI = PIN(D, 3), SO = PIN(D, 2), MILLISECOND = 8000 };
enum { STATUS = 0xd7, READY = 0x9c, BUSY = 0x1c };

static const struct at45db_config config = {.cs = CS, .sck = SCK, .si = SI, .so = SO};
static const struct chip_device parts[] = {{"flash", &at45db_type, &config}};
static const struct board board = {
    .name = "bench", .chip = &chip_atmega128, .hz = 8000000, .millivolts = 3000, BOARD_PARTS(parts)};

static void pin(struct node *n, unsigned which, bool level)
{
    pin_set_port(n, which, true, level, false);
}

static uint8_t exchange(struct node *n, uint8_t byte)
{
    uint8_t answer = 0;
    for (int i = 7; i >= 0; i--) {
        pin(n, SCK, false);
        pin(n, SI, byte >> i & 1);
        answer = (uint8_t)(answer << 1 | pin_level(n, SO));
        pin(n, SCK, true);
    }
    return answer;
}

static void command(struct node *n, uint8_t opcode, unsigned page, unsigned byte, unsigned dummies)
{
    uint32_t address = page << 9 | byte;
    pin(n, CS, true);
    pin(n, SCK, true);
    pin(n, CS, false);
    exchange(n, opcode);
    exchange(n, (uint8_t)(address >> 16));
    exchange(n, (uint8_t)(address >> 8));
    exchange(n, (uint8_t)address);
    while (dummies--)
        exchange(n, 0);
}

static void operate(struct node *n, uint8_t opcode, unsigned page)
{
    command(n, opcode, page, 0, 0);
    pin(n, CS, true);
}

static uint8_t status(struct node *n)
{
    pin(n, CS, true);
    pin(n, CS, false);
    exchange(n, STATUS);
    uint8_t value = exchange(n, 0);
    pin(n, CS, true);
    return value;
}

static void after(struct node *n, uint64_t ticks)
{
    bare_node_at(n, n->time + ticks);
}

static void write_buffer(struct node *n, uint8_t opcode, unsigned from, const char *text)
{
    command(n, opcode, 0, from, 0);
    for (; *text; text++)
        exchange(n, (uint8_t)*text);
    pin(n, CS, true);
}

static void expect(struct node *n, uint8_t opcode, unsigned page, unsigned byte, unsigned dummies, const char *text)
{
    command(n, opcode, page, byte, dummies);
    for (; *text; text++)
        assert_int_equal(exchange(n, 0), (uint8_t)*text);
    pin(n, CS, true);
}

static void a_page_is_written_through_a_buffer(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    assert_int_equal(status(n), READY);
    write_buffer(n, 0x84, 262, "abcd"); /* wraps at the end of the page */
    expect(n, 0xd4, 0, 262, 1, "abcd");
    operate(n, 0x83, 1000);
    assert_int_equal(status(n), BUSY);
    write_buffer(n, 0x84, 0, "zz"); /* the buffer being programmed is not to be had */
    write_buffer(n, 0x87, 0, "yy"); /* the other is */
    expect(n, 0xd6, 0, 0, 1, "yy");
    after(n, 20 * MILLISECOND - 1);
    assert_int_equal(status(n), BUSY);
    after(n, 1);
    assert_int_equal(status(n), READY);
    expect(n, 0xd2, 1000, 262, 4, "abcd");
    expect(n, 0xe8, 1000, 262, 4, "ab\xff\xff"); /* the array goes on into page 1001 */
    expect(n, 0xd4, 0, 0, 1, "cd");
    bare_node_free(n);
}

/* As long as the datasheet's text says at most, to the tick. */
static void operations_take_their_time(void **state)
{
    static const struct {
        uint8_t opcode;
        uint64_t ticks;
    } operations[] = {{0x53, MILLISECOND / 4},  {0x60, MILLISECOND / 4},  {0x81, 8 * MILLISECOND},
                      {0x50, 12 * MILLISECOND}, {0x88, 14 * MILLISECOND}, {0x83, 20 * MILLISECOND}};
    (void)state;
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct node *n = bare_node(&chip_atmega128, &board);
        operate(n, operations[i].opcode, 3);
        after(n, operations[i].ticks - 1);
        assert_int_equal(status(n), BUSY);
        after(n, 1);
        assert_int_equal(status(n) & 0x80, 0x80);
        bare_node_free(n);
    }
}

static void programming_without_erasing_clears_bits(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    write_buffer(n, 0x84, 0, "\xf0");
    operate(n, 0x88, 5);
    after(n, 14 * MILLISECOND);
    write_buffer(n, 0x84, 0, "\x3f");
    operate(n, 0x88, 5);
    after(n, 14 * MILLISECOND);
    expect(n, 0x52, 5, 0, 4, "\x30");
    operate(n, 0x81, 5);
    after(n, 8 * MILLISECOND);
    expect(n, 0x52, 5, 0, 4, "\xff");
    bare_node_free(n);
}

static void pages_are_fetched_and_compared(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    command(n, 0x85, 7, 10, 0); /* through the second buffer */
    exchange(n, 'q');
    pin(n, CS, true);
    after(n, 20 * MILLISECOND);
    operate(n, 0x53, 7);
    assert_int_equal(status(n), BUSY);
    after(n, MILLISECOND);
    expect(n, 0x54, 0, 10, 1, "q");
    operate(n, 0x60, 7);
    after(n, MILLISECOND);
    assert_int_equal(status(n), READY);
    operate(n, 0x60, 8);
    after(n, MILLISECOND);
    assert_int_equal(status(n), READY | 0x40);
    operate(n, 0x50, 0); /* the block of pages 0 to 7 */
    after(n, 12 * MILLISECOND);
    expect(n, 0x52, 7, 10, 4, "\xff");
    bare_node_free(n);
}

/* TinyOS asks for the status, stops the clock, and waits for the output to rise. */
static void readiness_shows_by_itself(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    operate(n, 0x81, 1);
    pin(n, CS, false);
    exchange(n, STATUS);
    pin(n, SCK, false);
    assert_false(pin_level(n, SO));
    after(n, 8 * MILLISECOND - 1);
    assert_false(pin_level(n, SO));
    after(n, 1);
    assert_true(pin_level(n, SO));
    bare_node_free(n);
}

static void an_incomplete_command_does_nothing(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega128, &board);
    pin(n, CS, true);
    pin(n, CS, false);
    exchange(n, 0x81);
    exchange(n, 0);
    pin(n, CS, true);
    assert_int_equal(status(n), READY);
    operate(n, 0x42, 1); /* no such command */
    assert_int_equal(status(n), READY);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_written_through_a_buffer),
        cmocka_unit_test(operations_take_their_time),
        cmocka_unit_test(programming_without_erasing_clears_bits),
        cmocka_unit_test(pages_are_fetched_and_compared),
        cmocka_unit_test(readiness_shows_by_itself),
        cmocka_unit_test(an_incomplete_command_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
