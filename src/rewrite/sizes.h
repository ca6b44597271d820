/* Sizes: what an object file or a program takes of the chip's memories, and what recording has added to an object.
 *
 * Invariant: only sections that are loaded count; what has an initial value in RAM takes flash as well. What was added
 * is kept in the object itself (section .motet.growth), so that a link knows it of files that were compiled long
 * before.
 */
#ifndef REWRITE_SIZES_H
#define REWRITE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sizes {
    long flash, ram; /* bytes */
};

bool sizes_of(const char *path, bool avr, struct sizes *s);

/* Bytes of the sections of that name. */
unsigned long sizes_section(const char *path, const char *name);

/* Bytes of the sections whose names begin so. */
unsigned long sizes_begin_with(const char *path, const char *name);

/* A copy of the bytes of a section, to be freed; NULL: there is none. And the names that an object uses and does not
 * define, each with its zero. */
char *sizes_bytes(const char *path, const char *name, size_t *size);
char *sizes_undefined(const char *path, size_t *size);

/* Whether there is a symbol of that name, and its value. */
bool sizes_symbol(const char *path, const char *name, uint32_t *value);

/* Of a program whose RAM has these addresses: what start-up code initialises lies in [*first, *end). Returns the name
 * of a section that keeps its contents over a reset, or NULL; it lives until the next call. False in *good: it cannot
 * be read. */
const char *sizes_variables(const char *path, uint32_t ram_first, uint32_t ram_last, uint32_t *first, uint32_t *end,
                            bool *good);

/* A hash of all that the program loads, and where. */
uint64_t sizes_hash(const char *path);

/* Whether the program loads anything into these addresses. */
bool sizes_loads(const char *path, uint32_t first, uint32_t size);

/* Adds up what objects say was added to them; false if this one says nothing. */
bool sizes_growth(const char *path, struct sizes *sum);

/* The lines of assembly that make an object say so. */
bool sizes_note(const char *assembly, const struct sizes *added);

#endif
