/* Machines for tests: a chip without a firmware of its own, whose registers are driven at chosen ticks, or with one.
 *
 * Without, the program is one endless loop and never runs: bare_at() lets what is due up to a tick happen and makes it
 * the time of the next access. Low fuses are all ones, so no chip divides its clock.
 */
#ifndef TESTS_BARE_H
#define TESTS_BARE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "board/board.h"
#include "chip/chip.h"
#include "node/events.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"

struct bare {
    struct machine *machine;
    struct node *node;
};

static inline struct bare bare_image(const struct chip *chip, const struct board *board, struct image *image,
                                     int high_fuse)
{
    struct machine_options o = {.fuses = {-1, high_fuse, chip->has_fuses ? 0xff : -1}, .lock = -1};
    struct motet_error e = {0};
    struct bare b;
    assert_non_null(image);
    b.machine = machine_new(chip, board, image, &o, &e);
    assert_non_null(b.machine);
    b.node = node_new(b.machine, 0, 0);
    return b;
}

/* A jump to itself where the chip starts: at 0, or where the reset vector at 0xfffe says. */
static inline struct image *bare_loop(const struct chip *chip)
{
    static const char avr[] = ":02000000FFCF30\n:00000001FF\n";
    static const char msp430[] = ":02F00000FF3FD0\n:02FFFE0000F011\n:00000001FF\n";
    const char *loop = chip->isa->machine == IMAGE_MACHINE_MSP430 ? msp430 : avr;
    struct motet_error e = {0};
    return image_parse("loop.hex", loop, strlen(loop), &e);
}

static inline struct bare bare_board(const struct chip *chip, const struct board *board, int high_fuse)
{
    return bare_image(chip, board, bare_loop(chip), high_fuse);
}

/* A firmware of FIRMWARE_DIR, to be run by node_run. */
static inline struct bare bare_firmware(const struct chip *chip, const struct board *board, const char *path)
{
    struct motet_error e = {0};
    return bare_image(chip, board, image_load(path, &e), -1);
}

static inline struct bare bare_chip(const char *name)
{
    const struct chip *chip = chip_named(name);
    assert_non_null(chip);
    return bare_board(chip, NULL, -1);
}

static inline void bare_free(struct bare b)
{
    node_free(b.node);
    machine_free(b.machine);
}

static inline void bare_at(struct node *n, uint64_t tick)
{
    events_run(n, tick);
    n->time = n->state->now = tick;
}

static inline void bare_write(struct node *n, uint64_t tick, uint16_t address, uint8_t value)
{
    bare_at(n, tick);
    node_write(n, address, value);
}

static inline uint8_t bare_read(struct node *n, uint64_t tick, uint16_t address)
{
    bare_at(n, tick);
    return node_read(n, address);
}

static inline void bare_write_word(struct node *n, uint64_t tick, uint16_t address, uint16_t value)
{
    bare_at(n, tick);
    node_write_word(n, address, value);
}

static inline uint16_t bare_read_word(struct node *n, uint64_t tick, uint16_t address)
{
    bare_at(n, tick);
    return node_read_word(n, address);
}

static inline void bare_drive(struct node *n, uint64_t tick, unsigned pin, enum pin_drive drive)
{
    bare_at(n, tick);
    pin_drive(n, pin, drive);
}

static inline bool bare_asks(const struct node *n, unsigned vector)
{
    return interrupts_word(n, 0) >> vector & 1;
}

/* As the CPU does when it takes the interrupt. */
static inline void bare_take(struct node *n, unsigned vector)
{
    assert_true(bare_asks(n, vector));
    const struct wire *w = &n->machine->lines[vector];
    w->device->type->acknowledge(n, w->device, w->role);
}

#endif
