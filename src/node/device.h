/* Devices: what a peripheral of a chip, or a part of a board, is to the node that holds it.
 *
 * A device knows its registers, its state struct and its events, and nothing of the chip around it: which addresses,
 * vectors and pins it has comes from a config struct in the chip's (or board's) table. The same type serves on-chip
 * peripherals and parts outside the chip (a part is a device without registers). Invariant: everything that changes
 * while a node runs is in the device's state struct, in the node's register bytes or in its paged memories; a device
 * keeps nothing in other memory or in a static variable.
 *
 * Time. Inside any of the callbacks node_now() is the exact tick of what is happening: the access cycle of a register
 * access, the due tick of an event. Devices are never polled: they schedule events for what must happen by itself, and
 * compute the rest from the time of an access (a running counter has no events unless it interrupts or drives a pin).
 */
#ifndef NODE_DEVICE_H
#define NODE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;
struct device;
struct wiring;
struct air_message;

enum reset_cause { RESET_POWER_ON, RESET_EXTERNAL, RESET_BROWN_OUT, RESET_WATCHDOG, RESET_JTAG, RESET_SOFTWARE };

/* Instructions (and one moment in the CPU's life) that act on a device rather than on the CPU. */
enum instruction {
    INSTRUCTION_SLEEP,
    INSTRUCTION_WAKE, /* an accepted interrupt ends sleep */
    INSTRUCTION_WATCHDOG_RESET,
    INSTRUCTION_PROGRAM, /* SPM */
    INSTRUCTION_KINDS,
};

/* What a master does on a two-wire bus; TWI_START includes the address byte that follows it. TWI_CLOCK_HELD changes
 * nothing: it asks whether a slave stretches the clock, and a master waits until none does. */
enum twi_event { TWI_START, TWI_WRITE, TWI_READ, TWI_READ_NACKED, TWI_STOP, TWI_CLOCK_HELD };

/* Answers to TWI_START and TWI_WRITE. With TWI_ARBITRATION_LOST another master has won the bus (and ends what it does
 * with a TWI_STOP of its own); bits 8 to 15 are the address byte it sent, to a TWI_START. */
enum { TWI_ACKNOWLEDGE = 1, TWI_ARBITRATION_LOST = 2, TWI_BUS_ERROR = 4 };

/* What the paged memory of a device is to the rest: the chip's EEPROM, or a data flash in which logs are kept. */
enum device_memory { MEMORY_OTHER, MEMORY_EEPROM, MEMORY_DATA_FLASH };

/* How a register that tells its device of reads (WIRE_READ) is read from now on, as long as no event comes and nothing
 * is written. */
enum outlook_kind {
    OUTLOOK_SAME,    /* as the last read left it, and a read changes nothing any more */
    OUTLOOK_COUNTS,  /* `value` at node_now() and one more each cycle of CLOCK_CPU: its first byte, or all of it
                      */
    OUTLOOK_LATCHED, /* the next byte of what the last read of another register of the device has counted */
};

struct outlook {
    enum outlook_kind kind;
    uint32_t value;
    uint8_t width;  /* of the value, in bytes */
    uint64_t until; /* the first tick at which that may be different */
};

struct device_type {
    const char *name;
    enum device_memory memory;
    size_t state_size; /* bytes in the node's arena, zeroed at power-on */
    unsigned events;   /* event slots */
    bool port;         /* the pins it wires are those the chip has */
    bool outside;      /* a part that no table of Motet names (part/outside.h) */
    bool core;         /* belongs to the CPU (sleep, clocks, multiplier): works also where a log replaces the others */

    /* Once, when a machine is built: claims registers, interrupt lines, pins, buses (wire_* below). */
    void (*connect)(const struct device *d, struct wiring *w);

    /* At power-on and at every reset. The register bytes of the chip have been cleared; the state struct has not (some
     * devices keep things over a reset). Parts outside the chip are reset at power-on only. */
    void (*reset)(struct node *n, const struct device *d, enum reset_cause cause);

    /* The power fails: what is being written to the device's paged memory now holds anything (node_random). */
    void (*power_fails)(struct node *n, const struct device *d);

    /* A scheduled event is due. */
    void (*event)(struct node *n, const struct device *d, unsigned event);

    /* The firmware is about to read a register wired with WIRE_READ: bring its byte up to date (side effects included).
     */
    void (*read)(struct node *n, const struct device *d, unsigned role);

    /* Whether, and how, reads of that register can be foretold: for loops that only wait (isa/wait.h). False if not,
     * also if the last read is out of date. It changes nothing. NULL: no register of the device can. */
    bool (*outlook)(const struct node *n, const struct device *d, unsigned role, struct outlook *s);

    /* The firmware wrote a register wired with WIRE_WRITE or WIRE_STORE. With WIRE_STORE the byte already holds the new
     * value; with WIRE_WRITE storing it, or not, is up to the device. */
    void (*write)(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old);

    /* The CPU has taken an interrupt that this device wired as number `irq`. */
    void (*acknowledge)(struct node *n, const struct device *d, unsigned irq);

    /* The level of a pin wired with wire_pin changed. */
    void (*input)(struct node *n, const struct device *d, unsigned role, bool level);

    /* One byte over a bus wired with wire_spi (clocked by a master elsewhere): takes the master's, returns its own
     * (0xff while not selected). */
    uint8_t (*spi)(struct node *n, const struct device *d, unsigned role, uint8_t byte);

    /* What it would return then, for masters whose line carries both directions. NULL: it is no slave of those. */
    uint8_t (*spi_next)(const struct node *n, const struct device *d);

    /* Something happened on a bus wired with wire_twi. TWI_START and TWI_WRITE carry a byte and return whether it is
     * acknowledged (or the other answers above); the reads return the byte, 0xff if another device is meant. */
    unsigned (*twi)(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte);

    /* A frame from outside (up to 9 data bits and SERIAL_ flags) over a serial line wired with wire_serial. The
     * device takes it into a queue of its own and lets it arrive at the line's pace; false if the queue is full. */
    bool (*serial)(struct node *n, const struct device *d, unsigned role, unsigned frame);

    /* The chip has sent a frame over a serial line wired with wire_listener. */
    void (*listen)(struct node *n, const struct device *d, unsigned role, unsigned frame);

    /* The voltage on an analog line wired with wire_analog, in microvolts. */
    int32_t (*analog)(struct node *n, const struct device *d, unsigned role);

    /* A radio wired with wire_air hears something, ahead of the tick from which it holds. */
    void (*hear)(struct node *n, const struct device *d, const struct air_message *m);

    /* It soon will: fetches what of its state that touches (node/fetch.h). The first line is there. */
    void (*fetch)(const struct node *n, const struct device *d);

    /* An instruction wired with wire_instruction was executed. */
    void (*instruction)(struct node *n, const struct device *d, enum instruction what);

    /* While node->code_reads_differ is set: what an instruction that reads program memory gets. For the device wired
     * for INSTRUCTION_PROGRAM. */
    uint8_t (*code_read)(struct node *n, const struct device *d, uint32_t address);

    /* On chips where program memory lies in the data space: the firmware writes one or two bytes there. */
    void (*code_write)(struct node *n, const struct device *d, uint32_t address, unsigned value, unsigned size);

    /* For the device wired with wire_log, before each instruction at a trap (node/stops.h) and while the CPU sleeps:
     * does what the log says comes here. True if something changed, so that all has to be looked at again; false to
     * execute the instruction. */
    bool (*due)(struct node *n, const struct device *d);

    /* For the same device. While node->unsure, before each instruction; and before one of which it could not see all
     * otherwise. */
    void (*before)(struct node *n, const struct device *d);

    /* For the same device: an instruction, or the entry of an interrupt, is about to access a page that is marked
     * PAGE_UNKNOWN. */
    void (*touched)(struct node *n, const struct device *d, uint32_t address, unsigned size, bool write);

    /* What it does now, in a word for observers (motet_node_doing). A part calls taps_part when that changes. */
    const char *(*doing)(const struct node *n, const struct device *d);

    /* What node_unspecified can report of it: sentences that say what was done and what the datasheet promises. */
    const char *const *unspecified;

    /* A memory inside the state struct of which the device notes every access (node/uses.h); size 0: none. */
    struct {
        size_t offset, size;
    } tracked;

    /* Puts the state into the one form that stands for all that act alike from now on, whatever came before: what is
     * over is cleared, what is computed when needed is brought to now. For a node of which a snapshot is restored
     * afterwards. NULL: the state has such a form always. A form that keeps too much is right, too. */
    void (*canonical)(struct node *n, const struct device *d);

    /* A snapshot was restored: derive anew what the device keeps outside the arena (node->code_reads_differ). */
    void (*restored)(struct node *n, const struct device *d);
};

/* Immutable: one entry of a machine's list. */
struct device {
    const char *name; /* "timer1" */
    const struct device_type *type;
    const void *config;
    uint32_t state_offset;
    uint16_t first_event;
    uint8_t index;
    uint8_t pages; /* index of its paged memory in the node, or 0xff */
    bool part;     /* outside the chip: a reset of the chip does not reset it */
};

/* How a register is reached. */
enum wire_mode {
    WIRE_STORE = 1, /* a write stores `mask` bits, then calls the device */
    WIRE_WRITE = 2, /* a write only tells the device; `mask`: bits that there are, 0 for all */
    WIRE_READ = 4,  /* a read tells the device first */
    WIRE_WORD = 16, /* 16 bits wide, at an even address */
    WIRE_LONG = 32, /* 32 bits wide, at an address that four divides */
    WIRE_PLAIN = 8, /* a byte of memory: `mask` bits can be written and read back, without a call */
    WIRE_KEPT = 64, /* in the replay of a log too: all that a write does to registers follows from the value written */
    WIRE_SELDOM = 128, /* a write of one byte is a device's only where a read is (wire_reads_matter), or if it sets one
                          of those bits */
};

/* Several devices may claim different bits of one register. Bits that no device claims read as zero and ignore
 * writes. */
void wire_register(struct wiring *w, const struct device *d, uint32_t address, unsigned role, unsigned mode,
                   uint32_t mask);

/* Reads of a register of one byte, wired with WIRE_READ, concern the device only while one of these bits is set in the
 * byte that is kept. Otherwise the byte is what they give, and stays so until an event or a write. */
void wire_reads_matter(struct wiring *w, const struct device *d, uint32_t address, uint8_t bits);

/* Line `line` (the vector number) asks the CPU for an interrupt; acknowledged to the device as `irq`. */
void wire_interrupt(struct wiring *w, const struct device *d, unsigned line, unsigned irq);

/* The device wants to know when the pin's level changes. PIN_NONE is allowed and does nothing. */
void wire_pin(struct wiring *w, const struct device *d, unsigned pin, unsigned role);
void wire_spi(struct wiring *w, const struct device *d, unsigned bus, unsigned role);

/* The part drives the pin from outside. A pin has one such part. PIN_NONE is allowed and does nothing. */
void wire_drive(struct wiring *w, const struct device *d, unsigned pin);

/* The chip has such a bus, whether or not a device of the chip answers on it. */
void wire_spi_bus(struct wiring *w, const struct device *d, unsigned bus);
void wire_twi(struct wiring *w, const struct device *d, unsigned bus, unsigned role);
void wire_serial(struct wiring *w, const struct device *d, unsigned line, unsigned role);
void wire_listener(struct wiring *w, const struct device *d, unsigned line, unsigned role);
void wire_analog(struct wiring *w, const struct device *d, unsigned channel, unsigned role);

/* The same for a line that the chip measures: refused where it has none of that number. */
void wire_voltage(struct wiring *w, const struct device *d, unsigned channel, unsigned role);

/* The chip has such an analog line, whether or not a device determines it. */
void wire_channel(struct wiring *w, const struct device *d, unsigned channel);

/* An analog line for a sensor without a voltage: the last one that neither the chip nor another device has. */
unsigned wire_free_channel(const struct wiring *w);

/* A quantity of the environment that the device senses through an analog line: there lies offset + factor * quantity,
 * in microvolts, or millionths of the unit for a sensor that has no voltage. The user can give it by name. */
struct quantity {
    const char *name, *unit;
    unsigned channel;
    double offset, factor;
};
void wire_quantity(struct wiring *w, const struct device *d, struct quantity q);

void wire_air(struct wiring *w, const struct device *d);

/* The device can be triggered by interrupt flags that rise, as an ADC is. */
void wire_triggered(struct wiring *w, const struct device *d);

/* The device stands in for all that are not `core`: theirs are the registers' reset values and writable bits, and
 * nothing else; every interrupt is the log's. */
void wire_log(struct wiring *w, const struct device *d);
void wire_instruction(struct wiring *w, const struct device *d, enum instruction what);

/* A large memory of the device's own (EEPROM, serial flash), kept as copy-on-write pages; reached by device_pages(). */
void wire_pages(struct wiring *w, const struct device *d, size_t size, uint8_t fill);

#endif
