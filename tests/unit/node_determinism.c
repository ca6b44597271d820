/* A run is a pure function of the machine and the seed: however it is cut into pieces, stepped, stopped, copied and
 * taken up again, the same state comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"
#include "unit/sanitized.h"

enum { CYCLES = 2000000 / SANITIZED_SHARE };

struct subject {
    const char *firmware, *chip;
    uint64_t pace; /* ticks a cycle, about; 0: 1 */
    uint64_t ticks;
    struct machine *machine;
    struct digest end; /* of a run in one piece */
};

static struct subject subjects[] = {
    {.firmware = "busy-atmega328p", .chip = "atmega328p"},
    {.firmware = "busy-atmega2560", .chip = "atmega2560"},
    {.firmware = "lockstep-heap-atmega128", .chip = "atmega128"},
    {.firmware = "stack-threads-2560", .chip = "atmega2560"},
    {.firmware = "power-boot-atmega328p", .chip = "atmega328p"}, /* programs itself */
    {.firmware = "power-boot-atmega128", .chip = "atmega128"},
    {.firmware = "busy-msp430f1611", .chip = "msp430f1611", .pace = 1300},
    {.firmware = "busy-msp430f149", .chip = "msp430f149", .pace = 1300},
};
/* Without clang the last two have not been built. */
#define SUBJECTS (sizeof subjects / sizeof subjects[0] - (*MSP430_CLANG ? 0 : 2))

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static bool same(struct digest a, struct digest b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void must_be_same(const struct node *n, struct digest expected, const char *firmware, const char *how)
{
    if (!same(node_digest(n), expected))
        fail_msg("%s, %s: at tick %llu, instruction %llu, PC 0x%x the state is another", firmware, how,
                 (unsigned long long)n->state->now, (unsigned long long)n->state->instructions,
                 n->machine->chip->isa->pc(n));
}

static int set_up(void **state)
{
    (void)state;
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++) {
        s->pace = s->pace ? s->pace : 1;
        s->ticks = CYCLES * s->pace;
        char path[256];
        struct motet_error e;
        struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
        snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, s->firmware);
        struct image *image = image_load(path, &e);
        s->machine = image ? machine_new(chip_named(s->chip), NULL, image, &options, &e) : NULL;
        if (!s->machine) {
            print_error("%s\n", e.text);
            return -1;
        }
        struct node *n = node_new(s->machine, 0, 7);
        node_run(n, s->ticks);
        s->end = node_digest(n);
        node_free(n);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++)
        machine_free(s->machine);
    return 0;
}

/* The busy firmware is what its name says, or the rest proves little. */
static void much_happens(void **state)
{
    (void)state;
    static const char *const counters[] = {"ticks", "conversions", "sent", "wrote"};
    for (const struct subject *s = subjects; s < subjects + SUBJECTS; s++) {
        if (strncmp(s->firmware, "busy", 4) != 0)
            continue;
        struct node *n = node_new(s->machine, 0, 7);
        node_run(n, s->ticks);
        assert_int_equal(n->state->exit, NODE_RUNNING);
        for (unsigned c = 0; c < 4; c++) {
            const struct image_symbol *counter = image_symbol_named(n->machine->image, counters[c]);
            assert_non_null(counter);
            if (n->data[counter->address & 0xffff] == 0)
                fail_msg("%s: no %s", s->firmware, counters[c]);
        }
        node_free(n);
    }
}

static void in_slices(void **state)
{
    (void)state;
    static const uint64_t longest[] = {1, 3, 50, 1000, 30000};
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++)
        for (unsigned i = 0; i < sizeof longest / sizeof *longest; i++) {
            struct node *n = node_new(s->machine, 0, 7);
            while (n->state->now < s->ticks && !n->state->exit) {
                uint64_t until = n->state->now + 1 + random_below(longest[i] * s->pace);
                node_run(n, until < s->ticks ? until : s->ticks);
            }
            must_be_same(n, s->end, s->firmware, "in slices");
            node_free(n);
        }
}

static void in_steps(void **state)
{
    (void)state;
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++) {
        struct node *stepped = node_new(s->machine, 0, 7), *ran = node_new(s->machine, 0, 7);
        while (stepped->state->now < s->ticks && !stepped->state->exit) {
            for (uint64_t steps = 1 + random_below(300); steps > 0 && !stepped->state->exit; steps--)
                node_step(stepped);
            node_run(ran, stepped->state->now);
            must_be_same(ran, node_digest(stepped), s->firmware, "in steps");
        }
        node_free(stepped);
        node_free(ran);
    }
}

static void from_snapshots(void **state)
{
    (void)state;
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++)
        for (unsigned i = 0; i < 20; i++) {
            struct node *n = node_new(s->machine, 0, 7), *other = node_new(s->machine, 0, 99);
            node_run(other, random_below(s->ticks)); /* whatever it did before must leave nothing behind */
            node_run(n, random_below(s->ticks));
            struct snapshot *taken = snapshot_take(n);
            struct digest then = node_digest(n);
            node_run(n, s->ticks);
            must_be_same(n, s->end, s->firmware, "after a snapshot was taken");
            snapshot_restore(n, taken);
            must_be_same(n, then, s->firmware, "restored");
            node_run(n, s->ticks);
            must_be_same(n, s->end, s->firmware, "run on from a snapshot");
            snapshot_restore(other, taken);
            node_run(other, s->ticks);
            must_be_same(other, s->end, s->firmware, "run on in another node");
            snapshot_free(taken);
            node_free(n);
            node_free(other);
        }
}

static void two_nodes(void **state)
{
    (void)state;
    for (struct subject *s = subjects; s < subjects + SUBJECTS; s++) {
        struct node *a = node_new(s->machine, 0, 7), *b = node_new(s->machine, 0, 7);
        assert_ptr_equal(a->code, b->code);
        assert_ptr_equal(a->code, s->machine->code);
        struct digest start = node_digest(b);
        node_run(a, s->ticks / 3);
        must_be_same(b, start, s->firmware, "beside another");
        for (uint64_t tick = 0; tick < s->ticks; tick += 5000 * s->pace) { /* in turns, one a third of the way ahead */
            node_run(b, tick < s->ticks ? tick : s->ticks);
            node_run(a, s->ticks / 3 + tick < s->ticks ? s->ticks / 3 + tick : s->ticks);
        }
        node_run(a, s->ticks);
        node_run(b, s->ticks);
        must_be_same(a, s->end, s->firmware, "in turns with another");
        must_be_same(b, s->end, s->firmware, "in turns with another");
        node_free(a);
        node_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_happens),   cmocka_unit_test(in_slices), cmocka_unit_test(in_steps),
        cmocka_unit_test(from_snapshots), cmocka_unit_test(two_nodes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
