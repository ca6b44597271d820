/* The table of a Cortex-M chip for recording (target/registers/CHIP.txt): its memories, the log's place in the flash,
 * and registers whose writes must be known.
 *
 * Invariant: a table that lacks a line, or has one that is not understood, is refused with the line.
 */
#ifndef REWRITE_CORTEX_CHIP_H
#define REWRITE_CORTEX_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum cortex_write {
    CORTEX_FILLS,    /* lets hardware write into memory */
    CORTEX_PROGRAMS, /* changes program memory */
    CORTEX_OWN,      /* the recorder needs the register itself */
};

struct cortex_register {
    uint32_t address;
    enum cortex_write write;
    char name[32];
};

struct cortex_chip {
    uint32_t code_first, code_last, ram_first, ram_last;
    uint32_t log_first, log_size, log_erase; /* the last: bytes that are erased as one */
    unsigned vectors;
    char flash[16]; /* target/recorder/cortex/flash_NAME.c */
    struct cortex_register *list;
    size_t count;
};

bool cortex_chip_load(struct cortex_chip *c, const char *path, struct motet_error *e);
void cortex_chip_free(struct cortex_chip *c);

/* NULL: writing it has no such effect. */
const struct cortex_register *cortex_chip_register(const struct cortex_chip *c, uint32_t address);

/* The header motet_chip.h. */
void cortex_chip_write(const struct cortex_chip *c, FILE *to);

#endif
