/* Boards: a chip with parts wired to its pins, as a table.
 */
#ifndef BOARD_BOARD_H
#define BOARD_BOARD_H

#include "chip/chip.h"
#include "node/pins.h"

/* How the chip's firmware reaches a radio: registers by their names in the chip's header. For recordings,
 * in which there are no devices. */
struct board_radio_bus {
    const char *out, *in; /* a byte is written to; is read from */
    const char *select;   /* the output register of the pin that selects the radio, low; NULL: nothing does; */
    uint8_t select_bit;   /* and its bit */
    const char *start;    /* of the pin that starts a transmission when it rises; NULL: there is none */
    uint8_t start_bit;
};

struct board {
    const char *name;
    const char *alias; /* or NULL */
    const struct chip *chip;
    uint64_t hz;          /* the main oscillator */
    uint64_t watch_hz;    /* the crystal for the asynchronous timer; 0 if there is none */
    unsigned millivolts;  /* supply */
    unsigned terminal;    /* the serial line that is the board's way to a computer; lines have the chip's numbers */
    const uint8_t *fuses; /* as they are programmed: extended, high, low; NULL: the chip's */
    const char *currents; /* what its components draw, as a text (docs/monitors.md, energy); or NULL */
    const struct board_radio_bus *radio_bus; /* NULL: the radio has none, or there is no radio */
    const struct chip_device *parts;
    size_t part_count;
};

#define BOARD_PARTS(list) .parts = (list), .part_count = sizeof(list) / sizeof *(list)

/* The board of that name or alias, NULL if there is none. */
const struct board *board_named(const char *name);
extern const struct board *const boards[];

#endif
