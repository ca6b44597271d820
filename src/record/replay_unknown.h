/* What a replay cannot know: values of devices that were not recorded, and memory that nothing has written or that the
 * recorder's own frames have overwritten.
 *
 * Invariant: no instruction of a replay depends on such a value. It may be copied, masked out or overwritten; at the
 * first use the replay ends and says where the value came from. Registers of devices are wired to the log's device,
 * memory is marked by pages (PAGE_UNKNOWN), and while the CPU holds an unknown bit it executes one instruction at a
 * time (node->unsure). Where nothing is unknown, nothing is slower.
 */
#ifndef RECORD_REPLAY_UNKNOWN_H
#define RECORD_REPLAY_UNKNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/unknown.h"

struct device;
struct image;
struct isa;
struct machine;
struct motet_error;
struct node;
struct replay;
struct wiring;

/* Data addresses of all memory, and of registers: no chip that records has more. */
enum { UNKNOWN_SPACE = 0x4400, UNKNOWN_DEVICES = 0x400, UNKNOWN_SOURCES = 16, UNKNOWN_STORED = 32 };

/* Registers of 16 bits of timers, where the CPU has 8. The high byte waits in a byte that they share (TEMP), until the
 * low byte is written (ATmega128 datasheet, "Accessing 16-bit Registers"). An interrupt between the two whose handler
 * uses another of them leaves that handler's byte in the register: replay takes the high byte to be unknown then. */
enum { UNKNOWN_PAIRS = 64 };

/* Bytes that an entry of the recorder takes of its caller's stack at the most (tests/record/truth.c checks it). */
enum { UNKNOWN_RESIDUE = 256 };

/* Where an unknown value came from. */
enum unknown_origin {
    UNKNOWN_NOTHING,
    UNKNOWN_DEVICE, /* a register whose value was not recorded */
    UNKNOWN_MEMORY, /* memory that was not written, or that the recorder has written */
};

struct replay_unknown {
    struct unknown cpu;
    uint64_t done;     /* the instruction, by its count, that is carried through already; UINT64_MAX: none */
    uint8_t off;       /* a trial: nothing is looked for, and what is written is known */
    uint8_t origin;    /* enum unknown_origin of what the CPU holds */
    uint8_t use;       /* enum unknown_use that ended the replay, or UNKNOWN_OUTPUT */
    uint32_t at, from; /* where that was; the instruction that read the value */
    uint32_t address;  /* and what it read */
    struct unknown_stored {
        uint16_t at, address;
        uint32_t from;
        uint8_t bits, origin;
    } stored[UNKNOWN_STORED]; /* bytes that went to memory last, such as flags that a handler saves; others are unknown
                               * in all bits */
    uint8_t stored_next;
    uint8_t half;       /* the pair, by its number from 1 on, of which the high byte was written, and nothing since */
    uint8_t temp;       /* that byte */
    uint8_t half_taken; /* the pair that was given unknown bits */
    uint64_t torn;      /* pairs whose high byte is unknown, by their number from 0 on */
    uint16_t sources[UNKNOWN_SOURCES];  /* registers of devices that were read last, each once: to write them back is no
                                         * use, also after handlers that came in between */
    uint8_t memory[UNKNOWN_SPACE / 8];  /* bytes that are unknown */
    uint8_t devices[UNKNOWN_SPACE / 8]; /* those of them that came from a device */
};

enum { UNKNOWN_OUTPUT = UNKNOWN_STACK + 1 /* written to another register of a device */ };

/* The chip's registers, from the firmware's list of them (section .motet.registers). */
struct replay_register {
    uint16_t address;
    uint8_t size;
    uint16_t bits; /* that change by themselves */
    char name[20];
};

/* False, with a sentence, if the list is missing or cannot be read. */
bool unknown_find_registers(struct replay *r, const struct image *image, struct motet_error *e);

/* ---- for the log's device ---- */

void unknown_connect(const struct replay *r, const struct device *d, const struct machine *m, struct wiring *w);
void unknown_reset(struct node *n, const struct device *d);    /* all of memory is unknown but the recorder's counts */
void unknown_restored(struct node *n, const struct device *d); /* marks pages anew */
void unknown_read(struct node *n, const struct device *d, unsigned role);
void unknown_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old);
void unknown_before(struct node *n, const struct device *d);
void unknown_touched(struct node *n, const struct device *d, uint32_t address, unsigned size, bool write);

/* The log, or a checkpoint, has put these bytes there. */
void unknown_known(struct node *n, const struct device *d, uint32_t address, size_t size);

/* Whether a byte of memory is. */
bool unknown_is(const struct node *n, uint32_t address);

/* After a checkpoint: all is known but what lies below the stack. */
void unknown_resumed(struct node *n, const struct device *d);

/* Bits of a register of the CPU have their value from the log; those of a byte of memory go into it. */
void unknown_known_register(struct node *n, const struct device *d, unsigned number, unsigned bits);
void unknown_known_registers(struct node *n, const struct device *d); /* all, and the flags */
void unknown_known_flags(struct node *n, const struct device *d);
void unknown_loaded(struct node *n, const struct device *d, uint32_t address, unsigned size);

/* The log has put the CPU elsewhere: the next instruction is another one, though the count of those executed is the
 * same. */
void unknown_moved(struct node *n, const struct device *d);

/* The recorder's frames were below this stack pointer, or (`all`) something of unknown depth was. */
void unknown_residue(struct node *n, const struct device *d, uint32_t sp, bool all);

/* A sentence on the use that ended the replay. */
void unknown_explain(const struct node *n, const struct replay_unknown *u, char *text, size_t size);

#endif
