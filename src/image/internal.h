/* What the files of image/ share: the image itself, and the store its tables live in.
 *
 * Invariant: everything reachable from a `struct image` is in its store, so freeing the store frees the image, and
 * nothing points into the file's bytes once loading has ended.
 */
#ifndef IMAGE_INTERNAL_H
#define IMAGE_INTERNAL_H

#include "image/debug.h"
#include "image/image.h"
#include "image/target.h"

#define IMAGE_FILE_LIMIT    (64u << 20) /* bytes of a file we are willing to read */
#define IMAGE_LOAD_LIMIT    0x1000000u  /* 24 bits: avr-libc's spaces, MSP430X's memory and flash end below */
#define IMAGE_ADDRESS_LIMIT 0x60000000u /* code, RAM and devices of a Cortex-M end below; all others much sooner */

/* A store hands out memory that is freed all at once, and keeps one copy of each string. */
struct store_block;
struct store {
    struct store_block *blocks;
    const char **strings; /* open addressing, a power of two slots */
    size_t string_count, string_slots;
};

void store_free(struct store *s);
void *store_take(struct store *s, size_t size); /* zeroed; never NULL */
void *store_copy(struct store *s, const void *bytes, size_t size);
const char *store_string(struct store *s, const char *text);
const char *store_text(struct store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An array that grows while a table is being collected; it ends in the store. */
struct growing {
    void *items;
    size_t count, capacity;
};
void *growing_add(struct growing *g, size_t item_size);                   /* a new, zeroed last item */
void *growing_keep(struct growing *g, size_t item_size, struct store *s); /* moves the items to the store */
void growing_free(struct growing *g);

/* A symbol at `address` reaches at most to `limit`, the end of its section. */
struct symbol_reach {
    uint32_t limit;
    uint32_t sized_end; /* the furthest end of a symbol with a size among this one and those before it */
};

struct line_range {
    uint32_t start, end;
    const char *file;
    unsigned line;
    const char *producer;
    bool second; /* a line without code of its own begins here, too: of a function without a prologue, its opening */
    bool body;   /* the compiler says that a function's own code begins here */
};

/* A function's call frame information. The instructions of CIE and FDE are copies. */
struct frame_rules {
    uint32_t start, end;
    uint32_t code_factor;
    int32_t data_factor;
    uint32_t return_column;
    const uint8_t *initial, *program;
    uint32_t initial_size, program_size;
};

/* A section of our own that is not loaded. */
struct image_section {
    const char *name;
    const uint8_t *bytes;
    size_t size;
};

/* A program of DWARF operations that computes a place (DWARF 5, 2.5 and 2.6). */
struct place_operation {
    uint8_t atom;
    uint64_t number, second;
};

struct place_program {
    const struct place_operation *operations;
    uint32_t count;
};

struct code_range {
    uint32_t start, end;
};

/* Where a local is while the program counter is in a range. */
struct debug_place {
    struct code_range within;
    struct place_program program;
};

struct debug_local {
    const char *name;
    bool parameter, constant;
    int64_t value; /* if it is constant */
    const struct debug_type *type;
    const struct code_range *ranges; /* where it can be seen */
    uint32_t range_count;
    const struct place_program *frame_base; /* or NULL */
    const struct debug_place *places;
    uint32_t place_count;
};

struct image_range {
    uint32_t address, size;
};

struct image {
    struct store store;
    const char *path;
    const void *file; /* a copy, for saved runs */
    size_t file_size;
    const struct image_target *target;
    unsigned elf_flags;
    const struct image_range *writable; /* sections that hold variables */
    size_t writable_count;
    const char *device;

    const struct image_segment *segments;
    size_t segment_count;

    const struct image_section *sections;
    size_t section_count;

    const struct image_symbol *symbols;
    const struct symbol_reach *reaches;       /* one for each symbol */
    const struct image_symbol **symbol_names; /* the symbols sorted by name, globals first */
    size_t symbol_count;

    const struct image_range *data; /* between instructions, sorted */
    size_t data_count;

    const struct line_range *lines; /* sorted, without overlaps */
    size_t line_count;

    const struct debug_variable *variables; /* globals, statics, then device registers */
    size_t variable_count, register_count;
    const struct debug_variable **variable_names; /* sorted by name, then in the order above */

    const struct debug_function *functions; /* by address */
    size_t function_count;
    const struct debug_inlined *inlined; /* by address */
    size_t inlined_count;

    const uint32_t *arrays; /* numbers of elements of all arrays */
    size_t array_count;

    const uint32_t *aborts; /* return addresses of the calls of abort() in the source */
    size_t abort_count;

    const struct debug_local *locals;
    size_t local_count;

    const struct frame_rules *frames; /* sorted by start */
    size_t frame_count;
};

/* Writes a mangled C++ name as one with its namespaces and classes; false where it is not one that is understood. */
bool mangled_read(const char *mangled, char *text, size_t size);

/* The loaders fill in an image whose path is set; on error they may leave it half filled. */
bool elf_load(struct image *i, const void *bytes, size_t size, struct motet_error *e);
bool hex_load(struct image *i, const char *bytes, size_t size, struct motet_error *e);
bool srec_load(struct image *i, const char *bytes, size_t size, struct motet_error *e);

/* Sorts the segments given and refuses overlaps and addresses beyond the limit. */
bool segments_set(struct image *i, struct growing *segments, struct motet_error *e);

struct Elf;
struct Dwarf;
void symbols_load(struct image *i, struct Elf *elf);

/* Lines, variables, frames: the part of the file's debug information that can be understood. */
void dwarf_load(struct image *i, struct Elf *elf);

/* Whether what debug information says of address 0 is about code that the linker threw away: there is no code at 0 on
 * MSP430, and on AVR the vector table, which in almost every program comes without debug information, from avr-libc. */
bool dwarf_zero_is_nowhere(const struct image *i);

/* Before libdw reads .debug_line: takes out the lines of code that the linker threw away. */
void lines_discard(const struct image *i, uint8_t *section, size_t size);
/* Both add struct line_range, in any order; lines_set() makes the table of them. */
void lines_from_dwarf(struct image *i, struct Dwarf *dwarf, struct growing *ranges);
void lines_from_stabs(struct image *i, const uint8_t *stabs, size_t size, const char *strings, size_t strings_size,
                      struct growing *ranges);
void lines_set(struct image *i, struct growing *ranges);

void variables_load(struct image *i, struct Dwarf *dwarf);
void frames_load(struct image *i, const uint8_t *section, size_t size);

#endif
