/* Firmwares that use the serial devices, run whole, against what the datasheets say they see and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "part/twi_memory.h"
#include "node/taps.h"

static const char *const chip_names[] = {"atmega128", "atmega1281", "atmega2560", "atmega168", "atmega328p"};
enum { CHIPS = 5 };

/* ---- running ---- */

struct happening {
    uint64_t tick;
    unsigned value;
};

struct record {
    unsigned count;
    struct happening all[512];
};

static void serial_seen(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    unsigned line = h->serial.line, frame = h->serial.frame;
    struct record *r = context;
    assert_int_equal(line, 0);
    if (r->count < 512)
        r->all[r->count++] = (struct happening){h->tick, frame};
}

static struct node *load(const char *firmware, const char *chip, const struct chip_device *parts, size_t part_count)
{
    static struct board board; /* outlives the node; the tests run one after the other */
    char path[512];
    struct motet_error e;
    board =
        (struct board){.name = "bench", .hz = 16000000, .millivolts = 5000, .parts = parts, .part_count = part_count};
    board.chip = chip_named(chip);
    snprintf(path, sizeof path, FIRMWARE_DIR "/%s.elf", firmware);
    struct image *i = image_load(path, &e);
    assert_non_null(i);
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = machine_new(board.chip, &board, i, &options, &e);
    assert_non_null(m);
    return node_new(m, 0, 1);
}

static void unload(struct node *n)
{
    struct machine *m = (struct machine *)n->machine;
    node_free(n);
    machine_free(m);
}

static const uint8_t *variable(const struct node *n, const char *name)
{
    const struct image_symbol *s = image_symbol_named(n->machine->image, name);
    assert_non_null(s);
    return n->data + (s->address & 0xffff);
}

/* ---- to the cycle ---- */

struct inverter {
    uint8_t count;
    uint64_t ticks[4];
};

static void inverter_connect(const struct device *d, struct wiring *w)
{
    wire_spi(w, d, 0, 0);
}

static uint8_t inverter_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    struct inverter *s = device_state(n, d);
    s->ticks[s->count++ % 4] = node_now(n);
    return (uint8_t)~byte;
}

static const struct device_type inverter_type = {
    .name = "inverter", .state_size = sizeof(struct inverter), .connect = inverter_connect, .spi = inverter_spi};
static const struct chip_device inverter[] = {{"inverter", &inverter_type, NULL}};

static void instructions_and_frames_keep_step(void **state)
{
    (void)state;
    struct record r = {0};
    struct node *n = load("serial-exact", "atmega128", inverter, 1);
    tap_hook(n, MOTET_ON(SERIAL), serial_seen, &r);
    node_run(n, 20000);
    /* UBRR0 is written in cycle 1, when the divider by 16, counting every cycle since reset, is at 1: the next bit
     * boundary comes 15 ticks of 9 cycles later, the frames follow each other from there. */
    uint64_t start = 1 + 15 * 9, frame = 10 * 9 * 16;
    assert_int_equal(r.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(r.all[i].value, 'A' + i);
        assert_int_equal(r.all[i].tick, start + (i + 1) * frame);
    }
    /* The polling loop looks at UCSR0A every three cycles; the one that sees TXC skips (2), then four instructions set
     * up SPI, and the sixth starts it. */
    const struct inverter *s = NULL;
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (n->machine->devices[i].part)
            s = device_state(n, &n->machine->devices[i]);
    assert_int_equal(s->count, 2);
    uint64_t udre_looks = 9, end = start + frame; /* UDRE is seen set at the first look from here on */
    uint64_t seen = udre_looks + (end - udre_looks + 2) / 3 * 3;
    uint64_t txc_looks = seen + 2 + 1, txc = start + 3 * frame;
    seen = txc_looks + (txc - txc_looks + 2) / 3 * 3;
    uint64_t first = seen + 2 + 5 + 8 * 16;
    assert_int_equal(s->ticks[0], first);
    uint64_t looks = first - 8 * 16 + 1;
    seen = looks + (first - looks + 2) / 3 * 3;
    assert_int_equal(s->ticks[1], seen + 2 + 1 + 8 * 16); /* skip, in, and then out starts the second byte */
    assert_int_equal(n->data[19], 0xa5);
    assert_int_equal(n->data[20], 0x5a);
    unload(n);
}

static void an_echo_answers_every_byte(void **state)
{
    (void)state;
    for (unsigned c = 0; c < CHIPS; c++) {
        char name[64];
        struct record r = {0};
        unsigned sent = 0, late = 0;
        uint16_t sum = 0;
        snprintf(name, sizeof name, "serial-echo-%s", chip_names[c]);
        struct node *n = load(name, chip_names[c], NULL, 0);
        tap_hook(n, MOTET_ON(SERIAL), serial_seen, &r);
        node_run(n, 2000); /* set up by then */
        while (sent < 300) {
            while (sent < 300 && serial_receive(n, 0, (uint8_t)(sent * 7))) {
                sum = (uint16_t)(sum + (uint8_t)(sent * 7));
                sent++;
            }
            node_run(n, n->state->now + 5000);
        }
        node_run(n, n->state->now + 300000);
        assert_int_equal(r.count, 300);
        for (unsigned i = 0; i < 300; i++) {
            assert_int_equal(r.all[i].value, (uint8_t)(i * 7));
            /* 115200 baud at 16 MHz is UBRR 16 with U2X, 136 cycles a bit. A frame is 11 bits, and can begin a bit
             * later when the interrupt came too late for the boundary. */
            uint64_t gap = i ? r.all[i].tick - r.all[i - 1].tick : 11 * 136;
            assert_true(gap == 11 * 136 || gap == 12 * 136);
            late += gap == 12 * 136;
        }
        const uint8_t *total = variable(n, "sum");
        assert_int_equal(total[0] | total[1] << 8, sum);
        assert_int_equal(*variable(n, "errors"), 0);
        assert_in_range(late, 0, 1);
        unload(n);
    }
}

/* ---- two wires ---- */

static const struct twi_memory_config memory_config = {
    .size = 32768, .page_size = 64, .address = 0x50, .write_protect = PIN_NONE, .write_seconds = 0.005};
static const struct chip_device memory[] = {{"memory", &twi_memory_type, &memory_config}};

static void an_eeprom_is_written_polled_and_read(void **state)
{
    (void)state;
    static const uint8_t statuses[] = {0x08, 0x18, 0x28, 0x28, 0x28, 0x28, 0x10,
                                       0x40, 0x50, 0x50, 0x50, 0x50, 0x50, 0x58};
    for (unsigned c = 0; c < CHIPS; c++) {
        char name[64];
        snprintf(name, sizeof name, "serial-eeprom-%s", chip_names[c]);
        struct node *n = load(name, chip_names[c], memory, 1);
        node_run(n, 16000000 / 50);
        assert_int_equal(*variable(n, "done"), 1);
        assert_int_equal(*variable(n, "status_count"), sizeof statuses);
        assert_memory_equal(variable(n, "statuses"), statuses, sizeof statuses);
        static const uint8_t back[] = {0xff, 0x60, 0x61, 0xff, 0xff, 0xff};
        assert_memory_equal(variable(n, "back"), back, sizeof back);
        /* A poll is START, nine bits, STOP: 11 periods of 40 cycles, and what the firmware does between. 5 ms are 80000
         * cycles. */
        uint8_t polls = *variable(n, "polls");
        assert_in_range(polls, 80000 / (11 * 40 + 120), 80000 / (11 * 40) + 1);
        unload(n);
    }
}

/* An outside master: waits while the chip holds the clock. */
static unsigned master(struct node *n, enum twi_event event, uint8_t byte)
{
    for (unsigned i = 0; twi_signal(n, 0, TWI_CLOCK_HELD, 0); i++) {
        assert_in_range(i, 0, 1000);
        node_run(n, n->state->now + 40);
    }
    return twi_signal(n, 0, event, byte);
}

static void a_sleeping_slave_wakes_keeps_and_gives_back(void **state)
{
    (void)state;
    static const uint8_t statuses[] = {0x60, 0x80, 0x80, 0xa0, 0xa8, 0xb8, 0xc0, 0x60, 0x80, 0xa0};
    for (unsigned c = 0; c < CHIPS; c++) {
        char name[64];
        snprintf(name, sizeof name, "serial-slave-%s", chip_names[c]);
        struct node *n = load(name, chip_names[c], NULL, 0);
        node_run(n, 2000);
        assert_true(n->state->sleeping);
        assert_int_equal(master(n, TWI_START, 0x26), 0);
        node_run(n, n->state->now + 100000);
        assert_true(n->state->sleeping); /* not its address */
        assert_int_equal(master(n, TWI_START, 0x24), 1);
        assert_int_equal(master(n, TWI_WRITE, 0x10), 1);
        assert_int_equal(master(n, TWI_WRITE, 0x20), 1);
        assert_int_equal(master(n, TWI_START, 0x25), 1);
        assert_int_equal(master(n, TWI_READ, 0), 0x11);
        assert_int_equal(master(n, TWI_READ_NACKED, 0), 0x21);
        master(n, TWI_STOP, 0);
        assert_int_equal(master(n, TWI_START, 0x24), 1);
        assert_int_equal(master(n, TWI_WRITE, 0x30), 1);
        master(n, TWI_STOP, 0);
        node_run(n, n->state->now + 1000);
        assert_int_equal(*variable(n, "status_count"), sizeof statuses);
        assert_memory_equal(variable(n, "statuses"), statuses, sizeof statuses);
        assert_int_equal(*variable(n, "kept"), 0x30);
        assert_true(n->state->sleeping);
        unload(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_and_frames_keep_step),
        cmocka_unit_test(an_echo_answers_every_byte),
        cmocka_unit_test(an_eeprom_is_written_polled_and_read),
        cmocka_unit_test(a_sleeping_slave_wakes_keeps_and_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
