/* Chips: a microcontroller as a table.
 *
 * A chip is an instruction set, memories and a list of devices with their configs. Adding a chip is adding one table in
 * a file of its own and one line in chips.h; no code anywhere asks for a chip by name.
 */
#ifndef CHIP_CHIP_H
#define CHIP_CHIP_H

#include <stddef.h>
#include <stdint.h>

#include "chip/region.h"
#include "isa/isa.h"
#include "node/device.h"

struct chip_device {
    const char *name;
    const struct device_type *type;
    const void *config;
};

struct chip {
    const char *name; /* as the compiler's -mmcu has it: "atmega128" */
    const struct isa *isa;
    const void *core; /* what the instruction set wants to know: struct avr_core, ... */

    const struct region *regions; /* the memory map, by address */
    size_t region_count;
    const char *ports;   /* port letters in order, "ABCDEFG": one for each eight pins */
    uint64_t default_hz; /* the main oscillator without a board, and the time base */
    uint64_t reset_hz;   /* where the chip makes its own clock: the CPU's after reset; then default_hz is only the time
                          * base and cannot be chosen. 0: it runs on the oscillator */

    const struct chip_device *devices;
    size_t device_count;

    /* Fuses in the order extended, high, low, and lock bits; what a factory-new chip has but for the clock source. */
    bool has_fuses;
    uint8_t fuses[3];
    uint8_t lock;
};

#define CHIP_DEVICES(list) .devices = (list), .device_count = sizeof(list) / sizeof *(list)

#define CHIP_REGIONS(list) .regions = (list), .region_count = sizeof(list) / sizeof *(list)

/* The first region of a kind, NULL if there is none. */
const struct region *chip_region(const struct chip *c, enum region_kind kind);

/* The chip of that name, NULL if there is none; names are compared without regard to case. */
const struct chip *chip_named(const char *name);

/* Pins by their names, "PB5" where ports have letters and "P1.5" where they have numbers. */
enum { CHIP_PIN_NAME = 8 };
bool chip_pin_name(const struct chip *c, unsigned pin, char name[CHIP_PIN_NAME]); /* false: there is no such port */
int chip_pin_named(const struct chip *c, const char *name);                       /* -1: there is none */

/* All of them, NULL at the end. */
extern const struct chip *const chips[];

#endif
