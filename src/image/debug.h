/* Debug information: types, variables and frames, from DWARF.
 *
 * Invariant: all of it is resolved when the image is loaded or on first use into plain immutable tables of our own;
 * what DWARF says wrongly or in a form not understood is left out, never guessed at.
 */
#ifndef IMAGE_DEBUG_H
#define IMAGE_DEBUG_H

#include "image/image.h"

enum debug_kind {
    DEBUG_VOID,
    DEBUG_SIGNED,
    DEBUG_UNSIGNED,
    DEBUG_CHAR,
    DEBUG_BOOL,
    DEBUG_FLOAT,
    DEBUG_POINTER,
    DEBUG_ARRAY,
    DEBUG_STRUCT,
    DEBUG_UNION,
    DEBUG_ENUM,
    DEBUG_FUNCTION,
};

struct debug_type;

struct debug_field {
    const char *name;   /* "" for an anonymous member */
    uint32_t offset;    /* bytes */
    uint8_t bit_offset; /* from the least significant bit at `offset`, for bit-fields */
    uint8_t bit_size;   /* 0: not a bit-field */
    const struct debug_type *type;
};

struct debug_enumerator {
    const char *name;
    int64_t value;
};

struct debug_type {
    enum debug_kind kind;
    const char *name;                 /* as C spells it ("struct route", "uint8_t"); "" if it has none */
    uint32_t size;                    /* bytes; 0 if unknown */
    const struct debug_type *of;      /* pointed-to, element or returned type */
    uint32_t count;                   /* array elements */
    const struct debug_field *fields; /* members; of a function, its parameters */
    uint32_t field_count;
    const struct debug_enumerator *enumerators;
    uint32_t enumerator_count;
};

struct debug_variable {
    const char *name;
    const char *function; /* the function it is static in, or NULL */
    const char *file;     /* where it is declared; NULL if unknown */
    unsigned line;
    uint32_t address;
    bool global; /* visible to other files */
    const struct debug_type *type;
};

/* A function with code of its own. */
struct debug_function {
    const char *name;
    const char *file; /* where it is defined; NULL if unknown */
    const char *unit; /* the source file that was compiled */
    unsigned line;
    uint32_t address;
    bool global;                   /* visible to other files */
    bool variadic;                 /* takes more arguments than its type has parameters */
    const struct debug_type *type; /* a DEBUG_FUNCTION; its fields have the parameters' names */
};

/* By address. */
size_t debug_functions(const struct image *i, const struct debug_function **first);

/* Code of a function that the compiler put into another: where it begins. By address. */
struct debug_inlined {
    uint32_t address;
    const char *name, *file; /* of the function that has no call there */
    const char *unit;
};
size_t debug_inlined(const struct image *i, const struct debug_inlined **first);

/* Where a value of a call is, by the calling convention: its first bytes from a register on, the others on the stack.
 */
struct debug_call_place {
    uint32_t first, in_registers; /* register, in the numbers of DWARF; bytes */
    uint32_t stack;               /* bytes from the end of the return address on, for the others */
    bool known;                   /* else the convention has no place that is understood */
    bool by_pointer;              /* of a result: not the value, but a pointer that the caller gives to where it goes */
};

/* The places of a function's parameters, as many as its type has, when it is entered, and of its result when it
 * returns. */
void debug_call_places(const struct image *i, const struct debug_type *function, struct debug_call_place *parameters,
                       struct debug_call_place *result);

/* A return address as it lies on the stack; returns how many bytes it has. */
unsigned debug_return_bytes(const struct image *i, uint32_t address, uint8_t bytes[4]);

/* Variables with a fixed address, globals first, then statics; sorted by address within each. */
size_t debug_variables(const struct image *i, const struct debug_variable **first);

/* Whether some array, of any type, has that many elements. */
bool debug_has_array(const struct image *i, uint32_t elements);

/* The chip's registers, which avr-libc's start-up code describes as variables (`PORTB`); they are found by name as
 * well. */
size_t debug_registers(const struct image *i, const struct debug_variable **first);

/* `name`, or `function::name`, `file.c::name` to tell statics of the same name apart. Globals come before statics. */
const struct debug_variable *debug_variable_named(const struct image *i, const char *name);

/* Whether a call of abort() with this return address is in the source, rather than put in by the compiler as a trap.
 * Where debug information does not describe calls, false. */
bool debug_calls_abort(const struct image *i, uint32_t after);

/* Fetches target memory; false where there is none. Addresses are those of the image (AVR data from 0x800000). */
typedef bool debug_read(void *context, uint32_t address, void *to, uint32_t size);

/* The value at an expression such as `table[2].etx`, `state`, `*head`, `head->next`, `grid[row][1]`: its address and
 * type. `read` fetches pointers that are followed and variables used as indices. Where the expression ends in a
 * bit-field,
 * `*bit_field` is that field with `offset` 0, and `*address` the byte it begins in; otherwise its bit_size is 0. */
bool debug_resolve(const struct image *i, const char *expression, debug_read *read, void *context, uint32_t *address,
                   const struct debug_type **type, struct debug_field *bit_field, struct motet_error *e);

/* An integer, character, truth value, enumeration or pointer as a number; false for other kinds. For a bit-field,
 * `field` is not NULL and `bytes` begin at its offset; they must reach to its last bit. */
bool debug_number(const struct debug_type *type, const struct debug_field *field, const void *bytes, int64_t *value);

/* Writes a value as C would be read by a person: `{parent = 3, etx = 12}`, `"abc"`, `LINK_UP`. `bytes` has type->size
 * bytes. Returns the length of the text, which ends in "..." where it does not fit into `size` bytes (at least 4). */
size_t debug_format(const struct debug_type *type, const void *bytes, char *text, size_t size);

/* The same for a bit-field, whose bytes begin at its offset. */
size_t debug_format_bits(const struct debug_field *field, const void *bytes, char *text, size_t size);

/* One step up the call chain by call frame information. `registers` are numbered as in the target's DWARF mapping: on
 * AVR r0 to r31 and 32 for SP (its 16 bits, without the 0x800000 of data addresses); on MSP430 r0 to r15, where 1 is
 * SP. */
#define DEBUG_REGISTERS 40
struct debug_frame {
    uint32_t pc;     /* byte address */
    bool after_call; /* pc is a return address: the call that is in progress is just before it */
    uint32_t registers[DEBUG_REGISTERS];
    uint64_t unknown; /* bit N: register N may hold anything, since a function that was called need not keep it */
    uint32_t cfa;     /* of the frame that was left to come here; 0 in the innermost */
};

/* Fills in the caller's frame; false where there is no (usable) information for frame->pc. On AVR the instructions of
 * prologues and epilogues are followed as well, since avr-gcc's information leaves out parts of them; for code without
 * any (libgcc, avr-libc) they are all there is, and the result counts only if the return address found follows a call.
 */
bool debug_unwind(const struct image *i, const struct debug_frame *frame, debug_read *read, void *context,
                  struct debug_frame *caller);

/* ---- local variables ---- */

struct debug_local; /* a variable or parameter of a function, as far as one can be seen from a place */

/* A frame in which names are looked up and registers are read. `cfa` is that of this frame: of the caller that
 * debug_unwind made of it. */
struct debug_scope {
    const struct debug_frame *frame;
    uint32_t cfa;
    uint8_t held[256]; /* values that are in no memory, at addresses from DEBUG_HELD on */
    bool unknown[256]; /* which of their bytes the compiler has optimised out */
    uint32_t held_count;
};

#define DEBUG_HELD 0xf0000000u

/* The locals that can be seen at a code address, inner blocks first; returns how many there are, of which `count` were
 * stored. */
size_t debug_locals_at(const struct image *i, uint32_t pc, const struct debug_local **locals, size_t count);
const char *debug_local_name(const struct debug_local *l);
bool debug_local_is_parameter(const struct debug_local *l);

/* Whether it is in one place in memory wherever it can be seen. */
bool debug_local_stays(const struct debug_local *l);

/* Where a local is: an address, in memory or among what the scope holds. False if it has no value here (the compiler
 * has optimised it out), or one that is not understood. */
bool debug_local_find(const struct image *i, const struct debug_local *l, struct debug_scope *scope, debug_read *read,
                      void *context, uint32_t *address, const struct debug_type **type);

/* As debug_resolve, where a scope's locals come before other variables; a scope of NULL has none. */
bool debug_resolve_in(const struct image *i, struct debug_scope *scope, const char *expression, debug_read *read,
                      void *context, uint32_t *address, const struct debug_type **type, struct debug_field *bit_field,
                      struct motet_error *e);

/* Reads what an address found in a scope stands for; false where part of it is not known. */
bool debug_scope_read(const struct debug_scope *scope, debug_read *read, void *context, uint32_t address, void *to,
                      uint32_t size);

#endif
