/* Functions being collected from DWARF entries, while debug_variables.c walks them. */
#ifndef IMAGE_FUNCTIONS_H
#define IMAGE_FUNCTIONS_H

#include "image/types.h"

struct functions {
    struct image *image;
    const char *unit;      /* the source file under way */
    struct growing found;  /* struct debug_function */
    struct growing within; /* struct debug_inlined */
};

void functions_unit(struct functions *f, Dwarf_Die *unit);

/* Takes note of a function's entry, and of one inside another, if it has code. */
void functions_add(struct functions *f, Dwarf_Die *die, struct types *types);
void functions_add_inlined(struct functions *f, Dwarf_Die *die);
void functions_finish(struct functions *f);

#endif
