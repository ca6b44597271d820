/* The Arduino Wire library with something at the other end: a serial EEPROM, and a master that talks to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "board/board.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"
#include "part/twi_memory.h"

struct text {
    char bytes[512];
    size_t count;
};

static void keep(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    struct text *t = context;
    unsigned frame = h->serial.frame;
    if (h->serial.line == 0 && (uint8_t)frame != '\r' && t->count + 1 < sizeof t->bytes)
        t->bytes[t->count++] = (char)frame;
}

static const struct twi_memory_config memory_config = {
    .size = 32768, .page_size = 64, .address = 0x50, .write_protect = PIN_NONE, .write_seconds = 0.005};
static const struct chip_device parts[] = {{"memory", &twi_memory_type, &memory_config}};

static struct node *start(const char *sketch, const char *like, struct board *board, struct text *printed)
{
    char path[512];
    struct motet_error e;
    snprintf(path, sizeof path, FIRMWARE_DIR "/arduino-%s-%s.elf", sketch, like);
    struct image *image = image_load(path, &e);
    assert_non_null(image);
    *board = *board_named(like);
    board->parts = parts;
    board->part_count = 1;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = machine_new(board->chip, board, image, &options, &e);
    assert_non_null(m);
    struct node *n = node_new(m, 0, 1);
    tap_hook(n, MOTET_ON(SERIAL), keep, printed);
    return n;
}

static void stop(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

static void a_memory_keeps_what_wire_writes(void **state)
{
    (void)state;
    static const char *const boards_tried[] = {"uno", "mega"};
    for (unsigned i = 0; i < 2; i++) {
        struct board board;
        struct text printed = {0};
        struct node *n = start("wirememory", boards_tried[i], &board, &printed);
        node_run(n, 16000000 / 10);
        assert_string_equal(printed.bytes, "00 polled\n8 Tallis..\n2\n");
        stop(n);
    }
}

/* One transfer by a master outside, which waits while the slave holds the clock. */
static unsigned master(struct node *n, enum twi_event event, uint8_t byte)
{
    for (unsigned i = 0; twi_signal(n, 0, TWI_CLOCK_HELD, 0); i++) {
        assert_in_range(i, 0, 1000);
        node_run(n, n->state->now + 100);
    }
    return twi_signal(n, 0, event, byte);
}

static void a_slave_answers_a_master(void **state)
{
    (void)state;
    static const char *const boards_tried[] = {"uno", "mega"};
    for (unsigned i = 0; i < 2; i++) {
        struct board board;
        struct text printed = {0};
        struct node *n = start("wireslave", boards_tried[i], &board, &printed);
        node_run(n, 16000000 / 20);
        assert_int_equal(master(n, TWI_START, 8 << 1), 1);
        for (const char *c = "Byrd"; *c; c++)
            assert_int_equal(master(n, TWI_WRITE, (uint8_t)*c), 1);
        master(n, TWI_STOP, 0);
        node_run(n, n->state->now + 100000);
        assert_int_equal(master(n, TWI_START, 8 << 1 | 1), 1);
        assert_int_equal(master(n, TWI_READ, 0), 'd');
        assert_int_equal(master(n, TWI_READ, 0), 'r');
        assert_int_equal(master(n, TWI_READ, 0), 'y');
        assert_int_equal(master(n, TWI_READ_NACKED, 0), 'B');
        master(n, TWI_STOP, 0);
        assert_int_equal(master(n, TWI_START, 9 << 1), 0); /* no slave there */
        master(n, TWI_STOP, 0);
        node_run(n, n->state->now + 100000);
        assert_string_equal(printed.bytes, "listening\ngot 4\n");
        stop(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_keeps_what_wire_writes),
        cmocka_unit_test(a_slave_answers_a_master),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
