/* Firmwares of tests/ports: what ports, interrupts and the ADC do to a running program, to the cycle. */
#include "bare.h"

#include "chip/chips.h"
#include "registers/atmega328p.h"
#include "node/taps.h"

enum { LIMIT = 64, MS = 16000 };

struct change {
    uint64_t tick;
    unsigned pin;
    bool level;
};

struct trace {
    struct change changes[LIMIT];
    unsigned count;
};

static void note(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    struct trace *t = context;
    assert_true(t->count < LIMIT);
    t->changes[t->count++] = (struct change){h->tick, h->pin.pin, h->pin.level};
}

static struct bare firmware(const struct chip *chip, const char *name, struct trace *t)
{
    char path[256];
    snprintf(path, sizeof path, "%s/ports_%s.elf", FIRMWARE_DIR, name);
    struct bare b = bare_firmware(chip, NULL, path);
    *t = (struct trace){0};
    tap_hook(b.node, MOTET_ON(PIN), note, t);
    return b;
}

static int32_t half_the_supply(void *context, unsigned line, uint64_t tick)
{
    (void)context, (void)tick;
    return line == 2 ? 2500000 : INT32_MIN;
}

static void in_after_out_needs_a_nop(void **state)
{
    (void)state;
    struct trace t;
    struct bare b = firmware(&chip_atmega328p, "sync", &t);
    assert_int_equal(node_run(b.node, 100 * MS), NODE_EXIT_HALT);
    assert_int_equal(b.node->data[GPIOR1], 0x00);
    assert_int_equal(b.node->data[GPIOR2], 0xff);
    bare_free(b);
}

/* Ticks between the first change (whose SBI writes in its second cycle) and the answer. */
static unsigned answer(const struct chip *chip, const char *name)
{
    struct trace t;
    struct bare b = firmware(chip, name, &t);
    assert_int_equal(node_run(b.node, 100 * MS), NODE_EXIT_HALT);
    assert_int_equal(t.count, 2);
    unsigned ticks = (unsigned)(t.changes[1].tick - t.changes[0].tick);
    bare_free(b);
    return ticks;
}

/* Flag after 3 cycles, response 4, JMP 3, the SBI writes in its second cycle. A pin change takes one cycle more. The
 * asynchronous edge of the ATmega2560 is flagged in the cycle of the write, the SBI before it ends with that, and the
 * response of a chip with a 22-bit program counter takes 5. */
static void interrupts_answer_in_time(void **state)
{
    (void)state;
    assert_int_equal(answer(&chip_atmega328p, "edge"), 3 + 4 + 3 + 1);
    assert_int_equal(answer(&chip_atmega328p, "change"), 4 + 4 + 3 + 1);
    assert_int_equal(answer(&chip_atmega2560, "edge2560"), 1 + 5 + 3 + 1);
}

static void free_running_results_come_every_13_clocks(void **state)
{
    (void)state;
    struct trace t;
    struct bare b = firmware(&chip_atmega328p, "free", &t);
    node_run(b.node, 25 * 16 + 200 + 20 * 13 * 16);
    assert_in_range(t.count, 19, 21);
    for (unsigned i = 1; i < t.count; i++)
        assert_int_equal(t.changes[i].tick - t.changes[i - 1].tick, 13 * 16);
    bare_free(b);
}

/* What follows a conversion takes less than an ADC clock, so the next starts one clock after it. */
static void falling_asleep_starts_a_conversion(void **state)
{
    (void)state;
    struct trace t;
    struct bare b = firmware(&chip_atmega328p, "noise", &t);
    b.node->analog = half_the_supply;
    assert_int_equal(node_run(b.node, 100 * MS), NODE_EXIT_HALT);
    assert_int_equal(t.count, 8);
    for (unsigned i = 1; i < t.count; i++)
        assert_int_equal(t.changes[i].tick - t.changes[i - 1].tick, 14 * 128);
    const struct image_symbol *results = image_symbol_named(b.machine->image, "results");
    assert_non_null(results);
    const uint8_t *r = b.node->data + (results->address & 0xffff);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(r[2 * i] | r[2 * i + 1] << 8, 512);
    bare_free(b);
}

static void levels_and_pin_changes_wake_from_power_down(void **state)
{
    (void)state;
    struct trace t;
    struct bare b = firmware(&chip_atmega328p, "wake", &t);
    node_run(b.node, 10 * MS);
    assert_true(b.node->state->sleeping);
    t.count = 0;
    pin_drive(b.node, PIN(D, 4), PIN_HIGH);
    node_run(b.node, 20 * MS);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.changes[1].pin, PIN(B, 1));
    pin_drive(b.node, PIN(D, 2), PIN_LOW);
    node_run(b.node, 30 * MS);
    assert_int_equal(t.count, 4);
    assert_int_equal(t.changes[3].pin, PIN(B, 0));
    assert_true(b.node->state->sleeping);
    bare_free(b);
}

/* "Recognition of falling or rising edge interrupts on INT0 requires the presence of an I/O clock." */
static void an_edge_does_not_wake_but_is_found_when_something_else_does(void **state)
{
    (void)state;
    struct trace t;
    struct bare b = firmware(&chip_atmega328p, "wake_edge", &t);
    node_run(b.node, 10 * MS);
    t.count = 0;
    pin_drive(b.node, PIN(D, 2), PIN_LOW);
    node_run(b.node, 20 * MS);
    assert_int_equal(t.count, 1);
    pin_drive(b.node, PIN(D, 4), PIN_HIGH);
    node_run(b.node, 30 * MS);
    assert_int_equal(t.count, 4);
    assert_int_equal(t.changes[2].pin, PIN(B, 0)); /* found in the four cycles of waking up, and of higher priority */
    assert_int_equal(t.changes[3].pin, PIN(B, 1));
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_after_out_needs_a_nop),
        cmocka_unit_test(interrupts_answer_in_time),
        cmocka_unit_test(free_running_results_come_every_13_clocks),
        cmocka_unit_test(falling_asleep_starts_a_conversion),
        cmocka_unit_test(levels_and_pin_changes_wake_from_power_down),
        cmocka_unit_test(an_edge_does_not_wake_but_is_found_when_something_else_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
