/* Stack overflows are found where they happen, and firmware with several stacks has none (tests/stack/stack.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "node/machine.h"
#include "node/node.h"

static const char *const suffixes[] = {"", "-2560"};
static const char *const chip_names[] = {"atmega128", "atmega2560"};

static struct node *firmware(const char *name, unsigned which)
{
    char path[256];
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    snprintf(path, sizeof path, "%s/stack-%s%s.elf", FIRMWARE_DIR, name, suffixes[which]);
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(chip_named(chip_names[which]), NULL, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    struct node *n = node_new(m, 0, 1);
    node_run(n, 10000000);
    return n;
}

static void discard(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

static uint32_t address_of(const struct node *n, const char *name)
{
    const struct image_symbol *s = image_symbol_named(n->machine->image, name);
    assert_non_null(s);
    return s->address & 0xffff;
}

static void in_order(const char *name)
{
    for (unsigned which = 0; which < 2; which++) {
        struct node *n = firmware(name, which);
        if (n->state->exit != NODE_EXIT_FIRMWARE || n->state->exit_status != 0) {
            char place[128];
            fail_msg("%s on %s: exit %d, status %d, fault %d at %s touching 0x%x", name, chip_names[which],
                     n->state->exit, n->state->exit_status, n->fault.kind,
                     image_place(n->machine->image, n->fault.pc, place, sizeof place), n->fault.address);
        }
        discard(n);
    }
}

/* The first push below `limit` is the fault. */
static void overflows(const char *name, uint32_t (*limit)(const struct node *n))
{
    for (unsigned which = 0; which < 2; which++) {
        struct node *n = firmware(name, which);
        assert_int_equal(n->state->exit, NODE_EXIT_FAULT);
        assert_int_equal(n->fault.kind, FAULT_STACK_OVERFLOW);
        const struct image_symbol *s = image_symbol_at(n->machine->image, n->fault.pc);
        assert_non_null(s);
        if (strncmp(s->name, "deep", 4) != 0 && strncmp(s->name, "wide_frame", 10) != 0)
            fail_msg("%s on %s: found in %s", name, chip_names[which], s->name);
        assert_true(n->fault.address < limit(n));
        if (strcmp(name, "frame") != 0) /* whose frame jumps over the limit */
            assert_true(n->fault.address + 16 >= limit(n));
        discard(n);
    }
}

static uint32_t data_end(const struct node *n)
{
    return n->machine->stack_limit;
}

static uint32_t heap_end(const struct node *n)
{
    uint32_t at = address_of(n, "__brkval");
    return n->data[at] | (uint32_t)n->data[at + 1] << 8;
}

static uint32_t thread_end(const struct node *n)
{
    return address_of(n, "thread_stack");
}

static void recursion(void **state)
{
    (void)state;
    overflows("deep", data_end);
}

static void large_frame(void **state)
{
    (void)state;
    overflows("frame", data_end);
}

static void into_the_heap(void **state)
{
    (void)state;
    overflows("heap", heap_end);
}

static void threads(void **state)
{
    (void)state;
    in_order("threads");
    in_order("heap_threads");
    in_order("started");
}

static void out_of_a_thread(void **state)
{
    (void)state;
    overflows("thread_deep", thread_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion), cmocka_unit_test(large_frame),     cmocka_unit_test(into_the_heap),
        cmocka_unit_test(threads),   cmocka_unit_test(out_of_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
