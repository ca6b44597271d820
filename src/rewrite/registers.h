/* Registers: what a program can read from each register of a chip, from its text file in target/registers. The file
 * also has facts for the recorder (facts.h).
 *
 * Invariant: a register that is not in the file counts as changing in every bit, so a gap costs log, never exactness.
 */
#ifndef REWRITE_REGISTERS_H
#define REWRITE_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "rewrite/facts.h"

/* The numbers are those of motet_record.h. */
enum register_class { REGISTER_STATE, REGISTER_TIMER, REGISTER_DATA, REGISTER_WHOLE, REGISTER_FIXED };

struct chip_register {
    char name[20];
    uint16_t address;
    uint8_t size;
    enum register_class class;
    uint16_t bits;     /* that can be other than written last */
    bool acts;         /* a read changes something: a byte leaves a queue, a flag is cleared */
    bool cpu;          /* the CPU's own state, not a device's */
    bool speed;        /* writing it changes how fast the CPU runs, and what is counted by it */
    uint16_t fills;    /* writing one of these bits lets hardware write into memory */
    uint16_t programs; /* writing one of these bits changes program memory */
};

struct area {
    uint16_t first, last;
    char name[20];
};

struct registers {
    struct chip_register *list;
    size_t count;
    uint16_t limit;       /* addresses below it are registers */
    struct area areas[4]; /* memory whose contents are not the program's */
    size_t area_count;
    struct facts facts; /* for the recorder on the node */
};

bool registers_load(struct registers *r, const char *path, struct motet_error *e);
void registers_free(struct registers *r);

/* NULL if the file does not have it. Of several names at an address, the one of that size. */
const struct chip_register *registers_at(const struct registers *r, uint32_t address, unsigned size);
/* What a read of those bytes gives, if they are all in the file: a register, a part of one, or two together. */
bool registers_covering(const struct registers *r, uint32_t address, unsigned size, struct chip_register *is);
const struct area *registers_area(const struct registers *r, uint32_t address);
const struct chip_register *registers_named(const struct registers *r, const char *name);
/* Where a checkpoint finds how the program has set up the devices: all registers with bits that only writing changes,
 * as "{first,last},..." in ascending order, ends included. Reading a byte (a word from 0x100 on an MSP430) of these
 * changes nothing. To be freed. */
char *registers_ranges(const struct registers *r);
const char *register_class_name(enum register_class c);

#endif
