/* Objects: what pointers can point to, and where in it.
 *
 * An object is a global or local variable, a function, memory from an allocator, or the registers of the chip. A
 * location is an object with an offset in bytes, the elements of an array taken as one. A cell is the part of an object
 * that is kept apart from other parts: a scalar. Invariant: two accesses that can overlap in a program without an
 * access outside of its object share a cell. An object that is accessed as something else than its type is one cell
 * ("collapsed").
 */
#ifndef SLICE_OBJECTS_H
#define SLICE_OBJECTS_H

#include "slice/program.h"

enum object_kind { OBJECT_VARIABLE, OBJECT_LOCAL, OBJECT_FUNCTION, OBJECT_ALLOCATED, OBJECT_REGISTERS };

struct object {
    enum object_kind kind;
    LLVMValueRef value; /* NULL: the registers */
    LLVMTypeRef type;   /* NULL: no type is known */
    uint64_t size;
    int function; /* that a local variable is in, or that it is; -1 */
    int cells;    /* the last one made, -1: none */
    bool collapsed;
};

struct location {
    int object;
    uint32_t offset;
};

struct cell {
    int object;
    uint32_t offset, size;
    int before; /* of the same object, -1: none */
};

struct objects {
    const struct program *p;
    struct object *list;
    size_t count, room;
    struct location *locations;
    size_t location_count, location_room;
    struct cell *cells;
    size_t cell_count, cell_room;
    struct map of_value, of_location, of_cell;
    /* Called where an object is collapsed: its one cell, and one that it had before. */
    void (*merged)(void *context, int one, int other);
    void *context;
};

void objects_make(struct objects *o, const struct program *p);
void objects_free(struct objects *o);

/* The object of a global variable, a function, or an instruction that makes one. */
int objects_of(struct objects *o, LLVMValueRef value);

/* A location, -1 if that is outside of the object. */
int objects_location(struct objects *o, int object, int64_t offset);

/* The cells of an access of so many bytes (0: to the end of the object) one after the other: *at is 0 at first; -1: no
 * more. */
int objects_next_cell(struct objects *o, int location, uint64_t size, uint64_t *at);

/* What a location becomes when a pointer to it is moved: by bytes, and by any multiple of strides (up to 0). -1: out of
 * the object. */
int objects_move(struct objects *o, int location, int64_t bytes, const uint64_t *strides);

/* A constant as a location, -1 if it is none. */
int objects_constant(struct objects *o, LLVMValueRef constant);

/* "history", "fit.found", "register 0x5f", "local t of fired". */
void objects_name(const struct objects *o, int object, uint32_t offset, char *name, size_t size);

/* Offset and strides of a GEP, also of a constant one; strides end in 0. */
enum { OBJECTS_STRIDES = 8 };
int64_t objects_gep(const struct program *p, LLVMValueRef gep, uint64_t strides[OBJECTS_STRIDES + 1]);

#endif
