/* What native programs with a log or a trace have in common: where the bytes of the firmware's variables are in them.
 *
 * Invariant: every byte of every variable that debug information describes is listed once, in the order of variables.
 */
#ifndef API_NATIVE_PROGRAM_H
#define API_NATIVE_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

#include "native/native.h"
#include "node/machine.h"

enum { NATIVE_NO_POINTER, NATIVE_DATA_POINTER, NATIVE_CODE_POINTER };

struct native_byte {
    uint32_t variable, offset, address, mask; /* mask 0: of a pointer, which has two bytes on the node */
    uint32_t pointer;
};

struct native_program {
    const struct machine *machine;
    const struct image *image;
    uint8_t *compared; /* by data address; record/feed.h says what it has */
    struct native_place *variables;
    size_t variable_count, variable_room;
    struct native_byte *bytes;
    size_t byte_count, byte_room;
};

void native_program_begin(struct native_program *p, const struct machine *machine);
void native_program_free(struct native_program *p);

/* The tables motet_bytes and motet_names, as C (target/native). */
void native_program_write(const struct native_program *p, FILE *f);

/* Whether a function or variable belongs to Motet. */
bool native_program_is_own(const char *name, const char *file);

#endif
