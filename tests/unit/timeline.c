/* Going backward gives exactly the states that were seen going forward, whatever lies in between: interrupts, sleep,
 * resets, EEPROM and flash writes, inputs from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/node.h"
#include "timeline/timeline.h"
#include "unit/sanitized.h"

struct subject_firmware {
    const char *firmware, *chip;
    struct machine *machine;
};

static struct subject_firmware firmwares[] = {
    {.firmware = "busy-atmega328p", .chip = "atmega328p"},
    {.firmware = "busy-atmega2560", .chip = "atmega2560"},
    {.firmware = "stack-threads-2560", .chip = "atmega2560"},
    {.firmware = "power-boot-atmega328p", .chip = "atmega328p"}, /* programs itself */
    {.firmware = "power-boot-atmega128", .chip = "atmega128"},
    {.firmware = "power-watchdog-atmega328p", .chip = "atmega328p"}, /* resets itself */
    {.firmware = "power-eeprom-atmega328p", .chip = "atmega328p"},
    {.firmware = "fault-erased_flash", .chip = "atmega328p"},    /* ends in a fault before its instruction */
    {.firmware = "fault-stack_recursion", .chip = "atmega328p"}, /* and after it */
    {.firmware = "busy-msp430f1611", .chip = "msp430f1611"},     /* last: needs clang */
};
#define FIRMWARES (sizeof firmwares / sizeof firmwares[0] - (*MSP430_CLANG ? 0 : 1))
enum { SEEN = 6000, LEAP = 200000 };

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static int set_up(void **state)
{
    (void)state;
    for (struct subject_firmware *f = firmwares; f < firmwares + FIRMWARES; f++) {
        char path[256];
        struct motet_error e = {""};
        struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
        snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, f->firmware);
        struct image *image = image_load(path, &e);
        f->machine = image ? machine_new(chip_named(f->chip), NULL, image, &options, &e) : NULL;
        if (!f->machine) {
            print_error("%s\n", e.text);
            return -1;
        }
    }
    return 0;
}

/* A network of one. */
static struct network *alone(const struct machine *m)
{
    struct motet_error e;
    struct network *n = network_new(7, 1, &medium_default);
    assert_non_null(network_add(n, m, &(struct network_node){.id = 0}, &e));
    return n;
}

static int tear_down(void **state)
{
    (void)state;
    for (struct subject_firmware *f = firmwares; f < firmwares + FIRMWARES; f++)
        machine_free(f->machine);
    return 0;
}

struct seen {
    struct position at;
    struct digest digest;
    uint32_t pc;
};

static struct seen look(const struct timeline *t, const struct node *n)
{
    return (struct seen){timeline_position(t), timeline_digest(t), n->machine->chip->isa->pc(n)};
}

static void must_match(const struct timeline *t, const struct node *n, const struct seen *s, const char *firmware,
                       const char *how)
{
    struct seen now = look(t, n);
    if (!timeline_same(now.at, s->at) || !digest_equal(now.digest, s->digest))
        fail_msg("%s, %s: at instruction %llu, tick %llu, PC 0x%x instead of %llu, %llu, 0x%x, or in another state",
                 firmware, how, (unsigned long long)now.at.instructions, (unsigned long long)now.at.now, now.pc,
                 (unsigned long long)s->at.instructions, (unsigned long long)s->at.now, s->pc);
}

/* Something from outside, now and then. */
static void disturb(struct timeline *t)
{
    switch (random_below(5)) {
    case 0: timeline_give(t, 0, INPUT_SERIAL, 0, 0, "abc", 3); break;
    case 1:
        timeline_give(t, 0, INPUT_PIN, 8 + (uint32_t)random_below(8), 3 + (uint32_t)random_below(2), NULL, 0);
        break;
    case 2:
        timeline_give(t, 0, INPUT_REGISTER, 5 + (uint32_t)random_below(4), (uint32_t)random_below(256), NULL, 0);
        break;
    case 3: timeline_give(t, 0, INPUT_RESET, 0, 0, NULL, 0); break;
    default: timeline_give(t, 0, INPUT_MEMORY, 0x3e, 0, "\x55", 1); break;
    }
}

/* Steps forward from a point to come, remembering everything; the number of positions seen. */
static size_t go_forward(struct timeline *t, const struct node *n, struct seen *seen, bool disturbed)
{
    size_t count = 0;
    if (timeline_position(t).phase == PHASE_WAITING)
        timeline_step(t, 0, TIMELINE_NEVER); /* to the end of the wait */
    seen[count++] = look(t, n);
    while (count < SEEN && seen[count - 1].at.phase != PHASE_ENDED) {
        timeline_step(t, 0, TIMELINE_NEVER);
        if (disturbed && random_below(300) == 0)
            disturb(t);
        if (timeline_position(t).phase == PHASE_WAITING)
            timeline_step(t, 0, TIMELINE_NEVER); /* a reset */
        seen[count++] = look(t, n);
    }
    return count;
}

static void go_back(struct timeline *t, const struct node *n, const struct seen *seen, size_t count, const char *name)
{
    size_t at = count - 1;
    for (unsigned i = 0; i < 1000 && at > 0; i++) {
        timeline_step_back(t, 0);
        must_match(t, n, &seen[--at], name, "stepping back");
    }
    for (unsigned i = 0; i < 60; i++) {
        at = random_below(count);
        timeline_go(t, seen[at].at);
        must_match(t, n, &seen[at], name, "seeking");
        for (unsigned k = 0; k < 20 && at > 0; k++) {
            timeline_step_back(t, 0);
            must_match(t, n, &seen[--at], name, "stepping back from anywhere");
        }
        for (unsigned k = 0; k < 30 && at + 1 < count; k++) {
            timeline_step(t, 0, TIMELINE_NEVER);
            must_match(t, n, &seen[++at], name, "stepping forward again");
        }
    }
}

static void back_and_forth(bool disturbed, size_t memory)
{
    struct seen *seen = calloc(SEEN, sizeof *seen);
    for (struct subject_firmware *f = firmwares; f < firmwares + FIRMWARES; f++) {
        struct network *network = alone(f->machine);
        const struct node *n = network_node(network, 0);
        struct timeline *t = timeline_new(subject_of_network(network), memory, NULL, NULL);
        for (unsigned part = 0; part < (SANITIZED_SHARE > 1 ? 1 : 4); part++) {
            size_t count = go_forward(t, n, seen, disturbed);
            go_back(t, n, seen, count, f->firmware);
            timeline_go(t, seen[count - 1].at);
            must_match(t, n, &seen[count - 1], f->firmware, "returning");
            timeline_run_until(t, timeline_now(t) + network_time(network, 0, LEAP * (1 + random_below(10))));
        }
        timeline_seek(t, 0);
        assert_int_equal(timeline_position(t).instructions, 0);
        assert_int_equal(timeline_step_back(t, 0).why, TIMELINE_BEGIN);
        timeline_free(t);
        network_free(network);
    }
    free(seen);
}

static void going_back_is_exact(void **state)
{
    (void)state;
    back_and_forth(false, TIMELINE_MEMORY);
}

static void inputs_come_again(void **state)
{
    (void)state;
    back_and_forth(true, TIMELINE_MEMORY);
}

static void little_memory_is_enough(void **state)
{
    (void)state;
    back_and_forth(false, 0);
}

/* The budget is kept, and the snapshots lie closest around the present. */
static void memory_is_bounded(void **state)
{
    (void)state;
    struct network *network = alone(firmwares[0].machine);
    const struct node *n = network_node(network, 0);
    struct timeline *t = timeline_new(subject_of_network(network), 1 << 20, NULL, NULL);
    timeline_run_until(t, 8 * NETWORK_SECOND);
    assert_true(timeline_memory(t) <= 1 << 20);
    assert_true(timeline_snapshots(t) > 20);
    struct seen end = look(t, n);
    timeline_seek(t, NETWORK_SECOND);
    timeline_seek(t, 8 * NETWORK_SECOND);
    must_match(t, n, &end, firmwares[0].firmware, "after a journey");
    timeline_free(t);
    network_free(network);
}

/* Stops and watches, forward and backward, are met at the same places, and change nothing. */
static void meet_both_ways(const struct subject_firmware *f, const char *handler)
{
    enum { HITS = 200 };
    struct network *network = alone(f->machine);
    struct node *n = network_node(network, 0), *plain = node_new(f->machine, 0, 7);
    const struct image_symbol *ticks = image_symbol_named(f->machine->image, "ticks");
    const struct image_symbol *vector = image_symbol_named(f->machine->image, handler);
    assert_non_null(ticks);
    assert_non_null(vector);
    uint16_t address = (uint16_t)ticks->address;
    struct watch watch = {address, address, WATCH_WRITE};
    for (unsigned kind = 0; kind < 3; kind++) {
        struct timeline *t = timeline_new(subject_of_network(network), TIMELINE_MEMORY, NULL, NULL);
        struct seen hit[HITS];
        stops_set(n, &vector->address, kind != 1, &watch, kind != 0);
        for (unsigned i = 0; i < HITS; i++) {
            struct timeline_event e = timeline_run_until(t, TIMELINE_NEVER);
            hit[i] = look(t, n);
            bool stop = e.why == TIMELINE_STOP && hit[i].pc == vector->address && kind != 1;
            bool watched = e.why == TIMELINE_WATCH && e.address == address && kind != 0;
            assert_true(stop || watched);
            while (plain->state->instructions < hit[i].at.instructions)
                node_step(plain);
            node_settle(plain, NEVER);
            assert_true(digest_equal(node_digest(plain), node_digest(n))); /* a run without stops */
        }
        timeline_step(t, 0, TIMELINE_NEVER);
        for (unsigned i = HITS; i-- > 0;) {
            struct timeline_event e = timeline_run_back(t);
            if (e.why == TIMELINE_WATCH) /* before the instruction, not after it */
                timeline_step(t, 0, TIMELINE_NEVER);
            must_match(t, n, &hit[i], f->firmware, "running back");
            if (e.why == TIMELINE_WATCH)
                timeline_step_back(t, 0);
        }
        assert_int_equal(timeline_run_back(t).why, TIMELINE_BEGIN);
        stops_set(n, NULL, 0, NULL, 0);
        timeline_seek(t, 0);
        timeline_free(t);
        node_free(plain);
        plain = node_new(f->machine, 0, 7);
    }
    network_free(network);
    node_free(plain);
}

static void stops_are_the_same_both_ways(void **state)
{
    (void)state;
    meet_both_ways(&firmwares[0], "__vector_14"); /* TIMER0_COMPA */
    if (*MSP430_CLANG)
        meet_both_ways(&firmwares[FIRMWARES - 1], "timer_a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_is_exact),          cmocka_unit_test(inputs_come_again),
        cmocka_unit_test(little_memory_is_enough),      cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(stops_are_the_same_both_ways),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
