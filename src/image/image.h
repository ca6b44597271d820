/* Images: a firmware file, as bytes to load and as names for places.
 *
 * Reads ELF (with DWARF through elfutils, where present) and Intel HEX. Everything that names a place for a person goes
 * through here: `main+0x12 (blink.c:31)`. Invariant: an image is immutable once loaded and holds no handle on the file;
 * for any bytes of the file, loading ends with a valid image or an error, never with a crash.
 *
 * Addresses are those of the ELF file: on AVR code at 0, data from 0x800000, EEPROM from 0x810000, fuses from 0x820000,
 * lock bits from 0x830000 (avr-libc's convention); code addresses count bytes. On MSP430 there is one space.
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum image_machine {
    IMAGE_MACHINE_UNKNOWN /* HEX files do not say */,
    IMAGE_MACHINE_AVR,
    IMAGE_MACHINE_MSP430,
    IMAGE_MACHINE_ARM
};

/* Bytes to be placed in memory before reset. `address` is the load address (LMA); `run_address` the one symbols use
 * (VMA). */
struct image_segment {
    uint32_t address, run_address, size;
    bool executable;
    const uint8_t *bytes;
};

enum image_symbol_kind { IMAGE_SYMBOL_OTHER, IMAGE_SYMBOL_FUNCTION, IMAGE_SYMBOL_OBJECT };

struct image_symbol {
    const char *name;
    uint32_t address, size;
    enum image_symbol_kind kind;
    bool global;
    bool passage; /* functions jump to it, and it jumps back into them or returns for them: a part of each */
};

struct image_line {
    const char *file; /* with its directory, where the file says it */
    unsigned line;
};

struct image;

/* Loads from a file, telling the format by its content. */
struct image *image_load(const char *path, struct motet_error *e);

/* The same from memory; `name` is used in messages. The bytes are copied. */
struct image *image_parse(const char *name, const void *bytes, size_t size, struct motet_error *e);
void image_free(struct image *i);

const char *image_path(const struct image *i);
const void *image_file(const struct image *i, size_t *size); /* the file's bytes, as they were */
enum image_machine image_machine(const struct image *i);
unsigned
image_elf_flags(const struct image *i); /* e_flags; for AVR the low 7 bits give the architecture (5, 51, 6...) */

/* The device the firmware was built for ("atmega128"), from .note.gnu.avr.deviceinfo; NULL where the file does not say.
 */
const char *image_device(const struct image *i);

/* The address after the last variable between two addresses, by the section headers, which a stripped file keeps; 0:
 * the file does not say. */
uint32_t image_variables_end(const struct image *i, uint32_t first, uint32_t last);

size_t image_segments(const struct image *i, const struct image_segment **first);

/* The number that firmware which records puts into its logs (its section .motet.build); 0 where there is none. */
uint64_t image_build(const struct image *i);

/* The bytes of the sections that motet cc has added and that are not loaded: of those whose names begin so
 * (".motet..."), the first, second... NULL after the last. */
const uint8_t *image_section(const struct image *i, const char *prefix, size_t number, size_t *size);

/* Where the data ends that lies between instructions at an address: a compiler's constants, a table of jumps. 0: there
 * are instructions, or the file does not say. */
uint32_t image_data_end(const struct image *i, uint32_t address);

/* Symbols, sorted by address, then by kind (functions and objects before others), then globals first. */
size_t image_symbols(const struct image *i, const struct image_symbol **first);
const struct image_symbol *image_symbol_named(const struct image *i, const char *name);

/* The function or object that contains the address, or, for code without sizes, the nearest label before it. */
const struct image_symbol *image_symbol_at(const struct image *i, uint32_t address);

bool image_line_at(const struct image *i, uint32_t address, struct image_line *line);

/* The compiler of the code at an address, with its options if it tells them; NULL where the file does not say. */
const char *image_producer_at(const struct image *i, uint32_t address);
/* A row of the line table: instructions that follow each other and come from one line. */
struct image_row {
    uint32_t start, end;
    const char *file;
    unsigned line;
    bool second; /* another line, that has no code of its own, begins here before it */
    bool body;   /* the compiler says that a function's own code begins here */
};
bool image_row_at(const struct image *i, uint32_t address, struct image_row *row);

bool image_has_lines(const struct image *i); /* any */

/* Where the code of a line begins, once in each function, of the file that ends in `file`; for a line without code that
 * of the next line that has some, which `line` becomes. Returns how many places there are, at most `count`. */
size_t image_line_places(const struct image *i, const char *file, unsigned *line, uint32_t *addresses, size_t count);

/* Files that have code, the first `count` of them; returns how many there are. */
size_t image_files(const struct image *i, const char **files, size_t count);

/* Where a function's own code begins, after what prepares its frame: where the compiler says so, else the second row of
 * its lines. */
uint32_t image_body(const struct image *i, const struct image_symbol *function);

/* "main+0x12 (blink.c:31)", "main (blink.c:30)", "buffer+2", or "0x1234" where nothing is known. Only the file's last
 * component is shown, and of a mangled C++ name its namespaces and classes. Returns `text`. */
char *image_place(const struct image *i, uint32_t address, char *text, size_t size);

/* A symbol's name for a person: of a mangled C++ name its namespaces and classes. Returns `text`. */
char *image_readable(const char *name, char *text, size_t size);

/* Names close to a mistyped one, best first, for error messages; returns how many were found (at most `count`). */
size_t image_nearest_names(const struct image *i, const char *name, const char *found[], size_t count);

/* Appends "; did you mean `a.c`?" to a sentence about a source file that there is not. */
void image_suggest_file(const struct image *i, const char *name, struct motet_error *e);

#endif
