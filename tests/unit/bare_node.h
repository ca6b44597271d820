/* A node to drive by hand: registers are written and read, and time is moved, without any firmware running.
 *
 * Its program memory holds one jump to itself, so that a chip (and a board of parts the test declares) can be built;
 * the CPU never runs. Time is that of the main oscillator, from 0.
 */
#ifndef TESTS_BARE_NODE_H
#define TESTS_BARE_NODE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "board/board.h"
#include "chip/chips.h"
#include "node/events.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"

static inline struct node *bare_node(const struct chip *chip, const struct board *board)
{
    static const char image[] = ":02000000FFCF30\n:00000001FF\n";
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct image *i = image_parse("bare.hex", image, sizeof image - 1, &e);
    assert_non_null(i);
    struct machine *m = machine_new(chip, board, i, &options, &e);
    assert_non_null(m);
    return node_new(m, 0, 1);
}

static inline void bare_node_free(struct node *n)
{
    struct machine *m = (struct machine *)n->machine;
    node_free(n);
    machine_free(m);
}

/* Lets everything happen that is due up to and including the tick, and makes that the time. */
static inline void bare_node_at(struct node *n, uint64_t tick)
{
    events_run(n, tick);
    n->time = n->state->now = tick;
}

static inline const struct device *bare_node_device(const struct node *n, const char *name)
{
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (strcmp(n->machine->devices[i].name, name) == 0)
            return &n->machine->devices[i];
    fail_msg("no device %s", name);
    return NULL;
}

/* The CPU takes the interrupt. */
static inline void bare_node_acknowledge(struct node *n, unsigned line)
{
    const struct wire *w = &n->machine->lines[line];
    assert_true(interrupts_word(n, 0) >> line & 1);
    if (w->device->type->acknowledge)
        w->device->type->acknowledge(n, w->device, w->role);
}

static inline bool bare_node_asks(const struct node *n, unsigned line)
{
    return interrupts_word(n, 0) >> line & 1;
}

#endif
