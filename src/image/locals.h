/* Locals being collected from DWARF entries, while debug_variables.c walks them.
 *
 * Invariant: what cannot be understood (an operation, a range that makes no sense) leaves out the place it is of: the
 * variable is then known, and has no value there.
 */
#ifndef IMAGE_LOCALS_H
#define IMAGE_LOCALS_H

#include "image/types.h"

/* The code in which an entry's variables can be seen, and the function that code belongs to. */
struct scope {
    const struct code_range *ranges;
    uint32_t range_count;
    const struct place_program *frame_base; /* of the function, or NULL */
    bool inlined;                           /* into it from another: its parameters are not the function's */
};

struct locals {
    struct image *image;
    struct growing found; /* struct debug_local */
};

/* The scope of a function, block or inlined function inside another; false if it has no code. */
bool locals_scope(struct locals *l, Dwarf_Die *die, const struct scope *outer, struct scope *inner);

/* Takes note of a variable or parameter that has no address of its own. */
void locals_add(struct locals *l, Dwarf_Die *die, const struct scope *scope, struct types *types);
void locals_finish(struct locals *l);

#endif
