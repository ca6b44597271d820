/* Places: what an address of the logged firmware is in a program that executes its component elsewhere.
 *
 * Such a program has the same objects at other addresses, and its pointers may be larger. A place is an object and an
 * offset there. Objects are the firmware's variables, and those that pointers in the log lead to beside them: what
 * lies on the stack, texts. These last have a number for as long as the call in lasts in which they were met.
 * Invariant: an address inside a variable always has the same place.
 */
#ifndef INTERFACE_PLACES_H
#define INTERFACE_PLACES_H

#include "image/debug.h"
#include "node/machine.h"

enum { PLACE_NULL, PLACE_REGISTERS, PLACE_CODE, PLACE_FIRST }; /* the first objects; offset: the node's address */

struct place {
    uint32_t object, offset;
};

struct places_object {
    const struct debug_variable *variable; /* NULL: a pointer leads to it */
    const struct debug_type *type;         /* NULL: bytes */
    uint32_t address, size;                /* on the node */
    uint32_t there;                        /* size there */
};

struct places {
    const struct machine *machine;
    uint32_t growth; /* bytes that a pointer has there beyond the node's */
    unsigned code_unit;
    struct places_object *objects; /* the first is number PLACE_FIRST */
    size_t count, room, variables;
};

void places_make(struct places *p, const struct machine *m, uint32_t growth);
void places_free(struct places *p);

/* How many pointers a value of the type holds. */
uint32_t places_pointers(const struct debug_type *t);

/* Of an address, which leads to an object of the type (NULL: to bytes) or to so many bytes. An object that is not
 * known yet is added; p->count shows it. */
struct place places_of(struct places *p, uint32_t address, const struct debug_type *type, uint32_t size);

/* Of a pointer's value. */
struct place places_of_pointer(struct places *p, const struct debug_type *pointer, uint32_t value);

/* Objects beyond these are forgotten. */
void places_forget(struct places *p, size_t count);

/* Calls `each` for every piece of so many bytes at an address: numbers and characters, and pointers one by one. */
struct places_piece {
    uint32_t address, size; /* on the node */
    struct place place;
    const struct debug_type *pointer; /* NULL: bytes that are the same there */
};
void places_pieces(struct places *p, uint32_t address, uint32_t size,
                   void (*each)(void *context, const struct places_piece *piece), void *context);

#endif
