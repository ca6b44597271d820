/* Machines: everything about a node that never changes, worked out once and shared by all nodes like it.
 *
 * Invariant: after machine_new a machine is read-only, so nodes of one machine can run in different threads. Its
 * translated code alone (isa/heat.h) comes later, which no result shows.
 */
#ifndef NODE_MACHINE_H
#define NODE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "image/image.h"
#include "node/clock.h"
#include "node/device.h"
#include "node/pins.h"

struct chip;
struct chip_device;
struct board;
struct heat;
struct pages;
struct region;

#define MACHINE_LINES      256u /* interrupt lines */
#define MACHINE_BUSES      8u   /* SPI and TWI buses, serial lines */
#define MACHINE_CHANNELS   32u  /* analog lines: MOTET_CHANNELS */
#define MACHINE_QUANTITIES 8u   /* that the board and its chip sense */
#define MACHINE_TRAPS      4u

/* Which device is called for what: (device, role) pairs, a run of them per register, pin, bus... */
struct wire {
    const struct device *device;
    uint32_t key;
    uint32_t mask;
    uint8_t role, mode;
};

struct wire_run {
    uint32_t first, count;
};

struct machine_register {
    uint8_t mode;      /* union of the wires' modes; 0: no device claims it */
    uint8_t within;    /* bytes from the beginning of the wider register it is a part of; 0: it is none */
    uint8_t matters;   /* while none of these bits is set, a read concerns no device (wire_reads_matter); 0: always */
    uint8_t readers;   /* how many devices have said so */
    uint32_t writable; /* bits stored on a write before a device is called */
    struct wire_run wires;
};

struct machine_options {
    uint64_t hz;  /* 0: the board's */
    int fuses[3]; /* extended, high, low; -1: the image's, else the chip's */
    int lock;     /* likewise */

    const struct chip_device *parts; /* from outside, besides those of the board */
    size_t part_count;

    const struct chip_device *log; /* stands in for all devices but the CPU's own (wire_log); NULL: none does */
    bool holds;                    /* interrupts can be held (node/holds.h) */
};

/* By what it is known where the variables end. */
enum machine_variables { VARIABLES_UNKNOWN, VARIABLES_BY_SYMBOLS, VARIABLES_BY_HEADERS, VARIABLES_BY_START_UP };

struct machine {
    const struct chip *chip;
    const struct board *board; /* NULL for a bare chip */
    struct image *image;
    uint64_t hz, watch_hz;
    unsigned millivolts;
    uint8_t fuses[3], lock;

    struct device *devices;
    size_t device_count;

    /* The arena: node_state, cpu, interrupts, events, pins, data, device states. */
    size_t cpu_offset, interrupts_offset, events_offset, pins_offset, data_offset, arena_size;
    unsigned event_slots;  /* a power of two */
    uint8_t *event_device; /* slot -> device index */

    /* The memory map (node/map.h): what the CPU's loads and stores reach, by data address. */
    struct region *map;
    size_t map_count;
    const struct region *ram; /* in it: the first, which has the stack and the variables */
    uint32_t identical;       /* below it each data address is its own place in data memory */
    uint32_t data_size;       /* of data memory: registers, then RAM */
    uint32_t register_size;   /* places in data memory below it are registers */
    uint32_t code_size;       /* program memory: byte addresses below it can be code */
    bool aliased;             /* some region is an alias */
    uint32_t flat;            /* below it each data address is its own slot */
    uint32_t *slots;          /* by region: the first of its slots; not used below `flat` */
    uint32_t slot_count;

    struct machine_register *registers; /* by place */
    struct wire lines[MACHINE_LINES];
    struct wire_run pins[PIN_PORTS * 8], spi[MACHINE_BUSES], twi[MACHINE_BUSES], serial[MACHINE_BUSES];
    struct wire_run listeners[MACHINE_BUSES];    /* to what the chip sends over a serial line */
    const struct device *drivers[PIN_PORTS * 8]; /* the part that drives a pin, or NULL */
    uint32_t spi_buses, twi_buses, serial_lines; /* bit i: the chip has bus or line i */
    struct wire analog[MACHINE_CHANNELS];
    uint64_t channels; /* bit i: there is an analog line i */
    struct quantity quantities[MACHINE_QUANTITIES];
    unsigned quantity_count;
    struct wire instructions[INSTRUCTION_KINDS];
    const struct device *radio;     /* or NULL */
    const struct device *triggered; /* by flags of other devices, as the firmware chooses (wire_triggered), or NULL */
    const struct device *log;       /* or NULL: the devices are real */
    const struct device *holds;     /* or NULL: interrupts come when they are posted */
    bool keeps_lines;               /* one of the two is there: lines do not go straight to the CPU */
    struct wire *wires;             /* what the runs above index */

    uint8_t *flash;       /* program memory as loaded, by byte address, erased bytes 0xff */
    uint8_t *flash_known; /* per byte: 0 erased, 1 code, 2 data (see machine_flash_kind) */
    struct pages **pages; /* initial contents of the paged memories */
    size_t pages_count;
    const void *code;  /* decoded by the ISA */
    struct heat *heat; /* NULL: nothing is translated */

    uint32_t stack_limit; /* data address below which the stack runs into data; 0 if not known */
    enum machine_variables variables_known;
    uint32_t main_address; /* byte address of main; UINT32_MAX if not known */
    uint32_t exit_address; /* byte address at which a firmware that has ended loops for ever; UINT32_MAX if not known */
    uint32_t traps[MACHINE_TRAPS]; /* byte addresses of functions that are called to give up */
    unsigned trap_count;
    uint32_t heap_break; /* data address of the variable that holds the heap's end; 0 if there is none */
};

/* The first wire of a run. */
static inline const struct wire *machine_wires(const struct machine *m, struct wire_run run)
{
    return m->wires + run.first;
}

enum machine_flash_kind { FLASH_ERASED, FLASH_CODE, FLASH_DATA };

/* Takes over the image whether it succeeds or not. */
struct machine *machine_new(const struct chip *chip, const struct board *board, struct image *image,
                            const struct machine_options *options, struct motet_error *e);

/* Where the file does not say where the variables end: looks at what start-up code initialises (node/start_up.h). */
void machine_find_variables(struct machine *m);
void machine_free(struct machine *m);

/* Where a variable of the firmware lies in the data space. */
bool machine_variable(const struct machine *m, const char *name, uint32_t *address, uint32_t *size,
                      struct motet_error *e);

/* Appends "; did you mean `a`?" with variables of similar names to a sentence. */
void machine_suggest_variable(const struct machine *m, const char *name, struct motet_error *e);

#endif
